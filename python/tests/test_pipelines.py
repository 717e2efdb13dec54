"""What works through pipelines, searches and frozen estimators, and what says why it does not?"""

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ternwood
from ternwood import TernaryForestClassifier, TernaryTreeClassifier, VerdictClassifier

pytestmark = pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")


def scaled(clf):
    return make_pipeline(StandardScaler().set_output(transform="pandas"), clf)


WRAPPED = {
    "pipeline": scaled,
    "pipeline in a pipeline": lambda clf: make_pipeline("passthrough", scaled(clf)),
    "search": lambda clf: GridSearchCV(clf, {"max_depth": [2, 3]}, cv=2),
    "search of a pipeline": lambda clf: GridSearchCV(
        scaled(clf), {f"{type(clf).__name__.lower()}__max_depth": [2, 3]}, cv=2
    ),
}
OURS = [TernaryTreeClassifier(zone="class_overlap"), TernaryForestClassifier(8, random_state=0)]


def of_model(outer, X):
    """Return the fitted model inside, and the rows as it sees them, by hand."""
    while not hasattr(outer, "predict_all"):
        if hasattr(outer, "best_estimator_"):
            outer = outer.best_estimator_
        else:
            X = X if outer[0] == "passthrough" else outer[:-1].transform(X)
            outer = outer[-1]
    return outer, X


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
@pytest.mark.parametrize("clf", OURS, ids=lambda clf: type(clf).__name__)
def test_functions_reach_through(iris_frame, wrap, clf):
    X, y = iris_frame
    outer = wrap(clone(clf)).fit(X, y)
    model, seen = of_model(outer, X)
    for fitted in (outer, FrozenEstimator(outer)):
        found = ternwood.predict_all(fitted, X)
        for ours, expected in zip(found, model.predict_all(seen), strict=True):
            np.testing.assert_array_equal(ours, expected)
        np.testing.assert_array_equal(found.classes, outer.predict(X))
        np.testing.assert_array_equal(ternwood.predict_decided(fitted, X), found.decided)
        assert str(ternwood.explain(fitted, X[:9])) == str(model.explain(seen[:9]))
    assert str(ternwood.explain(model, seen[:9])) == str(model.explain(seen[:9]))


def test_what_has_no_verdict_says_so(iris):
    X, y = iris
    plain = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    with pytest.raises(TypeError, match="LogisticRegression has no verdicts: put it into a Verd"):
        ternwood.predict_decided(plain, X)
    around = VerdictClassifier(plain, cv="prefit").fit(X, y)
    np.testing.assert_array_equal(
        ternwood.predict_decided(make_pipeline("passthrough", around), X),
        around.predict_decided(X),
    )
    with pytest.raises(AttributeError) as refusal:
        _ = around.explain
    assert "this is a LogisticRegression" in str(refusal.value.__cause__)
    with pytest.raises(AttributeError) as refusal:
        _ = around.save
    assert "keep it with joblib.dump" in str(refusal.value.__cause__)


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
@pytest.mark.parametrize("clf", OURS, ids=lambda clf: type(clf).__name__)
def test_a_verdict_around_a_pipeline_explains_itself(cancer, wrap, clf, tmp_path):
    X, y = cancer
    X = pd.DataFrame(X[:, :6], columns=list("abcdef"))
    outer = VerdictClassifier(wrap(clone(clf)), flag_rate=0.2, cv=3).fit(X, y)
    found = outer.predict_all(X[:60])
    explanations = outer.explain(X[:60])
    assert [row.decided for row in explanations] == found.decided.tolist()
    assert [row.prediction for row in explanations] == found.classes.tolist()
    assert 0 < found.decided.sum() < 60
    unsure = explanations[int(np.argmin(found.decided))]
    assert unsure.sentence.startswith("Flagged: ")
    with pytest.raises(AttributeError) as refusal:
        outer.save(tmp_path / "model.json")
    assert "has no place for the steps before" in str(refusal.value.__cause__)
    joblib.dump(outer, tmp_path / "all.joblib")
    again = joblib.load(tmp_path / "all.joblib")
    assert str(again.explain(X[:9])) == str(outer.explain(X[:9]))
    # What was given is not changed.
    prefit = wrap(clone(clf)).fit(X[:300], y[:300])
    before = str(of_model(prefit, X)[0].verdict_policy_)
    VerdictClassifier(prefit, flag_rate=0.3, cv="prefit").fit(X[300:], y[300:])
    assert str(of_model(prefit, X)[0].verdict_policy_) == before


def test_training_rows_are_recognised_behind_a_pipeline(cancer):
    X, X_new, y, y_new = train_test_split(*cancer, random_state=0)
    fitted = make_pipeline(StandardScaler(), TernaryTreeClassifier(max_depth=3)).fit(X, y)
    with pytest.raises(ValueError, match="were trained on"):
        VerdictClassifier(fitted, cv="prefit").fit(X, y)
    VerdictClassifier(fitted, cv="prefit").fit(X_new, y_new)


@pytest.mark.parametrize("uncovered", ["undecided", "judge"])
def test_a_gap_that_a_pipeline_fills_is_still_uncovered(cancer, uncovered):
    """The verdict and its explanation agree, whichever table knows that the value is new."""
    X, y = cancer
    X = pd.DataFrame(X[:, :3], columns=list("abc"))
    filled = make_pipeline(
        make_column_transformer((SimpleImputer(), list("abc"))),
        TernaryTreeClassifier(max_depth=3),
    )
    clf = VerdictClassifier(filled, flag_rate=0.1, uncovered=uncovered, cv=3).fit(X, y)
    sure = X[clf.predict_decided(X)][:5]
    assert clf.predict_decided(sure).all()
    blank = sure.assign(a=np.nan)
    decided = clf.predict_decided(blank)
    assert [row.decided for row in clf.explain(blank)] == decided.tolist()
    if uncovered == "judge":
        assert decided.any()
        return
    assert not decided.any()
    [row] = clf.explain(blank[:1])
    assert row.sentence == "Flagged because a has no value, and had one in the training table."
    assert row.sentence in str(row)
    assert str(row).splitlines()[0].endswith(", undecided")
