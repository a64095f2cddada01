"""One random call of the public interface for every seed: any solver, estimator or simulation.

`attempt(seed)` makes the call and returns "returned" or "refused". Anything else, such as a wrong
result, a traceback, or a warning that is not for users, is an `AssertionError` that names the
seed.
"""

import warnings

import numpy as np
from fingerprints import differences, values
from fuzz import sound
from fuzz.draws import Draw
from numba import config

import specsel
from specsel import alignment, eslda, evidence, gslda, positivity, qalpha, sbs
from specsel._methods import METHODS
from specsel.estimators.base import Selector

# Share of the calls that are made twice, which must give the same bytes.
TWICE = 0.05

# What is called, by name: the first word is the module whose drawers of arguments are taken.
CALLS = {
    **{name: getattr(specsel, name).solve for name in METHODS},
    "qalpha relevance": qalpha.relevance,
    "qalpha gram": qalpha.gram,
    "alignment graph": alignment.graph,
    "evidence": evidence.solve,
    "evidence detectability": evidence.detectability,
    "gslda pair": gslda.solve_pair,
    "gslda threshold": gslda.simple_threshold,
    "gslda ranking": gslda.correlation_ranking,
    "eslda pair": eslda.solve_pair,
    "sbs intervals": sbs.intervals,
    "positivity probability": positivity.probability,
    "positivity leading": positivity.leading_eigenvalue,
    "positivity semicircle": positivity.semicircle,
    "positivity wishart": positivity.wishart_moments,
    "positivity triple": positivity.triple_product,
    "positivity hoeffding": positivity.hoeffding_tail,
    "positivity norm": positivity.norm_tail,
}
ESTIMATORS = {f"{name} estimator": name for name in specsel.ESTIMATORS}

# Whose drawers of arguments are taken otherwise.
OTHERS = {
    "eslda pair": "pair",
    "gslda threshold": "threshold",
    "gslda ranking": "ranking",
    "qalpha relevance": "relevance",
    "AlignmentSelector": "alignment",
    "ExactSparseLDA": "subsets",
    "GreedySparseLDA": "subsets",
    "PairwiseQAlpha": "pairwise",
    "StableLSI": "semantics",
    "StablePCA": "components",
    "SupervisedQAlpha": "supervised",
}


def attempt(seed):
    """Make the call of a seed; return "returned" or "refused"."""
    draw = Draw(seed)
    names = [*CALLS, *ESTIMATORS]
    name = names[draw.rng.integers(len(names))]
    call, passed = _estimator(draw, name) if name in ESTIMATORS else _call(draw, name)
    where = f"seed {seed}: {name} of {draw.dtype} {draw.q, draw.n} with {passed}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)
            if name in ESTIMATORS:  # scikit-learn sums infinite values before it refuses them
                warnings.filterwarnings("ignore", "invalid value encountered in reduce")
            if config.DISABLE_JIT:  # compiled code does not warn where numbers overflow
                warnings.simplefilter("ignore", RuntimeWarning)
            found = call()
            fault = sound.fault(found, draw)
            repeats = "time_limit" not in passed and passed.get("random_state", 0) is not None
            if not fault and repeats and draw.rng.random() < TWICE:
                fault = "".join(differences(_plain(found), _plain(call()), rtol=0))
    except (ValueError, MemoryError) as error:
        fault = sound.wording(error, of_sklearn=name in ESTIMATORS)
        assert not fault, f"{where}: {fault}"
        return "refused"
    except Exception as error:
        raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
    assert not fault, f"{where}: {fault}"
    return "returned"


def _plain(found):
    with np.errstate(all="ignore"):
        return values(vars(found) if isinstance(found, Selector) else found)


def _call(draw, name):
    """Return a call of a function, and its arguments for the message."""
    module, function = name.split()[0], CALLS[name]
    module = OTHERS.get(name, module)
    arguments = draw.arguments(module, function)
    if name == "eslda" and draw.rng.random() < 0.9:
        arguments.setdefault("k", draw.one(1, 2))
    passed = {key: value for key, value in arguments.items() if key not in ("X", "A", "B")}
    return lambda: function(**_fresh(arguments)), passed


def _estimator(draw, name):
    """Return a call that fits an estimator, and its parameters for the message."""
    kind = ESTIMATORS[name]
    needs = getattr(specsel, kind).needs_classes or kind == "StabilitySelection"
    y = draw.labels() if needs else draw.classes
    chosen = draw.arguments(OTHERS.get(kind, kind), getattr(specsel, kind))
    if kind in ("SideInfoQAlpha", "PairwiseQAlpha"):  # samples, for rows are split and shuffled
        for key in {"apart", "together"} & {*chosen}:
            chosen[key] = draw.array[:2], draw.array[-2:]
    elif kind == "StabilitySelection":
        inner = [specsel.QAlpha(k=1), specsel.FisherWeighting(), specsel.ParameterFreeWeighting()]
        chosen["estimator"] = inner[draw.rng.integers(3)]

    def call():
        return getattr(specsel, kind)(**_fresh(chosen)).fit(draw.X, y)

    return call, chosen


def _fresh(arguments):
    """Return arguments with generators as they were, so that a call can be made again."""
    return {
        key: np.random.default_rng(3) if isinstance(value, np.random.Generator) else value
        for key, value in arguments.items()
    }
