"""Are the answers of a forest those of its trees, and its out-of-bag rows out of bag?"""

import re

import numpy as np
import pandas as pd
import pytest
from naive_forest import answers, sharpened
from random_models import with_least_share
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifier,
    VerdictClassifier,
    VerdictWarning,
    load,
    zones,
)
from ternwood._input import LabelledRows
from ternwood._ternwood import forest_bags


def drawn(forest, X, y, sample_weight=None):
    """Return how often each tree drew each of its training rows."""
    class_ids = np.searchsorted(forest.classes_, y).astype(np.uint32)
    return np.array(forest_bags(forest._model, LabelledRows(X, class_ids, sample_weight)))


@pytest.fixture
def rows():
    random = np.random.default_rng(5)
    X = random.normal(size=(150, 4)).round(2)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(0, 0.7, 150) > 0).astype(int)
    return X, y + (X[:, 3] > 1)


@pytest.mark.parametrize("settings", [{}, {"exponent": "off"}, {"zone": "none"}, {"zone_scale": 2}])
def test_probabilities_are_the_sharpened_mean_of_the_trees(rows, settings):
    X, y = rows
    forest = TernaryForestClassifier(12, random_state=3, **settings).fit(X, y)
    distributions, _ = answers(forest, X)
    expected = sharpened(distributions.mean(axis=0), forest.exponent_)
    np.testing.assert_allclose(forest.predict_proba(X), expected, rtol=1e-10)
    np.testing.assert_array_equal(
        forest.predict(X), forest.classes_[distributions.mean(axis=0).argmax(axis=1)]
    )


@pytest.mark.parametrize("zone_scale", ["auto", 3.2])
def test_without_an_exponent_a_forest_is_the_mean_of_its_trees_to_the_bit(
    rows, wards, tmp_path, zone_scale
):
    for X, y in (rows, wards):
        forest = TernaryForestClassifier(13, exponent="off", zone_scale=zone_scale, random_state=3)
        forest.fit(X, y)
        expected = forest.predict_proba(X)
        mean = np.mean([tree.predict_proba(X) for tree in forest.estimators_], axis=0)
        np.testing.assert_array_equal(mean, expected)
        # One row at a time, and of trees that were saved alone.
        saved = [tmp_path / f"{number}.json" for number in range(13)]
        for tree, path in zip(forest.estimators_, saved, strict=True):
            tree.save(path)
        loaded = [load(path) for path in saved]
        np.testing.assert_array_equal(
            np.mean([tree.predict_proba(X[:1]) for tree in loaded], axis=0), expected[:1]
        )


def test_a_tree_of_a_forest_obeys_the_least_share_of_the_forest(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(5, exponent="off", zone_scale=3.2, random_state=0).fit(X, y)
    for share in (0.0, 0.1, 0.5):
        other = with_least_share(forest, share)
        mean = np.mean([tree.predict_proba(X) for tree in other.estimators_], axis=0)
        np.testing.assert_array_equal(mean, other.predict_proba(X))
        assert np.abs(mean - forest.predict_proba(X)).max() > 0.01
        np.testing.assert_array_equal(
            other.predict_disagreement(X).undecided, forest.predict_disagreement(X).undecided
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_out_of_bag_predictions_are_those_of_trees_that_have_not_seen_the_row(rows, weighted):
    X, y = rows
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float) if weighted else None
    forest = TernaryForestClassifier(5, random_state=3, oob_score=True)
    with pytest.warns(UserWarning, match="no out-of-bag prediction"):
        forest.fit(X, y, sample_weight=weights)
    unseen = drawn(forest, X, y, weights) == 0
    if weighted:
        unseen &= weights > 0
    distributions, _ = answers(forest, X)
    with np.errstate(invalid="ignore"):
        means = (distributions * unseen[:, :, None]).sum(axis=0) / unseen.sum(axis=0)[:, None]
    assert 0 < np.isnan(means[:, 0]).sum() < len(y)
    expected = sharpened(means, forest.exponent_)
    np.testing.assert_allclose(forest.oob_decision_function_, expected, rtol=1e-10)
    known = ~np.isnan(means[:, 0])
    right = forest.classes_[means[known].argmax(axis=1)] == y[known]
    assert forest.oob_score_ == right.mean()


def test_bags_are_draws_with_replacement(rows):
    X, y = rows
    forest = TernaryForestClassifier(30, random_state=0).fit(X, y)
    times = drawn(forest, X, y)
    assert (times.sum(axis=1) == len(y)).all()
    # A row is in a bag with probability 1 - (1 - 1/n)^n = 0.633; 4,500 of them.
    assert abs((times > 0).mean() - 0.633) < 0.02
    few = TernaryForestClassifier(30, max_samples=0.2, random_state=0).fit(X, y)
    assert (drawn(few, X, y).sum(axis=1) == 30).all()
    few = TernaryForestClassifier(30, max_samples=7, random_state=0).fit(X, y)
    assert (drawn(few, X, y).sum(axis=1) == 7).all()
    many = TernaryForestClassifier(30, max_samples=2.0, random_state=0).fit(X, y)
    assert (drawn(many, X, y).sum(axis=1) == 300).all()


def test_disagreement_counts_trees(rows):
    X, y = rows
    forest = TernaryForestClassifier(15, random_state=3, zone_scale=0.4).fit(X, y)
    found = forest.predict_disagreement(X)
    distributions, classes = answers(forest, X)
    undecided = np.mean([[of_row is None for of_row in rows] for rows in classes], axis=0)
    assert 0 < undecided.mean() < 1
    np.testing.assert_allclose(found.undecided, undecided)
    for class_id in range(3):
        votes = np.mean([[of_row == class_id for of_row in rows] for rows in classes], axis=0)
        np.testing.assert_allclose(found.votes[:, class_id], votes)
    best = distributions.mean(axis=0).argmax(axis=1)
    spread = distributions[:, np.arange(len(X)), best].std(axis=0)
    np.testing.assert_allclose(found.spread, spread, atol=1e-7)


def test_trees_are_classifiers(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(4, random_state=0).fit(X, y)
    trees = forest.estimators_
    assert len(trees) == len(forest) == len(list(forest)) == 4
    assert forest[2].export_text() == trees[2].export_text()
    assert all(isinstance(tree, TernaryTreeClassifier) for tree in trees)
    assert [tree.get_n_leaves() for tree in trees[1:3]] == [trees[i].get_n_leaves() for i in (1, 2)]
    assert trees[-1].export_text() == trees[3].export_text()
    with pytest.raises(IndexError, match="there is no tree 4: the forest has 4"):
        trees[4]
    leaves = forest.apply(X[:50])
    indicator, ends = forest.decision_path(X[:50])
    assert indicator.shape == (50, ends[-1])
    for number, tree in enumerate(trees):
        np.testing.assert_array_equal(leaves[:, number], tree.apply(X[:50]))
        of_tree = indicator[:, ends[number] : ends[number + 1]]
        assert (of_tree != tree.decision_path(X[:50])).nnz == 0


def test_importances_are_the_mean_of_the_trees(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(10, random_state=0).fit(X, y)
    of_trees = np.mean([tree.feature_importances_ for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose(forest.feature_importances_, of_trees)
    assert forest.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:.*no out-of-bag prediction")
def test_the_number_of_threads_changes_no_byte(noisy):
    X, y = noisy
    fits = [
        TernaryForestClassifier(6, random_state=1, n_jobs=n_jobs, oob_score=True).fit(X, y)
        for n_jobs in (1, 2, 7)
    ]
    assert len({forest._file() for forest in fits}) == 1
    assert len({forest.oob_score_ for forest in fits}) == 1
    assert len({forest.predict_proba(X).tobytes() for forest in fits}) == 1


def test_the_seed_decides(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(3)
    assert forest.fit(X, y)._file() != forest.fit(X, y)._file()
    forest.set_params(random_state=5)
    assert forest.fit(X, y)._file() == forest.fit(X, y)._file()


def test_the_choice_is_the_least_loss(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(random_state=0).fit(X, y)
    results = forest.oob_results_
    best = int(np.argmin(results["log_loss"]))
    assert forest.zone_scale_ == results["zone_scale"][best]
    assert forest.exponent_ == results["exponent"][best]
    assert forest.oob_log_loss_ == results["log_loss"][best]
    assert results["rank"][best] == 1
    # What was chosen is what was measured.
    forest.set_params(oob_score=True).fit(X, y)
    of_truth = forest.oob_decision_function_[np.arange(len(y)), y]
    assert forest.oob_log_loss_ == pytest.approx(-np.log(of_truth).mean(), rel=1e-9)
    given = TernaryForestClassifier(zone_scale=0.5, exponent="off", random_state=0).fit(X, y)
    assert (given.zone_scale_, given.exponent_) == (0.5, "off")
    with pytest.raises(AttributeError, match="chose neither"):
        _ = given.oob_results_


def test_the_exponent_changes_no_class(noisy):
    X, y = noisy
    sharp, plain = (
        TernaryForestClassifier(8, exponent=exponent, zone_scale=0.4, random_state=0).fit(X, y)
        for exponent in (3.0, "off")
    )
    np.testing.assert_array_equal(sharp.predict(X), plain.predict(X))
    assert sharp.predict_proba(X).max(axis=1).mean() > plain.predict_proba(X).max(axis=1).mean()


def test_rows_of_weight_zero_are_absent_rows(rows):
    X, y = rows
    weights = np.random.default_rng(2).integers(0, 2, len(y)).astype(float)
    kept = weights > 0
    forest = TernaryForestClassifier(8, random_state=4)
    with_zeros = forest.fit(X, y, sample_weight=weights).predict_proba(X)
    np.testing.assert_array_equal(with_zeros, forest.fit(X[kept], y[kept]).predict_proba(X))


def test_class_weights(rows):
    X, y = rows
    counts = np.bincount(y)
    by_hand = {c: len(y) / (3 * n) for c, n in enumerate(counts)}
    fits = {
        name: TernaryForestClassifier(
            20, class_weight=weight, min_samples_leaf=15, random_state=0
        ).fit(X, y)
        for name, weight in {
            "none": None,
            "balanced": "balanced",
            "by_hand": by_hand,
            "subsample": "balanced_subsample",
        }.items()
    }
    means = {name: forest.predict_proba(X)[:, 2].mean() for name, forest in fits.items()}
    assert means["balanced"] == pytest.approx(means["by_hand"], rel=1e-9)
    assert means["balanced"] > means["none"]
    assert means["subsample"] > means["none"]
    assert means["subsample"] != means["balanced"]


def test_out_of_bag_score_by_a_function(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(random_state=0, oob_score=balanced_accuracy_score).fit(X, y)
    predicted = forest.oob_decision_function_.argmax(axis=1)
    assert forest.oob_score_ == balanced_accuracy_score(y, predicted)
    forest.set_params(oob_score=False)
    for name in ("oob_score_", "oob_decision_function_"):
        assert not hasattr(forest, name)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"warm_start": True}, "warm_start=True is not supported: .*fit anew"),
        ({"bootstrap": False}, "choose zone_scale and exponent by: give zone_scale=0.2"),
        ({"bootstrap": False, "zone_scale": 1}, "choose exponent by"),
        ({"bootstrap": False, "exponent": "off"}, "choose zone_scale by"),
        (
            {"bootstrap": False, "zone_scale": 1, "exponent": 2, "oob_score": True},
            "oob_score needs rows out of bag",
        ),
        (
            {"bootstrap": False, "zone": "none", "exponent": "off", "max_samples": 5},
            "max_samples .*without bootstrap",
        ),
        ({"zone": zones.Spread(scale=0.3)}, "say zone_scale=0.3"),
        ({"zone": "cost_optimal"}, "cost_optimal"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"exponent": -1.0}, "exponent"),
        ({"max_samples": 0.0}, "max_samples"),
    ],
)
def test_what_is_refused_says_why(rows, settings, message):
    with pytest.raises(ValueError, match=message):
        TernaryForestClassifier(**settings).fit(*rows)


def test_forests_without_bags(rows):
    X, y = rows
    plain = TernaryForestClassifier(
        5, bootstrap=False, zone="none", exponent="off", max_features=None, random_state=0
    ).fit(X, y)
    assert plain.score(X, y) == 1.0
    assert plain.verdict_policy_.coverage is None
    with pytest.raises(ValueError, match=r"cv='oob' needs out-of-bag predictions"):
        VerdictClassifier(FrozenEstimator(plain), flag_rate=0.1, cv="oob").fit(X, y)


def test_tables_with_categories_and_missing_values(wards):
    table, y = wards
    forest = TernaryForestClassifier(30, random_state=0, oob_score=True).fit(table, y)
    assert forest.oob_score_ > 0.7
    assert "category_error" in forest.oob_results_
    names = ["pilot", "judge", "nurse", "cook", "clerk"]
    recoded = table.assign(job=pd.Categorical(table["job"], names))
    np.testing.assert_array_equal(forest.predict_proba(table), forest.predict_proba(recoded))
    odd = table[:2].assign(job=["astronaut", "clerk"])
    assert forest.unknown_categories(odd) == {"job": ["astronaut"]}
    assert np.isfinite(forest.predict_proba(odd)).all()
    strict = TernaryForestClassifier(5, missing="error")
    with pytest.raises(ValueError, match="age"):
        strict.fit(table, y)


def test_searches_and_pipelines(cancer):
    X, y = cancer
    forest = TernaryForestClassifier(10, random_state=0)
    assert cross_val_score(make_pipeline(StandardScaler(), forest), X, y, cv=3).min() > 0.9
    grid = {"min_samples_leaf": [1, 20], "zone__max_fraction": [0.1, 0.25]}
    search = GridSearchCV(forest, grid, cv=2, scoring="neg_log_loss", n_jobs=2).fit(X, y)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    importances = permutation_importance(forest.fit(X, y), X, y, n_repeats=1, random_state=0)
    assert importances.importances_mean.max() > 0


def test_progress_is_shown_on_request(cancer, capsys):
    X, y = cancer
    forest = TernaryForestClassifier(5, random_state=0).fit(X, y)
    assert capsys.readouterr() == ("", "")
    loud = TernaryForestClassifier(5, random_state=0, verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("\r")
    last = err.rstrip("\n").split("\r")[-1]
    assert re.fullmatch(r"counting rows within zones: 5 of 5, \d+ s *", last)
    assert err.endswith("\n")
    assert loud._file() == forest._file()


def test_zones_of_known_measurement_errors_name_features_that_no_tree_tests(rows):
    X, y = rows
    table = pd.DataFrame(X, columns=list("abcd")).assign(e=1.0)
    with pytest.warns(UserWarning, match="e"):
        TernaryForestClassifier(5, zone=zones.Specified({"a": 0.1, "e": 1.0})).fit(table, y)


@pytest.mark.filterwarnings("ignore", category=VerdictWarning)
def test_the_verdict_by_default_is_by_cost_on_out_of_bag_rows(rows):
    X, y = rows
    forest = TernaryForestClassifier(60, random_state=0).fit(X, y)
    policy = forest.verdict_policy_
    assert (policy.kind, policy.threshold, policy.approximate) == ("cost", 0.8, True)
    assert sum(tally["rows"] for tally in policy.classes.values()) == len(y)
    probabilities = forest.predict_proba(X)
    np.testing.assert_array_equal(forest.predict_decided(X), probabilities.max(axis=1) >= 0.8)
