"""Measures how much the last bit of the data matters: standardised with sums in row order, and with numpy's pairwise sums.

    .venv/bin/python scripts/last_bit.py ../shared/openml OUT.csv NAME ...

The two differ in the last bit of some values. Where a zone edge coincides with a value of a discrete feature, that
bit decides whether all rows with this value are flagged.
"""

import csv
import sys

import numpy as np
from compare_cart import data_sets, standardised
from ternwood import TernaryTreeClassifier


def pairwise(features, training):
    columns = np.asfortranarray(features[training])
    mean = np.array([column.mean() for column in columns.T])
    deviation = np.sqrt(np.array([((column - m) ** 2).mean() for column, m in zip(columns.T, mean, strict=True)]))
    deviation[deviation == 0] = 1
    return (features - mean) / deviation


def measure(features, classes, folds, scale, zone):
    accuracies, rates = [], []
    for fold in range(5):
        training, test = folds != fold, folds == fold
        z = scale(features, np.flatnonzero(training))
        model = TernaryTreeClassifier(zone=zone, max_depth=4, random_state=42).fit(z[training], classes[training])
        decided = model.predict_decided(z[test]) == 1
        accuracies.append((model.predict(z[test]) == classes[test])[decided].mean())
        rates.append(1 - decided.mean())
    return np.mean(accuracies), np.mean(rates)


def main():
    folder, out, *names = sys.argv[1:]
    with open(out, "w", newline="") as to:
        writer = csv.writer(to, lineterminator="\n")
        writer.writerow(["dataset", "zone", "sums", "decided_accuracy", "undecided_rate"])
        for name, features, classes, folds in data_sets(folder, names):
            for zone in ("margin", "quality_plateau"):
                for sums, scale in (("in row order", standardised), ("pairwise", pairwise)):
                    accuracy, rate = measure(features, classes, folds, scale, zone)
                    writer.writerow([name, zone, sums, f"{accuracy:.4f}", f"{rate:.4f}"])


if __name__ == "__main__":
    main()
