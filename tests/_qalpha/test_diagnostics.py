"""Entries of G and the relevance of subsets, against the literal definitions."""

import numpy as np
import pandas as pd
import pytest
from oracles import weighing as oracle

from specsel import qalpha


def test_gram_is_the_definition(rng):
    X, Q = rng.standard_normal((12, 30)), rng.standard_normal((12, 3))
    np.testing.assert_allclose(
        qalpha.gram(X, Q), oracle.gram(oracle.standardise(X), Q), atol=1e-13
    )
    with pytest.raises(ValueError, match=r"^basis: has shape \(3, 12\); \(12, k\) is needed"):
        qalpha.gram(X, Q.T)


@pytest.mark.parametrize("center", [True, False])
def test_relevance_is_the_energy_of_the_leading_eigenvalues(rng, center):
    X = rng.standard_normal((25, 12)) + 1
    subset = [1, 4, 5, 9]
    M = oracle.standardise(X[:, subset], center)
    values = np.sort(np.linalg.eigvalsh(oracle.affinity(M, np.ones(4))))[::-1]
    expected = (values[:2] ** 2).sum()
    assert qalpha.relevance(X, subset, 2, center=center) == pytest.approx(expected, rel=1e-12)
    names = [f"f{i}" for i in range(12)]
    found = qalpha.relevance(
        pd.DataFrame(X, columns=names), ["f9", "f1", "f4", "f5"], 2, center=center
    )
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("subset", "k", "message"),
    [
        ([], 1, "subset: holds no feature"),
        ([12], 1, "subset: holds 12; must be from 0 to 11"),
        ([0.5], 1, "subset = "),
        ([0, 1], 0, "k = 0: must be"),
    ],
)
def test_relevance_refuses(rng, subset, k, message):
    with pytest.raises(ValueError, match=message):
        qalpha.relevance(rng.standard_normal((25, 12)), subset, k)
