"""Arrays that are read block by block, wrapped as they lie."""

import numpy as np
import pytest

from specsel import _containers
from specsel._data import source_reading, sources
from specsel._data.parted import ByFeature
from specsel._data.samples import BySample


@pytest.fixture
def mapped(tmp_path, monkeypatch):
    """Write an array and open it as a memory map that counts as large."""
    monkeypatch.setattr(_containers, "MAPPED", 0)
    monkeypatch.setattr(sources, "BLOCK", 2000)
    monkeypatch.setattr(sources, "PIECE", 8)

    def form(X, order, name="X.npy"):
        np.save(tmp_path / name, np.asarray(X, order=order))
        return np.load(tmp_path / name, mmap_mode="r")

    return form


@pytest.mark.parametrize(("order", "kind", "passes"), [("F", ByFeature, 1), ("C", BySample, 2)])
def test_as_it_lies(order, kind, passes, rng, mapped, monkeypatch):
    if order == "C":
        monkeypatch.setattr(sources, "PIECE", 2**20)
    X = rng.standard_normal((30, 40)) + 2
    data = source_reading.wrap(mapped(X, order), None, "centered")
    assert type(data) is kind
    assert data.passes == passes
    M = X - X.mean(axis=0)
    np.testing.assert_allclose(data.rows(0, 30), M / np.linalg.norm(M, axis=0), atol=1e-12)


def test_extreme_columns_are_divided_as_they_are_read(rng, mapped):
    X = rng.standard_normal((30, 40))
    scale = np.where(np.arange(40) % 3, 1.0, 1e250)
    data = source_reading.wrap(mapped(X * scale, "F"), None, "centered")
    plain = source_reading.wrap(mapped(X, "F", "plain.npy"), None, "centered")
    np.testing.assert_allclose(data.rows(0, 30), plain.rows(0, 30), atol=1e-12)
    np.testing.assert_allclose(data.norm, plain.norm * scale)


def test_parts_are_about_the_median(rng, mapped):
    X = rng.standard_normal((31, 5))
    data = source_reading.wrap(mapped(X, "F"), None, "parts")
    below = np.maximum(np.median(X, axis=0) - X, 0)
    above = np.maximum(X - np.median(X, axis=0), 0)
    parts = np.hstack([part / np.linalg.norm(part, axis=0) for part in (above, below)])
    np.testing.assert_allclose(data.rows(0, 31), parts, atol=1e-12)
