"""Does the classifier work wherever scikit-learn's own classifiers do?"""

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ternwood import TernaryTreeClassifier


def test_a_pipeline_passes_names_on(iris_frame):
    X, y = iris_frame
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, TernaryTreeClassifier(max_depth=3)).fit(X, y)
    assert list(pipeline[-1].feature_names_in_) == list(X.columns)
    assert pipeline.score(X, y) == pipeline[-1].score(scaler.transform(X), y)
    assert "petal length (cm)" in pipeline[-1].export_text()


def test_set_output_of_a_column_transformer_reaches_the_tree(iris_frame):
    X, y = iris_frame
    columns = make_column_transformer((StandardScaler(), ["petal width (cm)"]))
    columns.set_output(transform="pandas")
    pipeline = make_pipeline(columns, TernaryTreeClassifier(max_depth=2)).fit(X, y)
    assert list(pipeline[-1].feature_names_in_) == ["standardscaler__petal width (cm)"]


def test_a_grid_search_over_zones_and_scales(cancer):
    grid = {"zone": ["margin", "class_overlap", "none"], "zone_scale": [0.0, 1.0]}
    search = GridSearchCV(TernaryTreeClassifier(max_depth=3), grid, cv=3).fit(*cancer)
    scores = {
        (p["zone"], p["zone_scale"]): score
        for p, score in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
        )
    }
    # Every zone without width is plain CART; class overlap with width is not.
    assert scores["margin", 0.0] == scores["class_overlap", 0.0] == scores["none", 1.0]
    assert scores["class_overlap", 1.0] != scores["none", 1.0]
    assert search.best_score_ == max(scores.values())


def test_cross_validation_equals_fitting_and_scoring_by_hand(cancer):
    X, y = cancer
    clf, folds = TernaryTreeClassifier(max_depth=4), StratifiedKFold(5)
    by_hand = [
        clone(clf).fit(X[train], y[train]).score(X[test], y[test])
        for train, test in folds.split(X, y)
    ]
    assert cross_val_score(clf, X, y, cv=folds).tolist() == by_hand


def test_calibration_keeps_the_order_of_a_trees_probabilities(cancer):
    X, y = cancer
    clf = TernaryTreeClassifier(max_depth=3)
    folds = CalibratedClassifierCV(clf, cv=3, method="sigmoid").fit(X, y).calibrated_classifiers_
    for fold in folds:
        before, after = fold.estimator.predict_proba(X)[:, 1], fold.predict_proba(X)[:, 1]
        order = np.argsort(before, kind="stable")
        assert (np.diff(after[order]) >= 0).all()


def test_bagging_predicts_the_mean_of_its_trees(cancer):
    X, y = cancer
    clf = TernaryTreeClassifier(max_depth=3)
    bag = BaggingClassifier(clf, n_estimators=5, random_state=0).fit(X, y)
    answers = [tree.predict_proba(X) for tree in bag.estimators_]
    assert not (answers[0] == answers[1]).all()
    np.testing.assert_allclose(bag.predict_proba(X), np.mean(answers, axis=0), rtol=1e-12)


def test_a_clone_has_the_parameters_but_not_the_tree(iris):
    clf = TernaryTreeClassifier(zone="gain_ratio", gain_scale=0.3, class_weight={0: 2.0})
    copy = clone(clf.fit(*iris))
    assert copy.get_params() == clf.get_params()
    assert not hasattr(copy, "classes_")


def test_sample_weights_are_routed_as_metadata(cancer):
    X, y = cancer
    weights = np.where(y == 0, 50.0, 0.02)
    with sklearn.config_context(enable_metadata_routing=True):
        clf = TernaryTreeClassifier(max_depth=1, zone="none")
        clf.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        result = cross_validate(clf, X, y, params={"sample_weight": weights}, cv=3)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, clf).fit(X, y, sample_weight=weights)
    # With these weights, class 0 is predicted nearly everywhere, so the score falls.
    plain = cross_validate(TernaryTreeClassifier(max_depth=1, zone="none"), X, y, cv=3)
    assert (result["test_score"] < plain["test_score"] - 0.05).all()
    alone = clone(clf).fit(scaler.transform(X), y, weights)
    assert pipeline[-1].to_json() == alone.to_json()


def test_class_weights_act_like_sample_weights(cancer):
    X, y = cancer
    by_class = TernaryTreeClassifier(max_depth=4, class_weight={0: 3.0}).fit(X, y)
    by_row = TernaryTreeClassifier(max_depth=4).fit(X, y, np.where(y == 0, 3.0, 1.0))
    np.testing.assert_allclose(by_class.predict_proba(X), by_row.predict_proba(X), rtol=1e-12)
    balanced = TernaryTreeClassifier(max_depth=4, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.tree_.value[0], [0.5, 0.5], rtol=1e-12)
    plain = TernaryTreeClassifier(max_depth=4).fit(X, y)
    assert (by_class.tree_.value[0] != plain.tree_.value[0]).all()
