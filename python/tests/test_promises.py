"""Do promises class by class hold what they say, for any classifier?"""

import contextlib
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

import ternwood
from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifierCV,
    VerdictClassifier,
    required_rows,
)

ILL = {"precision": {"ill": 0.8, "healthy": 0.95}, "miss_rate": {"ill": 0.1}}


@pytest.fixture(scope="module")
def clinic():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 3))
    ill = random.random(3000) < 1 / (1 + np.exp(-5 * (X[:, 0] + X[:, 1]) + 4))
    return X, np.where(ill, "ill", "healthy")


def miss_threshold(missed, n, rate, risk):
    """Walk down the path until too many are missed; `missed` are confidences."""
    passed = None
    for step in [*(240 - np.arange(241)) / 20, -np.inf]:
        t = 1 / (1 + math.exp(-step)) if np.isfinite(step) else 0.0
        if binom.cdf((missed >= t).sum(), n, rate) > risk:
            return passed
        passed = t
    return passed


def test_thresholds_are_those_of_the_method(clinic):
    X, y = clinic
    clf = VerdictClassifier(
        LogisticRegression(), miss_rate={"ill": 0.05}, confidence=0.9, cv=StratifiedKFold(5)
    ).fit(X, y)
    p = cross_val_predict(LogisticRegression(), X, y, method="predict_proba")
    called = np.array(["healthy", "ill"])[p.argmax(axis=1)]
    missed = p.max(axis=1)[(y == "ill") & (called == "healthy")]
    expected = miss_threshold(missed, (y == "ill").sum(), 0.05, 0.1)
    policy = clf.verdict_policy_
    assert policy.thresholds == {"healthy": expected, "ill": 0.0}
    assert expected > 0.5
    assert policy.threshold is None
    assert policy.kind == "promises"
    assert policy.parameters == {"miss_rate": {"ill": 0.05}, "confidence": 0.9}
    decided = np.where(called == "healthy", p.max(axis=1) >= expected, True)
    assert policy.coverage == decided.mean()
    wrong = (decided & (called == "healthy"))[y == "ill"]
    assert policy.classes["ill"]["miss_rate"] == wrong.mean()


def test_promises_are_kept_by_the_rows_that_made_them_and_told_in_words(clinic):
    X, y = clinic
    clf = VerdictClassifier(LogisticRegression(), **ILL, confidence=0.9).fit(X, y)
    of = clf.verdict_policy_.classes
    assert of["ill"]["decided_precision"] >= 0.8
    assert of["healthy"]["decided_precision"] >= 0.95
    assert of["ill"]["miss_rate"] <= 0.1
    words = str(clf.verdict_policy_).splitlines()
    assert words[0] == "promised with 90 % confidence (cross-fitted, approximate):"
    assert words[1].startswith("  rule in ill: predicted ill with a probability of at least 0.")
    assert words[2].startswith("  rule out ill: predicted healthy with a probability of at least")
    assert words[3] == "  look again: all other rows"
    assert repr(clf.verdict_policy_).startswith("<VerdictPolicy: promised with 90 % confidence")


def test_verdicts_compare_each_class_with_its_threshold(clinic):
    X, y = clinic
    clf = VerdictClassifier(LogisticRegression(), **ILL).fit(X, y)
    classes, p, verdicts = clf.predict_all(X)
    thresholds = clf.verdict_policy_.thresholds
    assert thresholds["ill"] != thresholds["healthy"]
    expected = p.max(axis=1) >= np.array([thresholds[label] for label in classes])
    assert (verdicts == expected).all()
    assert 0 < verdicts.sum() < len(y)
    assert (classes == clf.classes_[p.argmax(axis=1)]).all()


@pytest.mark.parametrize("cv", [3, "prefit"])
def test_a_tree_carries_promises(clinic, tmp_path, cv):
    X, y = clinic
    tree = TernaryTreeClassifierCV(max_depth=4)
    estimator = FrozenEstimator(tree.fit(X[:1500], y[:1500])) if cv == "prefit" else tree
    clf = VerdictClassifier(estimator, **ILL, confidence=0.8, cv=cv).fit(X[1500:], y[1500:])
    verdicts = clf.predict_decided(X)
    clf.save(tmp_path / "model.json")
    loaded = ternwood.load(tmp_path / "model.json")
    assert (loaded.predict_decided(X) == verdicts).all()
    assert str(loaded.verdict_policy_) == str(clf.verdict_policy_)
    assert loaded.verdict_policy_.thresholds == clf.verdict_policy_.thresholds
    assert [row.decided for row in clf.explain(X[:40])] == verdicts[:40].tolist()
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict_decided(X) == verdicts).all()


@pytest.mark.parametrize(
    ("classes", "key"),
    [
        ([0, 1], 1),
        ([0, 1], np.int64(1)),
        ([0, 1], "1"),
        ([1.0, 2.0], np.float64(2.0)),
        ([False, True], True),
        (["no", "yes"], np.str_("yes")),
        (["0", "1"], "1"),
    ],
)
def test_classes_are_named_by_their_labels(clinic, classes, key):
    X, y = clinic
    labels = np.array(classes)[(y == "ill").astype(int)]
    clf = VerdictClassifier(LogisticRegression(), precision={key: 0.9}).fit(X, labels)
    other, named = clf.verdict_policy_.thresholds.values()
    assert other == 0.0
    assert named > 0.5
    assert clf.verdict_policy_.parameters["precision"] == {classes[1]: 0.9}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"precision": {"sick": 0.9}}, r"precision has the class 'sick'.*\['healthy', 'ill'\]"),
        ({"precision": {0: 0.9}}, r"precision has the class 0, .*\['healthy', 'ill'\]"),
        ({"precision": {"ill": 1.2}}, r"precision\['ill'\] is 1.2: .* between 0 and 1"),
        ({"precision": {"ill": 95}}, r"is 95: .*; 95 % is 0.95"),
        ({"precision": {"ill": 0.0}}, r"precision\['ill'\] is 0.0"),
        ({"precision": {"ill": np.nan}}, r"precision\['ill'\] is nan"),
        ({"precision": {"ill": "0.9"}}, r"precision\['ill'\] is '0.9'"),
        ({"miss_rate": {"ill": 1}}, r"miss_rate\['ill'\] is 1:"),
        ({"precision": 0.9}, r"precision=0.9 names no class: .* precision=\{'ill': 0.9\}"),
        ({"miss_rate": {}}, "promises nothing: name a class"),
        (
            {"precision": {"ill": 0.9}, "accuracy": 0.9},
            "at most one of .* got accuracy=0.9 and pre",
        ),
        ({"miss_rate": {"ill": 0.1}, "cost_ratio": 0.2}, "at most one of .* and miss_rate="),
        ({"miss_rate": {"ill": 0.001}}, "0.001 for class 'ill' .* at least 2995 .* can carry 0.0"),
        ({"precision": {"ill": 0.995}}, "a precision of 0.995 for class 'ill' .* can carry 0.9"),
    ],
)
def test_impossible_promises_are_refused(clinic, given, message):
    with pytest.raises(ValueError, match=message):
        VerdictClassifier(LogisticRegression(), **given).fit(*clinic)


def test_a_class_without_calibration_rows_is_named(clinic):
    X, y = clinic
    fitted = LogisticRegression().fit(X, y)
    healthy = y == "healthy"
    clf = VerdictClassifier(fitted, miss_rate={"ill": 0.1}, cv="prefit")
    with pytest.raises(
        ValueError, match=r"for class 'ill' .* from 0 calibration rows of it: at le"
    ):
        clf.fit(X[healthy], y[healthy])


def test_clones_and_searches_keep_promises(clinic):
    X, y = clinic
    clf = VerdictClassifier(LogisticRegression(), **ILL, cv=2)
    assert clone(clf).get_params()["precision"] == ILL["precision"]
    grid = {"miss_rate": [{"ill": 0.1}, {"ill": 0.2}], "estimator__C": [0.01, 1.0]}
    search = GridSearchCV(clf, grid, cv=2).fit(X, y)
    assert search.best_estimator_.verdict_policy_.parameters["miss_rate"] in grid["miss_rate"]
    clf.set_params(precision=None, miss_rate=None, flag_rate=0.1).fit(X, y)
    assert clf.verdict_policy_.kind == "budget"


class Known(ClassifierMixin, BaseEstimator):
    """Says x for class 1, which has probability x squared."""

    def __init__(self):
        self.classes_ = np.array([0, 1])

    def fit(self, X, y):
        """Do nothing."""
        return self

    def predict_proba(self, X):
        """Answer too boldly."""
        return np.column_stack([1 - X[:, 0], X[:, 0]])


@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")  # some draws are bad luck
def test_promises_are_broken_as_rarely_as_they_say():
    # With x uniform, rows from t on are of class 1 with probability (1 - t^3) / (3 (1 - t)), and
    # rows of class 1 have density 3 x^2: those below 1 - t are missed, a share of (1 - t)^3.
    random, draws = np.random.default_rng(1), 300
    made = broken = 0
    for _ in range(draws):
        X = random.random((1000, 1))
        y = (random.random(1000) < X[:, 0] ** 2).astype(int)
        clf = VerdictClassifier(
            Known(), precision={1: 0.75}, miss_rate={1: 0.05}, confidence=0.9, cv="prefit"
        )
        with contextlib.suppress(ValueError):  # not every draw supports the promises
            t = clf.fit(X, y).verdict_policy_.thresholds
            made += 1
            # Class 1 is only predicted from 0.5 on.
            t0, t1 = max(t[0], 0.5), max(t[1] or 0.5, 0.5)
            precise = t[1] is None or (1 - t1**3) / (3 * (1 - t1)) >= 0.75
            broken += not (precise and (1 - t0) ** 3 <= 0.05)
    assert made > 0.9 * draws
    assert broken / draws <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / draws)


def right_rows(n_ill, n_well):
    """Return labels, and a fitted classifier that is always right about them."""
    labels = np.array(["ill"] * n_ill + ["well"] * n_well)
    X = (labels == "ill").astype(float).reshape(-1, 1)
    training = np.repeat([[0.0], [1.0]], 50, axis=0)
    tree = DecisionTreeClassifier().fit(training, np.repeat(["well", "ill"], 50))
    return tree, X, labels


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize(
    "wish",
    [
        {"accuracy": 0.9},
        {"precision": {"ill": 0.9}},
        {"miss_rate": {"ill": 0.05}},
        {"precision": {"ill": 0.95}, "miss_rate": {"ill": 0.05}},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")
def test_errors_and_rows_needed_have_the_same_numbers(wish, confidence):
    found = required_rows(**wish, confidence=confidence, errors=0)
    n_ill = max(needed.rows for needed in found)
    n_well = 0 if "accuracy" in wish else 50
    clf, X, y = right_rows(n_ill, n_well)
    given = wish | {"confidence": confidence, "cv": "prefit"}
    assert VerdictClassifier(clf, **given).fit(X, y)
    message = f"from {n_ill - 1} calibration rows.*: at least {n_ill} are needed"
    with pytest.raises(ValueError, match=message):
        VerdictClassifier(clf, **given).fit(X[1:], y[1:])


def test_rows_out_of_bag_need_more():
    [held_out] = required_rows(accuracy=0.95, errors=0)
    [out_of_bag] = required_rows(accuracy=0.95, errors=0, out_of_bag=True)
    # Half of the risk, for each of two sequences.
    assert held_out.rows == math.ceil(math.log(0.025) / math.log(0.95))
    assert out_of_bag.rows == math.ceil(math.log(0.0125) / math.log(0.95))
    X, y = load_breast_cancer(return_X_y=True)
    forest = TernaryForestClassifier(30, random_state=0, oob_score=True)
    with pytest.raises(ValueError, match=f"at least {out_of_bag.rows} are needed"):
        VerdictClassifier(forest, accuracy=0.95, cv="oob").fit(X[:80], y[:80])


@pytest.mark.parametrize("out_of_bag", [False, True])
def test_the_transcripts_of_the_command_have_the_same_numbers(out_of_bag):
    # The transcripts are the output of the command: its tests see to that.
    pages = Path(__file__).parents[2] / "docs" / "cli" / "calibrate.md"
    option = " --out-of-bag" if out_of_bag else ""
    start = f"$ ternwood calibrate --rows-needed{option} --precision healthy=0.99 --miss ill=0.01\n"
    _, _, output = pages.read_text(encoding="utf-8").partition(start)
    table = re.findall(r"^(an? .*?'\w+') +([\w ]+?) +(\d+) +(\d+)$", output.split("```")[0], re.M)
    wish = {"precision": {"healthy": 0.99}, "miss_rate": {"ill": 0.01}, "out_of_bag": out_of_bag}
    best, usual = required_rows(**wish, errors=0), required_rows(**wish)
    assert [(promise, int(rows), int(half)) for promise, _, rows, half in table] == [
        (none.promise, none.rows, half.rows) for none, half in zip(best, usual, strict=True)
    ]
    assert [counted for _, counted, _, _ in table] == ["decided as healthy", "of class ill"]


def test_rows_needed_by_hand():
    # ln 0.05 / ln 0.99 = 298.1.
    [needed] = required_rows(miss_rate={"ill": 0.01}, errors=0)
    assert needed == ("a miss rate of 0.01 for class 'ill'", "calibration rows of it", 299)
    # Of two promises each has half of the risk, and a precision is tested twice.
    two = required_rows(miss_rate={"ill": 0.01}, precision={"well": 0.9}, errors=0)
    by_promise = {needed.promise: needed.rows for needed in two}
    assert by_promise == {
        "a miss rate of 0.01 for class 'ill'": math.ceil(math.log(0.025) / math.log(0.99)),
        "a precision of 0.9 for class 'well'": math.ceil(math.log(0.0125) / math.log(0.9)),
    }
    [needed] = required_rows(accuracy=0.95, confidence=0.9, errors=0)
    assert needed.rows == math.ceil(math.log(0.05) / math.log(0.95))
    assert required_rows(accuracy=0.95)[0].rows > needed.rows
    for given, message in [
        ({}, "needs a promise"),
        ({"accuracy": 0.9, "errors": 1.0}, "errors=1.0"),
        ({"accuracy": 1.5}, "accuracy is 1.5"),
        ({"precision": {"ill": 2}}, r"precision\['ill'\] is 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            required_rows(**given)
