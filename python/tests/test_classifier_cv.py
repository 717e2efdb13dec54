"""Does the classifier with inner cross-validation work as scikit-learn users expect?"""

from html import escape

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ternwood
from ternwood import TernaryTreeClassifier, TernaryTreeClassifierCV, zones


def noisy_rows(n, seed):
    """Make rows as in `noisy`."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    return X, (X[:, 0] + X[:, 1] + random.normal(size=n) > 0).astype(int)


SCALES = {0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2}


def test_results_have_the_form_of_a_grid_search_and_the_best_wins(noisy):
    X, y = noisy
    clf = TernaryTreeClassifierCV(max_depth="best").fit(X, y)
    results = clf.cv_results_
    assert {*results["param_zone__scale"]} == SCALES
    assert {*results["param_max_depth"]} == {2, 3, 4, 5, 6, 8, 10}
    assert "param_zone__category_error" not in results  # there are no categories
    mean, ranks = results["mean_test_score"], results["rank_test_score"]
    assert len(results["params"]) == len(mean) == 49
    assert clf.best_index_ == int(np.argmax(mean)) == int(np.argmin(ranks))
    assert clf.best_params_ == results["params"][clf.best_index_]
    assert clf.best_score_ == mean.max()
    assert clf.get_depth() <= clf.best_params_["max_depth"]
    splits = [results[f"split{fold}_test_score"] for fold in range(10)]
    assert "split10_test_score" not in results
    # The inner folds differ by at most one row of each class.
    np.testing.assert_allclose(np.mean(splits, axis=0), mean, rtol=1e-3)
    np.testing.assert_allclose(results["std_test_score"], np.std(splits, axis=0))
    grid = GridSearchCV(TernaryTreeClassifier(), {"max_depth": [1, 2]}, cv=2).fit(X, y)
    of_fits = {name for name in grid.cv_results_ if "time" not in name}
    ours = {name for name in results if "split" not in name and "zone" not in name}
    assert ours == {name for name in of_fits if "split" not in name}


def test_the_plain_classifier_with_the_best_parameters_is_the_same_tree(noisy):
    X, y = noisy
    clf = TernaryTreeClassifierCV().fit(X, y)
    plain = TernaryTreeClassifier(
        zone="spread", leaves="em", zero_gain_splits=clf.zero_gain_splits
    ).set_params(**clf.best_params_)
    assert (plain.fit(X, y).predict_proba(X) == clf.predict_proba(X)).all()


def test_what_is_given_is_not_chosen(noisy):
    scales = TernaryTreeClassifierCV(max_depth=3).fit(*noisy).cv_results_
    assert {*scales["param_max_depth"]} == {3}
    assert {*scales["param_zone__scale"]} == SCALES
    fixed_scale = TernaryTreeClassifierCV(zone_scale=0.5).fit(*noisy)
    assert fixed_scale.verdict_policy_.kind == "cost"
    depths = fixed_scale.cv_results_
    assert {*depths["param_zone__scale"]} == {0.5}
    assert {*depths["param_max_depth"]} == {2, 3, 4, 5, 6, 8, 10}
    for given in (3, None):
        with pytest.raises(ValueError, match="leaves nothing to choose"):
            TernaryTreeClassifierCV(max_depth=given, zone_scale=0.5).fit(*noisy)
    with pytest.raises(ValueError, match=r"say zone_scale=0\.5"):
        TernaryTreeClassifierCV(zone=zones.Spread(scale=0.5)).fit(*noisy)


def depths_by_score(clf):
    """Return the mean and the scores by fold of each depth at its best, from shallow to deep."""
    results = clf.cv_results_
    scores = np.array([column for name, column in results.items() if name.startswith("split")]).T
    best = {}
    for params, mean, of_folds in zip(
        results["params"], results["mean_test_score"], scores, strict=True
    ):
        depth = params["max_depth"]
        if depth not in best or mean > best[depth][0] + 1e-12:
            best[depth] = (mean, of_folds)
    return best


def test_auto_is_the_shallowest_depth_within_a_standard_error_of_the_best_readable_one(noisy):
    X, y = noisy
    clf = TernaryTreeClassifierCV().fit(X, y)
    assert clf.get_params()["max_depth"] == "auto"
    best = depths_by_score(clf)
    readable = [depth for depth in best if depth <= 5]
    top = max(readable, key=lambda depth: best[depth][0])
    for depth in readable:
        gaps = best[top][1] - best[depth][1]
        if gaps.mean() <= gaps.std(ddof=1) / np.sqrt(len(gaps)) + 1e-9:
            break
    assert clf.best_params_["max_depth"] == depth
    assert clf.get_depth() <= depth


def test_best_is_the_depth_with_the_best_score_and_auto_tells_what_it_would_gain():
    # A checkerboard of 64 fields takes more depth than can be read.
    rng = np.random.default_rng(0)
    X = rng.random((3_000, 2))
    y = (np.floor(8 * X).sum(axis=1) % 2).astype(int)
    auto = TernaryTreeClassifierCV().fit(X, y)
    best = TernaryTreeClassifierCV(max_depth="best").fit(X, y)
    assert best.depth_gain_ is None
    assert best.best_score_ == best.cv_results_["mean_test_score"].max()
    gain = auto.depth_gain_
    assert gain.depth == best.best_params_["max_depth"] > 5 >= auto.best_params_["max_depth"]
    assert gain.log_loss == -best.best_score_
    assert gain.gain == best.best_score_ - auto.best_score_ > 0
    assert gain.leaves == pytest.approx(best.get_n_leaves(), rel=0.3)  # of four fifths of the rows
    assert str(gain) == (
        f"depth {gain.depth} (about {gain.leaves:.0f} leaves) would have a log-loss of "
        f'{gain.log_loss:.4f}, {gain.gain:.4f} less: max_depth="best"'
    )
    assert auto.get_n_leaves() <= 32 < best.get_n_leaves()
    # In a notebook too.
    assert escape(str(gain)) in auto._repr_html_inner()
    assert "would have a log-loss" not in best._repr_html_inner()


def test_no_limit_of_depth_is_none_as_in_the_other_classifiers(noisy):
    X, y = (part[:1_000] for part in noisy)
    free = TernaryTreeClassifierCV(max_depth=None).fit(X, y)
    assert {*free.cv_results_["param_max_depth"]} == {None}
    assert free.depth_gain_ is None
    plain = TernaryTreeClassifier(max_depth=None, zero_gain_splits=True)
    assert free.get_depth() == plain.fit(X, y).get_depth() > 10


def test_a_search_may_try_auto_best_and_numbers(noisy):
    X, y = noisy
    depths = ["auto", "best", 3, None]
    search = GridSearchCV(TernaryTreeClassifierCV(), {"max_depth": depths}, cv=2)
    results = search.fit(X[:200], y[:200]).cv_results_
    assert list(results["param_max_depth"]) == depths
    assert np.isfinite(results["mean_test_score"]).all()


def test_with_categories_their_error_is_chosen_too(wards):
    clf = TernaryTreeClassifierCV(max_depth=3).fit(*wards)
    results = clf.cv_results_
    assert {*results["param_zone__category_error"]} == {0, 1, 2, 4, 8}
    assert {*results["param_zone__scale"]} == SCALES
    cuts = [cut for cut in clf.tree_.categories if cut is not None]
    assert {cut.category_error for cut in cuts} == {clf.best_params_["zone__category_error"]}


def test_the_verdict_is_by_cost_and_says_what_it_does_to_held_out_rows(noisy):
    X, y = noisy
    clf = TernaryTreeClassifierCV().fit(X, y)
    policy = clf.verdict_policy_
    assert (policy.kind, policy.parameters) == ("cost", {"cost_ratio": 0.2})
    assert policy.approximate
    probabilities = clf.predict_proba(X)
    assert (clf.predict_decided(X) == (probabilities.max(axis=1) >= 0.8)).all()
    assert sum(tally["rows"] for tally in policy.classes.values()) == len(y)
    # On fresh rows of the same kind about as many are decided, about as rightly.
    fresh, labels = noisy_rows(20_000, seed=1)
    found, decided = clf.predict(fresh), clf.predict_decided(fresh)
    assert policy.coverage == pytest.approx(decided.mean(), abs=0.05)
    assert policy.decided_accuracy == pytest.approx((found == labels)[decided].mean(), abs=0.05)


def test_a_model_survives_saving(noisy, tmp_path):
    X, y = noisy
    for options in (
        {},
        {"max_depth": "best"},
        {"max_depth": None},
        {"zone_scale": 0.5},
        {"max_depth": 3, "zone": "quality_plateau"},
    ):
        clf = TernaryTreeClassifierCV(random_state=7, **options).fit(X, y)
        clf.save(tmp_path / "model.json")
        again = ternwood.load(tmp_path / "model.json")
        assert isinstance(again, TernaryTreeClassifierCV)
        assert again.get_params() == clf.get_params()
        assert (again.predict_proba(X) == clf.predict_proba(X)).all()
        assert (again.predict_decided(X) == clf.predict_decided(X)).all()
        assert again.best_params_ == clf.best_params_
        for name, column in clf.cv_results_.items():
            assert np.array_equal(again.cv_results_[name], column), name
        assert again.fit(X, y).to_json() == clf.to_json()


def test_threads_and_missing_seeds_do_not_change_the_model(noisy):
    models = {
        TernaryTreeClassifierCV(max_depth=4, n_jobs=n).fit(*noisy).to_json() for n in (1, 2, 1)
    }
    assert len(models) == 1
    seeded = TernaryTreeClassifierCV(max_depth=4, random_state=3).fit(*noisy)
    assert seeded.to_json() not in models


def assert_same_choice_and_predictions(one, other, X):
    # The rounding of EM sums depends on row order.
    scores = [clf.cv_results_["mean_test_score"] for clf in (one, other)]
    np.testing.assert_allclose(*scores, rtol=1e-12)
    assert one.best_params_ == other.best_params_
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-12)


def test_row_order_and_copies_instead_of_weights_do_not_change_the_model(noisy):
    X, y = (part[:600] for part in noisy)
    random = np.random.default_rng(0)

    def fit(rows=slice(None), weights=None):
        clf = TernaryTreeClassifierCV(max_depth=4)
        return clf.fit(X[rows], y[rows], sample_weight=weights)

    plain = fit()
    assert_same_choice_and_predictions(plain, fit(random.permutation(len(y))), X)
    weights = random.integers(0, 4, len(y))
    weighted = fit(weights=weights)
    copies = random.permutation(np.repeat(np.arange(len(y)), weights))
    assert_same_choice_and_predictions(weighted, fit(copies), X)
    assert (weighted.cv_results_["mean_test_score"] != plain.cv_results_["mean_test_score"]).all()


def test_a_search_around_it_is_nested_cross_validation(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), TernaryTreeClassifierCV(max_depth=4))
    grid = {"ternarytreeclassifiercv__zone": ["spread", zones.QualityPlateau(tolerance=0.1)]}
    search = GridSearchCV(pipeline, grid, scoring="neg_log_loss", cv=3).fit(X, y)
    by_hand = clone(pipeline).set_params(**search.best_params_).fit(X, y)
    assert (search.predict_proba(X) == by_hand.predict_proba(X)).all()
    assert search.best_estimator_[-1].best_params_ == by_hand[-1].best_params_


def test_probabilities_are_closer_to_the_truth_than_those_of_cart(noisy):
    X, y = noisy
    # The classes of `noisy`: whether x0 + x1 plus noise of the same kind exceeds 0.
    true = norm.cdf(X[:, 0] + X[:, 1])

    def distance(clf):
        found = clf.fit(X[::2], y[::2]).predict_proba(X[1::2])[:, 1]
        return np.square(found - true[1::2]).mean()

    cart = TernaryTreeClassifierCV(zone="none", leaves="smoothed")
    assert distance(TernaryTreeClassifierCV()) < distance(cart)


@pytest.mark.parametrize("leaves", ["smoothed", "em"])
def test_no_probability_is_zero(noisy, leaves):
    X, _ = noisy
    clf = TernaryTreeClassifier(leaves=leaves, zone="spread").fit(*noisy)
    probabilities = clf.predict_proba(X)
    assert (probabilities > 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_rows_flagged_at_a_higher_cost_are_flagged_at_a_lower_cost_too(noisy):
    X, _ = noisy
    cheap, medium, expensive = (
        ~TernaryTreeClassifier(zone=zones.CostOptimal(cost_ratio=ratio), max_depth=4)
        .fit(*noisy)
        .predict_decided(X)
        for ratio in (0.05, 0.2, 0.45)
    )
    assert (cheap >= medium).all()
    assert (medium >= expensive).all()
    assert cheap.sum() > medium.sum() > expensive.sum() > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"zone_scale": None}, "'zone_scale' parameter"),
        ({"zone_scale": -1.0}, "'zone_scale' parameter"),
        ({"max_depth": "deep"}, "'max_depth' parameter"),
        ({"max_depth": 0}, "'max_depth' parameter"),
        ({"leaves": "average"}, "'leaves' parameter"),
        ({"zone": "cost_optimal", "routing": "hard_middle"}, "zone is cost_optimal"),
    ],
)
def test_invalid_parameters_are_errors(noisy, options, message):
    with pytest.raises(ValueError, match=message):
        TernaryTreeClassifierCV(**options).fit(*noisy)


def test_the_plain_classifier_has_nothing_automatic(noisy):
    for options in ({"max_depth": "auto"}, {"zone": zones.Spread(scale="auto")}):
        with pytest.raises(ValueError, match="parameter"):
            TernaryTreeClassifier(**options).fit(*noisy)
    assert not any("cv" in name or "best" in name for name in dir(TernaryTreeClassifier()))


def test_a_single_row_has_no_folds():
    clf = TernaryTreeClassifierCV().fit([[1.0]], ["only"])
    assert "split0_test_score" not in clf.cv_results_
    assert np.isnan(clf.cv_results_["std_test_score"]).all()
    assert clf.predict([[2.0]]) == ["only"]
