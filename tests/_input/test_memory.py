"""The budget, and refusals before anything is allocated."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from specsel import _containers, _runtime, kernel, pairwise, qalpha, sbs, weighting


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1000", 1000),
        ("8GiB", 8 * 2**30),
        ("1.5 kB", 1500),
        ("2M", 2 * 10**6),
        ("1tib", 2**40),
        ("9" * 400, 2**62),
    ],
)
def test_the_budget_is_that_of_the_environment(text, size, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", text)
    assert _runtime.budget() == size


@pytest.mark.parametrize("text", ["much", "-3", "0", "3 GiBs", "1e9"])
def test_other_budgets_are_refused(text, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", text)
    with pytest.raises(ValueError, match=rf"^SPECSEL_MEMORY = '{text}': must be a number of byt"):
        _runtime.budget()


def test_another_budget_is_refused_by_whoever_reads_data(monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", "banana")
    with pytest.raises(ValueError, match=r"^SPECSEL_MEMORY = 'banana': must be a number of bytes"):
        qalpha.solve(np.eye(5), 2)


def test_by_default_it_is_half_of_what_is_free(monkeypatch):
    monkeypatch.delenv("SPECSEL_MEMORY", raising=False)
    for name, free in (("_of_machine", 800), ("_of_container", 600), ("_of_process", None)):
        monkeypatch.setattr(_runtime, name, lambda free=free: free)
    assert _runtime.budget() == 300


CALLS = {
    "X: affinities of 2000 x 2000 samples: would take 305 MiB": lambda: weighting.solve(WIDE),
    "X: affinities of 2000 x 2000 samples: would": lambda: weighting.solve(WIDE, LABELS),
    "X: affinities of 2000 x 2000": lambda: qalpha.solve(WIDE, 2, criterion="gap"),
    "X: affinities of 2000 x 2000 ": lambda: pairwise.solve(
        WIDE, 2, apart=[(0, 1)], criterion="gap"
    ),
    "X: the kernel matrix of 3000 features: would take 68.7 MiB": lambda: kernel.solve(WIDE, 2),
    "X: the kernel matrix of 3000 features: ": lambda: kernel.solve(WIDE, 2, kernel="linear"),
    "X: similarities of 3000 x 3000 features: would take 412 MiB": lambda: sbs.solve(WIDE),
}
WIDE = sparse.random_array((2000, 3000), density=0.001, format="csc", random_state=0)
LABELS = np.arange(2000) % 2


@pytest.mark.parametrize("message", CALLS)
@pytest.mark.filterwarnings("ignore:.* (is|are) constant")
def test_too_much_is_refused_before_it_is_allocated(message, monkeypatch):
    monkeypatch.setenv("SPECSEL_MEMORY", "50MB")
    with pytest.raises(MemoryError):
        CALLS[message]()  # compiles and imports, which take memory of their own
    tracemalloc.start()
    with pytest.raises(MemoryError) as caught:
        CALLS[message]()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(caught.value).startswith(message)
    assert "the budget (SPECSEL_MEMORY) is 47.7 MiB; take" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert most < 10 * 2**20


def test_a_sparse_matrix_where_dense_numbers_are_needed():
    with pytest.raises(ValueError, match=r"toarray\(\) would take 45.8 MiB \(the budget is "):
        _containers.as_matrix(WIDE)
