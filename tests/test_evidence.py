"""Evidence: the p value by its definition, what is shuffled, how often noise passes for more."""

import numpy as np
import pytest

from specsel import _data, datasets, evidence, qalpha, supervised, weighting

EXAMPLE = datasets.example()
NOISE = np.delete(EXAMPLE.X, EXAMPLE.relevant, axis=1)


def shuffles(X, seed, n):
    """The shuffles of X that evidence compares it with."""
    generator = np.random.default_rng(seed)
    generator.spawn(1)
    return [_data.shuffled(X.T, one).T for one in generator.integers(2**63, size=n).tolist()]


@pytest.mark.parametrize("X", [NOISE, NOISE[:20], np.abs(NOISE) + 1])
@pytest.mark.parametrize("options", [{}, {"center": False}, {"init": "seeded", "n_init": 2}])
def test_p_value_is_the_share_of_shuffles_that_do_as_well(X, options):
    """Of samples fewer than features and of more."""
    found = evidence.solve(X, 2, n=19, random_state=1, **options)
    objective, *null = [
        qalpha.solve(part, 2, tol=1e-3, **options).objective for part in (X, *shuffles(X, 1, 19))
    ]
    np.testing.assert_allclose(found.null, null, rtol=1e-6)
    assert found.objective == pytest.approx(objective, rel=1e-6)
    count = sum(value >= objective * (1 - 1e-3) for value in null)
    assert found.p_value == (1 + count) / 20
    assert found.z == pytest.approx((objective - np.mean(null)) / np.std(null, ddof=1), rel=1e-4)


@pytest.mark.parametrize(
    ("shape", "options"),
    [((20, 1500), {"n": 8}), ((4100, 4100), {"n": 1, "max_iter": 1})],
)
@pytest.mark.filterwarnings("ignore:not converged")
def test_threads_make_no_difference(shape, options, set_threads):
    """Neither where every thread solves a shuffle nor where all solve one."""
    X = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    found = evidence.solve(X, 2, random_state=0, **options)
    set_threads(1)
    again = evidence.solve(X, 2, random_state=0, **options)
    assert again.null.tolist() == found.null.tolist()
    assert again.objective == found.objective


def test_tall_data_are_compared_by_their_factor():
    """X = QR: the affinities of X and of R have the same eigenvalues."""
    X = np.abs(np.random.default_rng(0).standard_normal((3000, 7)))
    found = evidence.solve(X, 2, n=5, random_state=0)
    centred = [part - part.mean(axis=0) for part in (X, *shuffles(X, 0, 5))]
    objective, *null = [
        qalpha.solve(np.linalg.qr(part).R, 2, center=False, tol=1e-3).objective for part in centred
    ]
    np.testing.assert_allclose(found.null, null, rtol=1e-3)
    assert found.objective == pytest.approx(objective, rel=1e-3)


@pytest.mark.parametrize("options", [{"tol": 0.5}, {"criterion": "gap"}])
def test_options_reach_the_solver(options):
    found = evidence.solve(NOISE, 2, n=1, random_state=0, **options)
    expected = qalpha.solve(NOISE, 2, **({"tol": 1e-3} | options))
    assert found.objective == pytest.approx(expected.objective, rel=1e-8)


def test_without_a_number_three_directions_are_compared():
    found = evidence.solve(NOISE, n=5, random_state=0)
    three = evidence.solve(NOISE, 3, n=5, random_state=0)
    assert found.null.tolist() == three.null.tolist()
    assert found.objective == three.objective
    assert evidence.solve(NOISE[:, :1], n=1, random_state=0).objective == pytest.approx(1)


def test_weak_clusters_differ_from_noise_without_a_number_of_them():
    """The count of clusters differs between shuffles, and must not hide what the data have."""
    p_values = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((60, 150))
        X[:, :10] += 1.6 * rng.standard_normal((6, 10))[np.arange(60) % 6]
        p_values.append(evidence.solve(X, n=19, random_state=seed).p_value)
    assert np.mean(np.array(p_values) <= 0.05) >= 0.7


def test_constant_columns_are_named_once():
    X = np.column_stack((NOISE[:, :8], np.ones(len(NOISE))))
    for k in (2, "auto"):
        with pytest.warns(UserWarning, match="1 of 9 features is constant") as caught:
            evidence.solve(X, k, n=3, random_state=0)
        assert len(caught) == 1


@pytest.fixture(scope="module")
def of_noise():
    """What 200 sets of noise show."""
    return [
        evidence.solve(
            np.random.default_rng(seed).standard_normal((30, 20)), 2, n=19, random_state=seed
        )
        for seed in range(200)
    ]


@pytest.mark.slow
def test_noise_has_hardly_any_feature_beyond_chance(of_noise):
    assert np.mean([len(one.beyond_chance) > 0 for one in of_noise]) <= 0.12
    few = evidence.solve(EXAMPLE.X, 3, n=18, random_state=0)
    assert len(few.beyond_chance) == 0


@pytest.mark.parametrize("k", [3, "auto"])
def test_structure_differs_from_noise(k):
    for seed in range(3):
        found = evidence.solve(EXAMPLE.X, k, n=19, random_state=seed)
        assert found.p_value == 1 / 20
        assert found.verdict == "more in common than chance"
        assert len(found.beyond_chance)
        assert {*found.beyond_chance.tolist()} <= {*EXAMPLE.relevant.tolist()}


@pytest.mark.slow
def test_noise_passes_for_more_as_rarely_as_promised(of_noise):
    p_values = [one.p_value for one in of_noise]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.08
    assert 0.4 < np.mean(p_values) < 0.6


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:not converged")
def test_with_labels_these_are_shuffled_for_columns_that_agree_are_no_evidence():
    rng = np.random.default_rng(0)
    passed = 0
    for seed in range(20):
        X = rng.standard_normal((40, 4)) @ rng.standard_normal((4, 15))
        y = rng.integers(0, 2, 40)
        found = evidence.solve(X, y=y, method="supervised", n=19, random_state=seed)
        assert found.shuffled == "labels"
        passed += found.p_value <= 0.05
    assert passed <= 4


def test_labels_that_mean_something_are_found():
    data = datasets.weston_linear(60, random_state=1)
    found = evidence.solve(data.X, y=data.y, method="supervised", n=19, random_state=0)
    assert found.p_value == 0.05
    objective = supervised.solve(data.X, data.y, tol=1e-3).objective
    assert found.objective == pytest.approx(objective, rel=1e-6)


@pytest.mark.parametrize("method", ["weighting", "kernel"])
def test_other_methods(method):
    X = np.random.default_rng(0).standard_normal((60, 30))
    X[:30, :12] += 4
    k = "auto" if method == "weighting" else 2
    assert evidence.solve(X, k, method=method, n=19, random_state=0).p_value == 0.05


def test_few_shuffles_are_too_few():
    found = evidence.solve(EXAMPLE.X, 3, n=3, random_state=0)
    assert found.p_value == 0.25
    assert found.verdict == "too few shuffles to tell, 3"


def test_callback_stops_and_what_was_done_counts():
    seen = []
    found = evidence.solve(
        EXAMPLE.X,
        3,
        n=50,
        random_state=0,
        callback=lambda *counts: seen.append(counts) or counts[0] == 4,
    )
    assert seen == [(1, 50), (2, 50), (3, 50), (4, 50)]
    assert len(found.null) == 4


def test_weighting_with_labels_takes_a_number_of_discriminants():
    options = {"y": EXAMPLE.y, "tradeoff": 0.1}
    found = evidence.solve(EXAMPLE.X, 2, method="weighting", n=3, random_state=0, **options)
    expected = weighting.solve(EXAMPLE.X, k=2, tol=1e-3, **options)
    assert found.objective == pytest.approx(expected.objective)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n = 0: must be at least 1"),
        ({"method": "pca"}, "method = 'pca': must be one of"),
        ({"method": "supervised"}, "y: is None; class labels are needed"),
        ({"y": np.arange(60) % 2}, "y: is not used by method = 'qalpha'"),
        ({"method": "kernel"}, "k = 'auto': a whole number is needed"),
        ({"k": 0}, "k = 0: must be"),
        ({"k": 3, "method": "weighting"}, "k = 3: is not used by method = 'weighting'"),
        ({"method": "weighting", "n_init": 9}, "n_init: is no option of weighting.solve"),
        ({"colour": 1}, "colour: is no option of qalpha.solve"),
    ],
)
def test_bad_input_is_one_line(arguments, message):
    with pytest.raises(ValueError, match=message):
        evidence.solve(EXAMPLE.X, **arguments)


def first_direction(n_relevant, n_irrelevant, q, seed):
    rng = np.random.default_rng(seed)
    v = rng.standard_normal(q)
    v /= np.linalg.norm(v)
    noise = rng.standard_normal((q, n_irrelevant)) / np.sqrt(q)
    _, vectors = np.linalg.eigh(n_relevant * np.outer(v, v) + noise @ noise.T)
    return (v @ vectors[:, -1]) ** 2


@pytest.mark.parametrize(("n_relevant", "n_irrelevant", "q"), [(9, 800, 200), (5, 400, 200)])
def test_cosine_is_that_of_random_matrices(n_relevant, n_irrelevant, q):
    found = evidence.detectability(n_relevant, n_irrelevant, q)
    cosines = [first_direction(n_relevant, n_irrelevant, q, seed) for seed in range(20)]
    assert np.mean(cosines) == pytest.approx(found.cosine, abs=0.03)


def test_the_weight_bound_is_that_of_the_energy_of_noise():
    features = np.random.default_rng(0).standard_normal((4000, 4, 5))
    features /= np.linalg.norm(features, axis=2, keepdims=True)
    energy = (features @ features.swapaxes(1, 2)) ** 2
    found = evidence.detectability(3, 4, 5).weight_bound
    assert found == pytest.approx(np.sqrt(energy.sum(axis=(1, 2)).mean() / 3), rel=0.01)


def test_below_the_threshold_nothing_is_found():
    found = evidence.detectability(2.0, 900, 100)
    assert found.threshold == 4.0
    assert found.cosine == 0.0
    assert np.mean([first_direction(2.0, 900, 100, seed) for seed in range(10)]) < 0.15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 10, 10), "n_relevant = 0: must be a finite number above 0"),
        ((np.inf, 10, 10), "n_relevant = inf"),
        ((2, -1, 10), "n_irrelevant = -1"),
        ((2, 10, 0), "n_samples = 0"),
    ],
)
def test_detectability_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        evidence.detectability(*arguments)
