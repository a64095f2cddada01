"""The search for a stable subspace against the literal one, and the theorems it rests on."""

from collections import Counter

import numpy as np
import pytest
import scipy.linalg
from oracles import bootstrap as oracle
from similarities import cases, factors, in_blocks, known, matrices, star

from specsel import sbs


@pytest.mark.parametrize("at_least", [2, 3])
def test_the_least_number_of_components_is_that_of_a_literal_search(at_least):
    found_more = 0
    for A, E in cases():
        found = sbs.search(known(A, E), retain=0, at_least=at_least)
        kept, removed, k, share, converged, _ = oracle.stable_subspace(A, E, 0, at_least=at_least)
        assert (found.k, found.converged) == (k, converged)
        if k:
            assert found.k >= at_least
            assert (found.support.tolist(), found.removed.tolist()) == (kept, removed)
            assert found.share == pytest.approx(share)
            found_more += k > sbs.search(known(A, E), retain=0).k
    assert found_more > 5


@pytest.mark.parametrize("retain", [0.05, 0.2, 0.4, 0.6, 0.8, 1.0])
def test_the_result_is_that_of_a_literal_search(retain):
    outcomes = Counter()
    for A, E in cases():
        found = sbs.search(known(A, E), retain=retain)
        kept, removed, k, share, converged, _ = oracle.stable_subspace(A, E, retain)
        assert (found.k, found.converged) == (k, converged)
        if k:
            assert (found.support.tolist(), found.removed.tolist()) == (kept, removed)
            assert found.share == pytest.approx(share)
            block = np.ix_(kept, kept)
            assert list(found.stable) == oracle.stable_dimensions(A[block], E[block])
        else:
            assert (found.share, found.stable, found.vectors.shape[1]) == (0, {}, 0)
        outcomes[k > 0, converged, len(removed) > 0, found.n_skipped > 0] += 1
    assert sum(outcomes.values()) == 180
    if retain == 0.4:
        assert {outcome[:2] for outcome in outcomes} == {
            (False, False),
            (True, False),
            (True, True),
        }
        assert outcomes[True, True, True, True] > 10
        assert outcomes[True, True, False, False] > 10


def test_blocks_without_common_errors_are_not_forgotten():
    """The vector for one block must not vanish while the other block is the larger one."""
    A = np.kron(np.eye(6), np.ones((4, 4))) + np.diag(np.tile(np.arange(8, 0, -1.0) / 10, 3))
    E = np.kron(np.diag(np.outer([1, 1e-30, 1e-60], [1, 0.04]).ravel()), np.ones((4, 4)))
    found = sbs.search(known(A, E), retain=0.01)
    kept, removed, k, *_ = oracle.stable_subspace(A, E, 0.01)
    assert len(removed) > 3
    assert (found.support.tolist(), found.removed.tolist(), found.k) == (kept, removed, k)
    for step in found.trace:
        assert np.isfinite(step.error)


def test_no_more_is_decomposed_than_by_the_proposition_as_printed():
    fewer = 0
    for A, E in cases():
        for retain in (0.3, 0.6):
            found = sbs.search(known(A, E), retain=retain)
            literal = oracle.stable_subspace(A, E, retain, skip=True)
            assert (found.k, found.converged) == (literal[2], literal[4])
            made = [step.size for step in found.trace if step.stable is not None]
            assert found.n_decompositions == len(made) <= len(literal[5])
            assert found.n_decompositions + found.n_skipped == len(found.trace)
            fewer += len(made) < len(literal[5])
    assert fewer > 50


def test_gaps_of_submatrices_are_within_their_bounds():
    needed = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        A, _ = matrices(seed, n=10)
        spectrum = np.linalg.eigvalsh(A)[::-1]
        for size in range(9, 1, -1):
            kept = np.sort(rng.choice(10, size, replace=False))
            values = np.linalg.eigvalsh(A[np.ix_(kept, kept)])[::-1]
            gaps = values[:-1] - values[1:]
            assert gaps.max() <= sbs._largest_gap(spectrum, size, 0.0) + 1e-12
            for least in rng.uniform(0, 10, 5):
                large = gaps[np.cumsum(values)[:-1] > least].max(initial=0.0)
                assert large <= sbs._largest_gap(spectrum, size, least) + 1e-12
                needed += large > sbs._largest_gap(spectrum, size + 1, least)
    assert needed > 20


@pytest.mark.parametrize("kind", [matrices, star, in_blocks])
def test_norms_are_bounded_from_below_and_most_often_exact(kind):
    exact = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        E = kind(seed)[1]
        norm = np.linalg.norm(E, 2)
        for vector in (np.ones(len(E)), rng.uniform(1e-4, 1, len(E)), np.eye(len(E))[-1] + 1e-4):
            found = sbs._norm_from_below(E, vector)
            assert 0.5 * norm < found <= norm * (1 + 1e-12)
            exact += found >= (1 - 2e-6) * norm
            assert (vector >= 1e-4).all()
    assert exact >= (150 if kind is not in_blocks else 130)


@pytest.mark.parametrize("scale", [1e-150, 1e140])
def test_norms_neither_overflow_nor_underflow(scale):
    _, E = star(3)
    found = sbs._norm_from_below(E * scale, np.ones(len(E)))
    assert found == pytest.approx(np.linalg.norm(E, 2) * scale)


def perturbations(E, rng):
    """Symmetric matrices within E: its ends, random signs, random sizes."""
    yield E
    yield -E
    for _ in range(20):
        signs = np.triu(rng.choice([-1, 1], E.shape))
        yield E * (signs + np.triu(signs, 1).T)
        part = np.triu(rng.uniform(-1, 1, E.shape))
        yield E * (part + np.triu(part, 1).T)


def test_a_certified_subspace_turns_no_more_than_stewart_allows():
    """Lemma 1 and Theorem 1, for every dimension that is called stable."""
    dimensions, near, uncertified = 0, 0.0, 0.0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        A, E = matrices(seed)
        found = sbs.search(known(A, E), retain=0.1)
        kept = np.ix_(found.support, found.support)
        A, E = A[kept], E[kept]
        vectors = np.linalg.eigh(A)[1][:, ::-1]
        dimensions += len(found.stable)
        for k in range(1, len(A)):
            for P in perturbations(E, rng):
                turned = np.linalg.eigh(A + P)[1][:, -k:]
                sine = np.sin(scipy.linalg.subspace_angles(vectors[:, :k], turned)[0])
                if k not in found.stable:
                    uncertified = max(uncertified, sine)
                    continue
                allowed = stewart(vectors, k, P, found.eigenvalues)
                assert sine <= allowed + 1e-12
                if k == found.k:
                    assert allowed <= found.bound
                    near = max(near, sine / found.bound)
        if found.k:
            assert 0 < found.bound < 1
    assert dimensions > 40
    assert near > 0.1
    assert uncertified > 0.9


def stewart(vectors, k, P, eigenvalues):
    """``2 ‖E₂₁‖ / δ`` for one perturbation, where the theorem holds."""
    first, rest = vectors[:, :k], vectors[:, k:]
    inner, cross, outer = first.T @ P @ first, rest.T @ P @ first, rest.T @ P @ rest
    gap = eigenvalues[k - 1] - eigenvalues[k]
    delta = gap - np.linalg.norm(inner, 2) - np.linalg.norm(outer, 2)
    assert delta > 0
    assert delta >= 2 * np.linalg.norm(cross, 2)
    return 2 * np.linalg.norm(cross, 2) / delta


def test_the_search_of_data_keeps_what_is_certain():
    found = sbs.solve(factors(), matrix="correlation", retain=0.5, random_state=0)
    assert found.converged
    assert {*found.removed.tolist()} <= {10, 11, 12, 13}
    assert found.k == 2
    kept = np.ix_(found.support, found.support)
    values, vectors = np.linalg.eigh(found.A[kept])
    np.testing.assert_allclose(found.eigenvalues, values[::-1])
    projector = vectors[:, -2:] @ vectors[:, -2:].T
    np.testing.assert_allclose(found.vectors @ found.vectors.T, projector, atol=1e-12)
    assert (found.vectors.sum(axis=0) > 0).all()
    assert found.share == pytest.approx(found.eigenvalues[:2].sum() / found.A.trace())
    assert sorted([*found.support, *found.removed]) == list(range(14))
    again = sbs.search(found.intervals, retain=0.5)
    assert again.support.tolist() == found.support.tolist()


def test_nothing_stable_is_a_result():
    """Five samples say nothing about eight features."""
    X = np.random.default_rng(0).standard_normal((5, 8))
    with pytest.warns(UserWarning, match=r"^retain = 0.3: there is no stable subspace; .* take"):
        found = sbs.solve(X, matrix="covariance", retain=0.3, random_state=0)
    assert not found.converged
    assert (found.k, found.share, found.stable, found.bound) == (0, 0.0, {}, np.inf)
    assert found.vectors.shape == (2, 0)
    assert found.transform(X).shape == (5, 0)
    assert [step.size for step in found.trace] == [8, 7, 6, 5, 4, 3, 2]
    assert sorted([*found.support, *found.removed]) == list(range(8))


@pytest.mark.filterwarnings("ignore:retain = 0.9. there is no stable subspace")
@pytest.mark.parametrize("n", [1, 2])
def test_very_few_features(n):
    X = np.random.default_rng(0).random((50, n)) * [1, 50][:n]
    found = sbs.solve(X, matrix="covariance", retain=0.9, random_state=0)
    assert found.support.tolist() == list(range(n))
    assert found.k == n - 1


def test_no_error_at_all():
    """Every gap is stable then, but none that is only rounding."""
    found = sbs.search(known(np.diag([3.0, 2, 1, 1 - 1e-15]), np.zeros((4, 4))), retain=0.6)
    assert list(found.stable) == [1, 2]
    assert (found.k, found.bound, found.converged) == (2, 0.0, True)


def test_tied_features_go_by_number():
    A, E = np.eye(6) + 0.5, np.full((6, 6), 5.0)
    found = sbs.search(known(A, E), retain=0.5)
    assert [step.removed for step in found.trace] == [None, 0, 1, 2, 3]


def test_features_without_variation_are_neither_kept_nor_removed():
    X = np.insert(factors(), [0, 5], 7.0, axis=1)
    with pytest.warns(UserWarning, match="2 of 16 features are constant"):
        found = sbs.solve(X, matrix="correlation", random_state=0)
    plain = sbs.solve(factors(), matrix="correlation", random_state=0)
    place = np.delete(np.arange(16), [0, 6])
    assert found.support.tolist() == place[plain.support].tolist()
    assert found.removed.tolist() == place[plain.removed].tolist()
    assert found.intervals.constant.tolist() == [0, 6]
    np.testing.assert_allclose(found.transform(X), plain.transform(factors()))


def test_the_callback_gets_what_the_trace_holds():
    A, E = matrices(5)
    E = 10 * E
    calls = []
    found = sbs.search(
        known(A, E), retain=0.99, callback=lambda *step: calls.append(step) is not None
    )
    assert [call[0] for call in calls] == list(range(len(calls)))
    assert [call[1:] for call in calls] == [(step.gap, step.error) for step in found.trace]
    stopped = sbs.search(known(A, E), retain=0.99, callback=lambda removed, *_: removed == 3)
    assert len(stopped.trace) == 4
    assert not stopped.converged


def test_a_search_that_was_stopped_needs_no_warning(recwarn):
    found = sbs.solve(factors(), retain=0.99, random_state=0, callback=lambda *_: True)
    assert (len(found.trace), found.converged) == (1, False)
    assert not recwarn


def test_the_trace_says_what_was_known_at_every_size():
    A, E = matrices(8)
    found = sbs.search(known(A, E), retain=0.99)
    assert [step.size for step in found.trace] == list(range(14, 14 - len(found.trace), -1))
    removed = []
    for step in found.trace:
        removed += [step.removed] if step.removed is not None else []
        kept = np.setdiff1d(np.arange(14), removed)
        block = np.ix_(kept, kept)
        values = np.linalg.eigvalsh(A[block])[::-1]
        assert step.error == pytest.approx(4 * np.linalg.norm(E[block], 2), rel=1e-6)
        if step.stable is not None:
            assert step.gap == pytest.approx((values[:-1] - values[1:]).max())
            assert list(step.stable) == oracle.stable_dimensions(A[block], E[block])
            for k, share in step.stable.items():
                assert share == pytest.approx(values[:k].sum() / np.trace(A))


BAD = {
    "retain = -0.1: must be from 0 to 1": {"retain": -0.1},
    "retain = 1.5: must be from 0 to 1": {"retain": 1.5},
    "retain = 'half': must be from 0 to 1": {"retain": "half"},
    "at_least = 0: must be at least 1": {"at_least": 0},
    "callback = 3: must be a function or None": {"callback": 3},
    "X: has 2 samples; at least 3 are needed": {"X": np.ones((2, 4))},
}


def test_a_search_needs_intervals():
    with pytest.raises(ValueError) as caught:
        sbs.search(factors())
    assert str(caught.value) == ("found: is of type ndarray; pass what sbs.intervals returns")


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        sbs.solve(**({"X": factors()} | BAD[message]))
    assert str(caught.value) == message
