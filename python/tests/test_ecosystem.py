"""Does the classifier work wherever scikit-learn's own classifiers do?"""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ternwood import TernaryTreeClassifier, TernaryTreeClassifierCV, zones


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


def test_categories_and_gaps_pass_through_a_column_transformer(wards):
    X, y = wards
    columns = make_column_transformer(
        (SimpleImputer(), ["age"]), remainder="passthrough", verbose_feature_names_out=False
    )
    clf = TernaryTreeClassifier(max_depth=3)
    for output in ("pandas", "polars"):
        pipeline = make_pipeline(clone(columns).set_output(transform=output), clone(clf)).fit(X, y)
        names = pipeline[:-1].get_feature_names_out().tolist()
        assert pipeline[-1].feature_names_in_.tolist() == names == list(X.columns)
        filled = X.assign(age=X["age"].fillna(X["age"].mean()))
        assert np.array_equal(pipeline.predict_proba(X), clf.fit(filled, y).predict_proba(filled))
    # An array of objects does not say which columns are categories.
    with pytest.raises(ValueError, match=r"column 'x1' .*categorical_features=\[1\]"):
        make_pipeline(columns, clf).fit(X, y)


def test_searches_and_scores_take_tables_with_gaps_and_categories(wards):
    X, y = wards
    grid = {
        "missing": ["learn", "unknown"],
        "zone__category_error": [0.0, 2.0],
        "zone__min_samples_category": [1, 30],
        "categorical_features": ["from_dtype", ["job", "size", "smoker"]],
    }
    search = GridSearchCV(TernaryTreeClassifier(max_depth=3), grid, cv=3).fit(X, y)
    results = pd.DataFrame(search.cv_results_)
    assert results["mean_test_score"].notna().all()
    # Both lists mean the same columns; the other parameters make a difference.
    by_list = results.groupby("rank_test_score").size()
    assert (by_list % 2 == 0).all()
    assert results["mean_test_score"].nunique() > 2
    assert search.best_estimator_.get_params()["missing"] in grid["missing"]
    folds = StratifiedKFold(3)
    by_hand = [
        TernaryTreeClassifierCV(max_depth=2)
        .fit(X.iloc[train], y[train])
        .score(X.iloc[test], y[test])
        for train, test in folds.split(X, y)
    ]
    calibrated = TernaryTreeClassifierCV(max_depth=2)
    assert cross_val_score(calibrated, X, y, cv=folds).tolist() == by_hand


def test_weights_are_copies_for_gaps_and_categories(wards):
    X, y = wards
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = TernaryTreeClassifier(max_depth=4).fit(X, y, weights)
    copies = X.loc[X.index.repeat(weights)]
    copied = TernaryTreeClassifier(max_depth=4).fit(copies, y.repeat(weights))
    assert np.array_equal(weighted.predict_proba(X), copied.predict_proba(X))
    assert np.array_equal(weighted.tree_.kind, copied.tree_.kind)


def test_a_grid_search_over_zones_and_scales(cancer):
    grid = {"zone": ["margin", "class_overlap", "none"], "zone__scale": [0.0, 1.0]}
    search = GridSearchCV(TernaryTreeClassifier(max_depth=3), grid, cv=3).fit(*cancer)
    scores = {
        (p["zone"], p["zone__scale"]): score
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
    clf = TernaryTreeClassifier(zone=zones.GainRatio(range_share=0.3), class_weight={0: 2.0})
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
    np.testing.assert_allclose(balanced.tree_.value[0, 0], [0.5, 0.5], rtol=1e-12)
    plain = TernaryTreeClassifier(max_depth=4).fit(X, y)
    assert (by_class.tree_.value[0] != plain.tree_.value[0]).all()
