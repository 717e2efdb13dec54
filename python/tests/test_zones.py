"""Do verdicts, probabilities and distances obey their laws?"""

import numpy as np
import pytest

from ternwood import TernaryTreeClassifier, zones

ESTIMATED = [zone for zone in zones.KINDS if zone not in ("none", "specified")]


def fit(data, **options):
    return TernaryTreeClassifier(max_depth=4, random_state=0, **options).fit(*data)


@pytest.mark.parametrize("zone", ESTIMATED)
@pytest.mark.parametrize("routing", ["probabilistic", "deferred"])
def test_a_decided_row_gets_the_prediction_of_cart(noisy, zone, routing):
    X, _ = noisy
    cart, clf = fit(noisy, zone="none"), fit(noisy, zone=zone, routing=routing)
    classes, probabilities, verdicts = clf.predict_all(X)
    decided = verdicts
    assert 0 < decided.sum() < len(X)
    assert (probabilities[decided] == cart.predict_proba(X)[decided]).all()
    assert (classes == clf.classes_[probabilities.argmax(axis=1)]).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_all_prediction_methods_agree(noisy):
    X, y = noisy
    clf = fit(noisy)
    classes, probabilities, verdicts = clf.predict_all(X)
    assert (clf.predict(X) == classes).all()
    assert (clf.predict_proba(X) == probabilities).all()
    assert (clf.predict_decided(X) == verdicts).all()
    assert verdicts.dtype == np.bool_
    assert set(verdicts) == {False, True}
    assert clf.score(X, y) == (classes == y).mean()


@pytest.mark.parametrize("zone", ESTIMATED)
def test_the_distance_gives_the_verdict_at_every_scale(noisy, zone):
    X, _ = noisy
    distance = fit(noisy, zone=zone).zone_distance(X)
    for scale in (0.3, 1.0, 2.5):
        scaled = fit(noisy, zone=zones.as_zone(zone).set_params(scale=scale))
        clear = np.abs(distance - scale) > 1e-9 * scale
        undecided = ~scaled.predict_decided(X)
        assert (undecided == (distance <= scale))[clear].all()
        assert undecided.any()


def test_specified_widths_are_used_unchanged(noisy):
    widths = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    tree = fit(noisy, zone=zones.Specified(widths)).tree_
    splits = tree.feature >= 0
    assert (tree.half_width[splits] == widths[tree.feature[splits]]).all()


def test_a_weight_of_two_acts_like_two_copies(noisy):
    X, y = (part[:500] for part in noisy)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    for zone in ("margin", "quality_plateau", "gain_ratio", "node_bootstrap"):
        clf = TernaryTreeClassifier(zone=zone, max_depth=3, random_state=0)
        weighted = clf.fit(X, y, weights).predict_all(X)
        repeated = clf.fit(X[copies], y[copies]).predict_all(X)
        assert all((a == b).all() for a, b in zip(weighted, repeated, strict=True)), zone


def test_random_parts_follow_the_seed(noisy):
    options = {"zone": "node_bootstrap", "max_depth": 3}

    def text(random_state):
        return TernaryTreeClassifier(**options, random_state=random_state).fit(*noisy).to_json()

    assert text(1) == text(1) != text(2)
    assert text(np.random.RandomState(1)) == text(np.random.RandomState(1))
    np.random.seed(5)  # noqa: NPY002, as scikit-learn's estimators follow it
    first = text(None)
    assert text(None) != first
    np.random.seed(5)  # noqa: NPY002
    assert text(None) == first
    # Without randomness, no seed is drawn.
    plain = [TernaryTreeClassifier(max_depth=3).fit(*noisy).to_json() for _ in range(2)]
    assert plain[0] == plain[1]
