"""Do parameters, their defaults and their documentation agree, and do searches reach them?"""

import inspect
import json
import re
from dataclasses import fields

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ternwood import TernaryTreeClassifier, TernaryTreeClassifierCV, VerdictClassifier, zones
from ternwood._ternwood import calibrated_recipe, paper_recipe

CLASSES = [TernaryTreeClassifier, TernaryTreeClassifierCV, VerdictClassifier, zones.Zone]
CLASSES += zones.KINDS.values()


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_documented_defaults_are_the_defaults(kind):
    given = dict(inspect.signature(kind).parameters)
    documented = re.findall(r"^    (\w+) : .*default=(.+)$", kind.__doc__, re.MULTILINE)
    for name, value in documented:
        assert repr(given[name].default) == value.replace('"', "'"), name
    inherited = {field.name for field in fields(zones.Zone)} if kind in CLASSES[4:] else set()
    listed = set(re.findall(r"\w+", " ".join(re.findall(r"^    ([\w, ]+) : ", kind.__doc__, re.M))))
    assert set(given) - inherited <= listed, "every parameter is documented"


def test_without_arguments_the_recipes_are_the_librarys(noisy):
    X, y = noisy
    plain = json.loads(TernaryTreeClassifier().fit(X, y)._model.recipe())
    assert plain == json.loads(paper_recipe())
    chosen = json.loads(TernaryTreeClassifierCV().fit(X, y)._model.recipe())
    expected = json.loads(calibrated_recipe())
    for recipe in (chosen, expected):  # what was chosen differs
        del recipe["params"]["max_depth"], recipe["params"]["zone"]["scale"]
    assert chosen == expected


def test_a_classifier_has_few_parameters():
    assert len(inspect.signature(TernaryTreeClassifier).parameters) <= 19


def test_a_zone_given_by_name_has_settings_too():
    clf = TernaryTreeClassifier(zone="quality_plateau").set_params(zone__tolerance=0.2)
    assert clf.zone == zones.QualityPlateau(tolerance=0.2)
    clf.set_params(zone="class_overlap", zone__tail=0.3)
    assert clf.zone == zones.ClassOverlap(tail=0.3)
    with pytest.raises(ValueError, match="Invalid parameter 'tolerance' for estimator Margin"):
        TernaryTreeClassifier().set_params(zone__tolerance=0.2)


def test_setting_one_copy_leaves_the_others_alone():
    zone = zones.Spread(scale=2.0)
    first = TernaryTreeClassifier(zone=zone)
    second = clone(first).set_params(zone__scale=0.5)
    assert (first.zone.scale, second.zone.scale, zone.scale) == (2.0, 0.5, 2.0)
    assert repr(second) == "TernaryTreeClassifier(zone=Spread(scale=0.5))"


def test_a_search_reaches_zones_and_their_settings(cancer):
    X, y = cancer
    pipeline = make_pipeline(StandardScaler(), TernaryTreeClassifier(max_depth=3))
    name = "ternarytreeclassifier__zone"
    grid = [
        {name: [zones.QualityPlateau()], f"{name}__tolerance": [0.0, 0.5]},
        {name: ["margin", zones.ClassOverlap(tail=0.05)], f"{name}__scale": [0.5, 2.0]},
    ]
    search = GridSearchCV(pipeline, grid, scoring="neg_log_loss", cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    assert len(np.unique(search.cv_results_["mean_test_score"])) == 6
    by_hand = clone(pipeline).set_params(**search.best_params_).fit(X, y)
    assert (search.predict_proba(X) == by_hand.predict_proba(X)).all()


def test_half_widths_go_by_name(iris_frame):
    X, y = iris_frame
    by_name = zones.Specified({"petal width (cm)": 0.2})
    in_order = zones.Specified([0, 0, 0, 0.2])
    texts = {TernaryTreeClassifier(zone=zone).fit(X, y).to_json() for zone in (by_name, in_order)}
    assert len(texts) == 1


@pytest.mark.parametrize(
    "clf",
    [
        TernaryTreeClassifier(max_features=2, max_depth=3),
        TernaryTreeClassifier(zone="node_bootstrap", max_depth=3),
        TernaryTreeClassifier(zone="cost_optimal", max_depth=3),
        TernaryTreeClassifierCV(max_depth=3),
    ],
    ids=["max_features", "node_bootstrap", "cost_optimal", "cv"],
)
def test_random_states_are_honoured_and_advance(noisy, clf):
    X, y = (part[:2000] for part in noisy)

    def text(random_state):
        return clone(clf).set_params(random_state=random_state).fit(X, y).to_json()

    assert text(np.random.RandomState(1)) == text(np.random.RandomState(1))
    assert text(np.random.RandomState(1)) != text(np.random.RandomState(2))
    # Two fits that share a generator draw different numbers.
    shared = np.random.RandomState(1)
    again = clf.set_params(random_state=shared)
    assert again.fit(X, y).to_json() != again.fit(X, y).to_json()
