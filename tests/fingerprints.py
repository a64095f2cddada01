"""What every public solver, estimator and command gives on fixed data, as one hash each.

To change code and not one number: write the hashes, make the change, compare.

    python tests/fingerprints.py write before.json
    python tests/fingerprints.py compare before.json

The hashes are of the very bytes, which differ from one machine to another: keep none.
"""

import contextlib
import dataclasses
import hashlib
import io
import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse

import specsel
from specsel import (
    alignment,
    datasets,
    eslda,
    evidence,
    gslda,
    kernel,
    laplacian,
    pairwise,
    positivity,
    qalpha,
    sbs,
    side_info,
    supervised,
    topography,
    weighting,
)
from specsel.__main__ import main

# What a clock says is left out.
CLOCKS = ("seconds", "n_iter_seconds")


def digest(found) -> str:
    """Hash a result, with its arrays byte for byte."""
    state = hashlib.sha256()
    _feed(state, found)
    return state.hexdigest()[:16]


def _feed(state, found):
    if isinstance(found, np.ndarray):
        state.update(f"{found.dtype.str}{found.shape}".encode())
        state.update(np.ascontiguousarray(found).tobytes())
    elif isinstance(found, dict):
        for key, value in found.items():
            if key not in CLOCKS:
                state.update(str(key).encode())
                _feed(state, value)
    elif hasattr(found, "supports") and hasattr(found, "sizes"):
        for k in found:
            _feed(state, found[k])
        _feed(state, found.starts)
    elif dataclasses.is_dataclass(found) or hasattr(found, "_asdict"):
        _feed(state, _fields(found))
    elif isinstance(found, list | tuple):
        for value in found:
            _feed(state, value)
    else:
        state.update(repr(found).encode())


def _fields(found):
    names = getattr(found, "_fields", None) or [f.name for f in dataclasses.fields(found)]
    return {name: getattr(found, name) for name in names if not name.startswith("_")}


def expression(q, n, seed=0, dtype=float):
    """A few groups of samples, correlated features, unlike scales."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((q, 5)) * np.geomspace(3, 0.5, 5)
    factors[:, 0] += 4 * (rng.random(q) < 0.35)
    loadings = rng.standard_normal((5, n)) * (rng.random((5, n)) < 0.3)
    X = factors @ loadings + 1.5 * rng.standard_normal((q, n))
    return (X * np.exp(rng.standard_normal(n)) + 100).astype(dtype)


def solvers():
    """Yield names and calls of the solvers, over what they can be asked for."""
    wide, tall, y = expression(40, 700), expression(300, 20, 1), np.arange(40) % 3
    single = wide.astype("f4")
    tall_y = np.arange(300) % 4
    side = expression(25, 700, 2)
    pairs = np.column_stack((np.arange(0, 40, 2), np.arange(1, 40, 2)))
    loop = {"max_iter": 12, "tol": 1e-5}
    for name, X in {"wide": wide, "tall": tall, "single": single, "C": wide.T.copy().T}.items():
        for k in (1, 3, "auto"):
            yield f"qalpha {name} {k}", lambda X=X, k=k: qalpha.solve(X, k, **loop)
        yield f"qalpha ritz {name}", lambda X=X: qalpha.solve(X, 2, method="ritz", **loop)
        yield f"qalpha basic {name}", lambda X=X: qalpha.solve(X, 2, method="basic", **loop)
        yield f"qalpha gap {name}", lambda X=X: qalpha.solve(X, 2, criterion="gap", **loop)
        yield f"qalpha raw {name}", lambda X=X: qalpha.solve(X, 2, center=False, **loop)
        yield f"weighting {name}", lambda X=X: weighting.solve(X)
        for kind in ("linear", "poly", "rbf", "sectioned"):
            yield f"kernel {kind} {name}", lambda X=X, s=kind: kernel.solve(X, 2, kernel=s, **loop)
        yield f"topography {name}", lambda X=X: topography.solve(X, 2, rounds=3, **loop)
        for shape in ("parts", "shift", "ranks"):
            options = {"representation": shape, **loop}
            yield (
                f"laplacian {shape} {name}",
                lambda X=X, o=options: laplacian.solve(X, 2, **o),
            )
            yield (
                f"pairwise {shape} {name}",
                lambda X=X, o=options: pairwise.solve(
                    X, 2, apart=pairs[:9], together=pairs[9:], **o
                ),
            )
    for init in ("equal", "seeded", "random"):
        options = {"init": init, "n_init": 3, "random_state": 0, **loop}
        yield f"qalpha {init}", lambda o=options: qalpha.solve(wide, 2, **o)
    for shape in ("parts", "shift", "ranks"):
        options = {"representation": shape, **loop}
        yield f"supervised {shape}", lambda o=options: supervised.solve(wide, y, **o)
    yield "supervised tall", lambda: supervised.solve(tall, tall_y, **loop)
    yield "supervised basic", lambda: supervised.solve(wide, y, method="basic", **loop)
    yield "laplacian definition", lambda: laplacian.solve(wide, 2, shift="definition", **loop)
    yield "weighting classes", lambda: weighting.solve(wide, y)
    yield "weighting classes tall", lambda: weighting.solve(tall, tall_y)
    yield "side_info", lambda: side_info.solve(wide, side, 2, **loop)
    yield "side_info gap", lambda: side_info.solve(wide, side, 2, criterion="gap", **loop)
    yield "kernel gap", lambda: kernel.solve(wide, 2, criterion="gap", **loop)
    yield "pairwise gap", lambda: pairwise.solve(wide, 2, apart=pairs, criterion="gap", **loop)
    others = (side[:12], side[12:24])
    yield "pairwise samples", lambda: pairwise.solve(wide, 2, apart=others, **loop)
    yield "diverse", lambda: qalpha.solve(wide, 2, **loop).select(30, diverse=wide)
    yield "reweight", lambda: qalpha.solve(wide, 2, **loop).reweight(side)
    yield "evidence", lambda: evidence.solve(wide, 2, n=3, random_state=0)
    yield "labels", lambda: qalpha.solve(wide, 2, **loop).labels()
    yield "relevance", lambda: qalpha.relevance(wide, range(9), 2)
    for scale in ("unit", "native"):
        yield f"alignment {scale}", lambda s=scale: alignment.solve(wide, n=20, scale=s)
    yield "alignment classes", lambda: alignment.solve(tall, tall_y)
    yield "gram", lambda: qalpha.gram(tall, np.eye(300)[:, :2])
    yield from _subsets()
    yield from _simulations()


def _subsets():
    lda = datasets.lda_problem(40, n_samples=120, n_relevant=4)
    wide, y = expression(40, 700), np.arange(40) % 3
    for criterion, pair in {
        "wishart": datasets.wishart_pair(16, random_state=1),
        "rank one": datasets.wishart_pair(16, rank=1, random_state=2),
        "brownian": datasets.brownian_pair(16, random_state=3),
        "identity": datasets.wishart_pair(16, identity=True, random_state=4),
    }.items():
        yield f"gslda {criterion}", lambda p=pair: gslda.solve_pair(*p)
        yield f"eslda {criterion}", lambda p=pair: eslda.solve_pair(*p, "all")
        yield f"eslda top {criterion}", lambda p=pair: eslda.solve_pair(*p, 5, top=4)
        yield (
            f"eslda interlacing {criterion}",
            lambda p=pair: eslda.solve_pair(*p, 8, bound="interlacing"),
        )
        yield f"threshold {criterion}", lambda p=pair: gslda.simple_threshold(*p, 4)
    yield "eslda data", lambda: eslda.solve(lda.X, lda.y, [3, 4, 9], always=[1], never=[2])
    yield "eslda nodes", lambda: eslda.solve(lda.X, k=12, node_limit=20)
    yield "gslda wide", lambda: gslda.solve(wide, y, max_size=15)
    yield "gslda forward", lambda: gslda.solve(wide, y, max_size=15, direction="forward")
    yield "gslda pca", lambda: gslda.solve(wide, max_size=8, matrix="correlation")
    yield "ranking", lambda: gslda.correlation_ranking(lda.X, lda.y)
    counts = np.random.default_rng(0).poisson([2] * 8 + [0.05] * 6, (150, 14)).astype(float)
    for matrix in ("cosine", "covariance", "correlation"):
        options = {"matrix": matrix, "random_state": 0, "n_boot": 200, "retain": 0.05}
        yield f"sbs {matrix}", lambda o=options: sbs.solve(counts, **o)
        sparse = scipy.sparse.csr_array(counts)
        yield f"sbs sparse {matrix}", lambda o=options, X=sparse: sbs.solve(X, **o)
    options = {"random_state": 0, "n_boot": "auto", "method": "percentile"}
    yield "intervals", lambda o=options: sbs.intervals(counts, **o)


def _simulations():
    seed = {"trials": 30, "random_state": 0}
    yield "probability", lambda: positivity.probability(40, 0.2, 0.5, **seed)
    yield "leading", lambda: positivity.leading_eigenvalue(40, 0.2, 0.5, **seed)
    yield "semicircle", lambda: positivity.semicircle(60, 0.0, 1.0, **seed)
    yield "wishart", lambda: positivity.wishart_moments(20, 30, **seed)
    yield "triple", lambda: positivity.triple_product(5, 2, **seed)
    yield "hoeffding", lambda: positivity.hoeffding_tail(30, 4, **seed)
    yield "norm", lambda: positivity.norm_tail(30, 1.0, **seed)
    for name in datasets.__all__:
        make = getattr(datasets, name)
        if callable(make) and name.islower():
            yield f"datasets {name}", make


def estimators():
    """Yield names and calls that fit every estimator."""
    X, y = expression(45, 30), np.arange(45) % 3
    side = expression(25, 30, 2)
    options = {
        "ExactSparseLDA": {"n_features_to_select": 3},
        "GreedySparseLDA": {"n_features_to_select": 3},
        "SideInfoQAlpha": {"side": side, "k": 2},
        "PairwiseQAlpha": {"apart": (X[::2][:20], X[1::2][:20]), "k": 2},
        "StabilitySelection": {"n_resamples": 4, "random_state": 0},
        "StableLSI": {"random_state": 0, "n_boot": 200, "retain": 0.1},
        "StablePCA": {"random_state": 0, "n_boot": 200, "retain": 0.1},
        "QAlpha": {"rounds": 3, "k": 2, "n_features_to_select": 5, "diverse": True},
    }
    for name in specsel.ESTIMATORS:
        chosen = options.get(name, {})
        if name == "StabilitySelection":
            chosen = {"estimator": specsel.QAlpha(k=2), **chosen}
        yield f"{name}", lambda n=name, o=chosen: _fitted(getattr(specsel, n)(**o).fit(X, y), X)


def _fitted(estimator, X):
    names = ("support_", "scores_", "ranking_", "objective_", "n_iter_", "result_")
    found = {name: getattr(estimator, name, None) for name in names}
    return found | {"transformed": estimator.transform(X)}


def commands(folder):
    """Yield names and calls of the commands whose JSON is compared."""
    table = folder / "table.csv"
    X, y = expression(45, 30), np.arange(45) % 3
    lines = [",".join([*(f"f{i}" for i in range(30)), "kind"])]
    lines += [
        ",".join([*map(repr, row), f"c{label}"]) for row, label in zip(X.tolist(), y, strict=True)
    ]
    table.write_text("\n".join(lines))
    target = [str(table), "--target", "kind"]
    for arguments in (
        ["select"],
        ["select", "--method", "weighting"],
        ["select", *target, "--method", "supervised"],
        ["select", "-k", "3", "--shuffle"],
        ["select", "--method", "topography", "-k", "2", "--rounds", "3"],
        ["select", str(table), "--drop", "kind", "--method", "kernel", "-k", "2"],
        ["select", str(table), "--drop", "kind", "--method", "laplacian", "-k", "2"],
        ["path", *target, "--max-size", "4"],
        ["path", str(table), "--drop", "kind", "--max-size", "3", "--greedy"],
        ["stable"],
        ["stable", *target, "--matrix", "correlation", "--retain", "0.2", "--n-boot", "200"],
    ):
        name = " ".join(arguments).replace(str(table), "FILE")
        yield name, lambda a=arguments: _json([*a, "--json"])


def _json(arguments):
    output, messages = io.StringIO(), io.StringIO()
    sys.argv = ["specsel", *arguments]
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(messages):
        code = main()
    if not output.getvalue():
        raise RuntimeError(f"{arguments}: {messages.getvalue()}")
    printed = json.loads(output.getvalue())
    for row in printed.get("path", ()):
        row.pop("seconds", None)
    printed.pop("data", None)
    return [code, printed]


def fingerprints() -> dict[str, str]:
    """Hash of all there is, by name."""
    found = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for calls in (solvers(), estimators(), commands(Path(folder))):
            for name, call in calls:
                found[name] = digest(call())
    return found


if __name__ == "__main__":
    mode, path = sys.argv[1], Path(sys.argv[2])
    now = fingerprints()
    if mode == "write":
        path.write_text(json.dumps(now, indent=1))
        print(f"{len(now)} fingerprints written")
    else:
        before = json.loads(path.read_text())
        differing = [name for name in before | now if before.get(name) != now.get(name)]
        print(*(f"differs: {name}" for name in differing), sep="\n")
        print(f"{len(before) - len(differing)} of {len(before)} the same")
        raise SystemExit(bool(differing))
