"""What is proved of a size by several searches of it, and by those of larger sizes."""

import numpy as np

from specsel.results.subsets import Found

# A gap of at most this share, which is twice that of ties, counts as proof.
PROVED = 2e-9


def joined(before: Found, after: Found) -> Found:
    """Join two searches of one size; the second set out from what the first found."""
    return after._replace(
        start=before.start,
        bound=min(before.bound, after.bound),
        nodes=before.nodes + after.nodes,
        seconds=before.seconds + after.seconds,
    )


def closed(found: list[Found], *, several: bool = False) -> list[Found]:
    """Let the bound of a size hold for all smaller ones; where no gap is left, it is a proof.

    Where several supports are wanted, it proves the first of them alone.
    """
    rows, ceiling, error = [], np.inf, 0.0
    for row in found[::-1]:
        if row.bound < ceiling:
            ceiling, error = row.bound, row.error
        alone = not (several or row.others)
        proved = alone and ceiling - row.value <= PROVED * abs(row.value)
        if row.status == "optimal" or proved:
            row, ceiling = row._replace(status="optimal"), row.value
        error = max(error, row.error)
        rows.append(row._replace(bound=ceiling, error=error))
    return rows[::-1]
