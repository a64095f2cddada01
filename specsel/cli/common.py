"""What several commands share: options, reading as they say, and files to write."""

import argparse
import csv
import importlib.util
import io
import json
import math
import re
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from specsel import _validate
from specsel.cli import tables, terminal
from specsel.cli.tables import CELLS, IMPUTATIONS, Table, load


class Command(NamedTuple):
    """A command: what its help says, the options that it adds to a parser, and what runs it."""

    description: str
    epilog: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


FILE_HELP = (
    "table to read, one sample per row: CSV or TSV (also .gz; - is stdin), .npy, sparse .npz, and "
    "with specsel[files] Parquet, Arrow, Excel, .h5ad, .zarr; without FILE the built-in example "
    "is used"
)

# The options that name files to write.
FILES_OUT = ("out", "select_out", "report", "plot")

# The options that say how to read a file.
READ_BY = ("index", "header", "decimal", "encoding", "sheet", "impute")


def add_input(add: Callable[..., Any], target_help: str) -> None:
    """Add the options that say which table to read, and which of its columns."""
    add("file", metavar="FILE", nargs="?", type=Path, help=FILE_HELP)
    add(
        "--target",
        metavar="COLUMN",
        help=f"column that holds {target_help}: its name or, without a header, its number from 0",
    )
    drop_help = (
        "columns to leave out, separated by commas; may be repeated; put a name that contains "
        "a comma in quotes"
    )
    add("--drop", action="append", default=[], metavar="COLUMNS", help=drop_help)
    add("--index", metavar="COLUMN", help="column that names the samples; it is no feature")
    header_help = "whether the first row of a text holds names; asked for where it may be either"
    add("--header", choices=("yes", "no"), help=header_help)
    decimal_help = "what stands before decimals, a point or a comma; found if left out"
    add("--decimal", choices=(".", ","), metavar="MARK", help=decimal_help)
    encoding_help = "encoding of a text, such as latin-1; found if left out"
    add("--encoding", metavar="NAME", help=encoding_help)
    sheet_help = "sheet of an Excel file: its name, or its number from 1; default the first"
    add("--sheet", metavar="SHEET", help=sheet_help)
    impute_help = (
        "set missing values to the median of their column, or drop the columns or rows that have "
        "some; without this option missing values are refused"
    )
    add("--impute", choices=IMPUTATIONS, help=impute_help)


def add_output(add: Callable[..., Any], out_help: str, plot_help: str) -> None:
    """Add the options that say where results go."""
    out_help = (
        f"write {out_help} to this file: .csv, .tsv, .json or .parquet (select, of an .h5ad "
        "FILE, also .h5ad: a copy with columns in var); in text, a name that a spreadsheet would "
        "run as a formula, for it begins with =, +, -, @, tab or carriage return, gets a ' before "
        "it"
    )
    add("--out", type=Path, metavar="FILE", help=out_help)
    select_help = (
        "write the selected columns of the data to this file, with the names of the samples and "
        "their labels: .csv, .tsv, .json, .parquet or .npy (numbers alone)"
    )
    add("--select-out", type=Path, metavar="FILE", help=select_help)
    report_help = "write a page for a browser: the data as read, the run, results, what they say"
    add("--report", type=Path, metavar="HTML", help=report_help)
    add("--plot", type=Path, metavar="FILE", help=f"draw {plot_help} as .png, .svg or .pdf")
    add("--json", action="store_true", help="print one JSON object")


def count(text: str) -> int | str:
    """Convert an option to a whole number or "auto", for argparse."""
    try:
        return text if text == "auto" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number or auto") from None


def listed(texts: Iterable[str]) -> list[str]:
    """Split texts at commas into names; a name in quotes may contain commas."""
    names: list[str] = []
    for line in (" ".join(text.split()) for text in texts):
        try:
            names += next(csv.reader([line], skipinitialspace=True, strict=True), [])
        except csv.Error:
            raise ValueError(f"{line}: a name that begins with a quote must end with it") from None
    return [name.strip() for name in names if name.strip()]


def joined(names: Iterable[str]) -> str:
    """Join names with commas, such that `listed` splits them again."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


# Parameters of the solvers whose option has another name.
OPTION_OF_PARAMETER = {"n": "features", "random_state": "seed", "y": "target"}
PARAMETER_OF_OPTION = {option: name for name, option in OPTION_OF_PARAMETER.items()}


def advice(message: str, args: argparse.Namespace) -> str:
    """Name options instead of the parameters that a warning or an error advises to give."""

    def option(found: re.Match[str]) -> str:
        return f"give {flag(found[1])}" if hasattr(args, found[1]) else found[0]

    message = re.sub(r"\bgive (\w+)\b", option, message)
    if hasattr(args, "standardise"):
        message = message.replace("standardise X if", "add --standardise if")
    return message


def with_options(message: str, args: argparse.Namespace) -> str:
    """Name an option or a file instead of the parameter that an error begins with."""
    message = advice(message, args)
    found = re.match(r"(\w+)( = |:)", message)
    if not found:
        return message
    name, rest = OPTION_OF_PARAMETER.get(found[1], found[1]), message[found.end() :]
    if name == "X":
        return f"{args.file or 'the example'}:{rest}"
    if not hasattr(args, name):
        return message
    if found[2] == " = ":
        return f"{flag(name)} {rest}"
    value = getattr(args, name)
    return f"{flag(name)}{f' {value}' if isinstance(value, str) else ''}:{rest}"


def flag(option: str) -> str:
    """Return an option as the user writes it."""
    return f"-{option}" if len(option) == 1 else f"--{option.replace('_', '-')}"


def check_classes(target: str | None, y: Any) -> None:
    """Refuse a target column that holds measurements instead of classes."""
    for label in () if target is None else dict.fromkeys(y.tolist()):
        number = tables.number(str(label))
        if number is not None and number % 1 > 0:
            raise ValueError(
                f"--target {target}: holds {_validate.printable(label)}, a measurement; "
                "classes are needed"
            )


def read(args: argparse.Namespace, labelled: bool, *, as_stored: bool = False) -> Table:
    """Read the table that the user asks for, or take the built-in example.

    `labelled` says whether the example comes with its labels.
    """
    for option in ("target", "drop", *READ_BY):
        if args.file is None and getattr(args, option):
            raise ValueError(f"--{option}: needs FILE")
    if args.file is None:
        return tables.example(labelled)
    return read_file(args.file, args, target=args.target, as_stored=as_stored)


def read_side(path: Path, args: argparse.Namespace) -> Table:
    """Read samples of the same features; columns that are no features may be there or not."""
    return read_file(
        path, args, also=[args.target] * bool(args.target), lenient=True, as_stored=True
    )


def read_file(
    path: Path, args: argparse.Namespace, also: Sequence[str] = (), **options: Any
) -> Table:
    """Read a table as the options say, without the columns of --drop and those of `also`."""
    options = {option: getattr(args, option) for option in READ_BY} | options
    try:
        with terminal.progress(str, f"reading {path.name}"):
            return tables.read(path, drop=[*listed(args.drop), *also], **options)
    except tables.MissingError as error:
        hint = f"--impute {', '.join(IMPUTATIONS[:-1])} or {IMPUTATIONS[-1]}"
        raise ValueError(f"{error}; {hint}; --drop leaves a column out") from None
    except tables.CellError as error:
        raise ValueError(f"{error}; --drop leaves a column out") from None


def check_output(args: argparse.Namespace, inputs: Sequence[Path | None] = ()) -> None:
    """Refuse output files that cannot be written, or that the command reads."""
    read = [path for path in (args.file, *inputs) if path and path.exists()]
    taken: dict[Path, str] = {}
    for option in FILES_OUT:
        path = getattr(args, option)
        if path is None:
            continue
        given = f"{flag(option)} {path}"
        if path.is_dir() or not path.parent.is_dir():
            raise ValueError(f"{given}: is not a file in an existing folder")
        if path.exists() and any(map(path.samefile, read)):
            raise ValueError(f"{given}: is a file to be read")
        if path.resolve() in taken:
            raise ValueError(f"{given}: is the file of {taken[path.resolve()]}")
        taken[path.resolve()] = flag(option)
    for option in ("out", "select_out"):
        if getattr(args, option):
            _check_format(args, option, getattr(args, option))
    if args.report and args.report.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--report {args.report}: must end in .html")
    if args.plot and args.plot.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ValueError(f"--plot {args.plot}: must end in .png, .svg or .pdf")
    if args.plot and importlib.util.find_spec("matplotlib") is None:
        raise ValueError("--plot: needs matplotlib: pip install 'specsel[plot]'")


def _check_format(args: argparse.Namespace, option: str, path: Path) -> None:
    """Refuse a table in a format that is not written; any other name is that of a CSV file."""
    suffix, given = path.suffix.lower(), f"{flag(option)} {path}"
    if suffix in {*tables.KINDS} - {".npy", ".parquet", CELLS} or (suffix, option) == (
        ".npy",
        "out",
    ):
        raise ValueError(f"{given}: must end in .csv, .tsv, .json or .parquet")
    if suffix == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise ValueError(f"{given}: needs pyarrow: pip install 'specsel[files]'")
    copies = (args.command, option) == ("select", "out")
    if suffix == CELLS and not (copies and args.file and args.file.suffix.lower() == CELLS):
        raise ValueError(f"{given}: only select --out of an .h5ad FILE writes .h5ad")


def save(
    args: argparse.Namespace,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    features: Iterable[int],
    found: Any,
    *,
    display: str,
    **page: Any,
) -> None:
    """Write the files that the user asks for: results, columns selected, a report, a picture.

    `display` is the name of a class in `specsel.plotting`, `page` the arguments of `report.write`.
    """
    if args.out and args.out.suffix.lower() == CELLS:
        save_in_cells(args.file, args.out, table, found)
    elif args.out:
        save_rows(args.out, rows)
    if args.select_out:
        save_selection(args.select_out, table, features, args.target)
    if args.report:
        from specsel.cli import report

        report.write(args, table, found, features=features, **page)
    if args.plot:
        draw(args.plot, display, found)


def draw(path: Path, display: str, result: Any) -> None:
    """Draw a result into a file."""
    from matplotlib.figure import Figure

    from specsel import plotting

    figure = Figure(figsize=(8, 5), layout="constrained")
    with terminal.warnings_in_lines(partial(_describe_warning, path)), naming(path):
        getattr(plotting, display).from_result(result, ax=figure.add_subplot())
        figure.savefig(path, dpi=150)


def _describe_warning(path: Path, warning: str) -> str:
    """Say where a warning of matplotlib comes from.

    matplotlib warns of every letter that its font lacks; one common text makes them one line.
    """
    lacks_letters = "missing from font" in warning
    return f"--plot {path}: {'its font lacks letters of names' if lacks_letters else warning}"


# What stands in --out of an .h5ad file for genes that were left out.
LEFT_OUT = {"score": math.nan, "rank": 0, "selected": False}


def save_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows, which have the same keys, in the format that the name of the file says."""
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    with naming(path):
        suffix = path.suffix.lower()
        if suffix == ".json":
            path.write_text(json.dumps([*map(_plain, rows)], indent=1) + "\n", encoding="utf-8")
        elif suffix == ".parquet":
            known = {key: [None if c == "" else c for c in columns[key]] for key in columns}
            pyarrow, parquet = load("pyarrow", suffix), load("pyarrow.parquet", suffix)
            with open(path, "wb") as file:
                parquet.write_table(pyarrow.table(known), file)
        else:
            _write_text(path, [*columns], zip(*columns.values(), strict=True))


def save_in_cells(source: Path, path: Path, table: Table, found: Any) -> None:
    """Copy an .h5ad file, and add to its genes what `results.annotate` adds to AnnData."""
    from specsel import results

    io = load("anndata.io", CELLS)
    h5py = load("h5py", CELLS)
    annotated = SimpleNamespace(var={}, n_vars=table.n_features)
    results.annotate(annotated, found)
    with naming(path), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shutil.copyfile(source, path)
        with h5py.File(path, "r+") as file:
            genes = file["var"]
            names = [*map(str, io.read_elem(genes).index)]
            left = np.array([name not in table.left_out for name in names])
            order = [*map(str, genes.attrs["column-order"])]
            for key, default in LEFT_OUT.items():
                column = f"specsel_{key}"
                values = np.full(len(names), default)
                values[left] = annotated.var[column]
                if column in genes:
                    del genes[column]
                io.write_elem(genes, column, values)
                order = [name for name in order if name != column] + [column]
            genes.attrs["column-order"] = np.array(order, dtype=h5py.string_dtype())


def save_selection(path: Path, table: Table, features: Iterable[int], label: str | None) -> None:
    """Write the selected columns of the data, with the names of the samples and their labels."""
    chosen = [*map(int, features)]
    values = table.selection(chosen)
    suffix = path.suffix.lower()
    if suffix == ".npy":
        with naming(path), open(path, "wb") as file:
            np.save(file, values)
        return
    header = [*map(table.name_of, chosen)]
    columns: list[Sequence[Any]] = values.T.tolist()
    if table.rows is not None:
        header.insert(0, tables.INDEX if suffix == ".parquet" else "")
        columns.insert(0, table.rows)
    if table.y is not None:
        header.append(label or "label")
        columns.append(table.y.tolist())
    rows = zip(*columns, strict=True)
    if suffix not in (".json", ".parquet"):
        with naming(path):
            _write_text(path, header, rows)
    elif len({*header}) < len(header):
        raise ValueError(f"--select-out {path}: two columns have one name; write CSV instead")
    else:
        save_rows(path, [dict(zip(header, row, strict=True)) for row in rows])


def _write_text(path: Path, header: Sequence[str], rows: Any) -> None:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        table.writerow(map(_harmless, header))
        table.writerows(map(_harmless, row) for row in rows)


def _harmless(cell: Any) -> Any:
    """Put a quote before a text that a spreadsheet would run as a formula, as OWASP advises."""
    formula = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{cell}" if formula and tables.number(cell) is None else cell


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for JSON, which has no NaN and no infinity."""
    return {
        key: None if isinstance(cell, float) and not math.isfinite(cell) else cell
        for key, cell in row.items()
    }


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the name of the file to errors of writing; a full disk, for one, comes without it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
