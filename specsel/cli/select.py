"""``specsel select``: rank the features of a table."""

import argparse
import json
import math
import time
from importlib import import_module
from pathlib import Path

from specsel import _input
from specsel._input import choices
from specsel.cli import aligned, common, tables, terminal

BAR_WIDTH = 30

BLOCKS, RULE = " ▏▎▍▌▋▊▉█", "─"

# A gap is told to be unclear where weights above it are less than so many times those below.
CLEAR = 2.0

LOOP = ("init", "tol", "max_iter", "seed")

# The options that a method takes; what it does not take is refused.
METHODS = {
    "qalpha": ("k", *LOOP),
    "weighting": ("target", "tradeoff"),
    "alignment": ("target", "features", "neighbours", "components", "scale"),
    "laplacian": ("k", "representation", *LOOP),
    "supervised": ("target", "representation", *LOOP),
    "kernel": ("k", "kernel", *LOOP),
    "side_info": ("k", "side", "tradeoff", *LOOP),
    "topography": ("k", "rounds", "tradeoff", *LOOP),
    "pairwise": ("k", "apart", "together", "tradeoff", "representation", *LOOP),
}

# One of these must be given.
NEEDED = {"supervised": ("target",), "side_info": ("side",), "pairwise": ("apart", "together")}

DEFAULTS = {"k": "auto", "seed": 0}  # where the solvers have none, or others

PARAMETERS = {
    "target": "y",
    "features": "n",
    "seed": "random_state",
}  # of the solvers, where they differ

EPILOG = """\
methods:
  qalpha      features that make the samples form k clusters
  weighting   the same without k, less sharp; with --target for discriminant analysis
  alignment   features that stand for the samples' neighbourhoods and do not repeat each other;
              with --target for classes
  laplacian   clusters by the Laplacian of the affinities
  kernel      clusters by a kernel, which sees more than straight lines
  side_info   clusters that the data of --side do not have
  topography  several groupings, one after the other
  pairwise    clusters that heed pairs of rows, of --apart and --together
  supervised  features that tell the classes of --target apart

A first row is a header, and names the features, if at least half of it is not numbers, if it holds
a name given with --target or --drop, or if it counts the columns. A first column without a name
then holds labels of the rows, and is left out. "index" counts the features from 0.

Weights of noise have a gap too. What structure adds is told by the objective beside that of the
same columns shuffled, with --shuffle.

examples:
  specsel select measurements.csv -k 4 --top 10 --out ranking.csv
  specsel select flowers.csv --method supervised --target species
  specsel select measurements.csv -k 4 --shuffle
  specsel select measurements.csv --method alignment --features 50
  specsel select patients.csv --method side_info --side healthy.csv
"""


def add_command(commands):
    """Add the command to the parser."""
    parser = commands.add_parser(
        "select",
        help="rank the features of a table",
        description="Rank the features of a table: which carry the structure of the samples?",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    common.add_input(add, "class labels, for some methods")
    add("--method", choices=METHODS, default="qalpha", help="default qalpha")
    add("--top", type=int, default=20, metavar="N", help="rows to print (default 20)")
    add("--shuffle", action="store_true", help="shuffle every column first: what chance finds")
    common.add_output(add, "the ranking of all features", "the weights")
    _add_options(parser.add_argument_group("options of some methods"))
    parser.set_defaults(run=run)


def _add_options(group):
    def add(*flags, help, **options):
        option = flags[0].lstrip("-").replace("-", "_")
        users = [method for method in METHODS if option in METHODS[method]]
        others = [method for method in METHODS if method not in users]
        which = ", ".join(users) if len(users) < 5 else f"not {' or '.join(others)}"
        group.add_argument(*flags, help=f"{help} ({which})", **options)

    k_help = "number of clusters, or auto, the default: by the spectral gap"
    add("-k", type=common.count, help=k_help)
    file = {"type": Path, "metavar": "FILE"}
    add("--side", action="append", help="data that vary as is not wanted, repeatable", **file)
    add("--apart", help="pairs of rows, from 0, in different clusters; with a header", **file)
    add("--together", help="pairs of rows in the same cluster, likewise", **file)
    tradeoff_help = (
        "weight of one aim against the other, by default 0.1 for side_info, 1 for weighting and "
        "pairwise, 2 over the number of features for topography"
    )
    add("--tradeoff", type=float, metavar="LAMBDA", help=tradeoff_help)
    add(
        "--representation",
        choices=choices.REPRESENTATIONS,
        help="how features become non-negative",
    )
    add("--kernel", choices=choices.KERNELS, help="what compares features, by default rbf")
    add("--rounds", type=int, metavar="N", help="sets of features to look for, by default 2")
    add("--features", type=int, metavar="N", help="how many, by default up to the peak")
    add("--neighbours", type=int, metavar="N", help="of every sample, by default 5")
    add("--components", type=int, metavar="N", help="in which they are near, by default 20")
    add("--scale", choices=choices.SCALES, help="of the features, by default unit")
    add("--init", choices=choices.INITS, help="start, by default the method's own")
    add("--tol", type=float, help="change of the objective to end at, by default 1e-6")
    add("--max-iter", type=int, metavar="N", help="most iterations, by default 200")
    add("--seed", type=int, help="of random starts, by default 0")


def run(args) -> int:
    """Weigh the features and print them, best first."""
    _check_options(args)
    with terminal.warnings_in_lines():
        table = common.read(args, "target" in NEEDED.get(args.method, ()))
        common.check_classes(args.target, table.y)
        if args.shuffle:
            table = tables.shuffled(table, args.seed or 0)
        given = _arguments(args, table)
        solve = import_module(f"specsel.{args.method}").solve
        start = time.perf_counter()
        with terminal.progress("iteration {}, objective {:.6g}".format) as callback:
            if "max_iter" in METHODS[args.method]:
                given["callback"] = callback
            found = solve(table.X, **given)
        seconds = time.perf_counter() - start
    if args.method == "alignment":
        aligned.show(args, found, _head(args, table, len(found.relevance)), seconds)
        return 0
    weights = getattr(found, "combined", found)
    ranking = _ranking(found, weights)
    summary = {
        **_head(args, table, len(ranking)),
        **_outcome(found, weights, ranking, given.get("k")),
        "seconds": seconds,
    }
    if args.json:
        terminal.write(json.dumps(summary | {"ranking": ranking}))
    else:
        terminal.write("\n".join(_lines(summary, ranking[: args.top])))
    if args.out:
        tables.save(args.out, ranking)
    if args.plot:
        display = "TopographyDisplay" if len(_rounds(found)) > 1 else "WeightsDisplay"
        common.draw(args.plot, display, found)
    return 0 if summary["converged"] else 1


def _head(args, table, n_features):
    """What the output says first, whatever the method."""
    return {
        "data": table.origin,
        "method": args.method,
        "n_samples": len(table.X),
        "n_features": n_features,
    }


def _check_options(args):
    if args.top < 1:
        raise ValueError(f"--top {args.top}: must be at least 1")
    _check_use(args)
    common.check_seed(args.seed or 0)
    common.check_output(args, [*(args.side or ()), args.apart, args.together])


def _check_use(args):
    """Refuse options that the method does not take, and the lack of those that it needs."""
    unused = set().union(*METHODS.values()).difference(METHODS[args.method])
    given = [option for option, value in vars(args).items() if value is not None]
    for option in given:
        if option in unused:
            hint = "; --drop leaves a column out" if option == "target" else ""
            raise ValueError(f"{_flag(option)}: is not used by --method {args.method}{hint}")
    needed = NEEDED.get(args.method, ())
    from_example = args.file is None and needed == ("target",)
    if needed and not set(given) & set(needed) and not from_example:
        raise ValueError(f"--method {args.method}: needs {' or '.join(map(_flag, needed))}")
    if args.method == "weighting" and args.tradeoff is not None and args.target is None:
        raise ValueError("--tradeoff: needs --target with --method weighting")


def _flag(option):
    return "-k" if option == "k" else f"--{option.replace('_', '-')}"


def _arguments(args, table):
    """What the solver is given beside X; it has defaults of its own for the rest."""
    values = DEFAULTS | {name: value for name, value in vars(args).items() if value is not None}
    values["target"] = table.y
    values["side"] = [common.read_file(path, args).X for path in args.side or ()]
    for option in ("apart", "together"):
        if option in values:
            values[option] = tables.read_pairs(values[option])
    return {
        PARAMETERS.get(option, option): values[option]
        for option in METHODS[args.method]
        if values.get(option) is not None
    }


def _ranking(found, weights):
    """What is known of every feature, best first."""
    order, count = weights.ranking, len(weights.select())
    columns = {
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


def _names(weights, features):
    return [str(name) for name in _input.named(features, weights.names)]


def _rounds(found):
    """What every round found, if there were rounds."""
    return getattr(found, "weights", ())


def _outcome(found, weights, ranking, k):
    """What JSON says before the ranking; null is an infinite gap, and a k that rounds choose."""
    rounds = _rounds(found)
    runs = rounds or [weights]
    if k == "auto":
        k = None if rounds else weights.basis.shape[1]
    outcome = {
        "k": k,
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


def _lines(summary, top):
    """Yield the lines of the text output."""
    n, count = summary["n_features"], len(summary["selected"])
    k = "" if summary["k"] is None else f", k = {summary['k']}"
    yield f"{summary['data']}: {summary['n_samples']} samples x {n} features"
    yield (
        f"{summary['method']}{k}: objective {summary['objective']:.6g}, iterations "
        f"{summary['n_iter']}, passes {summary['n_passes']}, {summary['seconds']:.2f} s"
    )
    yield ""
    blocks = terminal.encodable(BLOCKS + RULE) == BLOCKS + RULE
    width = max(7, *(len(str(row["feature"])) for row in top))
    yield f"   rank  {'feature':{width}}   weight"
    for row in top:
        mark = "*" if row["selected"] else " "
        bar = _bar(row["weight"] / top[0]["weight"], blocks)
        feature = f"{row['feature']!s:{width}}"
        yield f" {mark} {row['rank']:4}  {feature}  {row['weight']:7.4f}  {bar}".rstrip()
        if row["rank"] == count < n:
            yield " " + (RULE if blocks else "-") * (18 + width + BAR_WIDTH)
    if n > len(top):
        yield f"   and {n - len(top)} more"
    yield ""
    yield _verdict(n, count, summary["gap"])
    for i, part in enumerate(summary.get("rounds", ()), 1):
        yield f"round {i}, k = {part['k']}: {_input.some(part['selected'], len(top))}"


def _bar(share, blocks):
    eighths = round(8 * BAR_WIDTH * max(share, 0.0))
    if not blocks:
        return "#" * (eighths // 8)
    return BLOCKS[-1] * (eighths // 8) + BLOCKS[eighths % 8].strip()


def _verdict(n, count, gap):
    if count == n:
        return "all features weigh the same: there is no gap"
    ratio = "infinitely many" if gap is None else f"{gap:.3g}"
    clear = "; no clear cut" if gap is not None and gap < CLEAR else ""
    return (
        f"{count} of {n} features above the gap (*): mean weight {ratio} times that of the rest"
        f"{clear}"
    )
