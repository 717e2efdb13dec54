"""Rows that a tree was fitted to are not taken for held-out ones."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import ternwood
from ternwood import TernaryForestClassifier, TernaryTreeClassifier, VerdictClassifier


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 4))
    y = np.where(X[:, 0] + random.normal(size=900) > 0, "ill", "well")
    return X, y


def prefit(clf, **promise):
    return VerdictClassifier(clf, cv="prefit", **(promise or {"flag_rate": 0.2}))


def test_training_rows_are_refused_and_fresh_ones_are_not(rows):
    X, y = rows
    tree = TernaryTreeClassifier(max_depth=3).fit(X[:600], y[:600])
    with pytest.raises(ValueError, match=r"all of these 600 rows were trained on.* with cv=5"):
        prefit(tree).fit(X[:600], y[:600])
    with pytest.raises(ValueError, match=r"about [45]\d % of these 600 rows were trained on"):
        prefit(tree).fit(X[300:], y[300:])
    assert prefit(tree).fit(X[600:], y[600:]).verdict_policy_.kind == "budget"
    # The remedy of the message.
    VerdictClassifier(TernaryTreeClassifier(max_depth=3), flag_rate=0.2, cv=5).fit(X, y)


def test_rows_without_weight_do_not_matter(rows):
    X, y = rows
    tree = TernaryTreeClassifier(max_depth=3).fit(X[:600], y[:600])
    prefit(tree).fit(X, y, sample_weight=np.arange(900) >= 600)


def test_other_classifiers_cannot_tell(rows):
    X, y = rows
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    verdict = prefit(forest).fit(X, y)
    assert "compared with training" not in verdict.report_.html


def test_the_report_says_how_far_a_tree_can_tell(rows):
    X, y = rows
    tree = TernaryTreeClassifier(max_depth=3).fit(X[:600], y[:600])
    verdict = prefit(tree).fit(X[600:], y[600:])
    assert "not trained on, as far as can be told" in verdict.report_.html
    few = "cannot tell whether they were trained on: 20 distinct rows can be compared"
    assert few in prefit(tree).fit(X[600:620], y[600:620]).report_.html
    assert few in verdict.report(X[600:620], y[600:620]).html
    assert "all of these 600 rows were trained on" in verdict.report(X[:600], y[:600]).html
    cross_fitted = VerdictClassifier(TernaryTreeClassifier(max_depth=3), flag_rate=0.2).fit(X, y)
    assert "compared with training" not in cross_fitted.report_.html


def test_a_saved_tree_still_knows_its_rows_unless_told_to_forget(rows, tmp_path):
    X, y = rows
    tree = TernaryTreeClassifier(max_depth=3).fit(X, y)
    tree.save(tmp_path / "known.json")
    with pytest.raises(ValueError, match="were trained on"):
        prefit(ternwood.load(tmp_path / "known.json")).fit(X, y)
    tree.save(tmp_path / "public.json", private=True)
    training = json.loads((tmp_path / "public.json").read_text())["training"]
    assert training["rows"] == 900
    assert training["private"]
    assert not {"filter", "twins"} & set(training)
    prefit(ternwood.load(tmp_path / "public.json")).fit(X, y)
    verdict = VerdictClassifier(TernaryTreeClassifier(max_depth=3), flag_rate=0.2).fit(X, y)
    verdict.save(tmp_path / "verdict.json", private=True)
    assert "filter" not in (tmp_path / "verdict.json").read_text()


def test_the_test_can_be_skipped_and_the_policy_records_it(rows, tmp_path):
    X, y = rows
    tree = TernaryTreeClassifier(max_depth=3).fit(X, y)
    with pytest.raises(ValueError, match="check_training_rows=False skips this test"):
        prefit(tree).fit(X, y)
    verdict = prefit(tree, flag_rate=0.2, check_training_rows=False).fit(X, y)
    assert "not compared with the training rows" in str(verdict.verdict_policy_)
    assert not verdict.verdict_policy_.approximate
    assert "not compared with the training rows" in verdict.report_.html
    verdict.save(tmp_path / "model.json")
    policy = ternwood.load(tmp_path / "model.json").verdict_policy_
    assert "not compared with the training rows" in str(policy)
    forest = TernaryForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="were trained on"):
        prefit(forest, flag_rate=0.2).fit(X, y)
    verdict = prefit(forest, flag_rate=0.2, check_training_rows=False).fit(X, y)
    assert "not compared with the training rows" in str(verdict.estimator_.verdict_policy_)


@pytest.mark.filterwarnings("ignore:no row is undecided")  # many rows share a probability
def test_honest_rows_of_a_table_with_few_distinct_rows_are_not_refused():
    random = np.random.default_rng(1)
    X = random.integers(0, 4, size=(4000, 4)).astype(float)
    y = (X[:, 0] + random.integers(0, 4, size=4000) > 3).astype(int)
    tree = TernaryTreeClassifier(max_depth=3).fit(X[:2000], y[:2000])
    verdict = prefit(tree).fit(X[2000:], y[2000:])
    assert "of the training rows have the same features as another" in verdict.report_.html
