"""Do results match the published method, as the Rust library's do?

Compared per fold, and node by node for the trees of fold 0, on data sets whose features are all
numeric. The bootstrap is left out, because it draws other random numbers.
"""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from ternwood import TernaryTreeClassifier, metrics

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
SETS = [
    "37_diabetes",
    "53_heart-statlog",
    "1462_banknote-authentication",
    "1464_blood-transfusion-service-center",
    "1510_wdbc",
    "40994_climate-model-simulation-crashes",
    "1063_kc2",
    "11_balance-scale",
    "15_breast-w",
]

pytestmark = pytest.mark.skipif(
    not (SHARED / "openml").is_dir() or not (SHARED / "oracle").is_dir(),
    reason="needs ../shared/openml and ../shared/oracle; see CONTRIBUTING.md",
)


def read(name):
    """Read a data set whose features are all numeric: rows, class ids."""
    with gzip.open(SHARED / "openml" / f"{name}.arff.gz", "rt") as file:
        lines = [line.strip() for line in file]
    start = next(i for i, line in enumerate(lines) if line.lower() == "@data") + 1
    fields = [line.split(",") for line in lines[start:] if line and not line.startswith("%")]
    columns = np.array(
        [[np.nan if field == "?" else float(field) for field in row[:-1]] for row in fields],
        dtype=np.float32,
    ).astype(np.float64)
    median = np.nanmedian(columns, axis=0)
    X = np.where(np.isnan(columns), median, columns)
    declaration = [line for line in lines[:start] if line.lower().startswith("@attribute")][-1]
    categories = declaration[declaration.index("{") + 1 : declaration.index("}")].split(",")
    categories = [category.strip().strip("'\"") for category in categories]
    labels = [row[-1].strip().strip("'\"") for row in fields]
    return X, np.array([categories.index(label) for label in labels])


def folds(name):
    number = name.split("_")[0]
    with gzip.open(SHARED / "openml" / "folds.tsv.gz", "rt") as file:
        for line in file:
            if line.startswith(f"{number}\t"):
                return np.array(list(line.split("\t")[1].strip()), dtype=int)
    raise KeyError(name)


def standardised(train, test):
    """Standardise as published: all sums in row order."""
    mean = np.add.accumulate(train)[-1] / len(train)
    variance = np.add.accumulate((train - mean) ** 2)[-1] / len(train)
    scale = np.where(variance == 0, 1, np.sqrt(variance))
    return (train - mean) / scale, (test - mean) / scale


def same_tree(tree, node, expected):
    if "feature" not in expected:
        is_leaf = tree.children_left[node] == -1
        return is_leaf and np.allclose(tree.value[node, 0], expected["distribution"], rtol=1e-12)
    return (
        tree.n_node_samples[node] == expected["rows"]
        and tree.feature[node] == expected["feature"]
        and tree.threshold[node] == expected["threshold"]
        and tree.half_width[node] == expected["half_width"]
        and same_tree(tree, tree.children_left[node], expected["left"])
        and same_tree(tree, tree.children_right[node], expected["right"])
        and (
            "middle" not in expected
            or same_tree(tree, tree.children_middle[node], expected["middle"])
        )
    )


def same_metrics(report, expected):
    names = ("accuracy", "undecided_rate", "decided_accuracy", "decided_f1")
    return all(
        expected.get(name) is None or abs(expected[name] - report[name]) < 5.1e-7 for name in names
    )


@pytest.mark.parametrize("name", SETS)
def test_folds_and_trees_match_the_published_ones(name):
    X, y = read(name)
    fold_of = folds(name)
    oracle = json.loads((SHARED / "oracle" / f"{name}.json").read_text())
    assert X.shape == (oracle["rows"], oracle["features"])
    compared = 0
    for expected in oracle["results"]:
        zone, routing = expected["zone"], expected["routing"]
        if zone in ("none", "node_bootstrap"):
            continue
        test = fold_of == expected["fold"]
        train_rows, test_rows = standardised(X[~test], X[test])
        clf = TernaryTreeClassifier(zone=zone, routing=routing, max_depth=4, random_state=42)
        clf.fit(train_rows, y[~test])
        classes, _, verdicts = clf.predict_all(test_rows)
        assert same_metrics(metrics.report(y[test], classes, verdicts), expected), expected
        tree = oracle["fold_0_trees"].get(f"{zone}/{routing}")
        if expected["fold"] == 0 and tree is not None:
            assert same_tree(clf.tree_, 0, tree), (zone, routing)
        compared += 1
    assert compared == 60
