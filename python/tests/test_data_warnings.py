"""Doubtful training data causes one warning, which names what is doubtful and what to do."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ternwood import (
    DataWarning,
    TernaryForestClassifier,
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    VerdictClassifier,
)

ESTIMATORS = [
    TernaryTreeClassifier(max_depth=2),
    TernaryTreeClassifierCV(max_depth=2),
    TernaryForestClassifier(n_estimators=20, random_state=0),
]


def numbers(n_rows=400, seed=0):
    """Return two columns of noise, and a class that the first hardly tells."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 2))
    return X, (X[:, 0] + random.normal(size=n_rows) > 0).astype(int)


def texts(n_categories, n_rows=400):
    return [f"c{row % n_categories}" for row in range(n_rows)]


def found(clf, X, y, **fit_params):
    """Return the texts of all warnings about data."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf.fit(X, y, **fit_params)
    return [str(warning.message) for warning in caught if warning.category is DataWarning]


@pytest.mark.parametrize("clf", ESTIMATORS, ids=lambda clf: type(clf).__name__)
def test_every_estimator_warns_once_of_each_kind_of_doubt(clf):
    X, y = numbers()
    X = pd.DataFrame(X, columns=["a", "b"])
    X = X.assign(plane=texts(60), id=range(1, 401), tail=texts(90), answer=[f"is {c}" for c in y])
    doubts = found(clf, X, y)
    assert len(doubts) == 3, doubts
    assert doubts[0].startswith("X has row numbers in column 'id', which say nothing about new")
    assert "labels: column 'answer'; is it the target in other words" in doubts[1]
    assert "1 category per 10 rows in columns 'plane', 'tail'," in doubts[2]
    assert "list them in categorical_features" in doubts[2]
    assert found(clf, X[["a", "b"]].assign(plane=texts(40)), y) == [], "10 rows each"


@pytest.mark.parametrize("as_frame", [False, True])
def test_row_numbers_in_plain_numbers(as_frame):
    X, y = numbers()
    X[:, 1] = np.random.default_rng(1).permutation(400)
    given = pd.DataFrame(X, columns=["a", "b"]) if as_frame else X
    name = "'b'" if as_frame else "1"
    (doubt,) = found(TernaryTreeClassifier(), given, y)
    assert f"row numbers in column {name}," in doubt
    # Of the training part of a split table, too.
    X_train, _, y_train, _ = train_test_split(X, y, test_size=0.3, random_state=0)
    assert len(found(TernaryTreeClassifier(), X_train, y_train)) == 1
    assert found(TernaryTreeClassifier(), X * [1, 0.5], y) == [], "no whole numbers"


def test_a_column_named_like_an_identifier():
    X, y = numbers()
    X[:, 1] = np.arange(400) * 17
    assert found(TernaryTreeClassifier(), pd.DataFrame(X, columns=["a", "dose"]), y) == []
    (doubt,) = found(TernaryTreeClassifier(), pd.DataFrame(X, columns=["a", "patient_id"]), y)
    assert "row numbers in column 'patient_id'" in doubt


def test_only_the_caller_confirms_many_categories():
    X, y = numbers()
    X = pd.DataFrame(X, columns=["a", "b"]).assign(plane=texts(60))
    clf = TernaryTreeClassifier()
    confirming = TernaryTreeClassifier(categorical_features=["plane"])
    # A data type is chosen to save memory, or because another library needs it.
    for typed in (X, X.astype({"plane": "category"})):
        (doubt,) = found(clf, typed, y)
        assert "1 category per 10 rows in column 'plane'" in doubt
        assert found(confirming, typed, y) == []
    # Ordered categories are numbers.
    ordered = pd.Categorical(X["plane"], ordered=True)
    assert found(clf, X.assign(plane=ordered), y) == []
    # Categories without rows do not count.
    few = pd.Categorical(texts(40), categories=[f"c{number}" for number in range(300)])
    assert found(clf, X.assign(plane=few), y) == []


@pytest.mark.parametrize(
    ("y", "doubt"),
    [
        (np.arange(400) % 51, "y has more than 50 classes; is it a number?"),
        (
            np.arange(400) % 41,
            "y has more than 20 classes, with fewer than 10 rows each on average; is it a number?",
        ),
        (np.arange(400) % 214 / 1.0, "y has more than 200 classes; is it a number?"),
        (["same"] * 400, "y has a single class, 'same', so there is nothing to tell apart"),
        ([0] * 200 + [7] + [2] * 199, "y has a single row of the class 7, which cannot be both"),
        (["a"] * 200 + ["b", "c"] + ["d"] * 198, "y has a single row of the classes 'b', 'c',"),
    ],
)
def test_doubtful_targets(y, doubt):
    X, _ = numbers()
    clf = TernaryTreeClassifier(max_depth=2)
    (text,) = found(clf, X, y)
    assert text.startswith(doubt)
    assert any(remedy in text for remedy in ("another target", "merge the class"))


def test_rows_of_weight_0_are_not_looked_at():
    X, y = numbers()
    weights = np.ones(400)
    y[0], weights[0] = 2, 0.0
    assert found(TernaryTreeClassifier(), X, y, sample_weight=weights) == []
    assert len(found(TernaryTreeClassifier(), X, y)) == 1


def test_folds_of_a_verdict_do_not_warn_again():
    X, y = numbers()
    X = pd.DataFrame(X, columns=["a", "b"]).assign(plane=texts(60))
    clf = VerdictClassifier(TernaryTreeClassifier(max_depth=2), flag_rate=0.2)
    assert len(found(clf, X, y)) == 1


SEARCH = """
import numpy as np, pandas as pd
from sklearn.model_selection import GridSearchCV
from ternwood import TernaryTreeClassifier

random = np.random.default_rng(0)
X = pd.DataFrame({"a": random.normal(size=400), "plane": [f"c{n}" for n in range(80)] * 5})
y = np.r_[np.arange(60), np.arange(340) % 60]
search = GridSearchCV(TernaryTreeClassifier(), {"max_depth": range(1, 15)}, cv=3)
search.fit(X, y)
search.fit(X, y)
"""


def test_a_search_warns_once():
    finished = subprocess.run(
        [sys.executable, "-c", SEARCH], capture_output=True, text=True, check=True
    )
    assert finished.stderr.count("DataWarning: X has more than 1 category") == 1
    assert finished.stderr.count("DataWarning: y has more than 50 classes") == 1
    assert "<string>:10: DataWarning" in finished.stderr, "the caller's line"


@pytest.mark.parametrize(
    "regressor", [LinearRegression(), make_pipeline(StandardScaler(), LinearRegression())]
)
@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"]])
def test_a_verdict_refuses_regressors(regressor, labels):
    X, y = numbers()
    name = type(regressor).__name__
    message = (
        rf"needs a classifier with predict_proba, and this {name} has no predict_proba, because "
        "it is a regressor; take a classifier, such as .*LogisticRegression"
    )
    with pytest.raises(TypeError, match=message):
        VerdictClassifier(regressor).fit(X, np.array(labels)[y])


def flights(seed, n_rows=6_000):
    """Return invented flights: 1,500 planes, most of them rare, say nothing about delays."""
    random = np.random.default_rng(seed)
    carriers = np.array(["AA", "B6", "DL", "EV", "MQ", "UA", "US", "WN"])
    hour = random.integers(5, 24, n_rows)
    carrier = random.integers(0, 8, n_rows)
    wind = random.gamma(3, 3, n_rows)
    late = 0.15 * (hour - 14) + 0.25 * (carrier - 4) + 0.06 * (wind - 9) - 1.0
    plane = np.minimum(random.exponential(400, n_rows), 1_499).astype(int)
    X = pd.DataFrame(
        {
            "hour": hour,
            "carrier": carriers[carrier],
            "wind": wind.round(1),
            "distance": random.integers(90, 2_600, n_rows),
            "plane": [f"N{number}" for number in plane],
        }
    )
    y = np.where(random.random(n_rows) < 1 / (1 + np.exp(-late)), "late", "on time")
    return train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)


# Chosen before any of it was measured.
LARGEST_LOSS_OF_AUC = 0.02
LARGEST_IMPORTANCE_IN_A_TREE = 0.05


@pytest.mark.filterwarnings("ignore::ternwood.DataWarning")
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    "clf",
    [TernaryTreeClassifierCV(), TernaryForestClassifier(random_state=0)],
    ids=lambda clf: type(clf).__name__,
)
def test_many_categories_without_signal_do_not_take_over(clf, seed):
    X, X_new, y, y_new = flights(seed)
    assert X["plane"].nunique() > 0.2 * len(X)

    def auc(columns):
        clf.fit(X[columns], y)
        late = list(clf.classes_).index("late")
        return roc_auc_score(y_new == "late", clf.predict_proba(X_new[columns])[:, late])

    without = auc(["hour", "carrier", "wind", "distance"])
    assert without > 0.65, "there is something to lose"
    assert auc(list(X.columns)) > without - LARGEST_LOSS_OF_AUC
    if isinstance(clf, TernaryTreeClassifierCV):
        importance = clf.feature_importances_[list(X.columns).index("plane")]
        assert importance < LARGEST_IMPORTANCE_IN_A_TREE
    # Trees of a forest grow until their leaves are pure, and their impurity-based importance counts
    # nodes of a few training rows, which any column of many categories separates. What the column
    # contributes to answers of new rows is the fair measure.
    shuffled = X_new.assign(plane=np.random.default_rng(seed).permutation(X_new["plane"]))
    late = list(clf.classes_).index("late")
    found = [
        roc_auc_score(y_new == "late", clf.predict_proba(rows)[:, late])
        for rows in (X_new, shuffled)
    ]
    assert abs(found[0] - found[1]) < LARGEST_LOSS_OF_AUC
