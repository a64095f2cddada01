"""A page: one HTML file without scripts, style sheets or pictures from elsewhere."""

import base64
import platform
from collections.abc import Iterable, Iterator, Sequence
from html import escape

import specsel
from specsel import _validate
from specsel.cli import info

STYLE = """
:root { color-scheme: light dark; --on: #0072b2; --off: #949494; --other: #d55e00; --soft: #8884; }
@media (prefers-color-scheme: dark) { :root { --on: #56b4e9; --off: #8a8a8a; --other: #e69f00; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; overflow-wrap: anywhere; } h2 { font-size: 1.15em; margin: 2em 0 .5em; }
table { font-size: .9em; } .wide { overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em; }
dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85em; padding: .8em;
  border: 1px solid var(--soft); border-radius: 4px; }
svg { width: 100%; font-size: 12px; } img { max-width: 100%; background: white; }
td, th { padding: .1em .6em .1em 0; text-align: left; vertical-align: top; }
svg text { fill: currentColor; paint-order: stroke; stroke: Canvas; stroke-width: 3px; }
.on { fill: var(--on); } .off { fill: var(--off); } .other { fill: var(--other); }
polyline { fill: none !important; stroke-width: 1.5; } polyline.on { stroke: var(--on); }
polyline.off { stroke: var(--off); } polyline.other { stroke: var(--other); }
.axis, .cut { stroke: currentColor; } .cut { stroke-dasharray: 4 3; }
.grid { stroke: var(--soft); }
@media print { body { max-width: none; font-size: 11px; margin: 0; } .wide { overflow: visible; }
  h2, svg { break-inside: avoid; } h2 { break-after: avoid; } svg { max-width: 30em; } }
"""

# Names that a list shows, and those that it holds at most; the others are folded.
SHOWN, NAMED = 100, 2000


def whole(title: str, parts: Iterable[str]) -> str:
    """Return a page of sections."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><h1>{text(title)}</h1>\n{''.join(parts)}</body></html>\n"
    )


def versions() -> Iterator[tuple[str, str]]:
    """Yield facts: the versions of all that computes, and the machine."""
    yield "specsel", specsel.__version__
    found = [f"{name} {info.version_of(name)}" for name in info.PACKAGES]
    yield "with", ", ".join([f"Python {platform.python_version()}", *found])
    yield "on", platform.platform()


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
