"""Verdicts of a forest from rows that nobody held out."""

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from ternwood import TernaryForestClassifier, VerdictClassifier

pytestmark = pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")


@pytest.fixture
def forest(cancer):
    return TernaryForestClassifier(50, random_state=0, oob_score=True).fit(*cancer)


def out_of_bag(fitted, rows, **wish):
    """Set the verdict of a fitted forest with the rows that it left out of bags."""
    return VerdictClassifier(FrozenEstimator(fitted), cv="oob", **wish).fit(*rows)


def test_a_budget_holds_on_out_of_bag_rows(cancer, forest):
    before = forest.to_json()
    clf = out_of_bag(forest, cancer, flag_rate=0.1)
    policy = clf.verdict_policy_
    probabilities = forest.oob_decision_function_.max(axis=1)
    flagged = np.mean(probabilities < policy.threshold)
    assert flagged <= 0.1 < flagged + 0.01
    assert policy.approximate
    assert "out of bag, approximate" in str(policy)
    X, _ = cancer
    expected = forest.predict_proba(X).max(axis=1) >= policy.threshold
    np.testing.assert_array_equal(clf.predict_decided(X), expected)
    assert forest.to_json() == before


def test_a_frozen_forest_knows_its_out_of_bag_rows(cancer, forest):
    X, y = cancer
    for labels in (y[:-1], 1 - y):
        with pytest.raises(ValueError, match="needs the rows that the frozen forest was fitted to"):
            out_of_bag(forest, (X[: len(labels)], labels), flag_rate=0.1)
    with pytest.raises(ValueError, match="takes no parameters for it: mood"):
        VerdictClassifier(FrozenEstimator(forest), cv="oob").fit(X, y, mood="good")
    with pytest.warns(UserWarning, match="a FrozenEstimator around it if these"):
        VerdictClassifier(forest, cv="oob").fit(X, y)


def test_promises_by_class_and_costs(cancer, forest):
    policy = out_of_bag(forest, cancer, miss_rate={0: 0.05}).verdict_policy_
    assert policy.parameters["miss_rate"] == {0: 0.05}
    costs = {"cost_matrix": [[0, 5], [1, 0]], "flag_cost": 0.3}
    assert out_of_bag(forest, cancer, **costs).verdict_policy_.kind == "costs"
    with pytest.raises(ValueError, match=r"0\.9999 cannot be promised"):
        out_of_bag(forest, cancer, accuracy=0.9999)


@pytest.mark.parametrize(
    "wish", [{"flag_rate": 0.2}, {"accuracy": 0.97}, {"precision": {1: 0.95}}, {}]
)
def test_around_a_forest_the_same_verdict_comes_out(cancer, forest, wish):
    X, y = cancer
    clf = VerdictClassifier(TernaryForestClassifier(50, random_state=0), cv="oob", **wish)
    clf.fit(X, y)
    frozen = out_of_bag(forest, cancer, **wish)
    assert str(clf.verdict_policy_) == str(frozen.verdict_policy_)
    np.testing.assert_array_equal(clf.predict_decided(X), frozen.predict_decided(X))
    np.testing.assert_array_equal(clf.predict_decided(X), clf.estimator_.predict_decided(X))


def test_forests_of_scikit_learn_have_out_of_bag_rows_too(cancer):
    X, y = cancer
    theirs = RandomForestClassifier(60, random_state=0, oob_score=True)
    clf = VerdictClassifier(theirs, cv="oob", flag_rate=0.1).fit(X, y)
    assert clf.verdict_policy_.approximate
    probabilities = theirs.fit(X, y).oob_decision_function_.max(axis=1)
    flagged = np.mean(probabilities < clf.verdict_policy_.threshold)
    assert flagged <= 0.1 < flagged + 0.02


def test_rows_that_all_trees_have_seen_set_no_threshold(cancer):
    X, y = cancer
    clf = VerdictClassifier(TernaryForestClassifier(3, random_state=0), cv="oob").fit(X, y)
    rows = sum(tally["rows"] for tally in clf.verdict_policy_.classes.values())
    # All three trees have drawn a row with probability 0.632^3 = 0.25.
    assert 0.7 * len(y) < rows < 0.8 * len(y)
    theirs = RandomForestClassifier(3, random_state=0, oob_score=True)
    with pytest.warns(UserWarning, match="OOB"):
        clf = VerdictClassifier(theirs, cv="oob").fit(X, y)
    rows = sum(tally["rows"] for tally in clf.verdict_policy_.classes.values())
    assert 0.7 * len(y) < rows < 0.8 * len(y)


def test_rows_of_weight_zero_set_no_threshold(cancer):
    X, y = cancer
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    clf = VerdictClassifier(TernaryForestClassifier(30, random_state=0), cv="oob")
    clf.fit(X, y, sample_weight=weights)
    rows = sum(tally["rows"] for tally in clf.verdict_policy_.classes.values())
    assert rows == weights.sum()


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            GaussianNB(),
            "GaussianNB has none .n_samples=569.: take a forest with bootstrap=True and oob_score",
        ),
        (RandomForestClassifier(5), "RandomForestClassifier has none"),
        (
            TernaryForestClassifier(5, bootstrap=False, zone="none", exponent="off"),
            "TernaryForestClassifier has none",
        ),
    ],
)
def test_what_has_no_out_of_bag_rows_is_refused(cancer, estimator, message):
    with pytest.raises(ValueError, match=message):
        VerdictClassifier(estimator, cv="oob").fit(*cancer)


def test_cross_fitting_and_held_out_rows_work_as_for_any_classifier(cancer):
    X, y = cancer
    X, X_new, y, y_new = train_test_split(X, y, random_state=0)
    forest = TernaryForestClassifier(15, random_state=0)
    crossed = VerdictClassifier(forest, cv=3, flag_rate=0.1).fit(X, y)
    assert "cross-fitted, approximate" in str(crossed.verdict_policy_)
    prefit = VerdictClassifier(forest.fit(X, y), cv="prefit", accuracy=0.9).fit(X_new, y_new)
    assert not prefit.verdict_policy_.approximate
    assert prefit.check_drift(X_new, y_new).holds
    with pytest.raises(ValueError, match="trained on"):
        VerdictClassifier(forest, cv="prefit", accuracy=0.9).fit(X, y)


def test_sample_weights_are_routed_as_metadata(cancer):
    X, y = cancer
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    by_hand = VerdictClassifier(
        TernaryForestClassifier(20, random_state=0), cv="oob", flag_rate=0.1
    )
    by_hand.fit(X, y, sample_weight=weights)
    with sklearn.config_context(enable_metadata_routing=True):
        forest = TernaryForestClassifier(20, random_state=0)
        clf = VerdictClassifier(forest, cv="oob", flag_rate=0.1)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            clf.fit(X, y, sample_weight=weights)
        clf.set_params(estimator=forest.set_fit_request(sample_weight=True))
        clf.fit(X, y, sample_weight=weights)
    assert str(clf.verdict_policy_) == str(by_hand.verdict_policy_)
    np.testing.assert_array_equal(clf.predict_proba(X), by_hand.predict_proba(X))
