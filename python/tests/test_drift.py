"""Does a classifier still hold for new rows?"""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from ternwood import TernaryTreeClassifier, VerdictClassifier, VerdictWarning
from ternwood.types import DriftCheck


def draw(seed, n=1000, noise=0.1):
    random = np.random.default_rng(seed)
    glucose = random.uniform(60, 160, size=n)
    ill = glucose + random.uniform(0, 20, size=n) > 120
    ward = np.where(ill, random.choice(list("AB"), n), random.choice(list("ABCD"), n))
    coin = random.uniform(size=n) < noise
    y = np.where(coin, random.uniform(size=n) < 0.5, ill)
    return pd.DataFrame({"glucose": glucose, "ward": pd.Categorical(ward)}), y


@pytest.fixture(scope="module")
def clf():
    tree = TernaryTreeClassifier(max_depth=4, min_samples_leaf=20).fit(*draw(0, 2000))
    return VerdictClassifier(tree, accuracy=0.85, cv="prefit").fit(*draw(1, 2000))


def test_nothing_changes_where_nothing_has(clf):
    X, y = draw(2)
    check = clf.check_drift(X, y)
    assert isinstance(check, DriftCheck)
    assert check.holds
    assert check.changed == []
    assert check.rows == 1000
    assert str(check).splitlines()[-1].startswith("it holds: none of")
    assert check.untold == []
    assert clf.check_drift(X).untold == ["no_labels"]
    assert str(pickle.loads(pickle.dumps(check))) == str(check)


def test_a_shift_and_a_new_category_are_named(clf):
    X, _ = draw(3)
    shifted = clf.check_drift(X.assign(glucose=X.glucose + 30))
    assert not shifted.holds
    worst = shifted.changed[-1]
    assert worst["of"]["outside"]["feature"] == "glucose"
    assert worst["part"] > 200
    ward = X.ward.astype(object)
    ward[:30] = "Z"
    new = clf.check_drift(X.assign(ward=pd.Categorical(ward)))
    assert {"unknown": {"feature": "ward"}} in [found["of"] for found in new.changed]


def test_a_broken_promise_is_called_so(clf):
    X, y = draw(4, noise=0.7)
    check = clf.check_drift(X, y)
    (promise,) = [found for found in check.comparisons if "promise" in found["of"]]
    assert promise["outcome"] == "changed"
    assert promise["interval"][0] > 0.15
    assert "broken" in str(check)


def numbers(seed):
    X, y = draw(seed)
    return X[["glucose"]], y


def test_any_classifier_has_flags_and_promises_to_check():
    logistic = LogisticRegression().fit(*numbers(8))
    fitted = VerdictClassifier(logistic, accuracy=0.85, cv="prefit").fit(*numbers(5))
    X_new, y_new = numbers(6)
    check = fitted.check_drift(X_new, y_new)
    assert check.untold == ["no_training_rows"]
    assert check.holds
    assert check  # `if not check:` is for scripts
    assert len(check.comparisons) == 2
    assert not fitted.check_drift(X_new, ~y_new)


def test_cross_fitted_flags_are_too_rough_for_a_test():
    fitted = VerdictClassifier(LogisticRegression(), accuracy=0.85).fit(*numbers(5))
    check = fitted.check_drift(*numbers(6))
    assert check.untold == ["approximate_flags", "no_training_rows"]
    assert [list(found["of"]) for found in check.comparisons] == [["promise"]]


def test_training_rows_cannot_show_whether_it_holds(clf):
    with pytest.warns(VerdictWarning, match="all of these 2000 rows were trained on"):
        clf.estimator_.check_drift(*draw(0, 2000))


def test_bad_arguments_are_named(clf):
    X, y = draw(7)
    with pytest.raises(ValueError, match="level is 1; allowed"):
        clf.check_drift(X, level=1.0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clf.check_drift(X, y[:-1])
