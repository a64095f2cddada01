"""Starts of sparse PCA, against a literal truncated power iteration."""

import numpy as np

from specsel._exact import starts


def literal(A, k, begun):
    """Truncated power iteration from one row of A; return the support it ends on."""
    vector = A[begun]
    for _ in range(starts.STEPS):
        support = np.sort(np.argsort(-np.abs(vector))[:k])
        sparse = np.zeros(len(A))
        sparse[support] = vector[support]
        vector = A @ (sparse / np.linalg.norm(sparse))
    return support.tolist()


def test_they_are_those_of_a_literal_iteration(monkeypatch):
    monkeypatch.setattr(starts, "STARTS", 1)
    for seed in range(30):
        factor = np.random.default_rng(seed).standard_normal((20, 6))
        scores = np.random.default_rng(seed + 1).permutation(20).astype(float)
        found = starts.Starts(factor, np.arange(20), scores, np.empty(0, int)).powers(4)
        expected = literal(factor @ factor.T, 4, np.argmax(scores))
        assert [support.tolist() for support in found] == [expected]


def test_supports_hold_what_they_must_and_only_candidates():
    factor = np.random.default_rng(0).standard_normal((30, 5))
    candidates, always = np.arange(2, 25), np.array([7, 20])
    begun = starts.Starts(factor, candidates, np.arange(23.0), always)
    for k in (2, 3, 8):
        support = begun.best(k, [np.union1d(always, np.arange(2, k))])
        assert len(support) == k
        assert {7, 20} <= {*support.tolist()} <= {*range(2, 25)}


def test_a_support_grows_by_what_explains_most_with_its_component():
    rng = np.random.default_rng(1)
    for _ in range(20):
        factor = rng.standard_normal((12, 4))
        begun = starts.Starts(factor, np.arange(12), np.ones(12), np.empty(0, int))
        support = np.sort(rng.choice(12, 3, replace=False))
        part = factor[support]
        component = np.linalg.eigh(part @ part.T)[1][:, -1] @ part
        gram = part @ part.T
        value = np.linalg.eigvalsh(gram)[-1]
        scores = [-1.0 if j in support else two(value, factor[j], component) for j in range(12)]
        assert begun.grown(support).tolist() == sorted([*support, int(np.argmax(scores))])
        assert np.isclose(begun.value(support), value)


def two(value, row, component):
    """The largest eigenvalue of A over the component and one more feature."""
    coupled = row @ component
    return np.linalg.eigvalsh([[value, coupled], [coupled, row @ row]])[-1]
