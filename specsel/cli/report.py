"""Pages: one HTML file without scripts, style sheets or pictures from elsewhere.

A report of a run is what a notebook shows of its result, with the displays of `specsel.plotting`,
what the numbers say, and how the data were read. `reproduce` makes a page of the same parts.
"""

import argparse
import base64
import platform
import shlex
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from html import escape
from importlib.util import find_spec
from typing import Any

import numpy as np

import specsel
from specsel import _validate
from specsel.cli import common, info
from specsel.cli.tables import Table

STYLE = """
:root { color-scheme: light dark; --soft: #8884; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; overflow-wrap: anywhere; } h2 { font-size: 1.15em; margin: 2em 0 .5em; }
table { font-size: .9em; } .wide { overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em; }
dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85em; padding: .8em;
  border: 1px solid var(--soft); border-radius: 4px; }
svg { width: 100%; height: auto; } svg, img { max-width: 100%; background: white; }
td, th { padding: .1em .6em .1em 0; text-align: left; vertical-align: top; }
@media print { body { max-width: none; font-size: 11px; margin: 0; } .wide { overflow: visible; }
  h2, svg { break-inside: avoid; } h2 { break-after: avoid; } svg { max-width: 30em; } }
"""

# Names that a list shows, and those that it holds at most; the others are folded.
SHOWN, NAMED = 100, 2000

# Samples up to which lists of clusters are unfolded.
UNFOLDED = 300

SAYS = {
    "select": (
        "A weight says how much a feature has in common with the structure that all features show "
        "together. It is no effect size, and its sign means nothing.",
        "The cut splits the weights in a large and a small group. It is no test: the weights of "
        "pure noise are cut as well.",
        "The comparison with shuffled data tests one thing: whether the features are independent "
        'of each other (or, with labels, of the labels). A small p value says "more in common '
        'than chance", and not "clusters", nor that every selected feature matters.',
        "Features that say the same share their weight. A feature that is not selected may still "
        "repeat one that is.",
    ),
    "alignment": (
        "The score rises as long as features add to what the target shows and do not repeat one "
        "another. Its peak is a choice, and no test.",
        "Distances depend on units: columns of different units should be standardised.",
        "Whether the selection is good for a purpose, only new data show.",
    ),
    "path": (
        '"optimal" means: no other set of that size has a larger value in these samples. It says '
        "nothing of other samples; a proof does not prevent overfitting.",
        "The value rises with the size by construction. It is no criterion for the size.",
        'Where the status is not "optimal", another set may be better by the gap at most.',
    ),
    "stable": (
        "A subspace is called stable if the uncertainty of the similarities, as the bootstrap "
        "shows it, cannot close the gap between its eigenvalues and the rest.",
        "Stable is not the same as relevant: a stable component may be of no interest.",
        "Which features were removed depends on the kind of similarity.",
    ),
}


def write(
    args: argparse.Namespace,
    table: Table,
    result: Any,
    *,
    method: str,
    verdicts: Sequence[str],
    features: Iterable[int],
    seconds: float,
    pictures: Iterable[tuple[str, Any, dict[str, Any]]] = (),
    labels: np.ndarray | None = None,
) -> None:
    """Write the report of a run.

    `verdicts` are sentences that sum the result up, `features` those selected, best first,
    `pictures` results to draw with titles and options of `plotting.svg`, and `labels` the clusters
    of the samples.
    """
    says = SAYS[method if method in SAYS else args.command]
    chosen = [*map(table.name_of, map(int, features))]
    ran = [("seed", str(args.seed or 0))] if hasattr(args, "seed") else []
    ran.append(("time", f"{seconds:.2f} s, {date.today().isoformat()}"))
    sections = [
        section("Result", paragraphs(verdicts)),
        *_drawn(pictures),
        section("Numbers", f'<div class="wide">{result._repr_html_()}</div>'),
        section(f"{len(chosen)} selected features", listed(chosen)),
        section("Samples", _clusters(table, labels)) if labels is not None else "",
        section("What the numbers say, and what not", bullets(says)),
        section("The data as read", facts(_of_data(args, table))),
        *of_run(args, ran, method),
    ]
    title = f"specsel {args.command}: {args.file or 'the built-in example'}"
    with common.replacing(args.report) as new:
        new.write_text(page(title, sections), encoding="utf-8")


def _drawn(pictures: Iterable[tuple[str, Any, dict[str, Any]]]) -> Iterator[str]:
    """Yield a section for every picture, or one that says what is missing to draw them."""
    if find_spec("matplotlib") is None:
        missing = "the pictures need matplotlib: pip install 'specsel[plot]'"
        yield section("Pictures", paragraphs([missing]))
        return
    from specsel import plotting

    for title, result, options in pictures:
        display = getattr(plotting, options["display"]) if "display" in options else None
        yield section(title, plotting.svg(result, **options | {"display": display}))


def _of_data(args: argparse.Namespace, table: Table) -> Iterator[tuple[str, str]]:
    yield "file", str(args.file or "none given: the built-in example")
    yield "rows", f"{table.n_samples} samples" + ", with names" * (table.rows is not None)
    yield "columns", f"{table.n_features} features" + ", with names" * bool(table.names)
    yield from (("as read", fact) for fact in table.facts)
    if table.left_out:
        columns = [name or "the first, which has no name" for name in table.left_out]
        yield "columns left out", _validate.first_few(columns, 20)
    if table.y is not None:
        labels, counts = np.unique(table.y.astype(str), return_counts=True)
        some = [f"{label} ({count})" for label, count in zip(labels, counts, strict=True)]
        yield f"labels{f' in {args.target}' if args.target else ''}", _validate.first_few(some, 20)
    for option in ("standardise", "shuffle"):
        if getattr(args, option, None):
            yield "then", f"columns {option}d"


def of_run(
    args: argparse.Namespace, more: Iterable[tuple[str, str]], method: str | None, note: str = ""
) -> Iterator[str]:
    """Yield the last sections of a page: the command, versions, `more` facts; what to cite."""
    packages = [f"{name} {info.version_of(name)}" for name in info.PACKAGES]
    run = [
        ("command", shlex.join(["specsel", *args.argv])),
        *more,
        ("specsel", specsel.__version__),
        ("with", ", ".join([f"Python {platform.python_version()}", *packages])),
        ("on", platform.platform()),
    ]
    yield section("The run", facts(run) + paragraphs([note]))
    yield section("What to cite", f"<pre>{escape(info.bibtex(method))}</pre>")


def _clusters(table: Table, labels: np.ndarray) -> str:
    """List the samples of every cluster, and how many of each class it holds."""
    rows = table.rows or [str(i) for i in range(len(labels))]
    parts = ["<p>k-means on the directions that the weights bring out.</p>"]
    for cluster in range(labels.max() + 1):
        members = np.flatnonzero(labels == cluster)
        title = f"cluster {cluster + 1}: {len(members)} samples"
        if table.y is not None:
            kinds, counts = np.unique(table.y[members].astype(str), return_counts=True)
            title += "; " + ", ".join(f"{c} of {k}" for k, c in zip(kinds, counts, strict=True))
        inside = listed([rows[i] for i in members])
        unfolded = " open" * (len(labels) <= UNFOLDED)
        parts.append(f"<details{unfolded}><summary>{text(title)}</summary>{inside}</details>")
    return "".join(parts)


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page of sections."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><h1>{text(title)}</h1>\n{''.join(parts)}</body></html>\n"
    )


def section(title: str, content: str) -> str:
    """Return a part of a page under a title of its own."""
    return f"<section><h2>{text(title)}</h2>{content}</section>\n"


def paragraphs(lines: Iterable[str]) -> str:
    """Return sentences, each a paragraph that begins with a capital."""
    sentences = [line.replace(" (*)", "") for line in lines if line]
    begun = [line[0].upper() + line[1:] if line[1] != " " else line for line in sentences]
    return "".join(f"<p>{text(line)}</p>" for line in begun)


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names and what they stand for, side by side."""
    rows = "".join(f"<dt>{text(name)}</dt><dd>{text(fact)}</dd>" for name, fact in pairs)
    return f"<dl>{rows}</dl>"


def bullets(lines: Iterable[str]) -> str:
    """Return a list of sentences."""
    return f"<ul>{''.join(f'<li>{text(line)}</li>' for line in lines)}</ul>"


def listed(names: Sequence[str]) -> str:
    """Return names; many are folded, and of very many it says how many more there are."""
    if len(names) <= SHOWN:
        return f"<p>{text(', '.join(names))}</p>"
    more = f"<summary>and {len(names) - SHOWN} more</summary>"
    rest = f"<p>{text(_validate.first_few(names[SHOWN:], NAMED - SHOWN))}</p>"
    return f"<p>{text(', '.join(names[:SHOWN]))}</p><details>{more}{rest}</details>"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts; one that is too wide is scrolled."""
    head = "".join(f"<th>{text(column)}</th>" for column in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>\n" for row in rows
    )
    return f'<div class="wide"><table><tr>{head}</tr>\n{body}</table></div>'


def picture(png: bytes, what: str) -> str:
    """Return a picture, which becomes part of the page."""
    data = base64.b64encode(png).decode("ascii")
    return f'<p><img alt="{text(what)}" src="data:image/png;base64,{data}"></p>'


def text(content: str) -> str:
    """Return a text that shows as it is, control characters too."""
    return escape(_validate.printable(content))
