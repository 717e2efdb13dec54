"""Do the command and the package read each other's models and predict the same to the bit?"""

import csv
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import ternwood

TARGET = Path(__file__).parents[2] / "target"


@pytest.fixture
def command():
    built = [TARGET / profile / "ternwood" for profile in ("debug", "release")]
    found = [path for path in built if path.exists()]
    if not found:
        pytest.skip("the command is not built; `cargo build -p ternwood-cli` builds it")

    def run(*arguments):
        done = subprocess.run([found[0], *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return run


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
    verdicts = [int(row["verdict"] == "decided") for row in rows]
    return [row["prediction"] for row in rows], np.array(probabilities), np.array(verdicts)


def assert_same_predictions(clf, X, path):
    predictions, probabilities, verdicts = answers(path, clf.classes_)
    assert predictions == clf.predict(X).tolist()
    assert np.array_equal(probabilities, clf.predict_proba(X))
    assert np.array_equal(verdicts, clf.predict_verdict(X))
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
    command("fit", data, "--target", "diagnosis", "-o", tmp_path / "m.json", "--max-depth", 4)
    shell = ternwood.load(tmp_path / "m.json")
    for name in ("feature", "threshold", "half_width", "value"):
        assert np.array_equal(getattr(shell.tree_, name), getattr(clf.tree_, name)), name


def test_a_verdict_policy_set_on_either_side_applies_on_the_other(command, patients, tmp_path):
    X, words, data = patients
    clf = ternwood.TernaryTreeClassifier(max_depth=3, zone="class_overlap").fit(X, words)
    fitted, ours = tmp_path / "fitted.json", tmp_path / "ours.json"
    theirs, out = tmp_path / "theirs.json", tmp_path / "out.csv"
    clf.save(fitted)
    clf.calibrate_verdict(X, words, flag_rate=0.3).save(ours)
    command("calibrate", fitted, data, "-t", "diagnosis", "--flag-rate", 0.3, "-o", theirs)
    assert theirs.read_text() == ours.read_text()
    command("predict", ours, data, "-o", out)
    assert_same_predictions(clf, X, out)
