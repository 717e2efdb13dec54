"""Measures scikit-learn's forests on the data sets of `ternwood paper beyond` [--forest].

    .venv/bin/python scripts/forests_beside.py OPENML_FOLDER runs/forests/scikit-learn.csv
    .venv/bin/python scripts/forests_beside.py OPENML_FOLDER runs/beyond/forest.csv --default-only

It uses the same rows, folds and metrics. Random forests have the default settings, or at least five
rows in a leaf; extremely randomised trees have the default settings. All have 100 trees. What is
already in the file is skipped, so an interrupted run can continue. With --default-only: the random
forest with default settings and one seed, on the data sets of at most 12,000 rows.
"""

import argparse
import csv
import gzip
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.externals import _arff as arff

from ternwood.metrics import aurc

METHODS = ("forest", "forest_leaf_5", "extra_trees")
SEEDS = (42, 43, 44)
CLIP = 1e-6
COLUMNS = (
    "openml_id,dataset,fold,depth,method,seed,rows,accuracy,aurc,log_loss,zone_scale,category_error,"
    "out_of_bag_log_loss"
)


def table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read features and classes: nominal values by index, missing values replaced by the median."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        text = file.read()
    try:
        document = arff.load(text, encode_nominal=True)
        rows = document["data"]
    except arff.BadLayout:
        document = arff.load(text, encode_nominal=True, return_type=arff.LOD)
        width = len(document["attributes"])
        rows = [[row.get(column, 0) for column in range(width)] for row in document["data"]]
    values = np.array(
        [[np.nan if value is None else value for value in row] for row in rows], dtype=float
    )
    features = values[:, :-1].astype(np.float32).astype(float)
    features = features[:, ~np.isnan(features).all(axis=0)]
    medians = np.nanmedian(features, axis=0)
    return np.where(np.isnan(features), medians, features), values[:, -1].astype(int)


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


def folds_in(folder: Path) -> dict[str, np.ndarray]:
    """Read the fold of every row of every data set."""
    folds = {}
    with gzip.open(folder / "folds.tsv.gz", "rt") as file:
        next(file)
        for line in file:
            openml_id, digits = line.rstrip("\n").split("\t")
            folds[openml_id] = np.array([int(digit) for digit in digits])
    return folds


def main() -> None:
    """Measure everything that is not yet in the file, the smallest data sets first."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--default-only", action="store_true")
    arguments = parser.parse_args()
    folder, out = arguments.folder, arguments.out
    methods, seeds, most_rows = METHODS, SEEDS, 20_000
    if arguments.default_only:
        methods, seeds, most_rows = METHODS[:1], SEEDS[:1], 12_000
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
    entries = [entry for entry in entries if int(entry["rows"]) <= most_rows]
    entries.sort(key=lambda entry: int(entry["rows"]) * int(entry["features"]) ** 0.5)
    for entry in entries:
        openml_id, name = entry["openml_id"], entry["name"]
        X, y = table(folder / entry["file"])
        for seed in seeds:
            for fold in range(5):
                test = folds[openml_id] == fold
                for method in methods:
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
