"""Wolf and Bileschi (2005): what its experiments must show."""

import numpy as np
import pytest
from reports import ours

from specsel.papers import wolf_bileschi


@pytest.mark.parametrize("figure", wolf_bileschi.FIGURES)
def test_weighting_makes_components_see_the_clusters(figure):
    found = ours(wolf_bileschi.run_pca(spreads=(16.0,), runs=10, figures=(figure,)))
    sharp, soft, plain, alone = (
        found[f"{figure}, means x 16, {method}: silhouette"]
        for method in ("Algorithm 1 + PCA", "Algorithm 2 + PCA", "PCA", wolf_bileschi.ALONE)
    )
    assert sharp > soft + 0.1
    assert soft > plain + 0.1
    assert sharp > 0.5 * alone


def test_with_the_printed_parameters_there_is_nothing_to_see():
    found = ours(wolf_bileschi.run_pca(spreads=(1.0,), runs=3, figures=("Fig. 1",)))
    assert found[f"Fig. 1, {wolf_bileschi.ALONE}: silhouette"] < 0.1


def test_weighted_wavelets_recognise_more_faces():
    found = ours(wolf_bileschi.run_faces(runs=1))
    assert found["PCA, wavelets weighted"] > found["PCA, wavelets"] + 5
    assert found["Fisher, wavelets weighted"] > found["Fisher, wavelets"] + 5


def test_haar_coefficients_are_orthonormal(rng):
    images = rng.standard_normal((2, 16, 24))
    one, other = (wolf_bileschi.haar(image, 3) for image in images)
    assert np.sum(one * other) == pytest.approx(np.sum(images[0] * images[1]))
    flat = wolf_bileschi.haar(np.ones((8, 8)), 3)
    assert np.count_nonzero(np.abs(flat) > 1e-12) == 1
    edge = wolf_bileschi.haar(np.arange(16.0).reshape(4, 4), 1)
    assert edge[0, 0] == pytest.approx((0 + 1 + 4 + 5) / 2)
    assert edge[0, 2] == pytest.approx((0 - 1 + 4 - 5) / 2)


def test_the_faces_are_all_there():
    images = wolf_bileschi.faces()
    assert images.shape == (400, 56, 48)
    assert 0 <= images.min() < images.max() <= 255
    spread = images.reshape(40, 10, -1)
    within = np.mean((spread - spread.mean(axis=1, keepdims=True)) ** 2)
    assert within < 0.7 * images.reshape(400, -1).var(axis=0).mean()
