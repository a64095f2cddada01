"""The README's tables of selection: ``python selections.py --write``, in the folder ``asv_bench``.

Without ``--write`` the tables are printed. They are those of ``specsel reproduce selection`` and
``specsel reproduce classification``, at full size. fastcan is compared where it is installed, see
``peers.txt``; where it is not, its line in the README stays.
"""

import argparse
import sys

import numpy as np
from benchmarks import peers
from speeds import README, inserted

from specsel.papers import classification, selection

UNLABELLED, LABELLED = "without labels", "with labels"
TITLES = {
    "alignment": "`alignment`",
    "qalpha": "Q-α (largest weights)",
    "supervised": "`supervised`",
    "RFE": "recursive elimination (RFE)",
    "random": "random",
    "fastcan": "fastcan",
}
FASTCAN = "| fastcan |"


def markers(which):
    """The lines between which a table stands."""
    return (
        f"<!-- selections.py writes what follows: {which} -->\n",
        f"<!-- selections.py wrote this: {which} -->\n",
    )


def without_labels(names, resamples=4, draws=4):
    """Lines of the table of scores, and of relevant features on planted sets."""
    scores = [selection.scores_on(*selection.load(name), resamples, draws) for name in names]
    planted = selection.planted()
    lines = [
        f"| selected by | mean of {len(names)} sets | better than random on "
        "| relevant, `example` | relevant, `growing_classes` |",
        "|---|---|---|---|---|",
    ]
    for method in (*selection.METHODS, "random", "all features"):
        means = [np.mean(found[method]) for found in scores]
        gains = np.subtract(means, [np.mean(found["random"]) for found in scores])
        wins = f"{(gains > 0).sum()} of {len(names)}" if method in selection.METHODS else ""
        shares = [
            np.mean(found.get(method, found["random"])) for found in planted.values()
        ]  # of all features, as many are relevant as of random ones
        cells = [f"{np.mean(means):.1f}", wins, *(f"{share:.0f} %" for share in shares)]
        lines.append(
            f"| {TITLES.get(method, method)} | {' | '.join(cells)} |".replace("|  |", "| |")
        )
    return lines


def with_labels(names, old, seeds=2):
    """Lines of the table of gains of `alignment`; `old` are those that stand in the README."""
    if peers.installed("fastcan"):
        classification.METHODS["fastcan"] = fastcan
    scores = [classification.accuracies_on(*selection.load(name), seeds) for name in names]
    lines = [
        "| `alignment` with classes against | better–worse | points on average |",
        "|---|---|---|",
    ]
    for method in classification.others():
        told = classification.compared(scores, method).split(": ")[1]
        wins, points = told.removesuffix(" points on average").split(", ")
        lines.append(f"| {TITLES.get(method, method)} | {wins} | {points} |")
    if "fastcan" not in classification.METHODS:
        lines += [line for line in old if line.startswith(FASTCAN)]
    return lines


def fastcan(Z, y, m):
    """The first features that fastcan takes."""
    return peers.fastcan_of_classes(Z, y)[:m]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the tables to the README")
    args = parser.parse_args()
    text = README.read_text("utf-8")
    tables = {
        UNLABELLED: without_labels(list(selection.LOADERS)),
        LABELLED: with_labels(classification.SETS, text.splitlines()),
    }
    for which, lines in tables.items():
        text = inserted(text, "\n".join(lines), *markers(which))
        sys.stdout.write("\n".join([*lines, "", ""]))
    if args.write:
        README.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
