"""What every public solver, estimator and command gives on fixed data.

To change code and not its results: write them, make the change, compare. Everything runs through
the public interface, so the same file runs on an older tree too.

    python tests/fingerprints.py write before.pkl
    python tests/fingerprints.py compare before.pkl
    python tests/fingerprints.py compare before.pkl --share solvers --only kernel

Numbers agree if they differ by no more than ``RTOL`` of the largest in their array. Eigenvectors
agree up to their signs, labels of clusters up to their numbering. Counts of iterations, passes and
nodes, histories and times are not compared.
"""

import argparse
import contextlib
import gzip
import inspect
import io
import json
import pickle
import runpy
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

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

RTOL = 1e-9
EXEMPT = {"n_iter", "n_iter_", "n_passes", "nodes", "seconds", "history", "n_decompositions"}
EXEMPT |= {"seconds_compiling", "n_skipped", "pencil", "data", "error_message"}
VECTORS = {"basis", "vectors", "direction", "coordinates", "eigenvectors"}
LOOP = {"max_iter": 12, "tol": 1e-5}


def expression(q, n, seed=0):
    """A few groups of samples, correlated features, unlike scales."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((q, 5)) * np.geomspace(3, 0.5, 5)
    factors[:, 0] += 4 * (rng.random(q) < 0.35)
    loadings = rng.standard_normal((5, n)) * (rng.random((5, n)) < 0.3)
    X = factors @ loadings + 1.5 * rng.standard_normal((q, n))
    return X * np.exp(rng.standard_normal(n)) + 100


WIDE, TALL, SIDE = expression(40, 700), expression(300, 20, 1), expression(25, 700, 2)
Y = np.arange(40) % 3
PAIRS = np.column_stack((np.arange(0, 40, 2), np.arange(1, 40, 2)))
COUNTS = np.random.default_rng(0).poisson([2] * 8 + [0.05] * 6, (150, 14)).astype(float)


def weights(X, name, side=SIDE, y=Y):
    """Yield every method that weighs or aligns features, over its options, on X."""
    for k in (1, 3, "auto"):
        yield f"qalpha {k} {name}", partial(qalpha.solve, X, k, **LOOP)
    for options in ({"method": "ritz"}, {"method": "basic"}, {"criterion": "gap"}, {"center": 0}):
        options = {key: value if value else False for key, value in options.items()}
        title = " ".join(map(str, (*options, *options.values())))
        yield f"qalpha {title} {name}", partial(qalpha.solve, X, 2, **options, **LOOP)
    yield f"weighting {name}", partial(weighting.solve, X)
    yield f"weighting classes {name}", partial(weighting.solve, X, y)
    yield f"weighting k {name}", partial(weighting.solve, X, y, k=2)
    for kind in ("linear", "poly", "rbf", "sectioned"):
        yield f"kernel {kind} {name}", partial(kernel.solve, X, 2, kernel=kind, tol=1e-15)
    for criterion in ("energy", "gap"):
        options = {"criterion": criterion, **LOOP}
        yield f"side_info {criterion} {name}", partial(side_info.solve, X, side, 2, **options)
        options = {"rounds": 3, **options}
        yield f"topography {criterion} {name}", partial(topography.solve, X, 2, **options)
    for shape in ("parts", "shift", "ranks"):
        options = {"representation": shape, **LOOP}
        pairs = {"apart": PAIRS[:9], "together": PAIRS[9:]}
        yield f"laplacian {shape} {name}", partial(laplacian.solve, X, 2, **options)
        yield f"pairwise {shape} {name}", partial(pairwise.solve, X, 2, **pairs, **options)
        yield f"supervised {shape} {name}", partial(supervised.solve, X, y, **options)
    yield f"supervised basic {name}", partial(supervised.solve, X, y, method="basic", **LOOP)
    for scale in ("unit", "native"):
        yield f"alignment {scale} {name}", partial(alignment.solve, X, n=10, scale=scale)
    yield f"alignment classes {name}", partial(alignment.solve, X, y, n=10)


def solvers():
    """Yield names and calls of the solvers, over what they can be asked for."""
    long, tall_side = np.arange(300) % 4, expression(60, 20, 3)
    yield from weights(WIDE, "wide")
    yield from weights(TALL, "tall", tall_side, long)
    yield from weights(WIDE.astype("f4"), "float32")
    for init in ("equal", "seeded", "random"):
        options = {"init": init, "n_init": 3, "random_state": 0, **LOOP}
        yield f"qalpha {init}", partial(qalpha.solve, WIDE, 2, **options)
    options = {"representation": "as-is", **LOOP}
    yield "laplacian as-is", partial(laplacian.solve, abs(WIDE), 2, **options)
    yield "supervised as-is", partial(supervised.solve, abs(WIDE), Y, **options)
    options = {"representation": "centered", "apart": PAIRS, **LOOP}
    yield "pairwise centered", partial(pairwise.solve, WIDE, 2, **options)
    yield "laplacian definition", partial(laplacian.solve, WIDE, 2, shift="definition", **LOOP)
    yield "kernel gap", partial(kernel.solve, WIDE, 2, criterion="gap", **LOOP)
    small = WIDE[:, :30]
    yield "kernel precomputed", partial(kernel.solve, small.T @ small, 2, kernel="precomputed")
    yield "kernel ritz", partial(kernel.solve, WIDE, 2, method="ritz", **LOOP)
    options = {"criterion": "gap", "apart": PAIRS, **LOOP}
    yield "pairwise gap", partial(pairwise.solve, WIDE, 2, **options)
    yield "pairwise samples", partial(pairwise.solve, WIDE, 2, apart=(SIDE[:12], SIDE[12:24]))
    yield "side_info two", partial(side_info.solve, WIDE, [SIDE[:9], SIDE[9:]], 2, **LOOP)
    yield "weighting rank", partial(weighting.solve, WIDE, rank=20)
    found = partial(qalpha.solve, WIDE, 2, **LOOP)
    yield "weights diverse", lambda: found().select(30, diverse=WIDE)
    yield "weights reweight", lambda: found().reweight(SIDE)
    yield "weights labels", lambda: {"labels": found().labels()}
    yield "weights spectrum", lambda: found().spectrum(WIDE)
    for method, k in (("qalpha", "auto"), ("kernel", 2), ("weighting", "auto")):
        options = {"n": 3, "random_state": 0, "method": method, "k": k}
        yield f"evidence {method}", partial(evidence.solve, WIDE[:, :99], **options)
    options = {"n": 3, "random_state": 0, "method": "supervised"}
    yield "evidence supervised", partial(evidence.solve, WIDE[:, :99], y=Y, **options)
    yield "evidence detectability", partial(evidence.detectability, 20, 500, 60)
    yield "relevance", partial(qalpha.relevance, WIDE, range(9), 2)
    yield "gram", partial(qalpha.gram, TALL, np.eye(300)[:, :2])
    yield "alignment always", partial(alignment.solve, WIDE, n=9, always=[3], never=[5])
    yield "alignment graph", partial(alignment.graph, WIDE)
    yield from _subsets()
    yield from _simulations()


def _subsets():
    lda = datasets.lda_problem(40, n_samples=120, n_relevant=4)
    for name, pair in {
        "wishart": datasets.wishart_pair(16, random_state=1),
        "rank one": datasets.wishart_pair(16, rank=1, random_state=2),
        "brownian": datasets.brownian_pair(16, random_state=3),
        "identity": datasets.wishart_pair(16, identity=True, random_state=4),
    }.items():
        for criterion in ("leading", "trace", "logdet"):
            options = {"criterion": criterion}
            yield f"gslda {name} {criterion}", partial(gslda.solve_pair, *pair, **options)
            yield f"eslda {name} {criterion}", partial(eslda.solve_pair, *pair, "all", **options)
        yield f"eslda top {name}", partial(eslda.solve_pair, *pair, 5, top=4)
        options = {"bound": "interlacing"}
        yield f"eslda interlacing {name}", partial(eslda.solve_pair, *pair, 8, **options)
        yield f"gslda simple threshold {name}", partial(gslda.simple_threshold, *pair, 4)
    yield "gslda threshold", partial(gslda.threshold, lda.X, lda.y, 4)
    options = {"always": [1], "never": [2]}
    yield "eslda data", partial(eslda.solve, lda.X, lda.y, [3, 4, 9], **options)
    yield "eslda pca", partial(eslda.solve, lda.X, k=[2, 5], matrix="correlation")
    yield "eslda wide pca", partial(eslda.solve, WIDE, k=3)
    yield "eslda nodes", lambda: {"value": eslda.solve(lda.X, k=12, node_limit=20).value}
    yield "eslda gap", lambda: {"value": eslda.solve(lda.X, lda.y, 8, gap=0.05).value}
    yield "eslda classes", partial(eslda.solve, lda.X, np.arange(120) % 4, [2, 3])
    yield "gslda wide", partial(gslda.solve, WIDE, Y, max_size=15)
    for direction in ("forward", "backward"):
        options = {"max_size": 15, "direction": direction}
        yield f"gslda {direction}", partial(gslda.solve, WIDE[:, :99], Y, **options)
    yield "gslda pca", partial(gslda.solve, WIDE, max_size=8, matrix="correlation")
    yield "gslda ranking", partial(gslda.correlation_ranking, lda.X, lda.y)
    direction = np.where(np.arange(40) < 4, 1.0, 0.0)
    yield "gslda renormalize", partial(gslda.renormalize_data, direction, lda.X, lda.y)
    for matrix in ("cosine", "covariance", "correlation", "inner"):
        options = {"matrix": matrix, "random_state": 0, "n_boot": 200, "retain": 0.05}
        yield f"sbs {matrix}", partial(sbs.solve, COUNTS, **options)
    options = {"random_state": 0, "n_boot": "auto", "method": "percentile"}
    yield "sbs intervals", partial(sbs.intervals, COUNTS, **options)


def _simulations():
    seed = {"trials": 30, "random_state": 0}
    yield "probability", partial(positivity.probability, 40, 0.2, 0.5, **seed)
    yield "leading", partial(positivity.leading_eigenvalue, 40, 0.2, 0.5, **seed)
    yield "semicircle", partial(positivity.semicircle, 60, 0.0, 1.0, **seed)
    yield "wishart", partial(positivity.wishart_moments, 20, 30, **seed)
    yield "triple", partial(positivity.triple_product, 5, 2, **seed)
    yield "hoeffding", partial(positivity.hoeffding_tail, 30, 4, **seed)
    yield "norm", partial(positivity.norm_tail, 30, 1.0, **seed)
    for name in datasets.__all__:
        make = getattr(datasets, name)
        if callable(make) and name.islower():
            yield f"datasets {name}", make


def containers(folder):
    """Yield every solver on X as each kind of container."""
    dense = np.where(WIDE[:, :120] > 100.5, WIDE[:, :120] - 100, 0)
    side = np.where(SIDE[:, :120] > 100.5, SIDE[:, :120] - 100, 0)
    np.save(folder / "X.npy", dense)
    mapped = np.load(folder / "X.npy", mmap_mode="r")
    kinds = {"C": dense, "F": np.asfortranarray(dense), "strided": np.repeat(dense, 2, 1)[:, ::2]}
    kinds |= {"csr": sp.csr_array(dense), "csc": sp.csc_array(dense), "memmap": mapped}
    kinds["csr float32"] = sp.csr_array(dense.astype("f4"))
    with contextlib.suppress(ImportError):
        import dask.array

        kinds["dask"] = dask.array.from_array(dense, chunks=(15, 50))
        kinds["dask csr"] = kinds["dask"].map_blocks(sp.csr_array)
    with contextlib.suppress(ImportError):
        import pandas

        kinds["pandas"] = pandas.DataFrame(dense, columns=[f"f{i}" for i in range(120)])
    with contextlib.suppress(ImportError):
        import h5py

        with h5py.File(folder / "X.h5", "w") as file:
            file.create_dataset("X", data=dense, chunks=(16, 32))
        kinds["h5py"] = h5py.File(folder / "X.h5")["X"]
    for kind, X in kinds.items():
        yield from weights(X, kind, sp.csr_array(side) if "csr" in kind else side)
        yield f"gslda {kind}", partial(gslda.solve, X, Y, max_size=6)
        yield f"eslda {kind}", partial(eslda.solve, X, Y, 2)
        few = X.iloc[:, :12] if kind == "pandas" else X[:, :12]
        options = {"n_boot": 120, "random_state": 0, "retain": 0.1}
        yield f"sbs {kind}", partial(sbs.solve, few, **options)


def estimators():
    """Yield names and calls that fit every estimator."""
    X, y = expression(45, 30), np.arange(45) % 3
    stable = {"random_state": 0, "n_boot": 200, "retain": 0.1}
    options = {
        "ExactSparseLDA": {"n_features_to_select": 3},
        "GreedySparseLDA": {"n_features_to_select": 3},
        "SideInfoQAlpha": {"side": expression(25, 30, 2), "k": 2},
        "PairwiseQAlpha": {"apart": (X[::2][:20], X[1::2][:20]), "k": 2},
        "StabilitySelection": {"n_resamples": 4, "random_state": 0},
        "StableLSI": stable,
        "StablePCA": stable,
        "QAlpha": {"rounds": 3, "k": 2, "n_features_to_select": 5, "diverse": True},
    }
    for name in specsel.ESTIMATORS:
        chosen = options.get(name, {})
        if name == "StabilitySelection":
            chosen = {"estimator": specsel.QAlpha(k=2), **chosen}
        yield name, lambda n=name, o=chosen: _fitted(getattr(specsel, n)(**o).fit(X, y), X)


def _fitted(estimator, X):
    chosen = estimator.transform(X)
    found = {name: value for name, value in vars(estimator).items() if name.endswith("_")}
    found |= {"support": estimator.get_support(), "names": list(estimator.get_feature_names_out())}
    return found | {"transformed": chosen, "back": estimator.inverse_transform(chosen)}


def commands(folder):
    """Yield names and calls of the commands whose JSON is compared."""
    X, side = expression(45, 30), expression(25, 30, 2)
    names = [f"f{i}" for i in range(30)]
    cells = [[*map(repr, row)] for row in X.tolist()]
    text = "\n".join(map(",".join, [names, *cells]))
    rows = [[f"s{i}", *row] for i, row in enumerate(cells)]
    commas = [[cell.replace(".", ",") for cell in row] for row in rows]
    labelled = [[*row, f"c{i % 3}"] for i, row in enumerate(cells)]
    tables = {
        "plain.csv": text.encode(),
        "latin.csv": text.replace("f1,", "größe,").encode("cp1252"),
        "utf16.csv": text.encode("utf-16"),
        "tabs.tsv": text.replace(",", "\t").encode(),
        "bars.txt": text.replace(",", "|").encode(),
        "r.csv": "\n".join(map(",".join, [names, *rows])).encode(),
        "euro.csv": "\n".join(map(";".join, [["", *names], *commas])).encode(),
        "zipped.csv.gz": gzip.compress(text.encode()),
        "nameless.csv": "\n".join(map(",".join, cells)).encode(),
        "labels.csv": "\n".join(map(",".join, [[*names, "kind"], *labelled])).encode(),
    }
    for name, content in tables.items():
        (folder / name).write_bytes(content)
    np.savetxt(folder / "side.csv", side, header=",".join(names), delimiter=",", comments="")
    np.savetxt(folder / "pairs.csv", PAIRS[:9], header="a,b", delimiter=",", comments="", fmt="%d")
    np.save(folder / "array.npy", X)
    sp.save_npz(folder / "sparse.npz", sp.csr_array(np.where(X > 101, X, 0)))
    with contextlib.suppress(ImportError):
        import pandas

        frame = pandas.DataFrame(X, columns=names)
        frame.to_excel(folder / "sheet.xlsx", index=False)
        frame.to_parquet(folder / "frame.parquet")
        frame.to_feather(folder / "frame.feather")
    for file in (*list(tables)[:-2], "array.npy", "sparse.npz", "sheet.xlsx", "frame.parquet"):
        yield f"select {file}", partial(_json, folder, ["select", file, "--json"])
    target = "labels.csv --target kind"
    lines = f"""select | select --method weighting | select --shuffle -k 3
        select {target} --method supervised | select {target} --method weighting
        select {target} --method alignment --features 5 | select plain.csv --permutations 5
        select plain.csv --method topography -k 2 --rounds 3 | select plain.csv --method kernel
        select plain.csv --method laplacian -k 2 --representation ranks | select plain.csv -k 2
        select plain.csv --method side_info --side side.csv | select plain.csv --drop f3,f4
        select plain.csv --method pairwise --apart pairs.csv -k 2 | path | stable
        select plain.csv --init seeded --seed 3 --tol 1e-4 --max-iter 9
        select nameless.csv --header no | select labels.csv --drop kind --impute median
        path {target} --max-size 4 | path plain.csv --max-size 3 --greedy
        path {target} --max-size 3 --always f2 --never f3,f5 --criterion leading
        path plain.csv --max-size 3 --matrix correlation | path {target} --threshold --max-size 3
        stable plain.csv --matrix correlation --retain 0.2 --n-boot 200
        stable plain.csv --matrix covariance --intervals percentile --n-boot 120 --at-least 2"""
    for name in (line.strip() for part in lines.splitlines() for line in part.split("|")):
        yield name, partial(_json, folder, [*name.split(), "--json"])


def _json(folder, arguments):
    output, messages = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stderr(messages),
        contextlib.redirect_stdout(output),
        contextlib.suppress(SystemExit),
    ):
        sys.argv = ["specsel", *arguments]
        runpy.run_module("specsel", run_name="__main__")
    if not output.getvalue():
        raise RuntimeError(messages.getvalue())
    return json.loads(output.getvalue())


def values(found):
    """Return what is public in a result as dictionaries, lists, arrays and numbers."""
    if isinstance(found, np.ndarray | np.generic | str | int | float | None):
        return found
    if sp.issparse(found):
        return found.toarray()
    if isinstance(found, dict):
        return {str(key): values(value) for key, value in found.items() if key not in EXEMPT}
    if type(found) in (list, tuple):
        return [values(value) for value in found]
    if not type(found).__module__.startswith("specsel") or callable(found):
        return type(found).__name__
    names = {name for name in dir(found) if not name.startswith("_")} - EXEMPT
    public = {name: getattr(found, name) for name in sorted(names)}
    public = {name: value for name, value in public.items() if not callable(value)}
    if hasattr(found, "supports"):  # a path, of which every size has more
        public["items"] = [found[k] for k in found]
    return {name: values(value) for name, value in public.items()}


def differences(old, new, name="", rtol=RTOL):
    """Yield a line for everything in which two results differ."""
    key = name.rpartition(".")[2]
    if isinstance(old, dict) and isinstance(new, dict):
        for each in old | new:
            if each not in old or each not in new:
                yield f"{name}.{each}: only {'new' if each in new else 'old'}"
            else:
                yield from differences(old[each], new[each], f"{name}.{each}", rtol)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        if all(isinstance(value, int | float) for value in old + new) and old:
            yield from differences(np.array(old), np.array(new), name, rtol)
        else:
            for before, after in zip(old, new, strict=True):
                yield from differences(before, after, name, rtol)
    elif isinstance(old, str | None) or isinstance(new, str | None):
        if not isinstance(old, type(new)) or old != new:
            yield f"{name}: {str(old)[:200]} became {str(new)[:200]}"
    elif np.shape(old) != np.shape(new):
        yield f"{name}: shape {np.shape(old)} became {np.shape(new)}"
    elif key == "labels":
        if len(np.unique(np.column_stack((old, new)), axis=0)) != len(np.unique(old)):
            yield f"{name}: other clusters"
    elif np.asarray(old).dtype.kind not in "fiub":
        if not np.array_equal(old, new):
            yield f"{name}: {old} became {new}"
    else:
        yield from _numbers(
            np.asarray(old, float), np.asarray(new, float), name, rtol, key in VECTORS
        )


def _numbers(old, new, name, rtol, vectors):
    if vectors:
        new = new * np.where((old * new).sum(0) < 0, -1.0, 1.0)
    apart = ~((old == new) | (np.isnan(old) & np.isnan(new)))
    if apart.any():
        with np.errstate(invalid="ignore"):
            scale = max(np.abs(old[np.isfinite(old)]).max(initial=0), 1e-3)
            error = np.nan_to_num(np.abs(old - new), nan=np.inf)[apart].max() / scale
        if error > rtol:
            yield f"{name}: differs by {error:.1e} of the largest"


def fingerprints(shares, only):
    """Yield names, and what each call gives or the message of what it raises."""
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for share in shares:
            make = SHARES[share]
            calls = make(Path(name)) if inspect.signature(make).parameters else make()
            for title, call in calls:
                if all(part in f"{share}: {title}" for part in only):
                    try:
                        yield f"{share}: {title}", values(call())
                    except Exception as error:
                        yield f"{share}: {title}", f"{type(error).__name__}: {error}"


SHARES = {
    "solvers": solvers,
    "containers": containers,
    "estimators": estimators,
    "commands": commands,
}


def run():
    """Write or compare, as the command line asks for."""
    parser = argparse.ArgumentParser(description="Compare the results of two trees.")
    parser.add_argument("mode", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--share", action="append", choices=SHARES, help="default: all")
    parser.add_argument("--only", action="append", default=[], help="a part of the names")
    args = parser.parse_args()
    now = fingerprints(args.share or SHARES, args.only)
    if args.mode == "write":
        found = dict(now)
        args.file.write_bytes(pickle.dumps(found))
        raised = [name for name, value in found.items() if isinstance(value, str)]
        print(*(f"{name}: {found[name]}" for name in raised), sep="\n")
        print(f"{len(found)} written, of which {len(raised)} raised")
        return 0
    before, same = pickle.loads(args.file.read_bytes()), []
    for name, value in now:
        lines = [*differences(before.get(name), value)]
        same.append(not lines)
        print("".join(f"{name} {line}\n" for line in lines), end="", flush=True)
    print(f"{sum(same)} of {len(same)} the same")
    return int(not all(same))


if __name__ == "__main__":
    raise SystemExit(run())
