"""What is wrong with a result, or with the wording of a refusal; "" if nothing is."""

import pickle

import numpy as np
from scipy import sparse

from specsel import results
from specsel.estimators.base import Selector

# How far from 1 the norm of weights may be.
UNIT = {"f4": 1e-3, "f8": 1e-6}


def wording(error, of_sklearn=False):
    """A refusal is one line, "argument: ...", and not of a result that could not be trusted.

    An estimator may refuse in the words of scikit-learn, which checks the data first.
    """
    text = str(error)
    if of_sklearn and text.startswith(("Input X contains", "Found array with")):
        return ""
    if not text.isprintable() or len(text) > 500 or ": " not in text:
        return f"{type(error).__name__}: {text!r}"
    return text if "trusted" in text else ""


def fault(found, draw):
    """Say what is wrong with anything that a public function returned."""
    if isinstance(found, Selector):
        return _selector(found, draw)
    if isinstance(found, results.Weights):
        return _weights(found, draw)
    if isinstance(found, results.Map):
        return "".join(_weights(weights, draw) for weights in found.weights) or _finite(
            positions=found.positions
        )
    if isinstance(found, results.Path):
        return "".join(_subset(found[k], k) for k in found)
    if isinstance(found, results.Subset):
        return _subset(found, len(found.support))
    if isinstance(found, results.StableSubspace):
        return "" if -1e-9 <= found.share <= 1 + 1e-9 else f"share {found.share}"
    if isinstance(found, results.Aligned):
        return _aligned(found, draw)
    if isinstance(found, results.Evidence):
        return "" if 0 < found.p_value <= 1 else f"p {found.p_value}"
    if hasattr(found, "probability"):
        sound = 0 <= found.low <= found.probability <= found.high <= 1
        return "" if sound else f"chance {found}"
    if hasattr(found, "frequency"):
        return fault(found.frequency, draw)
    if sparse.issparse(found):
        return _finite(found=found.data)
    if isinstance(found, np.ndarray | float):
        return _finite(found=np.asarray(found, float))
    return ""  # of other results there is nothing to say but that they came


def _finite(**arrays):
    return "".join(
        f"{name} is {array}" for name, array in arrays.items() if not np.isfinite(array).all()
    )


def _weights(found, draw):
    if found.alpha.shape != (draw.n,) or not np.isfinite(found.alpha).all():
        return f"weights {found.alpha}"
    if not abs(np.linalg.norm(found.alpha) - 1) <= UNIT[draw.dtype]:
        return f"norm {np.linalg.norm(found.alpha)}"
    if not (np.isfinite(found.objective) and np.isfinite(found.basis).all()):
        return f"objective {found.objective}"
    if sorted(found.select(draw.n).tolist()) != list(range(draw.n)):
        return f"selected {found.select(draw.n)}"
    if (found.alpha[found.norm == 0] != 0).any() and found.norm.any():
        return "constant features have weight"
    return _uses(found, draw) if draw.rng.random() < 0.3 else ""


def _uses(found, draw):
    """Say what is wrong with what can be done with weights."""
    copy = pickle.loads(pickle.dumps(found))
    if copy.alpha.tobytes() != found.alpha.tobytes():
        return "a pickled copy differs"
    html = found._repr_html_()
    if "\x1b" in html + repr(found) or len(found.to_frame()) != draw.n:
        return "an escape sequence is shown"
    if not found.norm.any() or found.mean.shape != (draw.n,):
        return ""
    labels = found.labels()
    if labels.min() < 0 or labels.shape != (len(found.basis),):
        return f"labels {labels}"
    if len(found.basis) != draw.q:
        return ""
    count = int(draw.rng.integers(1, draw.n + 1))
    chosen = found.select(count, diverse=draw.X)
    if len(set(chosen.tolist())) != count:
        return f"diverse {chosen}"
    return _finite(reweighted=found.reweight(draw.X))


def _subset(found, k):
    support = found.support
    if len(support) != k or len(set(support.tolist())) != k or (support < 0).any():
        return f"support {support}"
    if not (np.isfinite(found.value) and np.isfinite(found.direction).all()):
        return f"value {found.value}"
    if found.bound < found.value - found.error:
        return f"bound {found.bound} below {found.value}"
    if found.status == "optimal" and not np.isfinite(found.error):
        return "no error is stated"
    return ""


def _aligned(found, draw):
    if len(set(found.ranking.tolist())) != len(found.ranking):
        return f"ranking {found.ranking}"
    if not {*found.support.tolist()} <= {*found.ranking.tolist()}:
        return f"support {found.support} of {found.ranking}"
    return _finite(scores=found.scores, relevance=found.relevance)


def _selector(found, draw):
    if sorted(found.ranking_.tolist()) != list(range(1, draw.n + 1)):
        return f"ranking {found.ranking_}"
    count = int(found.support_.sum())
    if sorted(found.ranking_[found.support_].tolist()) != list(range(1, count + 1)):
        return f"selected {found.support_} of {found.ranking_}"
    if count == 0:
        return ""
    kept = found.transform(draw.X)
    if np.shape(kept) != (draw.q, count):
        return f"transformed to {np.shape(kept)}"
    if len(found.get_feature_names_out()) != count:
        return "names"
    return _finite(kept=np.asarray(kept, float))
