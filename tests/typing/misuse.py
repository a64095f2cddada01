"""What mypy must refuse: it reports an ignore that has nothing to ignore. Nothing here runs."""

import numpy as np
from numpy.typing import NDArray

import specsel
from specsel import eslda, kernel, laplacian, qalpha, supervised


def weigh(X: NDArray[np.float64], y: list[int]) -> None:
    qalpha.solve(X, 3, criterion="nonsense")  # type: ignore[arg-type]
    qalpha.solve(X, 3, method="nonsense")  # type: ignore[arg-type]
    qalpha.solve(X, 3, n_init="three")  # type: ignore[arg-type]
    qalpha.solve(X, "three")  # type: ignore[arg-type]
    qalpha.solve(X, 2.5)  # type: ignore[arg-type]
    qalpha.solve(X, 3, "ritz")  # type: ignore[call-arg]
    qalpha.solve(X, 3, tolerance=1e-3)  # type: ignore[call-arg]
    qalpha.solve(X)  # type: ignore[call-arg]
    qalpha.solve(X, 3, callback=3)  # type: ignore[arg-type]
    _ = qalpha.solve(X, 3).weights  # type: ignore[attr-defined]
    qalpha.solve(X, 3).alpha = X[0]  # type: ignore[misc]
    laplacian.solve(X, 3, shift="nonsense")  # type: ignore[arg-type]
    supervised.solve(X, y, representation="centered")  # type: ignore[arg-type]
    kernel.solve(X, 3, kernel="nonsense")  # type: ignore[arg-type]


def search(X: NDArray[np.float64], y: list[int]) -> None:
    eslda.solve(X, y, "nonsense")  # type: ignore[arg-type]
    eslda.solve(X, y, 4, bound="nonsense")  # type: ignore[call-overload]
    eslda.solve(X, y, 4)[4]  # type: ignore[index]
    _ = eslda.solve(X, y, [3, 4]).support  # type: ignore[attr-defined]


def select(X: NDArray[np.float64]) -> None:
    specsel.Nonsense()  # type: ignore[attr-defined]
    specsel.QAlpha(k="three")  # type: ignore[arg-type]
    specsel.QAlpha(criterion="nonsense")  # type: ignore[arg-type]
