"""What several commands share: options, reading as they say, and files to write.

`OPTIONS` is the one place that names the options of the methods. Their types, choices and defaults
come from the signatures of the `solve` functions.
"""

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
from functools import cache
from inspect import Parameter
from pathlib import Path
from secrets import token_hex
from types import SimpleNamespace
from typing import Any, NamedTuple, get_args

import numpy as np

from specsel import _validate
from specsel._methods import METHODS, choices, parameters
from specsel.cli import tables, terminal
from specsel.cli.tables import CELLS, IMPUTATIONS, Table, load


class Command(NamedTuple):
    """A command: what its help says, the options that it adds to a parser, and what runs it."""

    description: str
    epilog: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


# Defaults of the command line where `solve` has no limit.
MAX_SIZE, TIME_LIMIT = 10, 60.0

# For every command, the options that set an argument of its methods' `solve`, and their help. A
# method takes those whose parameter its `solve` has.
OPTIONS = {
    "select": {
        "k": "number of directions that carry the clusters, about that of clusters; auto, the "
        "default, counts them by the gap between eigenvalues; for weighting with --target, number "
        "of discriminants, by default as many as there are samples",
        "side": "samples of the same features whose variation is unwanted; may be repeated",
        "apart": "pairs of samples in different clusters: two columns of row numbers, counted "
        "from 0, below a header",
        "together": "pairs of samples in the same cluster, likewise",
        "tradeoff": "weight of the second aim against the first; for topography 2 over the number "
        "of features by default",
        "representation": "how to make features non-negative",
        "kernel": "kernel to compare features by",
        "rounds": "number of groupings to look for",
        "features": "number of features to take; by default up to the peak of the scores",
        "neighbours": "nearest samples of each",
        "components": "principal components in which samples are near",
        "scale": "what a feature keeps of its norm: nothing, the root, or all",
        "init": "where the iteration starts",
        "tol": "stop when the objective rose by no more than this share of it over the last "
        "iterations; Q-α is then about as near to its limit",
        "max_iter": "stop after so many iterations",
        "seed": "seed of random starts and of all shuffles; default 0",
    },
    "path": {
        "max_size": f"largest number of features to choose; default {MAX_SIZE}",
        "criterion": "what a set is worth by its eigenvalues: the largest, their sum, or the sum "
        "of log(1 + eigenvalue); default logdet for more than two classes, otherwise leading",
        "direction": "greedy selection adds features one by one, removes them, or takes the "
        "better of the two; removing forms matrices of features x features, beyond 2000 "
        "features only if asked for",
        "time_limit": f"seconds for all sizes together; default {TIME_LIMIT:g}",
        "always": "features that every set must contain, separated by commas; may be repeated",
        "never": "features that no set may contain, likewise",
        "shrinkage": "number to add to the diagonal of the scatter within the classes",
        "matrix": "matrix that sparse PCA decomposes",
    },
    "stable": {
        "retain": "share of the trace to retain (0.1 for the example)",
        "at_least": "least number of components; with --retain 0 the only condition",
        "matrix": "similarities of the features: cosine or inner for counts, covariance or "
        "correlation for measurements, such as the example",
        "intervals": "kind of intervals",
        "confidence": "confidence of the bootstrap intervals",
        "n_boot": "number of resamples, or auto",
        "seed": "seed of the resamples; default 0",
    },
}

# Parameters of the solvers whose option has another name.
OPTION_OF_PARAMETER = {
    "n": "features",
    "random_state": "seed",
    "y": "target",
    "method": "intervals",
}
PARAMETER_OF_OPTION = {option: name for name, option in OPTION_OF_PARAMETER.items()}

# Options that are no single number or name: files, and lists of names.
FORMS: dict[str, dict[str, Any]] = {
    "side": {"type": Path, "metavar": "FILE", "action": "append"},
    "apart": {"type": Path, "metavar": "FILE"},
    "together": {"type": Path, "metavar": "FILE"},
    "always": {"action": "append", "default": [], "metavar": "NAMES"},
    "never": {"action": "append", "default": [], "metavar": "NAMES"},
}


def methods_of(command: str) -> list[str]:
    """Return the methods that a command runs."""
    return [name for name, row in METHODS.items() if row.command == command]


@cache
def takers(command: str, option: str) -> dict[str, Parameter]:
    """Return the methods of a command that take an option, and the parameter of their `solve`."""
    name = PARAMETER_OF_OPTION.get(option, option)
    taken = {method: parameters(method) for method in methods_of(command)}
    return {method: known[name] for method, known in taken.items() if name in known}


def add_options_of_methods(command: str, add: Callable[..., Any]) -> None:
    """Add the options of a command that set arguments of `solve`."""
    methods = methods_of(command)
    for option, text in OPTIONS[command].items():
        users = takers(command, option)
        text += _default(users)
        if command == "select":
            others = ", ".join(method for method in methods if method not in users)
            text += f" ({', '.join(users) if len(users) < 5 else f'all but {others}'})"
        kinds = [one.annotation for one in users.values()]
        names = [*dict.fromkeys(name for kind in kinds for name in choices(kind))]
        form: dict[str, Any] = {"type": int, "metavar": "N"}
        if option in FORMS:
            form = FORMS[option]
        elif names == ["auto"]:
            form["type"] = count
        elif names:
            form = {"choices": names}
        elif any(float in (kind, *get_args(kind)) for kind in kinds):
            form = {"type": float, "metavar": "NUMBER"}
        add(flag(option), help=text, **form)


def _default(users: Mapping[str, Parameter]) -> str:
    """Say which values an option has by default, and for which methods if they differ."""
    methods: dict[Any, list[str]] = {}
    for method, one in users.items():
        if one.default not in (None, Parameter.empty, ()):
            shown = f"{one.default:g}" if isinstance(one.default, float) else str(one.default)
            methods.setdefault(shown, []).append(method)
    if len(methods) == 1:
        return f"; default {next(iter(methods))}"
    each = [f"{value} for {', '.join(names)}" for value, names in methods.items()]
    return f"; default {'; '.join(each)}" if each else ""


# The options that name files to write, and how their names may end; tables are CSV otherwise.
FILES_OUT: dict[str, tuple[str, ...]] = {
    "out": (),
    "select_out": (),
    "report": (".html", ".htm"),
    "plot": (".png", ".svg", ".pdf"),
}

# Bytes that a group of HDF5 may take beyond its numbers and texts.
FREE_SPACE = 2**20

# The options that say how to read a file.
READ_BY = ("index", "header", "decimal", "encoding", "sheet", "impute")


def add_input(add: Callable[..., Any], target_help: str) -> None:
    """Add the options that say which table to read, and which of its columns."""
    file_help = (
        "table to read, one sample per row: CSV or TSV (also .gz; - is stdin), .npy, sparse .npz, "
        "and with specsel[files] Parquet, Arrow, Excel, .h5ad, .zarr; without FILE the built-in "
        "example is used"
    )
    add("file", metavar="FILE", nargs="?", type=Path, help=file_help)
    target_help = f"column that holds {target_help}: its name or, without a header, its number "
    add("--target", metavar="COLUMN", help=target_help + "from 0")
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


def facts(result: Any, *names: str) -> dict[str, Any]:
    """Return attributes of a result as JSON can hold them: lists for arrays, None for infinity."""
    values = {name: getattr(result, name) for name in names}
    plain = {
        name: value.tolist() if hasattr(value, "tolist") else value
        for name, value in values.items()
    }
    return _without(plain, _not_finite)


def joined(names: Iterable[str]) -> str:
    """Join names with commas, such that `listed` splits them again."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def flag(option: str) -> str:
    """Return an option as the user writes it."""
    return f"-{option}" if len(option) == 1 else f"--{option.replace('_', '-')}"


def advice(message: str, args: argparse.Namespace) -> str:
    """Name options instead of the parameters that a warning or an error advises to give."""

    def option(match: re.Match[str]) -> str:
        return f"give {flag(match[1])}" if hasattr(args, match[1]) else match[0]

    message = re.sub(r"\bgive (\w+)\b", option, message)
    if hasattr(args, "standardise"):
        message = message.replace("standardise X if", "add --standardise if")
    return message


def with_options(message: str, args: argparse.Namespace) -> str:
    """Name an option or a file instead of the parameter that an error begins with."""
    message = advice(message, args)
    match = re.match(r"(\w+)( = |:)", message)
    if not match:
        return message
    name, rest = OPTION_OF_PARAMETER.get(match[1], match[1]), message[match.end() :]
    if name == "X":
        return f"{args.file or 'the example'}:{rest}"
    if not hasattr(args, name):
        return message
    if match[2] == " = ":
        return f"{flag(name)} {rest}"
    value = getattr(args, name)
    return f"{flag(name)}{f' {value}' if isinstance(value, str) else ''}:{rest}"


def check_classes(target: str | None, y: Any) -> None:
    """Refuse a target column that holds measurements instead of classes."""
    for label in () if target is None else dict.fromkeys(y.tolist()):
        if (tables.number(str(label)) or 0) % 1 > 0:
            shown = _validate.printable(label)
            raise ValueError(
                f"--target {target}: holds {shown}, a measurement; classes are needed"
            )


def read(args: argparse.Namespace, labelled: bool, *, as_stored: bool = False) -> Table:
    """Read the table that the user asks for, or take the built-in example.

    `labelled` says whether the example comes with its labels.
    """
    if args.file is not None:
        return read_file(args, args.file, target=args.target, as_stored=as_stored)
    for option in ("target", "drop", *READ_BY):
        if getattr(args, option):
            raise ValueError(f"--{option}: needs FILE")
    return tables.example(labelled)


def read_file(args: argparse.Namespace, path: Path, **options: Any) -> Table:
    """Read a table as the options say."""
    asked = {option: getattr(args, option) for option in READ_BY} | {"drop": listed(args.drop)}
    try:
        with terminal.progress(str, f"reading {path.name}"):
            return tables.read(path, **asked | options)
    except tables.TableError as error:
        raise ValueError("; ".join(filter(None, (str(error), error.hint)))) from None


def check_output(args: argparse.Namespace, inputs: Iterable[Path | None] = ()) -> None:
    """Refuse output files that cannot be written, or that the command reads."""
    read = [path for path in (args.file, *inputs) if path and path.exists()]
    taken: dict[Path, str] = {}
    for option, endings in FILES_OUT.items():
        path = getattr(args, option)
        if path is None:
            continue
        fault = _fault_of_format(args, option, path)
        if path.is_dir() or not path.parent.is_dir():
            fault = "is not a file in an existing folder"
        elif path.exists() and any(map(path.samefile, read)):
            fault = "is a file to be read"
        elif path.resolve() in taken:
            fault = f"is the file of {taken[path.resolve()]}"
        elif endings and path.suffix.lower() not in endings:
            fault = f"must end in {', '.join(endings[:-1])} or {endings[-1]}"
        elif option == "plot" and importlib.util.find_spec("matplotlib") is None:
            fault = "needs matplotlib: pip install 'specsel[plot]'"
        if fault:
            raise ValueError(f"{flag(option)} {path}: {fault}")
        taken[path.resolve()] = flag(option)


def _fault_of_format(args: argparse.Namespace, option: str, path: Path) -> str:
    """Say why a table is not written in the format that its name asks for; else nothing."""
    suffix = path.suffix.lower()
    if FILES_OUT[option]:
        return ""
    if suffix == CELLS:
        copies = (args.command, option) == ("select", "out")
        of_cells = args.file and args.file.suffix.lower() == CELLS
        return "" if copies and of_cells else "only select --out of an .h5ad FILE writes .h5ad"
    if suffix == ".parquet":
        missing = importlib.util.find_spec("pyarrow") is None
        return "needs pyarrow: pip install 'specsel[files]'" * missing
    read_alone = suffix in tables.KINDS and (suffix, option) != (".npy", "select_out")
    return "must end in .csv, .tsv, .json or .parquet" * read_alone


def save(
    args: argparse.Namespace,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    features: Iterable[int],
    result: Any,
    *,
    display: str,
    **page: Any,
) -> None:
    """Write the files that the user asks for: results, columns selected, a report, a picture.

    `display` is the name of a class in `specsel.plotting`, `page` the arguments of `report.write`.
    """
    if args.out and args.out.suffix.lower() == CELLS:
        save_in_cells(args.file, args.out, table, result)
    elif args.out:
        save_rows(args.out, rows)
    if args.select_out:
        save_selection(args.select_out, table, features, args.target)
    if args.report:
        from specsel.cli import report

        report.write(args, table, result, features=features, **page)
    if args.plot:
        draw(args.plot, display, result)


def draw(path: Path, display: str, result: Any) -> None:
    """Draw a result into a file."""
    from matplotlib.figure import Figure

    from specsel import plotting

    def describe(warning: str) -> str:
        # matplotlib warns of every letter that its font lacks; one common text makes them one line
        lacks_letters = "missing from font" in warning
        return f"--plot {path}: {'its font lacks letters of names' if lacks_letters else warning}"

    figure, picture = Figure(figsize=(8, 5), layout="constrained"), io.BytesIO()
    with terminal.warnings_in_lines(describe):
        getattr(plotting, display).from_result(result, ax=figure.add_subplot())
        figure.savefig(picture, dpi=150, format=path.suffix[1:].lower())
    with replacing(path) as new:
        new.write_bytes(picture.getvalue())


def save_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows, which have the same keys, in the format that the name of the file says."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        text = json.dumps([_without(row, _not_finite) for row in rows], indent=1)
        with replacing(path) as new:
            new.write_text(text + "\n", encoding="utf-8")
    elif suffix == ".parquet":
        known = [_without(row, lambda cell: cell == "") for row in rows]
        pyarrow, parquet = load("pyarrow", suffix), load("pyarrow.parquet", suffix)
        with replacing(path) as new, open(new, "wb") as file:
            parquet.write_table(pyarrow.Table.from_pylist(known), file)
    else:
        _write_text(path, [*rows[0]], (row.values() for row in rows))


def _without(row: Mapping[str, Any], absent: Callable[[Any], bool]) -> dict[str, Any]:
    return {key: None if absent(cell) else cell for key, cell in row.items()}


def _not_finite(cell: Any) -> bool:
    """Return whether a cell is NaN or infinite, which JSON cannot hold."""
    return isinstance(cell, float) and not math.isfinite(cell)


def save_in_cells(source: Path, path: Path, table: Table, result: Any) -> None:
    """Copy an .h5ad file, and add to its genes what `results.annotate` adds to AnnData."""
    from specsel import results

    io, h5py = load("anndata.io", CELLS), load("h5py", CELLS)
    annotated = SimpleNamespace(var={}, n_vars=table.n_features)
    results.annotate(annotated, result)
    left_out = {"score": math.nan, "rank": 0, "selected": False}
    with replacing(path) as new, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with h5py.File(source) as file:
            genes = io.read_elem(file["var"])
        is_feature = ~genes.index.map(str).isin(table.left_out)
        for key, default in left_out.items():
            values = np.full(len(genes), default)
            values[is_feature] = annotated.var[f"specsel_{key}"]
            genes[f"specsel_{key}"] = values
        shutil.copyfile(source, new)
        with open(new, "ab") as copy:  # on a full disk this fails, and not HDF5 in the middle
            copy.write(bytes(FREE_SPACE + 2 * int(genes.memory_usage(deep=True).sum())))
        with h5py.File(new, "r+") as file:
            del file["var"]
            io.write_elem(file, "var", genes)


def save_selection(path: Path, table: Table, features: Iterable[int], label: str | None) -> None:
    """Write the selected columns of the data, with the names of the samples and their labels."""
    chosen = [*map(int, features)]
    values = table.selection(chosen)
    suffix = path.suffix.lower()
    if suffix == ".npy":
        with replacing(path) as new, open(new, "wb") as file:
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
        _write_text(path, header, rows)
    elif len({*header}) < len(header):
        raise ValueError(f"--select-out {path}: two columns have one name; write CSV instead")
    else:
        save_rows(path, [dict(zip(header, row, strict=True)) for row in rows])


def _write_text(path: Path, header: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with replacing(path) as new, open(new, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        table.writerows(map(_harmless, row) for row in (header, *rows))


def _harmless(cell: Any) -> Any:
    """Put a quote before a text that a spreadsheet would run as a formula, as OWASP advises."""
    formula = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{cell}" if formula and tables.number(cell) is None else cell


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a new file to write, which takes the place of `path` once it is complete.

    If it cannot be written, the old file stays, and the error names `path`. What is no plain file,
    such as a pipe, is written itself.
    """
    target = path.resolve()
    new = target.with_name(f".{token_hex(8)}{path.suffix}")
    if target.exists() and not target.is_file():
        new = target
    try:
        yield new
        if new != target:
            if target.exists():
                shutil.copymode(target, new)
            new.replace(target)
    except OSError as error:
        reason = error.strerror or f"cannot be written ({error})"
        raise OSError(error.errno, reason, str(path)) from None
    finally:
        if new != target:
            new.unlink(missing_ok=True)
