"""What the commands that read a table have in common."""

import argparse
import csv
import importlib.util
import io
from functools import partial
from pathlib import Path

from specsel.cli import tables, terminal

FILE_HELP = "CSV, TSV, .npy or sparse .npz, samples as rows; without it, the built-in example"


def add_input(add, target_help):
    """Add the table and its columns to the options of a command."""
    add("file", metavar="FILE", nargs="?", type=Path, help=FILE_HELP)
    add(
        "--target",
        metavar="COLUMN",
        help=f"{target_help}: a column's name or, without a header, number from 0",
    )
    drop_help = (
        "columns to leave out, commas between, repeatable; names that hold commas in quotes"
    )
    add("--drop", action="append", default=[], metavar="COLUMNS", help=drop_help)


def add_output(add, out_help, plot_help):
    """Add where results go."""
    add("--out", type=Path, metavar="CSV", help=f"write {out_help} to this file")
    add("--plot", type=Path, metavar="FILE", help=f"draw {plot_help}: .png, .svg or .pdf")
    add("--json", action="store_true", help="print one JSON object")


def count(text):
    """A whole number or "auto", as argparse converts it."""
    try:
        return text if text == "auto" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number or auto") from None


def listed(texts):
    """What texts name with commas between; a name that holds a comma is in quotes."""
    names = []
    for line in (" ".join(text.split()) for text in texts):
        try:
            names += next(csv.reader([line], skipinitialspace=True, strict=True), [])
        except csv.Error:
            raise ValueError(f"{line}: a name that begins with a quote must end with it") from None
    return [name.strip() for name in names if name.strip()]


def joined(names):
    """Names with commas between, as `listed` reads them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def check_seed(seed):
    """Refuse what seeds nothing."""
    if seed < 0:
        raise ValueError(f"--seed {seed}: must be at least 0")


def check_classes(target, y):
    """Refuse a column of measurements in place of labels."""
    for label in () if target is None else dict.fromkeys(y.tolist()):
        number = tables.number(str(label))
        if number is not None and number % 1 > 0:
            raise ValueError(
                f"--target {target}: holds {label}, a measurement; classes are needed"
            )


def read(args, labelled, *, sparse=False) -> tables.Table:
    """Read the table that is asked for; the example is `labelled` or not."""
    for option in ("target", "drop"):
        if args.file is None and getattr(args, option):
            raise ValueError(f"--{option}: needs FILE")
    if args.file is None:
        return tables.example(labelled)
    return read_file(args.file, args, target=args.target, sparse=sparse)


def read_file(path, args, **options) -> tables.Table:
    """Read a table without the columns that are to be left out."""
    try:
        return tables.read(path, drop=listed(args.drop), **options)
    except tables.CellError as error:
        raise ValueError(f"{error}; --drop leaves a column out") from None


def check_output(args, inputs=()):
    """Refuse to write where that is not possible, or over what is to be read."""
    for option in ("out", "plot"):
        tables.check_out(option, getattr(args, option), [args.file, *inputs])
    if args.out and args.plot and args.out.resolve() == args.plot.resolve():
        raise ValueError(f"--plot {args.plot}: is the file of --out")
    if args.plot and args.plot.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ValueError(f"--plot {args.plot}: must end in .png, .svg or .pdf")
    if args.plot and importlib.util.find_spec("matplotlib") is None:
        raise ValueError("--plot: needs matplotlib: pip install 'specsel[plot]'")


def draw(path, display, result):
    """Draw a result by a display of `plotting`, into a file."""
    from matplotlib.figure import Figure

    from specsel import plotting

    figure = Figure(figsize=(8, 5), layout="constrained")
    with terminal.warnings_in_lines(partial(_of_picture, path)), tables.naming(path):
        getattr(plotting, display).from_result(result, ax=figure.add_subplot())
        figure.savefig(path, dpi=150)


def _of_picture(path, warning):
    """A warning of matplotlib in words of ours; letters are told one by one."""
    return f"--plot {path}: " + (
        "its font lacks letters of names" if "missing from font" in warning else warning
    )
