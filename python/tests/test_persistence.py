"""Does a model survive saving, pickling and copying?"""

import copy
import errno
import importlib.metadata
import json
import os
import pickle
import pickletools
import sys

import joblib
import numpy as np
import pandas as pd
import pytest

import ternwood
from ternwood import TernaryTreeClassifier, zones
from ternwood._params import ROUTINGS

RICH = {
    "zone": zones.GainRatio(
        range_share=0.2, gain="information", scale=0.7, max_fraction=0.2, min_samples_middle=7
    ),
    "routing": "deferred",
    "criterion": "entropy",
    "max_depth": 4,
    "min_samples_split": 0.05,
    "min_samples_leaf": 3,
    "min_weight_fraction_leaf": 0.01,
    "max_leaf_nodes": 12,
    "max_features": 0.9,
    "min_impurity_decrease": 1e-4,
    "ccp_alpha": 1e-4,
    "class_weight": {0: 1.5, 1: 1.0},
    "zero_gain_splits": True,
    "random_state": 2**40,
}


def same_predictions(a, b, X):
    return all((x == y).all() for x, y in zip(a.predict_all(X), b.predict_all(X), strict=True))


@pytest.fixture
def fitted(cancer):
    return TernaryTreeClassifier(**RICH).fit(*cancer)


@pytest.mark.parametrize(
    "round_trip",
    [
        lambda clf, path: pickle.loads(pickle.dumps(clf)),
        lambda clf, path: pickle.loads(pickle.dumps(clf, protocol=2)),
        lambda clf, path: copy.deepcopy(clf),
        lambda clf, path: (
            joblib.dump(clf, path / "model.joblib"),
            joblib.load(path / "model.joblib"),
        )[1],
        lambda clf, path: ternwood.loads(clf.to_json()),
        lambda clf, path: (clf.save(path / "model.json"), ternwood.load(path / "model.json"))[1],
    ],
    ids=["pickle", "pickle 2", "deepcopy", "joblib", "json", "file"],
)
def test_round_trips_keep_predictions(fitted, cancer, tmp_path, round_trip):
    again = round_trip(fitted, tmp_path)
    assert same_predictions(again, fitted, cancer[0])
    assert again.to_json() == fitted.to_json()
    params = again.get_params()
    assert {name: params[name] for name in RICH} == RICH
    # It is complete: it can be fitted again, to the same tree.
    assert again.fit(*cancer).to_json() == fitted.to_json()


def test_a_pickle_holds_the_json_and_nothing_executable(fitted):
    pickled = pickle.dumps(fitted)
    operations = list(pickletools.genops(pickled))
    assert fitted.to_json().encode() in [argument for _, argument, _ in operations]
    strings = [argument for _, argument, _ in operations if isinstance(argument, str)]
    ours = {s for s in strings if s.startswith("ternwood") and "\n" not in s}
    assert ours == {"ternwood._tree", "ternwood._ternwood", "ternwood.zones"}
    # None of our code is called: objects are created by their class and filled with a state.
    assert "Model" in strings
    assert "loads" not in strings
    assert "fit" not in strings


def test_an_unfitted_classifier_can_be_pickled():
    clf = pickle.loads(pickle.dumps(TernaryTreeClassifier(**RICH)))
    assert clf.get_params() == TernaryTreeClassifier(**RICH).get_params()


@pytest.mark.parametrize("zone", zones.KINDS)
@pytest.mark.parametrize("routing", ROUTINGS)
def test_the_text_does_not_depend_on_threads(noisy, zone, routing):
    if (zone, routing) == ("cost_optimal", "hard_middle"):
        pytest.skip("zones that need predictions cannot shape a tree")
    X, y = noisy
    clf = TernaryTreeClassifier(
        zone=zones.Specified([0.1] * X.shape[1]) if zone == "specified" else zone,
        routing=routing,
        max_depth=3,
        max_features=3,
        random_state=1,
    )
    texts = {clf.set_params(n_jobs=n_jobs).fit(X, y).to_json() for n_jobs in (1, 2, 5, None)}
    assert len(texts) == 1
    again = ternwood.loads(texts.pop())
    assert (again.zone, again.routing) == (clf.zone, routing)
    assert same_predictions(again, clf, X)


def test_parameters_of_every_zone_survive_saving(iris):
    X, y = iris
    settings = [
        {"zone": zones.QualityPlateau(tolerance=0.2, connected=True)},
        {"zone": zones.ClassOverlap(tail=0.3)},
        {"zone": zones.CostOptimal(cost_ratio=0.35)},
        {"zone": zones.Spread(scale=0.4), "leaves": "em"},
        {"zone": zones.GainRatio(range_share=0.4, gain="information")},
        {"zone": zones.NodeBootstrap(resamples=7), "random_state": 5},
        {"zone": zones.Specified([0.1, 0.2, 0.3, 0.4])},
        {"zone": zones.NoZone(min_samples_category=3)},
        {"zone": "margin", "zero_gain_splits": True},
        {"max_features": "sqrt", "random_state": 1},
        {"max_features": 2, "class_weight": "balanced", "random_state": 1},
    ]
    for setting in settings:
        clf = TernaryTreeClassifier(max_depth=3, **setting).fit(X, y)
        again = ternwood.loads(clf.to_json()).get_params()
        assert {name: again[name] for name in setting} == setting


def test_feature_names_are_restored_only_if_there_were_any(iris, iris_frame):
    X, y = iris
    unnamed = TernaryTreeClassifier(max_depth=2).fit(X, y)
    again = ternwood.loads(unnamed.to_json())
    assert not hasattr(again, "feature_names_in_")
    assert again.n_features_in_ == 4
    again.predict(X)
    named = TernaryTreeClassifier(max_depth=2).fit(*iris_frame)
    again = ternwood.loads(named.to_json())
    assert again.feature_names_in_.tolist() == named.feature_names_in_.tolist()
    again.predict(iris_frame[0])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: "", "EOF"),
        (lambda text: "no model", "not a usable model file"),
        (lambda text: text[: len(text) // 2], "is the file complete"),
        (lambda text: text.replace('"version": 1', '"version": 99'), "version is 99"),
        (lambda text: text.replace('"feature":', '"feature":99'), "is out of range"),
        (lambda text: text.replace('"deferred"', '"hard_middle"'), "shape"),
    ],
    ids=["empty", "other text", "cut", "version", "feature", "routing"],
)
def test_a_damaged_model_is_a_value_error(fitted, tmp_path, damage, message):
    text = damage(fitted.to_json())
    with pytest.raises(ValueError, match=message):
        ternwood.loads(text)
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        ternwood.load(tmp_path / "model.json")


def test_missing_and_non_text_files_are_errors(fitted, tmp_path):
    with pytest.raises(FileNotFoundError):
        ternwood.load(tmp_path / "missing.json")
    with pytest.raises(OSError, match="No such file"):
        fitted.save(tmp_path / "no such folder" / "model.json")
    (tmp_path / "binary.json").write_bytes(b"{\xff\xfe")
    with pytest.raises(ValueError, match="not UTF-8"):
        ternwood.load(tmp_path / "binary.json")


def test_a_failed_save_keeps_the_old_file_and_leaves_no_temporary_file(
    fitted, tmp_path, monkeypatch
):
    path = tmp_path / "model.json"
    path.write_text("the old model")

    def disk_full(_):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", disk_full)
    with pytest.raises(OSError, match="no space left"):
        fitted.save(path)
    assert path.read_text() == "the old model"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has files without a name")
@pytest.mark.parametrize("exists", [False, True])
def test_a_file_has_no_name_before_it_is_complete(fitted, tmp_path, monkeypatch, exists):
    path, seen, fsync = tmp_path / "model.json", [], os.fsync
    if exists:
        path.write_text("the old model")

    def look_and_sync(descriptor):
        seen.append([(entry.name, entry.read_text()) for entry in tmp_path.iterdir()])
        fsync(descriptor)

    monkeypatch.setattr("os.fsync", look_and_sync)
    fitted.save(path)
    assert seen == [[("model.json", "the old model")] if exists else []]
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]
    assert path.read_text() == fitted.to_json()


@pytest.mark.parametrize("fails", ["open", "link"])
def test_where_files_without_a_name_cannot_be_had_a_draft_is_renamed(
    fitted, tmp_path, monkeypatch, fails
):
    def refused(*_, **__):
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    monkeypatch.setattr(f"os.{fails}", refused)
    for _ in range(2):
        fitted.save(tmp_path / "model.json")
        assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]
        assert (tmp_path / "model.json").read_text() == fitted.to_json()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_a_file_has_the_usual_permissions(fitted, tmp_path):
    (tmp_path / "plain").write_text("")
    fitted.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_the_document_is_plain_json(fitted, cancer):
    document = json.loads(fitted.to_json())
    assert document["format"] == "ternwood-model"
    assert document["schema"]["classes"] == np.unique(cancer[1]).tolist()
    assert len(document["tree"]["nodes"]) == fitted.tree_.node_count


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_saving_through_a_link_writes_its_target(fitted, tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    fitted.save(link)
    assert link.is_symlink()
    assert real.read_text() == fitted.to_json()
    with pytest.raises(OSError, match="directory"):
        fitted.save(tmp_path)


@pytest.mark.parametrize("named", [True, False])
def test_names_may_equal_the_default_names(noisy, named):
    X, y = noisy
    X = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]) if named else X
    clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
    again = ternwood.loads(clf.to_json())
    assert hasattr(again, "feature_names_in_") == named
    assert again.to_json() == clf.to_json()
    # There is no warning; one would fail the test.
    assert same_predictions(again, clf, X)


def test_the_version_equals_that_of_the_package():
    assert ternwood.__version__ == importlib.metadata.version("ternwood")
