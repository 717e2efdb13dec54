"""Do models follow their verdict policy?"""

import copy
import gc
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import train_test_split

import ternwood
from ternwood import TernaryTreeClassifier, metrics

POLICIES = [
    {"cost_ratio": 0.05},
    {"flag_rate": 0.2},
    {"accuracy": 0.85, "confidence": 0.9},
    {"accuracy": 0.85},
]


@pytest.fixture
def parts(cancer):
    X, y = cancer
    return train_test_split(X, y, random_state=0, test_size=0.5)


@pytest.fixture
def fitted(parts):
    X, _, y, _ = parts
    return TernaryTreeClassifier(zone="class_overlap", max_depth=4).fit(X, y)


def threshold_of(clf):
    return clf.verdict_policy_.threshold


@pytest.mark.parametrize("policy", POLICIES)
def test_every_prediction_method_follows_the_policy(fitted, parts, policy):
    _, X, _, y = parts
    before = fitted.predict_all(X)
    clf = fitted.calibrate_verdict(X, y, **policy)
    assert clf is fitted
    classes, probabilities, verdicts = clf.predict_all(X)
    assert (classes == before.classes).all()
    assert (probabilities == before.probabilities).all()
    below = probabilities.max(axis=1) < threshold_of(clf)
    assert (verdicts == ~below).all()
    assert (clf.predict_verdict(X) == verdicts).all()
    explanations = clf.explain(X)
    assert [row.verdict for row in explanations] == verdicts.tolist()
    for row in explanations:
        if row.verdict == 0:
            assert "the blended probability of the predicted class is " in row.sentence
            assert ", below " in row.sentence
        elif any(step.side == "within" for step in row.steps):
            assert row.sentence.startswith("Decided although ")
            assert "not below" in row.sentence
        else:
            assert row.sentence is None


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "round_trip",
    [
        lambda clf, path: pickle.loads(pickle.dumps(clf)),
        lambda clf, path: copy.deepcopy(clf),
        lambda clf, path: ternwood.from_json(clf.to_json()),
        lambda clf, path: (clf.save(path / "m.json"), ternwood.load(path / "m.json"))[1],
    ],
    ids=["pickle", "deepcopy", "json", "file"],
)
def test_a_policy_survives_round_trips(fitted, parts, tmp_path, policy, round_trip):
    _, X, _, y = parts
    fitted.calibrate_verdict(X, y, **policy)
    again = round_trip(fitted, tmp_path)
    assert str(again.verdict_policy_) == str(fitted.verdict_policy_)
    assert (again.predict_verdict(X) == fitted.predict_verdict(X)).all()


def test_zones_set_the_verdict_after_a_fit_and_after_set_verdict(fitted, parts):
    X, X_new, y, y_new = parts
    zones = fitted.predict_verdict(X_new)
    assert fitted.verdict_policy_.kind == "zone"
    assert fitted.verdict_policy_.threshold is None
    json = fitted.to_json()
    fitted.calibrate_verdict(X_new, y_new, flag_rate=0.3)
    assert (fitted.predict_verdict(X_new) != zones).any()
    assert fitted.set_verdict("zone") is fitted
    assert (fitted.predict_verdict(X_new) == zones).all()
    assert fitted.to_json() == json
    fitted.calibrate_verdict(X_new, y_new, flag_rate=0.3)
    assert fitted.fit(X, y).verdict_policy_.kind == "zone"
    assert not hasattr(clone(fitted), "classes_")


def test_a_policy_reports_its_results_per_class(fitted, parts):
    _, X, _, y = parts
    policy = fitted.calibrate_verdict(X, y, flag_rate=0.2).verdict_policy_
    decided = fitted.predict_verdict(X) == 1
    found = fitted.predict(X)
    assert policy.kind == "budget"
    assert policy.parameters == {"flag_rate": 0.2}
    assert not policy.approximate
    assert policy.coverage == decided.mean() >= 0.8
    assert policy.decided_accuracy == metrics.decided_accuracy(y, found, decided)
    for label in (0, 1):
        of_class = policy.classes[label]
        assert of_class["rows"] == (y == label).sum()
        assert of_class["coverage"] == decided[y == label].mean()
        assert of_class["decided_recall"] == (found == label)[decided & (y == label)].mean()
        assert of_class["decided_precision"] == (y == label)[decided & (found == label)].mean()
    assert "at most 20 % of the rows flagged" in str(policy)
    assert "recall  precision" in str(policy)


def test_by_default_training_rows_are_used_and_the_policy_says_so(parts):
    X, _, y, _ = parts
    clf = TernaryTreeClassifier(max_depth=2).fit(X, y).calibrate_verdict(accuracy=0.75)
    policy = clf.verdict_policy_
    assert policy.approximate
    assert "cross-fitted, approximate" in str(policy)
    assert "cross-fitted, approximate" in repr(policy)
    assert sum(tally["rows"] for tally in policy.classes.values()) == len(X)
    # Training rows look easier than they are.
    held_out = clf.calibrate_verdict(X, y, cost_ratio=0.1).verdict_policy_.decided_accuracy
    cross_fitted = clf.calibrate_verdict(cost_ratio=0.1).verdict_policy_.decided_accuracy
    assert cross_fitted < held_out


@pytest.mark.parametrize("policy", POLICIES)
def test_without_any_rows_the_error_asks_for_them(cancer, policy):
    X, y = (part.copy() for part in cancer)
    clf = TernaryTreeClassifier(max_depth=3).fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    with pytest.raises(ValueError, match="pass X and y"):
        again.calibrate_verdict(**policy)
    del X, y
    gc.collect()
    with pytest.raises(ValueError, match="pass X and y"):
        clf.calibrate_verdict(**policy)


def test_a_promise_with_too_few_rows_says_how_many_it_needs(fitted, parts):
    _, X, _, y = parts
    message = "from 40 calibration rows: at least 59 are needed"
    with pytest.raises(ValueError, match=message):
        fitted.calibrate_verdict(X[:40], y[:40], accuracy=0.95)
    with pytest.raises(ValueError, match="most confident of 285 calibration rows"):
        fitted.calibrate_verdict(X, y, accuracy=0.995, confidence=0.7)
    assert fitted.verdict_policy_.kind == "zone", "nothing changed"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda clf, X, y: clf.calibrate_verdict(X, y), "exactly one of .* got none"),
        (
            lambda clf, X, y: clf.calibrate_verdict(X, y, flag_rate=0.1, accuracy=0.9),
            "exactly one of .* got flag_rate, accuracy",
        ),
        (
            lambda clf, X, y: clf.calibrate_verdict(X, y, flag_rate=0.1, confidence=0.9),
            "confidence goes with accuracy",
        ),
        (lambda clf, X, y: clf.calibrate_verdict(X, flag_rate=0.1), "X and y together"),
        (lambda clf, X, y: clf.calibrate_verdict(X, y, flag_rate=1.0), "flag_rate is 1"),
        (lambda clf, X, y: clf.calibrate_verdict(X, y, accuracy=95), "accuracy is 95"),
        (lambda clf, X, y: clf.calibrate_verdict(X, y, accuracy=np.nan), "finite number"),
        (lambda clf, X, y: clf.calibrate_verdict(X, y, cost_ratio=0), "cost_ratio is 0"),
        (lambda clf, X, y: clf.calibrate_verdict(X, y + 1, flag_rate=0.1), "not seen in fit"),
        (lambda clf, X, y: clf.set_verdict("budget"), "'zone' or 'cost'"),
        (lambda clf, X, y: clf.set_verdict("zone", cost_ratio=0.1), "goes with policy='cost'"),
        (lambda clf, X, y: clf.set_verdict("cost"), "goes with policy='cost'"),
    ],
)
def test_invalid_policies_are_value_errors(fitted, parts, call, message):
    _, X, _, y = parts
    with pytest.raises(ValueError, match=message):
        call(fitted, X, y)


def test_the_report_compares_the_verdict_with_chow(fitted, parts):
    X_fit, X, y_fit, y = parts
    cart = TernaryTreeClassifier(zone="none", max_depth=4).fit(X_fit, y_fit)
    interval = metrics.bayes_error(X, y)
    report = fitted.ternary_report(X, y, cost_undecided=1, cost_wrong=5, bayes_error=interval)
    classes, probabilities, verdicts = fitted.predict_all(X)
    coverage = verdicts.mean()
    confidence = probabilities.max(axis=1)
    chow = metrics.accuracy_at_coverage(y, classes, confidence, coverage)
    assert report["chow_accuracy"] == pytest.approx(chow)
    sure = cart.predict_proba(X).max(axis=1)
    chow_cart = metrics.accuracy_at_coverage(y, cart.predict(X), sure, coverage)
    assert report["chow_cart_accuracy"] == pytest.approx(chow_cart)
    assert report["aurc"] == metrics.aurc(y, classes, confidence)
    assert report["aurc_cart"] == metrics.aurc(y, cart.predict(X), sure)
    cost = metrics.expected_cost(y, classes, verdicts, cost_undecided=1, cost_wrong=5)
    assert report["expected_cost"] == cost
    wrong = (classes != y) & (verdicts == 1)
    assert cost == pytest.approx((verdicts == 0).mean() + 5 * wrong.mean())
    assert report["chow_cost"] == pytest.approx((1 - coverage) + 5 * coverage * (1 - chow))
    low, high = report["u_over_b"]
    assert low == (1 - coverage) / interval[1] < high
    assert "by Chow's rule on CART" in str(report)
    middle = TernaryTreeClassifier(routing="hard_middle", max_depth=3).fit(X_fit, y_fit)
    assert "chow_cart_accuracy" not in middle.ternary_report(X, y)


def test_the_bayes_error_by_hand():
    # Nearest to 0 is 1, to 1 is 0, to 5 is 6, to 6 is 5: half of them have another class.
    lower, upper = metrics.bayes_error([[0.0], [1.0], [5.0], [6.0]], ["a", "b", "b", "b"])
    assert upper == 0.5
    assert lower == 0.5
    X, y = np.array([[0.0], [1.0], [5.0], [6.0]]), [0, 1, 1, 1]
    _, weighted = metrics.bayes_error(X, y, sample_weight=[3, 1, 4, 8])
    assert weighted == 0.25
    with pytest.raises(ValueError, match="the number of rows is 1"):
        metrics.bayes_error([[1.0]], [0])
    with pytest.raises(ValueError, match="infinity"):
        metrics.bayes_error([[1.0], [np.inf]], [0, 1])
    # A missing value counts as the mean: 2.5 is nearest to 3.5, of another class.
    gaps = metrics.bayes_error([[0.0], [0.5], [3.5], [6.0], [np.nan]], [0, 0, 1, 1, 0])
    assert gaps == metrics.bayes_error([[0.0], [0.5], [3.5], [6.0], [2.5]], [0, 0, 1, 1, 0])


def test_policies_report_labels_of_every_type(cancer):
    X, y = cancer
    words = np.array(["benign", "malignant"])[y]
    clf = TernaryTreeClassifier(max_depth=3).fit(X, words)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.calibrate_verdict(X, words, flag_rate=0.1)
    assert set(clf.verdict_policy_.classes) == {"benign", "malignant"}
