"""Alignment against its definition written out, and what the lazy search must not change."""

import numpy as np
import pandas as pd
import pytest
from oracles import alignment as oracle
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from specsel import alignment, datasets, qalpha

SHAPES = ((12, 40), (40, 12), (30, 30), (9, 200), (150, 25))


def of_shape(shape, seed=0):
    """A few groups of samples in columns of different sizes, some of them copies."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal(shape) * np.exp(0.5 * rng.standard_normal(shape[1]))
    X[: shape[0] // 2, : shape[1] // 3] += 2
    X[:, -1] = X[:, 0]
    return X + 5


@pytest.mark.parametrize(("scale", "power"), [("unit", 0), ("sqrt", 0.5), ("native", 1)])
@pytest.mark.parametrize("shape", SHAPES)
def test_it_agrees_with_the_definition(shape, scale, power):
    X = of_shape(shape)
    M = oracle.columns(X, power)
    T = oracle.neighbourhoods(X, M)
    n = min(20, shape[1])
    found = alignment.solve(X, n=n, scale=scale)
    ranking, scores = oracle.select(M, T, n)
    assert found.ranking.tolist() == ranking
    np.testing.assert_allclose(found.scores, scores, rtol=1e-9)
    np.testing.assert_allclose(found.relevance, np.diag(M.T @ T @ M), atol=1e-12)
    np.testing.assert_array_equal(found.support, np.sort(ranking))
    assert found.target == "neighbours"


@pytest.mark.parametrize(("scale", "power"), [("unit", 0), ("sqrt", 0.5), ("native", 1)])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_it_agrees_with_the_definition_for_classes(n_classes, scale, power):
    X = of_shape((40, 30))
    y = np.arange(40) % n_classes
    M = oracle.columns(X, power)
    found = alignment.solve(X, y, n=30, scale=scale)
    ranking, scores = oracle.select(M, oracle.classes(y, X), 30)
    assert found.target == "classes"
    assert found.ranking.tolist() == ranking
    np.testing.assert_allclose(found.scores, scores, rtol=1e-9)


def test_the_graph_is_that_of_the_definition():
    for shape in SHAPES:
        X = of_shape(shape)
        for options in ({}, {"neighbours": 3, "components": 4}):
            found = alignment.graph(X, **options)
            np.testing.assert_allclose(found.toarray(), oracle.graph(X, **options), atol=1e-14)


def test_few_samples_have_half_of_the_others_as_neighbours(rng):
    X = rng.standard_normal((8, 5))
    np.testing.assert_allclose(alignment.graph(X).toarray(), oracle.graph(X), atol=1e-12)


def test_the_graph_of_many_samples_is_found_without_forming_their_matrix():
    """Beyond the size up to which a matrix of samples x samples is formed."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2100, 4)) * [4, 2, 1, 0.5]
    np.testing.assert_allclose(alignment.graph(X).toarray(), oracle.graph(X), atol=1e-14)


def nearest(coordinates, count):
    """Of equally near samples those count that come next by number, the first after the last."""
    size = len(coordinates)
    links = np.zeros((size, size), dtype=bool)
    for s in range(size):
        distances = np.round(np.linalg.norm(coordinates - coordinates[s], axis=1), 6)
        order = np.lexsort(((np.arange(size) - s - 1) % size, distances))
        links[s, order[order != s][:count]] = True
    return links


def links_of(coordinates, count):
    links = np.zeros((len(coordinates),) * 2, dtype=bool)
    samples, others = alignment._find_neighbours(coordinates, count, 1e-13)
    assert len(samples) == count * len(coordinates)
    links[samples, others] = True
    return links


COORDINATES = {
    "apart": lambda rng: rng.standard_normal((60, 3)),
    "copies": lambda rng: np.repeat(rng.standard_normal((4, 3)), 15, axis=0)[rng.permutation(60)],
    "all the same": lambda rng: np.ones((30, 2)),
    "on a grid": lambda rng: rng.integers(0, 4, (80, 2)).astype(float),
    "a corner each": lambda rng: np.eye(20),
    "three": lambda rng: np.array([[0.0], [1.0], [2.0]]),
}


@pytest.mark.parametrize("kind", COORDINATES)
@pytest.mark.parametrize("count", [1, 5])
def test_equally_near_samples_are_taken_by_their_numbers(kind, count, rng):
    coordinates = COORDINATES[kind](rng)
    count = min(count, (len(coordinates) - 1) // 2)
    wanted = nearest(coordinates, count)
    np.testing.assert_array_equal(links_of(coordinates, count), wanted)
    turned = coordinates + 1e-13 * rng.standard_normal(coordinates.shape)
    np.testing.assert_array_equal(links_of(turned, count), wanted)


def test_no_sample_is_a_neighbour_of_many_others_because_it_comes_first():
    links = links_of(np.zeros((500, 2)), 5)
    np.testing.assert_array_equal(links.sum(axis=0), 5)


def test_among_classes_the_best_compete():
    X = of_shape((30, 3000))
    y = np.arange(30) // 15
    M, T = oracle.columns(X), oracle.classes(y, X)
    best = np.argsort(-np.einsum("si,st,ti->i", M, T, M), kind="stable")
    for n, competing in ((10, 150), (40, 200)):
        found = alignment.solve(X, y, n=n, always=[1500], never=[int(best[0])])
        allowed = set(best[: competing + 1].tolist()) - {int(best[0])}
        expected = oracle.select(M, T, n, always=[1500], allowed=allowed)[0]
        assert found.ranking.tolist() == expected
    assert len(alignment.solve(X, y).ranking) == 150
    assert len(alignment.solve(X[:, :90], y).ranking) == 90


@pytest.mark.parametrize("shape", [(20, 400), (2500, 500)])
def test_each_step_is_the_best_one_whatever_is_stored(shape):
    """Plain greedy selection; of many samples fewer columns are kept than are taken."""
    X = of_shape(shape, 3)
    M = oracle.columns(X)
    T = alignment.graph(X)
    found = alignment.solve(X, n=200, target=T)
    t, H = np.einsum("si,si->i", M, T @ M), (M.T @ M) ** 2
    assert found.n_passes > 8 or shape == (20, 400)  # passes that update all
    for size in range(200):
        chosen = found.ranking[:size]
        free = np.setdiff1d(np.arange(shape[1]), chosen)
        below = H[np.ix_(chosen, chosen)].sum() + 2 * H[free][:, chosen].sum(axis=1) + 1
        scores = (t[chosen].sum() + t[free]) / np.sqrt(below)
        assert found.scores[size] == pytest.approx(scores.max(), rel=1e-9)


def test_features_that_share_nothing_are_taken_by_relevance():
    X = np.random.default_rng(0).standard_normal((40, 20))
    X, _ = np.linalg.qr(X - X.mean(axis=0))
    worth = np.random.default_rng(1).permutation(20)
    found = alignment.solve(X, n=20, target=X @ np.diag(worth.astype(float)) @ X.T)
    assert worth[found.ranking].tolist() == list(range(19, -1, -1))


def test_passes_are_few():
    """Plain greedy selection takes one for every feature."""
    found = alignment.solve(of_shape((100, 10_000)), n=100)
    assert found.n_passes <= 50


def test_float32_goes_as_float64_does_but_for_rounding():
    X = of_shape((40, 300)).astype(np.float32)
    X[:, -1] = X[:, 0] + 1
    M = oracle.columns(X)
    T = oracle.neighbourhoods(X, M)
    found = alignment.solve(X, n=30)
    for size in range(30):
        chosen = found.ranking[:size].tolist()
        assert found.scores[size] == pytest.approx(
            oracle.score(M, T, [*chosen, found.ranking[size]]), rel=1e-5
        )
        best = max(oracle.score(M, T, [*chosen, i]) for i in range(300) if i not in chosen)
        assert found.scores[size] >= best * (1 - 1e-5)


def test_choices_are_nested():
    X = of_shape((30, 100))
    longest = alignment.solve(X, n=50).ranking
    for n in (1, 7, 49):
        np.testing.assert_array_equal(alignment.solve(X, n=n).ranking, longest[:n])


def test_without_a_number_the_peak_decides():
    X = of_shape((30, 100))
    found = alignment.solve(X)
    assert len(found.ranking) == 100
    assert found.peak == np.argmax(found.scores) + 1 == len(found.support) < 100
    np.testing.assert_array_equal(found.support, np.sort(found.ranking[: found.peak]))
    assert alignment.solve(X, n=2).peak is None
    assert "no peak within 2 features" in repr(alignment.solve(X, n=2))
    assert f"peak at {found.peak} features" in repr(found)
    assert len(alignment.solve(of_shape((12, 1500))).ranking) == 1000


@pytest.mark.filterwarnings("ignore:3 of 30 features are constant")
def test_constant_features_come_last():
    X = of_shape((20, 30))
    X[:, [2, 5, 9]] = 7.0
    M = oracle.columns(X)
    T = oracle.neighbourhoods(X, M)
    found = alignment.solve(X, n=30)
    assert found.ranking[-3:].tolist() == [2, 5, 9]
    assert not found.relevance[[2, 5, 9]].any()
    expected, scores = oracle.select(M, T, 30)
    assert found.ranking.tolist() == expected
    np.testing.assert_allclose(found.scores, scores, rtol=1e-9)
    first = alignment.solve(X, n=3, always=[5], never=[2])
    assert first.ranking[0] == 5
    assert first.scores[0] == 0


def test_copies_are_taken_one_at_a_time_and_the_first_one_first():
    """Copies in other units differ by rounding, which must not decide."""
    X = of_shape((25, 10))
    tripled = np.hstack((X, 3.7 * X + 1, X / 3))
    M = oracle.columns(tripled)
    found = alignment.solve(tripled, n=9).ranking
    expected, _ = oracle.select(M, oracle.neighbourhoods(tripled, M), 9)
    assert found.tolist() == expected
    _, first = np.unique(found % 10, return_index=True)
    assert (found[first] < 10).all()


def test_copies_of_samples_and_few_samples():
    X = np.repeat(of_shape((8, 15)), 9, axis=0)
    assert np.isfinite(alignment.solve(X, n=15).scores).all()
    X = of_shape((7, 15))
    M = oracle.columns(X)
    np.testing.assert_array_equal(
        alignment.solve(X, n=5).ranking,
        oracle.select(M, oracle.neighbourhoods(X, M), 5)[0],
    )


def test_features_that_must_be_taken_and_those_that_must_not():
    X = of_shape((25, 40))
    M = oracle.columns(X)
    T = oracle.neighbourhoods(X, M)
    always, never = [30, 31, 32], [0, 1, 2]
    found = alignment.solve(X, n=10, always=always, never=never)
    expected, scores = oracle.select(M, T, 10, always, never)
    assert found.ranking.tolist() == expected
    np.testing.assert_allclose(found.scores, scores, rtol=1e-9)
    assert set(found.ranking[:3]) == set(always)
    table = pd.DataFrame(X, columns=[f"gene {i}" for i in range(40)])
    named = alignment.solve(table, n=3, always=["gene 30", "gene 31"], never=["gene 0"])
    assert set(named.ranking[:2]) == {30, 31}
    at_least = alignment.solve(X, always=np.arange(39))
    assert len(at_least.support) >= 39


@pytest.mark.parametrize(
    "wrap", [np.asarray, sparse.csr_array, sparse.coo_matrix, aslinearoperator, np.ndarray.tolist]
)
def test_targets_of_the_user(wrap):
    X = of_shape((25, 40))
    T = np.random.default_rng(0).standard_normal((25, 25))
    T = T @ T.T
    found = alignment.solve(X, n=12, target=wrap(T))
    M = oracle.columns(X)
    ranking, scores = oracle.select(M, T, 12)
    assert found.target == "given"
    assert found.ranking.tolist() == ranking
    np.testing.assert_allclose(found.scores, scores, rtol=1e-9)


def test_where_the_target_is_against_the_features_relevance_decides():
    """Copies are no better for it."""
    X = of_shape((25, 40))
    T = -np.eye(25) - np.diag(np.arange(25.0))
    always = np.argsort(np.diag(oracle.columns(X).T @ T @ oracle.columns(X)))[:20]
    found = alignment.solve(X, n=40, target=T, always=always)
    assert (found.scores[:20] < 0).all()
    rest = found.ranking[20:]
    negative = np.flatnonzero(found.scores[20:] < 0)
    assert len(negative) > 1
    assert (np.diff(found.relevance[rest[negative]]) <= 0).all()
    M = oracle.columns(X)
    assert found.ranking.tolist() == oracle.select(M, T, 40, always)[0]


def test_weights_as_a_target_give_relevant_features_that_differ():
    data = datasets.growing_classes(4, random_state=1)
    weights = qalpha.solve(data.X, k=4)
    Q = weights.basis
    found = alignment.solve(data.X, n=10, target=weights)
    assert found.target == "weights"
    M = oracle.columns(data.X)
    expected = oracle.select(M, Q @ Q.T, 10)[0]
    assert found.ranking.tolist() == expected


def test_a_planted_structure_is_found_without_its_copies():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 500))
    groups = np.arange(80) % 4
    X[:, :3] += 6 * (groups[:, None] == np.arange(3))
    X[:, 3:90] = X[:, np.arange(3, 90) % 3] + 0.1 * rng.standard_normal((80, 87))
    assert set(alignment.solve(X, n=3).ranking % 3) == {0, 1, 2}
    assert set(alignment.solve(X, groups, n=3).ranking % 3) == {0, 1, 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, r"^n = 0: must be from 1 to 15, the features allowed$"),
        ({"n": 15, "never": [3]}, r"^n = 15: must be from 1 to 14, the features allowed$"),
        ({"n": 1, "always": [3, 4]}, r"^n = 1: must be from 2 to 15, the features allowed$"),
        ({"always": [3], "never": [3]}, r"^never: holds feature 3, as always does$"),
        ({"scale": "both"}, r"^scale = 'both': must be one of unit, sqrt, native$"),
        ({"target": "samples"}, r"^target = 'samples': must be one of neighbours, classes$"),
        ({"target": "classes"}, r"^y: is None; labels of shape \(20,\) are needed$"),
        ({"target": 3}, r"^target = 3: must be one of neighbours, classes, Weights, or a matrix"),
        ({"target": np.eye(4)}, r"^target: has shape \(4, 4\); samples x samples are needed, X h"),
        ({"target": np.full((20, 20), np.nan)}, r"^target: holds values that are NaN or infinite"),
        (
            {"target": sparse.csr_array(np.full((20, 20), np.nan))},
            r"^target: holds values that are NaN or infinite; finite ones are needed$",
        ),
        ({"target": sparse.eye_array(4)}, r"^target: has shape \(4, 4\); samples x samples"),
        ({"neighbours": 0}, r"^neighbours = 0: must be at least 1$"),
        ({"components": 0}, r"^components = 0: must be at least 1$"),
        (
            {"y": np.arange(20) % 2, "target": "neighbours"},
            r"^y: is for target = 'classes'; ",
        ),
        ({"y": np.zeros(20)}, r"^y: has one class, 0.0; at least 2 are needed$"),
        ({"y": [0, 1]}, r"^y: has shape \(2,\); labels of shape \(20,\) are needed$"),
    ],
)
def test_bad_input_is_refused_in_one_line(options, message):
    with pytest.raises(ValueError, match=message) as error:
        alignment.solve(of_shape((20, 15)), **options)
    assert "\n" not in str(error.value)


def test_operators_that_give_no_numbers_are_refused():
    class Operator:
        def __init__(self, image):
            self.image = image

        def __matmul__(self, columns):
            return self.image(columns)

    X = of_shape((20, 15))
    with pytest.raises(ValueError, match=r"^target: target @ M has shape \(15,\) and dtype float"):
        alignment.solve(X, target=Operator(lambda M: M.sum(axis=0)))
    with pytest.raises(ValueError, match=r"^target: target @ M holds values that are NaN or inf"):
        alignment.solve(X, target=Operator(lambda M: np.full_like(M, np.inf)))


def test_weights_from_other_samples_are_refused():
    weights = qalpha.solve(of_shape((20, 15)), k=2)
    with pytest.raises(ValueError, match=r"^target: are weights from 20 samples; X has 19$"):
        alignment.solve(of_shape((20, 15))[:-1], target=weights)


def test_a_graph_that_says_nothing_or_takes_minutes_is_refused():
    with pytest.raises(ValueError, match=r"^X: has 2 samples; at least 3 are needed for neigh"):
        alignment.solve([[1.0, 2.0], [3.0, 5.0]])
    with pytest.raises(ValueError, match=r"^target = 'neighbours': may take minutes for 30001 "):
        alignment.graph(np.arange(30_001.0)[:, None])


def test_columns_that_make_the_graph_alone_are_named_in_one_warning():
    X = np.random.default_rng(0).standard_normal((20, 15))
    table = pd.DataFrame(X * np.array([1e3] + [1] * 14), columns=[f"gene {i}" for i in range(15)])
    message = (
        r"^1 of 15 columns makes the graph of neighbours alone, with 99% of the variance: gene 0; "
        r"standardise X if units differ$"
    )
    with pytest.warns(UserWarning, match=message) as caught:
        alignment.solve(table, n=2)
    assert len(caught) == 1
    with pytest.warns(UserWarning, match=message):
        alignment.graph(table)


def test_units_do_not_matter_where_no_graph_is_made_nor_where_many_columns_differ():
    X = np.random.default_rng(0).standard_normal((20, 15)) * np.array([1e3] + [1] * 14)
    alignment.solve(X, np.arange(20) % 2, n=2)
    alignment.solve(X, n=2, target=np.eye(20))
    alignment.solve(X[:, :2], n=1)
    alignment.solve(X[:, 1:] * np.exp(np.random.default_rng(1).standard_normal(14)), n=2)


def test_what_the_result_says_of_itself():
    table = pd.DataFrame(of_shape((20, 15)), columns=[f"gene {i}" for i in range(15)])
    found = alignment.solve(table, n=4)
    first = found.names[found.ranking[0]]
    assert repr(found).startswith(f"Aligned(4 of 15 features: {first}, ")
    frame = found.to_frame()
    assert frame.columns.tolist() == ["feature", "index", "score", "relevance", "selected"]
    assert frame["index"].tolist() == found.ranking.tolist()
    assert frame["selected"].all()
    assert first in found._repr_html_()


def test_more_features_may_be_forced_than_are_looked_at():
    X = np.random.default_rng(0).standard_normal((20, 1200))
    found = alignment.solve(X, always=np.arange(1100))
    assert set(range(1100)) <= {*found.support.tolist()}
