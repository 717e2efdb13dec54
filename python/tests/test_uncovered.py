"""Are rows that the training table says nothing about undecided, whatever the policy?"""

import numpy as np
import pandas as pd
import pytest
from page_script import NODE, page_answers
from random_models import case
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils._param_validation import InvalidParameterError

from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    VerdictClassifier,
    load,
)

# Policies that decide every row, so that only coverage flags some.
pytestmark = pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")

OWN = [
    TernaryTreeClassifierCV(max_depth=3, random_state=0),
    TernaryForestClassifier(20, random_state=0),
    TernaryTreeClassifier(max_depth=3),
]


def clients():
    """Return complete rows whose class income, age and ward tell."""
    random = np.random.default_rng(0)
    n = 400
    table = pd.DataFrame(
        {
            "income": random.normal(50, 15, n),
            "age": random.integers(20, 70, n),
            "ward": random.choice(["A", "B"], n),
        }
    )
    score = table["income"] + 0.4 * table["age"] + 20 * (table["ward"] == "B")
    return table, np.where(score > score.median(), "good", "bad")


def strange():
    """Return a blank row, one with a ward that training never had, and an ordinary one."""
    return pd.DataFrame(
        {"income": [None, 60.0, 90.0], "age": [None, 60.0, 65.0], "ward": [None, "Z", "B"]}
    ).astype({"income": float})


@pytest.mark.parametrize("clf", OWN, ids=lambda clf: type(clf).__name__)
def test_a_row_without_any_information_is_undecided(clf):
    fitted = clf.fit(*clients())
    assert fitted.predict_decided(strange()).tolist() == [False, False, True]
    judging = VerdictClassifier(clf, cost_ratio=0.6, uncovered="judge").fit(*clients())
    assert judging.verdict_policy_.uncovered == "judge"
    # Of two classes one has at least half, and from .4 on all are decided.
    assert judging.predict_decided(strange()).all()


@pytest.mark.parametrize("clf", OWN[:2], ids=lambda clf: type(clf).__name__)
def test_the_sentence_says_what_training_did_not_have(clf):
    blank, other, _ = clf.fit(*clients()).explain(strange())
    assert blank.sentence.startswith("Flagged as not covered: the training table had no gaps in ")
    expected = "Flagged as not covered: the training table had no ward 'Z'."
    assert other.sentence.startswith(expected)


@pytest.mark.skipif(NODE is None, reason="there is no node on the path")
def test_the_page_flags_the_same_rows_and_says_the_same():
    clf = OWN[0].fit(*clients())
    rows = strange()
    expected = [[explained.decided, explained.sentence] for explained in clf.explain(rows)]
    assert [decided for decided, _ in expected] == [False, False, True]
    found = [[page["decided"], page["sentence"]] for page in page_answers(clf, rows)]
    assert found == expected
    # Cells that cannot be read.
    garbage = rows.astype(object)
    garbage.loc[:, :] = "?!"
    for page in page_answers(clf, garbage):
        assert not page["decided"]
        assert "income and age cannot be read" in page["sentence"]
    judging = clone(clf).set_params(uncovered="judge").fit(*clients())
    judged = [page["decided"] for page in page_answers(judging, rows)]
    assert judged == judging.predict_decided(rows).tolist()


def test_a_model_file_keeps_what_training_had(tmp_path):
    clf = VerdictClassifier(OWN[0], flag_rate=0.1, uncovered="judge").fit(*clients())
    for model, kept in ((clf, "judge"), (OWN[0].fit(*clients()), "undecided")):
        model.save(tmp_path / "model.json")
        loaded = load(tmp_path / "model.json")
        assert loaded.verdict_policy_.uncovered == kept
        expected = model.predict_decided(strange())
        np.testing.assert_array_equal(loaded.predict_decided(strange()), expected)


@pytest.mark.parametrize("seed", range(20))
def test_a_training_row_is_never_uncovered(seed):
    clf, rows = case(seed, forest=seed % 2 == 1)
    # The first half of the rows are those of training.
    training = rows.iloc[: len(rows) // 2]
    assert clf._covered(training).all()


def pipeline(*, imputes):
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    steps = [encode, SimpleImputer()] if imputes else [encode]
    return make_pipeline(*steps, RandomForestClassifier(random_state=0))


@pytest.mark.parametrize("cv", [3, "prefit"])
def test_any_classifier_that_is_fitted_here_flags_what_training_did_not_have(cv):
    X, y = clients()
    inner = pipeline(imputes=True)
    if cv == "prefit":
        inner.fit(X, y)
    clf = VerdictClassifier(inner, cost_ratio=0.6, cv=cv).fit(X, y)
    found = clf.predict_decided(strange()).tolist()
    # The training table of a fitted one is not known.
    assert found == ([True] * 3 if cv == "prefit" else [False, False, True])
    judging = VerdictClassifier(inner, cost_ratio=0.6, cv=cv, uncovered="judge").fit(X, y)
    assert judging.predict_decided(strange()).all()


def test_gaps_in_columns_where_training_had_some_are_covered():
    X, y = clients()
    X.loc[::9, "income"] = None
    for clf in (VerdictClassifier(pipeline(imputes=True), cost_ratio=0.6), OWN[0]):
        rows = strange()
        rows[["age", "ward"]] = [50.0, "B"]
        judging = VerdictClassifier(clf, cost_ratio=0.6, cv=3) if clf is OWN[0] else clf
        assert judging.fit(X, y).predict_decided(rows).all()


@pytest.mark.parametrize("kind", [str, "category"])
@pytest.mark.parametrize("n_single", [20, 19])
def test_new_categories_are_covered_where_training_rows_had_their_own(kind, n_single):
    X, y = clients()
    own = [f"street {row}" for row in range(n_single)]
    X["street"] = own + ["Main St"] * (len(X) - n_single)
    # The class follows the street, so that the tree tests it.
    y = np.where(X["street"] == "Main St", y, "excellent")
    X["street"] = X["street"].astype(kind)
    rows = strange().iloc[2:].assign(street="elsewhere")
    for clf in (
        VerdictClassifier(pipeline(imputes=True), cost_ratio=0.7),
        VerdictClassifier(TernaryTreeClassifier(max_depth=4), cost_ratio=0.7),
    ):
        covered = clf.fit(X, y)._covered_rows(rows, 1)
        assert covered.tolist() == [n_single == 20]


def test_columns_are_matched_by_name():
    X, y = clients()
    numbers = X[["income", "age"]]
    numbers.loc[::9, "age"] = np.nan
    clf = VerdictClassifier(make_pipeline(SimpleImputer(), LogisticRegression()), cost_ratio=0.6)
    clf.fit(numbers.to_numpy(), y)
    gap_in_age = np.array([[50.0, np.nan], [np.nan, 50.0]])
    assert clf.predict_decided(gap_in_age).tolist() == [True, False]


def test_texts_are_no_categories():
    texts = [f"{word} number {row}" for row in range(60) for word in ("good", "bad")]
    labels = ["good", "bad"] * 60
    clf = VerdictClassifier(
        make_pipeline(CountVectorizer(), LogisticRegression()), cost_ratio=0.6, cv=3
    ).fit(texts, labels)
    assert clf.predict_decided(["good words", "bad words"]).all()


def test_rows_of_a_random_split_are_covered():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    clf = VerdictClassifier(GaussianNB(), cost_ratio=0.6).fit(X[::2], y[::2])
    assert clf._covered_rows(X[1::2], len(X[1::2])).all()


def test_calibration_rows_are_judged_by_the_same_rule():
    X, y = clients()
    held_out, truth = clients()
    held_out = held_out.sample(200, random_state=1)
    truth = truth[held_out.index]
    held_out.iloc[:30, 0] = None
    tree = TernaryTreeClassifierCV(max_depth=3, random_state=0).fit(X.iloc[:200], y[:200])
    tree._model = tree._model.private()
    budget = VerdictClassifier(tree, flag_rate=0.3, cv="prefit").fit(held_out, truth)
    flagged = ~budget.predict_decided(held_out)
    assert flagged[:30].all()
    assert flagged.mean() <= 0.3
    with pytest.raises(ValueError, match=r"30 of these 200 rows have gaps or categories"):
        VerdictClassifier(tree, flag_rate=0.1, cv="prefit").fit(held_out, truth)
    judging = VerdictClassifier(tree, flag_rate=0.1, cv="prefit", uncovered="judge")
    assert (~judging.fit(held_out, truth).predict_decided(held_out)).mean() <= 0.1


@pytest.mark.parametrize("clf", OWN, ids=lambda clf: type(clf).__name__)
def test_own_classifiers_have_the_parameter(clf, tmp_path):
    X, y = clients()
    judging = clone(clf).set_params(uncovered="judge").fit(X, y)
    assert clf.fit(X, y).verdict_policy_.uncovered == "undecided"
    assert judging.verdict_policy_.uncovered == "judge"
    assert not clf.predict_decided(strange())[0]
    judging.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.uncovered == "judge"
    assert clone(again).fit(X, y).verdict_policy_.uncovered == "judge"
    if isinstance(clf, TernaryForestClassifier):
        out_of_bag = VerdictClassifier(FrozenEstimator(judging), cost_ratio=0.6, cv="oob")
        assert out_of_bag.fit(X, y).verdict_policy_.uncovered == "undecided"
        assert not out_of_bag.predict_decided(strange())[0]
        out_of_bag.set_params(uncovered="judge").fit(X, y)
        assert out_of_bag.verdict_policy_.uncovered == "judge"
        assert out_of_bag.predict_decided(strange()).all()
    with pytest.raises(InvalidParameterError, match="The 'uncovered' parameter"):
        clone(clf).set_params(uncovered="always").fit(X, y)


def test_a_row_without_any_information_may_be_judged_by_the_model_itself():
    # With a flag at a fifth of an error no blank row is decided: its probability is too low.
    X, y = clients()
    rows = X.assign(income=np.where(X.index < 50, np.nan, X["income"]))
    sure = TernaryTreeClassifier(max_depth=3, routing="crisp", uncovered="judge").fit(X, y)
    usual = clone(sure).set_params(uncovered="undecided").fit(X, y)
    assert not usual.predict_decided(rows)[:50].any()
    forest = TernaryForestClassifier(20, random_state=0, uncovered="judge").fit(X, y)
    assert forest.predict_decided(rows)[:50].any()


def new_rows():
    """Return 100 rows: four without an income, two of an unknown ward, one of them both."""
    X, y = clients()
    X = X.iloc[:100].astype({"ward": object})
    X.iloc[:4, 0] = np.nan
    X.iloc[3:5, 2] = "Z"
    return X, y[:100]


VALUES = [
    {"feature": "income", "reason": "gap", "rows": 4},
    {"feature": "ward", "reason": "new_category", "rows": 2},
]


@pytest.mark.parametrize("inner", [OWN[0], OWN[1], pipeline(imputes=True)], ids=str)
def test_a_check_counts_uncovered_rows(inner):
    X, y = clients()
    clf = VerdictClassifier(inner, cost_ratio=0.6).fit(X, y)
    check = clf.check_drift(*new_rows())
    assert check.uncovered == {"whole": 100, "part": 5, "values": VALUES}
    words = "uncovered: 5 of 100 rows\nuncovered because of: no value of income (4 rows), "
    assert words + "new category of ward (2 rows)\n" in str(check)
    # Rows of training say nothing about how many new rows are uncovered.
    assert "uncovered" not in [found["of"] for found in check.comparisons]


def test_a_check_compares_uncovered_rows_with_held_out_ones():
    X, y = clients()
    tree = TernaryTreeClassifierCV(max_depth=3, random_state=0).fit(X.iloc[200:], y[200:])
    clf = VerdictClassifier(tree, cost_ratio=0.6, cv="prefit").fit(X.iloc[100:200], y[100:200])
    rows, truth = new_rows()
    rows.iloc[:30, 0] = np.nan
    check = clf.check_drift(rows, truth)
    (compared,) = [found for found in check.comparisons if found["of"] == "uncovered"]
    assert (compared["part"], compared["outcome"]) == (30, "changed")
    assert compared["before"] == {"rows": {"part": 0, "whole": 100}}


@pytest.mark.parametrize("inner", [OWN[0], pipeline(imputes=True)], ids=str)
def test_the_report_counts_uncovered_rows(inner):
    clf = VerdictClassifier(inner, cost_ratio=0.6).fit(*clients())
    assert clf.report_["uncovered"] == 0
    assert "0 of 400 rows are undecided because they are uncovered" in clf.report_.html
    report = clf.report(*new_rows())
    assert report["uncovered"] == 5
    assert "\nuncovered                  5\n" in str(report)
    assert "5 of 100 rows are undecided because they are uncovered" in report.html
    assert "<td>ward</td><td>new category</td><td>2</td>" in report.html
    judging = clone(clf).set_params(uncovered="judge").fit(*clients()).report(*new_rows())
    assert "5 of 100 rows are uncovered; the verdict judges them like all other" in judging.html


def test_a_prefit_classifier_of_others_does_not_know():
    X, y = clients()
    inner = pipeline(imputes=True).fit(X, y)
    clf = VerdictClassifier(inner, cost_ratio=0.6, cv="prefit").fit(X, y)
    assert clf.check_drift(*new_rows()[:1]).uncovered is None
    assert "uncovered" not in clf.report_
    assert "Not known: the classifier does not know its training table." in clf.report_.html
