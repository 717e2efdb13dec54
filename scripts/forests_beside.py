"""Measures scikit-learn's forests on the data sets of `ternwood paper beyond --forest`.

    .venv/bin/python scripts/forests_beside.py OPENML_FOLDER runs/forests/scikit-learn.csv

It uses the same rows, folds and metrics. Random forests have the default settings, or at least five
rows in a leaf; extremely randomised trees have the default settings. All have 100 trees. What is
already in the file is skipped, so an interrupted run can continue.
"""

import csv
import sys
import warnings
from pathlib import Path

import numpy as np
from forest_beside import CLIP, COLUMNS, folds_in, table
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from ternwood.metrics import aurc

MOST_ROWS = 20_000
SEEDS = (42, 43, 44)


def forest(method: str, seed: int) -> RandomForestClassifier | ExtraTreesClassifier:
    """Make an unfitted forest."""
    common = {"n_estimators": 100, "random_state": seed, "n_jobs": 1}
    match method:
        case "forest":
            return RandomForestClassifier(oob_score=True, **common)
        case "forest_leaf_5":
            return RandomForestClassifier(oob_score=True, min_samples_leaf=5, **common)
        case "extra_trees":
            return ExtraTreesClassifier(**common)
    raise ValueError(method)


def log_loss(probabilities: np.ndarray, classes: np.ndarray, truth: np.ndarray) -> float:
    """Mean log-loss over the rows that have probabilities; a class nobody knows has none."""
    known = ~np.isnan(probabilities).any(axis=1)
    of_truth = (probabilities * (classes == truth[:, np.newaxis]))[known].sum(axis=1)
    return -np.log(np.clip(of_truth, CLIP, 1)).mean()


def measure(method: str, seed: int, X: np.ndarray, y: np.ndarray, test: np.ndarray) -> str:
    """Accuracy, AURC and log-loss on the test rows, and log-loss out of bag, of a fitted forest."""
    fitted = forest(method, seed).fit(X[~test], y[~test])
    probabilities = fitted.predict_proba(X[test])
    predicted = fitted.classes_[probabilities.argmax(axis=1)]
    accuracy = (predicted == y[test]).mean()
    area = aurc(y[test], predicted, probabilities.max(axis=1))
    loss = log_loss(probabilities, fitted.classes_, y[test])
    out_of_bag = ""
    if method != "extra_trees":
        out_of_bag = log_loss(fitted.oob_decision_function_, fitted.classes_, y[~test])
    return f"{accuracy},{area},{loss},0,,{out_of_bag}"


def main() -> None:
    """Measure everything that is not yet in the file, the smallest data sets first."""
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    warnings.filterwarnings("ignore", category=UserWarning)
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    folds = folds_in(folder)
    done = set()
    if out.exists():
        with out.open() as file:
            keys = ("openml_id", "fold", "method", "seed")
            done = {tuple(row[key] for key in keys) for row in csv.DictReader(file)}
    else:
        out.write_text(COLUMNS + "\n")
    with (folder / "manifest.tsv").open() as file:
        entries = list(csv.DictReader(file, delimiter="\t"))
    entries = [entry for entry in entries if int(entry["rows"]) <= MOST_ROWS]
    entries.sort(key=lambda entry: int(entry["rows"]) * int(entry["features"]) ** 0.5)
    for entry in entries:
        openml_id, name = entry["openml_id"], entry["name"]
        X, y = table(folder / entry["file"])
        for seed in SEEDS:
            for fold in range(5):
                test = folds[openml_id] == fold
                for method in ("forest", "forest_leaf_5", "extra_trees"):
                    if (openml_id, str(fold), method, str(seed)) in done:
                        continue
                    figures = measure(method, seed, X, y, test)
                    with out.open("a") as file:
                        file.write(
                            f"{openml_id},{name},{fold},0,{method},{seed},{test.sum()},{figures}\n"
                        )
        print(name, flush=True)


if __name__ == "__main__":
    main()
