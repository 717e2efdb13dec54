"""Do automatic parameters work as scikit-learn users expect?"""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ternwood
from ternwood import TernaryTreeClassifier

PRESET = {"zone": "spread", "zone_scale": "auto", "leaves": "em", "max_depth": "auto"}


def test_the_preset_sets_four_parameters(noisy):
    clf = TernaryTreeClassifier.calibrated()
    assert clf.get_params() == TernaryTreeClassifier(**PRESET).get_params()
    assert clone(clf).get_params() == clf.get_params()
    own = TernaryTreeClassifier.calibrated(max_depth=3, zone="margin", criterion="entropy")
    assert (own.max_depth, own.zone, own.criterion) == (3, "margin", "entropy")
    assert (own.leaves, own.zone_scale) == ("em", "auto")
    assert own.fit(*noisy).get_params() == clone(own).get_params()
    with pytest.raises(TypeError, match="max_deep"):
        TernaryTreeClassifier.calibrated(max_deep=3)


def test_choice_lists_the_candidates_and_the_lowest_loss_wins(noisy):
    clf = TernaryTreeClassifier.calibrated().fit(*noisy)
    depths, scales, errors, losses = clf.choice_
    assert len(depths) == len(scales) == len(losses) == 35
    assert errors is None  # there are no categories
    best = int(np.argmin(losses))
    assert (clf.max_depth_, clf.zone_scale_) == (depths[best], scales[best])
    assert clf.get_depth() <= clf.max_depth_
    fixed = TernaryTreeClassifier(max_depth=3, zone_scale=0.5).fit(*noisy)
    assert (fixed.max_depth_, fixed.zone_scale_, fixed.choice_) == (3, 0.5, None)
    only_scale = TernaryTreeClassifier(max_depth=3, zone_scale="auto").fit(*noisy)
    assert only_scale.choice_.max_depth == [3] * 7


def test_with_categories_their_error_is_chosen_too(wards):
    clf = TernaryTreeClassifier.calibrated(max_depth=3).fit(*wards)
    _, scales, errors, losses = clf.choice_
    assert len(losses) == len(scales) == len(errors)
    assert set(errors) == {0, 1, 2, 4, 8}
    assert set(scales) == {0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2}
    best = int(np.argmin(losses))
    assert (clf.zone_scale_, clf.category_error_) == (scales[best], errors[best])
    cuts = [cut for cut in clf.tree_.categories if cut is not None]
    assert {cut.category_error for cut in cuts} == {clf.category_error_}
    fixed = TernaryTreeClassifier(max_depth=3, category_error=0.5).fit(*wards)
    assert (fixed.category_error_, fixed.choice_) == (0.5, None)


def test_a_calibrated_model_survives_saving(noisy, tmp_path):
    X, y = noisy
    clf = TernaryTreeClassifier.calibrated(random_state=7).fit(X, y)
    clf.save(tmp_path / "model.json")
    again = ternwood.load(tmp_path / "model.json")
    assert again.get_params() == clf.get_params()
    assert (again.predict_proba(X) == clf.predict_proba(X)).all()
    assert again.zone_scale_ == clf.zone_scale_
    assert (again.choice_.log_loss == clf.choice_.log_loss).all()


def test_threads_and_missing_seeds_do_not_change_the_model(noisy):
    models = {
        TernaryTreeClassifier.calibrated(max_depth=4, n_jobs=n).fit(*noisy).to_json()
        for n in (1, 2, 1)
    }
    assert len(models) == 1
    seeded = TernaryTreeClassifier.calibrated(max_depth=4, random_state=3).fit(*noisy)
    assert seeded.to_json() not in models


def assert_same_choice_and_predictions(one, other, X):
    # The rounding of EM sums depends on row order.
    np.testing.assert_allclose(one.choice_.log_loss, other.choice_.log_loss, rtol=1e-12)
    assert one.zone_scale_ == other.zone_scale_
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-12)


def test_row_order_and_copies_instead_of_weights_do_not_change_the_model(noisy):
    X, y = (part[:600] for part in noisy)
    random = np.random.default_rng(0)

    def fit(rows=slice(None), weights=None):
        clf = TernaryTreeClassifier.calibrated(max_depth=4)
        return clf.fit(X[rows], y[rows], sample_weight=weights)

    plain = fit()
    assert_same_choice_and_predictions(plain, fit(random.permutation(len(y))), X)
    weights = random.integers(0, 4, len(y))
    weighted = fit(weights=weights)
    copies = random.permutation(np.repeat(np.arange(len(y)), weights))
    assert_same_choice_and_predictions(weighted, fit(copies), X)
    assert (weighted.choice_.log_loss != plain.choice_.log_loss).all()


def test_a_search_can_compare_presets(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), TernaryTreeClassifier.calibrated(max_depth=4))
    name = "ternarytreeclassifier"
    grid = {f"{name}__leaves": ["counts", "em"], f"{name}__zone_scale": [1.0, "auto"]}
    search = GridSearchCV(pipeline, grid, scoring="neg_log_loss", cv=3).fit(X, y)
    tried = search.cv_results_["params"]
    assert len(tried) == 4
    best = tried[int(np.argmax(search.cv_results_["mean_test_score"]))]
    assert search.best_params_ == best
    by_hand = clone(pipeline).set_params(**best).fit(X, y)
    assert (search.predict_proba(X) == by_hand.predict_proba(X)).all()
    assert (by_hand[-1].choice_ is None) == (best[f"{name}__zone_scale"] == 1.0)


def test_probabilities_are_closer_to_the_truth_than_those_of_cart(noisy):
    X, y = noisy
    # The classes of `noisy`: whether x0 + x1 plus noise of the same kind exceeds 0.
    true = norm.cdf(X[:, 0] + X[:, 1])

    def distance(clf):
        found = clf.fit(X[::2], y[::2]).predict_proba(X[1::2])[:, 1]
        return np.square(found - true[1::2]).mean()

    cart = TernaryTreeClassifier(zone="none", leaves="smoothed", max_depth="auto")
    assert distance(TernaryTreeClassifier.calibrated()) < distance(cart)


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
        TernaryTreeClassifier(zone="cost_optimal", cost_ratio=ratio, max_depth=4)
        .fit(*noisy)
        .predict_verdict(X)
        == 0
        for ratio in (0.05, 0.2, 0.45)
    )
    assert (cheap >= medium).all()
    assert (medium >= expensive).all()
    assert cheap.sum() > medium.sum() > expensive.sum() > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"zone_scale": "automatic"}, "'zone_scale' parameter"),
        ({"max_depth": "deep"}, "'max_depth' parameter"),
        ({"leaves": "average"}, "'leaves' parameter"),
        ({"zone": "cost_optimal", "cost_ratio": 1.0}, "'cost_ratio' parameter"),
        ({"zone": "cost_optimal", "routing": "hard_middle"}, "zone is cost_optimal"),
    ],
)
def test_invalid_parameters_are_errors(noisy, options, message):
    with pytest.raises(ValueError, match=message):
        TernaryTreeClassifier(**options).fit(*noisy)
