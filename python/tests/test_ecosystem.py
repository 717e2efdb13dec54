"""Does the classifier work wherever scikit-learn's own classifiers do?"""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.impute import SimpleImputer
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    VerdictClassifier,
    zones,
)


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


ALL = {
    "tree": TernaryTreeClassifier(max_depth=3, zone=zones.QualityPlateau(tolerance=0.1)),
    "calibrated tree": TernaryTreeClassifierCV(max_depth=2),
    "forest": TernaryForestClassifier(4, max_depth=2, random_state=0),
    "verdict": VerdictClassifier(TernaryTreeClassifier(max_depth=3), flag_rate=0.2, cv=3),
}
everything = pytest.mark.parametrize("clf", ALL.values(), ids=ALL)


def same(found, expected):
    return all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize(
    "clf",
    [*ALL.values(), VerdictClassifier(GaussianNB(), flag_rate=0.2, cv=3)],
    ids=[*ALL, "verdict around another"],
)
def test_skops_keeps_a_fitted_classifier(wards, clf, tmp_path):
    sio = pytest.importorskip("skops.io")
    X, y = wards
    X = X[["age"]].fillna(40.0) if "GaussianNB" in repr(clf) else X
    clf = clone(clf).fit(X, y)
    sio.dump(clf, tmp_path / "model.skops")
    unknown = sio.get_untrusted_types(file=tmp_path / "model.skops")
    # What has to be trusted is this package and nothing else.
    assert unknown
    assert all(name.startswith("ternwood.") for name in unknown)
    with pytest.raises(Exception, match="trusted"):
        sio.load(tmp_path / "model.skops")
    again = sio.load(tmp_path / "model.skops", trusted=unknown)
    assert same(again.predict_all(X), clf.predict_all(X))
    assert str(again.verdict_policy_) == str(clf.verdict_policy_)
    assert repr(again) == repr(clf)
    if hasattr(clf, "explain"):
        assert str(again.explain(X[:3])) == str(clf.explain(X[:3]))
    if isinstance(clf, VerdictClassifier):
        assert again.report_.html == clf.report_.html
        assert str(again.report_) == str(clf.report_)


@everything
@pytest.mark.parametrize("keep", ["pickle", "joblib"])
def test_pickle_and_joblib_keep_a_fitted_classifier(cancer, clf, keep, tmp_path):
    X, y = cancer
    clf = clone(clf).fit(X, y)
    if keep == "pickle":
        again = pickle.loads(pickle.dumps(clf))
    else:
        joblib.dump(clf, tmp_path / "model.joblib", compress=3)
        again = joblib.load(tmp_path / "model.joblib")
    assert same(again.predict_all(X), clf.predict_all(X))
    assert str(again.verdict_policy_) == str(clf.verdict_policy_)
    assert same(clone(again).fit(X, y).predict_all(X), clf.predict_all(X))


@everything
def test_inspection_of_scikit_learn_works(cancer, clf):
    X, y = cancer
    clf = clone(clf).fit(X, y)
    found = permutation_importance(clf, X, y, n_repeats=2, random_state=0)
    unused = [
        feature
        for feature in range(X.shape[1])
        if feature not in getattr(clf, "estimator_", clf)._model.tested_features()
    ]
    # A feature that no split tests has no influence, and some other has.
    assert unused
    assert (found.importances[unused] == 0).all()
    assert found.importances_mean.max() > 0.01
    [best] = np.argsort(found.importances_mean)[-1:]
    dependence = partial_dependence(clf, X, [best], grid_resolution=7, method="brute")
    grid = dependence["grid_values"][0]
    by_hand = []
    for value in grid:
        moved = X.copy()
        moved[:, best] = value
        by_hand.append(clf.predict_proba(moved)[:, 1].mean())
    np.testing.assert_allclose(dependence["average"][0], by_hand, rtol=1e-12)


@everything
def test_calibration_and_tuned_thresholds_of_scikit_learn_work(cancer, clf):
    X, y = cancer
    calibrated = CalibratedClassifierCV(clone(clf), cv=3, method="isotonic").fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    assert calibrated.score(X, y) > 0.9
    tuned = TunedThresholdClassifierCV(clone(clf), scoring="balanced_accuracy", cv=3).fit(X, y)
    above = tuned.estimator_.predict_proba(X)[:, 1] >= tuned.best_threshold_
    np.testing.assert_array_equal(tuned.predict(X), above.astype(int))
    assert same(tuned.estimator_.predict_all(X), clone(clf).fit(X, y).predict_all(X))


@everything
def test_weights_are_plain_keywords_and_routed_metadata(cancer, clf):
    X, y = cancer
    weights = np.where(y == 0, 5.0, 1.0)
    expected = clone(clf).fit(X, y, sample_weight=weights)
    assert not same(expected.predict_all(X)[1:2], clone(clf).fit(X, y).predict_all(X)[1:2])
    pipeline = make_pipeline("passthrough", clone(clf))
    keyword = {f"{type(clf).__name__.lower()}__sample_weight": weights}
    assert same(pipeline.fit(X, y, **keyword)[-1].predict_all(X), expected.predict_all(X))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(clf).set_fit_request(sample_weight=True)
        if isinstance(routed, VerdictClassifier):
            routed.estimator.set_fit_request(sample_weight=True)
        pipeline = make_pipeline("passthrough", routed).fit(X, y, sample_weight=weights)
    assert same(pipeline[-1].predict_all(X), expected.predict_all(X))


@everything
def test_groups_go_to_the_splitters_of_scikit_learn(cancer, clf):
    X, y = cancer
    groups = np.arange(len(y)) // 40
    found = cross_val_score(clone(clf), X, y, groups=groups, cv=GroupKFold(3))
    by_hand = [
        clone(clf).fit(X[train], y[train]).score(X[test], y[test])
        for train, test in GroupKFold(3).split(X, y, groups)
    ]
    assert found.tolist() == by_hand


@everything
def test_a_frame_with_gaps_and_categories_arrives_by_set_output(wards, clf):
    X, y = wards
    columns = make_column_transformer(
        (SimpleImputer(), ["age"]), remainder="passthrough", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    pipeline = make_pipeline(columns, clone(clf)).fit(X, y)
    filled = pipeline[:-1].transform(X)
    assert list(pipeline[-1].feature_names_in_) == list(filled.columns)
    assert same(pipeline[-1].predict_all(filled), clone(clf).fit(filled, y).predict_all(filled))
