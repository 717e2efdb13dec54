"""Times forests of ternary trees, and single trees in the cases that forests need, against their peers.

Contestants take turns, so that a busy moment of the machine affects all of them. Ratios are always within
one run. Peers that are not installed are left out. Writes raw.csv and README.md into the folder OUT.

    python forests.py OUT [--quick]
"""

import argparse
import csv
import importlib.util
import platform
from importlib.metadata import version
from pathlib import Path

import lightgbm
import numpy as np
import ternwood
import workloads
import xgboost
from compare import Run, machine, table
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

THREADS = 2


def installed(module):
    return importlib.util.find_spec(module) is not None


def ours(X, y, n_trees, **parameters):
    return ternwood.TernaryForestClassifier(
        n_trees, random_state=0, n_jobs=THREADS, **parameters
    ).fit(X, y)


def crisp(X, y, n_trees, **parameters):
    """Without zones, scale and exponent: what scikit-learn grows."""
    return ours(X, y, n_trees, zone="none", zone_scale=1.0, exponent="off", **parameters)


def scikit_learn(X, y, n_trees, **parameters):
    return RandomForestClassifier(n_trees, random_state=0, n_jobs=THREADS, **parameters).fit(X, y)


def lightgbm_forest(X, y, n_trees):
    return lightgbm.LGBMClassifier(
        boosting_type="rf",
        n_estimators=n_trees,
        num_leaves=1024,
        bagging_freq=1,
        bagging_fraction=0.632,
        feature_fraction_bynode=X.shape[1] ** -0.5,
        min_child_samples=1,
        n_jobs=THREADS,
        verbose=-1,
    ).fit(X, y)


def xgboost_forest(X, y, n_trees):
    return xgboost.XGBRFClassifier(
        n_estimators=n_trees,
        max_depth=16,
        subsample=0.632,
        colsample_bynode=X.shape[1] ** -0.5,
        n_jobs=THREADS,
    ).fit(X, y)


def ydf_forest(X, y, n_trees):
    import ydf

    ydf.verbose(0)
    columns = {f"x{column}": X[:, column] for column in range(X.shape[1])}
    learner = ydf.RandomForestLearner(
        label="y",
        num_trees=n_trees,
        max_depth=-1,
        min_examples=1,
        compute_oob_performances=False,
        winner_take_all=False,
        num_threads=THREADS,
    )
    return learner.train(columns | {"y": y})


def biosphere_forest(X, y, n_trees):
    import biosphere

    forest = biosphere.RandomForest(n_estimators=n_trees, n_jobs=THREADS, random_state=0)
    forest.fit(X, y.astype(float))
    return forest


def intelex_forest(X, y, n_trees):
    from sklearnex.ensemble import RandomForestClassifier as Patched

    return Patched(n_trees, random_state=0, n_jobs=THREADS).fit(X, y)


def fits(run, quick):
    sizes = [(10_000, 5)] if quick else [(100_000, 20), (1_000_000, 20)]
    for n, n_trees in sizes:
        X, y = workloads.twonorm(n)
        is_large = n > 500_000
        few = 1 if is_large else 2
        entries = {
            "ternwood, zone none": (lambda: crisp(X, y, n_trees), None),
            "ternwood": (lambda: ours(X, y, n_trees), None),
            "scikit-learn": (lambda: scikit_learn(X, y, n_trees), few),
            "XGBoost, depth 16": (lambda: xgboost_forest(X, y, n_trees), few),
        }
        if installed("ydf") and not is_large:
            entries["ydf"] = (lambda: ydf_forest(X, y, n_trees), few)
        if installed("sklearnex"):
            entries["scikit-learn-intelex"] = (lambda: intelex_forest(X, y, n_trees), few)
        if installed("biosphere") and not is_large:
            entries["biosphere"] = (lambda: biosphere_forest(X, y, n_trees), 1)
        run.race(f"forest of {n_trees}, {n:,} x 20", entries, 2 if is_large else 5)
        run.race(
            f"forest of {n_trees}, 1,024 leaves, {n:,} x 20",
            {
                "ternwood, zone none": (lambda: crisp(X, y, n_trees, max_leaf_nodes=1024), None),
                "ternwood": (lambda: ours(X, y, n_trees, max_leaf_nodes=1024), None),
                "LightGBM": (lambda: lightgbm_forest(X, y, n_trees), few),
                "scikit-learn": (
                    lambda: scikit_learn(X, y, n_trees, max_leaf_nodes=1024),
                    few,
                ),
            },
            2 if is_large else 5,
        )


def predictions(run, quick):
    n, n_trees = (5_000, 10) if quick else (100_000, 100)
    X, y = workloads.twonorm(n)
    fresh, _ = workloads.twonorm(n // 4, seed=1)
    zoned, plain, theirs = ours(X, y, n_trees), crisp(X, y, n_trees), scikit_learn(X, y, n_trees)
    run.race(
        f"predict, {n_trees} trees of {n:,} rows, {len(fresh):,} x 20",
        {
            "ternwood, zone none": (lambda: plain.predict_proba(fresh), None),
            "ternwood, with verdict": (lambda: zoned.predict_all(fresh), None),
            "scikit-learn": (lambda: theirs.predict_proba(fresh), None),
        },
        25,
    )


def single_trees(run, quick):
    """The cases in which single trees were slower than they need be."""
    n = 20_000 if quick else 300_000
    X, y = workloads.twonorm(n)
    rng = np.random.default_rng(3)
    whole, real = rng.integers(1, 5, n).astype(float), rng.random(n) + 0.1
    cases = {
        "plain": ({}, None),
        "whole weights": ({}, whole),
        "real weights": ({}, real),
        "sqrt features": ({"max_features": "sqrt"}, None),
        "32 leaves": ({"max_leaf_nodes": 32}, None),
    }
    for name, (parameters, weights) in cases.items():

        def tree(parameters=parameters, weights=weights):
            model = ternwood.TernaryTreeClassifier(
                zone="none", random_state=0, n_jobs=THREADS, **parameters
            )
            model.fit(X, y, sample_weight=weights)

        def cart(parameters=parameters, weights=weights):
            model = DecisionTreeClassifier(random_state=0, **parameters)
            model.fit(X, y, sample_weight=weights)

        run.race(
            f"tree, {name}, {n:,} x 20",
            {"ternwood": (tree, None), "scikit-learn": (cart, 2)},
            15,
        )


def zones(run, quick):
    n = 10_000 if quick else 100_000
    X, y = workloads.twonorm(n)

    def fit(zone):
        model = ternwood.TernaryTreeClassifier(
            zone=zone, max_depth=4, random_state=0, n_jobs=THREADS
        )
        model.fit(X, y)

    run.race(
        f"zones of depth 4, {n:,} x 20",
        {zone: (lambda zone=zone: fit(zone), None) for zone in ("none", "node_bootstrap")},
        9,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--quick", action="store_true", help="use small data, to try the script")
    options = parser.parse_args()
    run = Run()
    single_trees(run, options.quick)
    zones(run, options.quick)
    fits(run, options.quick)
    predictions(run, options.quick)
    names = ["ternwood", "scikit-learn", "lightgbm", "xgboost", "numpy"]
    optional = {"ydf": "ydf", "sklearnex": "scikit-learn-intelex", "biosphere": "biosphere"}
    names += [name for module, name in optional.items() if installed(module)]
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    text = [
        "# Forests of ternary trees and their peers\n",
        f"Machine: {machine()}. Python {platform.python_version()}; {versions}. {THREADS} threads. "
        "Written by `make bench-forests`; every timing is in `raw.csv`.\n",
        "Ratios are relative to the first row of each table: 10 means ten times as slow. Two normal classes "
        "in 20 dimensions; every fit starts from a C-ordered float64 array. *zone none* grows the trees that "
        "scikit-learn's defaults grow; plain *ternwood* also has zones, their scale and the exponent by "
        "out-of-bag log-loss.\n",
    ]
    for workload in run.workloads():
        text += [f"## {workload}\n", table(run, workload, run.names(workload)[0]) + "\n"]
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "raw.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["workload", "contestant", "repeat", "seconds"])
        writer.writerows(run.rows)
    (options.out / "README.md").write_text("\n".join(text))
    print("\n".join(text))


if __name__ == "__main__":
    main()
