"""What ``specsel select --method alignment`` prints: features in the order taken, with scores."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from specsel import _validate
from specsel.cli import common, tables, terminal

if TYPE_CHECKING:
    from specsel.results import Aligned


def show(
    args: argparse.Namespace,
    found: "Aligned",
    head: dict[str, Any],
    seconds: float,
    as_read: tables.Table,
) -> None:
    """Print the features selected, or all of them as JSON; write and draw what was asked for."""
    names = [str(name) for name in _validate.name_features(found.ranking, found.names)]
    columns = {
        "rank": range(1, len(names) + 1),
        "feature": names,
        "index": found.ranking.tolist(),
        "score": found.scores.tolist(),
        "relevance": found.relevance[found.ranking].tolist(),
        "selected": [place < len(found.support) for place in range(len(names))],
    }
    rows = zip(*columns.values(), strict=True)
    ranking = [dict(zip(columns, row, strict=True)) for row in rows]
    summary = head | {
        "target": found.target,
        "score": float(found.scores[len(found.support) - 1]),
        "peak": found.peak,
        "selected": names[: len(found.support)],
        "n_passes": found.n_passes,
        "seconds": seconds,
    }
    if args.json:
        terminal.write(json.dumps(summary | {"ranking": ranking}))
    else:
        terminal.write("\n".join(_lines(summary, found, ranking[: args.top])))
    chosen = found.ranking[: len(found.support)]
    common.save(args, as_read, ranking, chosen, found)
    if args.report:
        from specsel.cli import drawings, report

        drawn = drawings.ranked(found.scores, len(chosen), "score")
        report.write(
            args,
            as_read,
            found,
            verdicts=[f"{len(chosen)} features selected; {found.tell_peak()}"],
            features=chosen,
            pictures=[("Alignment by number of features", drawn)],
            seconds=seconds,
            says="alignment",
            method="alignment",
        )
    if args.plot:
        common.draw(args.plot, "AlignmentDisplay", found)


def _lines(summary, found, top):
    """Yield the lines of the text output."""
    n, count = summary["n_features"], len(found.support)
    yield f"{summary['data']}: {summary['n_samples']} samples x {n} features"
    yield (
        f"alignment with {summary['target']}: score {summary['score']:.6g}, data read "
        f"{summary['n_passes']} times, {summary['seconds']:.2f} s"
    )
    yield ""
    width = max(7, *(len(row["feature"]) for row in top))
    yield f"   rank  {'feature':{width}}    score"
    for row in top:
        mark = "*" if row["selected"] else " "
        yield f" {mark} {row['rank']:4}  {row['feature']:{width}}  {row['score']:7.4f}"
    if len(found.ranking) > len(top):
        yield f"   and {len(found.ranking) - len(top)} more"
    yield ""
    yield f"{count} of {n} features selected (*); {found.tell_peak()}"
