"""``specsel select``: rank the features of a table.

The methods come from the table of methods; which options each takes, with their choices and
defaults, comes from the signatures of their `solve`.
"""

import argparse
import json
import math
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from inspect import Parameter
from pathlib import Path
from typing import Any, get_args

import numpy as np

from specsel import _validate
from specsel._methods import COMPARED, METHODS, choices, parameters
from specsel.cli import common, tables, terminal
from specsel.cli.tables import Table

SELECTING = [name for name, row in METHODS.items() if row.command == "select"]

BAR_WIDTH = 30
BLOCKS, RULE = " ▏▎▍▌▋▊▉█", "─"

# A cut is called clear if the mean weight above it is at least so many times the mean below it.
CLEAR = 2.0

# Shuffles if nobody asks for more: just enough for p = .05. They are made where all of them take
# about a second, which is about so many multiplications.
QUICK = 19
QUICK_WORK = 2e9

# Options that set an argument of `solve`, and their help. A method takes those whose parameter its
# `solve` has; type, choices and default come from there too.
OPTIONS = {
    "k": "number of directions that carry the clusters, about that of clusters; auto, the "
    "default, counts them by the gap between eigenvalues; for weighting with --target, number of "
    "discriminants, by default as many as there are samples",
    "side": "samples of the same features whose variation is unwanted; may be repeated",
    "apart": "pairs of samples in different clusters: two columns of row numbers, counted from 0, "
    "below a header",
    "together": "pairs of samples in the same cluster, likewise",
    "tradeoff": "weight of the second aim against the first; for topography 2 over the number of "
    "features by default",
    "representation": "how to make features non-negative",
    "kernel": "kernel to compare features by",
    "rounds": "number of groupings to look for",
    "features": "number of features to take; by default up to the peak of the scores",
    "neighbours": "nearest samples of each",
    "components": "principal components in which samples are near",
    "scale": "features of unit norm, or in their own units",
    "init": "where the iteration starts",
    "tol": "stop when the objective rose by no more than this share of it over the last "
    "iterations; Q-α is then about as near to its limit",
    "max_iter": "stop after so many iterations",
    "seed": "seed of random starts and of all shuffles; default 0",
}
FILES = ("side", "apart", "together")

# The option that changes the table, not the solver, and the methods that compare distances.
STANDARDISED = ("alignment",)

DESCRIPTION = "Rank the features of a table: which carry the structure of the samples?"


def _wrapped(name: str) -> str:
    text = METHODS[name].help
    return textwrap.fill(f"  {name:11} {text}", 99, subsequent_indent=" " * 14)


EPILOG = f"""\
methods, with classes in --target, side data in --side, pairs in --apart and --together:
{chr(10).join(map(_wrapped, SELECTING))}

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
    method_help = "how to weigh the features, see below (default qalpha)"
    add("--method", choices=SELECTING, default="qalpha", help=method_help)
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
    for option in OPTIONS:
        add(common.flag(option), **_argument(option))
    standardise_help = "scale the columns to one deviation first; needed where units differ"
    which = f"({', '.join(STANDARDISED)})"
    add("--standardise", action="store_true", default=None, help=f"{standardise_help} {which}")


@cache
def _takers(option: str) -> dict[str, Parameter]:
    """Return the methods that take an option, and the parameter of their `solve`."""
    name = common.PARAMETER_OF_OPTION.get(option, option)
    taken = {method: parameters(method) for method in SELECTING}
    return {method: found[name] for method, found in taken.items() if name in found}


def _takes(method: str, option: str) -> bool:
    return method in (STANDARDISED if option == "standardise" else _takers(option))


def _argument(option: str) -> dict[str, Any]:
    """Return the arguments of `add_argument` for an option."""
    users = _takers(option)
    others = [method for method in SELECTING if method not in users]
    which = ", ".join(users) if len(users) < 5 else f"all but {', '.join(others)}"
    found: dict[str, Any] = {"help": f"{OPTIONS[option]}{_default(users)} ({which})"}
    if option == "k":
        return found | {"type": common.count}
    if option in FILES:
        action = {"action": "append"} if option == "side" else {}
        return found | {"type": Path, "metavar": "FILE"} | action
    kinds = [one.annotation for one in users.values()]
    names = dict.fromkeys(name for kind in kinds for name in choices(kind))
    if names:
        return found | {"choices": [*names]}
    real = any(float in (kind, *get_args(kind)) for kind in kinds)
    return found | {"type": float if real else int, "metavar": "NUMBER" if real else "N"}


def _default(users: Mapping[str, Parameter]) -> str:
    """Say which values an option has by default, and for which methods if they differ."""
    methods: dict[Any, list[str]] = {}
    for method, one in users.items():
        if one.default not in (None, Parameter.empty):
            methods.setdefault(one.default, []).append(method)
    if len(methods) == 1:
        return f"; default {_shown(*methods)}"
    each = [f"{_shown(value)} for {', '.join(names)}" for value, names in methods.items()]
    return f"; default {'; '.join(each)}" if each else ""


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def run(args: argparse.Namespace) -> int:
    """Weigh the features and print them, best first."""
    _check_options(args)
    with terminal.warnings_in_lines(partial(common.advice, args=args)):
        table = common.read(args, "y" in METHODS[args.method].needs, as_stored=True)
        common.check_classes(args.target, table.y)
        as_read = table
        if args.shuffle:
            table = table.shuffled(args.seed or 0)
        if args.standardise:
            table = table.standardised()
        given = _arguments(args, table)
        solve = import_module(f"specsel.{args.method}").solve
        start = time.perf_counter()
        with terminal.progress(str) as show, _reported(show) as callback:
            if "callback" in parameters(args.method):
                given["callback"] = callback
            found = solve(table.X, **given)
        seconds = time.perf_counter() - start
        aligned = args.method == "alignment"
        compared = None if aligned else _compare(args, table, given, found)
    weights = getattr(found, "combined", found)
    chosen = found.ranking[: len(found.support)] if aligned else weights.select()
    ranking = _ranking(found, weights, len(chosen))
    selected = [row["feature"] for row in ranking if row["selected"]]
    summary = {
        "data": table.origin,
        "method": args.method,
        "n_samples": table.n_samples,
        "n_features": len(ranking),
    }
    if aligned:
        summary |= _alignment(found, selected)
    else:
        summary |= _outcome(found, weights, selected, given.get("k"))
        summary["evidence"] = None if compared is None else _evidence(compared)
    summary["seconds"] = seconds
    verdicts = _verdicts(args, summary, found)
    converged = summary.get("converged", True)
    if args.json:
        terminal.write(json.dumps(summary | {"ranking": ranking}))
    else:
        tol = None if aligned else args.tol or parameters(args.method)["tol"].default
        terminal.write("\n".join(_lines(summary, ranking[: args.top], tol, verdicts)))
    display = "AlignmentDisplay" if aligned else "WeightsDisplay"
    if len(_rounds(found)) > 1:
        display = "TopographyDisplay"
    common.save(
        args,
        as_read,
        ranking,
        chosen,
        found,
        display=display,
        method=args.method,
        verdicts=verdicts[::-1] + [NOT_CONVERGED] * (not converged),
        seconds=seconds,
        **(_page(args, found, weights, table.X) if args.report else {}),
    )
    return 0 if converged else 1


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


def _page(args: argparse.Namespace, found: Any, weights: Any, X: Any) -> dict[str, Any]:
    """Return the pictures of a report and the clusters of the samples; X is what was solved."""
    if args.method == "alignment":
        return {"pictures": [("Alignment by number of features", found, {})]}
    rounds = _rounds(found)
    pictures: list[tuple[str, Any, dict[str, Any]]] = []
    if len(rounds) > 1:
        pictures.append(("Map: features that are alike stand close", found, {}))
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


NOT_CONVERGED = "not converged: more iterations may change the weights"

# Methods whose weights have a spectrum beyond its k leading eigenvalues, see `Weights.spectrum`.
WITH_SPECTRUM = ("qalpha", "side_info", "topography")


def _check_options(args: argparse.Namespace) -> None:
    _validate.check_integer("top", args.top, 1)
    _check_method(args)
    _check_permutations(args)
    _validate.check_integer("seed", args.seed or 0, 0)
    common.check_output(args, [*(args.side or ()), args.apart, args.together])


def _check_method(args: argparse.Namespace) -> None:
    """Refuse an option that the method does not take, and a method without what it needs."""
    of_methods = {*OPTIONS, "target", "standardise"}
    given = {option for option in of_methods if getattr(args, option) is not None}
    for option in (option for option in vars(args) if option in given):
        if not _takes(args.method, option):
            hint = "; --drop leaves a column out" if option == "target" else ""
            raise ValueError(f"{common.flag(option)}: is not used by --method {args.method}{hint}")
    needs = [common.OPTION_OF_PARAMETER.get(name, name) for name in METHODS[args.method].needs]
    from_example = args.file is None and needs == ["target"]
    if needs and not given & {*needs} and not from_example:
        raise ValueError(f"--method {args.method}: needs {' or '.join(map(common.flag, needs))}")
    if args.method == "weighting":
        for option in {"tradeoff", "k"} & given:
            if args.target is None:
                raise ValueError(f"{common.flag(option)}: needs --target with --method weighting")
        if args.k == "auto":
            raise ValueError("-k auto: must be a number of discriminants for --method weighting")


def _arguments(args: argparse.Namespace, table: Table) -> dict[str, Any]:
    """Return the arguments of `solve` beside X; for the rest it has defaults of its own."""
    values = {option: getattr(args, option) for option in OPTIONS}
    values["target"] = table.y
    values["seed"] = args.seed or 0
    if args.k is None and _takes(args.method, "k"):
        required = _takers("k")[args.method].default is Parameter.empty
        values["k"] = "auto" if required else None
    values["side"] = [common.read_side(path, args).X for path in args.side or ()]
    for option in ("apart", "together"):
        if values[option] is not None:
            values[option] = tables.read_pairs(values[option])
    return {
        common.PARAMETER_OF_OPTION.get(option, option): value
        for option, value in values.items()
        if value is not None and _takes(args.method, option)
    }


def _ranking(found: Any, weights: Any, count: int) -> list[dict[str, Any]]:
    """Return one row per feature, best first; the first `count` are selected."""
    order = weights.ranking
    selected = [place < count for place in range(len(order))]
    columns: dict[str, Sequence[Any]] = {
        "rank": range(1, len(order) + 1),
        "feature": _names(weights, order),
        "index": order.tolist(),
    }
    if hasattr(found, "scores"):
        columns |= {"score": found.scores.tolist(), "relevance": found.relevance[order].tolist()}
        columns["selected"] = selected
    else:
        columns |= {"weight": weights.alpha[order].tolist(), "selected": selected}
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


def _outcome(found: Any, weights: Any, selected: list[str], k: Any) -> dict[str, Any]:
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
        "selected": selected,
        "n_iter": sum(run.n_iter for run in runs),
        "n_passes": found.n_passes,
        "converged": all(run.converged for run in runs),
    }
    if rounds:
        outcome["rounds"] = [
            {"k": run.basis.shape[1], "selected": _names(run, run.select())} for run in rounds
        ]
    return outcome


def _alignment(found: Any, selected: list[str]) -> dict[str, Any]:
    """Return what JSON says of an alignment."""
    return {
        "target": found.target,
        "score": float(found.scores[len(found.support) - 1]),
        "peak": found.peak,
        "selected": selected,
        "n_passes": found.n_passes,
    }


def _lines(
    summary: dict[str, Any], top: list[dict[str, Any]], tol: float | None, verdicts: Sequence[str]
) -> Iterator[str]:
    """Yield the lines of the text output."""
    n, count = summary["n_features"], len(summary["selected"])
    yield f"{summary['data']}: {summary['n_samples']} samples x {n} features"
    if tol is None:
        found = f"alignment with {summary['target']}: score {summary['score']:.6g}"
    else:
        k = summary["k"]
        k = "" if k is None else f", k = {_validate.count_of(k, 'direction')}"
        if summary["k_found"]:
            k = f"{k or ', k of every round'}, found by itself (-k sets it)"
        settled = f"settled to {tol:g}" if summary["converged"] else "not settled"
        found = f"{summary['method']}{k}: objective {summary['objective']:.6g}, {settled}"
    yield f"{found}, data read {summary['n_passes']} times, {summary['seconds']:.2f} s"
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
    if n > len(top):
        yield f"   and {n - len(top)} more"
    yield ""
    yield verdicts[0]
    for i, one_round in enumerate(summary.get("rounds", ()), 1):
        selected = _validate.first_few(one_round["selected"], len(top))
        k = _validate.count_of(one_round["k"], "direction")
        yield f"above the gap of round {i} alone, k = {k}: {selected}"
    yield from verdicts[1:]


def _verdicts(args: argparse.Namespace, summary: dict[str, Any], found: Any) -> list[str]:
    """Say how many features are selected, and whether they are more than chance."""
    n, count = summary["n_features"], len(summary["selected"])
    if args.method == "alignment":
        return [f"{count} of {n} features selected (*); {found.tell_peak()}"]
    return [_cut(n, count, summary["gap"]), _chance(args, summary["evidence"])]


def _bar(share: float, blocks: bool) -> str:
    """Draw a bar: block characters show eighths of a cell; without them `#` shows whole ones."""
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


def _check_permutations(args: argparse.Namespace) -> None:
    """Refuse a number of shuffles that cannot be."""
    if args.permutations is None:
        return
    if not _validate.check_integer("permutations", args.permutations, 0):
        return
    if args.shuffle:
        raise ValueError("--permutations: goes with the data as they are; leave --shuffle out")
    if args.method not in COMPARED:
        raise ValueError(f"--permutations: is for --method {', '.join(COMPARED)}")
    if args.method == "kernel" and args.k in (None, "auto"):
        raise ValueError("--permutations: needs a number for -k with --method kernel")


def _compare(args: argparse.Namespace, table: Table, given: dict[str, Any], found: Any) -> Any:
    """Return the evidence, or None where nobody asked for it and it would take long."""
    n = args.permutations
    if n is None:
        dense = isinstance(table.values, np.ndarray)  # else it would have to become so
        possible = dense and args.method in COMPARED and not args.shuffle
        possible = possible and not _counts_kernel(args)
        n = QUICK if possible and QUICK * _work(args.method, table, found) <= QUICK_WORK else 0
    if n == 0:
        return None
    from specsel import evidence

    table = table.dense(f"--permutations {n}")
    options = {name: value for name, value in given.items() if name not in OWN}
    if "k" in given:
        options["k"] = given["k"]
    with terminal.progress("shuffle {} of {}".format, counted=True) as callback:
        return evidence.solve(
            table.X,
            y=given.get("y"),
            method=args.method,
            n=n,
            random_state=args.seed or 0,
            callback=callback,
            **options,
        )


# Arguments of the solver that the comparison has for itself.
OWN = ("y", "k", "random_state", "callback", "tol")


def _counts_kernel(args: argparse.Namespace) -> bool:
    return args.method == "kernel" and args.k in (None, "auto")


def _work(method: str, table: Table, found: Any) -> float:
    """Return about how many multiplications a solve takes."""
    q, n = table.values.shape
    k = found.basis.shape[1]
    if method == "kernel":
        return float(n * n * (q + found.n_passes * k))
    reduced = min(q, n)
    width = reduced if method == "weighting" else 4 * (k + 1)
    return float(found.n_passes * n * reduced * width + (q * n * n if q > n else 0))


def _evidence(found: Any) -> dict[str, Any]:
    """Return what JSON says of the comparison."""
    return {
        "verdict": found.verdict,
        "p_value": found.p_value,
        "z": None if math.isnan(found.z) else found.z,
        "objective": found.objective,
        "null": found.null.tolist(),
        "shuffled": found.shuffled,
        "beyond_chance": found.beyond_chance.tolist(),
    }


def _chance(args: argparse.Namespace, evidence: dict[str, Any] | None) -> str:
    """Say whether there is more in common than chance, or how to find out."""
    if evidence is not None:
        null = evidence["null"]
        mean = sum(null) / len(null)
        counted = args.method == "qalpha" and args.k in (None, "auto")
        what = "energy of three directions" if counted else "objective"
        return (
            f"{evidence['verdict']}: p = {evidence['p_value']:.3g}; {what} "
            f"{evidence['objective']:.4g} beside {mean:.4g} on average in "
            f"{len(null)} shuffles of the {evidence['shuffled']}"
        )
    if args.shuffle:
        return "this is what chance finds; compare the objective with that of the data"
    if _counts_kernel(args):
        return "is this more than chance? -k with a number and --permutations 99 tell"
    if args.method in COMPARED:
        return "is this more than chance? --permutations 99 tells"
    return "is this more than chance? compare the objective with that of --shuffle"


COMMAND = common.Command(DESCRIPTION, EPILOG, add_options, run)
