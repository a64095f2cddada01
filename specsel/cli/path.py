"""``specsel path``: the best few features of every size, greedy and exact."""

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from specsel import _validate
from specsel._validate import MEANINGS, Direction
from specsel.cli import common, terminal
from specsel.cli.tables import Table

MAX_SIZE = 10
TIME_LIMIT = 60.0

# Features of which a search may well take the whole time limit.
MANY = 60

# Removing n features one by one takes n³ over this seconds, on two cores.
SPEED = 1e9

HELP = "find the best 1, 2, 3, ... features together"
DESCRIPTION = "Find the best 1, 2, 3, ... features together, with a proof."
EPILOG = """\
With class labels (--target) this is sparse LDA: the value of a set of features is the scatter
between the classes over the scatter within them. For two classes that is meant in the best
direction, for more in all directions: the sum of log(1 + ratio) over the discriminants, which is
--criterion logdet. Without labels it is sparse PCA: the value is the variance of the first
component.

The columns of the table:
  greedy  the value that adding, removing and swapping features reaches; with --threshold, that of
          the largest entries of the eigenvector over all features
  exact   the best value found by the search
  bound   no other set of that size can exceed this value; without a search it is what all
          features together are worth
  gap     how much better than "exact" another set might be, at most
  status  "optimal" if the search proved that no other set is better; "time" or "interrupted"
          if it ended early; "features" if too many features were left to search

The search takes at most 300 features. Without labels it takes thousands, of which it eliminates
those that no good set can hold. Ctrl-C ends it and prints what was found.

Exit code 1: the search did not prove every size. With --greedy there is no search; exit code 1
then means that the selection ended early.

examples:
  specsel path flowers.csv --target species
  specsel path genes.csv --target 0 --max-size 20 --greedy
  specsel path flowers.csv --target species --criterion leading
  specsel path flowers.csv --target species --greedy --always width,length --max-size 2
                                  (what a set of your own is worth, with its best direction)
  specsel path sensors.csv --always clock --never serial,site --time-limit 600
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    add = parser.add_argument
    common.add_input(add, "class labels")
    size_help = f"largest number of features to choose (default {MAX_SIZE})"
    add("--max-size", type=int, metavar="N", help=size_help)
    add("--greedy", action="store_true", help="only the greedy selection: no search, no proof")
    threshold_help = "take the largest entries of the leading eigenvector: no search, the baseline"
    add("--threshold", action="store_true", help=threshold_help)
    criterion_help = (
        "what a set is worth by its eigenvalues: the largest, their sum, or the sum of "
        "log(1 + eigenvalue) (default logdet for more than two classes, otherwise leading)"
    )
    add("--criterion", choices=_validate.WORTHS, help=criterion_help)
    direction_help = (
        "greedy selection adds features one by one, removes them, or takes the better of the two; "
        "removing forms matrices of features x features (default both, beyond 2000 forward)"
    )
    add("--direction", choices=_validate.DIRECTIONS, help=direction_help)
    seconds = f"time for all sizes together (default {TIME_LIMIT:g})"
    add("--time-limit", type=float, default=TIME_LIMIT, metavar="SECONDS", help=seconds)
    names: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAMES"}
    always_help = "features that every set must contain, separated by commas; may be repeated"
    add("--always", help=always_help, **names)
    add("--never", help="features that no set may contain, likewise", **names)
    shrinkage_help = "number to add to the diagonal of the scatter within the classes"
    add("--shrinkage", type=float, help=shrinkage_help)
    matrix_help = "matrix that sparse PCA decomposes (default covariance)"
    add("--matrix", choices=_validate.PCA_MATRICES, help=matrix_help)
    common.add_output(add, "the table", "the values of all sizes")


def run(args: argparse.Namespace) -> int:
    """Find the best features of every size and print a table."""
    common.check_output(args)
    _validate.check_not_negative("time_limit", args.time_limit)
    with terminal.warnings_in_lines(partial(common.advice, args=args)):
        table = common.read(args, labelled=True)
        common.check_classes(args.target, table.y)
        if args.matrix and table.y is not None:
            raise ValueError(f"--matrix {args.matrix}: is for sparse PCA, without class labels")
        start = time.perf_counter()
        path = _solve(args, table)
    rows = [_row(path, k) for k in path]
    summary = {
        "data": table.origin,
        "n_samples": table.n_samples,
        "n_features": table.n_features,
        "n_classes": None if table.y is None else len({*table.y.tolist()}),
        "shrinkage": path.shrinkage,
        "criterion": path.criterion,
        "seconds": time.perf_counter() - start,
    }
    if args.json:
        terminal.write(json.dumps(summary | {"path": rows}))
    else:
        terminal.write("\n".join(_lines(summary, rows)))
    lines = [row | {"features": common.joined(row["features"])} for row in rows]
    for line in lines:
        del line["direction"]
    common.save(args, table, lines, path.supports[-1])
    if args.report:
        _report(args, table, path, summary["seconds"])
    if args.plot:
        common.draw(args.plot, "PathDisplay", path)
    wanted = "greedy" if args.greedy or args.threshold else "optimal"
    return int(any(row["status"] != wanted for row in rows))


def _report(args: argparse.Namespace, table: Table, path: Any, seconds: float) -> None:
    from specsel.cli import report

    proved = sum(status == "optimal" for status in path.statuses)
    report.write(
        args,
        table,
        path,
        says="path",
        method="gslda" if args.greedy else "eslda",
        verdicts=[
            f"the value is the {MEANINGS[path.criterion]}",
            f"{proved} of {len(path)} sizes proved: no other set of that size has a larger value",
            f"the features below are those of the largest size, {path.sizes[-1]}",
        ],
        features=path.supports[-1],
        pictures=[("Value by number of features", path, {})],
        seconds=seconds,
    )


def _solve(args: argparse.Namespace, table: Table) -> Any:
    """Search for the path; only select greedily if the user wants that or there are too many."""
    from specsel import eslda, gslda

    names = getattr(table.X, "columns", None)
    options: dict[str, Any] = {
        "always": _features(args.always, names),
        "never": _features(args.never, names),
        "shrinkage": args.shrinkage,
        "matrix": args.matrix or "covariance",
        "criterion": args.criterion,
    }
    left = table.n_features - len({*options["never"]})
    least = max(len({*options["always"]}), 1)
    max_size = min(max(MAX_SIZE, least), left) if args.max_size is None else args.max_size
    if args.max_size is not None:
        _validate.check_integer("max_size", max_size, least, left, "the features allowed")
    if args.threshold:
        return _threshold(args, table, options, range(1, max_size + 1))
    searched = left <= eslda.FEATURES_LIMIT or table.y is None
    if not args.greedy and searched:
        if args.direction:
            raise ValueError(
                f"--direction {args.direction}: is for greedy selection; add --greedy"
            )
        sizes = range(least, max_size + 1)
        _announce(f"search of {left} features", math.inf if left > MANY else 0.0, args)
        with terminal.progress(_describe) as callback:
            options |= {"time_limit": args.time_limit, "callback": callback}
            return eslda.solve(table.X, table.y, k=sizes, **options)
    if not args.greedy:
        limit = eslda.FEATURES_LIMIT
        terminal.say(f"no search: it takes at most {limit} features; --never leaves some out")
    default: Direction = "both" if left <= gslda.ALL_SIZES_LIMIT else "forward"
    options |= {"max_size": max_size, "time_limit": args.time_limit}
    options |= {"direction": args.direction or default}
    if options["direction"] != "forward":
        _announce(f"removing {left} features one by one", left**3 / SPEED, args)
    with terminal.progress(str, "selecting greedily"):
        return gslda.solve(table.X, table.y, **options)


def _announce(work: str, seconds: float, args: argparse.Namespace) -> None:
    """Say beforehand how long something may take, if somebody may wait for it."""
    limit = args.time_limit
    if min(seconds, limit) > terminal.PATIENCE and terminal.is_watched():
        about = f"about {terminal.duration(seconds)}, at the speed of two cores"
        most = f"up to {terminal.duration(limit)}, the --time-limit"
        expected = about if seconds < limit else most
        terminal.say(f"{work}: {expected}; Ctrl-C ends it and prints what was found")


def _threshold(
    args: argparse.Namespace, table: Table, options: dict[str, Any], sizes: range
) -> Any:
    """Threshold the leading eigenvector at every size."""
    from specsel import gslda

    unused = {
        "--greedy": args.greedy,
        "--direction": args.direction,
        "--always": options.pop("always"),
        "--never": options.pop("never"),
    }
    for name, value in unused.items():
        if value:
            raise ValueError(
                f"{name}: is for searching and selecting; leave it or --threshold out"
            )
    return gslda.threshold(table.X, table.y, sizes, **options)


def _features(texts: Sequence[str], names: list[str] | None) -> list[str | int]:
    """Return the features that the user lists: names, or numbers if the columns have no names."""
    found = common.listed(texts)
    return [int(name) if name.isdecimal() and not names else name for name in found]


def _describe(value: float, bound: float, nodes: int, seconds: float) -> str:
    gap = (bound - value) / abs(value) if value else math.inf
    return f"value {value:.6g}, bound {bound:.6g}, gap {gap:.2%}, {nodes} nodes, {seconds:.0f} s"


def _row(path: Any, k: int) -> dict[str, Any]:
    subset = path[k]
    known = math.isfinite(subset.error)  # which is infinite where nothing was searched
    return {
        "size": k,
        "greedy": float(path.starts[path.sizes == k][0]),
        "exact": subset.value if known else None,
        "bound": subset.bound,
        "lower": subset.lower,
        "gap": subset.gap if math.isfinite(subset.gap) else None,
        "status": subset.status,
        "nodes": subset.nodes,
        "direction": subset.direction[subset.support].tolist(),
        "features": [str(name) for name in _validate.name_features(subset.support, subset.names)],
    }


def _lines(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the text output."""
    classes = summary["n_classes"]
    problem = "sparse PCA" if classes is None else f"sparse LDA of {classes} classes"
    shape = f"{summary['n_samples']} samples x {summary['n_features']} features"
    yield f"{summary['data']}: {shape}"
    ridge = f", shrinkage {summary['shrinkage']:.2g}" if summary["shrinkage"] else ""
    meaning = MEANINGS[summary["criterion"]]
    yield f"{problem}{ridge}, value = {meaning}, {summary['seconds']:.2f} s"
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
            f"{row['status']:9}  {', '.join(map(_validate.printable, row['features']))}"
        )
