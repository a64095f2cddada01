"""A result that is not what it says is refused, in one line: better no result than a lie."""

import numpy as np
import pytest
from instances import weights_of

from specsel import results, sbs
from specsel.results import weights as gate

GOOD = np.array([0.6, 0.8])


def refused(message, make):
    with pytest.raises(ValueError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_sound_weights_pass():
    found = weights_of(GOOD)
    assert gate.check(found, 1e-15, value=1.0, scale=1.0) is found


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"alpha": [np.nan, 1.0]}, "they are not finite"),
        ({"alpha": [np.inf, 0.0]}, "they are not finite"),
        ({"objective": np.nan}, "they are not finite"),
        ({"history": [1.0, np.inf]}, "they are not finite"),
        ({"eigenvalues": [np.nan]}, "they are not finite"),
        ({"basis": np.full((2, 1), np.nan)}, "they are not finite"),
        ({"alpha": [0.0, 0.0]}, "their norm is 0 instead of 1"),
        ({"alpha": [0.6, 0.81]}, r"their norm is 1\.00801786 instead of 1"),
        ({"alpha": [0.004, 0.0]}, r"their norm is 0\.004 instead of 1"),
        ({"objective": 1.1}, r"their objective is 1\.1, by other products 1$"),
        ({"objective": -1.0}, "their objective is -1, by other products 1$"),
    ],
)
def test_weights_are_refused(changes, fault):
    changes = {"alpha": GOOD, **changes}
    refused(
        f"^X: the weights found cannot be trusted, {fault.rstrip('$')}; take other options",
        lambda: gate.check(weights_of(**changes), 1e-15, value=1.0),
    )


def subset(**changes):
    values = {
        "support": np.array([0]),
        "value": 1.0,
        "bound": 1.0,
        "direction": np.array([1.0, 0.0]),
        "status": "optimal",
        "nodes": 0,
        "seconds": 0.0,
    }
    return results.Subset(**(values | changes))


def test_subsets_are_refused():
    assert subset().value == 1.0
    for changes in ({"value": np.nan}, {"value": np.inf}, {"direction": np.array([np.nan, 0])}):
        refused("^X: the value of a support is no finite number", lambda c=changes: subset(**c))


def test_subspaces_are_refused():
    counts = np.random.default_rng(0).poisson(1.5, (60, 5)).astype(float)
    found = sbs.solve(counts, n_boot=100, random_state=0)
    parts = {name: getattr(found, name) for name in found.__dataclass_fields__}
    assert found.k > 0
    assert results.StableSubspace(**parts).k == found.k
    for changes, fault in (
        ({"vectors": 1.01 * found.vectors}, "its basis is not orthonormal"),
        ({"vectors": np.nan * found.vectors}, "it is not finite"),
        ({"share": found.share / 2}, "it retains"),
    ):
        refused(
            f"^X: the subspace found cannot be trusted, {fault}",
            lambda c=changes: results.StableSubspace(**(parts | c)),
        )
