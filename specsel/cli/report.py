"""A report of a run: one HTML file without scripts, style sheets or pictures from elsewhere."""

import argparse
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

import numpy as np

from specsel import _validate
from specsel.cli import citations, drawings, outputs, page
from specsel.cli.tables import Table

# Features that a map shows and names; and samples up to which lists are unfolded.
MAPPED, MAP_NAMES, UNFOLDED = 200, 25, 300

# Methods whose weights have a spectrum beyond its k leading eigenvalues, see `Weights.spectrum`.
WITH_SPECTRUM = ("qalpha", "side_info", "topography")

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
        "Whether the selection is good for a purpose, only new data tell.",
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
    found: Any,
    *,
    verdicts: Sequence[str],
    features: Iterable[int],
    pictures: Iterable[tuple[str, str]],
    seconds: float,
    says: str,
    method: str,
    labels: np.ndarray | None = None,
) -> None:
    """Write the report of a run.

    `verdicts` are sentences that sum the result up, `pictures` drawings with their captions,
    `features` those that are selected, best first, and `labels` the clusters of the samples.
    """
    source = args.file or "the built-in example"
    title = f"specsel {args.command}: {source}"
    names = table.names or [str(i) for i in range(table.n_features)]
    chosen = [names[i] for i in features]
    parts = [
        page.section("Result", page.paragraphs(verdicts)),
        *(page.section(caption, drawing) for caption, drawing in pictures),
        page.section("Numbers", f'<div class="wide">{found._repr_html_()}</div>'),
        page.section(f"{len(chosen)} selected features", page.listed(chosen)),
        page.section("Samples", _clusters(table, labels)) if labels is not None else "",
        page.section("What the numbers say, and what not", page.bullets(SAYS[says])),
        page.section("The data as read", page.facts(_of_data(args, table))),
        page.section("The run", page.facts(_of_run(args, seconds))),
        page.section("What to cite", f"<pre>{escape(citations.of_method(method))}</pre>"),
    ]
    content = page.whole(title, parts)
    with outputs.naming(args.report):
        args.report.write_text(content, encoding="utf-8")


def of_weights(
    args: argparse.Namespace,
    table: Table,
    found: Any,
    verdicts: Sequence[str],
    summary: Mapping[str, Any],
    X: Any,
) -> None:
    """Write the report of weights or of a map; X is what was solved."""
    rounds = getattr(found, "weights", ())
    weights = getattr(found, "combined", found)
    alpha, chosen = weights.alpha[weights.ranking], weights.select()
    pictures = [*_evidence(summary["evidence"])]
    if len(rounds) > 1:
        pictures.append(("Map: features that are alike stand close", _map(found, weights, chosen)))
    pictures.append(
        ("Weights by rank, and the cut", drawings.ranked(alpha, len(chosen), "weight"))
    )
    for i, run in enumerate(rounds or [weights]):
        more = args.method in WITH_SPECTRUM
        title = f"The k = {run.k_} leading eigenvalues" + f" of round {i + 1}" * bool(rounds)
        title += ", and those after them" * more
        values = run.spectrum(X) if more else run.eigenvalues
        pictures += [(title, drawings.spectrum(values, run.k_))] * (len(values) > 1)
    if not summary["converged"]:
        verdicts = [*verdicts, "not converged: more iterations may change the weights"]
    k = weights.basis.shape[1]
    without_clusters = rounds or k == 1 or args.method in ("weighting", "supervised")
    write(
        args,
        table,
        found,
        verdicts=verdicts,
        features=chosen,
        pictures=pictures,
        seconds=summary["seconds"],
        says="select",
        method=args.method,
        labels=None if without_clusters else weights.labels(),
    )


def _map(found: Any, weights: Any, chosen: np.ndarray) -> str:
    """Draw the positions of the features in the first two rounds, the selected ones with names."""
    first = weights.ranking[: max(MAPPED, len(chosen))]
    sizes = weights.alpha[first] / weights.alpha[first[0]]
    names = _validate.name_features(first[: min(len(chosen), MAP_NAMES)], weights.names)
    titles = ["position in round 1", "position in round 2"]
    return drawings.scatter(found.positions[first, :2], sizes, [*map(str, names)], titles)


def _evidence(told: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Draw the objective beside those of shuffled data, if there are any."""
    if told is not None:
        caption = f"The data beside {len(told['null'])} shuffles of the {told['shuffled']}"
        yield caption, drawings.null(told["objective"], told["null"])


def _of_data(args: argparse.Namespace, table: Table) -> Iterator[tuple[str, str]]:
    yield "file", str(args.file or "none given: the built-in example")
    yield (
        "rows",
        f"{table.values.shape[0]} samples" + (", with names" if table.rows is not None else ""),
    )
    yield "columns", f"{table.n_features} features" + (", with names" if table.names else "")
    for fact in table.facts:
        yield "as read", fact
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


def _of_run(args: argparse.Namespace, seconds: float) -> Iterator[tuple[str, str]]:
    yield "command", shlex.join(["specsel", *map(str, args.argv)])
    if hasattr(args, "seed"):
        yield "seed", str(args.seed or 0)
    yield "time", f"{seconds:.2f} s, {date.today().isoformat()}"
    yield from page.versions()


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
        inside = page.listed([rows[i] for i in members])
        unfolded = " open" * (len(labels) <= UNFOLDED)
        parts.append(f"<details{unfolded}><summary>{page.text(title)}</summary>{inside}</details>")
    return "".join(parts)
