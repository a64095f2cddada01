"""What results show of themselves in a notebook: a small table, readable in light and in dark.

There are no scripts and no style sheets. Colours are those of the page, but for the bars, which
let its background through.
"""

from html import escape

import numpy as np

from specsel import _input

# Rows of a table beside those at its cut, and features in a line.
ROWS = 20
FEATURES = 12

# Length of the longest bar in letters, and how things look.
LONGEST = 12
BAR = "width:{:.1f}em;height:.8em;background:rgba(20,130,205,.8)"
CELL = "text-align:left;padding:.1em .8em;background:none"
CUT = ";border-bottom:2px dashed currentColor"


def of_weights(weights) -> str:
    """Features of `Weights`, best first, with the cut at the gap."""
    return _features(weights, f"Weights, {_state(weights)}", {})


def of_map(chart) -> str:
    """Features of a `Map`, best over all rounds first, with relevance and position in each."""
    columns, ranking = {}, chart.combined.ranking
    for i, weights in enumerate(chart.weights):
        columns[f"relevance {i + 1}"] = _numbers(weights.alpha[ranking])
        columns[f"position {i + 1}"] = _numbers(chart.positions[ranking, i])
    title = f"Map of {len(chart.weights)} rounds, {_state(chart.combined)}"
    return _features(chart.combined, title, columns)


def of_subset(subset) -> str:
    """Features of a `Subset`, those first that count most in the direction."""
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


def of_path(path) -> str:
    """Sizes of a `Path`, with their values and features."""
    columns = {
        "size": path.sizes.tolist(),
        "value": _numbers(path.values),
        "": _bars(path.values),
        "bound": _numbers(path.bounds),
        "status": path.statuses,
        "features": [_line(support, path.names) for support in path.supports],
    }
    return _table(f"Path of {len(path)} sizes", columns)


def of_stable(found) -> str:
    """Eigenvalues of a `StableSubspace`, with the cut after those that belong to it."""
    names, values = found.intervals.names, found.eigenvalues
    columns = {
        "eigenvalue": range(1, len(values) + 1),
        "value": _numbers(values),
        "": _bars(values),
        "share": _numbers(np.cumsum(values) / np.trace(found.A)),
    }
    state = "" if found.converged else ", not converged"
    title = (
        f"StableSubspace, k = {found.k} of {len(values)} features: share {found.share:.3g}{state}"
    )
    notes = [f"features: {_line(found.support, names)}"] if found.k else ["nothing is stable"]
    if found.k and len(found.removed):
        notes.append(f"removed: {_line(found.removed, names)}")
    return _table(title, columns, found.k, notes)


def of_aligned(found) -> str:
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


def _features(weights, title, columns):
    ranking, count = weights.ranking, len(weights.select())
    alpha = weights.alpha[ranking]
    first = {
        "rank": range(1, len(alpha) + 1),
        "feature": _names(ranking, weights.names),
        "weight": _numbers(alpha),
        "": _bars(alpha),
    }
    return _table(f"{title}: {count} of {len(alpha)} above the gap", first | columns, count)


def _state(weights):
    return "converged" if weights.converged else "not converged"


def _names(features, names):
    return [escape(str(name)) for name in _input.named(features, names)]


def _line(features, names):
    """Features in one line, the first few of them."""
    return escape(_input.some(_input.named(features, names), FEATURES))


def _numbers(values):
    return [f"{value:#.4g}" for value in values]


def _bars(values):
    """Bars as long as the values, those below zero or without a value empty."""
    values = np.fmax(values, 0.0)
    shares = values / max(values.max(), np.finfo(float).tiny)
    return [f'<div style="{BAR.format(LONGEST * share)}"></div>' for share in shares]


def _table(title, columns, cut=0, notes=()):
    """The first rows, and those before and after the cut."""
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


def _row(tag, cells, style):
    written = "".join(f'<{tag} style="{style}">{cell}</{tag}>' for cell in cells)
    return f"<tr>{written}</tr>"
