"""Why does plain CART here differ from scikit-learn's on some data sets of the paper?

    .venv/bin/python scripts/compare_cart.py ../shared/openml OUT.csv [NAME ...]

Grows both trees on every fold, following the paper (standardised in the fold, depth 4, gini, scikit-learn with
random_state 42), and compares them node by node from the root. Where they diverge, the first differing node has one
of these causes:

    tie          both splits have the same gain to 1e-12: scikit-learn picks one at random, we take the first
    rounding     scikit-learn rounds its input to 32 bits: values coincide, or a row is on the other side of
                 a threshold that is the same except for that rounding
    gain 0       scikit-learn also makes splits that gain nothing
    unexplained  anything else

One line per data set: the number of rows predicted differently, and the number of nodes per cause.
"""

import csv
import gzip
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.externals import _arff
from sklearn.tree import DecisionTreeClassifier
from ternwood import TernaryTreeClassifier

TIE = 1e-12


def table(path):
    """Features as in the paper (category indices, float32, medians for missing values) and class ids."""
    with gzip.open(path, "rt") as file:
        text = file.read()
    sparse = "@data\n{" in text.lower() or "@data\r\n{" in text.lower()
    parsed = _arff.loads(text, encode_nominal=True, return_type=_arff.LOD if sparse else _arff.DENSE)
    n_columns = len(parsed["attributes"])
    values = np.full((len(parsed["data"]), n_columns), 0.0 if sparse else np.nan)
    for row, cells in enumerate(parsed["data"]):
        for column, cell in cells.items() if sparse else enumerate(cells):
            values[row, column] = np.nan if cell is None else cell
    features = values[:, :-1].astype(np.float32).astype(float)
    features = features[:, ~np.isnan(features).all(axis=0)]
    medians = np.nanmedian(features, axis=0)
    features = np.where(np.isnan(features), medians, features)
    order = sorted({int(code) for code in values[:, -1]}, key=str)
    return features, np.array([order.index(int(code)) for code in values[:, -1]])


def standardised(features, training):
    """Standardised like the published results: sums in row order."""
    part = features[training]
    mean = np.add.accumulate(part, axis=0)[-1] / len(part)
    deviation = np.sqrt(np.add.accumulate((part - mean) ** 2, axis=0)[-1] / len(part))
    deviation[deviation == 0] = 1
    return (features - mean) / deviation


def gini(y):
    share = np.bincount(y) / len(y)
    return 1 - (share * share).sum()


def gain(y, left):
    share = left.mean()
    return gini(y) - share * gini(y[left]) - (1 - share) * gini(y[~left])


def cause(x, y, own, other):
    """Why two splits (feature, threshold) of the same rows differ; None if they divide the rows alike."""
    rounded = x.astype(np.float32).astype(float)
    left, other_left = x[:, own[0]] <= own[1], rounded[:, other[0]] <= other[1]
    if own[0] == other[0] and (left == other_left).all():
        return None
    if abs(gain(y, left) - gain(y, other_left)) <= TIE:
        return "tie"
    # In 32 bits our own split may not exist, or may have another gain.
    if len(np.unique(rounded[:, own[0]])) < len(np.unique(x[:, own[0]])):
        return "rounding"
    return "unexplained"


def causes(x, y, ours, theirs):
    """Counts the causes at the first differing node of every branch."""
    found, pending = Counter(), [(0, 0, np.arange(len(y)))]
    while pending:
        a, b, rows = pending.pop()
        own_leaf, other_leaf = ours.children_left[a] < 0, theirs.children_left[b] < 0
        if own_leaf or other_leaf:
            if own_leaf != other_leaf:
                split = (theirs, b) if own_leaf else (ours, a)
                left = x[rows, split[0].feature[split[1]]] <= split[0].threshold[split[1]]
                no_gain = left.all() or not left.any() or abs(gain(y[rows], left)) <= TIE
                found["gain 0" if no_gain else "unexplained"] += 1
            continue
        own = (ours.feature[a], ours.threshold[a])
        why = cause(x[rows], y[rows], own, (theirs.feature[b], theirs.threshold[b]))
        if why is not None:
            found[why] += 1
            continue
        left = x[rows, own[0]] <= own[1]
        pending.append((ours.children_left[a], theirs.children_left[b], rows[left]))
        pending.append((ours.children_right[a], theirs.children_right[b], rows[~left]))
    return found


def compare(name, features, classes, folds):
    found, differ, accuracies = Counter(), 0, []
    for fold in range(5):
        training, test = folds != fold, folds == fold
        z = standardised(features, np.flatnonzero(training))
        ours = TernaryTreeClassifier(zone="none", max_depth=4).fit(z[training], classes[training])
        theirs = DecisionTreeClassifier(max_depth=4, random_state=42).fit(z[training], classes[training])
        own, other = ours.predict(z[test]), theirs.predict(z[test])
        accuracies.append(((own == classes[test]).mean(), (other == classes[test]).mean()))
        of_fold = causes(z[training], classes[training], ours.tree_, theirs.tree_)
        if (own != other).any() and not of_fold:
            # The trees are the same: a test row lies between a threshold and its rounded value.
            of_fold["rounding"] += 1
        differ += int((own != other).sum())
        found += of_fold
    ours, theirs = np.mean(accuracies, axis=0)
    why = [found[cause] for cause in ("tie", "rounding", "gain 0", "unexplained")]
    return [name, f"{ours:.4f}", f"{theirs:.4f}", differ, *why]


def data_sets(folder, names):
    """Name, features, classes and folds of the data sets with these names, or of all."""
    with gzip.open(Path(folder) / "folds.tsv.gz", "rt") as file:
        next(file)
        folds = {line.split("\t")[0]: line.split("\t")[1].strip() for line in file}
    with open(Path(folder) / "manifest.tsv", newline="") as file:
        for entry in csv.DictReader(file, delimiter="\t"):
            if not names or entry["name"] in names:
                features, classes = table(Path(folder) / entry["file"])
                digits = np.array([int(digit) for digit in folds[entry["openml_id"]]])
                yield entry["name"], features, classes, digits


def main():
    folder, out, *names = sys.argv[1:]
    with open(out, "w", newline="") as to:
        writer = csv.writer(to, lineterminator="\n")
        writer.writerow(
            ["dataset", "ours", "scikit_learn", "rows_answered_differently", "tie", "rounding", "gain_0", "unexplained"]
        )
        for name, features, classes, folds in data_sets(folder, names):
            writer.writerow(compare(name, features, classes, folds))
            to.flush()


if __name__ == "__main__":
    main()
