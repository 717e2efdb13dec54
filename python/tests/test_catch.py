"""Does a budget aimed at a class flag the rows most likely to be of it?"""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import ternwood
from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifier,
    VerdictClassifier,
)
from ternwood._calibration import stratified


@pytest.fixture
def loans():
    """Return two halves of 1,000 rows of which a quarter is bad."""
    random = np.random.default_rng(5)
    X = random.normal(size=(1000, 4))
    bad = X[:, 0] + X[:, 1] + 1.5 * random.normal(size=1000) > 1.4
    y = np.where(bad, "bad", "good")
    return X[:500], X[500:], y[:500], y[500:]


def top_of_the_ranking(probabilities, caught, flag_rate):
    """Flag groups of tied rows predicted as another class, from the top, within the budget."""
    predicted = probabilities.argmax(axis=1)
    flagged = np.zeros(len(probabilities), dtype=bool)
    values = probabilities[predicted != caught, caught]
    for value in sorted(set(values) - {0.0}, reverse=True):
        more = flagged | ((predicted != caught) & (probabilities[:, caught] == value))
        if more.mean() > flag_rate:
            break
        flagged = more
    return flagged


@pytest.mark.parametrize("flag_rate", [0.0, 0.07, 0.15, 0.6])
@pytest.mark.parametrize("catch", ["good", "bad"])
@pytest.mark.parametrize(
    "classifier",
    [
        lambda: LogisticRegression(),
        lambda: RandomForestClassifier(n_estimators=9, max_depth=3, random_state=0),
        lambda: TernaryTreeClassifier(zone="class_overlap", max_depth=3),
    ],
)
@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")
def test_flagged_rows_are_the_top_of_the_ranking(loans, classifier, catch, flag_rate):
    X, X_new, y, y_new = loans
    fitted = classifier().fit(X, y)
    clf = VerdictClassifier(fitted, flag_rate=flag_rate, catch=catch, cv="prefit")
    clf = clf.fit(X_new, y_new)
    caught = ["bad", "good"].index(catch)
    expected = top_of_the_ranking(fitted.predict_proba(X_new), caught, flag_rate)
    assert (~clf.predict_decided(X_new) == expected).all()
    policy = clf.verdict_policy_
    assert policy.kind == "catch"
    assert policy.parameters == {"flag_rate": flag_rate, "catch": catch}
    assert policy.thresholds is None
    assert policy.coverage == (~expected).mean()
    # New rows are judged by the threshold.
    p = fitted.predict_proba(X)
    flagged = (p.argmax(axis=1) != caught) & (p[:, caught] > policy.threshold)
    assert (~clf.predict_decided(X) == flagged).all()
    assert clf.report_["undecided"] == expected.sum()


@pytest.mark.filterwarnings("ignore:of some class most decided rows")  # why to aim it
def test_fewer_are_missed_than_with_a_plain_budget(loans):
    X, X_new, y, y_new = loans
    fitted = LogisticRegression().fit(X, y)

    def missed(**aimed):
        clf = VerdictClassifier(fitted, flag_rate=0.15, cv="prefit", **aimed).fit(X_new, y_new)
        return clf.verdict_policy_.classes["bad"]["miss_rate"]

    assert missed(catch="bad") < missed() - 0.05


def test_out_of_fold_rows_set_the_threshold(loans):
    X, _, y, _ = loans
    clf = VerdictClassifier(LogisticRegression(), flag_rate=0.2, catch="bad").fit(X, y)
    ids = np.unique(y, return_inverse=True)[1].astype(np.uint32)
    folds = stratified(X, ids, None, 5)
    p = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")
    flagged = (p[:, 0] <= 0.5) & (p[:, 0] > clf.verdict_policy_.threshold)
    assert flagged.sum() == 0.2 * len(y)
    assert clf.verdict_policy_.approximate
    words = str(clf.verdict_policy_)
    assert "set to catch bad by flagging at most 20 % of the rows (cross-fitted" in words


def test_a_forest_sets_it_with_out_of_bag_rows(loans):
    X, X_new, y, _ = loans
    forest = VerdictClassifier(
        TernaryForestClassifier(30, random_state=0), flag_rate=0.15, catch="bad", cv="oob"
    ).fit(X, y)
    policy = forest.verdict_policy_
    assert policy.parameters == {"flag_rate": 0.15, "catch": "bad"}
    p, decided = forest.predict_proba(X_new), forest.predict_decided(X_new)
    assert (decided == ((p[:, 0] > p[:, 1]) | (p[:, 0] <= policy.threshold)))[p[:, 0] != 0.5].all()
    row = X_new[~decided][:1]
    assert "Flagged: could still be bad: " in forest.explain(row)[0].sentence


def test_a_tree_carries_it(loans, tmp_path):
    X, X_new, y, y_new = loans
    tree = TernaryTreeClassifier(zone="class_overlap", max_depth=4).fit(X, y)
    clf = VerdictClassifier(tree, flag_rate=0.2, catch="bad", cv="prefit").fit(X_new, y_new)
    clf.save(tmp_path / "model.json")
    loaded = ternwood.load(tmp_path / "model.json")
    verdicts = clf.predict_decided(X)
    assert (loaded.predict_decided(X) == verdicts).all()
    assert str(loaded.verdict_policy_) == str(clf.verdict_policy_)
    assert not verdicts.all()
    sentence = loaded.explain(X[~verdicts][:1])[0].sentence
    assert sentence.startswith("Flagged: could still be bad: ")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"catch": "bad"}, "catch='bad' aims a budget of flags at a class, .* give flag_rate="),
        ({"catch": "bad", "accuracy": 0.9}, "there is no budget"),
        ({"catch": "ugly", "flag_rate": 0.1}, "catch has the class 'ugly', which .* does not know"),
        ({"catch": ["bad"], "flag_rate": 0.1}, r"catch=\['bad'\] must be one class, such as"),
    ],
)
def test_what_cannot_be_caught_is_refused(loans, given, message):
    X, _, y, _ = loans
    with pytest.raises(ValueError, match=message):
        VerdictClassifier(LogisticRegression(), **given).fit(X, y)


@pytest.mark.filterwarnings("ignore:of some class most decided rows")
@pytest.mark.parametrize("catch", [None, "bad"])
def test_the_table_has_budgets(loans, catch):
    X, X_new, y, y_new = loans
    fitted = LogisticRegression().fit(X, y)
    clf = VerdictClassifier(fitted, flag_rate=0.15, catch=catch, cv="prefit").fit(X_new, y_new)
    table = clf.tradeoff_table(X_new, y_new)
    aim = "flag_rate" if catch is None else "catch"
    line = (table["aim"] == aim) & (table["share"] == 0.15)
    if catch is not None:
        line &= table["class"] == catch
    (place,) = np.flatnonzero(line)
    assert table["flagged"][place] == clf.report_["undecided_rate"]
    for label, tally in clf.verdict_policy_.classes.items():
        assert table[f"missed_{label}"][place] == tally["miss_rate"]
    assert table["threshold_bad"][place] == clf.verdict_policy_.threshold
    assert np.isnan(table["threshold_good"][place]) == (catch is not None)
