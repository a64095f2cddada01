"""Simulations against what theory says of them, and against eigen-solves of the same matrices."""

import numpy as np
import pytest
import scipy.stats
from oracles import simulation, weighing

from specsel import datasets, positivity, qalpha

FIRST = (1 / 6, 2**0.5 / 6)  # the curve of Fig. 2a
MATRICES = [(1, 0.5, 1.0), (2, 0.2, 1.0), (9, 0.4, 1.0), (20, *FIRST), (30, 0.0, 1.0),
            (25, -0.3, 1.0), (40, 0.3, 1.0), (60, 0.1, 1.0)]  # fmt: skip


def inside(estimate, value, slack=1.5):
    """Whether a value lies in the interval, made somewhat wider."""
    middle, half = (estimate.low + estimate.high) / 2, (estimate.high - estimate.low) / 2
    return abs(value - middle) <= slack * half


@pytest.mark.slow
def test_the_published_curve():
    assert positivity.probability(10, *FIRST, random_state=0).probability < 0.95
    assert positivity.probability(25, *FIRST, random_state=0).probability > 0.98
    for distribution in ("uniform", "bernoulli"):
        bounded = positivity.probability(40, *FIRST, distribution=distribution, random_state=0)
        assert bounded.probability > 0.98


def test_the_second_curve_is_not_as_published():
    assert positivity.probability(500, 0.1, 1.0, trials=200, random_state=0).high < 0.05
    assert positivity.probability(2000, 0.1, 1.0, trials=20, random_state=0).low > 0.6


def test_the_leading_eigenvalue_is_where_furedi_and_komlos_have_it():
    found = positivity.leading_eigenvalue(200, 0.5, 1.0, trials=400, random_state=1)
    assert inside(found.eigenvalue, found.eigenvalue.expected)
    lemma_15 = (found.eigenvalues >= 100 - 4) & (found.eigenvalues <= 100 + 2 * 200**0.5)
    assert lemma_15.all()
    assert (found.sums >= 200**0.5 - 1).all()  # Lemma 16
    assert np.isnan(positivity.leading_eigenvalue(5, 0.0, 1.0, trials=2).eigenvalue.expected)


@pytest.mark.parametrize("distribution", positivity.KINDS)
def test_spectra_fill_the_semicircle(distribution):
    found = positivity.semicircle(
        150, 0.4, 2.0, bins=6, trials=20, distribution=distribution, random_state=0
    )
    radius = 4.0 * 150**0.5
    exact = [simulation.semicircle_share(a / radius, b / radius) for a, b in zip(
        found.edges[:-1], found.edges[1:], strict=True)]  # fmt: skip
    np.testing.assert_allclose(found.expected, exact, atol=1e-8)
    np.testing.assert_allclose(found.share, exact, atol=0.01)
    assert found.above == pytest.approx(1, abs=0.4)  # but for the leading one
    assert found.below < 0.5


def test_moments_of_large_matrices_are_narayana_polynomials():
    found = positivity.wishart_moments(80, 40, 3, trials=50, random_state=0)
    np.testing.assert_allclose(found.limit, [1, 1 + 2, 1 + 3 * 2 + 2**2])
    np.testing.assert_allclose(found.mean, found.limit, rtol=0.04)


@pytest.mark.parametrize(("n", "q"), [(4, 3), (3, 7), (1, 1)])
def test_moments_of_small_matrices_are_sums_over_pairings(n, q):
    found = positivity.wishart_moments(n, q, 5, trials=20_000, random_state=0)
    exact = [simulation.wishart_moment(n, q, k) for k in range(1, 5)]
    np.testing.assert_allclose(found.expected, [*exact, np.nan])
    assert (np.abs(found.mean - found.expected)[:4] <= 4 * found.error[:4]).all()
    assert abs(found.mean[1] - found.limit[1]) > 10 * found.error[1]


@pytest.mark.parametrize("distribution", ["uniform", "bernoulli"])
def test_second_moments_depend_on_fourth_powers(distribution):
    found = positivity.wishart_moments(
        4, 3, distribution=distribution, trials=20_000, random_state=0
    )
    assert np.isnan(found.expected).tolist() == [False, False, True, True]
    assert (np.abs(found.mean - found.expected)[:2] <= 4 * found.error[:2] + 1e-12).all()


def test_triple_products_have_their_least_value_and_their_means(rng):
    for k, cosine in ((1, None), (1, 0.6), (3, -0.5), (4, None)):
        found = positivity.triple_product(5, k, cosine=cosine, trials=3000, random_state=1)
        assert found.minimum == pytest.approx(-1 / 8, abs=1e-12)
        assert inside(found.product, found.product.expected)
    vectors = rng.standard_normal((3, 100_000, 3))
    a, b, c = vectors / np.linalg.norm(vectors, axis=2, keepdims=True)
    products = (a * b).sum(1) * (a * c).sum(1) * (b * c).sum(1)
    assert -1 / 8 <= products.min() < -0.12
    assert positivity.triple_product(4, 4, cosine=1.0, trials=50).product.mean == pytest.approx(1)


def test_irrelevant_features_weigh_no_more_than_their_bound():
    data = datasets.growing_classes(3, random_state=1)
    weights = qalpha.solve(data.X, 3, tol=1e-10)
    found = positivity.irrelevant_weight_bound(weights, data.X, data.relevant)
    M = weighing.standardise(data.X)
    literal = simulation.irrelevant_bound(M, weights.alpha, weights.basis, data.relevant)
    assert found.bound == pytest.approx(literal, rel=1e-6)
    assert found.weight == pytest.approx(weights.alpha[5:].sum())
    assert found.weight <= found.bound


def test_relevant_features_are_numbers_or_a_mask():
    data = datasets.growing_classes(3, random_state=1)
    weights = qalpha.solve(data.X, 3)
    expected = positivity.irrelevant_weight_bound(weights, data.X, data.relevant)
    mask = np.arange(125) < 5
    for relevant in (mask, mask.tolist(), range(5), [4, 3, 2, 1, 0, 0], np.uint8(range(5))):
        assert positivity.irrelevant_weight_bound(weights, data.X, relevant) == expected
    none = positivity.irrelevant_weight_bound(weights, data.X, [])
    assert none.weight == pytest.approx(weights.alpha.sum())


@pytest.mark.parametrize(
    ("relevant", "message"),
    [
        ([0, 202], "relevant = 202: must be from 0 to 201"),
        ([-1], "relevant = -1: must be from 0 to 201"),
        ([True, False], "relevant: a mask of 2 for 202 features"),
        ([0.5], r"relevant = \[0.5\]: must be a list of feature numbers or a mask"),
        (3, "relevant = 3: must be a list of feature numbers or a mask"),
    ],
)
def test_features_that_are_not_there_are_refused(relevant, message):
    data = datasets.weston_linear(40, random_state=0)
    weights = qalpha.solve(data.X, 3)
    with pytest.raises(ValueError, match=message):
        positivity.irrelevant_weight_bound(weights, data.X, relevant)


LEGAL = {
    "probability": {"n": 5, "mu": 1, "sigma": 1},
    "triple_product": {"q": 5},
    "hoeffding_tail": {"n": 5, "t": 1.0},
    "norm_tail": {"n": 5, "largest": 1.0},
    "semicircle": {"n": 5, "mu": 0, "sigma": 1},
    "wishart_moments": {"n": 5, "q": 3},
}
REFUSED = [
    ("probability", {"n": 0}, "n = 0: must be at least 1"),
    ("probability", {"mu": np.nan}, "mu = nan: must be a finite number"),
    ("probability", {"sigma": 0}, "sigma = 0: must be a finite number above 0"),
    ("probability", {"trials": 0}, "trials = 0: must be at least 1"),
    (
        "probability",
        {"distribution": "cauchy"},
        "distribution = 'cauchy': must be one of gaussian, uniform, bernoulli",
    ),
    ("probability", {"random_state": -1}, "random_state = -1: must be None, a whole number"),
    ("triple_product", {"k": 6}, "k = 6: must be from 1 to 5"),
    ("triple_product", {"cosine": 2}, "cosine = 2: must be a number from -1 to 1"),
    (
        "hoeffding_tail",
        {"distribution": "gaussian"},
        "distribution = 'gaussian': must be one of uniform, bernoulli",
    ),
    ("hoeffding_tail", {"t": -1}, "t = -1: must be a finite number at least 0"),
    ("hoeffding_tail", {"width": 0}, "width = 0: must be a finite number above 0"),
    ("norm_tail", {"largest": 0}, "largest = 0: must be a finite number above 0"),
    ("norm_tail", {"epsilon": np.inf}, "epsilon = inf: must be a finite number"),
    ("semicircle", {"bins": 0}, "bins = 0: must be at least 1"),
    ("wishart_moments", {"q": 0}, "q = 0: must be at least 1"),
]


@pytest.mark.parametrize(("name", "options", "message"), REFUSED)
def test_bad_options_are_refused_in_one_line(name, options, message):
    with pytest.raises(ValueError) as caught:
        getattr(positivity, name)(**LEGAL[name] | options)
    assert str(caught.value).startswith(message)


def test_weights_of_other_data_are_refused():
    data = datasets.weston_linear(40, random_state=0)
    weights = qalpha.solve(data.X, 3)
    with pytest.raises(ValueError, match="X: has 9 features; the weights are for 202"):
        positivity.irrelevant_weight_bound(weights, data.X[:, :9], [0])


def test_a_matrix_beyond_the_memory_is_refused():
    with pytest.raises(MemoryError, match=r"^n = 10000000: would take 364 TiB, and the budget"):
        positivity.probability(10**7, 0.0, 1.0, trials=1)


@pytest.mark.parametrize("distribution", ["uniform", "bernoulli"])
def test_hoeffding_bounds_the_tail(distribution):
    for n, t in ((10, 1.0), (50, 3.0), (50, 5.0)):
        found = positivity.hoeffding_tail(n, t, distribution=distribution, random_state=0)
        assert found.frequency.probability <= found.bound == np.exp(-2 * t**2 / n)
    exact = scipy.stats.binom(50, 0.5).sf(28 - 1)
    found = positivity.hoeffding_tail(50, 3.0, distribution="bernoulli", random_state=0)
    assert found.frequency.low <= exact <= found.frequency.high


def test_the_printed_bound_on_the_norm_is_exceeded():
    found = positivity.norm_tail(30, 10.0, D=7.3, random_state=0)
    assert found.printed < found.frequency.low
    assert found.frequency.high < found.bound
    few = positivity.norm_tail(2000, 1.0, D=1.0, epsilon=0.25, trials=100)
    assert few.frequency.probability == few.bound == 1.0


def keys(seed, count):
    """The keys of the streams of the trials."""
    return np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)


def filled(key, distribution, count, start=0):
    out = np.empty(count)
    positivity._fill(key, positivity.KINDS[distribution], start, out)
    return out


def matrices(seed, count, distribution, n, mu, sigma):
    """The matrices that the trials see."""
    for key in keys(seed, count):
        entries = filled(key, distribution, n * (n + 1) // 2)
        yield simulation.unpacked(mu + sigma * entries, n)


@pytest.mark.parametrize("distribution", ["gaussian", "uniform"])
@pytest.mark.parametrize("case", MATRICES)
def test_probabilities_and_leading_pairs_are_those_of_full_eigen_solves(distribution, case):
    options = {"distribution": distribution, "trials": 100, "random_state": 7}
    pairs = [weighing.leading(G) for G in matrices(7, 100, distribution, *case)]
    share = np.mean([(vector > 0).all() for vector, _ in pairs])
    assert positivity.probability(*case, **options).probability == share
    found = positivity.leading_eigenvalue(*case, **options)
    np.testing.assert_allclose(found.eigenvalues, [value for _, value in pairs], atol=1e-8)
    np.testing.assert_allclose(found.sums, [abs(v.sum()) for v, _ in pairs], atol=1e-6)


def test_a_start_that_lacks_the_leading_vector_is_no_trap():
    """The row sums of this matrix are an eigenvector of its least eigenvalue."""
    options = {"distribution": "bernoulli", "trials": 50, "random_state": 0}
    assert positivity.probability(2, -1.0, 1e-9, **options).probability == 0


@pytest.mark.parametrize("distribution", positivity.KINDS)
@pytest.mark.parametrize("case", [(3, 1.0, 1.0), (12, 0.0, 1.0), (40, 0.5, 1.0)])
def test_histograms_are_those_of_all_eigenvalues(distribution, case):
    options = {"distribution": distribution, "trials": 20, "random_state": 9}
    found = positivity.semicircle(*case, bins=5, **options)
    values = np.concatenate([np.linalg.eigvalsh(G) for G in matrices(9, 20, distribution, *case)])
    share = np.histogram(values, found.edges)[0] / len(values)
    np.testing.assert_allclose(found.share, share, atol=1e-12)
    assert found.below == pytest.approx((values < found.edges[0]).sum() / 20)
    assert found.above == pytest.approx((values > found.edges[-1]).sum() / 20)


def test_moments_are_traces_of_powers():
    n, q = 7, 4
    M = filled(keys(2, 1)[0], "gaussian", n * q).reshape(n, q)
    found = positivity.wishart_moments(n, q, trials=1, random_state=2)
    W = M @ M.T / q
    literal = [np.trace(np.linalg.matrix_power(W, h)) / n for h in range(1, 5)]
    np.testing.assert_allclose(found.mean, literal)


@pytest.mark.parametrize("cosine", [None, 0.6, -1.0])
def test_triple_products_are_those_of_the_vectors(cosine):
    q, k, products = 6, 3, []
    for key in keys(11, 20):
        drawn = filled(key, "gaussian", (k + 2) * q).reshape(k + 2, q)
        c = np.linalg.qr(drawn[:k].T)[0].T
        a, b = drawn[k:] / np.linalg.norm(drawn[k:], axis=1)[:, None]
        if cosine is not None:
            beside = b - (a @ b) * a
            b = cosine * a + np.sqrt(1 - cosine**2) * beside / np.linalg.norm(beside)
        products.append((a @ b) * ((c @ a) @ (c @ b)))
    found = positivity.triple_product(q, k, cosine=cosine, trials=20, random_state=11)
    assert found.product.mean == pytest.approx(np.mean(products))


@pytest.mark.parametrize("q", [2, 3, 40])
def test_the_search_ends_at_unit_vectors_with_the_least_product(q, rng):
    for _ in range(20):
        a, b = rng.standard_normal((2, q))
        start = a, b, c = a / np.linalg.norm(a), b / np.linalg.norm(b), np.empty(q)
        least = positivity._least_product(*start)
        np.testing.assert_allclose(np.linalg.norm([a, b, c], axis=1), 1)
        assert least == pytest.approx((a @ b) * (a @ c) * (b @ c))
        assert least == pytest.approx(-1 / 8, abs=1e-12)


def packed(G):
    return G[np.tril_indices(len(G))]


@pytest.mark.parametrize("n", [1, 2, 3, 30, 150])
def test_leading_vectors_are_those_of_a_full_eigen_solve(n, rng):
    for _ in range(5):
        G = simulation.unpacked(rng.standard_normal(n * (n + 1) // 2) + 0.1, n)
        vector = rng.standard_normal(n)
        value, error = positivity._leading(packed(G), vector, False)
        values, axes = np.linalg.eigh(G)
        assert value == pytest.approx(values[-1], abs=1e-11 * n)
        assert np.linalg.norm(vector) == pytest.approx(1)
        assert np.linalg.norm(vector - axes[:, -1] * np.sign(axes[:, -1] @ vector)) < 1e-9
        assert error <= 1e-11


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-5])
def test_a_narrow_gap_takes_restarts_and_is_found(gap, rng):
    axes = np.linalg.qr(rng.standard_normal((140, 140)))[0]
    G = axes * np.append(np.linspace(-1, 1, 139), 1 + gap) @ axes.T
    vector = rng.standard_normal(140)
    value, _ = positivity._leading(packed(G), vector, False)
    assert value == pytest.approx(1 + gap, abs=1e-12)
    assert abs(vector @ axes[:, -1]) == pytest.approx(1, abs=1e-10)


def test_the_error_is_not_underestimated_when_only_signs_matter(rng):
    for _ in range(200):
        G = simulation.unpacked(rng.standard_normal(25 * 26 // 2) + 0.8, 25)
        vector = rng.standard_normal(25)
        _, error = positivity._leading(packed(G), vector, True)
        exact = np.linalg.eigh(G)[1][:, -1]
        assert np.linalg.norm(vector - exact * np.sign(exact @ vector)) <= error + 1e-12


def test_words_are_those_of_splitmix64():
    for key in keys(0, 5):
        for position in (0, 1, 12345, 2**40 + 7):
            word = int(positivity._word(key, position))
            assert word == simulation.splitmix(int(key), position)


@pytest.mark.parametrize(("distribution", "law"), [("gaussian", "norm"), ("uniform", "uniform")])
def test_variables_have_their_distribution(distribution, law):
    x = filled(keys(1, 1)[0], distribution, 200_000)
    arguments = () if distribution == "gaussian" else (-(3**0.5), 2 * 3**0.5)
    assert scipy.stats.kstest(x, law, arguments).pvalue > 0.01
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.01
    if distribution == "gaussian":  # beyond 3.44 another formula draws them
        far = np.abs(x[np.abs(x) > positivity.TAIL])
        assert len(far) / len(x) == pytest.approx(2 * scipy.stats.norm.sf(3.442619), rel=0.3)
        truncated = scipy.stats.truncnorm(positivity.TAIL, np.inf)
        assert scipy.stats.kstest(far, truncated.cdf).pvalue > 0.01


def test_two_values_have_equal_chance():
    x = filled(keys(1, 1)[0], "bernoulli", 100_000)
    assert set(x) == {-1.0, 1.0}
    assert abs(x.mean()) < 0.02


def test_streams_of_many_keys_are_independent():
    x = np.array([filled(key, "gaussian", 2000) for key in keys(3, 40)])
    correlations = np.corrcoef(x)[np.triu_indices(40, 1)]
    assert np.abs(correlations).max() < 5 / 2000**0.5
    assert scipy.stats.kstest(correlations * 2000**0.5, "norm").pvalue > 0.01


@pytest.mark.parametrize("distribution", positivity.KINDS)
def test_a_number_depends_on_key_and_position_alone(distribution):
    key = keys(5, 3)[2]
    all_of_them = filled(key, distribution, 1000)
    np.testing.assert_array_equal(filled(key, distribution, 400, start=600), all_of_them[600:])


def test_a_generator_goes_on_where_it_stopped():
    rng = np.random.default_rng(8)
    first, second = (positivity.triple_product(3, trials=9, random_state=rng) for _ in range(2))
    assert first == positivity.triple_product(3, trials=9, random_state=8)
    assert first != second
