"""One random call of a public solver for every seed: small data at any scale, with any options.

`attempt(seed)` makes the call and returns "returned" or "refused". Anything else, such as a wrong
result, a traceback or a warning of numpy, is an `AssertionError` that names the seed.
"""

import warnings

import numpy as np

from specsel import (
    eslda,
    gslda,
    kernel,
    laplacian,
    pairwise,
    positivity,
    qalpha,
    results,
    sbs,
    side_info,
    supervised,
    topography,
    weighting,
)

# Numbers that options take: ordinary ones, and those that break things.
NUMBERS = [0, 1, 0.5, 0.1, 2.0, 10, 1e-6, 1e6, 1e60, 1e99, 1e-99, 1e-300, 1e200, -1, np.nan]
NUMBERS += [np.inf, 10**400, np.array(1.0), np.float32(0.5), True, None, "1"]

# How far from 1 the norm of weights may be.
UNIT = {"f4": 1e-3, "f8": 1e-6}


def attempt(seed):
    """Make the call of a seed; return "returned" or "refused"."""
    rng = np.random.default_rng(seed)
    name = str(rng.choice([*SOLVERS]))
    X, dtype = features(rng)
    call, told = SOLVERS[name](rng, X)
    where = f"seed {seed}: {name} of {dtype} {X.shape} with {told}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)
            found = call()
    except (ValueError, MemoryError) as error:
        text = str(error)
        assert "\n" not in text and ": " in text and len(text) < 400, f"{where}: {text}"  # noqa: PT018
        assert "trusted" not in text, f"{where}: {text}"
        return "refused"
    except Exception as error:
        raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
    fault = inspect(found, X, dtype)
    assert not fault, f"{where}: {fault}"
    return "returned"


def features(rng):
    """Draw data, samples x features, and the name of their type."""
    shape = rng.integers(1 if rng.random() < 0.05 else 2, 10), rng.integers(1, 11)
    X = rng.standard_normal(shape)
    kind = rng.integers(8)
    if kind == 1:
        X = rng.integers(-2, 3, shape).astype(float)
    elif kind == 2:
        X = rng.standard_normal((shape[0], 1)) @ rng.standard_normal((1, shape[1]))
    elif kind == 3:
        X[:, rng.integers(shape[1])] = rng.choice([0.0, 1.0, 1e8])
    elif kind == 4:
        X = X[:, rng.integers(0, shape[1], shape[1])]
    elif kind == 5:
        X = X[rng.integers(0, shape[0], shape[0])]
    elif kind == 6:
        X += 10.0 ** rng.integers(0, 17)
    elif kind == 7:
        X = np.eye(*shape)
    scale = rng.integers(6)
    with np.errstate(over="ignore", under="ignore"):
        if scale == 1:
            X = X * 10.0 ** rng.integers(-300, 301)
        elif scale == 2:
            X = X * 10.0 ** rng.integers(-300, 301, shape[1])
        elif scale == 3:
            X = X * 10.0 ** rng.integers(-40, 40, shape)
        dtype = str(rng.choice(["f4", "f8"]))
        X = X.astype(dtype)
    if rng.random() < 0.03:
        X[rng.integers(shape[0]), rng.integers(shape[1])] = rng.choice([np.nan, np.inf])
    layout = rng.integers(4)
    if layout == 1:
        X = np.asfortranarray(X)
    elif layout == 2:
        X = X[::-1, ::-1]
    elif layout == 3:
        X.flags.writeable = False
    return X, dtype


def number(rng, *ordinary):
    """Draw an ordinary number most of the time, and else any."""
    if rng.random() < 0.8:
        return ordinary[rng.integers(len(ordinary))]
    return NUMBERS[rng.integers(len(NUMBERS))]


def labels(rng, X):
    """Draw class labels, mostly good ones."""
    y = rng.permutation(np.arange(len(X)) % rng.integers(2, 4))
    return y if rng.random() < 0.95 else rng.integers(0, 5, len(X))


def pairs(rng, X):
    """Draw `apart` and `together`: numbers of samples, or samples."""
    found = {}
    for name in ("apart", "together"):
        count = rng.integers(0, 4)
        if rng.random() < 0.6:
            found[name] = [rng.choice(len(X), min(2, len(X)), replace=False) for _ in range(count)]
        elif rng.random() < 0.5:
            found[name] = X[rng.integers(0, len(X), count)], X[rng.integers(0, len(X), count)]
    return found


def loop_options(rng):
    """Draw options that all weighting loops share."""
    options = {}
    if rng.random() < 0.3:
        options["init"] = str(rng.choice(["continuation", "equal", "seeded", "random"]))
        options |= {"n_init": int(rng.integers(1, 4)), "random_state": int(rng.integers(9))}
    if rng.random() < 0.3:
        options["tol"] = number(rng, 0, 1e-3, 1e-10)
    if rng.random() < 0.3:
        options["max_iter"] = number(rng, 1, 2, 30)
    return options


def some(rng, choices):
    """Draw one of several names for every option, half of the time."""
    return {
        name: values[rng.integers(len(values))]
        for name, values in choices.items()
        if rng.random() < 0.5
    }


def directions(rng, X):
    return number(rng, 1, 1, 2, 3, "auto", int(min(X.shape)))


def loops(solve, *, arguments=lambda rng, X: (), **choices):
    """Make a drawer of calls ``solve(X, *arguments, k, **options)``."""

    def draw(rng, X):
        options = loop_options(rng) | some(rng, choices)
        extra = arguments(rng, X)
        k = directions(rng, X)
        return (lambda: solve(X, *extra, k, **options)), (k, options)

    return draw


def draw_pairwise(rng, X):
    options = loop_options(rng) | pairs(rng, X)
    names = {"criterion": ["energy", "gap"], "representation": [*REPRESENTATIONS, "centered"]}
    options |= some(rng, names)
    if rng.random() < 0.4:
        options["tradeoff"] = number(rng, 0, 0.3, 1, 5)
    k = directions(rng, X)
    return (lambda: pairwise.solve(X, k, **options)), (k, options)


def draw_supervised(rng, X):
    y = labels(rng, X)
    options = loop_options(rng)
    options |= some(rng, {"representation": REPRESENTATIONS, "method": ["power", "basic"]})
    if rng.random() < 0.5:
        options["gamma"] = number(rng, 0, 0.5, 1, 3)
    if rng.random() < 0.3:
        options["k_within"] = number(rng, 1, 2, 4)
    return (lambda: supervised.solve(X, y, **options)), (y, options)


def draw_weighting(rng, X):
    y = labels(rng, X) if rng.random() < 0.7 else None
    options = {"tradeoff": number(rng, 0, 0.1, 1, 5)} if rng.random() < 0.5 else {}
    return (lambda: weighting.solve(X, y, **options)), (y, options)


def draw_kernel(rng, X):
    k = directions(rng, X)
    options = loop_options(rng) | some(rng, {"criterion": ["energy", "gap"]})
    options["kernel"] = str(rng.choice(["linear", "poly", "rbf", "sectioned", "precomputed"]))
    if rng.random() < 0.5:
        options["degree"], options["offset"] = number(rng, 1, 2, 7), number(rng, 0, 1, 5)
    if rng.random() < 0.5:
        options["sigma"] = number(rng, 0.1, 1, 30)
    V = X
    if options["kernel"] == "precomputed" and rng.random() < 0.9:
        with np.errstate(all="ignore"):
            V = X.T @ X
    return (lambda: kernel.solve(V, k, **options)), (k, options)


def draw_side(rng, X):
    scaled = rng.random() < 0.5
    with np.errstate(all="ignore"):
        factors = rng.choice([0, 1, 3, 1e30, 1e160, 1e-160], X.shape[1] if scaled else 1)
        side = rng.permutation(X).astype(float) * factors
    if rng.random() < 0.3:
        side = np.abs(side[0])
    options = loop_options(rng)
    options |= some(rng, {"method": METHODS, "criterion": ["energy", "gap"]})
    if rng.random() < 0.4:
        options["tradeoff"] = number(rng, 0, 0.1, 3)
    k = directions(rng, X)
    return (lambda: side_info.solve(X, side, k, **options)), (k, options)


def draw_topography(rng, X):
    options = loop_options(rng)
    if rng.random() < 0.4:
        options["tradeoff"] = number(rng, 0.1, 3)
    if rng.random() < 0.4:
        options["rounds"] = number(rng, 1, 2, 3)
    k = directions(rng, X)
    return (lambda: topography.solve(X, k, **options)), (k, options)


def draw_discriminant(solver):
    def draw(rng, X):
        y = labels(rng, X) if rng.random() < 0.5 else None
        options = some(rng, {"matrix": ["covariance", "correlation"]}) if y is None else {}
        if rng.random() < 0.3:
            options["shrinkage"] = number(rng, 1e-3, 0.1, 10)
        if solver is eslda:
            options["k"] = number(rng, 1, 2, X.shape[1], "all")
            options |= some(rng, {"top": [1, 2, 3], "time_limit": [0, 1], "gap": [0, 0.1]})
        else:
            options |= some(rng, {"direction": ["forward", "backward", "both"]})
        return (lambda: solver.solve(X, y, **options)), (y, options)

    return draw


def draw_pair(solver):
    def draw(rng, X):
        n = X.shape[1]
        H = rng.standard_normal((n, rng.integers(1, n + 1)))
        A = rng.choice([-1, 1]) * H @ H.T * 10.0 ** rng.choice([0, 0, -3, 30, 140, -140])
        with np.errstate(all="ignore"):
            B = X.T.astype(float) @ X + 10.0 ** rng.integers(-9, 3) * np.eye(n)
        options = {"k": number(rng, 1, 2, n)} if solver is eslda else {}
        return (lambda: solver.solve_pair(A, B, **options)), options

    return draw


def draw_stable(rng, X):
    options = some(rng, {"matrix": ["cosine", "covariance", "correlation"]}) | {"random_state": 0}
    if rng.random() < 0.5:
        options["retain"] = number(rng, 0.1, 0.5, 1)
    options["n_boot"] = number(rng, 100)
    if not isinstance(options["n_boot"], int) or options["n_boot"] > 1000:
        options["n_boot"] = 100
    return (lambda: sbs.solve(X, **options)), options


def draw_tail(rng, X):
    n, t = number(rng, 1, 5, 30), number(rng, 0, 1, 3)
    options = {"width": number(rng, 1, 3), "trials": 20, "random_state": 0}
    return (lambda: positivity.hoeffding_tail(n, t, **options)), (n, t, options)


def draw_norm(rng, X):
    n, largest = number(rng, 1, 5, 30), number(rng, 0.5, 1, 3)
    options = {"D": number(rng, 1, 3), "epsilon": number(rng, 1, 0.3), "trials": 20}
    return (lambda: positivity.norm_tail(n, largest, **options)), (n, largest, options)


def draw_probability(rng, X):
    n, mu, sigma = number(rng, 1, 5, 12), number(rng, 0, 0.3, 2), number(rng, 1, 0.2)
    return (lambda: positivity.probability(n, mu, sigma, 20)), (n, mu, sigma)


REPRESENTATIONS = ["parts", "shift", "ranks", "as-is"]
METHODS = ["power", "ritz", "basic"]
SOLVERS = {
    "qalpha": loops(
        qalpha.solve, method=METHODS, criterion=["energy", "gap"], center=[True, False]
    ),
    "laplacian": loops(
        laplacian.solve, shift=["degree", "definition"], representation=REPRESENTATIONS
    ),
    "supervised": draw_supervised,
    "weighting": draw_weighting,
    "pairwise": draw_pairwise,
    "kernel": draw_kernel,
    "side_info": draw_side,
    "topography": draw_topography,
    "gslda": draw_discriminant(gslda),
    "eslda": draw_discriminant(eslda),
    "gslda pair": draw_pair(gslda),
    "eslda pair": draw_pair(eslda),
    "sbs": draw_stable,
    "hoeffding_tail": draw_tail,
    "norm_tail": draw_norm,
    "probability": draw_probability,
}


def inspect(found, X, dtype):
    """Say what is wrong with a result; "" if nothing is."""
    if isinstance(found, results.Weights):
        return _inspect_weights(found, X, dtype)
    if isinstance(found, results.Map):
        faults = [_inspect_weights(weights, X, dtype) for weights in found.weights]
        return "".join(faults) or ("" if np.isfinite(found.positions).all() else "positions")
    if isinstance(found, results.Path):
        return "".join(_inspect_subset(found[k], X, k) for k in found)
    if isinstance(found, results.Subset):
        return _inspect_subset(found, X, len(found.support))
    if isinstance(found, results.StableSubspace):
        return "" if -1e-9 <= found.share <= 1 + 1e-9 else f"share {found.share}"
    chance = getattr(found, "frequency", found)
    sound = 0 <= chance.low <= chance.probability <= chance.high <= 1
    return "" if sound else f"chance {chance}"


def _inspect_weights(found, X, dtype):
    n = X.shape[1]
    if found.alpha.shape != (n,) or not np.isfinite(found.alpha).all():
        return f"weights {found.alpha}"
    if not abs(np.linalg.norm(found.alpha) - 1) <= UNIT[dtype]:
        return f"norm {np.linalg.norm(found.alpha)}"
    if not (np.isfinite(found.objective) and np.isfinite(found.basis).all()):
        return f"objective {found.objective}"
    if sorted(found.select(n).tolist()) != list(range(n)):
        return f"selected {found.select(n)}"
    if (found.alpha[found.norm == 0] != 0).any() and found.norm.any():
        return "constant features have weight"
    return ""


def _inspect_subset(found, X, k):
    support = found.support
    if len(support) != k or len(set(support.tolist())) != k or support.max() >= X.shape[1]:
        return f"support {support}"
    if not (np.isfinite(found.value) and np.isfinite(found.direction).all()):
        return f"value {found.value}"
    if found.bound < found.value - found.error:
        return f"bound {found.bound} below {found.value}"
    if found.status == "optimal" and not np.isfinite(found.error):
        return "no error is stated"
    return ""
