"""What columns are shifted and scaled by: by the definitions, and what is refused."""

import numpy as np
import pytest

from specsel import _validate
from specsel._data.measured import Measured

X = np.random.default_rng(0).standard_normal((20, 4)) + 3


def measured(array, representation="centered"):
    return Measured.of(array, array.dtype, None, representation)


@pytest.mark.parametrize("representation", _validate.REPRESENTATIONS)
def test_means_and_norms_are_those_of_the_definition(representation):
    found = measured(X, representation)
    mean = np.zeros(4) if representation == "as-is" else X.mean(axis=0)
    np.testing.assert_allclose(found.mean, mean)
    np.testing.assert_allclose(found.norm, np.linalg.norm(X - mean, axis=0))
    assert found.is_shifted == (representation not in ("centered", "as-is"))
    assert found.parts == (2 if representation == "parts" else 1)
    assert found.exponents is None
    np.testing.assert_array_equal(found.moderate, [found.mean, found.norm])


def test_extreme_columns_become_moderate():
    scale = np.array([1e200, 1.0, 1e-200, 1.0])
    found, plain = measured(X * scale), measured(X)
    middle, norm = found.moderate
    assert ((norm >= 0.5) & (norm < 1))[[0, 2]].all()
    np.testing.assert_allclose(middle / norm, plain.mean / plain.norm)
    np.testing.assert_allclose(found.norm, plain.norm * scale)


def test_only_centring_costs_a_dimension():
    told = {
        name: measured(X, name).told(X.dtype, n_passes=1) for name in _validate.REPRESENTATIONS
    }
    assert [name for name in told if told[name]["loses_rank"]] == ["centered"]
    assert [name for name in told if told[name]["mean_free"]] == ["centered"]
    assert {name: told[name]["counter"].passes for name in told} == {
        name: 1 if name in ("centered", "as-is") else 3 for name in told
    }


def test_float32_rounds_more():
    floors = [measured(X.astype(dtype)).told(np.dtype(dtype), 1)["floor"] for dtype in "fd"]
    assert floors[0] > 1e3 * floors[1]


def test_parts_that_are_nothing_beside_their_column_have_norm_0():
    found = measured(X, "parts")
    norms = np.outer([1.0, 2.0**-301], found.norm)
    norms[:, 1] = found.norm[1]
    kept = found.without_nothing(norms.copy(), itemsize=8)
    np.testing.assert_array_equal(kept[0], norms[0])
    np.testing.assert_array_equal(kept[1] > 0, [False, True, False, False])


def test_constant_features_are_named_and_all_of_them_refused():
    some = X.copy()
    some[:, [0, 2]] = 5.0
    with pytest.warns(UserWarning, match=r"^2 of 4 features are constant and get weight 0: 0, 2$"):
        measured(some)
    with pytest.raises(ValueError, match=r"^X: all 4 features are constant; at least one must"):
        measured(np.ones((3, 4)))
    with pytest.raises(ValueError, match=r"^X: all 4 features are zero; at least one must vary$"):
        measured(np.zeros((3, 4)), "as-is")
