"""Streams of random numbers: those of the generator, of their distributions, independent."""

import numpy as np
import pytest
import scipy.stats
from oracles import simulation as oracle

from specsel._simulation import streams


def filled(key, kind, count, start=0):
    out = np.empty(count)
    streams.fill(key, streams.KINDS[kind], start, out)
    return out


def test_words_are_those_of_splitmix64():
    keys = streams.keys(0, 5)
    for key in keys:
        for place in (0, 1, 12345, 2**40 + 7):
            assert int(streams.word(key, place)) == oracle.splitmix(int(key), place)


@pytest.mark.parametrize(("kind", "law"), [("gaussian", "norm"), ("uniform", "uniform")])
def test_variables_have_their_distribution(kind, law):
    x = np.empty(200_000)
    streams.fill(streams.keys(1, 1)[0], streams.KINDS[kind], 0, x)
    arguments = () if kind == "gaussian" else (-(3**0.5), 2 * 3**0.5)
    assert scipy.stats.kstest(x, law, arguments).pvalue > 0.01
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.01
    if kind == "gaussian":
        tail = 2 * scipy.stats.norm.sf(streams.TAIL)
        assert (np.abs(x) > streams.TAIL).mean() == pytest.approx(tail, rel=0.3)
        beyond = np.abs(x[np.abs(x) > streams.TAIL])
        assert (
            scipy.stats.kstest(beyond, scipy.stats.truncnorm(streams.TAIL, np.inf).cdf)[1] > 0.01
        )


def test_two_values_have_equal_chance():
    x = np.empty(100_000)
    streams.fill(streams.keys(1, 1)[0], streams.TWO_VALUED, 0, x)
    assert set(x) == {-1.0, 1.0}
    assert abs(x.mean()) < 0.02


def test_streams_of_many_keys_are_independent():
    x = np.array([filled(key, "gaussian", 2000) for key in streams.keys(3, 40)])
    correlations = np.corrcoef(x)[np.triu_indices(40, 1)]
    assert np.abs(correlations).max() < 5 / 2000**0.5
    assert scipy.stats.kstest(correlations * 2000**0.5, "norm").pvalue > 0.01


def test_neighbouring_seeds_have_keys_of_their_own():
    assert len(np.unique([streams.keys(seed, 100) for seed in range(100)])) == 10_000


@pytest.mark.parametrize("kind", streams.KINDS)
def test_what_stands_at_a_place_depends_on_key_and_place_alone(kind):
    key, again = streams.keys(5, 3)[2], streams.keys(5, 3)[2]
    whole = filled(key, kind, 1000)
    np.testing.assert_array_equal(filled(again, kind, 400, start=600), whole[600:])
    np.testing.assert_array_equal(filled(again, kind, 1, start=17), whole[17:18])


def test_keys_come_from_the_random_state():
    np.testing.assert_array_equal(streams.keys(8, 4), streams.keys(np.random.default_rng(8), 4))
    rng = np.random.default_rng(8)
    assert not np.array_equal(streams.keys(rng, 4), streams.keys(rng, 4))
