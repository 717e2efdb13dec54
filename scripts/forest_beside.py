"""Measures scikit-learn's random forest on the data sets of `ternwood paper beyond`.

    .venv/bin/python scripts/forest_beside.py OPENML_FOLDER runs/beyond/forest.csv

It uses the same rows, folds and metrics. The forest has 100 trees and default settings, with
unsmoothed leaves. Data sets already in the file are skipped, so an interrupted run can continue.
"""

import csv
import gzip
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.externals import _arff as arff

from ternwood.metrics import aurc

MOST_ROWS = 12_000
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


def measure(X: np.ndarray, y: np.ndarray, test: np.ndarray) -> tuple[float, float, float]:
    """Accuracy, AURC and log-loss on the test rows, of a forest fitted to the others."""
    forest = RandomForestClassifier(n_estimators=100, random_state=42, n_jobs=2)
    forest.fit(X[~test], y[~test])
    probabilities = forest.predict_proba(X[test])
    predicted = forest.classes_[probabilities.argmax(axis=1)]
    # A class without training rows has probability 0.
    of_truth = np.array(
        [
            row[forest.classes_ == truth].sum()
            for row, truth in zip(probabilities, y[test], strict=True)
        ]
    )
    loss = -np.log(np.clip(of_truth, CLIP, 1)).mean()
    area = aurc(y[test], predicted, probabilities.max(axis=1))
    return (predicted == y[test]).mean(), area, loss


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
    """Measure every data set that is not yet in the file."""
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    warnings.filterwarnings("ignore", category=UserWarning)
    folds = folds_in(folder)
    done = set()
    if out.exists():
        with out.open() as file:
            done = {row["openml_id"] for row in csv.DictReader(file)}
    else:
        out.write_text(COLUMNS + "\n")
    with (folder / "manifest.tsv").open() as file:
        entries = list(csv.DictReader(file, delimiter="\t"))
    for entry in entries:
        openml_id, name = entry["openml_id"], entry["name"]
        if openml_id in done or int(entry["rows"]) > MOST_ROWS:
            continue
        X, y = table(folder / entry["file"])
        lines = []
        for fold in range(5):
            test = folds[openml_id] == fold
            accuracy, area, loss = measure(X, y, test)
            lines.append(
                f"{openml_id},{name},{fold},0,forest,42,{test.sum()},{accuracy},{area},{loss},0,,\n"
            )
        with out.open("a") as file:
            file.writelines(lines)
        print(name, flush=True)


if __name__ == "__main__":
    main()
