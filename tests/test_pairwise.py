"""Q-α with pairs of samples against its definition, and what the pairs change."""

import numpy as np
import pandas as pd
import pytest
from oracles import weighing as oracle
from samples import quiet, random_basis, sample

from specsel import datasets, pairwise, qalpha

SHAPES = [(8, 20), (30, 9), (25, 300)]
CYCLES = 3


solve = quiet(pairwise.solve, "not converged|X has negative|.* is constant")


def some_pairs(n_samples, count, seed=0):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_samples, count)
    return np.column_stack((first, (first + rng.integers(1, n_samples, count)) % n_samples))


def disjoint_pairs(n_samples, n_apart, n_together):
    apart, together = some_pairs(n_samples, n_apart, 1), some_pairs(n_samples, n_together, 2)
    known = {*map(frozenset, apart.tolist())}
    return apart, [pair for pair in together.tolist() if frozenset(pair) not in known]


def planted(n_samples, seed=0):
    """Two clusters in the first ten of 60 features, and as many true pairs apart as samples."""
    rng = np.random.default_rng(seed)
    half = n_samples // 2
    X = rng.standard_normal((n_samples, 60))
    X[half:, :10] += 3.0
    first, second = rng.integers(0, half, n_samples), rng.integers(half, n_samples, n_samples)
    return X, np.column_stack((first, second))


def contrast(n_samples, tradeoff, representation="parts"):
    """Mean size of the relevant weights over that of the rest, over a few data sets."""
    ratios = []
    for seed in range(4):
        X, pairs = planted(n_samples, seed)
        got = solve(X, 1, apart=pairs, tradeoff=tradeoff, representation=representation)
        sizes = np.abs(got.alpha)
        ratios.append(sizes[:10].mean() / sizes[10:].mean())
    return np.mean(ratios)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("representation", ["parts", "shift", "ranks", "as-is", "centered"])
@pytest.mark.parametrize("tradeoff", [0.5, 3])
def test_iterations_are_those_of_the_definition(shape, representation, tradeoff):
    X = sample(shape)
    M = oracle.represent(X, representation)
    apart, together = disjoint_pairs(shape[0], 15, 6)
    for k in (1, 3):
        Q = random_basis(shape[0], k)
        arguments = (apart, np.array(together), tradeoff)
        _, _, history = oracle.pairwise_iterations(M, Q, CYCLES, *arguments)
        options = {"representation": representation, "init": Q, "tol": 0, "max_iter": CYCLES}
        got = solve(X, k, apart=apart, together=together, tradeoff=tradeoff, **options)
        np.testing.assert_allclose(got.history, history, rtol=1e-7)
        best = int(np.argmax(history)) + 1
        alpha, basis, _ = oracle.pairwise_iterations(M, Q, best, *arguments)
        expected = oracle.join(alpha) if representation == "parts" else alpha
        np.testing.assert_allclose(got.alpha, expected, atol=1e-6)
        np.testing.assert_allclose(got.basis @ got.basis.T, basis @ basis.T, atol=1e-6)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("representation", ["parts", "shift", "centered"])
def test_pairs_of_samples_outside_of_X_are_the_definition(shape, representation, order):
    X, others = np.array(sample(shape), order=order), sample((40, shape[1]), seed=1)
    X[:, 4] = 1.0
    M, paired = (oracle.represent_others(X, part, representation) for part in (X, others))
    apart, together = disjoint_pairs(40, 15, 6)
    Q = random_basis(shape[0], 2)
    arguments = (CYCLES, apart, np.array(together), 2.0, paired)
    _, _, history = oracle.pairwise_iterations(M, Q, *arguments)
    given = {"apart": apart, "together": np.array(together)}
    given = {name: tuple(others[column] for column in pairs.T) for name, pairs in given.items()}
    options = {"tradeoff": 2.0, "representation": representation, "init": Q, "tol": 0}
    got = solve(X, 2, **given, **options, max_iter=CYCLES)
    np.testing.assert_allclose(got.history, history, rtol=1e-7)


@pytest.mark.parametrize("representation", ["parts", "as-is"])
def test_samples_of_X_and_their_row_numbers_are_the_same_pairs(representation):
    X, pairs = planted(60)
    together = [(0, 2), (1, 4)]
    by_number = solve(X, 2, apart=pairs, together=together, representation=representation)
    samples = (X[pairs[:, 0]], X[pairs[:, 1]])
    by_sample = solve(X, 2, apart=samples, together=together, representation=representation)
    np.testing.assert_allclose(by_sample.alpha, by_number.alpha, atol=1e-9)
    narrow = tuple(part.astype(np.float32) for part in samples)
    found = solve(X.astype(np.float32), 2, apart=narrow, together=together)
    np.testing.assert_allclose(
        found.alpha, solve(X, 2, apart=pairs, together=together).alpha, atol=1e-3
    )


def test_pairs_of_samples_are_checked():
    X = sample((20, 5))
    frame = pd.DataFrame(X, columns=list("abcde"))
    bad = {
        "apart: has samples of shapes (3, 5) and (2, 5); two arrays of equal shape, samples x 5 "
        "features, are needed": {"apart": (X[:3], X[:2])},
        "apart: has samples of shapes (3, 4) and (3, 4); two arrays of equal shape, samples x 5 "
        "features, are needed": {"apart": (X[:3, :4], X[:3, :4])},
        "together: 1 value is NaN or infinite, first at sample 1, feature 0; finite numbers are "
        "needed": {"together": (X[:2], [[1] * 5, [np.nan] + [1] * 4])},
        "criterion = 'gap', representation = 'parts': need pairs of row numbers, not of samples": {
            "apart": (X[:2], X[3:5]),
            "criterion": "gap",
        },
        "criterion = 'energy', representation = 'ranks': need pairs of row numbers, not of "
        "samples": {"apart": (X[:2], X[3:5]), "representation": "ranks"},
    }
    for message, options in bad.items():
        with pytest.raises(ValueError) as caught:
            pairwise.solve(X, 2, **options)
        assert str(caught.value) == message
    turned = frame[list("edcba")]
    with pytest.raises(ValueError, match=r"^apart: has other column names than X, or in another"):
        pairwise.solve(frame, 2, apart=(turned[:3], turned[3:6]))


@pytest.mark.parametrize("criterion", ["energy", "gap"])
@pytest.mark.parametrize("shape", SHAPES)
def test_without_tradeoff_and_centred_it_is_qalpha(shape, criterion):
    X = sample(shape)
    options = {"criterion": criterion, "tol": 1e-12, "max_iter": 2000}
    plain = qalpha.solve(X, 2, **options)
    got = solve(
        X, 2, apart=some_pairs(shape[0], 9), tradeoff=0, representation="centered", **options
    )
    np.testing.assert_allclose(got.alpha, plain.alpha, atol=1e-5)
    assert got.objective == pytest.approx(plain.objective, rel=1e-9)


@pytest.mark.parametrize("shape", [(8, 20), (5, 200)])
def test_gap_criterion_is_the_definition(shape):
    X = sample(shape)
    M = oracle.represent(X, "parts")
    apart, together = disjoint_pairs(shape[0], 7, 4)
    Q = random_basis(shape[0], 2)
    options = {"init": Q, "tol": 0, "max_iter": 1, "tradeoff": 0.7}
    got = solve(X, 2, apart=apart, together=together, criterion="gap", **options)
    B = 0.7 * (oracle.pair_matrix(M, apart) - oracle.pair_matrix(M, np.array(together)))
    alpha, _ = oracle.leading(2 * oracle.gram(M, Q) - oracle.squared(M) - B)
    np.testing.assert_allclose(got.parts.ravel(), alpha, atol=1e-8)
    expected = oracle.objective(M, alpha, got.basis, "gap") - alpha @ B @ alpha
    assert got.objective == pytest.approx(expected, rel=1e-9)


def test_the_matrix_of_pairs_is_never_formed(peak_memory):
    """Products of n-vectors alone: no array of n x n or of pairs x n."""
    X, pairs = sample((20, 3000)), some_pairs(20, 100)
    assert peak_memory(lambda: solve(X, 2, apart=pairs, max_iter=2)) < 8 * 3000 * 100


def test_true_pairs_make_relevant_features_gain():
    contrasts = [contrast(100, tradeoff) for tradeoff in (0, 1, 3)]
    assert contrasts[0] < 0.5 * contrasts[1] < 0.5 * contrasts[2]


def test_centred_features_lose_by_true_pairs():
    assert contrast(100, 0, "centered") > 3 * contrast(100, 3, "centered")


def test_tradeoff_means_the_same_for_any_number_of_samples():
    few, many = contrast(50, 0.5), contrast(500, 0.5)
    assert few > 1.4 * contrast(50, 0)
    assert few == pytest.approx(many, rel=0.2)


def test_together_is_the_opposite_of_apart():
    X, pairs = planted(60)
    assert (
        solve(X, 1, together=pairs).alpha[:10].mean() < solve(X, 1, apart=pairs).alpha[:10].mean()
    )


def test_negative_share_is_that_of_the_parts():
    X, pairs = planted(60)
    got = solve(X, 2, apart=pairs, tradeoff=50)
    found = got.parts
    expected = -np.minimum(found, 0).sum() / np.abs(found).sum()
    assert got.negative_share == pytest.approx(expected)
    assert got.negative_share > 0
    assert (got.alpha >= 0).all()


@pytest.mark.parametrize("tradeoff", [1e4, 1e6])
def test_a_large_tradeoff_does_not_hide_the_leading_weights(tradeoff):
    for shape in ((8, 20), (60, 100)):
        X, pairs = sample(shape), some_pairs(shape[0], 2)
        got = solve(X, 2, apart=pairs, tradeoff=tradeoff, max_iter=3)
        M = oracle.represent(X, "parts")
        form = oracle.gram(M, got.basis) - tradeoff * oracle.pair_matrix(M, pairs)
        assert got.objective > 0
        assert got.objective <= np.linalg.eigvalsh(form)[-1] * (1 + 1e-6)


def test_order_within_and_of_pairs_does_not_matter(rng):
    X, pairs = planted(60)
    a = solve(X, 2, apart=pairs, tol=1e-10)
    b = solve(X, 2, apart=rng.permutation(pairs)[:, ::-1], tol=1e-10)
    np.testing.assert_allclose(a.alpha, b.alpha, atol=1e-6)


BAD = {
    "apart, together: hold no pair of samples; at least one is needed": {"apart": None},
    "together: holds (2, 5), as apart does": {"apart": [[0, 1], [5, 2]], "together": [[2, 5]]},
    "apart: holds sample 20; must be from 0 to 19": {"apart": [[0, 1], [3, 20]]},
    "apart: holds sample -1; must be from 0 to 19": {"apart": [[0, -1]]},
    "together: pairs sample 4 with itself; two samples are needed": {"together": [[1, 2], [4, 4]]},
    "apart: has shape (2,) and dtype int64; give rows of two sample numbers, or two "
    "arrays of samples": {"apart": [0, 1]},
    "apart: has shape (1, 2) and dtype float64; give rows of two sample numbers, or two "
    "arrays of samples": {"apart": [[0.0, 1.0]]},
    "tradeoff = -1: must be a finite number at least 0": {"tradeoff": -1},
    "criterion = 'x': must be one of energy, gap": {"criterion": "x"},
    "representation = 'x': must be one of parts, shift, ranks, as-is, centered": {
        "representation": "x"
    },
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        pairwise.solve(sample((20, 30)), 2, **({"apart": [[0, 1]]} | BAD[message]))
    assert str(caught.value) == message


def test_float32_is_near():
    X, pairs = planted(60)
    a, b = (solve(X.astype(dtype), 1, apart=pairs).alpha for dtype in (np.float32, np.float64))
    np.testing.assert_allclose(a, b, atol=1e-3)


def test_leading_weights_have_a_positive_sum():
    X, pairs = planted(60)
    assert solve(X, 2, apart=pairs).parts.sum() > 0


def grouped(seed, k_groups=4):
    X = datasets.growing_classes(k_groups, random_state=seed).X
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, len(X), (30, 2))
    return X, pairs[pairs[:, 0] != pairs[:, 1]]


@pytest.mark.parametrize("init", ["continuation", "random", "equal", "seeded"])
@pytest.mark.parametrize("representation", ["parts", "shift", "ranks"])
def test_the_ascent_with_pairs_together_is_never_worse_than_the_alternation(init, representation):
    for seed in range(2):
        X, together = grouped(seed)
        for k, tradeoff in ((1, 1.0), (4, 0.3), (4, 5.0)):
            options = {"together": together, "tradeoff": tradeoff, "init": init, "n_init": 2}
            options |= {"representation": representation, "random_state": seed}
            ours, theirs = (
                pairwise.solve(X, k, method=method, **options) for method in ("ascent", "power")
            )
            assert ours.objective >= (1 - 1e-6) * theirs.objective
            assert (np.diff(ours.history) >= -1e-12 * ours.objective).all()


@pytest.mark.parametrize("tradeoff", [0.0, 0.5, 5.0])
@pytest.mark.parametrize("k", [1, 3])
def test_the_ascent_ends_where_the_definition_stays(k, tradeoff):
    X, together = grouped(0)
    options = {"representation": "shift", "tol": 1e-13, "max_iter": 2000}
    got = pairwise.solve(X, k, together=together, tradeoff=tradeoff, **options)
    assert got.converged
    assert got.alpha.min() >= -1e-12
    M = oracle.represent(X, "shift")
    products = M[:, together[:, 0]] * M[:, together[:, 1]]
    form = oracle.gram(M, got.basis)
    form += tradeoff * len(X) ** 2 / len(together) * products @ products.T
    values, vectors = np.linalg.eigh(form)
    assert got.objective == pytest.approx(values[-1], rel=1e-9)
    assert abs(vectors[:, -1] @ got.alpha) == pytest.approx(1, abs=1e-6)
    spectrum = np.linalg.eigvalsh(oracle.affinity(M, got.alpha))[::-1]
    np.testing.assert_allclose(got.eigenvalues, spectrum[:k], rtol=1e-6)
    image = oracle.affinity(M, got.alpha) @ got.basis
    limit = 1e-6 * got.eigenvalues[0]
    np.testing.assert_allclose(image, got.basis * got.eigenvalues, atol=limit)
