"""The graph of nearest neighbours, against all distances."""

import numpy as np
import pytest
from oracles import alignment as oracle

from specsel import _data, linalg
from specsel._alignment import graphs


@pytest.mark.parametrize("shape", [(30, 8), (25, 90)])
@pytest.mark.parametrize("options", [{}, {"neighbours": 2, "components": 3}])
def test_graph_is_that_of_all_distances(rng, shape, options):
    X = rng.standard_normal(shape) * np.geomspace(1, 9, shape[1])
    data = _data.read(X)
    own_units = data.rescaled(data.norm)
    found = graphs.nearest_neighbours(
        own_units, options.get("neighbours", 5), options.get("components", 20)
    )
    np.testing.assert_allclose(found.toarray(), oracle.graph(X, **options), atol=1e-12)


def test_few_samples_have_half_of_the_others_as_neighbours(rng):
    X = rng.standard_normal((8, 5))
    data = _data.read(X)
    found = graphs.nearest_neighbours(data.rescaled(data.norm), 5, 20)
    np.testing.assert_allclose(found.toarray(), oracle.graph(X), atol=1e-12)


def test_no_sample_is_a_neighbour_of_its_own_however_many_copies_it_has(rng, monkeypatch):
    places = np.repeat(np.arange(8.0), 9)[:, None]
    monkeypatch.setattr(graphs, "_leading_components", lambda *_: places)
    found = graphs.nearest_neighbours(_data.read(rng.standard_normal((72, 2))), 5, 1)
    assert not found.diagonal().any()
    np.testing.assert_array_equal(np.unique(found.tocoo().coords[0]), np.arange(72))


def test_leading_components_of_many_samples_take_no_more_passes_than_their_subspace(
    rng, monkeypatch
):
    data = _data.read(rng.standard_normal((60, 30)) * np.geomspace(9, 1e-9, 30))
    data = data.rescaled(data.norm)
    exact = graphs._leading_components(data, 3)
    monkeypatch.setattr(linalg, "DENSE_LIMIT", 12)
    before = data.passes
    found = graphs._leading_components(data, 3)
    assert data.passes - before == linalg.SUBSPACE_PASSES
    np.testing.assert_allclose(found @ found.T, exact @ exact.T, atol=1e-6 * (exact**2).sum())


def test_many_samples_need_a_graph_of_the_user():
    with pytest.raises(ValueError, match=r"^target = 'neighbours': may take minutes for 30001 s"):
        graphs.check_graph(30_001, 5, 20)
    graphs.check_graph(30_000, 5, 20)
