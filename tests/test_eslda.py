"""Proved optima against enumeration, and every way in which a search may end."""

import itertools
import os
import signal
import subprocess
import sys
import textwrap

import mpmath
import numpy as np
import pytest
from instances import PAIRS, Clock, pencil, wishart
from oracles import pencil as oracle
from scipy import sparse
from scipy.linalg import eigh
from sklearn.datasets import load_breast_cancer, load_wine

from specsel import _pencil, datasets, eslda, gslda
from specsel._exact.search import Limits, close, search_in_turn
from specsel.results.subsets import SizeRow

# Variances 1 and correlations of thirteen measures of pit props (Jeffers, 1967, Applied
# Statistics 16), the standard example of sparse PCA.
PIT_PROPS = """
.954 .364 .342 -.129 .313 .496 .424 .592 .545 .084 -.019 .134
.297 .284 -.118 .291 .503 .419 .648 .569 .076 -.036 .144
.882 -.148 .153 -.029 -.054 .125 -.081 .162 .220 .126
.220 .381 .174 -.059 .137 -.014 .097 .169 .015
.364 .296 .004 -.039 .037 -.091 -.145 -.208
.813 .090 .211 .274 -.036 .024 -.329
.372 .465 .679 -.113 -.232 -.424
.482 .557 .061 -.357 -.202
.526 .085 -.127 -.076
-.319 -.368 -.291
.029 .007
.184
"""


def pit_props():
    C = np.eye(13)
    for i, line in enumerate(PIT_PROPS.strip().splitlines()):
        C[i, i + 1 :] = C[i + 1 :, i] = np.array(line.split(), dtype=float)
    return C


def pair(kind, n, seed):
    return pencil(np.random.default_rng(seed), kind, n)


CRITERIA = ["trace", "logdet"]


@pytest.mark.parametrize("criterion", ["leading", *CRITERIA])
@pytest.mark.parametrize("kind", PAIRS)
def test_every_size_is_the_enumerated_optimum(kind, criterion):
    for seed in range(3):
        A, B = pair(kind, 9, seed)
        if kind in PAIRS[5:] and criterion != "leading":
            with pytest.raises(ValueError, match=f"criterion = '{criterion}' takes none below 0"):
                eslda.solve_pair(A, B, 2, criterion=criterion)
            continue
        path = eslda.solve_pair(A, B, "all", criterion=criterion)
        assert list(path) == list(range(1, 10))
        for k in path:
            [(support, value)] = oracle.best_subsets(A, B, k, criterion=criterion)
            subset = path[k]
            assert subset.support.tolist() == support
            assert subset.value == pytest.approx(value, rel=1e-9)
            assert subset.status == "optimal"
            assert subset.gap <= 1e-9
            x = subset.direction
            assert x @ B @ x == pytest.approx(1)
            leading = oracle.pencil_value(A, B, support)
            assert x @ A @ x == pytest.approx(leading, rel=1e-8)


@pytest.mark.parametrize("criterion", ["leading", *CRITERIA])
@pytest.mark.parametrize("kind", PAIRS[:5])
def test_features_that_must_or_must_not_be_held_and_runners_up(kind, criterion):
    A, B = pair(kind, 9, 5)
    sets = {"always": [6, 2], "never": [0, 8], "top": 4, "criterion": criterion}
    subset = eslda.solve_pair(A, B, 4, **sets)
    expected = oracle.best_subsets(A, B, 4, **sets)
    got = [(subset.support, subset.value), *subset.others]
    assert [support.tolist() for support, _ in got] == [support for support, _ in expected]
    np.testing.assert_allclose([v for _, v in got], [v for _, v in expected], rtol=1e-9)


def test_both_bounds_prove_the_same_and_the_papers_own_takes_more_nodes():
    A, B = pair("full rank", 30, 1)
    best = eslda.solve_pair(A, B, 15)
    own = eslda.solve_pair(A, B, 15, bound="interlacing")
    assert best.status == own.status == "optimal"
    assert best.support.tolist() == own.support.tolist()
    assert own.nodes > best.nodes


@pytest.mark.parametrize("criterion", ["leading", *CRITERIA])
def test_one_support_and_several_where_many_tie(criterion):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, rank = int(rng.integers(4, 9)), int(rng.integers(1, 4))
        U = rng.integers(-1, 2, (n, rank)).astype(float)
        U = U[rng.integers(0, n, n)] if seed % 4 else U
        A, B = U @ U.T, np.eye(n) + 0.5 * (seed % 3 > 0)
        for k, top in ((1, 1), (2, 5), (n // 2, 1), (n // 2, 5), (n - 1, 1)):
            found = eslda.solve_pair(A, B, k, criterion=criterion, top=top)
            expected = oracle.best_subsets(A, B, k, top=top, criterion=criterion)
            assert found.status == "optimal"
            supports = [found.support.tolist(), *(one.tolist() for one, _ in found.others)]
            assert supports == [support for support, _ in expected]
            values = [found.value, *(value for _, value in found.others)]
            np.testing.assert_allclose(values, [value for _, value in expected], atol=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_an_unfinished_search_by_the_other_criteria_gives_a_valid_bound(criterion):
    for seed in range(6):
        A, B = pair("full rank", 11, seed)
        value = oracle.best_subsets(A, B, 5, criterion=criterion)[0][1]
        near = eslda.solve_pair(A, B, 5, criterion=criterion, node_limit=1)
        wide = eslda.solve_pair(A, B, 5, criterion=criterion, gap=0.1)
        plain = eslda.solve_pair(A, B, 5, criterion=criterion, bound="interlacing")
        for found in (near, wide, plain):
            assert found.value <= value * (1 + 1e-9) <= found.bound * (1 + 2e-9)
        assert wide.value >= value / 1.1 - 1e-9
        assert plain.status == "optimal"


def test_log_det_takes_a_second_discriminant_where_the_others_sharpen_the_first():
    """Four classes: features 0 and 1 tell two pairs apart very well, and feature 2 the rest."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4
    noise = rng.standard_normal((400, 3))
    X = np.column_stack((8.0 * (y > 1), 8.0 * (y > 1), 4.0 * (y % 2))) + noise
    spectra = {}
    for criterion in ("leading", "trace", "logdet"):
        best = eslda.solve(X, y, k=2, criterion=criterion)
        A, B = oracle.class_scatter(X[:, best.support], y)
        spectra[criterion] = eigh(A, B, eigvals_only=True)
        assert (2 in best.support) == (criterion == "logdet")
        assert best.criterion == criterion
    assert spectra["leading"][0] < 0.1 < 3 < spectra["logdet"][0]
    assert eslda.solve(X, y, k=2).criterion == "logdet"


def test_pit_props():
    path = eslda.solve_pair(pit_props(), np.eye(13), "all")
    assert path[5].value == pytest.approx(3.40615, abs=5e-6)
    assert path[10].value == pytest.approx(4.17264, abs=5e-6)
    assert {*path.statuses} == {"optimal"}


def test_classes_of_real_data():
    data = load_wine()
    path = eslda.solve(data.data, data.target, k="all", criterion="leading")
    A, B = oracle.class_scatter(data.data, data.target)
    for k in (1, 2, 12):
        assert path[k].value == pytest.approx(oracle.best_subsets(A, B, k)[0][1], rel=1e-9)
    assert (np.diff(path.values) > 0).all()
    assert {*path.statuses} == {"optimal"}


def test_principal_components_of_real_data():
    X = load_breast_cancer().data
    best = eslda.solve(X, k=5, matrix="correlation")
    assert best.status == "optimal"
    C = np.corrcoef(X.T)
    assert best.value == pytest.approx(
        np.linalg.eigvalsh(C[np.ix_(best.support, best.support)])[-1]
    )
    assert best.value >= gslda.solve(X, matrix="correlation", max_size=5)[5].value - 1e-9


def hard(n=60, seed=3):
    return datasets.brownian_pair(n, random_state=seed)


def test_a_call_compiles_only_what_it_runs_and_no_limit_counts_that(tmp_path):
    """What compiles takes much longer than the limits here, and the search much less."""
    script = """
        import numpy as np
        from specsel import datasets, eslda
        from specsel.cli import info

        X, y = np.random.default_rng(0).random((30, 12)), np.arange(30)
        first, again = (eslda.solve(X, y % 2, 4, time_limit=2) for _ in range(2))
        compiled = {one.__module__ for one in info._kernels() if one.signatures}
        assert not compiled & {f"specsel._exact.{n}" for n in ("include", "elimination")}, compiled
        three = eslda.solve(X, y % 3, 4, time_limit=2)
        hard = eslda.solve_pair(*datasets.wishart_pair(40, random_state=0), 20, node_limit=9)
        assert {first.status, again.status, three.status} == {"optimal"}
        assert min(first.seconds_compiling, three.seconds_compiling) > 2
        assert again.seconds_compiling == 0 < hard.seconds_compiling
    """
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
    )
    assert process.returncode == 0, process.stderr


def test_half_of_the_time_is_for_all_sizes_and_the_rest_for_those_still_open():
    """Size 2 is proved at once; the others take all the time they get."""
    clock, given = Clock(0.0), []

    def search(k, rows, seconds):
        given.append((k, seconds))
        if k == 2:
            return SizeRow(k, np.arange(k), 1.0, 1.0, 1.0, "optimal")
        clock.now += seconds
        start, bound = (1.0, 1.5) if k not in rows else (1.1, 1.6)
        return SizeRow(k, np.arange(k), 1.2, start, bound, "time", 10, seconds)

    rows = search_in_turn([2, 3, 4], Limits([], 12.0, clock=clock), search)
    assert given == [(2, 2.0), (3, 3.0), (4, 3.0), (3, 3.0), (4, 3.0)]
    assert [rows[k].status for k in (2, 3, 4)] == ["optimal", "time", "time"]
    joined = rows[3]
    assert (joined.start, joined.bound, joined.nodes, joined.seconds) == (1.0, 1.5, 20, 6.0)
    given.clear()
    search_in_turn([3], Limits([], 12.0, clock=Clock(0.0)), search)
    assert given == [(3, 12.0)]


def test_a_size_is_bounded_by_the_larger_ones():
    values, bounds = (4.0, 5.0, 5.0, 7.0), (9.0, 9.0, 6.0, 8.0)
    statuses = ("time", "time", "optimal", "time")
    rows = [
        SizeRow(k, np.arange(k), value, value, bound, status)
        for k, value, bound, status in zip((2, 3, 4, 5), values, bounds, statuses, strict=True)
    ]
    closed = close(rows)
    assert [row.bound for row in closed] == [5.0, 5.0, 5.0, 8.0]
    assert [row.status for row in closed] == ["time", "optimal", "optimal", "time"]
    row = rows[0]._replace(bound=4.0, status="gap")
    assert close([row])[0].status == "optimal"
    assert close([row], several=True)[0].status == "gap"  # says nothing of the others


def test_the_node_limit_and_the_gap_end_a_search_with_a_valid_bound():
    A, B = pair("Brownian", 22, 2)
    best = eslda.solve_pair(A, B, 11)
    few = eslda.solve_pair(A, B, 11, node_limit=1, bound="interlacing")
    assert few.status == "nodes"
    assert few.value <= best.value * (1 + 1e-9)
    assert few.bound >= best.value * (1 - 1e-9)
    near = eslda.solve_pair(A, B, 11, gap=0.2)
    assert near.bound >= best.value * (1 - 1e-9)
    assert near.gap <= 0.2 + 1e-9
    assert near.nodes <= best.nodes
    # In single precision the threshold would be off by more than a gap of 1e-8.
    fine = eslda.solve_pair(A, B, 5, gap=np.float32(1e-8))
    assert (fine.status, type(fine.bound)) == ("gap", float)
    assert fine.gap == pytest.approx(1e-8, rel=1e-3)


@pytest.mark.parametrize("kind", ["full rank", "indefinite", "rank one"])
def test_a_gap_and_a_limit_together_give_valid_bounds(kind):
    pairs = [pair(kind, 12, seed) for seed in range(8)]
    if kind == "full rank":  # the optimum is pruned for being within the gap
        pairs.append(datasets.wishart_pair(16, random_state=1))
    for A, B in pairs:
        for k in (4, 6):
            value = oracle.best_subsets(A, B, k)[0][1]
            near = eslda.solve_pair(A, B, k, gap=0.1, node_limit=1)
            assert near.value <= value * (1 + 1e-9) <= near.bound * (1 + 2e-9)


def test_after_larger_gaps_are_proved_the_search_goes_on():
    """Wherever its time ends, and whatever larger gaps it has proved by then, its bound holds."""
    A, B = datasets.wishart_pair(60, random_state=0)
    best, gaps, pencil = eslda.solve_pair(A, B, 30), [], _pencil.from_pair(A, B)
    for rounds in (2, 5, 9, 14, 20, 60):
        clock, seen = Clock(0.0), []

        def report(*state, clock=clock, seen=seen):
            clock.step = 1.0  # time begins to pass with the first round
            seen.append(state)

        limits = Limits([], float(rounds), callback=report, clock=clock)
        [found] = eslda._search(pencil, [30], np.empty(0, int), np.arange(60), limits)
        assert found.value <= best.value * (1 + 1e-9)
        assert min(found.bound, *(bound for _, bound, *_ in seen)) >= best.value * (1 - 1e-9)
        nodes = [state[2] for state in seen]
        assert nodes == sorted(nodes)
        assert nodes[-1] <= found.nodes
        gaps.append(found.bound / found.value - 1)
    assert found.status == "optimal"
    assert gaps[0] > 0.11 > min(gap for gap in gaps if gap > 0)


def test_threads_do_not_matter(set_threads):
    for kind in ("indefinite", "rank one", "duplicates"):
        A, B = pencil(np.random.default_rng(3), kind, 30)
        answers = []
        for count in (1, 2):
            set_threads(count)
            found = eslda.solve_pair(A, B, 12, node_limit=20_000)
            answers.append((found.support.tolist(), found.value, found.bound, found.nodes))
        assert answers[0] == answers[1]


def test_ties_do_not_multiply():
    rng = np.random.default_rng(0)
    block = np.zeros((40, 40))
    block[20:25, 20:25] = wishart(rng, 5) + 5
    copies = np.kron(wishart(rng, 5), np.ones((8, 8)))
    for A, B in (
        (block, np.eye(40)),
        (block, np.diag(rng.uniform(1, 2, 40))),
        (np.zeros((40, 40)), wishart(rng, 40)),
        (np.eye(40), np.eye(40)),
        (copies, np.eye(40)),
        (copies, copies + 0.1 * np.eye(40)),
    ):
        for top, most in ((1, 3000), (3, 15_000)):
            found = eslda.solve_pair(A, B, 10, node_limit=100_000, top=top)
            assert found.status == "optimal"
            assert found.nodes < most
    assert eslda.solve_pair(np.eye(40), np.eye(40), 10).support.tolist() == list(range(10))


def exact_eigenvalues(a, b):
    """Eigenvalues of a pair of matrices of mpmath."""
    inverse = mpmath.cholesky(b) ** -1
    reduced = inverse * a * inverse.T
    return mpmath.eigsy((reduced + reduced.T) / 2, eigvals_only=True)


def exact_value(A, B, support):
    """``λ_max(A_S, B_S)`` to 60 digits."""
    part = np.ix_(support, support)
    with mpmath.workdps(60):
        return max(exact_eigenvalues(*(mpmath.matrix(M[part].tolist()) for M in (A, B))))


def exact_worth(X, y, support, shrinkage, criterion):
    """The value of a support of samples, from the scatters of its definition, to 60 digits."""
    with mpmath.workdps(60):
        between, within = [], []
        for j in support:
            x = [mpmath.mpf(value) for value in X[:, j].tolist()]
            mean = mpmath.fsum(x) / len(x)
            scale = mpmath.sqrt(mpmath.fsum((v - mean) ** 2 for v in x))
            x = [(v - mean) / scale for v in x]
            classes = [[x[s] for s in np.flatnonzero(y == c)] for c in np.unique(y)]
            means = [mpmath.fsum(values) / len(values) for values in classes]
            between.append([mpmath.sqrt(len(v)) * m for v, m in zip(classes, means, strict=True)])
            within.append([v - m for c, m in zip(classes, means, strict=True) for v in c])
        between, within = mpmath.matrix(between), mpmath.matrix(within)
        b = within * within.T + mpmath.mpf(shrinkage) * mpmath.eye(len(support))
        values = exact_eigenvalues(between * between.T, b)
        return {"leading": max, "trace": mpmath.fsum}.get(
            criterion, lambda v: mpmath.fsum(mpmath.log1p(x) for x in v)
        )(values)


@pytest.mark.filterwarnings("ignore:.*do not vary within any class")
@pytest.mark.parametrize("criterion", ["leading", "trace", "logdet"])
@pytest.mark.parametrize("shrinkage", [1e-6, 1e-12])
def test_features_that_repeat_one_another_are_valued_by_their_samples(shrinkage, criterion):
    """B is not formed for the value, and "optimal" allows for what the search has lost."""
    for seed in range(12):
        rng = np.random.default_rng([7, seed])
        y = np.arange(15) % (2 + seed % 2)
        X = rng.standard_normal((15, 3))[:, [0, 0, 1, 1, 2, 2]]
        X += 10.0 ** -rng.uniform(3, 9, 6) * rng.standard_normal((15, 6))
        X *= 10.0 ** rng.uniform(-6, 6, 6)
        found = eslda.solve(X, y, 3, criterion=criterion, shrinkage=shrinkage)
        values = {
            S: exact_worth(X, y, S, shrinkage, criterion)
            for S in itertools.combinations(range(6), 3)
        }
        exact = values[tuple(found.support.tolist())]
        assert abs(found.value - exact) <= 1e-6 * exact
        assert found.bound + found.error >= max(values.values())
        assert found.status in ("optimal", "ill-conditioned")
        assert (found.status == "optimal") == (found.error <= 1e-3 * found.value)


@pytest.mark.parametrize("criterion", ["trace", "logdet"])
def test_features_without_variance_within_classes_have_one_value(criterion):
    """Rounding does not decide what B is: neither units, nor offsets, nor the container."""
    rng = np.random.default_rng(0)
    y = np.arange(31) % 3
    X = rng.standard_normal((31, 5))
    X[:, 2] = np.array([1 / 3, 2 / 7, 5 / 11])[y]
    X[:, 4] = np.array([0.1, 0.7, 1.3])[y] + 1e5
    values = []
    for Z in (X, 3.7 * X, sparse.csr_array(X), X.astype(">f8")):
        with pytest.warns(UserWarning, match="2 of 5 features do not vary within any class: 2, 4"):
            values.append(eslda.solve(Z, y, 2, criterion=criterion, shrinkage=1e-3).value)
    np.testing.assert_allclose(values, values[0], rtol=1e-9)
    assert values[0] == pytest.approx(2 / 1e-3 if criterion == "trace" else values[0], rel=0.5)


@pytest.mark.parametrize("offset", [1e6, 1e9, 2.0**40])
def test_sparse_columns_far_from_zero_lose_no_digits(offset):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.round(rng.standard_normal((60, 7)) * 2**10) / 2**10 + np.outer(y, [1, 1, 0, 0, 0, 0, 0])
    X[::3, 6] = 0
    far = X.copy()
    far[:, [1, 5]] += offset
    near = eslda.solve(X, y, 3)
    found = eslda.solve(sparse.csc_array(far), y, 3)
    assert found.support.tolist() == near.support.tolist()
    assert abs(found.value - near.value) <= near.error


@pytest.mark.parametrize("criterion", ["leading", "trace", "logdet"])
def test_the_lower_bound_is_not_above_the_value_whatever_the_units(criterion):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((30, 6))
        X[:, seed % 6] *= 10.0 ** rng.uniform(9, 15)
        for k in (1, 5, 6):
            found = eslda.solve(X, k=k, criterion=criterion)
            assert found.lower <= found.value


@pytest.mark.parametrize("criterion", ["leading", "trace", "logdet"])
def test_the_optimum_is_proved_where_b_leaves_no_digits(criterion):
    """Of features that repeat others no optimal support holds both, and its own B is harmless."""
    for seed, form in enumerate((np.asarray, sparse.csc_array)):
        rng = np.random.default_rng(seed)
        y = np.arange(14) % 3
        X = rng.standard_normal((14, 3))[:, [0, 1, 2, 2, 1, 0]] + np.eye(3, 6)[y]
        X[:, 3:] += 1e-6 * rng.standard_normal((14, 3)) * (1 - y % 2)[:, None]
        found = eslda.solve(form(X), y, 3, criterion=criterion, shrinkage=1e-12, top=2)
        values = {
            S: exact_worth(X, y, S, 1e-12, criterion) for S in itertools.combinations(range(6), 3)
        }
        assert found.status == "optimal"
        assert found.error <= 1e-6 * found.value
        several = [(found.support, found.value), *found.others]
        for (support, value), best in zip(several, sorted(values.values())[::-1], strict=False):
            assert abs(value - values[tuple(support.tolist())]) <= found.error
            assert abs(value - best) <= found.error


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("class_zero", [False, True])
def test_offsets_that_lose_no_digit_change_no_value(class_zero, form):
    """The mean of all samples is rounded; columns may be far from zero in some classes only."""
    rng = np.random.default_rng(0)
    y = np.arange(25) % 3
    X = rng.integers(0, 100, (25, 6)).astype(float)
    X[:, 5] = X[:, 4] + rng.integers(0, 2, 25)
    X[np.ix_(y == 0, [1, 4])] *= not class_zero
    far = X + np.outer(y > 0 if class_zero else y >= 0, [0, 2.0**48, 0, 0, 2.0**45, 0])
    for k in (2, 4, 6):
        found = eslda.solve(form(far), y, k, shrinkage=1e-6)
        exact = exact_worth(far, y, found.support.tolist(), 1e-6, "logdet")
        assert abs(found.value - exact) <= 1e-10 * exact
        if not class_zero:
            assert found.value == pytest.approx(
                eslda.solve(X, y, k, shrinkage=1e-6).value, rel=1e-10
            )


@pytest.mark.parametrize("criterion", ["leading", "trace", "logdet"])
@pytest.mark.parametrize("n_samples", [6, 20])
def test_the_lower_bound_holds_where_features_repeat_one_another(n_samples, criterion):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n_samples, 3))[:, [0, 0, 1, 1, 2, 2, 2]]
        X += 10.0 ** -rng.uniform(3, 9) * rng.standard_normal((n_samples, 7))
        y = np.arange(n_samples) % 3
        path = eslda.solve(X, y, "all", criterion=criterion, shrinkage=1e-10)
        assert (path.lowers <= path.values).all()


@pytest.mark.parametrize("e", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("width", [3, 6])
@pytest.mark.parametrize("sign", [-1, 1])
def test_optimal_means_within_the_stated_error(sign, width, e):
    """The worse the condition of B, the less can be promised; the promise must say so."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        F, H = rng.standard_normal((6, 3)), rng.standard_normal((6, width))
        A, B = sign * H @ H.T, F @ F.T + e * np.eye(6)
        for k in (6, 2 + seed % 4):
            try:
                found = eslda.solve_pair(A, B, k)
            except ValueError as error:
                assert "not positive definite" in str(error)  # noqa: PT017
                continue
            best = max(exact_value(A, B, S) for S in itertools.combinations(range(6), k))
            trusted = found.error <= 1e-3 * abs(found.value)
            assert found.status == ("optimal" if trusted else "ill-conditioned")
            assert found.bound + found.error >= best
            assert abs(found.value - exact_value(A, B, found.support)) <= found.error
    A, B = wishart(rng, 12), wishart(rng, 12) + np.eye(12)
    found = eslda.solve_pair(A, B, 4)
    assert found.error <= 1e-8 * found.value
    assert np.isinf(gslda.solve_pair(A, B)[4].error)


def test_one_very_negative_feature_does_not_make_all_others_tie():
    for seed in range(6):
        A, B = datasets.brownian_pair(9, random_state=seed)
        A = A.copy()
        A[8, 8] = -1e8
        [(support, value)] = oracle.best_subsets(A, B, 4)
        found = eslda.solve_pair(A, B, 4)
        assert found.value == pytest.approx(value, rel=1e-5)
        assert found.support.tolist() == support


def test_nothing_to_find_has_no_gap():
    found = eslda.solve_pair(np.zeros((5, 5)), np.eye(5), 2)
    assert (found.status, found.value, found.gap) == ("optimal", 0, 0)
    assert found.support.tolist() == [0, 1]
    assert "value 0" in repr(gslda.solve_pair(np.zeros((3, 3)), np.eye(3))[1])


def stop(*state):
    return True


def interrupt(*state):
    raise KeyboardInterrupt


def control_c(*state):
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("how", [stop, interrupt, control_c])
def test_what_stops_a_search_ends_all_sizes_and_returns_what_is_known(how):
    """It comes in the second round."""
    A, B = hard()
    seen = []

    def report(*state):
        seen.append(state)
        return how(*state) if len(seen) == 2 else None

    path = eslda.solve_pair(A, B, [28, 29, 30], callback=report)
    assert path.statuses[-1] == "interrupted"
    assert set(path.statuses) <= {"interrupted", "optimal"}
    assert len(seen) == 2
    assert all(value <= bound for value, bound, *_ in seen)
    assert (path.bounds >= path.values).all()
    assert path.nodes[-1] == 0


def test_what_has_no_gap_is_proved():
    """All features are one support; what a larger size proves may prove a smaller one."""
    A, B = pair("rank one", 9, 0)
    path = eslda.solve_pair(A, B, [8, 9], time_limit=0)
    assert path.statuses[1] == "optimal"
    assert path.bounds[1] == path.values[1]
    assert all(
        (status == "optimal") == (bound == value)
        for status, bound, value in zip(path.statuses, path.bounds, path.values, strict=True)
    )


X_BAD = np.random.default_rng(0).standard_normal((30, 6))
Y_BAD = np.arange(30) % 2
BAD = {
    'k: is needed: a number of features, a list of them, or "all"': {"k": None},
    "k = 0: must be from 1 to 6, the features allowed": {"k": 0},
    "k = 7: must be from 1 to 6, the features allowed": {"k": [2, 7]},
    "k: holds no size; at least one is needed": {"k": []},
    "k = 1: must be from 2 to 6, the features allowed": {"k": 1, "always": [1, 2]},
    "k = 6: must be from 1 to 5, the features allowed": {"k": 6, "never": [1]},
    "k = 'some': must be a whole number from 1 to 6, the features allowed": {"k": "some"},
    "never: holds feature 1, as always does": {"k": 2, "always": [1], "never": [1]},
    "time_limit = -1: must be a finite number at least 0": {"k": 2, "time_limit": -1},
    "node_limit = 0: must be at least 1": {"k": 2, "node_limit": 0},
    "gap = nan: must be a finite number at least 0": {"k": 2, "gap": float("nan")},
    "k = [1, 2]: must be a whole number from 1 to 6, the features allowed": {"k": [[1, 2], 3]},
    "never: holds lists; numbers of features are needed": {"k": 1, "never": [[1, 2], [3]]},
    "top = 0: must be at least 1": {"k": 2, "top": 0},
    "bound = 'all': must be one of best, interlacing": {"k": 2, "bound": "all"},
    "callback = 3: must be a function or None": {"k": 2, "callback": 3},
    "y: has one class, 0; at least 2 are needed": {"k": 2, "y": np.zeros(30, int)},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_options_are_refused_in_one_line(message):
    with pytest.raises(ValueError) as caught:
        eslda.solve(X_BAD, **({"y": Y_BAD} | BAD[message]))
    assert str(caught.value) == message


def test_too_many_features_are_refused():
    X = np.random.default_rng(0).standard_normal((10, eslda.FEATURES_LIMIT + 1))
    with pytest.raises(ValueError, match="take gslda, or name others in never"):
        eslda.solve(X, np.arange(10) % 2, k=3)


def planted(n_features=400, seed=0):
    """Forty samples; twelve features share a factor, the others are weak noise."""
    rng = np.random.default_rng(seed)
    X = 0.3 * rng.standard_normal((40, n_features))
    X[:, 17:29] += rng.standard_normal((40, 1)) * np.linspace(1, 2, 12)
    return X


@pytest.mark.parametrize("matrix", ["covariance", "correlation"])
def test_safe_elimination_searches_more_features_than_the_trees_can(matrix):
    """Nothing is lost: most features are left out by hand in the other search."""
    X = planted()
    path = eslda.solve(X, k=range(1, 9), matrix=matrix)
    few = eslda.solve(X, k=range(1, 9), matrix=matrix, never=range(100, 400))
    assert {*path.statuses} == {"optimal"}
    np.testing.assert_allclose(path.values, few.values, rtol=1e-9)
    assert [s.tolist() for s in path.supports] == [s.tolist() for s in few.supports]
    one = eslda.solve(X, k=5, matrix=matrix, always=[300], never=[20])
    assert (one.status, 300 in one.support, 20 in one.support) == ("optimal", True, False)
    pair = eslda.solve_pair(np.cov(X.T), np.eye(400), 4)
    assert pair.status == "optimal"
    if matrix == "covariance":
        assert pair.support.tolist() == path[4].support.tolist()


def test_safe_elimination_refuses_when_too_many_features_survive():
    """Features of iid noise are all alike."""
    X = np.random.default_rng(0).standard_normal((40, 400))
    message = "X: leaves 400 features to search; at most 300 are possible: "
    for options in ({"k": 9}, {"k": 3, "top": 2}, {"k": 3, "bound": "interlacing"}, {"k": 301}):
        with pytest.raises(ValueError) as caught:
            eslda.solve(X, **options)
        assert str(caught.value) == message + "take gslda, or name others in never"
    path = eslda.solve(X, k=[1, 9])
    assert path.statuses == ("optimal", "features")
    assert path.bounds[1] > path.values[1]


def test_limits_bind_safe_elimination():
    path = eslda.solve(planted(), k=[1, 4, 6], time_limit=1e-9)
    assert path.statuses == ("optimal", "time", "time")
    assert (path.bounds >= path.values).all()
    assert [len(support) for support in path.supports] == [1, 4, 6]


def test_the_start_is_the_greedy_value():
    A, B = datasets.brownian_pair(14, random_state=6)
    path, greedy = eslda.solve_pair(A, B, "all"), gslda.solve_pair(A, B)
    np.testing.assert_allclose(path.starts, greedy.values, rtol=1e-12)
    np.testing.assert_array_equal(greedy.starts, greedy.values)
    assert (path.starts <= path.values * (1 + 1e-12)).all()
    assert (path.starts < path.values * (1 - 1e-6)).any()


@pytest.mark.parametrize("solver", [gslda, eslda])
def test_one_feature_that_is_always_held(solver):
    """Alone at first, and then with the best that go with it."""
    for seed in range(6):
        A, B = datasets.wishart_pair(9, rank=(1, 2, None)[seed % 3], random_state=seed)
        sizes = {"k": [1, 2, 3, 4]} if solver is eslda else {"max_size": 4}
        path = solver.solve_pair(A, B, **sizes, always=[seed], never=[8 - seed // 2])
        assert path.sizes.tolist() == [1, 2, 3, 4]
        for k in path:
            expected = oracle.best_subsets(A, B, k, always=[seed], never=[8 - seed // 2])[0]
            assert len(path[k].support) == k
            assert seed in path[k].support
            assert path[k].value <= expected[1] * (1 + 1e-9)
            if solver is eslda:
                assert tuple(path[k].support) == tuple(expected[0])


@pytest.mark.parametrize("limit", [0, 1e-9])
def test_nothing_is_searched_when_the_start_took_all_the_time(limit):
    X = datasets.lda_problem(40, n_samples=150, correlation=0.9).X
    path = eslda.solve(X, k="all", matrix="correlation", time_limit=limit)
    assert {*path.statuses[:-1]} == {"time"}
    assert not path.nodes.any()
    assert not path.seconds.any()
    np.testing.assert_array_equal(path.starts, path.values)
    assert (path.bounds >= path.values).all()
    assert np.isfinite(path.bounds).all()


def test_one_of_several_supports_is_no_proof_of_all():
    """Without time nothing but the greedy support is known, although it is the best."""
    found = eslda.solve_pair(np.diag([3.0, 2, 1, 1]), np.eye(4), 2, top=3, time_limit=0)
    assert (found.status, found.others) == ("time", ())
    found = eslda.solve_pair(np.diag([3.0, 2, 1, 1]), np.eye(4), 2, top=3)
    assert (found.status, len(found.others)) == ("optimal", 2)


def test_many_equal_eigenvalues():
    """LAPACK's driver for a few eigenvalues fails here."""
    found = eslda.solve(np.eye(11), k=11)
    assert found.status == "optimal"
    assert found.value == pytest.approx(0.1)


def exact_log_det(X, support):
    """``log det(I + C)`` of the covariances of some columns, to 80 digits."""
    with mpmath.workdps(80):
        columns = [[mpmath.mpf(value) for value in X[:, j].tolist()] for j in support]
        deviations = mpmath.matrix([[v - mpmath.fsum(x) / len(x) for v in x] for x in columns])
        scatter = deviations * deviations.T / (len(X) - 1)
        return mpmath.log(mpmath.det(scatter + mpmath.eye(len(support))))


@pytest.mark.parametrize("seed", [2, 7, 14, 16, 39])
def test_components_of_columns_of_very_unlike_size(seed):
    """Values keep the small eigenvalues, and what is called optimal is best to its error."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, 6)) @ rng.standard_normal((6, 6)) * 10 ** rng.uniform(-9, 11, 6)
    path = eslda.solve(X, k="all", criterion="logdet")
    for k in path:
        row = path[k]
        supports = itertools.combinations(range(6), k)
        exact = {support: float(exact_log_det(X, support)) for support in supports}
        assert abs(exact[tuple(row.support)] - row.value) <= row.error + 1e-12 * row.value
        if row.status == "optimal":
            assert row.error <= 1e-2 * row.value
            assert max(exact.values()) <= row.bound + row.error + 1e-12 * row.value


def test_a_log_det_below_one_keeps_its_digits():
    found = eslda.solve(np.diag([1e-9, 3e-9, 2e-9, 5e-10]), k=1, criterion="logdet")
    assert found.support.tolist() == [1]
    assert found.value == pytest.approx(9e-18 / 4, rel=1e-9, abs=0)
