"""Does any classifier get verdicts that keep to their rule?"""

import contextlib
import math
import re
import warnings

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import ternwood
from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    VerdictClassifier,
    VerdictWarning,
    metrics,
)
from ternwood._calibration import stratified


def folds_of(X, y, n_folds=5):
    """Return the folds of an integer cv."""
    return stratified(X, np.unique(y, return_inverse=True)[1].astype(np.uint32), None, n_folds)


RULES = [{}, {"cost_ratio": 0.07}, {"flag_rate": 0.15}, {"accuracy": 0.85, "confidence": 0.9}]


def forest():
    return RandomForestClassifier(n_estimators=20, max_depth=4, random_state=0)


def boosting():
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    return lightgbm.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1)


def tree():
    return TernaryTreeClassifier(zone="class_overlap", max_depth=3)


def one_hot_pipeline():
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["job", "size", "smoker"])
    )
    return make_pipeline(columns, LogisticRegression())


@pytest.fixture
def parts(cancer):
    return train_test_split(*cancer, random_state=0, test_size=0.5)


def halfway_down(confidence, t, n_classes=2):
    """Put a threshold between a confidence and the next lower one."""
    lower = max(confidence[confidence < t], default=1 / n_classes)
    middle = lower + (t - lower) / 2
    return middle if lower < middle < t else t


def budget_threshold(confidence, flag_rate, n_classes=2):
    last = max(t for t in confidence if (confidence < t).mean() <= flag_rate)
    return halfway_down(confidence, last, n_classes)


def promise_threshold(confidence, right, accuracy, level):
    """Test about every hundredth row, most confident first, until too many are wrong.

    Twice, each time with half of the risk: from a fifth of the rows on, and from half of them.
    """
    n, risk = len(confidence), (1 - level) / 2
    fewest, stride = math.ceil(math.log(risk) / math.log(accuracy)), max(1, n // 100)
    steps, before = [], 0
    for t in np.unique(confidence)[::-1]:
        decided = (confidence >= t).sum()
        on_grid = decided // stride > before // stride or decided == n
        if on_grid or before < fewest <= decided:
            steps.append((t, decided, ((confidence >= t) & ~right).sum()))
        before = decided
    passed = []
    for part in (5, 2):
        start = max(n // part, fewest)
        for t, decided, wrong in steps:
            if decided >= start:
                if binom.cdf(wrong, decided, 1 - accuracy) > risk:
                    break
                passed.append(t)
    return halfway_down(confidence, min(passed))


def expected_threshold(confidence, right, rule):
    if "flag_rate" in rule:
        return budget_threshold(confidence, rule["flag_rate"])
    if "accuracy" in rule:
        return promise_threshold(confidence, right, rule["accuracy"], rule["confidence"])
    return 1 - rule.get("cost_ratio", 0.2)


@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")  # strict rules flag most rows
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("classifier", [forest, boosting, tree, GaussianNB])
def test_thresholds_follow_their_rule_on_out_of_fold_probabilities(cancer, classifier, rule):
    X, y = cancer
    clf = VerdictClassifier(classifier(), **rule).fit(X, y)
    probabilities = cross_val_predict(classifier(), X, y, cv=folds_of(X, y), method="predict_proba")
    confidence, found = probabilities.max(axis=1), probabilities.argmax(axis=1)
    policy = clf.verdict_policy_
    assert policy.threshold == expected_threshold(confidence, found == y, rule)
    assert policy.approximate
    assert "by a model fitted without it: approximate" in str(policy)
    assert policy.parameters == (rule or {"cost_ratio": 0.2})
    decided = confidence >= policy.threshold
    assert policy.coverage == decided.mean()
    costs = {}
    if policy.kind == "cost":
        costs = {"cost_undecided": policy.parameters["cost_ratio"], "cost_wrong": 1.0}
    expected = metrics.report(y, found, decided, confidence=confidence, **costs)
    expected = type(expected)(expected, uncovered=0)  # no gaps here
    np.testing.assert_equal(dict(clf.report_), dict(expected))  # takes NaN for equal
    assert str(clf.report_) == str(expected)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("classifier", [forest, tree])
def test_a_fitted_classifier_gets_its_threshold_from_held_out_rows(parts, classifier, rule):
    X, X_new, y, y_new = parts
    fitted = classifier().fit(X, y)
    clf = VerdictClassifier(fitted, cv="prefit", **rule).fit(X_new, y_new)
    probabilities = fitted.predict_proba(X_new)
    confidence, found = probabilities.max(axis=1), probabilities.argmax(axis=1)
    policy = clf.verdict_policy_
    assert policy.threshold == expected_threshold(confidence, found == y_new, rule)
    assert not policy.approximate
    assert f"on {len(y_new)} rows (held-out)" in str(policy)
    assert clf.report_["decided"] == (confidence >= policy.threshold).sum()


@pytest.mark.parametrize("classifier", [forest, boosting, tree])
def test_all_predictions_agree_with_the_classifier(cancer, classifier):
    X, y = cancer
    words = np.array(["benign", "malignant"])[y]
    clf = VerdictClassifier(classifier(), flag_rate=0.2).fit(X, words)
    plain = classifier().fit(X, words)
    classes, probabilities, verdicts = clf.predict_all(X)
    assert (probabilities == plain.predict_proba(X)).all()
    assert (clf.predict_proba(X) == probabilities).all()
    assert (clf.predict(X) == classes).all()
    assert (classes == plain.predict(X)).all()
    assert verdicts.dtype == bool
    assert (verdicts == (probabilities.max(axis=1) >= clf.verdict_policy_.threshold)).all()
    assert (clf.predict_decided(X) == verdicts).all()
    assert 0 < verdicts.sum() < len(y)
    np.testing.assert_array_equal(np.exp(clf.predict_log_proba(X)) > 0, probabilities > 0)
    assert clf.classes_.tolist() == ["benign", "malignant"]
    assert set(clf.verdict_policy_.classes) == {"benign", "malignant"}
    assert clf.n_features_in_ == X.shape[1]
    assert clf.score(X, words) == plain.score(X, words)


def test_a_pipeline_with_a_one_hot_encoder_takes_the_frame_as_it_is(wards):
    X, y = wards
    clf = VerdictClassifier(one_hot_pipeline(), flag_rate=0.3).fit(X, y)
    folds = cross_val_predict(one_hot_pipeline(), X, y, cv=folds_of(X, y), method="predict_proba")
    confidence = folds.max(axis=1)
    assert clf.verdict_policy_.threshold == budget_threshold(confidence, 0.3)
    assert clf.feature_names_in_.tolist() == list(X.columns)
    unsure = X[~clf.predict_decided(X)]
    assert 0 < len(unsure) <= 0.4 * len(X)


def test_a_class_that_a_fold_has_not_seen_has_probability_0_there(iris):
    X, y = iris
    kept = np.r_[50:150, 0:3]  # three rows of class 0, all in the last fold
    X, y = X[kept], np.array(["setosa", "versicolor", "virginica"])[y[kept]]
    folds = list(KFold(5).split(X))
    clf = VerdictClassifier(GaussianNB(), flag_rate=0.1, cv=folds).fit(X, y)
    expected = np.zeros((len(y), 3))
    for train, test in folds:
        fold = GaussianNB().fit(X[train], y[train])
        columns = np.searchsorted(clf.classes_, fold.classes_)
        expected[np.ix_(test, columns)] = fold.predict_proba(X[test])
    assert (expected[-3:, 0] == 0).all()
    assert clf.verdict_policy_.threshold == budget_threshold(expected.max(axis=1), 0.1, n_classes=3)
    assert clf.report_["classes"]["setosa"]["decided_right"] == 0
    assert clf.predict(X)[-1] == "setosa"


def test_rows_that_no_fold_answers_set_no_threshold(cancer):
    X, y = cancer
    clf = VerdictClassifier(GaussianNB(), flag_rate=0.2, cv=TimeSeriesSplit(4)).fit(X, y)
    answered = np.concatenate([test for _, test in TimeSeriesSplit(4).split(X)])
    assert clf.report_["rows"] == len(answered) < len(y)
    assert clf.estimator_.class_count_.sum() == len(y)


def test_folds_are_new_rows_and_answer_each_at_most_once(cancer):
    first, second, last = np.arange(300), np.arange(300, 400), np.arange(399, 569)
    with pytest.raises(ValueError, match="row 399 in two test sets"):
        VerdictClassifier(GaussianNB(), cv=[(first, second), (first, last)]).fit(*cancer)
    with pytest.raises(ValueError, match="row 300 in a training set and in its test set"):
        VerdictClassifier(GaussianNB(), cv=[(np.arange(301), second)]).fit(*cancer)
    by_number = VerdictClassifier(GaussianNB(), cv=[(first, last)]).fit(*cancer)
    masks = [(np.arange(569) < 300, np.arange(569) >= 399)]
    by_mask = VerdictClassifier(GaussianNB(), cv=masks).fit(*cancer)
    assert by_number.report_ == by_mask.report_
    assert by_number.report_["rows"] == len(last)


def test_weights_reach_the_classifier_and_calibration_counts_rows(cancer):
    X, y = cancer
    weights = np.where(y == 0, 5.0, 1.0)
    weights[::7] = 0
    clf = VerdictClassifier(GaussianNB(), flag_rate=0.2).fit(X, y, weights)
    plain = GaussianNB().fit(X, y, weights)
    assert (clf.predict_proba(X) == plain.predict_proba(X)).all()
    probabilities = np.zeros((len(y), 2))
    for train, test in stratified(X, y.astype(np.uint32), weights, 5):
        fold = GaussianNB().fit(X[train], y[train], weights[train])
        probabilities[test] = fold.predict_proba(X[test])
    confidence = probabilities.max(axis=1)[weights > 0]
    assert clf.verdict_policy_.threshold == budget_threshold(confidence, 0.2)
    assert clf.report_["rows"] == (weights > 0).sum()
    held_out = VerdictClassifier(plain, flag_rate=0.2, cv="prefit").fit(X, y, weights)
    confidence = plain.predict_proba(X).max(axis=1)[weights > 0]
    assert held_out.verdict_policy_.threshold == budget_threshold(confidence, 0.2)
    assert held_out.report_["rows"] == (weights > 0).sum()


class Overconfident(ClassifierMixin, BaseEstimator):
    """Says 0.5 + x / 2 for class 1, which has probability 0.5 + 0.45 x."""

    def __init__(self):
        self.classes_ = np.array([0, 1])

    def fit(self, X, y):
        """Do nothing."""
        return self

    def predict_proba(self, X):
        """Answer too boldly."""
        return np.column_stack([0.5 - X[:, 0] / 2, 0.5 + X[:, 0] / 2])


@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")  # some draws are bad luck
def test_a_promise_is_broken_as_rarely_as_it_says():
    # With x uniform, rows from confidence t on are right with probability 0.5 + 0.45 t: less than
    # promised if t is below 2 / 3.
    random, draws, right_from = np.random.default_rng(0), 400, 2 / 3
    thresholds, naive = [], []
    for _ in range(draws):
        X = random.random((800, 1))
        y = (random.random(800) < 0.5 + 0.45 * X[:, 0]).astype(int)
        confidence = 0.5 + X[:, 0] / 2
        naive.append(min(t for t in confidence if y[confidence >= t].mean() >= 0.8))
        clf = VerdictClassifier(Overconfident(), accuracy=0.8, cv="prefit")
        with contextlib.suppress(ValueError):  # not every draw supports a promise
            thresholds.append(clf.fit(X, y).verdict_policy_.threshold)
    broken = (np.array(thresholds) < right_from).sum() / draws
    # Three standard errors above 5 %.
    assert broken <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / draws)
    # The data are hard enough: the threshold that looks right is wrong about every second time.
    assert (np.array(naive) < right_from).mean() > 0.3
    assert len(thresholds) > 0.9 * draws


def test_a_fitted_classifier_is_left_alone(parts):
    X, X_new, y, y_new = parts
    plain = tree().fit(X, y)
    document, verdicts = plain.to_json(), plain.predict_decided(X_new)
    clf = VerdictClassifier(plain, flag_rate=0.4, cv="prefit").fit(X_new, y_new)
    assert plain.to_json() == document
    assert (plain.predict_decided(X_new) == verdicts).all()
    assert clf.estimator is plain
    assert (clf.predict_decided(X_new) != verdicts).any()
    fitted = forest().fit(X, y)
    clf = VerdictClassifier(fitted, flag_rate=0.4, cv="prefit").fit(X_new, y_new)
    assert clf.estimator_ is fitted


def test_a_frozen_classifier_is_fitted_already(parts):
    X, X_new, y, y_new = parts
    fitted = forest().fit(X, y)
    prefit = VerdictClassifier(fitted, flag_rate=0.2, cv="prefit").fit(X_new, y_new)
    for cv in ({}, {"cv": None}, {"cv": 3}):
        clf = VerdictClassifier(FrozenEstimator(fitted), flag_rate=0.2, **cv).fit(X_new, y_new)
        assert clf.estimator_ is fitted
        assert str(clf.verdict_policy_) == str(prefit.verdict_policy_)
        assert not clf.verdict_policy_.approximate


@pytest.mark.parametrize("cv", [5, KFold(3), "oob"])
def test_a_fit_that_plays_no_part_is_warned_of(parts, cv):
    X, X_new, y, y_new = parts
    fitted = RandomForestClassifier(n_estimators=60, oob_score=True, random_state=0).fit(X, y)
    clf = VerdictClassifier(fitted, flag_rate=0.2, cv=cv)
    message = (
        r"RandomForestClassifier is fitted already, .* give cv='prefit' if .*clone\(estimator\)"
    )
    with pytest.warns(VerdictWarning, match=message) as caught:
        clf.fit(X_new, y_new)
    assert [warning.filename for warning in caught] == [__file__]
    assert clf.estimator_ is not fitted


def test_only_a_fit_that_is_lost_is_warned_of(parts):
    # A warning would be an error.
    X, X_new, y, y_new = parts
    fitted = GaussianNB().fit(X, y)
    VerdictClassifier(clone(fitted)).fit(X_new, y_new)
    VerdictClassifier(fitted, cv="prefit").fit(X_new, y_new)
    VerdictClassifier(FrozenEstimator(fitted)).fit(X_new, y_new)
    search = GridSearchCV(VerdictClassifier(GaussianNB()), {"flag_rate": [0.1, 0.2]}, cv=2)
    search.fit(X_new, y_new).fit(X_new, y_new)
    again = VerdictClassifier(GaussianNB())
    again.fit(X, y).fit(X, y)

    class Rule(Overconfident):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.requires_fit = False
            return tags

    VerdictClassifier(Rule(), flag_rate=0.1).fit(
        np.linspace(-1, 1, 40)[:, None], [0] * 20 + [1] * 20
    )


@pytest.mark.parametrize("cv", [3, "prefit"])
@pytest.mark.parametrize("rule", RULES)
def test_a_tree_carries_its_verdict(parts, tmp_path, rule, cv):
    X, X_new, y, y_new = parts
    estimator = FrozenEstimator(tree().fit(X, y)) if cv == "prefit" else tree()
    clf = VerdictClassifier(estimator, cv=cv, **rule).fit(X_new, y_new)
    verdicts = clf.predict_decided(X)
    of_zones = (tree().fit(X_new, y_new) if cv == 3 else estimator).predict_decided(X)
    assert (verdicts != of_zones).any()
    assert (clf.estimator_.predict_decided(X) == verdicts).all()
    assert str(clf.estimator_.verdict_policy_) == str(clf.verdict_policy_)
    assert [row.decided for row in clf.explain(X)] == verdicts.tolist()
    clf.save(tmp_path / "model.json")
    loaded = ternwood.load(tmp_path / "model.json")
    assert (loaded.predict_decided(X) == verdicts).all()
    assert str(loaded.verdict_policy_) == str(clf.verdict_policy_)
    other = VerdictClassifier(GaussianNB()).fit(X, y)
    assert not hasattr(other, "save")
    assert not hasattr(other, "explain")


def test_the_verdict_of_a_cross_validated_tree_is_replaced(parts, tmp_path):
    X, X_new, y, _ = parts
    plain = TernaryTreeClassifierCV(max_depth=2).fit(X, y)
    assert plain.verdict_policy_.kind == "cost"
    clf = VerdictClassifier(TernaryTreeClassifierCV(max_depth=2), flag_rate=0.3).fit(X, y)
    assert clf.estimator_.best_params_ == plain.best_params_
    assert (clf.predict_proba(X_new) == plain.predict_proba(X_new)).all()
    verdicts = clf.predict_decided(X_new)
    assert (verdicts != plain.predict_decided(X_new)).any()
    clf.save(tmp_path / "model.json")
    loaded = ternwood.load(tmp_path / "model.json")
    assert isinstance(loaded, TernaryTreeClassifierCV)
    assert loaded.verdict_policy_.parameters == {"flag_rate": 0.3}
    assert (loaded.predict_decided(X_new) == verdicts).all()


def test_classifiers_that_get_probabilities_only_by_fitting_are_fine(parts):
    X, X_new, y, y_new = parts
    stack = StackingClassifier([("bayes", GaussianNB()), ("forest", forest())], cv=2)
    assert VerdictClassifier(stack, cv=2).fit(X, y).predict_decided(X_new).any()
    machine = CalibratedClassifierCV(make_pipeline(StandardScaler(), LinearSVC()), cv=2)
    clf = VerdictClassifier(machine, flag_rate=0.1, cv=2).fit(X, y)
    assert clf.score(X_new, y_new) > 0.9


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cost_ratio": 0.1, "flag_rate": 0.2}, "at most one .* got cost_ratio=0.1 and flag_rate="),
        ({"accuracy": 0.9, "flag_rate": 0.2}, "at most one of"),
        ({"cost_ratio": 1.0}, "'cost_ratio' parameter .* Got 1.0"),
        ({"flag_rate": 1.0}, "'flag_rate' parameter .* Got 1.0"),
        ({"accuracy": 95}, "'accuracy' parameter .* Got 95"),
        ({"accuracy": 0.9, "confidence": np.nan}, "'confidence' parameter .* Got nan"),
        ({"cv": 1}, "'cv' parameter .* Got 1"),
        ({"cv": "held-out"}, "'cv' parameter .* Got 'held-out'"),
        ({"accuracy": 0.995}, "from 569 calibration rows: at least 736"),
        ({"accuracy": 0.99}, "0.99 cannot be promised"),
    ],
)
def test_impossible_rules_are_refused(cancer, given, message):
    with pytest.raises(ValueError, match=message):
        VerdictClassifier(GaussianNB(), **given).fit(*cancer)


def test_impossible_data_are_refused(cancer):
    X, y = cancer
    fitted = GaussianNB().fit(X, y)
    prefit = VerdictClassifier(fitted, cv="prefit")
    with pytest.raises(ValueError, match=r"y has the label 7, .*: the classes are \[0, 1\]"):
        prefit.fit(X, np.where(y == 1, 7, 0))
    with pytest.raises(ValueError, match="takes no parameters for it: mood"):
        prefit.fit(X, y, mood="good")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        prefit.fit(X, y[:-1])
    with pytest.raises(ValueError, match="2 rows have no label, the first is row 1"):
        prefit.fit(X[:4], [0, None, 1, None])
    with pytest.raises(ValueError, match=r"this GaussianNB is not: fit it first.*FrozenEstimator"):
        VerdictClassifier(GaussianNB(), cv="prefit").fit(X, y)
    with pytest.raises(ValueError, match="give cv='prefit'"):
        VerdictClassifier(FrozenEstimator(fitted), cv=KFold(5)).fit(X, y)
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        VerdictClassifier(LinearSVC()).fit(X[:60], y[:60])
    with pytest.raises(TypeError, match="LinearRegression has no predict_proba"):
        VerdictClassifier(LinearRegression()).fit(X, y)
    with pytest.raises(ValueError, match=r"no rows|at least one non-zero number"):
        prefit.fit(X, y, np.zeros(len(y)))


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ([0.5, 0.6], r"row 3 are \[0.5, 0.6\], which sum to 1.1"),
        ([np.nan, 0.5], r"row 3 are \[NaN, 0.5\]"),
        ([-0.5, 1.5], r"row 3 are \[-0.5, 1.5\]"),
    ],
)
def test_probabilities_that_are_none_are_refused_by_row(row, shown):
    class Broken(Overconfident):
        def predict_proba(self, X):
            answers = super().predict_proba(X)
            answers[3] = row
            return answers

    X, y = np.linspace(0, 1, 8)[:, None], np.array([0, 1] * 4)
    weights = [0, 1, 1, 1, 1, 1, 1, 1]  # the number of the row is still that in X
    with pytest.raises(ValueError, match=shown):
        VerdictClassifier(Broken(), cv="prefit").fit(X, y, weights)

    class Positive(Overconfident):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, 1]

    with pytest.raises(ValueError, match=r"shape \(8,\) instead of a column for each of its 2"):
        VerdictClassifier(Positive(), cv="prefit").fit(X, y)


@pytest.mark.parametrize(
    "weighted",
    [
        LogisticRegression(class_weight="balanced"),
        make_pipeline(StandardScaler(), LogisticRegression(class_weight={0: 2.0})),
    ],
)
def test_class_weights_and_costs_are_warned_of(cancer, weighted):
    X, y = StandardScaler().fit_transform(cancer[0]), cancer[1]
    for rule in ({}, {"cost_ratio": 0.1}):
        with pytest.warns(VerdictWarning, match="class weights shift the probabilities"):
            VerdictClassifier(weighted, **rule).fit(X, y)
    frozen = FrozenEstimator(clone(weighted).fit(X, y))
    with pytest.warns(VerdictWarning, match="class weights shift the probabilities"):
        VerdictClassifier(frozen, cv="prefit").fit(X, y)
    # Other rules need no true probabilities; a warning would be an error here.
    assert VerdictClassifier(weighted, flag_rate=0.1).fit(X, y).report_["undecided"] > 0


def test_a_verdict_that_will_not_serve_is_warned_of_where_it_is_fitted(noisy):
    X, y = (part[:1000] for part in noisy)
    guess = DummyClassifier(strategy="prior")
    with pytest.warns(VerdictWarning, match="most rows are undecided: few are sure") as caught:
        clf = VerdictClassifier(guess).fit(X, y)
    assert {warning.filename for warning in caught} == {__file__}
    (figures,) = clf.verdict_policy_.advice
    assert figures.startswith("100.0 % of the rows are flagged, so few answers stand: few")
    assert figures.partition(": ")[2] in str(caught[0].message)
    assert f"\nnote: {clf.verdict_policy_.advice[0]}" in str(clf.verdict_policy_)
    # Promises and budgets that do what was asked for are no cause for a warning.
    useful = VerdictClassifier(LogisticRegression(), flag_rate=0.6).fit(X, y)
    assert useful.verdict_policy_.advice == []


def test_a_search_warns_once_of_each_cause(noisy):
    X, y = (part[:600] for part in noisy)
    rare = np.where(np.arange(600) % 12 == 0, 2, y)  # a class that nothing tells
    clf = VerdictClassifier(TernaryTreeClassifier(max_depth=2), cv=2)
    grid = {"cost_ratio": [0.1, 0.2, 0.3, 0.4], "estimator__max_depth": [2, 3]}
    for inner, names in ((clf, grid), (make_pipeline(StandardScaler(), clf), None)):
        prefix = "" if names else "verdictclassifier__"
        search = GridSearchCV(inner, {prefix + name: it for name, it in grid.items()}, cv=3)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search.fit(X, rare)
        best = search.best_estimator_ if names else search.best_estimator_[-1]
        texts = [str(warning.message) for warning in caught]
        assert len(texts) == len(set(texts)) == len(best.verdict_policy_.advice) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_val_score(clf, X, rare, cv=2)


def test_the_same_cause_has_the_same_text(noisy):
    X, y = (part[:900] for part in noisy)
    rare = np.where(np.arange(900) % 12 == 0, 2, y)
    clf = VerdictClassifier(TernaryTreeClassifier(max_depth=2), cv=2, cost_ratio=0.1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        advice = {
            tuple(clf.fit(X[start : start + 400], rare[start : start + 400]).verdict_policy_.advice)
            for start in range(0, 500, 100)
        }
    texts = {str(warning.message) for warning in caught}
    assert len(advice) > 1, "the figures differ"
    assert 1 <= len(texts) <= 4
    assert not any(re.search(r"\d", text) for text in texts), texts


def test_advice_looks_at_what_was_asked_for(noisy):
    X, y = (part[:1500] for part in noisy)
    random = np.random.default_rng(0)
    labels = np.where(random.uniform(size=len(y)) < 0.2, "rare", np.where(y == 1, "a", "b"))
    inner = LogisticRegression()
    with pytest.warns(VerdictWarning, match="promise a miss rate for it"):
        VerdictClassifier(inner, cost_ratio=0.45).fit(X, labels)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = VerdictClassifier(inner, miss_rate={"rare": 0.2}).fit(X, labels)
    texts = [str(warning.message) for warning in caught] + clf.verdict_policy_.advice
    assert not any("promise a miss rate" in text for text in texts), texts


@pytest.mark.parametrize(
    "clf",
    [TernaryTreeClassifierCV(max_depth=2), TernaryForestClassifier(20, random_state=0)],
    ids=lambda clf: type(clf).__name__,
)
def test_a_fit_warns_of_a_class_that_is_missed(clf):
    """Nobody asked for a verdict, but every bad row is decided as good."""
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 2))
    y = np.where(np.arange(600) % 12 == 0, "bad", "good")

    def raised(fit):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit()
        return [warning for warning in caught if warning.category is VerdictWarning]

    (warning,) = raised(lambda: clf.fit(X, y))
    text = str(warning.message)
    assert warning.filename == __file__
    assert text.startswith("of some class no row is decided rightly; if that matters, promise")
    figures = "no row of class 'bad' is decided rightly: of 50 rows "
    assert any(advice.startswith(figures) for advice in clf.verdict_policy_.advice)
    # A search shows it once, and a verdict that replaces this one does not show it at all.
    assert raised(lambda: cross_val_score(clf, X, y, cv=2)) == []
    search = GridSearchCV(clf, {"min_samples_leaf": [1, 5]}, cv=2)
    assert len(raised(lambda: search.fit(X, y))) <= 1
    for cv in (2, "oob") if isinstance(clf, TernaryForestClassifier) else (2,):
        promised = VerdictClassifier(clf, miss_rate={"bad": 0.9}, cv=cv)
        found = raised(lambda promised=promised: promised.fit(X, y))
        assert text not in [str(warning.message) for warning in found]


def test_a_calibrated_tree_says_what_speaks_against_its_verdict(cancer):
    X, y = cancer
    assert TernaryTreeClassifierCV(max_depth=3).fit(X, y).verdict_policy_.advice == []
    weighted = TernaryTreeClassifierCV(max_depth=3, class_weight={0: 10.0}).fit(X, y)
    assert "class weights shift the probabilities" in str(weighted.verdict_policy_)
