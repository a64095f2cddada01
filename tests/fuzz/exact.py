"""Exact search against enumeration, on small pairs of every kind, by every criterion.

`attempt(seed)` returns "optimal" or "ended early", or raises an `AssertionError` that names the
seed.
"""

import warnings

import numpy as np
from instances import KINDS, enumerate_all, pencil, tolerance, value

from specsel import eslda


def attempt(seed):
    """Search one instance; compare value, bound and further supports with all there are."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n = int(rng.integers(2, 10))
    A, B = pencil(rng, kind, n)
    k = int(rng.integers(1, n + 1))
    order = rng.permutation(n).tolist()
    always = order[: int(rng.integers(0, min(k, 2) + 1)) if rng.random() < 0.4 else 0]
    never = order[k:][: int(rng.integers(0, 3)) if rng.random() < 0.3 else 0]
    options = {
        "top": int(rng.choice([1, 1, 3])),
        "bound": str(rng.choice(["best", "interlacing"])),
        "criterion": str(rng.choice(["leading", "leading", "trace", "logdet"])),
    }
    if options["criterion"] != "leading":
        A = A @ A  # these take no negative eigenvalue
    if rng.random() < 0.15:
        options["node_limit"] = int(rng.integers(1, 6))
    described = f"seed {seed}: {kind}, n = {n}, k = {k}, {always=}, {never=}, {options}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = eslda.solve_pair(A, B, k, always=always, never=never, **options)
        return _compare(found, A, B, k, always, never, options["top"], options["criterion"])
    except Exception as error:
        raise AssertionError(f"{described}: {type(error).__name__}: {error}") from error


def _compare(found, A, B, k, always, never, top, criterion):
    supports, values = enumerate_all(A, B, k, always, criterion)
    allowed = [i for i, support in enumerate(supports) if not {*support} & {*never}]
    supports, values = [supports[i] for i in allowed], values[allowed]
    best = values.max()
    error = tolerance(A, B, best) * (1 if criterion == "leading" else k)
    support = tuple(found.support.tolist())
    assert support in supports, support
    assert abs(found.value - value(A, B, support, criterion)) <= error, (found.value, support)
    assert found.bound >= best - error - found.error, (found.bound, best)
    if found.status != "optimal":
        return "ended early"
    assert abs(found.value - best) <= error + found.error, (found.value, best)
    if top > 1:
        several = [found.value, *(worth for _, worth in found.others)]
        expected = np.sort(values)[::-1][:top]
        assert len(several) == len(expected), (several, expected)
        assert np.abs(np.array(several) - expected).max() <= error + found.error, several
    return "optimal"
