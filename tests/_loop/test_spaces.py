"""The space of vectors over the samples: what a pass finds, and frames that are orthonormal."""

import numpy as np
import pytest
from oracles import weighing as oracle

from specsel import _data
from specsel._loop import Samples, rooted, spaces

K = 3


@pytest.fixture
def features(rng):
    """Features as rows; the sixth is constant."""
    X = rng.standard_normal((12, 30)) + 1
    X[:, 5] = 2.0
    return oracle.standardise(X), X


@pytest.fixture
def space(features):
    with pytest.warns(UserWarning, match="constant"):
        return Samples(_data.represent(features[1]))


def orthonormal(rng, rows, columns):
    return np.linalg.qr(rng.standard_normal((rows, columns)))[0]


def test_it_is_as_large_and_as_exact_as_the_data(space):
    assert (space.dimension, space.floor) == (12, space.data.floor)
    X = np.random.default_rng(0).standard_normal((12, 5)).astype(np.float32)
    assert Samples(_data.read(X)).floor > space.floor


@pytest.mark.parametrize("lengths", [(0.8, 0.5, 0.1), (1.0, 0.25, 0.0), (1.0, 1e-200, 0.0)])
def test_a_look_finds_weights_and_image_by_one_pass(lengths, features, space, rng):
    """The image is that of the basis, even where a length is 0."""
    M, basis = features[0], orthonormal(rng, 12, K)
    beside, before = rng.random(2), space.data.passes
    alpha, image, numbers = space.look(basis, np.array(lengths), beside)
    assert space.data.passes == before + 1
    wanted = np.einsum("is,st,it->i", M, basis * lengths @ basis.T, M)
    np.testing.assert_allclose(alpha, wanted, atol=1e-13)
    assert alpha[5] == 0
    np.testing.assert_allclose(image, oracle.affinity(M, wanted) @ basis, atol=1e-12)
    assert numbers is beside


def test_it_is_entered_by_a_pass_unless_the_image_is_known(features, space, rng):
    alpha, basis, before = rng.random(30), orthonormal(rng, 12, K), space.data.passes
    entered, image, beside = space.enter(alpha, basis)
    assert space.data.passes == before + 1
    np.testing.assert_array_equal(entered, basis)
    np.testing.assert_allclose(image, oracle.affinity(features[0], alpha) @ basis, atol=1e-12)
    assert beside.shape == (0,)
    again = space.enter(alpha, basis, image)
    assert again[1] is image
    assert space.data.passes == before + 1
    for one, other in zip(space.leave(alpha, basis, image), (basis, image), strict=True):
        np.testing.assert_array_equal(one, other)
    assert space.dual(basis) is basis


def test_traces(features, space, rng):
    """Of constant features, too, and where features were rescaled."""
    alpha, factors = rng.standard_normal(30), rng.uniform(0.5, 2, 30)
    M = features[0]
    assert space.trace(alpha) == pytest.approx(np.trace(oracle.affinity(M, alpha)))
    scaled = Samples(space.data.rescaled(factors))
    wanted = np.trace(oracle.affinity(M * factors[:, None], alpha))
    assert scaled.trace(alpha) == pytest.approx(wanted)


def outsides(rng, basis):
    """What a frame may have to be extended by, all of it orthogonal to the basis."""
    free = rng.standard_normal(basis.shape)
    free -= basis @ (basis.T @ free)
    one = np.outer(free[:, 0], [1.0, -2.0, 0.5])
    return {"free": free, "short": 1e-9 * free, "of rank one": one, "nothing": 0 * free}


@pytest.mark.parametrize("which", ["free", "short", "of rank one", "nothing"])
@pytest.mark.parametrize("size", [12, 2 * K, 2 * K - 1, K])
def test_a_frame_is_orthonormal_and_makes_what_is_outside(size, which, space, rng):
    """Also where there are fewer dimensions than columns."""
    basis = orthonormal(rng, size, K) * [1.0, -1.0, 1.0]  # of signs that QR does not give
    outside = outsides(rng, basis)[which]
    frame, coefficients = space.extended(basis, outside)
    width = min(size, 2 * K)
    assert frame.shape == (size, width)
    assert coefficients.shape == (width, K)
    np.testing.assert_allclose(frame.T @ frame, np.eye(width), atol=1e-13)
    np.testing.assert_allclose(frame[:, :K], basis, atol=1e-13)
    scale = np.abs(outside).max()
    np.testing.assert_allclose(frame @ coefficients, outside, atol=1e-13 * scale + 1e-25)


def test_a_frame_is_turned(space, rng):
    frame, rotation = orthonormal(rng, 12, 2 * K), orthonormal(rng, 2 * K, K)
    turned = space.turned(frame, rotation)
    np.testing.assert_allclose(turned.T @ turned, np.eye(K), atol=1e-14)
    np.testing.assert_allclose(frame @ (frame.T @ turned), turned, atol=1e-14)
    np.testing.assert_allclose(frame.T @ turned, rotation, atol=1e-14)


@pytest.mark.parametrize("lengths", [(4.0, 1.0, 0.25), (1.0, 1e-30, 0.0), (0.0, 0.0, 0.0)])
def test_roots_are_never_too_short_to_divide_by(lengths, rng):
    basis, lengths = orthonormal(rng, 12, K), np.array(lengths)
    scaled, roots = rooted(basis, lengths)
    assert (roots > 0).all()
    np.testing.assert_allclose(scaled / roots, basis, rtol=1e-15)
    if lengths.any():
        np.testing.assert_allclose(roots**2, lengths, atol=1.01 * spaces.LEAST_ROOT**2)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_plain_products_of_few_numbers_are_those_of_a_pass(dtype, monkeypatch, rng):
    X = rng.standard_normal((12, 9)).astype(dtype)
    basis = np.linalg.qr(rng.standard_normal((12, 3)))[0]
    lengths = np.array([0.8, 0.5, 0.0])
    plain = spaces.Samples(_data.read(X))
    monkeypatch.setattr(spaces, "FEW", 0)
    passes = spaces.Samples(_data.read(X))
    found = [space.look(basis, lengths, np.zeros(0)) for space in (plain, passes)]
    assert plain.few is not None
    assert passes.few is None
    assert plain.data.passes == passes.data.passes
    for got, expected in zip(*found, strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12 if dtype == "f8" else 1e-5)
