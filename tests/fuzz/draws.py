"""Random data and random arguments: mostly what users pass, now and then what breaks things.

`Draw` draws the data of one call, in `X`, and every argument by its name. The table `ARGUMENTS`
holds a drawer for each name; "module.name" overrides "name". Arguments with a few allowed names,
as their types say, need none.
"""

import inspect

import numpy as np
import pandas as pd
from scipy import sparse

from specsel import weighting
from specsel._methods import COMPARED, choices

# How often an argument is one of `ODD`, an optional one is passed at all, and the data hold NaN.
ODDLY = 0.015
PASSED = 0.25
SPOILED = 0.01

ODD = [0, 1, 0.5, 2.0, 10, 1e-6, 1e60, 1e99, 1e-99, 1e-300, 1e200, -1, np.nan, np.inf, 10**400]
ODD += [np.array(1.0), np.float32(0.5), np.int8(2), True, None, "1", "", [], (1,), b"1", 1j]

# Names that a column may have.
NAMES = ["age", "a b", "=1+1", "\x1b[31mred", "ü", "0", "", "x\ny", "<b>", "名前", "-1", "a" * 300]

# What asks for data of its own: numbers that are not negative, a matrix of features.
SPECIAL = {"as-is", "precomputed"}

# Options without a drawer, because they change nothing that is returned.
LEFT_OUT = {"callback", "n_jobs", "verbose"}


def parameters(function):
    """Return the parameters of a function that are drawn."""
    found = inspect.signature(function).parameters
    return {
        name: parameter
        for name, parameter in found.items()
        if name not in LEFT_OUT and parameter.kind != parameter.VAR_KEYWORD
    }


def drawer(module, name, parameter):
    """Return what draws an argument: a function of the table, or one of the names it allows."""
    for key in (f"{module}.{name}", name):
        if key in ARGUMENTS:
            return ARGUMENTS[key]
    allowed = [kind for kind in choices(parameter.annotation) if kind not in SPECIAL]
    assert allowed, f"{module}: no drawer for {name}"
    return numbers(*allowed)


class Draw:
    """The random data of one call, and arguments that fit them."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.q, self.n = (int(self.rng.integers(4, 14)) for _ in range(2))
        if self.rng.random() < 0.03:
            self.q, self.n = (int(self.rng.integers(1, 4)) for _ in range(2))
        self.dtype = "f4" if self.rng.random() < 0.4 else "f8"
        self.names, self.n_classes = None, 2
        self.array = self._features()
        self.X = self._stored(self.array)
        self.classes = self.labels() if self.rng.random() < 0.6 else None

    def _features(self):
        rng, shape = self.rng, (self.q, self.n)
        X = rng.standard_normal(shape)
        kind = rng.integers(12)
        if kind == 1:
            X = rng.integers(-2, 3, shape).astype(float)
        elif kind == 2:
            X = rng.standard_normal((shape[0], 2)) @ rng.standard_normal((2, shape[1]))
        elif kind == 3:
            X[:, rng.integers(shape[1])] = rng.choice([0.0, 1.0, 1e8])
        elif kind == 4:
            X = X[:, rng.integers(0, shape[1], shape[1])]
        elif kind == 5:
            X = X[rng.integers(0, shape[0], shape[0])]
        elif kind == 6:
            X += 10.0 ** rng.integers(0, 6 if self.dtype == "f4" else 14)
        elif kind == 7:
            X = np.eye(*shape)
        elif kind == 8:
            X = rng.poisson(1.5, shape).astype(float) + (np.arange(shape[0]) == 0)[:, None]
        scale = rng.integers(12)
        most = 18 if self.dtype == "f4" else 45  # beyond, squares overflow, and data are refused
        with np.errstate(over="ignore", under="ignore"):
            if scale == 1:
                X = X * 10.0 ** rng.integers(-most, most)
            elif scale == 2:
                X = X * 10.0 ** rng.integers(-most // 2, most // 2, shape[1])
            elif scale == 3:
                X = X * 10.0 ** rng.integers(-8, 8, shape)
            elif scale == 4 and rng.random() < 0.2:
                X = X * 10.0 ** rng.integers(-300, 301, shape[1])
            X = X.astype(self.dtype)
        if rng.random() < SPOILED:
            X[rng.integers(shape[0]), rng.integers(shape[1])] = rng.choice([np.nan, np.inf])
        return X

    def _stored(self, X):
        """Store the data in one of the ways that users store data."""
        kind = self.rng.integers(9)
        if kind == 1:
            return np.asfortranarray(X)
        if kind == 2:
            return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
        if kind == 3:
            X = X.copy()
            X.flags.writeable = False
        elif kind == 4:
            self.names = [f"f{i}" for i in range(X.shape[1])]
            if self.rng.random() < 0.5:
                self.names = self.rng.choice(NAMES, X.shape[1], replace=X.shape[1] > len(NAMES))
            return pd.DataFrame(X, columns=[str(name) for name in self.names])
        elif kind == 5:
            return X.tolist()
        elif kind == 6:
            return X.astype(X.dtype.newbyteorder(">"))
        elif kind == 7:
            return np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
        return X

    def labels(self):
        """Draw class labels, mostly of two samples or more each."""
        if self.rng.random() < 0.02:
            return self.rng.integers(0, 5, self.q)
        self.n_classes = self.rng.integers(2, max(self.q // 2, 2) + 1)
        y = self.rng.permutation(np.arange(self.q) % self.n_classes)
        return [y, y.astype(float), np.array(list("abcdefgh"))[y], y.tolist()][
            self.rng.integers(4)
        ]

    def one(self, *values):
        """Draw one of some values; now and then something odd."""
        if self.rng.random() < ODDLY:
            return ODD[self.rng.integers(len(ODD))]
        return values[self.rng.integers(len(values))]

    def arguments(self, module, function):
        """Draw the arguments of a function: by name, all required ones and some of the others."""
        found = {}
        for name, parameter in parameters(function).items():
            required = parameter.default is parameter.empty or name in ALWAYS
            if required or self.rng.random() < PASSED:
                found[name] = drawer(module, name, parameter)(self)
        return {name: value for name, value in found.items() if value is not LEAVE}

    def pair(self):
        """Draw A and B of the generalised eigenproblem."""
        if not hasattr(self, "_pair"):
            rng, n = self.rng, self.n
            H = rng.standard_normal((n, rng.integers(1, n + 1)))
            A = rng.choice([-1, 1]) * H @ H.T * 10.0 ** rng.choice([0, 0, 0, -3, 6, 30, -30])
            F = rng.standard_normal((n, n + 3))
            B = F @ F.T + 10.0 ** rng.integers(-3, 3) * np.eye(n)
            if rng.random() < 0.1:
                B = F[:, : n // 2] @ F[:, : n // 2].T + 10.0 ** rng.integers(-9, 0) * np.eye(n)
            self._pair = A, B
        return self._pair

    def sets(self):
        """Draw `always` and `never`, which share no feature, by number or by name."""
        if not hasattr(self, "_sets"):
            order = self.rng.permutation(self.n)
            cut = int(self.rng.integers(0, 3))
            self._sets = [order[:cut].tolist(), order[cut : cut + self.rng.integers(3)].tolist()]
            if self.names is not None and self.rng.random() < 0.5:
                self._sets = [[str(self.names[i]) for i in part] for part in self._sets]
        return self._sets

    def pairs(self):
        """Draw pairs: numbers of samples, or two arrays of samples."""
        rng, count = self.rng, self.rng.integers(1, 4)
        if rng.random() < 0.6:
            return [rng.choice(self.q, min(2, self.q), replace=False) for _ in range(count)]
        return tuple(self.array[rng.integers(0, self.q, count)] for _ in range(2))

    def side(self):
        """Draw side data: samples, several sets of them, or variances."""
        rng = self.rng
        factors = rng.choice([0, 0.3, 1, 3, 1e3, 1e-3], self.n if rng.random() < 0.5 else 1)
        with np.errstate(all="ignore"):
            side = rng.permutation(self.array).astype(float) * factors
        kind = rng.integers(4)
        return np.abs(side[0]) if kind == 1 else [side, side[:2]] if kind == 2 else side

    def widths(self):
        """Draw how many directions every block of the last labels has."""
        table = self.rng.integers(1, 4, (self.n_classes, self.n_classes))
        return np.maximum(table, table.T)

    def target(self):
        """Draw what `alignment` aligns with."""
        kind = self.rng.integers(6)
        if kind == 0:
            T = self.rng.standard_normal((self.q, 2))
            return T @ T.T
        if kind == 1:
            return sparse.csr_array(np.eye(self.q))
        if kind == 2:
            return weighting.solve(self.rng.standard_normal((self.q, self.n)))
        return "neighbours" if self.classes is None else "classes"


LEAVE = object()
# Optional arguments that are always passed: what is random, and what would take long.
ALWAYS = {"random_state", "n_boot", "trials", "n_resamples", "estimator", "side", "apart"}
ALWAYS |= {"time_limit", "evidence.n", "bins"}


def numbers(*values):
    """Make a drawer of one of several values."""
    return lambda draw: draw.one(*values)


ARGUMENTS = {
    "X": lambda draw: draw.X,
    "sbs.X": lambda draw: draw.X if draw.rng.random() < 0.6 else sparse.csr_array(draw.array),
    "y": lambda draw: draw.classes,
    "supervised.y": lambda draw: draw.labels(),
    "ranking.y": lambda draw: np.arange(draw.q) % 2,
    "estimator": lambda draw: None,
    "evidence.y": lambda draw: LEAVE,
    "A": lambda draw: draw.pair()[0],
    "B": lambda draw: draw.pair()[1],
    "side": Draw.side,
    "apart": Draw.pairs,
    "together": Draw.pairs,
    "always": lambda draw: draw.sets()[0],
    "never": lambda draw: draw.sets()[1],
    "subset": lambda draw: draw.rng.permutation(draw.n)[: draw.rng.integers(1, draw.n + 1)],
    "basis": lambda draw: np.linalg.qr(draw.rng.standard_normal((draw.q, 2)))[0],
    "k": lambda draw: draw.one(1, 1, 2, 3, "auto", int(min(draw.q, draw.n))),
    "rank": lambda draw: draw.one(1, 2, int(min(draw.q, draw.n))),
    "relevance.k": numbers(1, 2),
    "eslda.k": lambda draw: draw.one(1, 2, 3, 3, [1, 3], "all"),
    "pair.k": lambda draw: draw.one(1, 2, 3, 3, [1, 3], "all"),
    "positivity.k": numbers(1, 2),
    "weighting.k": lambda draw: LEAVE if draw.classes is None else draw.one(None, 1, 2, 3),
    "k_within": numbers(1, 2, 3),
    "k_between": numbers(1, 2),
    "k_blocks": Draw.widths,
    "evidence.method": numbers(*COMPARED),
    "n_init": numbers(1, 2, 4),
    "center": numbers(True, False),
    "tol": numbers(0, 1e-3, 1e-6, 1e-10),
    "max_iter": numbers(1, 2, 30, 200),
    "random_state": lambda draw: draw.one(0, 7, np.random.default_rng(3)),
    "tradeoff": numbers(0.1, 0.5, 1, 3),
    "gamma": numbers(0, 0.5, 1, 3),
    "sigma": numbers(None, 0.3, 1.0, 30),
    "degree": numbers(1, 2, 3, 7),
    "offset": numbers(0.0, 1.0, 5),
    "sections": lambda draw: draw.one(1, 2, min(3, draw.q)),
    "rounds": numbers(1, 2, 3),
    "QAlpha.rounds": numbers(1),
    "refine": numbers(True, False),
    "max_size": lambda draw: draw.one(None, 3, int(draw.n)),
    "time_limit": numbers(None, None, 20, 0),
    "node_limit": numbers(None, 1, 5, 30),
    "gap": numbers(0, 0.1),
    "top": numbers(1, 2, 3),
    "shrinkage": lambda draw: LEAVE if draw.classes is None else draw.one(None, 1e-3, 0.1, 10),
    "retain": numbers(0, 0.1, 0.5, 1),
    "at_least": numbers(1, 2),
    "confidence": numbers(0.5, 0.9, 0.99),
    "n_boot": numbers(100, 150),
    "pdb": numbers(5.0, 10.0),
    "tau": numbers(0.05, 0.3),
    "target": Draw.target,
    "neighbours": lambda draw: draw.one(1, 2, 3),
    "components": numbers(1, 2, 20),
    "AlignmentSelector.target": lambda draw: "neighbours",
    "threshold.k": lambda draw: draw.one(1, int(draw.n)),
    "alignment.n": lambda draw: draw.one(None, 1, 2),
    "evidence.n": numbers(1, 2, 3),
    "positivity.n": numbers(1, 2, 5, 12),
    "q": numbers(2, 3, 5),
    "mu": numbers(0, 0.3, 2),
    "positivity.sigma": numbers(1, 0.2),
    "t": numbers(0, 1, 3),
    "width": numbers(0.5, 1, 3),
    "largest": numbers(0.5, 1, 3),
    "D": numbers(1.0, 2.0),
    "epsilon": numbers(1.0, 0.3),
    "trials": numbers(2, 20),
    "bins": numbers(2, 5),
    "count": numbers(1, 2, 4),
    "cosine": numbers(None, 0.0, 0.5, 1.0),
    "n_relevant": numbers(1, 2, 9),
    "n_irrelevant": numbers(1, 20),
    "n_samples": numbers(2, 9),
    "n_features_to_select": numbers("gap", 1, 2, 0.5, 1.0),
    "subsets.n_features_to_select": numbers(1, 2, 0.5),
    "threshold": lambda draw: LEAVE if draw.rng.random() < 0.7 else draw.one(0.01, 0.3),
    "diverse": numbers(True, False),
    "reweight": numbers(True, False),
    "n_resamples": numbers(2, 3),
    "share": numbers(0.5, 0.8),
}
