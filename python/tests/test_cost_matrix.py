"""Do costs by class lead to the cheapest answers and flags?"""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import ternwood
from ternwood import TernaryTreeClassifierCV, VerdictClassifier, metrics

# Classes in the order of classes_: bad, good. A bad risk taken for a good one costs 5.
CREDIT = [[0, 5], [1, 0]]
BY_NAME = {"good": {"good": 0, "bad": 1}, "bad": {"bad": 0, "good": 5}}


@pytest.fixture
def risks(cancer):
    X, y = cancer
    return StandardScaler().fit_transform(X)[:, :3], np.array(["bad", "good"])[y]


def test_answers_and_flags_cost_least(risks):
    X, y = risks
    clf = VerdictClassifier(LogisticRegression(), cost_matrix=CREDIT, flag_cost=0.4).fit(X, y)
    classes, p, verdicts = clf.predict_all(X)
    assert (p == LogisticRegression().fit(X, y).predict_proba(X)).all()
    of_answers = p @ np.array(CREDIT)  # columns: answer bad, answer good
    assert (classes == np.array(["bad", "good"])[of_answers.argmin(axis=1)]).all()
    assert (verdicts == (of_answers.min(axis=1) <= 0.4)).all()
    assert 0 < verdicts.sum() < len(y)
    assert (classes != clf.classes_[p.argmax(axis=1)]).any()
    assert (clf.predict(X) == classes).all()
    policy = clf.verdict_policy_
    assert policy.kind == "costs"
    assert policy.threshold is None
    assert policy.thresholds is None
    assert policy.parameters == {"cost_matrix": CREDIT, "flag_cost": [0.4, 0.4]}
    assert "the answer of the least expected cost" in str(policy)
    found = clf.report_["classes"]["bad"]
    cost = 5 * found["decided_wrong"] + 0.4 * clf.report_["undecided"]
    cost += clf.report_["classes"]["good"]["decided_wrong"]
    assert clf.report_["expected_cost"] == pytest.approx(cost / len(y), rel=1e-12)


@pytest.mark.parametrize(
    "costs",
    [
        {"cost_matrix": np.array(CREDIT), "flag_cost": [0.4, 0.4]},
        {"cost_matrix": [[0, 5, 0.4], [1, 0, 0.4]]},
        {"cost_matrix": BY_NAME, "flag_cost": {"good": 0.4, "bad": 0.4}},
        {"cost_matrix": pd.DataFrame(BY_NAME).T, "flag_cost": pd.Series({"bad": 0.4, "good": 0.4})},
        {"cost_matrix": pd.DataFrame(BY_NAME).T.assign(flag=0.4)},
    ],
)
def test_costs_in_every_form(risks, costs):
    X, y = risks
    plain = VerdictClassifier(LogisticRegression(), cost_matrix=CREDIT, flag_cost=0.4).fit(X, y)
    clf = VerdictClassifier(LogisticRegression(), **costs).fit(X, y)
    assert str(clf.verdict_policy_) == str(plain.verdict_policy_)
    assert clf.verdict_policy_.parameters == plain.verdict_policy_.parameters
    assert (clf.predict_decided(X) == plain.predict_decided(X)).all()
    assert "cost_matrix" in repr(clf)


def test_a_frame_from_a_file_names_numbers_as_text(risks):
    X, y = risks
    numbers = (y == "good").astype(int)
    costs = pd.DataFrame(CREDIT, index=["0", "1"], columns=["0", "1"])
    by_text = VerdictClassifier(LogisticRegression(), cost_matrix=costs, flag_cost=0.4)
    by_place = VerdictClassifier(LogisticRegression(), cost_matrix=CREDIT, flag_cost=0.4)
    assert (by_text.fit(X, numbers).predict(X) == by_place.fit(X, numbers).predict(X)).all()


def test_a_tree_carries_costs(risks, tmp_path):
    X, y = risks
    clf = VerdictClassifier(
        TernaryTreeClassifierCV(max_depth=3), cost_matrix=CREDIT, flag_cost=[0.4, 0.2], cv=3
    ).fit(X, y)
    clf.save(tmp_path / "model.json")
    loaded = ternwood.load(tmp_path / "model.json")
    for part in ("predict", "predict_decided", "predict_proba"):
        assert (getattr(loaded, part)(X) == getattr(clf, part)(X)).all()
    assert str(loaded.verdict_policy_) == str(clf.verdict_policy_)
    explained = clf.explain(X[:50])
    assert [row.decided for row in explained] == clf.predict_decided(X[:50]).tolist()
    assert [row.prediction for row in explained] == clf.predict(X[:50]).tolist()
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict(X) == clf.predict(X)).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"cost_matrix": [[0, 1]]},
            r"shape \(1, 2\), but there are 2 classes.*a row for each true",
        ),
        ({"cost_matrix": np.zeros((3, 3))}, r"shape \(3, 3\), but there are 2 classes"),
        ({"cost_matrix": [[0, 1], [5]]}, "is not a matrix of numbers"),
        ({"cost_matrix": CREDIT}, "not what a flag does: give flag_cost"),
        ({"cost_matrix": [[0, 5, 1], [1, 0, 1]], "flag_cost": 1}, "leave one of them out"),
        (
            {"cost_matrix": [[0, np.nan], [1, 0]], "flag_cost": 1},
            "nan for answering 'good' where 'b",
        ),
        ({"cost_matrix": CREDIT, "flag_cost": [0.1, np.inf]}, "a flag costs inf where 'good' is"),
        ({"cost_matrix": CREDIT, "flag_cost": [0.1]}, r"flag_cost has shape \(1,\)"),
        (
            {"cost_matrix": CREDIT, "flag_cost": {"bad": 1}},
            "flag_cost has no cost for the class 'g",
        ),
        ({"cost_matrix": CREDIT, "flag_cost": "cheap"}, "flag_cost='cheap' is no number"),
        (
            {"cost_matrix": {"bad": {"bad": 0}}, "flag_cost": 1},
            "no cost for answering 'good' where",
        ),
        ({"cost_matrix": {"evil": {"bad": 0}}, "flag_cost": 1}, "cost_matrix has the class 'evil'"),
        ({"cost_matrix": {"bad": 3}, "flag_cost": 1}, r"cost_matrix\['bad'\] is 3: give a dict"),
        ({"cost_matrix": CREDIT, "flag_cost": 1e200}, "cost of a flag is 1e200"),
        ({"cost_matrix": CREDIT, "flag_cost": 1, "cost_ratio": 0.1}, "at most one of"),
        ({"flag_cost": 0.1}, "flag_cost=0.1 goes with a cost_matrix"),
    ],
)
def test_impossible_costs_are_refused(risks, given, message):
    with pytest.raises(ValueError, match=message):
        VerdictClassifier(LogisticRegression(), **given).fit(*risks)


def test_the_expected_cost_by_hand():
    y, found, verdict = ["bad", "bad", "good", "good"], ["good", "bad", "bad", "bad"], [1, 1, 1, 0]
    # A bad one called good (5), a right answer (0), a good one called bad (1), a flag (0.4).
    cost = metrics.expected_cost(y, found, verdict, cost_matrix=BY_NAME, flag_cost=0.4)
    assert cost == pytest.approx(6.4 / 4)
    report = metrics.report(y, found, verdict, cost_matrix=CREDIT, flag_cost=0.4)
    assert report["expected_cost"] == cost
    only_good = metrics.expected_cost(
        ["good"], ["bad"], [1], cost_matrix=CREDIT, flag_cost=0.4, labels=["bad", "good"]
    )
    assert only_good == 1
    with pytest.raises(ValueError, match="either a cost_matrix, or cost_undecided"):
        metrics.expected_cost(y, found, verdict, cost_matrix=CREDIT, cost_wrong=1)
    with pytest.raises(ValueError, match="needs cost_undecided and cost_wrong, or a cost_matrix"):
        metrics.expected_cost(y, found, verdict)
