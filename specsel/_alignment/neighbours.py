"""The nearest neighbours of every sample, whatever rounding does.

Counts have samples that are alike, and distances that are equal. Rounding, which differs with the
container and the memory order of X, would decide between these. Of samples that are equally near
those count that come next by number, the first after the last; so no sample is a neighbour of many
others merely because it comes first.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from specsel._validate import Floats, Integers

# Distances are equal that differ by no more than this share of the largest coordinate, and samples
# are copies whose coordinates differ by a hundredth of that.
TIE = 1e-9
COPY = 0.01

# Up to so many samples one thread finds the neighbours sooner than several start.
ALONE = 1000


def find(places: Floats, count: int, floor: float) -> tuple[Integers, Integers]:
    """Samples and their neighbours, `count` of each; `floor` is what rounding leaves in places."""
    # The sample itself comes first, and the last one is to be left out.
    workers = -1 if len(places) > ALONE else 1
    distances, found = _tree(places).query(places, count + 2, workers=workers)
    tie = max(TIE, floor) * float(np.abs(places).max())
    reach = distances[:, count]
    is_tied = distances[:, -1] - reach <= tie
    samples = np.repeat(np.arange(len(places)), count + 1)
    others = found[:, :-1].ravel()
    clear = (samples != others) & ~np.repeat(is_tied, count + 1)
    pairs = [(samples[clear], others[clear])]
    if is_tied.any():
        pairs.extend(_among_equals(places, count, np.where(is_tied, reach, -1.0), tie))
    first, second = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return first, second


def _among_equals(
    places: Floats, count: int, reach: Floats, tie: float
) -> Iterator[tuple[Integers, Integers]]:
    """Yield samples with their neighbours where some at the distance `reach` must be left out.

    Where it is negative, none must.
    """
    copies = _copies(places, COPY * tie)
    centres = places[[same[0] for same in copies]]
    tree = _tree(centres)
    for centre, same in zip(centres, copies, strict=True):
        tied = same[reach[same] >= 0]
        if len(tied) == 0:
            continue
        distance = reach[tied[0]]
        around = tree.query_ball_point(centre, distance + tie, return_sorted=True)
        is_near = np.linalg.norm(centres[around] - centre, axis=1) < distance - tie
        near = _joined(copies, around, is_near)
        equal = np.sort(_joined(copies, around, ~is_near))
        for sample in tied.tolist():
            taken = near[near != sample]
            missing = count - len(taken)
            after = np.searchsorted(equal, sample, side="right") + np.arange(missing + 1)
            next_ones = equal[after % len(equal)]
            taken = np.concatenate((taken, next_ones[next_ones != sample][:missing]))
            yield np.full(len(taken), sample), taken


def _tree(places: Floats) -> Any:
    from scipy.spatial import cKDTree  # here, for it would make the package slow to import

    return cKDTree(places)


def _joined(copies: list[Integers], groups: list[int], wanted: Any) -> Integers:
    """The samples of the groups that are wanted."""
    parts = [copies[group] for group, is_wanted in zip(groups, wanted, strict=True) if is_wanted]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.intp)


def _copies(places: Floats, apart: float) -> list[Integers]:
    """Groups of samples that lie in one place, each in ascending order.

    Along no coordinate is there a gap of more than `apart` within a group.
    """
    groups = np.zeros(len(places), dtype=np.intp)
    for coordinate in places.T:
        order = np.lexsort((coordinate, groups))
        is_new = (np.diff(coordinate[order]) > apart) | (np.diff(groups[order]) > 0)
        groups[order] = np.concatenate(([0], np.cumsum(is_new)))
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
