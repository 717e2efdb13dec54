"""Reads the folder of data sets that `ternwood-paper fetch` writes: its manifest, folds and tables."""

import csv
import gzip
from pathlib import Path

import numpy as np
from sklearn.externals import _arff as arff


def entries_in(folder: Path) -> list[dict[str, str]]:
    """Read the lines of the manifest."""
    with (folder / "manifest.tsv").open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


def folds_in(folder: Path) -> dict[str, np.ndarray]:
    """Read the fold of every row of every data set."""
    folds = {}
    with gzip.open(folder / "folds.tsv.gz", "rt") as file:
        next(file)
        for line in file:
            openml_id, digits = line.rstrip("\n").split("\t")
            folds[openml_id] = np.array([int(digit) for digit in digits])
    return folds


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
