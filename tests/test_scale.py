"""Features that keep a power of their norm, in every method that has `scale`."""

import numpy as np
import pytest
from oracles import weighing as oracle
from samples import quiet, random_basis
from scipy import sparse

from specsel import (
    QAlpha,
    _data,
    evidence,
    laplacian,
    pairwise,
    qalpha,
    side_info,
    supervised,
    topography,
    weighting,
)

POWERS = {"sqrt": 0.5, "native": 1.0}
CYCLES = 3

pytestmark = pytest.mark.filterwarnings("ignore:1 of .* features is constant")
Y = np.arange(24) % 3

scales = pytest.mark.parametrize("scale", list(POWERS))


def data(shape=(24, 40), seed=0):
    """Non-negative numbers in columns of very different spread, one of them constant."""
    X = np.random.default_rng(seed).gamma(2.0, size=shape) * np.geomspace(1e-2, 1e2, shape[1])
    X[:, 7] = 3.0
    return X


@scales
@pytest.mark.parametrize("shape", [(24, 40), (60, 12)])
@pytest.mark.parametrize("criterion", ["energy", "gap"])
def test_qalpha_is_the_definition(scale, shape, criterion):
    X = data(shape)
    M = oracle.standardise(X, power=POWERS[scale])
    Q = oracle.by_modulus(M.T @ M, 2)[1]
    alpha, _, history = oracle.power_iterations(M, Q, CYCLES, criterion)
    options = {"method": "power", "init": Q, "tol": 0, "max_iter": CYCLES}
    found = quiet(qalpha.solve)(X, 2, scale=scale, criterion=criterion, **options)
    np.testing.assert_allclose(found.alpha, alpha, atol=1e-9)
    np.testing.assert_allclose(found.history, history, rtol=1e-9)


@scales
@pytest.mark.parametrize("shape", [(24, 40), (60, 12)])
def test_the_ascent_ends_where_weights_lead(scale, shape):
    X = data(shape)
    found = quiet(qalpha.solve)(X, 2, scale=scale, tol=1e-12)
    alpha, value = oracle.weights_given_basis(
        oracle.standardise(X, power=POWERS[scale]), found.basis
    )
    assert found.objective == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(found.alpha, alpha, atol=1e-5)


@scales
@pytest.mark.parametrize("representation", ["parts", "shift"])
def test_laplacian_supervised_and_pairwise_are_the_definitions(scale, representation):
    X, Q, apart = data(), random_basis(24, 2), np.array([(0, 1), (2, 9)])
    M = oracle.represent(X, representation, POWERS[scale])
    options = {"representation": representation, "scale": scale, "tol": 0, "max_iter": 1}
    start, rows = np.ones(40), oracle.class_rows(Y)
    bases = oracle.supervised_bases(M, np.ones(len(M)), rows, np.eye(3, dtype=int) + 1)
    pairs = (apart, np.empty((0, 2), int), 1.0)
    wanted = (
        oracle.laplacian_iterations(M, Q, 1, "degree"),
        oracle.pairwise_iterations(M, Q, 1, *pairs),
        oracle.supervised_iterations(M, bases, rows, 1, 0.5, "power"),
    )
    found = (
        quiet(laplacian.solve)(X, 2, init=Q, **options),
        quiet(pairwise.solve)(X, 2, apart=apart, init=Q, **options),
        quiet(supervised.solve)(X, Y, init=start, **options),
    )
    for (alpha, _, history), got in zip(wanted, found, strict=True):
        expected = oracle.join(alpha) if representation == "parts" else alpha
        np.testing.assert_allclose(got.alpha, expected, atol=1e-8)
        np.testing.assert_allclose(got.history, history, rtol=1e-8)


@scales
@pytest.mark.parametrize("shape", [(24, 40), (60, 12)])
def test_weighting_and_side_information_are_the_definitions(scale, shape):
    X, Q = data(shape), random_basis(shape[0], 2)
    M, D = oracle.standardise(X, power=POWERS[scale]), np.linspace(0, 1, shape[1])
    alpha, _ = oracle.leading(oracle.squared(M))
    np.testing.assert_allclose(
        quiet(weighting.solve)(X, scale=scale, tol=0).alpha, np.abs(alpha), atol=1e-9
    )
    alpha, _, history = oracle.side_iterations(M, Q, CYCLES, D, 0.1)
    options = {"method": "power", "init": Q, "tol": 0, "max_iter": CYCLES}
    found = quiet(side_info.solve)(X, D, 2, scale=scale, **options)
    np.testing.assert_allclose(found.alpha, alpha, atol=1e-8)
    np.testing.assert_allclose(found.history, history, rtol=1e-8)


@scales
def test_weighting_with_classes_is_the_definition(scale):
    X = data()
    M = oracle.standardise(X, power=POWERS[scale])
    alpha, value = oracle.leading(oracle.fisher_form(M, oracle.class_rows(Y), 1.0))
    found = quiet(weighting.solve)(X, Y, scale=scale, tol=0)
    assert found.objective == pytest.approx(value, rel=1e-9)
    assert abs(found.alpha @ alpha) == pytest.approx(1, abs=1e-7)


@scales
@pytest.mark.parametrize("make", [sparse.csc_array, sparse.csr_array, np.asfortranarray])
def test_containers_agree(scale, make):
    X = data() * (np.random.default_rng(1).random((24, 40)) < 0.5)
    wanted, found = (quiet(qalpha.solve)(one, 2, scale=scale) for one in (X, make(X)))
    np.testing.assert_allclose(found.alpha, wanted.alpha, atol=1e-9)
    np.testing.assert_allclose(found.norm, wanted.norm)


@scales
def test_what_follows_uses_the_same_features(scale):
    X = data()
    M = oracle.standardise(X, power=POWERS[scale]).T
    found = quiet(qalpha.solve)(X, 2, scale=scale)
    weighted = M * np.sqrt(found.alpha)
    np.testing.assert_allclose(found.reweight(X), weighted, atol=1e-12)
    values = np.linalg.svd(weighted, compute_uv=False) ** 2
    np.testing.assert_allclose(found.spectrum(X, 3), values[:5], rtol=1e-6)
    chosen = found.select(6, diverse=X)
    assert chosen.tolist() == oracle.pivoted(weighted, 6)


@scales
def test_units_of_all_columns_together_do_not_matter(scale):
    X = data()
    wanted = quiet(qalpha.solve)(X, 2, scale=scale)
    for factor in (2.0**40, 2.0**-600):
        found = quiet(qalpha.solve)(X * factor, 2, scale=scale)
        np.testing.assert_allclose(found.alpha, wanted.alpha, atol=1e-9)


def planted():
    """Three clusters in ten columns that vary, among many columns of small noise."""
    rng = np.random.default_rng(0)
    X = 0.05 * rng.standard_normal((60, 400))
    X[:, :10] += rng.standard_normal((3, 10))[np.arange(60) % 3]
    return X


def test_columns_that_vary_more_count_more():
    native = qalpha.solve(planted(), 3, scale="native").alpha
    assert native[:10].sum() > 0.99 * native.sum()


@scales
@pytest.mark.parametrize("center", [True, False])
def test_noise_has_no_clusters_and_structure_has(scale, center):
    noise = np.random.default_rng(1).standard_normal((30, 60)) * np.geomspace(1, 9, 60)
    with pytest.warns(UserWarning, match="found no clusters"):
        assert qalpha.solve(noise, "auto", scale=scale).k_ == 1
    assert qalpha.solve(planted(), "auto", scale=scale, center=center).k_ in (2, 3)


def test_evidence_maps_and_estimators_take_it():
    X, wanted = planted(), qalpha.solve(planted(), 2, scale="native")
    found = evidence.solve(X, k=2, n=19, scale="native", random_state=0)
    assert found.p_value == 0.05
    assert found.objective == pytest.approx(wanted.objective, rel=1e-3)
    np.testing.assert_array_equal(QAlpha(k=2, scale="native").fit(X).alpha_, wanted.alpha)
    first = topography.solve(X, 2, scale="native", rounds=1).weights[0]
    np.testing.assert_allclose(first.alpha, wanted.alpha, atol=1e-3)


def test_it_is_refused_in_one_line():
    for solve in (qalpha.solve, laplacian.solve, topography.solve):
        with pytest.raises(
            ValueError, match=r"^scale = 'own': must be one of unit, sqrt, native$"
        ):
            solve(data(), 2, scale="own")


def test_squares_of_reduced_data_are_those_of_the_features():
    scaled = _data.read(data((60, 12))).scaled("native")
    small = scaled.reduced()[0]
    np.testing.assert_allclose(small.squares, (scaled.rows(0, 60) ** 2).sum(axis=0), atol=1e-15)


def test_columns_that_all_turn_out_constant():
    X = np.ones((8, 3)) * [1.0, 2.0, 4.0]
    found = qalpha.solve(X, "auto", center=False, scale="native")
    assert found.k_ == 1
    assert np.isfinite(found.alpha).all()
