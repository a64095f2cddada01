"""``specsel stable``: remove features until a principal subspace of the rest is stable."""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from specsel import _validate
from specsel.cli import common, terminal
from specsel.cli.tables import Table

# The example has defaults of its own: those that find the signals among its features.
DEFAULTS = {"matrix": "cosine", "retain": 0.5}
DEFAULTS_OF_EXAMPLE = {"matrix": "correlation", "retain": 0.1}

HELP = "find a stable principal subspace"
DESCRIPTION = "Remove features until a principal subspace of the rest is stable."

# Resamples that "auto" begins with, and more than any solver makes.
N_BOOT, MOST = 1000, 10**9

# So many multiplications a second two cores make for the intervals.
SPEED = 1.5e10

EPILOG = """\
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


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    add = parser.add_argument
    common.add_input(add, "labels, which are left out")
    retain_help = "share of the trace to retain (default 0.5; for the example 0.1)"
    add("--retain", type=float, metavar="SHARE", help=retain_help)
    least_help = "least number of components (default 1); with --retain 0 the only condition"
    add("--at-least", type=int, default=1, metavar="K", help=least_help)
    matrix_help = (
        "similarities of the features: cosine or inner for counts, covariance or correlation for "
        "measurements (default cosine; for the example correlation)"
    )
    add("--matrix", choices=_validate.SIMILARITIES, help=matrix_help)
    kinds = _validate.INTERVAL_METHODS
    add("--intervals", choices=kinds, default="bca", help="kind of intervals (default bca)")
    confidence_help = "confidence of the bootstrap intervals (default 0.9)"
    add("--confidence", type=float, default=0.9, help=confidence_help)
    n_boot_help = "number of resamples, or auto (default 1000)"
    add("--n-boot", type=common.count, default=1000, metavar="N", help=n_boot_help)
    add("--seed", type=int, default=0, help="seed of the resamples (default 0)")
    common.add_output(add, "the features and the eigenvectors", "the search")


def run(args: argparse.Namespace) -> int:
    """Find the subspace and print every step of the search as it is made."""
    common.check_output(args)
    common.check_seed(args.seed)
    for name, value in (DEFAULTS_OF_EXAMPLE if args.file is None else DEFAULTS).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    if not 0 <= args.retain <= 1:
        raise ValueError(f"--retain {args.retain:g}: must be from 0 to 1")
    if args.at_least < 1:
        raise ValueError(f"--at-least {args.at_least}: must be at least 1")
    with terminal.warnings_in_lines(partial(common.advice, args=args)):
        table = common.read(args, labelled=False, as_stored=True)
        start = time.perf_counter()
        intervals = _intervals(args, table)
    names = intervals.names or tuple(map(str, range(len(intervals.A))))
    shown = tuple(map(_validate.printable, names))
    width = max(7, *map(len, shown))
    if not args.json:
        terminal.write(f"{table.origin}: {intervals.n_samples} samples x {len(names)} features")
        terminal.write(
            f"{intervals.matrix}, {intervals.n_boot} resamples, confidence "
            f"{intervals.confidence:g}, retain {args.retain:g}"
        )
        terminal.write(f"\n  left  {'removed':{width}}         gap      4 |E|  stable k (share)")

    def report(step: Any) -> None:
        if not args.json:
            terminal.write(_line(step, shown, width))

    from specsel import sbs

    with terminal.progress(str, "removing features") if args.json else nullcontext():
        found = sbs.eliminate(intervals, args.retain, args.at_least, report)
    if args.json:
        summary = {"data": table.origin, **_summary(found, names)}
        terminal.write(json.dumps(summary | {"seconds": time.perf_counter() - start}))
    else:
        terminal.write("\n".join(_verdict(found, shown)))
    common.save(args, table, _rows(found, names), found.support if found.k else [])
    if args.report:
        _report(args, table, found, shown, time.perf_counter() - start)
    if args.plot:
        common.draw(args.plot, "StabilityDisplay", found)
    return 0 if found.converged else 1


def _report(
    args: argparse.Namespace, table: Table, found: Any, names: Sequence[str], seconds: float
) -> None:
    from specsel.cli import report

    title, options = f"Eigenvalues: the first {found.k} are stable", {"display": "SpectrumDisplay"}
    report.write(
        args,
        table,
        found,
        says="stable",
        method="sbs",
        verdicts=[*_verdict(found, names)],
        features=found.support if found.k else [],
        pictures=[("The search", found, {}), *[(title, found, options)] * bool(found.k)],
        seconds=seconds,
    )


def _intervals(args: argparse.Namespace, table: Table) -> Any:
    from specsel import sbs

    options = {name: getattr(args, name) for name in ("matrix", "confidence", "n_boot")}
    _announce(args, table)
    with terminal.progress("{} of {} pairs of features".format, counted=True) as callback:
        found = sbs.intervals(
            table.X,
            method=args.intervals,
            random_state=args.seed,
            callback=callback,
            **options,
        )
    return replace(found, names=tuple(table.names) if table.names else None)


def _announce(args: argparse.Namespace, table: Table) -> None:
    """Say beforehand how long the intervals may take, if somebody may wait for them."""
    n, samples = table.n_features, table.n_samples
    n_boot = args.n_boot if isinstance(args.n_boot, int) else N_BOOT
    seconds = max(0, min(n_boot, MOST)) * samples * n * n / 2 / SPEED
    if seconds > terminal.PATIENCE and terminal.is_watched():
        terminal.say(
            f"intervals of {n} features: about {terminal.duration(seconds)}, at the speed of two "
            "cores; a smaller --n-boot and fewer features take less"
        )


def _line(step: Any, names: Sequence[str], width: int) -> str:
    removed = "" if step.removed is None else names[step.removed]
    gap = f"{'<' if step.stable is None else ''}{step.gap:.4g}"
    stable = ", ".join(f"{k} ({share:.1%})" for k, share in (step.stable or {}).items())
    return f"{step.size:6}  {removed:{width}}  {gap:>10} {step.error:10.4g}  {stable}".rstrip()


def _verdict(found: Any, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines after the table."""
    made = f"{found.n_decompositions} decompositions made, {found.n_skipped} skipped"
    yield ""
    if found.k == 0:
        yield f"no principal subspace is stable; {made}"
        if found.n_decompositions:
            yield "more samples or a lower --confidence make the similarities more certain"
        return
    if not found.converged:
        yield f"no stable subspace retains {found.retain:.1%}; this one comes nearest:"
    yield (
        f"k = {_validate.count_of(found.k, 'component')} of {len(found.support)} features: "
        f"stable, retaining {found.share:.1%} of the trace; {made}"
    )
    yield f"kept: {', '.join(names[i] for i in found.support)}"
    yield f"removed: {', '.join(names[i] for i in found.removed) or 'nothing'}"


def _summary(found: Any, names: Sequence[str]) -> dict[str, Any]:
    intervals = found.intervals
    return {
        "n_samples": intervals.n_samples,
        "n_features": len(names),
        "matrix": intervals.matrix,
        "confidence": intervals.confidence,
        "n_boot": intervals.n_boot,
        "retain": found.retain,
        "converged": found.converged,
        "k": found.k,
        "share": found.share,
        "stable": found.stable,
        "kept": [names[i] for i in found.support] if found.k else [],
        "removed": [names[i] for i in found.removed],
        "constant": [names[i] for i in intervals.constant],
        "eigenvalues": found.eigenvalues.tolist(),
        "n_decompositions": found.n_decompositions,
        "n_skipped": found.n_skipped,
        "trace": [
            step._asdict() | {"removed": None if step.removed is None else names[step.removed]}
            for step in found.trace
        ],
    }


def _rows(found: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row per feature: when it was removed, or its entries in the eigenvectors."""
    order = {int(i): place for place, i in enumerate(found.removed, 1)}
    place = {int(i): row for row, i in enumerate(found.support)} if found.k else {}
    rows = []
    for i, name in enumerate(names):
        entries = found.vectors[place[i]] if i in place else [0.0] * found.k
        row = {"feature": name, "index": i, "kept": i in place, "removed": order.get(i, "")}
        rows.append(row | {f"vector_{m}": float(x) for m, x in enumerate(entries, 1)})
    return rows
