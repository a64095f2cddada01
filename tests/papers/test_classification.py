"""How selections with labels are judged: nested folds, and what is compared."""

import numpy as np
import pytest

from specsel.papers import classification


def labelled(seed=0):
    """Two classes of 30 samples; the first of 20 features tells them apart, others are noise."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 30)
    X = rng.standard_normal((60, 20))
    X[:, 0] += 8 * y
    return X, y


def test_a_feature_that_tells_the_classes_apart_classifies_all():
    X, y = labelled()
    for method, select in classification.METHODS.items():
        assert method == "random" or classification.accuracy(X, y, select, 2, 0) > 95


def test_features_are_selected_on_the_training_samples_alone():
    """Of many columns of noise some would tell all samples apart; not those held out."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2000)), np.repeat([0, 1], 30)
    for name in ("alignment", "F test"):
        assert classification.accuracy(X, y, classification.METHODS[name], 10, 0) < 75


def test_small_classes_are_left_out():
    X, y = classification.of_large_classes(np.eye(20), np.repeat([0, 1, 2], [9, 3, 8]))
    assert len(X) == 17
    np.testing.assert_array_equal(np.unique(y), [0, 1])


def test_every_method_is_judged_where_features_are_enough():
    X, y = labelled()
    found = classification.accuracies_on(X, y, 2)
    assert [*found] == [(10, method) for method in classification.METHODS]
    assert all(len(values) == 2 for values in found.values())


@pytest.mark.filterwarnings("ignore:not converged")
def test_the_report_has_wins_and_means():
    found = classification.run_classification(**classification.QUICK_CLASSIFICATION)
    values = {row.what: row.ours for row in found.rows}
    assert values["mean of 2 sets, 10 features, alignment"] == pytest.approx(
        np.mean([values[f"{name}, 10 features, alignment"] for name in ("wine", "sonar")])
    )
    assert [note.split(":")[0] for note in found.notes] == [
        f"alignment against {method}" for method in ("F test", "RFE", "supervised", "random")
    ]
