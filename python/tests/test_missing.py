"""Do missing values mean what the parameter `missing` says?"""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from ternwood import TernaryTreeClassifier


@pytest.fixture
def gaps(noisy):
    """Rows whose first column is missing more often in one class."""
    X, y = noisy
    random = np.random.default_rng(0)
    X = X.copy()
    X[random.random(len(y)) < np.where(y == 1, 0.3, 0.1), 0] = np.nan
    return X, y


def test_gaps_in_an_array_are_learned(gaps):
    X, y = gaps
    clf = TernaryTreeClassifier(max_depth=4, zone="none").fit(X, y)
    assert set(clf.tree_.missing[clf.tree_.feature == 0]) & {"left", "right"}
    assert clf.predict_decided(X).all()
    theirs = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


def test_a_gap_that_no_split_saw_goes_both_ways(iris):
    X, y = iris
    clf = TernaryTreeClassifier(max_depth=1, zone="none").fit(X, y)
    feature = clf.tree_.feature[0]
    assert clf.tree_.missing[0] == "unknown"
    row = X[:1].copy()
    row[0, feature] = np.nan
    _, probabilities, verdicts = clf.predict_all(row)
    np.testing.assert_allclose(probabilities[0], [1 / 3, 1 / 3, 1 / 3])
    assert verdicts.tolist() == [0]
    assert clf.zone_distance(row).tolist() == [0.0]
    explanation = clf.explain(row)[0]
    assert explanation.sentence.startswith(
        f"Flagged as not covered: the training table had no gaps in x{feature}. "
    )
    [step] = explanation.steps
    assert (step.value, step.unknown, step.side) == (None, True, "within")
    assert np.isnan(step.position)


def test_unknown_learns_nothing_from_gaps(gaps):
    X, y = gaps
    clf = TernaryTreeClassifier(max_depth=3, missing="unknown").fit(X, y)
    splits = clf.tree_.kind != "leaf"
    assert set(clf.tree_.missing[splits]) == {"unknown"}
    assert clf.tree_.feature[0] in (0, 1)
    tested = clf.decision_path(X).toarray()[:, clf.tree_.feature == 0].any(axis=1)
    gap = tested & np.isnan(X[:, 0])
    assert gap.any()
    assert not clf.predict_decided(X[gap]).any()


@pytest.mark.parametrize("missing", ["learn", "unknown", "error"])
def test_without_gaps_the_parameter_changes_nothing(noisy, missing):
    X, y = noisy
    reference = TernaryTreeClassifier(max_depth=4).fit(X, y)
    clf = TernaryTreeClassifier(max_depth=4, missing=missing).fit(X, y)
    for name in ("feature", "threshold", "half_width", "value"):
        assert np.array_equal(getattr(clf.tree_, name), getattr(reference.tree_, name))


def test_error_refuses_gaps(wards):
    X, y = wards
    clf = TernaryTreeClassifier(missing="error")
    with pytest.raises(ValueError, match=r"row \d+, column 'age' .*missing='learn'"):
        clf.fit(X, y)
    complete = X.notna().all(axis=1)
    clf.fit(X[complete], y[complete])
    with pytest.raises(ValueError, match=r"Input X contains NaN.\n.*column 'job' \(index 1\)"):
        clf.predict(pd.DataFrame({"age": [1.0], "job": [None], "size": ["S"], "smoker": [True]}))


def test_tags_say_whether_gaps_and_categories_are_allowed():
    for missing in ("learn", "unknown", "error"):
        for listed in ("from_dtype", [0], None):
            clf = TernaryTreeClassifier(missing=missing, categorical_features=listed)
            tags = get_tags(clf).input_tags
            assert (tags.allow_nan, tags.categorical) == (missing != "error", listed is not None)


def test_a_column_without_any_value_is_never_split(noisy):
    X, y = noisy
    X = X.copy()
    X[:, 2] = np.nan
    clf = TernaryTreeClassifier(max_depth=6).fit(X, y)
    assert 2 not in clf.tree_.feature
    table = pd.DataFrame(X).set_axis(list("abcde"), axis=1).assign(c=None)
    assert np.array_equal(
        TernaryTreeClassifier(max_depth=6).fit(table, y).predict_proba(table), clf.predict_proba(X)
    )
