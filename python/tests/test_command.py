"""Do the command and the package read each other's models and predict the same to the bit?"""

import csv
import struct

import numpy as np
import pandas as pd
import pytest
from conftest import TARGET
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

import ternwood
from ternwood import VerdictClassifier, zones


def test_the_release_build_has_no_symbols():
    path = TARGET / "release" / "ternwood"
    if not path.exists():
        pytest.skip("no release build; `cargo build --release -p ternwood-cli` makes one")
    file = path.read_bytes()
    if not file.startswith(b"\x7fELF\x02\x01"):
        pytest.skip("no ELF file of 64 bits")
    (start,) = struct.unpack_from("<Q", file, 40)
    size, count = struct.unpack_from("<HH", file, 58)
    kinds = [struct.unpack_from("<I", file, start + n * size + 4)[0] for n in range(count)]
    symbol_table, texts = 2, 3
    assert texts in kinds
    assert symbol_table not in kinds


@pytest.fixture
def patients(tmp_path):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    words = np.array(["malignant", "benign"])[y]
    path = tmp_path / "patients.csv"
    X.assign(diagnosis=words).to_csv(path, index=False)
    return X, words, path


def answers(path, classes):
    """Predictions, probabilities and verdicts from a file written by the command."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    probabilities = [[float(row[f"probability_{name}"]) for name in classes] for row in rows]
    verdicts = [row["verdict"] == "decided" for row in rows]
    return [row["prediction"] for row in rows], np.array(probabilities), np.array(verdicts)


def assert_same_predictions(clf, X, path):
    predictions, probabilities, verdicts = answers(path, clf.classes_)
    assert predictions == clf.predict(X).tolist()
    assert np.array_equal(probabilities, clf.predict_proba(X))
    assert np.array_equal(verdicts, clf.predict_decided(X))
    assert 0 < verdicts.sum() < len(verdicts)


@pytest.mark.parametrize("routing", ["probabilistic", "deferred", "hard_middle"])
def test_a_model_fitted_in_the_shell_predicts_the_same_in_python(
    command, patients, tmp_path, routing
):
    X, _, data = patients
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    options = ["--max-depth", 4, "--zone", "quality_plateau", "--routing", routing]
    command("fit", data, "--target", "diagnosis", "-o", model, *options)
    command("predict", model, data, "-o", out)
    assert_same_predictions(ternwood.load(model), X, out)


def test_a_model_fitted_in_python_predicts_the_same_in_the_shell(command, patients, tmp_path):
    X, words, data = patients
    clf = ternwood.TernaryTreeClassifier(max_depth=4, zone="gain_ratio").fit(X, words)
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    clf.save(model)
    command("predict", model, data, "-o", out)
    assert_same_predictions(clf, X, out)


def test_both_fit_the_same_tree(command, patients, tmp_path):
    X, words, data = patients
    clf = ternwood.TernaryTreeClassifier(max_depth=4, random_state=7).fit(X, words)
    options = ["--zone", "margin", "--max-depth", 4]
    command("fit", data, "--target", "diagnosis", "-o", tmp_path / "m.json", *options)
    shell = ternwood.load(tmp_path / "m.json")
    for name in ("feature", "threshold", "half_width", "value"):
        assert np.array_equal(getattr(shell.tree_, name), getattr(clf.tree_, name)), name


@pytest.mark.parametrize("name", ["forest.safetensors", "forest.json"])
def test_both_fit_the_same_forest(command, patients, tmp_path, name):
    X, words, data = patients
    ours, theirs, out = tmp_path / f"ours-{name}", tmp_path / f"theirs-{name}", tmp_path / "out.csv"
    clf = ternwood.TernaryForestClassifier(12, random_state=7).fit(X, words)
    clf.save(ours)
    options = ["--forest", 12, "--seed", 7]
    command("fit", data, "--target", "diagnosis", "-o", theirs, *options)
    for one, other in zip(ternwood.load(theirs).estimators_, clf.estimators_, strict=True):
        for array in ("feature", "threshold", "half_width", "value"):
            assert np.array_equal(getattr(one.tree_, array), getattr(other.tree_, array)), array
    command("predict", ours, data, "-o", out)
    assert_same_predictions(clf, X, out)
    command("predict", theirs, data, "-o", out, "--force")
    assert_same_predictions(ternwood.load(theirs), X, out)


def test_a_verdict_policy_set_on_either_side_applies_on_the_other(command, patients, tmp_path):
    X, words, data = patients
    clf = ternwood.TernaryTreeClassifier(max_depth=3, zone="class_overlap").fit(X, words)
    fitted, ours = tmp_path / "fitted.json", tmp_path / "ours.json"
    theirs, out = tmp_path / "theirs.json", tmp_path / "out.csv"
    # A private model does not refuse its own training rows.
    clf.save(fitted, private=True)
    clf = ternwood.load(fitted)
    sure = VerdictClassifier(clf, flag_rate=0.3, cv="prefit").fit(X, words)
    sure.save(ours)
    command("calibrate", fitted, data, "-t", "diagnosis", "--flag-rate", 0.3, "-o", theirs)
    assert theirs.read_text() == ours.read_text()
    command("predict", ours, data, "-o", out)
    assert_same_predictions(sure, X, out)


@pytest.fixture
def table(wards, tmp_path):
    """Rows with gaps, categories, booleans and codes, and new rows with unseen categories."""
    X, y = wards
    X["size"] = X["size"].astype(object)
    X["code"] = np.resize([10.0, 9.0, np.nan, 2.5], len(X))
    new = X[:60].astype({"smoker": object})
    new.loc[new.index[::7], "job"] = "queen"
    new.loc[new.index[::9], "code"] = 77
    new.loc[new.index[::4], ["age", "smoker"]] = None
    for name, rows in {"train": X, "new": new}.items():
        code = rows["code"].map("{:g}".format, na_action="ignore")
        rows.assign(code=code, y=y[: len(rows)]).to_csv(tmp_path / f"{name}.csv", index=False)
    return X, y, pd.read_csv(tmp_path / "new.csv").drop(columns="y")


def plain(**parameters):
    return ternwood.TernaryTreeClassifier(max_depth=3, **parameters)


# The same fit in Python and in the shell.
SAME_FITS = {
    "learn": (plain(), ["--zone", "margin"]),
    "unknown": (plain(missing="unknown"), ["--zone", "margin", "--missing", "unknown"]),
    "rare": (
        plain(zone=zones.ClassOverlap(min_samples_category=8, category_error=1.0)),
        [*("--zone", "class_overlap"), *("--min-samples-category", 8), *("--category-error", 1)],
    ),
    "deferred": (plain(routing="deferred"), ["--zone", "margin", "--routing", "deferred"]),
    "hard_middle": (plain(routing="hard_middle"), ["--zone", "margin", "--routing", "hard_middle"]),
    "zero gain": (plain(zero_gain_splits=True), ["--zone", "margin", "--zero-gain-splits"]),
    "calibrated": (ternwood.TernaryTreeClassifierCV(max_depth=3), []),
}


@pytest.mark.parametrize("name", SAME_FITS)
def test_tables_with_gaps_and_categories_go_both_ways(command, table, tmp_path, name):
    X, y, new = table
    clf, options = SAME_FITS[name]
    ours = clone(clf).set_params(categorical_features=["job", "size", "smoker", "code"]).fit(X, y)
    train, rows, model = tmp_path / "train.csv", tmp_path / "new.csv", tmp_path / "shell.json"
    command("fit", train, "-t", "y", "-o", model, "--max-depth", 3, "--nominal", "code", *options)
    theirs = ternwood.load(model)
    assert type(theirs) is type(ours)
    for part in ("feature", "kind", "missing"):
        assert np.array_equal(getattr(theirs.tree_, part), getattr(ours.tree_, part)), part
    for part in ("threshold", "half_width", "value"):
        found, expected = getattr(theirs.tree_, part), getattr(ours.tree_, part)
        assert np.array_equal(found, expected, equal_nan=True), part
    assert {"categories", "threshold"} <= set(theirs.tree_.kind)
    # A model of either side answers alike on both.
    assert theirs.unknown_categories(new) == {"job": ["queen"], "code": ["77"]}
    ours.save(tmp_path / "python.json")
    for clf, path in ((theirs, model), (ours, tmp_path / "python.json")):
        out = tmp_path / f"{path.stem}.csv"
        command("predict", path, rows, "-o", out)
        assert_same_predictions(clf, new, out)


@pytest.mark.parametrize("missing", ["median", "mode"])
def test_gaps_that_the_command_fills_are_filled_in_python(command, table, tmp_path, missing):
    _, _, new = table
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    options = ["--missing", missing, "--max-depth", 4, "--nominal", "code"]
    command("fit", tmp_path / "train.csv", "-t", "y", "-o", model, *options)
    command("predict", model, tmp_path / "new.csv", "-o", out)
    assert_same_predictions(ternwood.load(model), new, out)


def test_ordered_categories_and_dates_of_a_frame_are_those_of_its_parquet_and_csv_files(
    command, tmp_path
):
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(7)
    grades = ["low", "mid", "high", "top"]
    frame = pd.DataFrame(
        {
            "grade": pd.Categorical(rng.choice(grades[:3], 90), categories=grades, ordered=True),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 400, 90), unit="D"),
            "moment": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 10**7, 90), unit="s"),
            "smoker": rng.random(90) < 0.5,
            "ill": rng.choice(["no", "yes"], 90),
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    command("fit", tmp_path / "t.parquet", "-t", "ill", "-o", tmp_path / "parquet.json")
    order = "grade=" + "<".join(grades)
    command("fit", tmp_path / "t.csv", "-t", "ill", "--ordered", order, "-o", tmp_path / "csv.json")
    model = (tmp_path / "parquet.json").read_text()
    assert model == (tmp_path / "csv.json").read_text()
    assert '"ordered":["low","mid","high","top"]' in model
    assert '"date":"%Y-%m-%d"' in model
    assert '"time":"%Y-%m-%d"' in model
