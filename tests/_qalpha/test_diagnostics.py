"""Entries of G and the relevance of subsets, against the literal definitions."""

import numpy as np
import pandas as pd
import pytest
from oracles import weighing as oracle
from scipy import sparse

from specsel import linalg, qalpha


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


@pytest.mark.parametrize("shape", [(60, 90), (90, 60)])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_relevance_by_passes_alone(shape, container, rng, monkeypatch):
    X = rng.standard_normal(shape)
    X[:20, :9] += 2
    wanted = qalpha.relevance(X, range(1, 60), 2)
    monkeypatch.setattr(linalg, "DENSE_LIMIT", 5)
    monkeypatch.setattr(linalg, "SUBSPACE_PASSES", 3)
    assert qalpha.relevance(container(X), range(1, 60), 2) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("budget", ["20MB", "30MB"])
def test_relevance_keeps_to_the_budget(budget, rng, monkeypatch, peak_memory):
    X = rng.standard_normal((50_000, 70))
    qalpha.relevance(X[:5000], range(60), 2)  # compiles
    monkeypatch.setenv("SPECSEL_MEMORY", budget)
    if budget == "30MB":
        assert peak_memory(lambda: qalpha.relevance(X, range(60), 2)) < 40e6
        return

    def refused():
        with pytest.raises(
            MemoryError, match=r"^subset: 60 features of 50000 samples: would take "
        ):
            qalpha.relevance(X, range(60), 2)

    assert peak_memory(refused) < 1e6


@pytest.mark.filterwarnings("ignore:.* features are constant")
def test_relevance_of_many_sparse_features_forms_no_affinity(rng, peak_memory):
    X = sparse.random_array((5000, 6000), density=1e-3, random_state=rng, format="lil")
    X[:5, :30] = X[5:10, 30:50] = 1.0
    X, subset = X.tocsr(), np.arange(1, 6000)
    assert peak_memory(lambda: qalpha.relevance(X, subset, 1)) < 8 * 5000**2 / 10
    assert qalpha.relevance(X, subset, 1) > 500
