"""Small HTML tables that show results in a notebook, readable on light and dark pages.

They hold no scripts and no style sheets. Colours are those of the page; only the bars have one of
their own, and it lets the background through.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from specsel import _validate
from specsel._validate import Floats, Integers, Names

if TYPE_CHECKING:
    from specsel.results import Map, Path, StableSubspace, Subset, Weights
    from specsel.results.aligned import Aligned

# Rows that a table shows, beside those at its cut; and features that one line names.
ROWS = 20
FEATURES = 12

# Length of the longest bar, in em; and how bars, cells and the cut look.
LONGEST = 12
BAR = "width:{:.1f}em;height:.8em;background:rgba(20,130,205,.8)"
CELL = "text-align:left;padding:.1em .8em;background:none"
CUT = ";border-bottom:2px dashed currentColor"


def of_weights(weights: Weights) -> str:
    """Show the features of `Weights`, best first, with the cut at the gap."""
    return _features(weights, f"Weights, k = {_directions(weights)}, {_convergence(weights)}", {})


def of_map(chart: Map) -> str:
    """Show the features of a `Map`, the best over all rounds first, with every round's numbers."""
    columns, ranking = {}, chart.combined.ranking
    for i, weights in enumerate(chart.weights):
        columns[f"relevance {i + 1}"] = _numbers(weights.alpha[ranking])
        columns[f"position {i + 1}"] = _numbers(chart.positions[ranking, i])
    title = f"Map of {len(chart.weights)} rounds, {_convergence(chart.combined)}"
    return _features(chart.combined, title, columns)


def of_subset(subset: Subset) -> str:
    """Show the features of a `Subset`, largest entries of the direction first."""
    entries = subset.direction[subset.support]
    order = np.argsort(-np.abs(entries), kind="stable")
    columns = {
        "feature": _names(subset.support[order], subset.names),
        "direction": _numbers(entries[order]),
        "": _bars(np.abs(entries[order])),
    }
    return _table(
        f"Subset of {len(order)} features: value {subset.value:.6g}, {subset.status}, "
        f"gap {subset.gap:.2g}",
        columns,
    )


def of_path(path: Path) -> str:
    """Show the sizes of a `Path`, with their values and features."""
    columns = {
        "size": path.sizes.tolist(),
        "value": _numbers(path.values),
        "": _bars(path.values),
        "bound": _numbers(path.bounds),
        "status": path.statuses,
        "features": [_line(support, path.names) for support in path.supports],
    }
    return _table(f"Path of {len(path)} sizes", columns)


def of_stable(found: StableSubspace) -> str:
    """Show the eigenvalues of a `StableSubspace`, with the cut after those that belong to it."""
    names, values = found.intervals.names, found.eigenvalues
    columns = {
        "eigenvalue": range(1, len(values) + 1),
        "value": _numbers(values),
        "": _bars(values),
        "share": _numbers(np.cumsum(values) / np.trace(found.A)),
    }
    state = "" if found.converged else ", not converged"
    title = (
        f"StableSubspace, k = {_validate.count_of(found.k, 'component')} of {len(values)} "
        f"features: share {found.share:.3g}{state}"
    )
    notes = [f"features: {_line(found.support, names)}"] if found.k else ["nothing is stable"]
    if found.k and len(found.removed):
        notes.append(f"removed: {_line(found.removed, names)}")
    return _table(title, columns, found.k, notes)


def of_aligned(found: Aligned) -> str:
    """Features of an `Aligned`, in the order taken, with the cut after those selected."""
    size = len(found.support)
    columns = {
        "rank": range(1, len(found.ranking) + 1),
        "feature": _names(found.ranking, found.names),
        "score": _numbers(found.scores),
        "": _bars(found.scores),
    }
    title = (
        f"Aligned, target {found.target}: {size} of {len(found.relevance)} features, "
        f"{found.tell_peak()}"
    )
    return _table(title, columns, size)


def _features(weights: Weights, title: str, columns: Mapping[str, Iterable[Any]]) -> str:
    """Show features by weight, with further columns in the same order."""
    ranking, count = weights.ranking, len(weights.select())
    alpha = weights.alpha[ranking]
    first: dict[str, Iterable[Any]] = {
        "rank": range(1, len(alpha) + 1),
        "feature": _names(ranking, weights.names),
        "weight": _numbers(alpha),
        "": _bars(alpha),
    }
    return _table(f"{title}: {count} of {len(alpha)} above the gap", {**first, **columns}, count)


def _directions(weights: Weights) -> str:
    return _validate.count_of(weights.k_, "direction")


def _convergence(weights: Weights) -> str:
    return "converged" if weights.converged else "not converged"


def _names(features: Integers, names: Names) -> list[str]:
    return [escape(_validate.printable(name)) for name in _validate.name_features(features, names)]


def _line(features: Integers, names: Names) -> str:
    """Name the first few features in one line."""
    return escape(_validate.first_few(_validate.name_features(features, names), FEATURES))


def _numbers(values: Floats) -> list[str]:
    return [f"{value:#.4g}" for value in values]


def _bars(values: Floats) -> list[str]:
    """Draw bars as long as the values; negative numbers and NaN get none."""
    values = np.fmax(values, 0.0)
    shares = values / max(values.max(), np.finfo(float).tiny)
    return [f'<div style="{BAR.format(LONGEST * share)}"></div>' for share in shares]


def _table(
    title: str,
    columns: Mapping[str, Iterable[Any]],
    cut: int = 0,
    notes: Sequence[str] = (),
) -> str:
    """Write the first rows of a table, and the rows before and after its cut."""
    rows = list(zip(*columns.values(), strict=True))
    at_cut = range(cut - 1, cut + 1) if 0 < cut < len(rows) else ()
    shown = sorted({*range(min(len(rows), ROWS)), *at_cut})
    lines = [_row("th", columns, CELL)]
    for before, i in zip([-1, *shown], shown, strict=False):
        if i > before + 1:
            lines.append(_row("td", ["⋮"] + [""] * (len(columns) - 1), CELL))
        lines.append(_row("td", rows[i], CELL + CUT * (i + 1 == cut < len(rows))))
    if shown[-1] + 1 < len(rows):
        notes = [f"and {len(rows) - shown[-1] - 1} more", *notes]
    table = f'<table style="border-collapse:collapse;color:inherit">{"".join(lines)}</table>'
    paragraphs = "".join(f"<p>{note}</p>" for note in notes)
    return f"<div><p>{title}</p>{table}{paragraphs}</div>"


def _row(tag: str, cells: Iterable[Any], style: str) -> str:
    written = "".join(f'<{tag} style="{style}">{cell}</{tag}>' for cell in cells)
    return f"<tr>{written}</tr>"
