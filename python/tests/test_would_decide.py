"""Values that would decide a row: they do, and the page finds the same."""

import numpy as np
import pandas as pd
import pytest
from page_script import NODE, page_answers
from random_models import case

from ternwood import TernaryForestClassifier, TernaryTreeClassifierCV


def undecided_rows(clf, rows, most):
    """Return rows to explain: all columns of numbers as floats, which take any number."""
    rows = rows[~clf.predict_decided(rows)].iloc[:most].copy()
    for name in rows.columns:
        if pd.api.types.is_integer_dtype(rows[name]):
            rows[name] = rows[name].astype(float)
    return rows


def with_value(row, feature, value):
    """Return a row with another value of one feature."""
    row = row.copy()
    if row[feature].dtype == bool:
        value = str(value).lower() == "true"
    row[feature] = pd.Series([value], index=row.index).astype(row[feature].dtype)
    return row


@pytest.mark.parametrize("forest", [False, True], ids=["tree", "forest"])
def test_every_value_decides_for_its_class(forest):
    checked = 0
    for seed in range(20):
        clf, rows = case(seed, forest=forest, extreme=False)
        rows = undecided_rows(clf, rows, 6)
        if len(rows) == 0:
            continue
        for number, explained in enumerate(clf.explain(rows)):
            assert not explained.decided
            row = rows.iloc[[number]]
            for found in explained.would_decide:
                classes, probabilities, decided = clf.predict_all(
                    with_value(row, found.feature, found.value)
                )
                assert decided.all(), (seed, found)
                assert classes[0] == found.prediction
                label = list(clf.classes_).index(found.prediction)
                assert probabilities[0, label] == found.probability
                checked += 1
            assert ("No single change" in explained.sentence) == (not explained.would_decide)
    assert checked > 50


def test_a_decided_row_needs_nothing(cancer):
    X, y = cancer
    clf = TernaryTreeClassifierCV(random_state=0).fit(X, y)
    decided = X[clf.predict_decided(X)][:3]
    assert [row.would_decide for row in clf.explain(decided)] == [[], [], []]


def test_a_forest_names_the_nearest_value(cancer):
    X, y = cancer
    clf = TernaryForestClassifier(20, random_state=0).fit(X, y)
    undecided = X[~clf.predict_decided(X)][:2]
    values = [found for row in clf.explain(undecided) for found in row.would_decide]
    assert values, "no single change decides these rows"
    for row, explained in zip(undecided, clf.explain(undecided), strict=True):
        for found in explained.would_decide:
            feature = int(found.feature.removeprefix("x"))
            grid = np.linspace(row[feature], found.nearest, 400)[:-1]
            rows = np.repeat(row[None], len(grid), axis=0)
            rows[:, feature] = grid
            assert not clf.predict_decided(rows).any(), found


@pytest.mark.skipif(NODE is None, reason="there is no node on the path")
def test_the_page_finds_the_same_values_and_says_the_same():
    checked = 0
    for seed in range(60):
        clf, rows = case(seed, extreme=False)
        known = len(rows) // 2
        numbers = undecided_rows(clf, rows.iloc[:known], 8)
        if len(numbers) == 0:
            continue
        for explained, page in zip(clf.explain(numbers), page_answers(clf, numbers), strict=True):
            values = [
                {
                    "feature": found.feature,
                    "value": found.value,
                    "class": list(clf.classes_).index(found.prediction),
                    "probability": found.probability,
                }
                for found in explained.would_decide
            ]
            assert page["found"] == values, seed
            assert page["sentence"] == explained.sentence, seed
            checked += len(values)
    assert checked > 50
