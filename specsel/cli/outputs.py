"""Writes results to files: tables as CSV, TSV, JSON or Parquet; selected columns of the data."""

import csv
import json
import math
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from specsel import _containers
from specsel.cli import cells, libraries, stores
from specsel.cli.tables import Table

CELLS = ".h5ad"

# What cannot be written, although it can be read; any other name is that of a CSV file.
UNWRITTEN = {".npz", *libraries.READERS, *stores.READERS} - {".parquet", CELLS}

# What stands in --out of an .h5ad file for genes that were left out.
LEFT_OUT = {"score": math.nan, "rank": 0, "selected": False}


def check_out(
    option: str, path: Path | None, inputs: Sequence[Path | None], *, writes_cells: bool = False
) -> None:
    """Refuse an output file that cannot be written, or that is one of the inputs."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"--{option} {path}: is not a file in an existing folder")
    existing = [other for other in inputs if other and other.exists()]
    if path.exists() and any(map(path.samefile, existing)):
        raise ValueError(f"--{option} {path}: is a file to be read")
    suffix = path.suffix.lower()
    if option not in ("out", "select-out"):
        return
    if suffix in UNWRITTEN or (suffix == ".npy" and option == "out"):
        raise ValueError(f"--{option} {path}: must end in .csv, .tsv, .json or .parquet")
    if suffix == ".parquet" and find_spec("polars") is None:
        raise ValueError(f"--{option} {path}: needs polars: pip install 'specsel[files]'")
    from_cells = inputs and inputs[0] is not None and inputs[0].suffix.lower() == CELLS
    if suffix == CELLS and not (writes_cells and from_cells):
        raise ValueError(f"--{option} {path}: only select --out of an .h5ad FILE writes .h5ad")


def save(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows, which have the same keys, in the format that the name of the file says."""
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    with naming(path):
        suffix = path.suffix.lower()
        if suffix == ".json":
            path.write_text(json.dumps([*map(_plain, rows)], indent=1) + "\n", encoding="utf-8")
        elif suffix == ".parquet":
            frame = libraries.load("polars", suffix).DataFrame(columns, strict=False)
            with open(path, "wb") as file:
                frame.write_parquet(file)
        else:
            _write_text(path, [*columns], zip(*columns.values(), strict=True))


def save_in_cells(source: Path, path: Path, table: Table, found: Any) -> None:
    """Copy an .h5ad file, and add to its genes what `results.annotate` adds to AnnData."""
    from specsel import results

    io = libraries.load("anndata.io", CELLS)
    h5py = libraries.load("h5py", CELLS)
    told = SimpleNamespace(var={}, n_vars=table.n_features)
    results.annotate(told, found)
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
                values[left] = told.var[column]
                if column in genes:
                    del genes[column]
                io.write_elem(genes, column, values)
                order = [name for name in order if name != column] + [column]
            genes.attrs["column-order"] = np.array(order, dtype=h5py.string_dtype())


def save_selection(path: Path, table: Table, features: Iterable[int], label: str | None) -> None:
    """Write the selected columns of the data, with the names of the samples and their labels."""
    chosen = [*map(int, features)]
    if _containers.is_streamed(table.values):
        values = stores.take(table.values, chosen)
    else:
        values = table.values[:, chosen]
        values = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    suffix = path.suffix.lower()
    if suffix == ".npy":
        with naming(path), open(path, "wb") as file:
            np.save(file, values)
        return
    header = [table.names[i] if table.names else str(i) for i in chosen]
    columns: list[Sequence[Any]] = values.T.tolist()
    if table.rows is not None:
        header.insert(0, libraries.PANDAS_INDEX if suffix == ".parquet" else "")
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
        save(path, [dict(zip(header, row, strict=True)) for row in rows])


def _write_text(path: Path, header: Sequence[str], rows: Any) -> None:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        table.writerow(map(_harmless, header))
        table.writerows(map(_harmless, row) for row in rows)


def _harmless(cell: Any) -> Any:
    """Put a quote before a text that a spreadsheet would run as a formula, as OWASP advises."""
    formula = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{cell}" if formula and cells.number(cell) is None else cell


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
