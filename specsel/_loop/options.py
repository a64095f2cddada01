"""Checks of the arguments that all solvers of the loop share."""

import numbers

import numpy as np

from specsel import _input


def check_options(shape, k, init, n_init, tol, max_iter, random_state, callback):
    """Refuse bad common arguments before any work; the start is a name or a basis."""
    check_k(k, min(shape), "min(n_samples, n_features)")
    check_loop(init, n_init, tol, max_iter, random_state, callback, "a basis")
    if isinstance(init, str):
        return
    check_auto_start(k, init)
    basis = _start_array(init, (shape[0], k), "a basis")
    error = np.abs(basis.T @ basis - np.eye(k)).max()
    if not error <= 1e-6:
        raise ValueError(f"init: columns must be orthonormal; they are off by {error:.2g}")


def check_k(k, most, what):
    """Refuse what is neither "auto" nor a number of directions."""
    if not (isinstance(k, str) and k == "auto"):
        _input.check_integer("k", k, 1, most, f'{what}, or "auto"')


def check_auto_start(k, init):
    """Refuse "auto" where the start is not a name."""
    if isinstance(k, str):
        raise ValueError(f"k = 'auto': needs a start by name; init = {_input.brief(init)}")


def check_weights_start(n_features, init, n_init, tol, max_iter, random_state, callback):
    """The same where the start is a name or weights."""
    check_loop(init, n_init, tol, max_iter, random_state, callback, "weights")
    if isinstance(init, str):
        return
    weights = _start_array(init, (n_features,), "weights")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("init: weights must be finite and not negative, and one of them not 0")


def check_loop(init, n_init, tol, max_iter, random_state, callback, other):
    """Refuse bad arguments of the loop; `other` is what a start may be beside a name."""
    _input.check_integer("n_init", n_init, 1)
    _input.check_integer("max_iter", max_iter, 1)
    if not (isinstance(tol, numbers.Real) and 0 <= tol < 1):
        raise ValueError(f"tol = {_input.brief(tol)}: must be from 0 to 1, 1 excluded")
    _input.check_callback(callback)
    _input.as_generator(random_state)
    if np.ndim(init) == 0 and init not in _input.choices.INITS:
        allowed = ", ".join(_input.choices.INITS)
        raise ValueError(f"init = {_input.brief(init)}: must be one of {allowed}, or {other}")


def _start_array(init, shape, what):
    array = np.asarray(init)
    if array.dtype.kind not in "fiu":
        raise ValueError(f"init: has dtype {array.dtype}; a name or {what} of numbers is needed")
    if array.shape != shape:
        raise ValueError(f"init: has shape {array.shape}; {what} of shape {shape} is needed")
    return array
