"""Does a forest say rightly why it is unsure?"""

import numpy as np
import pandas as pd
import pytest
from naive_forest import walk

from ternwood import TernaryForestClassifier, VerdictClassifier


def unsure_features(tree, row):
    """Return the features of a tree's zones that a row of numbers lies within, on its way."""
    found = {}
    for node in walk(tree, row)[2]:
        found.setdefault(int(tree.feature[node]), []).append(tree.threshold[node])
    return found


def test_reasons_are_counted_by_tree(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(12, zone_scale=0.4, random_state=0).fit(X, y)
    trees = [tree.tree_ for tree in forest.estimators_]
    disagreement = forest.predict_disagreement(X)
    for number in range(0, len(X), 25):
        (explained,) = forest.explain(X[[number]])
        found = [unsure_features(tree, X[number]) for tree in trees]
        assert explained.undecided_trees == sum(map(bool, found))
        assert explained.undecided_trees / 12 == disagreement.undecided[number]
        votes = [explained.decided_trees[label] / 12 for label in forest.classes_.tolist()]
        np.testing.assert_allclose(votes, disagreement.votes[number])
        counts = {
            f"x{j}": sum(j in of_tree for of_tree in found) for of_tree in found for j in of_tree
        }
        assert {reason.feature: reason.trees for reason in explained.reasons} == counts
        assert [reason.trees for reason in explained.reasons] == sorted(
            counts.values(), reverse=True
        )
        for reason in explained.reasons:
            j = int(reason.feature[1:])
            thresholds = sorted(t for of_tree in found for t in of_tree.get(j, []))
            assert reason.threshold == thresholds[(len(thresholds) - 1) // 2]
            assert reason.value == X[number, j]


def test_the_explanation_is_that_of_the_prediction(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(30, random_state=0).fit(X, y)
    classes, probabilities, decided = forest.predict_all(X[:40])
    for row, explained in enumerate(forest.explain(X[:40])):
        assert explained.prediction == classes[row]
        assert explained.decided == decided[row]
        np.testing.assert_array_equal(explained.probabilities, probabilities[row])
        assert ("undecided" in repr(explained).split(",")[1]) == (not decided[row])
    report = str(forest.explain(X[:2]))
    assert report.startswith("row 0: ")
    assert "30 trees" in report


def test_gaps_and_unknown_categories_are_named(wards):
    table, y = wards
    forest = TernaryForestClassifier(20, random_state=0).fit(table, y)
    odd = pd.DataFrame({"age": [41.0], "job": ["astronaut"], "size": ["M"], "smoker": [True]})
    (explained,) = forest.explain(odd)
    reasons = {reason.feature: reason for reason in explained.reasons}
    assert reasons["job"].value == "astronaut"
    assert reasons["job"].threshold is None
    assert "astronaut" in reasons["job"].words
    assert "astronaut" in str(explained)
    strange = TernaryForestClassifier(20, missing="unknown", random_state=0).fit(table, y)
    (explained,) = strange.explain(table[table["age"].isna()][:1])
    assert {reason.feature: reason.value for reason in explained.reasons}["age"] is None


def test_a_verdict_around_a_forest_explains_itself(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(20, random_state=0)
    clf = VerdictClassifier(forest, cv="oob", flag_rate=0.3).fit(X, y)
    flagged = np.flatnonzero(~clf.predict_decided(X))[:3]
    for explained in clf.explain(X[flagged]):
        assert explained.sentence.startswith("Flagged: ")


def test_a_picture_names_the_features(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(20, random_state=0).fit(X, y)
    unsure = [int(forest.predict_disagreement(X).undecided.argmax())]
    (explained,) = forest.explain(X[unsure])
    svg = forest.plot_doubts(X[unsure], title="A row to look at").svg
    assert "A row to look at" in svg
    assert all(f">{reason.feature}" in svg for reason in explained.reasons[:10])
    with pytest.raises(ValueError, match="of one row, got 2"):
        forest.plot_doubts(X[:2])


def test_wrong_rows_are_refused(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="29 features"):
        forest.explain(X[:, :29])
    with pytest.raises(ValueError, match=r"x3.*row 1|row 1.*x3"):
        forest.explain(np.where(np.arange(60).reshape(2, 30) == 33, np.inf, X[:2]))
