"""What features are aligned with: neighbours, classes, weights, or a matrix of the user."""

from typing import Any

import numpy as np

from specsel import _containers, _data, _validate
from specsel._validate import Floats
from specsel.results import Weights

TARGETS = ("neighbours", "classes")

# Numbers in a block of features, which should stay in cache, and the fewest features in one: fewer
# would read most of X again for every block where samples lie one after another.
BLOCK_NUMBERS = 2**15
LEAST_FEATURES = 32


def check_target(target: Any, y: Any, n_samples: int) -> tuple[str, Any]:
    """What the target is, and what is known of it before X is read.

    That is nothing for "neighbours", the class of every sample for "classes", a basis for
    "weights", and a matrix of samples x samples, or what multiplies like one, for "given".
    """
    if target is None:
        target = "neighbours" if y is None else "classes"
    if not isinstance(target, str):
        kind, matrix = _given(target, n_samples)
    else:
        _validate.check_choice("target", target, TARGETS)
        kind, matrix = target, None
    if kind == "classes":
        return kind, _containers.as_classes(y, n_samples)
    if y is not None:
        raise ValueError("y: is for target = 'classes'; leave out y or the other target")
    return kind, matrix


def _given(target: Any, n_samples: int) -> tuple[str, Any]:
    if isinstance(target, Weights):
        if len(target.basis) != n_samples:
            raise ValueError(
                f"target: are weights from {len(target.basis)} samples; X has {n_samples}"
            )
        return "weights", target.basis
    if hasattr(target, "tocsr"):
        from scipy import sparse  # here, for it would make the package slow to import

        matrix = sparse.csr_array(target, dtype=float)
        finite = np.isfinite(matrix.data).all()
    elif hasattr(target, "__array__") or isinstance(target, list | tuple):
        matrix = _containers.as_matrix(target, name="target")[0]
        finite = np.isfinite(matrix).all()
    elif hasattr(target, "__matmul__"):
        matrix, finite = target, True
    else:
        raise ValueError(
            f"target = {_validate.brief(target)}: must be one of {', '.join(TARGETS)}, Weights, "
            "or a matrix of samples x samples"
        )
    shape = tuple(getattr(matrix, "shape", (n_samples, n_samples)))
    if shape != (n_samples, n_samples):
        raise ValueError(
            f"target: has shape {shape}; samples x samples are needed, X has {n_samples}"
        )
    if not finite:
        raise ValueError("target: holds values that are NaN or infinite; finite ones are needed")
    return "given", matrix


def relevance_to(data: _data.Data, kind: str, matrix: Any, square: Floats) -> Floats:
    """``t_i = m_iᵀ (T - τ) m_i`` of every feature, where τ is what irrelevant features have.

    For classes τ is the mean for noise. For neighbours it is that of the median feature: noise
    where most features are noise, and else what most features share with the graph, which tells
    none of them from the others. Targets of the user are taken as they are: τ is 0. `square`
    holds the ``|m_i|²``.
    """
    if kind == "classes":
        counts = np.bincount(matrix)
        indicators = np.zeros((len(matrix), len(counts)))
        indicators[np.arange(len(matrix)), matrix] = 1 / np.sqrt(counts[matrix])
        by_chance = (len(counts) - 1) / (len(matrix) - 1)
        return data.forward(indicators, indicators) - by_chance * square
    if kind == "weights":
        relevance = data.forward(matrix, matrix)
    elif isinstance(matrix, np.ndarray):
        relevance = data.forward(matrix, None)
    else:
        relevance = _in_blocks(data, matrix)
    if kind != "neighbours":
        return relevance
    varying = square > 0
    return relevance - np.median(relevance[varying] / square[varying]) * square


def _in_blocks(data: _data.Data, matrix: Any) -> Floats:
    """``m_iᵀ T m_i`` for anything with ``T @ M``, some features at a time."""
    relevance = np.zeros(data.n_features)
    step = max(LEAST_FEATURES, BLOCK_NUMBERS // data.n_samples)
    for start in range(0, data.n_features, step):
        block = data.block(slice(start, start + step))
        image = np.asarray(matrix @ block)
        if image.shape != block.shape or image.dtype.kind not in "biuf":
            raise ValueError(
                f"target: target @ M has shape {image.shape} and dtype {image.dtype}; real "
                f"numbers of shape {block.shape} are needed"
            )
        relevance[start : start + step] = np.einsum("si,si->i", block, image)
    data.count_pass()
    if not np.isfinite(relevance).all():
        raise ValueError("target: target @ M holds values that are NaN or infinite")
    return relevance
