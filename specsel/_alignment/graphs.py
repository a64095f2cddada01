"""The graph of the nearest neighbours of the samples."""

import warnings
from functools import partial
from typing import Any

import numpy as np

from specsel import _data, _validate, linalg
from specsel._alignment.neighbours import find
from specsel._validate import Floats, Names

# Samples whose neighbours a tree finds in seconds: about ten of one core where components fall
# off, and thirty where the samples are as far apart in all of twenty.
GRAPH_SAMPLES = 30_000

# Columns in different units are suspected where a tenth of them carry so much of the variance.
FEW_SHARE = 0.1
NEARLY_ALL = 0.99


def check_graph(n_samples: int, neighbours: int, components: int) -> None:
    """Refuse numbers that make no graph, and graphs that take minutes."""
    _validate.check_integer("components", components, 1)
    if n_samples < 3:
        raise ValueError(f"X: has {n_samples} samples; at least 3 are needed for neighbours")
    _validate.check_integer("neighbours", neighbours, 1)
    if n_samples > GRAPH_SAMPLES:
        raise ValueError(
            f"target = 'neighbours': may take minutes for {n_samples} samples; for more than "
            f"{GRAPH_SAMPLES} give a graph, a sparse matrix of samples x samples"
        )


def warn_of_units(variances: Floats, names: Names) -> None:
    """Warn where a few columns make the graph alone, for their units may be the reason."""
    varying = int((variances > 0).sum())
    order = np.argsort(-variances, kind="stable")
    total = np.cumsum(variances[order])
    count = int(np.searchsorted(total, NEARLY_ALL * total[-1])) + 1
    if varying < 3 or count > max(1, int(FEW_SHARE * varying)):
        return
    verb = "makes" if count == 1 else "make"
    which = _validate.first_few(_validate.name_features(order[:count], names))
    warnings.warn(
        f"{count} of {varying} columns {verb} the graph of neighbours alone, with "
        f"{NEARLY_ALL:.0%} of the variance: {which}; "
        "standardise X (--standardise) if units differ",
        stacklevel=_validate.caller(),
    )


def nearest_neighbours(data: _data.Data, neighbours: int, components: int) -> Any:
    """``D^(-½) W D^(-½)`` of the symmetric graph of neighbours in leading components of the data.

    No sample is isolated, for each has neighbours of its own: as many as asked for, but at most
    half of the other samples.
    """
    # Here, for it would make the package slow to import.
    from scipy import sparse

    neighbours = min(neighbours, (data.n_samples - 1) // 2)
    places = _leading_components(data, min(components, data.rank_bound))
    samples, others = find(places, neighbours, data.floor)
    size = (len(places), len(places))
    links = sparse.csr_array((np.ones(len(samples)), (samples, others)), size)
    links = links.maximum(links.T).tocoo()
    degrees = np.bincount(links.row, minlength=len(places))
    weights = 1 / np.sqrt(degrees[links.row] * degrees[links.col])
    return sparse.csr_array((weights, (links.row, links.col)), size)


def _leading_components(data: _data.Data, count: int) -> Floats:
    """Samples x components, the leading ones; see `linalg.leading_pairs`."""
    equal = np.ones(data.n_features)
    if data.n_samples <= linalg.DENSE_LIMIT:
        values, axes = linalg.last_eigenpairs(data.adjoint(equal, None), count=count)
    else:
        values, axes = linalg.leading_pairs(partial(data.adjoint, equal), data.n_samples, count)
    scaled: Floats = axes * np.sqrt(np.maximum(values, 0.0))
    return scaled
