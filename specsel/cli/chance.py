"""What ``specsel select`` says last: whether the data have more in common than chance."""

import argparse
from typing import Any

import numpy as np

from specsel._methods import COMPARED
from specsel.cli import tables, terminal

# Shuffles if nobody asks for more: just enough for p = .05. They are made where all of them take
# about a second, which is about so many multiplications.
QUICK = 19
QUICK_WORK = 2e9

HELP = (
    "compare with so many shuffles of the columns, or with --target of the labels; 99 make a p of "
    f".01 possible; 0 leaves it out; default {QUICK} if that takes about a second and X is dense "
    f"({', '.join(COMPARED)})"
)


def add_option(add: Any) -> None:
    """Add ``--permutations`` to the options of the command."""
    add("--permutations", type=int, metavar="N", help=HELP)


def check(args: argparse.Namespace) -> None:
    """Refuse a number of shuffles that cannot be."""
    if args.permutations is None:
        return
    if args.permutations < 0:
        raise ValueError(f"--permutations {args.permutations}: must be at least 0")
    if not args.permutations:
        return
    if args.shuffle:
        raise ValueError("--permutations: goes with the data as they are; leave --shuffle out")
    if args.method not in COMPARED:
        raise ValueError(f"--permutations: is for --method {', '.join(COMPARED)}")
    if args.method == "kernel" and args.k in (None, "auto"):
        raise ValueError("--permutations: needs a number for -k with --method kernel")


def compare(
    args: argparse.Namespace, table: tables.Table, given: dict[str, Any], found: Any
) -> Any:
    """Return the evidence, or None where nobody asked for it and it would take long."""
    n = args.permutations
    if n is None:
        possible = args.method in COMPARED and not args.shuffle and not _counts_kernel(args)
        possible = possible and isinstance(
            table.values, np.ndarray
        )  # or it would have to become so
        n = (
            QUICK
            if possible and QUICK * _work(args.method, table.values, found) <= QUICK_WORK
            else 0
        )
    if n == 0:
        return None
    from specsel import evidence

    table = tables.dense(table, f"--permutations {n}")
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


def _work(method: str, X: Any, found: Any) -> float:
    """About how many multiplications a solve takes."""
    q, n = X.shape
    k = found.basis.shape[1]
    if method == "kernel":
        return float(n * n * (q + found.n_passes * k))
    reduced = min(q, n)
    width = reduced if method == "weighting" else 4 * (k + 1)
    return float(found.n_passes * n * reduced * width + (q * n * n if q > n else 0))


def summary(found: Any) -> dict[str, Any] | None:
    """Return what JSON says of the comparison."""
    if found is None:
        return None
    return {
        "verdict": found.verdict,
        "p_value": found.p_value,
        "z": None if found.z != found.z else found.z,
        "objective": found.objective,
        "null": found.null.tolist(),
        "shuffled": found.shuffled,
        "beyond_chance": found.beyond_chance.tolist(),
    }


def line(args: argparse.Namespace, told: dict[str, Any] | None) -> str:
    """Say whether there is more in common than chance, or how to find out."""
    if told is not None:
        null = told["null"]
        mean = sum(null) / len(null)
        counted = args.method == "qalpha" and args.k in (None, "auto")
        what = "energy of three directions" if counted else "objective"
        return (
            f"{told['verdict']}: p = {told['p_value']:.3g}; {what} {told['objective']:.4g} "
            f"beside {mean:.4g} on average in {len(null)} shuffles of the {told['shuffled']}"
        )
    if args.shuffle:
        return "this is what chance finds; compare the objective with that of the data"
    if _counts_kernel(args):
        return "is this more than chance? -k with a number and --permutations 99 tell"
    if args.method in COMPARED:
        return "is this more than chance? --permutations 99 tells"
    return "is this more than chance? compare the objective with that of --shuffle"
