"""Do rules say what the tree does?"""

import pickle

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import case

from ternwood import TernaryTreeClassifier
from ternwood.types import Rules


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_row_is_decided_by_zones_iff_a_rule_is_true(seed):
    clf, rows = case(seed)
    clf._model = clf._model.with_policy('{"zones": {"uncovered": "judge"}}')
    truth = clf.rules_.truth(rows)
    assert truth.dtype == np.int8
    trues = (truth == 1).sum(axis=1)
    if clf.routing == "hard_middle":
        assert set(trues) == {1}
        return
    decided = clf.predict_decided(rows)
    np.testing.assert_array_equal(trues == 1, decided)
    assert (truth[decided] == 0).sum() == 0
    leaves = [rule.leaf for rule in clf.rules_]
    np.testing.assert_array_equal(
        np.take(leaves, truth[decided].argmax(axis=1)), clf.apply(rows)[decided]
    )


def test_rules_are_words_and_data(iris_frame):
    X, y = iris_frame
    clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
    rules = clf.rules_
    assert isinstance(rules, Rules)
    assert len(rules) == clf.get_n_leaves() == len(str(rules).splitlines())
    assert repr(rules) == str(rules)
    last = rules[-1]
    assert (last.prediction, last.rows, last.can_be_true) == (2, 46, True)
    above = last.conditions[1].above
    assert above == (clf.tree_.threshold[2] - clf.tree_.half_width[2], 1.8)
    assert last.conditions[1].missing is None
    below = "petal length (cm) below 2.5 (uncertain between 2.0 and 3.0)"
    assert str(rules[0].conditions[0]) == below
    assert rules[:2] == list(rules)[:2]
    assert "<td>100.0%</td><td>50</td>" in rules._repr_html_()


def test_many_rules_are_not_all_printed(noisy):
    rules = TernaryTreeClassifier(max_depth=8).fit(*noisy).rules_
    assert len(rules) > 32
    assert repr(rules) == str(rules)
    *shown, note = str(rules).splitlines()
    by_rows = sorted(rules, key=lambda rule: -rule.rows)
    assert shown == [rule.words for rule in by_rows[:10]]
    hidden = sum(rule.rows for rule in by_rows[10:]) / sum(rule.rows for rule in by_rows)
    assert note == (
        f"... and {len(rules) - 10} more rules, with {hidden:.0%} of the rows; "
        'print(*rules, sep="\\n") prints all'
    )
    assert rules._repr_html_().count("<tr>") == 11


def test_categories_have_truth_values(wards):
    X, y = wards
    clf = TernaryTreeClassifier(max_depth=3).fit(X[["job", "smoker"]], y)
    conditions = [c for rule in clf.rules_ for c in rule.conditions if c.feature == "job"]
    assert conditions
    for condition in conditions:
        assert set(condition.categories) == {"clerk", "cook", "judge", "nurse", "pilot"}
        assert set(condition.categories.values()) <= {True, False, None}
        assert condition.unseen is not True


def test_rules_are_made_for_pandas(iris_frame):
    X, y = iris_frame
    X = X.set_index(X.index + 1000)
    clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
    frame = pd.DataFrame(clf.rules_)
    assert frame["rows"].tolist() == [50, 54, 46]
    truth = clf.rules_.truth(X, as_frame=True)
    assert truth.index.equals(X.index)
    assert truth.columns.tolist() == [1, 3, 4]
    assert set(truth.dtypes.astype(str)) == {"boolean"}
    undecided = ~clf.predict_decided(X)
    np.testing.assert_array_equal(truth.isna().any(axis=1), undecided)
    # In pandas as in Kleene's logic: one or the other leaf below the right branch.
    either = truth[3] | truth[4]
    assert either[undecided].isna().sum() == undecided.sum()


def test_rules_can_be_pickled(iris_frame):
    X, y = iris_frame
    rules = pickle.loads(pickle.dumps(TernaryTreeClassifier(max_depth=2).fit(X, y).rules_))
    assert rules.truth(X[:1]).tolist() == [[1, -1, -1]]
