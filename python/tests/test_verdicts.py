"""Do models follow their verdict policy?"""

import copy
import pickle

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

import ternwood
from ternwood import TernaryTreeClassifier, VerdictClassifier, metrics

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


def with_verdict(fitted, X, y, policy):
    """Return the tree with a verdict set on held-out rows."""
    return VerdictClassifier(fitted, cv="prefit", **policy).fit(X, y).estimator_


@pytest.mark.parametrize("policy", POLICIES)
def test_every_prediction_method_of_a_tree_follows_the_policy(fitted, parts, policy):
    _, X, _, y = parts
    before = fitted.predict_all(X)
    clf = with_verdict(fitted, X, y, policy)
    classes, probabilities, verdicts = clf.predict_all(X)
    assert (classes == before.classes).all()
    assert (probabilities == before.probabilities).all()
    below = probabilities.max(axis=1) < clf.verdict_policy_.threshold
    assert (verdicts == ~below).all()
    assert (clf.predict_decided(X) == verdicts).all()
    explanations = clf.explain(X)
    assert [row.decided for row in explanations] == verdicts.tolist()
    for row in explanations:
        if not row.decided:
            assert row.sentence.startswith("Flagged: ")
            assert " sure, below " in row.sentence
        elif any(step.side == "within" for step in row.steps):
            assert row.sentence.startswith("Decided although ")
            assert "not below" in row.sentence
        else:
            assert row.sentence is None
    assert fitted.verdict_policy_.kind == "zone", "the tree that was given is as it was"


def test_a_flagged_row_says_what_it_hinges_on_in_words_and_figures(fitted, parts):
    _, X, _, y = parts
    clf = with_verdict(fitted, X, y, {"cost_ratio": 0.1})
    told = [row for row in clf.explain(X) if row.hinges and "It hinges on " in (row.sentence or "")]
    assert told, "no flagged row within a zone"
    for row in told:
        strongest, label = row.hinges[0], list(clf.classes_).index(row.prediction)
        assert strongest.step in row.steps
        assert strongest.step.side == "within"
        assert f"It hinges on {strongest.step.feature} " in row.sentence
        # The answer is a blend of both sides, each as far away as the row is sure to be there.
        sides = [side.probabilities[label] for side in (strongest.below, strongest.above)]
        assert min(sides) <= row.probabilities[label] <= max(sides)
        for side in (strongest.below, strongest.above):
            assert side.probabilities.sum() == pytest.approx(1)
            assert side.prediction == clf.classes_[side.probabilities.argmax()]
            assert side.decided == (side.probabilities.max() >= 0.9)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "round_trip",
    [
        lambda clf, path: pickle.loads(pickle.dumps(clf)),
        lambda clf, path: copy.deepcopy(clf),
        lambda clf, path: ternwood.loads(clf.to_json()),
        lambda clf, path: (clf.save(path / "m.json"), ternwood.load(path / "m.json"))[1],
    ],
    ids=["pickle", "deepcopy", "json", "file"],
)
def test_a_policy_survives_round_trips(fitted, parts, tmp_path, policy, round_trip):
    _, X, _, y = parts
    clf = with_verdict(fitted, X, y, policy)
    again = round_trip(clf, tmp_path)
    assert str(again.verdict_policy_) == str(clf.verdict_policy_)
    assert (again.predict_decided(X) == clf.predict_decided(X)).all()
    # The next fit of the tree itself knows nothing of it.
    assert again.fit(X, y).verdict_policy_.kind == "zone"


def test_a_policy_reports_its_results_per_class(fitted, parts):
    _, X, _, y = parts
    clf = with_verdict(fitted, X, y, {"flag_rate": 0.2})
    policy, decided, found = clf.verdict_policy_, clf.predict_decided(X), clf.predict(X)
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
    assert "set to flag at most 20 % of the rows" in str(policy)
    assert "recall  precision" in str(policy)


def test_the_report_compares_the_verdict_with_chow(fitted, parts):
    X_fit, X, y_fit, y = parts
    cart = TernaryTreeClassifier(zone="none", max_depth=4).fit(X_fit, y_fit)
    interval = metrics.bayes_error(X, y)
    report = fitted.report(X, y, cost_undecided=1, cost_wrong=5, bayes_error=interval)
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
    wrong = (classes != y) & verdicts
    assert cost == pytest.approx((~verdicts).mean() + 5 * wrong.mean())
    assert report["chow_cost"] == pytest.approx((1 - coverage) + 5 * coverage * (1 - chow))
    low, high = report["u_over_b"]
    assert low == (1 - coverage) / interval[1] < high
    assert "by Chow's rule on CART" in str(report)
    middle = TernaryTreeClassifier(routing="hard_middle", max_depth=3).fit(X_fit, y_fit)
    assert "chow_cart_accuracy" not in middle.report(X, y)


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
