"""The arguments with which the loop runs: built and checked in one call, handed on whole."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from specsel import _validate
from specsel._validate import ArrayLike, Directions, LoopCallback, Seed

# The columns of a basis may differ from orthonormal ones by this much.
ORTHONORMAL_TOL = 1e-6


@dataclass(frozen=True)
class Options:
    """How the loop runs. Build one by `for_basis` or `for_weights`, which check the arguments."""

    k: Directions
    init: str | ArrayLike
    n_init: int
    tol: float
    max_iter: int
    random_state: Seed
    callback: LoopCallback

    @classmethod
    def for_basis(cls, shape: tuple[int, ...], k: Directions, init: Any, *rest: Any) -> Self:
        """Options of an algorithm whose `init` is a name or an orthonormal basis of the samples.

        `shape` is the shape of X; `rest` is n_init, tol, max_iter, random_state and callback.
        """
        check_k(k, min(shape), "min(n_samples, n_features)")
        options = cls(k, init, *rest)
        options._check("a basis")
        if not options.starts_by_name:
            _check_basis(init, shape[0], options.number)
        return options

    @classmethod
    def for_weights(cls, n_features: int, k: Directions, init: Any, *rest: Any) -> Self:
        """Options of an algorithm whose `init` is a name or a weight for every feature.

        The caller checks `k`. `rest` is n_init, tol, max_iter, random_state and callback.
        """
        options = cls(k, init, *rest)
        options._check("weights")
        if not options.starts_by_name:
            _check_weights(init, n_features)
        return options

    @property
    def starts_by_name(self) -> bool:
        """Whether `init` is a name, and not an array."""
        return isinstance(self.init, str)

    @property
    def number(self) -> int:
        """`k`, where it is a number; "auto" must have been replaced before."""
        assert not isinstance(self.k, str)
        return self.k

    def tell(self, count: int, value: float) -> bool:
        """Tell the callback of an iteration; return whether it stops the loop."""
        return self.callback is not None and bool(self.callback(count, value))

    def counted(self, count: Callable[[], Directions]) -> Self:
        """Replace k = "auto" by what `count` returns; another k stays."""
        return replace(self, k=count()) if self.k == "auto" else self

    def restricted(self, restrict: Callable[[Any], Any]) -> Self:
        """Map a given start to the samples of reduced data; a name stays."""
        if self.starts_by_name:
            return self
        return replace(self, init=restrict(np.asarray(self.init, dtype=float)))

    def _check(self, array: str) -> None:
        """Refuse bad arguments; `array` says what `init` may be beside a name."""
        _validate.check_integer("n_init", self.n_init, 1)
        _validate.check_integer("max_iter", self.max_iter, 1)
        check_tol(self.tol)
        _validate.check_callback(self.callback)
        _validate.as_generator(self.random_state)
        if np.ndim(self.init) == 0 and self.init not in _validate.INITS:
            allowed = ", ".join(_validate.INITS)
            raise ValueError(
                f"init = {_validate.brief(self.init)}: must be one of {allowed}, or {array}"
            )
        if isinstance(self.k, str) and not self.starts_by_name:
            raise ValueError(
                f"k = 'auto': needs a start by name; init = {_validate.brief(self.init)}"
            )


def check_tol(tol: Any) -> None:
    """Refuse a tolerance that is no share."""
    if not (_validate.is_finite(tol) and 0 <= tol < 1):
        raise ValueError(f"tol = {_validate.brief(tol)}: must be a number from 0 to 1, 1 excluded")


def check_k(k: object, most: int, what: str) -> None:
    """Refuse a `k` that is neither "auto" nor a whole number from 1 to `most`.

    `what` tells the user where `most` comes from.
    """
    if not (isinstance(k, str) and k == "auto"):
        _validate.check_integer("k", k, 1, most, f'{what}, or "auto"')


def _check_basis(init: ArrayLike, n_samples: int, k: int) -> None:
    basis = _start_array(init, (n_samples, k), "a basis")
    error = np.abs(basis.T @ basis - np.eye(k)).max()
    if not error <= ORTHONORMAL_TOL:
        raise ValueError(f"init: columns must be orthonormal; they are off by {error:.2g}")


def _check_weights(init: ArrayLike, n_features: int) -> None:
    weights = _start_array(init, (n_features,), "weights")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("init: weights must be finite and not negative, and one of them not 0")


def _start_array(init: ArrayLike, shape: tuple[int, ...], what: str) -> np.ndarray:
    array = np.asarray(init)
    if array.dtype.kind not in "fiu":
        raise ValueError(f"init: has dtype {array.dtype}; a name or {what} of numbers is needed")
    if array.shape != shape:
        raise ValueError(f"init: has shape {array.shape}; {what} of shape {shape} is needed")
    return array
