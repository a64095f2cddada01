"""``specsel select``: rank the features of a table."""

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from specsel import _validate
from specsel.cli import aligned, chance, common, tables, terminal

BAR_WIDTH = 30

BLOCKS, RULE = " ▏▎▍▌▋▊▉█", "─"

# A cut is called clear if the mean weight above it is at least so many times the mean below it.
CLEAR = 2.0

# The tolerance of every solver.
DEFAULT_TOL = 1e-6

LOOP = ("init", "tol", "max_iter", "seed")

# The options that each method takes. Any other option is refused.
OPTIONS_OF_METHOD: dict[str, tuple[str, ...]] = {
    "qalpha": ("k", *LOOP),
    "weighting": ("k", "target", "tradeoff"),
    "alignment": ("target", "features", "neighbours", "components", "scale", "standardise"),
    "laplacian": ("k", "representation", *LOOP),
    "supervised": ("target", "representation", *LOOP),
    "kernel": ("k", "kernel", *LOOP),
    "side_info": ("k", "side", "tradeoff", *LOOP),
    "topography": ("k", "rounds", "tradeoff", *LOOP),
    "pairwise": ("k", "apart", "together", "tradeoff", "representation", *LOOP),
}

# Options that change the table, not the solver.
OF_THE_TABLE = ("standardise",)

# Of these options the method needs at least one.
NEEDED_BY_METHOD: dict[str, tuple[str, ...]] = {
    "supervised": ("target",),
    "side_info": ("side",),
    "pairwise": ("apart", "together"),
}

# Defaults for parameters that have none, or another one, in Python.
DEFAULTS: dict[str, Any] = {"k": "auto", "seed": 0}

# But this parameter of this method keeps its default.
NO_DEFAULT = ("weighting", "k")

# Options whose parameter of `solve` has another name.
PARAMETER_OF_OPTION = {"target": "y", "features": "n", "seed": "random_state"}

HELP = "rank the features of a table"
DESCRIPTION = "Rank the features of a table: which carry the structure of the samples?"
EPILOG = """\
methods:
  qalpha      the features that make the samples form k clusters
  weighting   the features that have most in common with all others; needs no k, but is less
              sharp; with --target: features for discriminant analysis, sharper with -k
  alignment   features that show which samples are near each other and do not repeat one
              another; with --target: which samples are of one class
  laplacian   clusters in the graph of affinities between samples
  kernel      clusters that linear methods miss, by a kernel
  side_info   clusters that the samples in --side do not have
  topography  several groupings of the samples, one per round
  pairwise    clusters that respect the pairs of rows in --apart and --together
  supervised  the features that tell the classes of --target apart

How a text is read: encoding, delimiter, decimal commas and comments above the table are found and
named in the first line of the output. The first row is a header if its first cell is empty (the
first column then names the samples), or if it is text over numbers. If its numbers can be names,
--header yes or no is asked for. "index" in the output is the number of a feature, from 0.

The cut at the gap is no test: the weights of pure noise have a gap too. The last line is one. It
compares the objective with that of shuffled columns or, with --target, of shuffled labels. "More
in common than chance" says that the features are not independent of each other, no more.

examples:
  specsel select measurements.csv -k 4 --top 10 --out ranking.csv
  specsel select flowers.csv --method supervised --target species
  specsel select measurements.csv -k 4 --permutations 99
  specsel select measurements.csv --method alignment --features 50
  specsel select patients.csv --method side_info --side healthy.csv
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    add = parser.add_argument
    common.add_input(add, "class labels, for supervised and weighting")
    method_help = "how to weigh the features, see below (default qalpha)"
    add("--method", choices=OPTIONS_OF_METHOD, default="qalpha", help=method_help)
    top_help = "how many features to print, best first (default 20)"
    add("--top", type=int, default=20, metavar="N", help=top_help)
    shuffle_help = "shuffle every column first, to see what chance finds in such data"
    add("--shuffle", action="store_true", help=shuffle_help)
    chance.add_option(add)
    common.add_output(add, "the ranking of all features", "the weights")
    _add_options(parser.add_argument_group("options of some methods"))


def _add_options(group: Any) -> None:
    def add(*flags: str, help: str, **options: Any) -> None:
        option = flags[0].lstrip("-").replace("-", "_")
        users = [method for method in OPTIONS_OF_METHOD if option in OPTIONS_OF_METHOD[method]]
        others = [method for method in OPTIONS_OF_METHOD if method not in users]
        which = ", ".join(users) if len(users) < 5 else f"all but {', '.join(others)}"
        group.add_argument(*flags, help=f"{help} ({which})", **options)

    k_help = (
        "number of directions that carry the clusters, about that of clusters; auto, the default, "
        "counts them by the gap between eigenvalues; for weighting with --target, number of "
        "discriminants, by default as many as there are samples"
    )
    add("-k", type=common.count, help=k_help)
    file: dict[str, Any] = {"type": Path, "metavar": "FILE"}
    side_help = "samples of the same features whose variation is unwanted; may be repeated"
    add("--side", action="append", help=side_help, **file)
    apart_help = (
        "pairs of samples in different clusters: two columns of row numbers, counted from 0, "
        "below a header"
    )
    add("--apart", help=apart_help, **file)
    add("--together", help="pairs of samples in the same cluster, likewise", **file)
    tradeoff_help = (
        "weight of the second aim against the first; default 0.1 for side_info, 1 for weighting "
        "and pairwise, 2 over the number of features for topography"
    )
    add("--tradeoff", type=float, metavar="LAMBDA", help=tradeoff_help)
    representation_help = "how to make features non-negative"
    add("--representation", choices=_validate.REPRESENTATIONS, help=representation_help)
    add("--kernel", choices=_validate.KERNELS, help="kernel to compare features by; default rbf")
    add("--rounds", type=int, metavar="N", help="number of groupings to look for; default 2")
    features_help = "number of features to take; default: up to the peak of the scores"
    add("--features", type=int, metavar="N", help=features_help)
    add("--neighbours", type=int, metavar="N", help="nearest samples of each; default 5")
    components_help = "principal components in which samples are near; default 20"
    add("--components", type=int, metavar="N", help=components_help)
    standardise_help = "scale the columns to one deviation first; needed where units differ"
    add("--standardise", action="store_true", default=None, help=standardise_help)
    scale_help = "features of unit norm, or in their own units; default unit"
    add("--scale", choices=_validate.SCALES, help=scale_help)
    init_help = "where the iteration starts; default: the method's own start"
    add("--init", choices=_validate.INITS, help=init_help)
    tol_help = (
        "stop when the objective rose by no more than this share of it over the last iterations; "
        "default 1e-6. Q-α is then about as near to its limit"
    )
    add("--tol", type=float, help=tol_help)
    max_iter_help = "stop after so many iterations; default 200"
    add("--max-iter", type=int, metavar="N", help=max_iter_help)
    add("--seed", type=int, help="seed of random starts and of all shuffles; default 0")


def run(args: argparse.Namespace) -> int:
    """Weigh the features and print them, best first."""
    _check_options(args)
    with terminal.warnings_in_lines():
        table = common.read(
            args, "target" in NEEDED_BY_METHOD.get(args.method, ()), as_stored=True
        )
        common.check_classes(args.target, table.y)
        as_read = table
        if args.shuffle:
            table = tables.shuffled(table, args.seed or 0)
        if args.standardise:
            table = tables.standardised(table)
        given = _arguments(args, table)
        solve = import_module(f"specsel.{args.method}").solve
        start = time.perf_counter()
        with terminal.progress(str) as tell, _reported(tell) as callback:
            if "max_iter" in OPTIONS_OF_METHOD[args.method]:
                given["callback"] = callback
            found = solve(table.X, **given)
        seconds = time.perf_counter() - start
        if args.method == "alignment":
            head = _head(args, table, len(found.relevance))
            aligned.show(args, found, head, seconds, as_read)
            return 0
        evidence = chance.summary(chance.compare(args, table, given, found))
    weights = getattr(found, "combined", found)
    ranking = _ranking(found, weights)
    summary = {
        **_head(args, table, len(ranking)),
        **_outcome(found, weights, ranking, given.get("k")),
        "evidence": evidence,
        "seconds": seconds,
    }
    verdict = chance.line(args, evidence)
    if args.json:
        terminal.write(json.dumps(summary | {"ranking": ranking}))
    else:
        lines = _lines(summary, ranking[: args.top], args.tol)
        terminal.write("\n".join([*lines, verdict]))
    common.save(args, as_read, ranking, weights.select(), found)
    if args.report:
        from specsel.cli import report

        cut = _verdict(summary["n_features"], len(summary["selected"]), summary["gap"])
        report.of_weights(args, as_read, found, [verdict, cut], summary, table.X)
    if args.plot:
        display = "TopographyDisplay" if len(_rounds(found)) > 1 else "WeightsDisplay"
        common.draw(args.plot, display, found)
    return 0 if summary["converged"] else 1


@contextmanager
def _reported(
    tell: Callable[[str], None] | None,
) -> Iterator[Callable[[int, float], None] | None]:
    """Give a callback for a solver. Tell of its iterations, and of every pass over the data."""
    if tell is None:
        yield None
        return
    from specsel import _data  # here, for it loads compiled code

    told = {"iteration": "", "pass": ""}

    def show(what: str, text: str) -> None:
        told[what] = text
        tell(", ".join(filter(None, told.values())))

    def iterated(number: int, objective: float) -> None:
        show("iteration", f"iteration {number}, objective {objective:.6g}")

    with _data.watched(lambda count: show("pass", f"pass {count} over the data")):
        yield iterated


def _head(args: argparse.Namespace, table: tables.Table, n_features: int) -> dict[str, Any]:
    """Return what the output says first, whatever the method."""
    return {
        "data": table.origin,
        "method": args.method,
        "n_samples": table.n_samples,
        "n_features": n_features,
    }


def _check_options(args: argparse.Namespace) -> None:
    if args.top < 1:
        raise ValueError(f"--top {args.top}: must be at least 1")
    _check_method(args)
    chance.check(args)
    common.check_seed(args.seed or 0)
    common.check_output(args, [*(args.side or ()), args.apart, args.together])


def _check_method(args: argparse.Namespace) -> None:
    """Refuse an option that the method does not take, and a method without what it needs."""
    unused = set().union(*OPTIONS_OF_METHOD.values()).difference(OPTIONS_OF_METHOD[args.method])
    given = [option for option, value in vars(args).items() if value is not None]
    for option in given:
        if option in unused:
            hint = "; --drop leaves a column out" if option == "target" else ""
            raise ValueError(f"{common.flag(option)}: is not used by --method {args.method}{hint}")
    needed = NEEDED_BY_METHOD.get(args.method, ())
    from_example = args.file is None and needed == ("target",)
    if needed and not set(given) & set(needed) and not from_example:
        raise ValueError(f"--method {args.method}: needs {' or '.join(map(common.flag, needed))}")
    if args.method == "weighting":
        for option in {"tradeoff", "k"} & {*given}:
            if args.target is None:
                raise ValueError(f"{common.flag(option)}: needs --target with --method weighting")
        if args.k == "auto":
            raise ValueError("-k auto: must be a number of discriminants for --method weighting")


def _arguments(args: argparse.Namespace, table: tables.Table) -> dict[str, Any]:
    """Return the arguments of `solve` beside X; for the rest it has defaults of its own."""
    defaults = {name: DEFAULTS[name] for name in DEFAULTS if (args.method, name) != NO_DEFAULT}
    values = defaults | {name: value for name, value in vars(args).items() if value is not None}
    values["target"] = table.y
    values["side"] = [common.read_side(path, args).X for path in args.side or ()]
    for option in ("apart", "together"):
        if option in values:
            values[option] = tables.read_pairs(values[option])
    return {
        PARAMETER_OF_OPTION.get(option, option): values[option]
        for option in OPTIONS_OF_METHOD[args.method]
        if values.get(option) is not None and option not in OF_THE_TABLE
    }


def _ranking(found: Any, weights: Any) -> list[dict[str, Any]]:
    """Return one row per feature, best first."""
    order, count = weights.ranking, len(weights.select())
    columns: dict[str, Sequence[Any]] = {
        "rank": range(1, len(order) + 1),
        "feature": _names(weights, order),
        "index": order.tolist(),
        "weight": weights.alpha[order].tolist(),
        "selected": [place < count for place in range(len(order))],
    }
    for i, part in enumerate(_rounds(found)):
        columns[f"relevance_{i + 1}"] = part.alpha[order].tolist()
        columns[f"position_{i + 1}"] = found.positions[order, i].tolist()
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _names(weights: Any, features: Any) -> list[str]:
    return [str(name) for name in _validate.name_features(features, weights.names)]


def _rounds(found: Any) -> Sequence[Any]:
    """Return the weights of every round; nothing if the method has no rounds."""
    rounds: Sequence[Any] = getattr(found, "weights", ())
    return rounds


def _outcome(found: Any, weights: Any, ranking: list[dict[str, Any]], k: Any) -> dict[str, Any]:
    """Return what JSON says of the solution.

    `gap` is None if it is infinite, and `k` if every round has its own; `k_found` says that nobody
    gave it.
    """
    rounds = _rounds(found)
    runs = rounds or [weights]
    is_found = k == "auto"
    if is_found:
        k = None if rounds else weights.basis.shape[1]
    outcome = {
        "k": k,
        "k_found": is_found,
        "objective": float(weights.objective),
        "gap": weights.gap if math.isfinite(weights.gap) else None,
        "selected": [row["feature"] for row in ranking if row["selected"]],
        "n_iter": sum(run.n_iter for run in runs),
        "n_passes": found.n_passes,
        "converged": all(run.converged for run in runs),
    }
    if rounds:
        outcome["rounds"] = [
            {"k": run.basis.shape[1], "selected": _names(run, run.select())} for run in rounds
        ]
    return outcome


def _lines(summary: dict[str, Any], top: list[dict[str, Any]], tol: float | None) -> Iterator[str]:
    """Yield the lines of the text output."""
    n, count = summary["n_features"], len(summary["selected"])
    k = "" if summary["k"] is None else f", k = {_validate.count_of(summary['k'], 'direction')}"
    if summary["k_found"]:
        k = f"{k or ', k of every round'}, found by itself (-k sets it)"
    yield f"{summary['data']}: {summary['n_samples']} samples x {n} features"
    settled = f"settled to {DEFAULT_TOL if tol is None else tol:g}"
    yield (
        f"{summary['method']}{k}: objective {summary['objective']:.6g}, "
        f"{settled if summary['converged'] else 'not settled'}, data read "
        f"{summary['n_passes']} times, {summary['seconds']:.2f} s"
    )
    yield ""
    blocks = terminal.encodable(BLOCKS + RULE) == BLOCKS + RULE
    features = [_validate.printable(row["feature"]) for row in top]
    width = max(7, *map(len, features))
    yield f"   rank  {'feature':{width}}   weight"
    for row, feature in zip(top, features, strict=True):
        mark = "*" if row["selected"] else " "
        bar = _bar(row["weight"] / top[0]["weight"], blocks)
        yield f" {mark} {row['rank']:4}  {feature:{width}}  {row['weight']:7.4f}  {bar}".rstrip()
        if row["rank"] == count < n:
            yield " " + (RULE if blocks else "-") * (18 + width + BAR_WIDTH)
    if n > len(top):
        yield f"   and {n - len(top)} more"
    yield ""
    yield _verdict(n, count, summary["gap"])
    for i, one_round in enumerate(summary.get("rounds", ()), 1):
        selected = _validate.first_few(one_round["selected"], len(top))
        k = _validate.count_of(one_round["k"], "direction")
        yield f"above the gap of round {i} alone, k = {k}: {selected}"


def _bar(share: float, blocks: bool) -> str:
    """Draw a bar: block characters show eighths of a cell; without them `#` shows whole ones."""
    eighths = round(8 * BAR_WIDTH * max(share, 0.0))
    if not blocks:
        return "#" * (eighths // 8)
    return BLOCKS[-1] * (eighths // 8) + BLOCKS[eighths % 8].strip()


def _verdict(n: int, count: int, gap: float | None) -> str:
    """Say how many features lie above the gap, and whether the cut is clear."""
    if count == n:
        return "all features weigh the same: there is no gap"
    ratio = "infinitely many" if gap is None else f"{gap:.3g}"
    clear = "; no clear cut" if gap is not None and gap < CLEAR else ""
    return (
        f"{count} of {n} features above the gap (*): mean weight {ratio} times that of the rest"
        f"{clear}"
    )
