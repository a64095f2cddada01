"""What an ascent takes for the inverse of the curvature, by the mean and by eigenvalues."""

from types import SimpleNamespace

import numpy as np
import pytest
from oracles import weighing as oracle
from scipy import sparse

from specsel import _data, qalpha
from specsel._loop import Samples, ascent, inverse, tangents

Q, N, K = 12, 300, 3


@pytest.fixture
def place(rng):
    data = _data.represent(rng.standard_normal((Q, N)))
    basis = np.linalg.qr(rng.standard_normal((Q, K)))[0]
    return ascent.look(Samples(data), basis, np.array([0.9, 0.4, 0.17]), rng.random(2))


def rows_at(place, rng):
    inside, outside = rng.standard_normal((2, K, K)), rng.standard_normal((2, Q, K))
    outside -= place.basis @ (place.basis.T @ outside)
    return tangents.row(inside, outside, rng.random((2, 2)))


def outside_affinity(place):
    """``A_α / f`` between directions outside of the basis."""
    M = np.asarray(place.space.data.rows(0, Q)).T
    apart = np.eye(Q) - place.basis @ place.basis.T
    return apart @ oracle.affinity(M, place.alpha) @ apart / place.value


def test_by_the_mean_every_direction_is_scaled_alike(place, rng):
    mean = np.trace(outside_affinity(place)) / (Q - K)
    scale = np.clip(1 - mean / place.lengths, inverse.LEAST, inverse.LARGEST)
    rows = rows_at(place, rng)
    found = tangents.parts(inverse.Inverse(place, None)(rows), place.basis)
    inside, outside, beside = tangents.parts(rows, place.basis)
    for one, wanted in zip(found, (inside, outside / scale, beside), strict=True):
        np.testing.assert_allclose(one, wanted / place.value, rtol=1e-10)


def test_by_the_spectrum_every_direction_has_its_own_scale(place, rng):
    """With one length, so that no direction is cut off, it is the inverse of a matrix."""
    place = place._replace(lengths=np.full(K, 1.5))
    curvature = np.eye(Q) - outside_affinity(place) / 1.5
    assert np.linalg.eigvalsh(curvature)[0] > inverse.LEAST
    passes = place.space.data.passes
    known = inverse.spectrum(place)
    assert place.space.data.passes == passes + 1
    rows = rows_at(place, rng)
    found = tangents.parts(inverse.Inverse(place, known)(rows), place.basis)
    inside, outside, beside = tangents.parts(rows, place.basis)
    wanted = inside, np.linalg.solve(curvature, outside), beside
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other / place.value, atol=1e-12 / place.value)


@pytest.mark.parametrize("length", [0.0, 1e-300, 0.1, 1.0, 100.0])
def test_scales_are_positive_and_bounded(length, place):
    place = place._replace(lengths=np.full(K, length))
    for known in (None, inverse.spectrum(place)):
        scale = inverse.Inverse(place, known).scale / place.value
        assert inverse.LEAST <= scale.min() <= scale.max() <= inverse.LARGEST


def test_an_old_spectrum_leads_to_tangents_all_the_same(place, rng):
    """The basis has moved on since."""
    known = inverse.spectrum(place)
    moved = place._replace(basis=np.linalg.qr(place.basis + 0.1 * rng.standard_normal((Q, K)))[0])
    rows = rows_at(moved, rng)
    apply = inverse.Inverse(moved, known)
    outside = tangents.parts(apply(rows), moved.basis)[1]
    np.testing.assert_allclose(moved.basis.T @ outside, 0 * outside[:, :K], atol=1e-12)
    form = apply(rows) @ rows.T
    np.testing.assert_allclose(form, form.T, atol=1e-12)
    assert np.linalg.eigvalsh(form)[0] > 0


def test_a_spectrum_waits_until_it_pays(rng):
    def waits(n_samples, n_features, k):
        data = _data.read(rng.standard_normal((n_samples, n_features)))
        return inverse.patience(Samples(data), k)

    assert waits(30, 30 * inverse.WIDE - 1, 1) == 0
    assert waits(6, 6 * inverse.WIDE, 3) == inverse.LEAST_PATIENCE
    assert waits(60, 60 * inverse.EIGENPROBLEM, 1) == 30
    assert waits(60, 60 * inverse.EIGENPROBLEM, 2) == 15
    assert waits(inverse.MOST + 1, (inverse.MOST + 1) * inverse.WIDE, 50) == 0
    sparse_data = _data.read(sparse.csr_array(rng.random((30, 1000)) > 0.5))
    assert inverse.patience(Samples(sparse_data), 1) == 0
    assert inverse.patience(SimpleNamespace(samples=None), 1) == 0


def test_wide_data_take_fewer_passes_to_the_same_maximum(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6000))
    X[:, :300] += rng.standard_normal((3, 300))[np.arange(60) % 3]
    found = [qalpha.solve(X, k) for k in (8, 10)]
    monkeypatch.setattr(inverse, "WIDE", np.inf)
    slow = [qalpha.solve(X, k) for k in (8, 10)]
    assert sum(w.n_passes for w in found) < 0.9 * sum(w.n_passes for w in slow)
    for one, other in zip(found, slow, strict=True):
        assert one.objective == pytest.approx(other.objective, rel=1e-5)
