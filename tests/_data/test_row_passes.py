"""Passes over samples against their definitions."""

import numpy as np
import pytest

from specsel._data import row_passes


def represented(block, middle, parts):
    about = block - middle
    return [about] if parts == 1 else [np.maximum(about, 0), np.maximum(-about, 0)]


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 7, 50])
def test_scores_and_images(parts, dtype, size, rng):
    block, middle = rng.standard_normal((size, 9)).astype(dtype), rng.standard_normal(9)
    frame, coefficients = rng.standard_normal((size, 3)), rng.standard_normal((parts, 4, 9))
    features = represented(block, middle, parts)
    out, image = np.zeros((row_passes.STRIPS, parts, 3, 9)), np.empty((size, 4))
    row_passes.score(block, middle, parts, frame, out)
    wanted = [frame.T @ feature for feature in features]
    np.testing.assert_allclose(out.sum(axis=0), wanted, atol=1e-12)
    row_passes.combine(block, middle, coefficients, image)
    wanted = sum(one @ other.T for one, other in zip(features, coefficients, strict=True))
    np.testing.assert_allclose(image, wanted, atol=1e-12)


@pytest.mark.parametrize("parts", [1, 2])
def test_sums_and_squares(parts, rng):
    block, middle = rng.standard_normal((20, 9)), rng.standard_normal(9)
    low, high, total = np.full(9, np.inf), np.full(9, -np.inf), np.zeros(9)
    row_passes.sums(block, low, high, total)
    np.testing.assert_array_equal([low, high], [block.min(axis=0), block.max(axis=0)])
    np.testing.assert_allclose(total, block.sum(axis=0), atol=1e-12)
    out, largest = np.zeros((parts, 9)), rng.uniform(1, 2, (parts, 9))
    row_passes.squares(block, middle, largest, parts, out)
    features = np.array(represented(block, middle, parts))
    np.testing.assert_allclose(out, ((features / largest[:, None]) ** 2).sum(axis=1))
