"""``specsel path`` and ``specsel stable``: subsets of the features.

`path` finds the best few features of every size, greedy and exact; `stable` removes features until
a principal subspace of the rest is stable.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from specsel import _validate
from specsel._validate import MEANINGS, Direction
from specsel.cli import common, terminal
from specsel.cli.tables import Table

# Features of which a search may well take the whole time limit.
MANY = 60

# Removing n features one by one takes n³ over this seconds, on two cores.
REMOVING_SPEED = 1e9

# What the user can do about a long search.
ENDING = "Ctrl-C ends it and prints what was found"

PATH_DESCRIPTION = "Find the best 1, 2, 3, ... features together, with a proof."
PATH_EPILOG = """\
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
          if it ended early; "features" if too many features were left to search;
          "ill-conditioned" if rounding leaves fewer than three digits, raise --shrinkage

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


def add_path_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    add = parser.add_argument
    common.add_input(add, "class labels")
    add("--greedy", action="store_true", help="only the greedy selection: no search, no proof")
    threshold_help = "take the largest entries of the leading eigenvector: no search, the baseline"
    add("--threshold", action="store_true", help=threshold_help)
    common.add_options_of_methods("path", add)
    common.add_output(add, "the table", "the values of all sizes")


def run_path(args: argparse.Namespace) -> int:
    """Find the best features of every size and print a table."""
    common.check_output(args)
    args.time_limit = common.TIME_LIMIT if args.time_limit is None else args.time_limit
    _validate.check_number("time_limit", args.time_limit, 0)
    with terminal.warnings_in_lines(partial(common.advice, args=args)):
        table = common.read(args, labelled=True)
        common.check_classes(args.target, table.y)
        if args.matrix and table.y is not None:
            raise ValueError(f"--matrix {args.matrix}: is for sparse PCA, without class labels")
        start = time.perf_counter()
        path = _search(args, table)
    rows = [_path_row(path, k) for k in path]
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
        terminal.write("\n".join(_path_lines(summary, rows)))
    lines = [row | {"features": common.joined(row["features"])} for row in rows]
    for line in lines:
        del line["direction"]
    proved = sum(status == "optimal" for status in path.statuses)
    common.save(
        args,
        table,
        lines,
        path.supports[-1],
        path,
        display="PathDisplay",
        method="gslda" if args.greedy else "eslda",
        verdicts=[
            f"the value is the {MEANINGS[path.criterion]}",
            f"{proved} of {len(path)} sizes proved: no other set of that size has a larger value",
            f"the features below are those of the largest size, {path.sizes[-1]}",
        ],
        pictures=[("Value by number of features", path, {})],
        seconds=summary["seconds"],
    )
    expected = "greedy" if args.greedy or args.threshold else "optimal"
    return int(any(row["status"] != expected for row in rows))


def _search(args: argparse.Namespace, table: Table) -> Any:
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
    max_size = min(max(common.MAX_SIZE, least), left) if args.max_size is None else args.max_size
    if args.max_size is not None:
        _validate.check_integer("max_size", max_size, least, left, "the features allowed")
    if args.threshold:
        for name in ("greedy", "direction", "always", "never"):
            if getattr(args, name):
                raise ValueError(f"--{name}: is no option of --threshold; leave one of them out")
        del options["always"], options["never"]
        return gslda.threshold(table.X, table.y, range(1, max_size + 1), **options)
    options["time_limit"] = args.time_limit
    limit = eslda.FEATURES_LIMIT
    if not args.greedy and (left <= limit or table.y is None):
        if args.direction:
            advice = "is for greedy selection; add --greedy"
            raise ValueError(f"--direction {args.direction}: {advice}")
        work = f"search of {left} features"
        terminal.announce(work, math.inf if left > MANY else 0.0, ENDING, args.time_limit)
        with terminal.progress(_describe) as callback:
            sizes = range(least, max_size + 1)
            return eslda.solve(table.X, table.y, k=sizes, callback=callback, **options)
    if not args.greedy:
        terminal.say(f"no search: it takes at most {limit} features; --never leaves some out")
    direction: Direction = args.direction or (
        "both" if left <= gslda.ALL_SIZES_LIMIT else "forward"
    )
    if direction != "forward":
        work = f"removing {left} features one by one"
        terminal.announce(work, left**3 / REMOVING_SPEED, ENDING, args.time_limit)
    with terminal.progress(str, "selecting greedily"):
        return gslda.solve(table.X, table.y, max_size=max_size, direction=direction, **options)


def _features(texts: Sequence[str], names: list[str] | None) -> list[str | int]:
    """Return the features that the user lists: names, or numbers if the columns have no names."""
    features = common.listed(texts)
    return [int(name) if name.isdecimal() and not names else name for name in features]


def _describe(value: float, bound: float, nodes: int, seconds: float) -> str:
    gap = (bound - value) / abs(value) if value else math.inf
    return f"value {value:.6g}, bound {bound:.6g}, gap {gap:.2%}, {nodes} nodes, {seconds:.0f} s"


def _path_row(path: Any, k: int) -> dict[str, Any]:
    subset = path[k]
    searched = math.isfinite(subset.error)
    return {
        "size": k,
        "greedy": float(path.starts[path.sizes == k][0]),
        "exact": subset.value if searched else None,
        **common.facts(subset, "bound", "lower", "gap", "status", "nodes"),
        "direction": subset.direction[subset.support].tolist(),
        "features": [str(name) for name in _validate.name_features(subset.support, subset.names)],
    }


def _path_lines(summary: dict[str, Any], rows: list[dict[str, Any]]) -> Iterator[str]:
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


# Defaults for the example: those that find the signals among its features.
DEFAULTS_OF_EXAMPLE = {"matrix": "correlation", "retain": 0.1}

# Resamples that "auto" begins with, and more than any solver makes.
N_BOOT, MOST = 1000, 10**9

# So many multiplications a second two cores make for the intervals.
INTERVALS_SPEED = 1.5e10

STABLE_DESCRIPTION = "Remove features until a principal subspace of the rest is stable."
STABLE_EPILOG = """\
A principal subspace is stable if another sample of the same data would show it too. Bootstrap
intervals tell how uncertain the similarities of the features are. The command removes the least
certain feature, again and again, until the gap between two eigenvalues is larger than that
uncertainty can close (4 |E|) and the eigenvalues before the gap retain the share of the trace
that --retain asks for. "<" marks a gap that was only bounded: the bound was enough to go on.

Exit code 1: no stable subspace retains that much.

examples:
  specsel stable mail.csv --target spam --retain 0.25
  specsel stable sensors.csv --matrix correlation --retain 0.6 --n-boot auto --out kept.csv
"""


def add_stable_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    common.add_input(parser.add_argument, "labels, which are left out")
    common.add_options_of_methods("stable", parser.add_argument)
    common.add_output(parser.add_argument, "the features and the eigenvectors", "the search")


def run_stable(args: argparse.Namespace) -> int:
    """Find the subspace and print every step of the search as it is made."""
    common.check_output(args)
    for option in common.OPTIONS["stable"]:
        if getattr(args, option) is None:
            default = common.takers("stable", option)["sbs"].default
            default = DEFAULTS_OF_EXAMPLE.get(option, default) if args.file is None else default
            setattr(args, option, default)
    args.seed = args.seed or 0
    _validate.check_integer("seed", args.seed, 0)
    if not 0 <= args.retain <= 1:
        raise ValueError(f"--retain {args.retain:g}: must be from 0 to 1")
    _validate.check_integer("at_least", args.at_least, 1)
    with terminal.warnings_in_lines(partial(common.advice, args=args)):
        table = common.read(args, labelled=False, as_stored=True)
        start = time.perf_counter()
        intervals = _intervals(args, table)
    names = intervals.names or tuple(map(str, range(len(intervals.A))))
    shown = tuple(map(_validate.printable, names))
    width = max(7, *map(len, shown))

    def write(line: str) -> None:
        if not args.json:
            terminal.write(line)

    write(f"{table.origin}: {intervals.n_samples} samples x {len(names)} features")
    write(
        f"{intervals.matrix}, {intervals.n_boot} resamples, confidence "
        f"{intervals.confidence:g}, retain {args.retain:g}"
    )
    write(f"\n  left  {'removed':{width}}         gap      4 |E|  stable k (share)")

    from specsel import sbs

    with terminal.progress(str, "removing features") if args.json else nullcontext():
        subspace = sbs.eliminate(
            intervals,
            args.retain,
            args.at_least,
            lambda step: write(_step_line(step, shown, width)),
        )
    seconds = time.perf_counter() - start
    if args.json:
        summary = {"data": table.origin, **_stable_summary(subspace, names), "seconds": seconds}
        terminal.write(json.dumps(summary))
    verdicts = [*_verdicts(subspace, shown)]
    write("\n".join(verdicts))
    pictures: list[Any] = [("The search", subspace, {})]
    if subspace.k:
        title = f"Eigenvalues: the first {subspace.k} are stable"
        pictures.append((title, subspace, {"display": "SpectrumDisplay"}))
    common.save(
        args,
        table,
        _stable_rows(subspace, names),
        subspace.support if subspace.k else [],
        subspace,
        display="StabilityDisplay",
        method="sbs",
        verdicts=verdicts,
        pictures=pictures,
        seconds=seconds,
    )
    return 0 if subspace.converged else 1


def _intervals(args: argparse.Namespace, table: Table) -> Any:
    from specsel import sbs

    n, n_boot = table.n_features, args.n_boot if isinstance(args.n_boot, int) else N_BOOT
    seconds = max(0, min(n_boot, MOST)) * table.n_samples * n * n / 2 / INTERVALS_SPEED
    advice = "a smaller --n-boot and fewer features take less"
    terminal.announce(f"intervals of {n} features", seconds, advice)
    with terminal.progress("{} of {} pairs of features".format, counted=True) as callback:
        intervals = sbs.intervals(
            table.X,
            matrix=args.matrix,
            confidence=args.confidence,
            n_boot=args.n_boot,
            method=args.intervals,
            random_state=args.seed,
            callback=callback,
        )
    return replace(intervals, names=tuple(table.names) if table.names else None)


def _step_line(step: Any, names: Sequence[str], width: int) -> str:
    removed = "" if step.removed is None else names[step.removed]
    gap = f"{'<' if step.stable is None else ''}{step.gap:.4g}"
    stable = ", ".join(f"{k} ({share:.1%})" for k, share in (step.stable or {}).items())
    return f"{step.size:6}  {removed:{width}}  {gap:>10} {step.error:10.4g}  {stable}".rstrip()


def _verdicts(subspace: Any, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines after the table."""
    made = f"{subspace.n_decompositions} decompositions made, {subspace.n_skipped} skipped"
    yield ""
    if subspace.k == 0:
        yield f"no principal subspace is stable; {made}"
        if subspace.n_decompositions:
            yield "more samples or a lower --confidence make the similarities more certain"
        return
    if not subspace.converged:
        yield f"no stable subspace retains {subspace.retain:.1%}; this one comes nearest:"
    yield (
        f"k = {_validate.count_of(subspace.k, 'component')} of {len(subspace.support)} features: "
        f"stable, retaining {subspace.share:.1%} of the trace; {made}"
    )
    yield f"kept: {', '.join(names[i] for i in subspace.support)}"
    yield f"removed: {', '.join(names[i] for i in subspace.removed) or 'nothing'}"


def _stable_summary(subspace: Any, names: Sequence[str]) -> dict[str, Any]:
    intervals = subspace.intervals
    return {
        "n_features": len(names),
        **common.facts(intervals, "n_samples", "matrix", "confidence", "n_boot"),
        **common.facts(subspace, "retain", "converged", "k", "share", "stable", "eigenvalues"),
        **common.facts(subspace, "n_decompositions", "n_skipped"),
        "kept": [names[i] for i in subspace.support] if subspace.k else [],
        "removed": [names[i] for i in subspace.removed],
        "constant": [names[i] for i in intervals.constant],
        "trace": [
            step._asdict() | {"removed": None if step.removed is None else names[step.removed]}
            for step in subspace.trace
        ],
    }


def _stable_rows(subspace: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row per feature: when it was removed, or its entries in the eigenvectors."""
    order = {int(i): place for place, i in enumerate(subspace.removed, 1)}
    place = {int(i): row for row, i in enumerate(subspace.support)} if subspace.k else {}
    rows = []
    for i, name in enumerate(names):
        entries = subspace.vectors[place[i]] if i in place else [0.0] * subspace.k
        row = {"feature": name, "index": i, "kept": i in place, "removed": order.get(i, "")}
        rows.append(row | {f"vector_{m}": float(x) for m, x in enumerate(entries, 1)})
    return rows


PATH = common.Command(PATH_DESCRIPTION, PATH_EPILOG, add_path_options, run_path)
STABLE = common.Command(STABLE_DESCRIPTION, STABLE_EPILOG, add_stable_options, run_stable)
