"""Does a forest survive saving, pickling and copying?"""

import copy
import json
import pickle
import pickletools

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

import ternwood
from ternwood import TernaryForestClassifier, VerdictClassifier, zones

RICH = {
    "n_estimators": 6,
    "zone": zones.Margin(max_fraction=0.2, min_samples_category=7),
    "zone_scale": "auto",
    "exponent": 1.7,
    "criterion": "entropy",
    "max_depth": 9,
    "min_samples_split": 0.05,
    "min_samples_leaf": 3,
    "min_weight_fraction_leaf": 0.01,
    "max_features": 0.4,
    "max_leaf_nodes": 12,
    "min_impurity_decrease": 1e-4,
    "random_state": 2**40,
    "class_weight": {0: 1.5, 1: 1.0},
    "ccp_alpha": 1e-4,
    "max_samples": 0.9,
    "missing": "unknown",
}


@pytest.fixture
def fitted(cancer):
    return TernaryForestClassifier(**RICH).fit(*cancer)


def saved(clf, path):
    clf.save(path)
    return ternwood.load(path)


@pytest.mark.parametrize(
    "round_trip",
    [
        lambda clf, path: pickle.loads(pickle.dumps(clf)),
        lambda clf, path: copy.deepcopy(clf),
        lambda clf, path: (joblib.dump(clf, path / "f.joblib"), joblib.load(path / "f.joblib"))[1],
        lambda clf, path: ternwood.loads(clf.to_json()),
        lambda clf, path: saved(clf, path / "forest.json"),
        lambda clf, path: saved(clf, path / "forest.safetensors"),
    ],
    ids=["pickle", "deepcopy", "joblib", "json", "json file", "safetensors file"],
)
def test_round_trips_keep_predictions(fitted, cancer, tmp_path, round_trip):
    again = round_trip(fitted, tmp_path)
    assert isinstance(again, TernaryForestClassifier)
    for one, other in zip(again.predict_all(cancer[0]), fitted.predict_all(cancer[0]), strict=True):
        np.testing.assert_array_equal(one, other)
    assert again._file() == fitted._file()
    params = again.get_params()
    assert {name: params[name] for name in RICH} == RICH
    # It is complete: it can be fitted again, to the same forest.
    assert again.fit(*cancer)._file() == fitted._file()


def test_the_name_of_a_file_tells_its_format(fitted, tmp_path):
    fitted.save(tmp_path / "forest.JSON")
    assert (tmp_path / "forest.JSON").read_text() == fitted.to_json()
    fitted.save(tmp_path / "forest")
    file = (tmp_path / "forest").read_bytes()
    # Safetensors: the length of a JSON header, the header, and arrays.
    length = int.from_bytes(file[:8], "little")
    assert isinstance(json.loads(file[8 : 8 + length]), dict)
    assert len(file) < len(fitted.to_json())


def test_a_pickle_holds_the_file_and_nothing_executable(fitted):
    operations = list(pickletools.genops(pickle.dumps(fitted)))
    assert fitted._file() in [argument for _, argument, _ in operations]
    strings = [argument for _, argument, _ in operations if isinstance(argument, str)]
    assert "Model" in strings
    assert "loads" not in strings
    assert "fit" not in strings


def test_a_chosen_exponent_is_a_parameter_of_what_is_loaded(cancer, tmp_path):
    forest = TernaryForestClassifier(6, random_state=0).fit(*cancer)
    again = saved(forest, tmp_path / "forest")
    assert again.exponent == again.exponent_ == forest.exponent_
    assert (again.zone_scale, again.zone_scale_) == ("auto", forest.zone_scale_)
    assert again.oob_results_.keys() == forest.oob_results_.keys()


def test_out_of_bag_rows_are_in_a_pickle_and_in_no_file(cancer, tmp_path):
    X, y = cancer
    forest = TernaryForestClassifier(40, random_state=0, oob_score=True).fit(X, y)
    pickled = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(pickled.oob_decision_function_, forest.oob_decision_function_)

    def out_of_bag(fitted):
        clf = VerdictClassifier(FrozenEstimator(fitted), flag_rate=0.1, cv="oob")
        return str(clf.fit(X, y).verdict_policy_)

    assert out_of_bag(pickled) == out_of_bag(forest)
    loaded = saved(forest, tmp_path / "forest")
    assert str(loaded.verdict_policy_) == str(forest.verdict_policy_)
    assert not hasattr(loaded.set_params(oob_score=True), "oob_decision_function_")
    with pytest.raises(ValueError, match="this TernaryForestClassifier has none"):
        out_of_bag(loaded)


def test_a_verdict_around_a_forest_is_saved_with_it(cancer, tmp_path):
    X, y = cancer
    forest = TernaryForestClassifier(10, random_state=0)
    clf = VerdictClassifier(forest, cv="oob", flag_rate=0.2).fit(X, y)
    again = saved(clf, tmp_path / "forest")
    np.testing.assert_array_equal(again.predict_decided(X), clf.predict_decided(X))
    assert "SHA-256" in clf.report_.html


def test_what_is_published_needs_no_hashes_of_rows(fitted, tmp_path):
    fitted.save(tmp_path / "with")
    fitted.save(tmp_path / "without", private=True)
    assert (tmp_path / "without").stat().st_size < (tmp_path / "with").stat().st_size


def test_unfitted_forests_are_cloned_and_pickled():
    forest = TernaryForestClassifier(**RICH)
    assert clone(forest).get_params()["exponent"] == 1.7
    assert pickle.loads(pickle.dumps(forest)).get_params() == forest.get_params()


@pytest.mark.parametrize("cut", [0, 4, 8, 100, -1])
def test_a_damaged_file_is_a_value_error(fitted, tmp_path, cut):
    (tmp_path / "forest").write_bytes(fitted._file()[:cut])
    with pytest.raises(ValueError, match=r"forest: not a usable model file"):
        ternwood.load(tmp_path / "forest")


def test_categories_and_names_are_kept(wards, tmp_path):
    table, y = wards
    forest = TernaryForestClassifier(5, random_state=0).fit(table, y)
    again = saved(forest, tmp_path / "forest")
    np.testing.assert_array_equal(again.predict_proba(table), forest.predict_proba(table))
    assert again.feature_names_in_.tolist() == list(table.columns)
    assert again.categorical_features == ["job", "size", "smoker"]
