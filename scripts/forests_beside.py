"""Measures scikit-learn's forests on the data sets of `ternwood-paper beyond` [--forest].

    .venv/bin/python scripts/forests_beside.py OPENML_FOLDER runs/forests/scikit-learn.csv
    .venv/bin/python scripts/forests_beside.py OPENML_FOLDER runs/beyond/forest.csv --default-only

It uses the same rows, folds and metrics. Random forests have the default settings, or at least five
rows in a leaf; extremely randomised trees have the default settings. All have 100 trees. What is
already in the file is skipped, so an interrupted run can continue. With --default-only: the random
forest with default settings and one seed, on the data sets of at most 12,000 rows.
"""

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
from paper_folder import entries_in, folds_in, table
from scores import log_loss, scores
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

METHODS = ("forest", "forest_leaf_5", "extra_trees")
SEEDS = (42, 43, 44)
COLUMNS = (
    "openml_id,dataset,fold,depth,method,seed,rows,accuracy,aurc,log_loss,zone_scale,category_error,"
    "out_of_bag_log_loss"
)


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


def measure(method: str, seed: int, X: np.ndarray, y: np.ndarray, test: np.ndarray) -> str:
    """Accuracy, AURC and log-loss on the test rows, and log-loss out of bag, of a fitted forest."""
    fitted = forest(method, seed).fit(X[~test], y[~test])
    accuracy, area, loss = scores(fitted, X[test], y[test])
    out_of_bag = ""
    if method != "extra_trees":
        out_of_bag = log_loss(fitted.oob_decision_function_, fitted.classes_, y[~test])
    return f"{accuracy},{area},{loss},0,,{out_of_bag}"


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
    entries = [entry for entry in entries_in(folder) if int(entry["rows"]) <= most_rows]
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
