"""``specsel path``: the best few features of every size, greedy and exact."""

import argparse
import json
import math
import time

from specsel import _input
from specsel.cli import common, tables, terminal

MAX_SIZE = 10
TIME_LIMIT = 60.0

EPILOG = """\
With class labels it is sparse LDA, without them sparse PCA. "greedy" is the value found by adding,
removing and swapping features, "exact" the best value known after the search, and "bound" what no
other features of that number can exceed. Exit code 1: not all sizes were proved, where --greedy
did not ask for that.

examples:
  specsel path flowers.csv --target species
  specsel path genes.csv --target 0 --max-size 20 --greedy
  specsel path sensors.csv --always clock --never serial,site --time-limit 600
"""


def add_command(commands):
    """Add the command to the parser."""
    parser = commands.add_parser(
        "path",
        help="find the best few features of every size",
        description="Find the best few features of every size, with a proof.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    common.add_input(add, "class labels")
    add("--max-size", type=int, metavar="N", help=f"largest number of features ({MAX_SIZE})")
    add("--greedy", action="store_true", help="do not search")
    seconds = f"of the search, for all sizes ({TIME_LIMIT:g})"
    add("--time-limit", type=float, default=TIME_LIMIT, metavar="SECONDS", help=seconds)
    names = {"action": "append", "default": [], "metavar": "NAMES"}
    add("--always", help="features to hold, with commas between, repeatable", **names)
    add("--never", help="features to leave out, likewise", **names)
    add("--shrinkage", type=float, help="added to the diagonal within the classes")
    add("--matrix", choices=_input.choices.PCA_MATRICES, help="what sparse PCA is of (covariance)")
    common.add_output(add, "the table", "the values of all sizes")
    parser.set_defaults(run=run)


def run(args) -> int:
    """Find the path and print it."""
    common.check_output(args)
    table = common.read(args, labelled=True)
    common.check_classes(args.target, table.y)
    if args.matrix and table.y is not None:
        raise ValueError(f"--matrix {args.matrix}: is for sparse PCA, without class labels")
    _input.check_not_negative("time_limit", args.time_limit)
    n_features = _input.as_matrix(table.X)[0].shape[1]
    start = time.perf_counter()
    with terminal.warnings_in_lines():
        path = _path(args, table, n_features)
    rows = [_row(path, k) for k in path]
    summary = {
        "data": table.origin,
        "n_samples": len(table.X),
        "n_features": n_features,
        "n_classes": None if table.y is None else len({*table.y.tolist()}),
        "shrinkage": path.shrinkage,
        "seconds": time.perf_counter() - start,
    }
    if args.json:
        terminal.write(json.dumps(summary | {"path": rows}))
    else:
        terminal.write("\n".join(_lines(summary, rows)))
    if args.out:
        lines = [row | {"features": common.joined(row["features"])} for row in rows]
        tables.save(args.out, lines)
    if args.plot:
        common.draw(args.plot, "PathDisplay", path)
    return int(not args.greedy and any(row["status"] != "optimal" for row in rows))


def _path(args, table, n_features):
    """The path, searched for unless that is not wanted or not possible."""
    from specsel import eslda, gslda

    names = getattr(table.X, "columns", None)
    options = {name: _features(getattr(args, name), names) for name in ("always", "never")}
    options |= {
        "shrinkage": args.shrinkage,
        "matrix": args.matrix or _input.choices.PCA_MATRICES[0],
    }
    left = n_features - len({*options["never"]})
    least = max(len({*options["always"]}), 1)
    max_size = min(max(MAX_SIZE, least), left) if args.max_size is None else args.max_size
    if args.max_size is not None:
        _input.check_integer("max_size", max_size, least, left, "the features allowed")
    if not args.greedy and left <= eslda.FEATURES_LIMIT:
        sizes = range(least, max_size + 1)
        with terminal.progress(_describe) as callback:
            limit = {"time_limit": args.time_limit, "callback": callback}
            return eslda.solve(table.X, table.y, k=sizes, **limit, **options)
    if not args.greedy:
        limit = eslda.FEATURES_LIMIT
        terminal.say(f"no search: it is for at most {limit} features; --never leaves some out")
    direction = "both" if left <= gslda.BACKWARD_LIMIT else "forward"
    return gslda.solve(table.X, table.y, direction=direction, max_size=max_size, **options)


def _features(texts, names):
    """What is named with commas between: names, or numbers where columns have none."""
    found = common.listed(texts)
    return [int(name) if name.isdecimal() and not names else name for name in found]


def _describe(value, bound, nodes, seconds):
    gap = (bound - value) / abs(value) if value else math.inf
    return f"value {value:.6g}, bound {bound:.6g}, gap {gap:.2%}, {nodes} nodes, {seconds:.0f} s"


def _row(path, k):
    subset = path[k]
    known = math.isfinite(subset.bound)
    return {
        "size": k,
        "greedy": float(path.starts[path.sizes == k][0]),
        "exact": subset.value if known else None,
        "bound": subset.bound if known else None,
        "gap": subset.gap if known else None,
        "status": subset.status,
        "nodes": subset.nodes,
        "features": [str(name) for name in _input.name_features(subset.support, subset.names)],
    }


def _lines(summary, rows):
    """Yield the lines of the text output."""
    classes = summary["n_classes"]
    kind = "sparse PCA" if classes is None else f"sparse LDA of {classes} classes"
    shape = f"{summary['n_samples']} samples x {summary['n_features']} features"
    yield f"{summary['data']}: {shape}"
    ridge = f", shrinkage {summary['shrinkage']:.2g}" if summary["shrinkage"] else ""
    yield f"{kind}{ridge}, {summary['seconds']:.2f} s"
    yield ""
    yield " size      greedy       exact       bound     gap  status     features"
    for row in rows:
        exact, bound = (
            f"{'-':>11}" if row[name] is None else f"{row[name]:11.6g}"
            for name in ("exact", "bound")
        )
        gap = " " * 6 + "-" if row["gap"] is None else f"{row['gap']:7.2%}"
        yield (
            f"{row['size']:5} {row['greedy']:11.6g} {exact} {bound} {gap}  "
            f"{row['status']:9}  {', '.join(row['features'])}"
        )
