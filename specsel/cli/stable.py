"""``specsel stable``: a principal subspace that the sample determines, and what spoils others."""

import argparse
import json
import time
from dataclasses import replace

from specsel import _input
from specsel.cli import common, tables, terminal

# What is taken where nothing is said: of the example, what finds the signals among its features.
DEFAULTS = {"matrix": "cosine", "retain": 0.5}
EXAMPLE = {"matrix": "correlation", "retain": 0.1}

EPILOG = """\
One feature after the other is removed, the least certain first, until the gap between two
eigenvalues exceeds what the uncertainty of the similarities can close, and the eigenvalues before
the gap retain enough of all. A gap with < was not needed: it is at most that. Exit code 1: nothing
stable retains as much.

examples:
  specsel stable mail.csv --target spam --retain 0.25
  specsel stable sensors.csv --matrix correlation --retain 0.6 --n-boot auto --out kept.csv
"""


def add_command(commands):
    """Add the command to the parser."""
    parser = commands.add_parser(
        "stable",
        help="find a stable principal subspace",
        description="Remove features until a principal subspace of the rest is stable.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    common.add_input(add, "labels to leave out")
    add("--retain", type=float, metavar="SHARE", help="of the whole trace (0.5; example 0.1)")
    matrix_help = "what is decomposed (cosine; example correlation)"
    add("--matrix", choices=_input.choices.SIMILARITIES, help=matrix_help)
    add("--confidence", type=float, default=0.9, help="of the bootstrap intervals (0.9)")
    add(
        "--n-boot",
        type=common.count,
        default=1000,
        metavar="N",
        help='resamples (1000), or "auto"',
    )
    add("--seed", type=int, default=0, help="of the resamples (0)")
    common.add_output(add, "features and eigenvectors", "the search")
    parser.set_defaults(run=run)


def run(args) -> int:
    """Find the subspace and print the search as it goes."""
    common.check_output(args)
    common.check_seed(args.seed)
    for name, value in (EXAMPLE if args.file is None else DEFAULTS).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    if not 0 < args.retain <= 1:
        raise ValueError(f"--retain {args.retain:g}: must be above 0 and at most 1")
    table = common.read(args, labelled=False, sparse=True)
    start = time.perf_counter()
    known = _intervals(args, table)
    names = known.names or tuple(map(str, range(len(known.A))))
    width = max(7, *map(len, names))
    if not args.json:
        terminal.write(f"{table.origin}: {known.n_samples} samples x {len(names)} features")
        terminal.write(
            f"{known.matrix}, {known.n_boot} resamples, confidence {known.confidence:g}, "
            f"retain {args.retain:g}"
        )
        terminal.write(f"\n  left  {'removed':{width}}         gap      4 |E|  stable k (share)")

    def report(step):
        if not args.json:
            terminal.write(_line(step, names, width))

    from specsel import sbs

    found = sbs.eliminate(known, args.retain, report)
    if args.json:
        summary = {"data": table.origin, **_summary(found, names)}
        terminal.write(json.dumps(summary | {"seconds": time.perf_counter() - start}))
    else:
        terminal.write("\n".join(_verdict(found, names)))
    if args.out:
        tables.save(args.out, _rows(found, names))
    if args.plot:
        common.draw(args.plot, "StabilityDisplay", found)
    return 0 if found.converged else 1


def _intervals(args, table):
    from specsel import sbs

    options = {name: getattr(args, name) for name in ("matrix", "confidence", "n_boot")}
    with (
        terminal.warnings_in_lines(),
        terminal.progress("{} of {} pairs of features".format) as callback,
    ):
        known = sbs.intervals(table.X, random_state=args.seed, callback=callback, **options)
    return replace(known, names=table.names and tuple(table.names))


def _line(step, names, width):
    removed = "" if step.removed is None else names[step.removed]
    gap = f"{'<' if step.stable is None else ''}{step.gap:.4g}"
    stable = ", ".join(f"{k} ({share:.1%})" for k, share in (step.stable or {}).items())
    return f"{step.size:6}  {removed:{width}}  {gap:>10} {step.error:10.4g}  {stable}".rstrip()


def _verdict(found, names):
    """Yield the lines after the table."""
    made = f"{found.n_decompositions} decompositions made, {found.n_skipped} skipped"
    yield ""
    if found.k == 0:
        yield f"no principal subspace is stable; {made}"
        if found.n_decompositions:
            yield "more samples or a lower --confidence make the similarities more certain"
        return
    if not found.converged:
        yield f"nothing stable retains {found.retain:.1%}; this comes nearest:"
    yield (
        f"k = {found.k} with {len(found.support)} features is stable and retains "
        f"{found.share:.1%}; {made}"
    )
    yield f"kept: {', '.join(names[i] for i in found.support)}"
    yield f"removed: {', '.join(names[i] for i in found.removed) or 'nothing'}"


def _summary(found, names):
    known = found.intervals
    return {
        "n_samples": known.n_samples,
        "n_features": len(names),
        "matrix": known.matrix,
        "confidence": known.confidence,
        "n_boot": known.n_boot,
        "retain": found.retain,
        "converged": found.converged,
        "k": found.k,
        "share": found.share,
        "stable": found.stable,
        "kept": [names[i] for i in found.support] if found.k else [],
        "removed": [names[i] for i in found.removed],
        "constant": [names[i] for i in known.constant],
        "eigenvalues": found.eigenvalues.tolist(),
        "n_decompositions": found.n_decompositions,
        "n_skipped": found.n_skipped,
        "trace": [
            step._asdict() | {"removed": None if step.removed is None else names[step.removed]}
            for step in found.trace
        ],
    }


def _rows(found, names):
    """A row a feature: when it was removed, if so, and its entries in the eigenvectors."""
    order = {int(i): place for place, i in enumerate(found.removed, 1)}
    place = {int(i): row for row, i in enumerate(found.support)} if found.k else {}
    rows = []
    for i, name in enumerate(names):
        entries = found.vectors[place[i]] if i in place else [0.0] * found.k
        row = {"feature": name, "index": i, "kept": i in place, "removed": order.get(i, "")}
        rows.append(row | {f"vector_{m}": float(x) for m, x in enumerate(entries, 1)})
    return rows
