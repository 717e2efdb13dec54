"""Rows that a tree was fitted to are not taken for held-out ones."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import ternwood
from ternwood import TernaryTreeClassifier, VerdictClassifier


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
    with pytest.raises(ValueError, match=r"about 50 % of these 600 rows were trained on"):
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
    prefit(forest).fit(X, y)


def test_a_saved_tree_still_knows_its_rows_unless_told_to_forget(rows, tmp_path):
    X, y = rows
    tree = TernaryTreeClassifier(max_depth=3).fit(X, y)
    tree.save(tmp_path / "known.json")
    with pytest.raises(ValueError, match="were trained on"):
        prefit(ternwood.load(tmp_path / "known.json")).fit(X, y)
    tree.save(tmp_path / "public.json", sketch=False)
    training = json.loads((tmp_path / "public.json").read_text())["training"]
    assert training["rows"] == 900
    assert "sketch" not in training
    prefit(ternwood.load(tmp_path / "public.json")).fit(X, y)
    verdict = VerdictClassifier(TernaryTreeClassifier(max_depth=3), flag_rate=0.2).fit(X, y)
    verdict.save(tmp_path / "verdict.json", sketch=False)
    assert "sketch" not in (tmp_path / "verdict.json").read_text()
