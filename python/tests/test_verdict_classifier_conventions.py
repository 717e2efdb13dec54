"""Does scikit-learn accept the meta-estimator of verdicts as one of its own?"""

import pickle

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from ternwood import TernaryTreeClassifier, TernaryTreeClassifierCV, VerdictClassifier
from ternwood._calibration import stratified

# Rules and labels are chosen for what they test, and many a verdict is as bad as it says.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ternwood.VerdictWarning", "ignore::ternwood.DataWarning"
)


# Some checks have classes of one row, and folds of scikit-learn warn of them.
@pytest.mark.filterwarnings("ignore:The least populated class")
@parametrize_with_checks(
    [
        VerdictClassifier(TernaryTreeClassifier(max_depth=3)),
        VerdictClassifier(
            TernaryTreeClassifier(categorical_features=None, missing="error"), flag_rate=0.2, cv=3
        ),
        VerdictClassifier(TernaryTreeClassifierCV(max_depth=2), cv=2),
        VerdictClassifier(LogisticRegression()),
        VerdictClassifier(DecisionTreeClassifier(random_state=0), cost_ratio=0.1, cv=2),
    ]
)
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


def cost(clf, X, y):
    """Score by the cost of verdicts, where a flag costs a tenth of an error."""
    classes, _, verdicts = clf.predict_all(X)
    return -np.mean(np.where(verdicts, classes != y, 0.1))


def test_a_grid_search_over_rules_and_parameters_of_the_classifier(cancer):
    X, y = cancer
    grid = {"flag_rate": [0.0, 0.1, 0.6], "estimator__max_depth": [1, 3]}
    clf = VerdictClassifier(TernaryTreeClassifier(), cv=3)
    search = GridSearchCV(clf, grid, scoring=cost, cv=3, n_jobs=2).fit(X, y)
    scores = search.cv_results_["mean_test_score"].reshape(2, 3)  # by depth, by flag rate
    assert len(set(scores[1])) == 3
    assert (scores[0] != scores[1]).any()
    best = VerdictClassifier(
        TernaryTreeClassifier(max_depth=search.best_params_["estimator__max_depth"]),
        flag_rate=search.best_params_["flag_rate"],
        cv=3,
    )
    assert search.best_score_ == cross_val_score(best, X, y, scoring=cost, cv=3).mean()
    best.fit(X, y)
    assert str(search.best_estimator_.verdict_policy_) == str(best.verdict_policy_)
    assert (search.best_estimator_.predict_decided(X) == best.predict_decided(X)).all()


def test_it_works_inside_a_pipeline_and_around_one(cancer):
    X, y = cancer
    outside = VerdictClassifier(make_pipeline(StandardScaler(), GaussianNB()), flag_rate=0.2)
    inside = make_pipeline(StandardScaler(), VerdictClassifier(GaussianNB(), flag_rate=0.2))
    outside.fit(X, y)
    inside.fit(X, y)
    assert (outside.predict_proba(X) == inside.predict_proba(X)).all()
    scaled = inside[:-1].transform(X)
    alone = VerdictClassifier(GaussianNB(), flag_rate=0.2).fit(scaled, y)
    assert str(inside[-1].verdict_policy_) == str(alone.verdict_policy_)
    folds = stratified(X, y.astype(np.uint32), None, 5)
    by_fold = cross_val_predict(outside.estimator, X, y, cv=folds, method="predict_proba")
    flagged = by_fold.max(axis=1) < outside.verdict_policy_.threshold
    assert flagged.sum() == outside.report_["undecided"] == int(0.2 * len(y))
    nested = VerdictClassifier(GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}), cv=3)
    assert nested.fit(X, y).predict_decided(X).any()


def test_clones_keep_every_parameter_and_forget_the_fit(iris):
    clf = VerdictClassifier(
        TernaryTreeClassifier(max_depth=2, zone="spread"), accuracy=0.8, confidence=0.9, cv=3
    ).fit(*iris)
    again = clone(clf)
    assert repr(again.get_params()) == repr(clf.get_params())
    assert again.estimator is not clf.estimator
    assert not hasattr(again, "estimator_")
    assert not hasattr(again, "classes_")
    with pytest.raises(NotFittedError):
        again.predict_decided(iris[0])
    again.set_params(accuracy=None, flag_rate=0.1, estimator__max_depth=1)
    assert again.fit(*iris).verdict_policy_.parameters == {"flag_rate": 0.1}
    assert again.estimator_.get_depth() == 1
    assert str(clone(clf).fit(*iris).verdict_policy_) == str(clf.verdict_policy_)


def test_a_frozen_classifier_keeps_its_fit_in_clones_and_searches(cancer):
    X, X_new, y, y_new = train_test_split(*cancer, random_state=0)
    frozen = FrozenEstimator(TernaryTreeClassifier(max_depth=3).fit(X, y))
    clf = VerdictClassifier(frozen, cv="prefit")
    search = GridSearchCV(clf, {"flag_rate": [0.05, 0.2]}, scoring=cost, cv=2).fit(X_new, y_new)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = search.best_estimator_
    assert not best.verdict_policy_.approximate
    assert (best.predict_proba(X) == frozen.predict_proba(X)).all()


@pytest.mark.parametrize("estimator", [TernaryTreeClassifier(max_depth=2), GaussianNB()])
def test_pickles_and_joblib_keep_everything(cancer, tmp_path, estimator):
    X, y = cancer
    clf = VerdictClassifier(estimator, flag_rate=0.2).fit(X, y)
    joblib.dump(clf, tmp_path / "clf.joblib")
    for again in (pickle.loads(pickle.dumps(clf)), joblib.load(tmp_path / "clf.joblib")):
        assert str(again.verdict_policy_) == str(clf.verdict_policy_)
        assert again.report_ == clf.report_
        assert (again.predict_decided(X) == clf.predict_decided(X)).all()


def test_tags_are_those_of_the_classifier():
    def of(estimator):
        tags = get_tags(VerdictClassifier(estimator)).input_tags
        return tags.allow_nan, tags.sparse, tags.categorical

    assert of(TernaryTreeClassifier()) == (True, False, True)
    assert of(TernaryTreeClassifier(missing="error")) == (False, False, True)
    assert of(LogisticRegression()) == (False, True, False)


def test_metadata_are_routed_to_the_classifier_and_to_the_splitter(cancer):
    X, y = StandardScaler().fit_transform(cancer[0]), cancer[1]
    weights = np.where(y == 0, 20.0, 1.0)
    groups = np.arange(len(y)) // 10
    folds = list(GroupKFold(3).split(X, y, groups))
    by_hand = VerdictClassifier(LogisticRegression(), flag_rate=0.1, cv=folds).fit(X, y, weights)
    unweighted = VerdictClassifier(LogisticRegression(), flag_rate=0.1, cv=folds).fit(X, y)
    assert by_hand.verdict_policy_.threshold != unweighted.verdict_policy_.threshold
    with sklearn.config_context(enable_metadata_routing=True):
        clf = VerdictClassifier(LogisticRegression(), flag_rate=0.1, cv=GroupKFold(3))
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            clf.fit(X, y, sample_weight=weights, groups=groups)
        clf.estimator.set_fit_request(sample_weight=True)
        clf.fit(X, y, sample_weight=weights, groups=groups)
        renamed = LogisticRegression().set_fit_request(sample_weight="importance")
        by_alias = VerdictClassifier(renamed, flag_rate=0.1, cv=GroupKFold(3))
        by_alias.fit(X, y, importance=weights, groups=groups)
        ignored = LogisticRegression().set_fit_request(sample_weight=False)
        without = VerdictClassifier(ignored, flag_rate=0.1, cv=GroupKFold(3))
        without.fit(X, y, sample_weight=weights, groups=groups)
        prefit = VerdictClassifier(by_hand.estimator_, flag_rate=0.1, cv="prefit")
        prefit.fit(X, y, sample_weight=weights)
        routed = clf.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(routed, {"flag_rate": [0.1]}, cv=GroupKFold(2))
        search.fit(X, y, sample_weight=weights, groups=groups)
    for fitted in (clf, by_alias):
        assert str(fitted.verdict_policy_) == str(by_hand.verdict_policy_)
        assert (fitted.predict_proba(X) == by_hand.predict_proba(X)).all()
    assert str(without.verdict_policy_) == str(unweighted.verdict_policy_)
    assert prefit.report_["rows"] == len(y)
    assert (search.predict_proba(X) == by_hand.predict_proba(X)).all()


def test_parameters_of_fit_reach_the_step_of_a_pipeline(cancer):
    X, y = cancer
    weights = np.where(y == 0, 20.0, 1.0)
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    clf = VerdictClassifier(pipeline).fit(X, y, gaussiannb__sample_weight=weights)
    plain = clone(pipeline).fit(X, y, gaussiannb__sample_weight=weights)
    assert (clf.predict_proba(X) == plain.predict_proba(X)).all()
    with pytest.raises(ValueError, match=r"Pipeline\.fit does not accept the sample_weight"):
        VerdictClassifier(pipeline).fit(X, y, sample_weight=weights)
