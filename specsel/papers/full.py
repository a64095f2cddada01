"""The last full run of every experiment: its numbers, kept with the package.

A quick run, or a full one after a change, is shown beside it. To run experiments in full and keep
what they find, in a working copy: ``python -m specsel.papers.full NAME ...``.
"""

import csv
import sys
import time
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from specsel import papers
from specsel.papers.report import Row

COLUMNS = ("what", "ours", "spread", "seeds")
DIGITS = 6


class Kept(NamedTuple):
    """What a full run found for one row."""

    ours: float
    spread: float
    seeds: int


def load(name: str) -> dict[str, Kept]:
    """Return what the last full run of an experiment found, by row; empty if none was kept."""
    table = files("specsel.papers") / "data" / f"{name}.csv"
    if not table.is_file():
        return {}
    rows = csv.DictReader(table.read_text(encoding="utf-8").splitlines())
    return {
        row["what"]: Kept(float(row["ours"]), float(row["spread"]), int(row["seeds"]))
        for row in rows
    }


def save(name: str, rows: Iterable[Row], folder: Path) -> None:
    """Keep the numbers of a full run."""
    with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            numbers = (f"{value:.{DIGITS}g}" for value in (row.ours, row.spread))
            writer.writerow([row.what, *numbers, row.seeds])


def main(names: Iterable[str]) -> None:
    """Run experiments in full, and keep what they find."""
    folder = Path(__file__).parent / "data"
    for name in names:
        start = time.process_time()
        save(name, papers.load(name).run().rows, folder)
        print(f"{name}: {time.process_time() - start:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or papers.EXPERIMENTS)
