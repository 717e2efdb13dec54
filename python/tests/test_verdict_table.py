"""Does the table of trade-offs show what each promise does?"""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.linear_model import LogisticRegression

from ternwood import TernaryTreeClassifierCV, VerdictClassifier


@pytest.fixture(scope="module")
def clinic():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 3))
    ill = random.random(3000) < 1 / (1 + np.exp(-5 * (X[:, 0] + X[:, 1]) + 4))
    return X[:1000], X[1000:], *np.split(np.where(ill, "ill", "healthy"), [1000])


def exact_interval(part, whole, confidence=0.95):
    risk = (1 - confidence) / 2
    low = beta.ppf(risk, part, whole - part + 1) if part else 0.0
    return low, beta.ppf(1 - risk, part + 1, whole - part) if part < whole else 1.0


def line_of(table, aim, share, label=None):
    wanted = table["aim"] == aim
    if share is not None:
        wanted &= table["share"] == share
    if label is not None:
        wanted &= table["class"] == label
    (place,) = np.flatnonzero(wanted)
    return {name: column[place] for name, column in table.items()}


@pytest.mark.parametrize(
    ("aim", "share", "label"),
    [
        ("accuracy", 0.95, None),
        ("precision", 0.9, "ill"),
        ("miss_rate", 0.05, "ill"),
        ("cost_ratio", 0.1, None),
    ],
)
def test_a_line_is_what_the_promise_alone_does(clinic, aim, share, label):
    X, X_new, y, y_new = clinic
    fitted = LogisticRegression().fit(X, y)
    table = VerdictClassifier(fitted, cv="prefit").fit(X_new, y_new).tradeoff_table(X_new, y_new)
    line = line_of(table, aim, share, label)
    asked = {aim: share if label is None else {label: share}}
    clf = VerdictClassifier(fitted, **asked, cv="prefit").fit(X_new, y_new)
    policy = clf.verdict_policy_
    for name in ("healthy", "ill"):
        assert line[f"threshold_{name}"] == policy.thresholds[name]
        assert line[f"missed_{name}"] == policy.classes[name]["miss_rate"]
        assert line[f"precision_{name}"] == policy.classes[name]["decided_precision"]
    assert line["carried"]
    assert line["flagged"] == clf.report_["undecided_rate"] > 0
    assert line["wrong"] == pytest.approx(1 - clf.report_["decided_accuracy"])
    ends = line["flagged_low"], line["flagged_high"]
    assert ends == pytest.approx(exact_interval(clf.report_["undecided"], len(y_new)))
    wrong = (1 - clf.report_["decided_accuracy"]) * clf.report_["decided"]
    cost = (wrong + 0.2 * clf.report_["undecided"]) / len(y_new)
    assert line["cost"] == pytest.approx(cost)
    assert line["cost_low"] < cost < line["cost_high"]


def test_refused_promises_say_why_and_what_instead(clinic):
    X, X_new, y, y_new = clinic
    tree = TernaryTreeClassifierCV(max_depth=4).fit(X, y)
    table = tree.tradeoff_table(X_new, y_new, confidence=0.9)
    frame = pd.DataFrame(table)
    assert len(frame) > 40
    refused = frame[~frame["carried"]]
    assert refused["refusal"].str.contains("cannot be promised with confidence 0.9").all()
    assert refused["flagged"].isna().all()
    for (aim, _), lines in frame.groupby(["aim", "class"], dropna=False, sort=False):
        ascending = aim in ("accuracy", "precision", "flag_rate", "catch")
        assert (lines["share"] if ascending else -lines["share"]).is_monotonic_increasing
        assert lines["best"].sum() == (0 if lines["carried"].all() else 1)
    best = line_of(
        {name: column[table["best"]] for name, column in table.items()}, "accuracy", None
    )
    assert best["carried"]
    clf = VerdictClassifier(tree, accuracy=best["share"], confidence=0.9, cv="prefit")
    assert clf.fit(X_new, y_new).report_["undecided_rate"] == best["flagged"]
    text = str(table)
    assert text.startswith("2000 rows (held-out); each promise by itself, with 90 % confidence")
    assert f"  {best['share']:g}, the best" in text
    assert str(pickle.loads(pickle.dumps(table))) == text


def test_costs_that_were_given_are_a_line_and_price_the_others(clinic):
    X, X_new, y, y_new = clinic
    fitted = LogisticRegression().fit(X, y)
    costs = {"cost_matrix": [[0, 1], [8, 0]], "flag_cost": 0.5}
    clf = VerdictClassifier(fitted, **costs, cv="prefit").fit(X_new, y_new)
    table = clf.tradeoff_table(X_new, y_new)
    line = line_of(table, "cost_matrix", None)
    assert line["cost"] == pytest.approx(clf.report_["expected_cost"])
    assert np.isnan(line["threshold_ill"])
    other = line_of(table, "miss_rate", 0.05, "ill")
    n_ill = (y_new == "ill").sum()
    cost = 8 * other["missed_ill"] * n_ill + other["missed_healthy"] * (len(y_new) - n_ill)
    assert other["cost"] == pytest.approx(cost / len(y_new) + 0.5 * other["flagged"])
    tree = TernaryTreeClassifierCV(max_depth=3).fit(X, y)
    assert "cost_matrix" in tree.tradeoff_table(X_new, y_new, **costs)["aim"]
    assert "cost_matrix" not in tree.tradeoff_table(X_new, y_new)["aim"]


def test_impossible_tables_are_refused(clinic):
    X, X_new, y, y_new = clinic
    tree = TernaryTreeClassifierCV(max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match="confidence is 1; allowed: a number between 0 and 1"):
        tree.tradeoff_table(X_new, y_new, confidence=1)
    with pytest.raises(ValueError, match="y has the label 'dead'"):
        tree.tradeoff_table(X_new, np.where(y_new == "ill", "dead", y_new))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        tree.tradeoff_table(X_new, y_new[1:])
