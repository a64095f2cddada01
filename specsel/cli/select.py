"""``specsel select``: rank the features of a table.

The methods come from the table of methods, their options from `common.OPTIONS`.
"""

import argparse
import json
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from inspect import Parameter
from typing import Any

import numpy as np

from specsel import _validate
from specsel._methods import COMPARED, METHODS, parameters
from specsel.cli import common, tables, terminal
from specsel.cli.tables import Table

BAR_WIDTH = 30
BLOCKS, RULE = " ▏▎▍▌▋▊▉█", "─"

# A cut is called clear if the mean weight above it is at least so many times the mean below it.
CLEAR = 2.0

# Shuffles by default: just enough for p = .05. They are made where all together take about a
# second, which is about so many multiplications.
QUICK = 19
QUICK_WORK = 2e9

# Methods that compare distances: they may need columns of one deviation.
STANDARDISED = ("alignment",)

# Methods whose weights have a spectrum beyond its k leading eigenvalues, see `Weights.spectrum`.
WITH_SPECTRUM = ("qalpha", "side_info", "topography")

# What JSON says of the comparison with shuffled data.
EVIDENCE = ("verdict", "p_value", "z", "objective", "null", "shuffled", "beyond_chance")

NOT_CONVERGED = "not converged: more iterations may change the weights"

DESCRIPTION = "Rank the features of a table: which carry the structure of the samples?"


def _wrapped(name: str) -> str:
    text = METHODS[name].help
    return textwrap.fill(f"  {name:11} {text}", 99, subsequent_indent=" " * 14)


EPILOG = f"""\
methods, with classes in --target, side data in --side, pairs in --apart and --together:
{chr(10).join(map(_wrapped, common.methods_of("select")))}

How a text is read: it is UTF-8, UTF-16 with its mark, or cp1252. The delimiter is that of comma,
tab, semicolon and bar that divides the first rows alike. Decimals have commas where the delimiter
is another and numbers have commas but no points. The first row is a header if it holds text above
numbers or its first cell is empty (the first column then names the samples); if its numbers may be
names, --header yes or no is asked for. The first line of the output says what was found; --header,
--decimal, --encoding and --index say otherwise. "index" in the output is the number of a feature,
from 0.

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
    common.add_input(add, "class labels, for supervised, weighting and alignment")
    methods = common.methods_of("select")
    method_help = "how to weigh the features, see below (default qalpha)"
    add("--method", choices=methods, default="qalpha", help=method_help)
    top_help = "how many features to print, best first (default 20)"
    add("--top", type=int, default=20, metavar="N", help=top_help)
    shuffle_help = "shuffle every column first, to see what chance finds in such data"
    add("--shuffle", action="store_true", help=shuffle_help)
    permutations_help = (
        "compare with so many shuffles of the columns, or with --target of the labels; 99 make a "
        f"p of .01 possible; 0 leaves it out; default {QUICK} if that takes about a second and X "
        f"is dense ({', '.join(COMPARED)})"
    )
    add("--permutations", type=int, metavar="N", help=permutations_help)
    common.add_output(add, "the ranking of all features", "the weights")
    add = parser.add_argument_group("options of some methods").add_argument
    common.add_options_of_methods("select", add)
    standardise_help = "scale the columns to one deviation first; needed where units differ"
    which = f"({', '.join(STANDARDISED)})"
    add("--standardise", action="store_true", default=None, help=f"{standardise_help} {which}")


def run(args: argparse.Namespace) -> int:
    """Weigh the features and print them, best first."""
    _check_options(args)
    with terminal.warnings_in_lines(partial(common.advice, args=args)):
        as_read = common.read(args, "y" in METHODS[args.method].needs, as_stored=True)
        common.check_classes(args.target, as_read.y)
        table = as_read
        if args.shuffle:
            table = table.shuffled(args.seed or 0)
        if args.standardise:
            table = table.standardised()
        options = _arguments(args, table)
        start = time.perf_counter()
        with terminal.progress(str) as show, _reported(show) as callback:
            if "callback" in parameters(args.method):
                options["callback"] = callback
            solution = import_module(f"specsel.{args.method}").solve(table.X, **options)
        seconds = time.perf_counter() - start
        evidence = _compare(args, table, options, solution)
    weights = getattr(solution, "combined", solution)
    aligned = args.method == "alignment"
    chosen = solution.ranking[: len(solution.support)] if aligned else weights.select()
    ranking = _ranking(solution, weights, len(chosen))
    summary = {
        "data": table.origin,
        "method": args.method,
        "n_samples": table.n_samples,
        "n_features": table.n_features,
    }
    selected = [row["feature"] for row in ranking[: len(chosen)]]
    if aligned:
        summary |= common.facts(solution, "target", "peak", "n_passes") | {"selected": selected}
        summary["score"] = float(solution.scores[len(chosen) - 1])
        count = f"{len(chosen)} of {table.n_features} features selected (*)"
        verdicts = [f"{count}; {solution.tell_peak()}"]
    else:
        summary |= _outcome(solution, weights, selected, options.get("k"))
        summary["evidence"] = evidence and common.facts(evidence, *EVIDENCE)
        cut = _cut(table.n_features, len(chosen), summary["gap"])
        verdicts = [cut, _chance(args, evidence)]
    summary["seconds"] = seconds
    converged = summary.get("converged", True)
    if args.json:
        terminal.write(json.dumps(summary | {"ranking": ranking}))
    else:
        tol = None if aligned else args.tol or parameters(args.method)["tol"].default
        terminal.write("\n".join(_lines(summary, ranking, args.top, tol, verdicts)))
    display = "AlignmentDisplay" if aligned else "WeightsDisplay"
    if len(_rounds(solution)) > 1:
        display = "TopographyDisplay"
    common.save(
        args,
        as_read,
        ranking,
        chosen,
        solution,
        display=display,
        method=args.method,
        verdicts=verdicts[::-1] + [NOT_CONVERGED] * (not converged),
        seconds=seconds,
        **(_page(args, solution, weights, table.X) if args.report else {}),
    )
    return 0 if converged else 1


def _check_options(args: argparse.Namespace) -> None:
    """Refuse options that the method does not take, and a method without what it needs."""
    _validate.check_integer("top", args.top, 1)
    of_methods = {*common.OPTIONS["select"], "target", "standardise"}
    used = [option for option in vars(args) if option in of_methods]
    used = [option for option in used if getattr(args, option) is not None]
    for option in used:
        if not _takes(args.method, option):
            hint = "; --drop leaves a column out" if option == "target" else ""
            raise ValueError(f"{common.flag(option)}: is not used by --method {args.method}{hint}")
    needs = [common.OPTION_OF_PARAMETER.get(name, name) for name in METHODS[args.method].needs]
    from_example = args.file is None and needs == ["target"]
    if needs and not {*used} & {*needs} and not from_example:
        raise ValueError(f"--method {args.method}: needs {' or '.join(map(common.flag, needs))}")
    if args.method == "weighting":
        for option in ("tradeoff", "k"):
            if option in used and args.target is None:
                raise ValueError(f"{common.flag(option)}: needs --target with --method weighting")
        if args.k == "auto":
            raise ValueError("-k auto: must be a number of discriminants for --method weighting")
    if args.permutations and _validate.check_integer("permutations", args.permutations, 0):
        if args.shuffle:
            raise ValueError("--permutations: goes with the data as they are; leave --shuffle out")
        if args.method not in COMPARED:
            raise ValueError(f"--permutations: is for --method {', '.join(COMPARED)}")
        if _counts_kernel(args):
            raise ValueError("--permutations: needs a number for -k with --method kernel")
    _validate.check_integer("seed", args.seed or 0, 0)
    common.check_output(args, [*(args.side or ()), args.apart, args.together])


def _takes(method: str, option: str) -> bool:
    if option == "standardise":
        return method in STANDARDISED
    return method in common.takers("select", option)


def _counts_kernel(args: argparse.Namespace) -> bool:
    """Return whether k is counted in a kernel matrix, which no shuffle keeps."""
    return args.method == "kernel" and args.k in (None, "auto")


def _arguments(args: argparse.Namespace, table: Table) -> dict[str, Any]:
    """Return the arguments of `solve` beside X; for the rest it has defaults of its own."""
    values = {option: getattr(args, option) for option in common.OPTIONS["select"]}
    values |= {"target": table.y, "seed": args.seed or 0}
    if args.k is None and _takes(args.method, "k"):
        required = common.takers("select", "k")[args.method].default is Parameter.empty
        values["k"] = "auto" if required else None
    if args.side:  # samples of the same features, with or without the columns that are none
        also = [args.target] * bool(args.target)
        options = {"drop": [*common.listed(args.drop), *also], "lenient": True, "as_stored": True}
        values["side"] = [common.read_file(args, path, **options).X for path in args.side]
    for option in ("apart", "together"):
        if values[option] is not None:
            values[option] = tables.read_pairs(values[option])
    return {
        common.PARAMETER_OF_OPTION.get(option, option): value
        for option, value in values.items()
        if value is not None and _takes(args.method, option)
    }


@contextmanager
def _reported(
    show: Callable[[str], None] | None,
) -> Iterator[Callable[[int, float], None] | None]:
    """Give a callback for a solver; show its iterations and every pass over the data."""
    if show is None:
        yield None
        return
    from specsel import _data  # here, for it loads compiled code

    texts = {"iteration": "", "pass": ""}

    def update(what: str, text: str) -> None:
        texts[what] = text
        show(", ".join(filter(None, texts.values())))

    def iterated(number: int, objective: float) -> None:
        update("iteration", f"iteration {number}, objective {objective:.6g}")

    with _data.watched(lambda count: update("pass", f"pass {count} over the data")):
        yield iterated


def _compare(
    args: argparse.Namespace, table: Table, options: dict[str, Any], solution: Any
) -> Any:
    """Return the evidence, or None where it was not asked for and would take long."""
    n = args.permutations
    if n is None:
        # Other data than dense ones would have to be made dense.
        dense = isinstance(table.values, np.ndarray)
        compared = args.method in COMPARED and not _counts_kernel(args) and not args.shuffle
        quick = dense and compared and QUICK * _work(args.method, table, solution) <= QUICK_WORK
        n = QUICK * quick
    if n == 0:
        return None
    from specsel import evidence

    table = table.dense(f"--permutations {n}")
    own = ("random_state", "callback", "tol")  # which the comparison sets itself
    options = {key: value for key, value in options.items() if key not in own}
    with terminal.progress("shuffle {} of {}".format, counted=True) as callback:
        return evidence.solve(
            table.X,
            method=args.method,
            n=n,
            random_state=args.seed or 0,
            callback=callback,
            **options,
        )


def _work(method: str, table: Table, solution: Any) -> float:
    """Return about how many multiplications a solve takes."""
    q, n = table.values.shape
    k = solution.basis.shape[1]
    if method == "kernel":
        return float(n * n * (q + solution.n_passes * k))
    reduced = min(q, n)
    width = reduced if method == "weighting" else 4 * (k + 1)
    return float(solution.n_passes * n * reduced * width + (q * n * n if q > n else 0))


def _ranking(solution: Any, weights: Any, count: int) -> list[dict[str, Any]]:
    """Return one row per feature, best first; the first `count` are selected."""
    order = weights.ranking
    columns: dict[str, Sequence[Any]] = {
        "rank": range(1, len(order) + 1),
        "feature": _names(weights, order),
        "index": order.tolist(),
    }
    if hasattr(solution, "scores"):
        columns |= {"score": solution.scores.tolist()}
        columns |= {"relevance": solution.relevance[order].tolist()}
    else:
        columns |= {"weight": weights.alpha[order].tolist()}
    columns["selected"] = [place < count for place in range(len(order))]
    for i, one_round in enumerate(_rounds(solution)):
        columns[f"relevance_{i + 1}"] = one_round.alpha[order].tolist()
        columns[f"position_{i + 1}"] = solution.positions[order, i].tolist()
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _names(weights: Any, features: Any) -> list[str]:
    return [str(name) for name in _validate.name_features(features, weights.names)]


def _rounds(solution: Any) -> Sequence[Any]:
    """Return the weights of every round; nothing if the method has no rounds."""
    rounds: Sequence[Any] = getattr(solution, "weights", ())
    return rounds


def _outcome(solution: Any, weights: Any, selected: list[str], k: Any) -> dict[str, Any]:
    """Return what JSON says of weights; if k is counted in every round, it is None."""
    rounds = _rounds(solution)
    runs = rounds or [weights]
    is_found = k == "auto"
    if is_found:
        k = None if rounds else weights.basis.shape[1]
    outcome = {
        "k": k,
        "k_found": is_found,
        **common.facts(weights, "objective", "gap"),
        "selected": selected,
        "n_iter": sum(run.n_iter for run in runs),
        "n_passes": solution.n_passes,
        "converged": all(run.converged for run in runs),
    }
    if rounds:
        outcome["rounds"] = [
            {"k": run.basis.shape[1], "selected": _names(run, run.select())} for run in rounds
        ]
    return outcome


def _lines(
    summary: dict[str, Any],
    ranking: list[dict[str, Any]],
    limit: int,
    tol: float | None,
    verdicts: Sequence[str],
) -> Iterator[str]:
    """Yield the lines of the text output, with at most `limit` features.

    An alignment has no `tol`, and ranks as many features as were asked for.
    """
    n, count, top = summary["n_features"], len(summary["selected"]), ranking[:limit]
    yield f"{summary['data']}: {summary['n_samples']} samples x {n} features"
    if tol is None:
        result = f"alignment with {summary['target']}: score {summary['score']:.6g}"
    else:
        k = summary["k"]
        k = "" if k is None else f", k = {_validate.count_of(k, 'direction')}"
        if summary["k_found"]:
            k = f"{k or ', k of every round'}, found by itself (-k sets it)"
        settled = f"settled to {tol:g}" if summary["converged"] else "not settled"
        result = f"{summary['method']}{k}: objective {summary['objective']:.6g}, {settled}"
    yield f"{result}, data read {summary['n_passes']} times, {summary['seconds']:.2f} s"
    yield ""
    blocks = terminal.encodable(BLOCKS + RULE) == BLOCKS + RULE
    features = [_validate.printable(row["feature"]) for row in top]
    width = max(7, *map(len, features))
    value = "score" if tol is None else "weight"
    yield f"   rank  {'feature':{width}}  {value:>7}"
    for row, feature in zip(top, features, strict=True):
        mark = "*" if row["selected"] else " "
        bar = "" if tol is None else _bar(row["weight"] / top[0]["weight"], blocks)
        yield f" {mark} {row['rank']:4}  {feature:{width}}  {row[value]:7.4f}  {bar}".rstrip()
        if tol is not None and row["rank"] == count < n:
            yield " " + (RULE if blocks else "-") * (18 + width + BAR_WIDTH)
    if len(ranking) > len(top):
        yield f"   and {len(ranking) - len(top)} more"
    yield ""
    yield verdicts[0]
    for i, one_round in enumerate(summary.get("rounds", ()), 1):
        selected = _validate.first_few(one_round["selected"], len(top))
        k = _validate.count_of(one_round["k"], "direction")
        yield f"above the gap of round {i} alone, k = {k}: {selected}"
    yield from verdicts[1:]


def _bar(share: float, blocks: bool) -> str:
    """Draw a bar: block characters show eighths of a cell; without them `#` shows full ones."""
    eighths = round(8 * BAR_WIDTH * max(share, 0.0))
    if not blocks:
        return "#" * (eighths // 8)
    return BLOCKS[-1] * (eighths // 8) + BLOCKS[eighths % 8].strip()


def _cut(n: int, count: int, gap: float | None) -> str:
    """Say how many features lie above the gap, and whether the cut is clear."""
    if count == n:
        return "all features weigh the same: there is no gap"
    ratio = "infinitely many" if gap is None else f"{gap:.3g}"
    clear = "; no clear cut" if gap is not None and gap < CLEAR else ""
    return (
        f"{count} of {n} features above the gap (*): mean weight {ratio} times that of the rest"
        f"{clear}"
    )


def _chance(args: argparse.Namespace, evidence: Any) -> str:
    """Say whether there is more in common than chance, or how to find out."""
    if evidence is not None:
        counted = args.method == "qalpha" and args.k in (None, "auto")
        what = "energy of three directions" if counted else "objective"
        return (
            f"{evidence.verdict}: p = {evidence.p_value:.3g}; {what} {evidence.objective:.4g} "
            f"beside {evidence.null.mean():.4g} on average in {len(evidence.null)} shuffles of "
            f"the {evidence.shuffled}"
        )
    if args.shuffle:
        return "this is what chance finds; compare the objective with that of the data"
    if _counts_kernel(args):
        return "is this more than chance? -k with a number and --permutations 99 tell"
    if args.method in COMPARED:
        return "is this more than chance? --permutations 99 tells"
    return "is this more than chance? compare the objective with that of --shuffle"


def _page(args: argparse.Namespace, solution: Any, weights: Any, X: Any) -> dict[str, Any]:
    """Return the pictures of a report and the clusters of the samples; X is what was solved."""
    if args.method == "alignment":
        return {"pictures": [("Alignment by number of features", solution, {})]}
    rounds = _rounds(solution)
    pictures: list[tuple[str, Any, dict[str, Any]]] = []
    if len(rounds) > 1:
        pictures.append(("Map: features that are alike stand close", solution, {}))
    pictures.append(("Weights by rank, and the cut", weights, {}))
    more = args.method in WITH_SPECTRUM
    for i, run in enumerate(rounds or [weights], 1):
        if more or len(run.eigenvalues) > 1:
            title = f"The k = {run.k_} leading eigenvalues{f' of round {i}' * bool(rounds)}"
            options = {"display": "SpectrumDisplay", "X": X if more else None}
            pictures.append((title + ", and those after them" * more, run, options))
    k = weights.basis.shape[1]
    without_clusters = rounds or k == 1 or args.method in ("weighting", "supervised")
    return {"pictures": pictures, "labels": None if without_clusters else weights.labels()}


COMMAND = common.Command(DESCRIPTION, EPILOG, add_options, run)
