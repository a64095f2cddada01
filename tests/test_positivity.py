"""Simulations against what theory says of them."""

import inspect
import re

import numba
import numpy as np
import pytest
from oracles import simulation, weighing

from specsel import datasets, positivity, qalpha
from specsel._simulation import experiments, packed, streams, tails

FIRST = (1 / 6, 2**0.5 / 6)  # the curve of Fig. 2a


def inside(estimate, value, slack=1.5):
    """Whether a value lies in the interval, made somewhat wider."""
    middle, half = (estimate.low + estimate.high) / 2, (estimate.high - estimate.low) / 2
    return abs(value - middle) <= slack * half


def test_the_published_curve():
    assert positivity.probability(10, *FIRST, random_state=0).probability < 0.95
    assert positivity.probability(25, *FIRST, random_state=0).probability > 0.98
    for distribution in ("uniform", "bernoulli"):
        bounded = positivity.probability(40, *FIRST, distribution=distribution, random_state=0)
        assert bounded.probability > 0.98


def test_the_second_curve_is_not_as_published():
    assert positivity.probability(500, 0.1, 1.0, trials=200, random_state=0).high < 0.05
    assert positivity.probability(2000, 0.1, 1.0, trials=20, random_state=0).low > 0.6


def test_the_leading_eigenvalue_is_where_furedi_and_komlos_have_it():
    found = positivity.leading_eigenvalue(200, 0.5, 1.0, trials=400, random_state=1)
    assert inside(found.eigenvalue, found.eigenvalue.expected)
    lemma_15 = (found.eigenvalues >= 100 - 4) & (found.eigenvalues <= 100 + 2 * 200**0.5)
    assert lemma_15.all()
    assert (found.sums >= 200**0.5 - 1).all()  # Lemma 16
    assert np.isnan(positivity.leading_eigenvalue(5, 0.0, 1.0, trials=2).eigenvalue.expected)


@pytest.mark.parametrize("distribution", streams.KINDS)
def test_spectra_fill_the_semicircle(distribution):
    found = positivity.semicircle(
        150, 0.4, 2.0, bins=6, trials=20, distribution=distribution, random_state=0
    )
    radius = 4.0 * 150**0.5
    exact = [simulation.semicircle_share(a / radius, b / radius) for a, b in zip(
        found.edges[:-1], found.edges[1:], strict=True)]  # fmt: skip
    np.testing.assert_allclose(found.expected, exact, atol=1e-8)
    np.testing.assert_allclose(found.share, exact, atol=0.01)
    assert found.above == pytest.approx(1, abs=0.4)  # but for the leading one
    assert found.below < 0.5


def test_moments_of_large_matrices_are_narayana_polynomials():
    found = positivity.wishart_moments(80, 40, 3, trials=50, random_state=0)
    np.testing.assert_allclose(found.limit, [1, 1 + 2, 1 + 3 * 2 + 2**2])
    np.testing.assert_allclose(found.mean, found.limit, rtol=0.04)


@pytest.mark.parametrize(("n", "q"), [(4, 3), (3, 7), (1, 1)])
def test_moments_of_small_matrices_are_sums_over_pairings(n, q):
    found = positivity.wishart_moments(n, q, 5, trials=20_000, random_state=0)
    exact = [simulation.wishart_moment(n, q, k) for k in range(1, 5)]
    np.testing.assert_allclose(found.expected, [*exact, np.nan])
    assert (np.abs(found.mean - found.expected)[:4] <= 4 * found.error[:4]).all()
    assert abs(found.mean[1] - found.limit[1]) > 10 * found.error[1]


@pytest.mark.parametrize("distribution", ["uniform", "bernoulli"])
def test_second_moments_depend_on_fourth_powers(distribution):
    found = positivity.wishart_moments(
        4, 3, distribution=distribution, trials=20_000, random_state=0
    )
    assert np.isnan(found.expected).tolist() == [False, False, True, True]
    assert (np.abs(found.mean - found.expected)[:2] <= 4 * found.error[:2] + 1e-12).all()


def test_triple_products_have_their_least_value_and_their_means(rng):
    for k, cosine in ((1, None), (1, 0.6), (3, -0.5), (4, None)):
        found = positivity.triple_product(5, k, cosine=cosine, random_state=1)
        assert found.minimum == pytest.approx(-1 / 8, abs=1e-12)
        assert inside(found.product, found.product.expected)
    vectors = rng.standard_normal((3, 100_000, 3))
    a, b, c = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    products = (a * b).sum(1) * (a * c).sum(1) * (b * c).sum(1)
    assert -1 / 8 <= products.min() < -0.12
    assert positivity.triple_product(4, 4, cosine=1.0, trials=50).product.mean == pytest.approx(1)


def test_irrelevant_features_weigh_no_more_than_their_bound():
    data = datasets.growing_classes(3, random_state=1)
    weights = qalpha.solve(data.X, 3, tol=1e-10)
    found = positivity.irrelevant_weight_bound(weights, data.X, data.relevant)
    M = weighing.standardise(data.X)
    literal = simulation.irrelevant_bound(M, weights.alpha, weights.basis, data.relevant)
    assert found.bound == pytest.approx(literal, rel=1e-6)
    assert found.weight == pytest.approx(weights.alpha[5:].sum())
    assert found.weight <= found.bound


def test_relevant_features_are_numbers_or_a_mask():
    data = datasets.growing_classes(3, random_state=1)
    weights = qalpha.solve(data.X, 3)
    expected = positivity.irrelevant_weight_bound(weights, data.X, data.relevant)
    mask = np.arange(125) < 5
    for relevant in (mask, mask.tolist(), range(5), [4, 3, 2, 1, 0, 0], np.uint8(range(5))):
        assert positivity.irrelevant_weight_bound(weights, data.X, relevant) == expected
    none = positivity.irrelevant_weight_bound(weights, data.X, [])
    assert none.weight == pytest.approx(weights.alpha.sum())


@pytest.mark.parametrize(
    ("relevant", "message"),
    [
        ([0, 202], "relevant = 202: must be from 0 to 201"),
        ([-1], "relevant = -1: must be from 0 to 201"),
        ([True, False], "relevant: a mask of 2 for 202 features"),
        ([0.5], r"relevant = \[0.5\]: must be a list of feature numbers or a mask"),
        (3, "relevant = 3: must be a list of feature numbers or a mask"),
    ],
)
def test_features_that_are_not_there_are_refused(relevant, message):
    data = datasets.weston_linear(40, random_state=0)
    weights = qalpha.solve(data.X, 3)
    with pytest.raises(ValueError, match=message):
        positivity.irrelevant_weight_bound(weights, data.X, relevant)


def test_trials_and_distribution_may_be_given_by_place():
    found = positivity.probability(10, *FIRST, 50, "uniform", random_state=1)
    named = positivity.probability(10, *FIRST, trials=50, distribution="uniform", random_state=1)
    assert found == named
    assert found.probability * 50 == round(found.probability * 50)


def test_the_same_bits_for_any_number_of_threads(set_threads):
    found = []
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        set_threads(threads)
        found.append(
            (
                positivity.probability(30, *FIRST, trials=99, random_state=4),
                positivity.leading_eigenvalue(30, *FIRST, trials=99, random_state=4).eigenvalue,
                positivity.triple_product(6, 2, trials=99, random_state=4),
            )
        )
    assert found[0] == found[1]


LEGAL = {
    "probability": {"n": 5, "mu": 1, "sigma": 1},
    "triple_product": {"q": 5},
    "hoeffding_tail": {"n": 5, "t": 1.0},
    "norm_tail": {"n": 5, "largest": 1.0},
    "semicircle": {"n": 5, "mu": 0, "sigma": 1},
    "wishart_moments": {"n": 5, "q": 3},
}
REFUSED = [
    ("probability", {"n": 0}, "n = 0: must be at least 1"),
    ("probability", {"mu": np.nan}, "mu = nan: must be a finite number"),
    ("probability", {"sigma": 0}, "sigma = 0: must be a finite number above 0"),
    ("probability", {"trials": 0}, "trials = 0: must be at least 1"),
    (
        "probability",
        {"distribution": "cauchy"},
        "distribution = 'cauchy': must be one of gaussian, uniform, bernoulli",
    ),
    ("probability", {"random_state": -1}, "random_state = -1: must be None, a whole number"),
    ("triple_product", {"k": 6}, "k = 6: must be from 1 to 5"),
    ("triple_product", {"cosine": 2}, "cosine = 2: must be a number from -1 to 1"),
    (
        "hoeffding_tail",
        {"distribution": "gaussian"},
        "distribution = 'gaussian': must be one of uniform, bernoulli",
    ),
    ("hoeffding_tail", {"t": -1}, "t = -1: must be a finite number at least 0"),
    ("hoeffding_tail", {"width": 0}, "width = 0: must be a finite number above 0"),
    ("norm_tail", {"largest": 0}, "largest = 0: must be a finite number above 0"),
    ("norm_tail", {"epsilon": np.inf}, "epsilon = inf: must be a finite number"),
    ("semicircle", {"bins": 0}, "bins = 0: must be at least 1"),
    ("wishart_moments", {"q": 0}, "q = 0: must be at least 1"),
]


@pytest.mark.parametrize(("name", "options", "message"), REFUSED)
def test_bad_options_are_refused_in_one_line(name, options, message):
    with pytest.raises(ValueError) as caught:
        getattr(positivity, name)(**LEGAL[name] | options)
    assert str(caught.value).startswith(message)


def test_weights_of_other_data_are_refused():
    data = datasets.weston_linear(40, random_state=0)
    weights = qalpha.solve(data.X, 3)
    with pytest.raises(ValueError, match="X: has 9 features; the weights are for 202"):
        positivity.irrelevant_weight_bound(weights, data.X[:, :9], [0])


def test_kernels_neither_raise_nor_fix_the_threads():
    for module in (experiments, packed, streams, tails):
        source = inspect.getsource(module)
        assert not re.search(r"set_num_threads|threading_layer|\braise\b|np\.linalg", source)


@pytest.mark.parametrize("name", [*LEGAL, "leading_eigenvalue", "irrelevant_weight_bound"])
def test_docstrings_describe_every_parameter(name):
    simulate = getattr(positivity, name)
    section = inspect.getdoc(simulate).split("Parameters\n")[1].split("\n\n")[0]
    described = re.findall(r"^(\w[\w, ]*) ?(?::.*)?$", section, flags=re.M)
    names = [name for line in described for name in line.strip().split(", ")]
    assert sorted(names) == sorted(inspect.signature(simulate).parameters)
