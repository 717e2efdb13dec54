"""Writes the fixtures in testdata/: small real data sets, and the trees that two independent programs grow on them.

    python scripts/make_fixtures.py        (needs numpy and scikit-learn)

testdata/<name>.csv         scikit-learn's bundled data, every value rounded to float32: read the numbers as
                            32-bit floats, then widen them. The class id is the last column.
testdata/<name>.trees.json  "sklearn": DecisionTreeClassifier's trees, node by node in preorder;
                            "two_child", "three_child": trees and half-widths by the few lines of numpy below,
                            which share no code with the library: sorting, masks and loops only.
testdata/regression.csv     random float32 features and a real target, with the values that DecisionTreeRegressor
                            (min_samples_leaf=5) predicts for these rows.

The half-widths follow the published conventions: candidates are midpoints of neighbouring values at the node,
a row goes left iff x <= threshold, ties go to the lowest feature and then to the lowest threshold, and the
clamp is 25 % of the feature's range at the node.
"""

import json
import pathlib

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "testdata"
DEPTH = 4
KINDS = [
    "quality_plateau",
    "connected_plateau",
    "class_overlap",
    "gain_ratio",
    "information_gain_ratio",
    "margin",
]


def gini(y, k):
    p = np.bincount(y, minlength=k) / len(y)
    return 1 - (p * p).sum()


def entropy(y, k):
    p = np.bincount(y, minlength=k) / len(y)
    p = p[p > 0]
    return -(p * np.log2(p)).sum()


def gain_of(mask, y, k, impurity):
    left, right = y[mask], y[~mask]
    n = len(y)
    return impurity(y, k) - (len(left) / n * impurity(left, k) + len(right) / n * impurity(right, k))


def candidates(c, y, k, impurity):
    """All thresholds of one column with their gains, ascending."""
    values = np.unique(c)
    found = []
    for a, b in zip(values[:-1], values[1:]):
        threshold = (a + b) / 2
        if threshold >= b:
            threshold = a
        found.append((threshold, gain_of(c <= threshold, y, k, impurity)))
    return found


def best_split(x, y, k, impurity):
    best = None
    for feature in range(x.shape[1]):
        for threshold, gain in candidates(x[:, feature], y, k, impurity):
            if gain > (best[2] if best else 0):
                best = (feature, threshold, gain)
    return best


def half_width(kind, c, y, k, threshold, gain, impurity):
    reach = c.max() - c.min()
    left = c <= threshold
    if kind.endswith("plateau"):
        curve = candidates(c, y, k, impurity)
        good = [g >= (1 - 0.05) * gain for _, g in curve]
        if kind == "connected_plateau":
            at = [t for t, _ in curve].index(threshold)
            low = high = at
            while low > 0 and good[low - 1]:
                low -= 1
            while high + 1 < len(curve) and good[high + 1]:
                high += 1
        else:
            low, high = good.index(True), len(good) - 1 - good[::-1].index(True)
        width = (curve[high][0] - curve[low][0]) / 2
    elif kind == "class_overlap":
        bulks = [np.quantile(c[y == j], [0.1, 1 - 0.1]) for j in range(k) if (y == j).any()]
        overlaps = [
            min(a[1], b[1]) - max(a[0], b[0]) for i, a in enumerate(bulks) for b in bulks[i + 1 :]
        ]
        width = max([0.0, *overlaps]) / 2
    elif kind.endswith("gain_ratio"):
        p = left.mean()
        h = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
        if kind == "information_gain_ratio":
            gain = gain_of(left, y, k, entropy)
        width = 0.1 * reach / (1 + gain / h)
    elif kind == "margin":
        dominant = [int(np.bincount(side, minlength=k).argmax()) for side in (y[left], y[~left])]
        distance = np.abs(c - threshold)
        stray = (~left & (y == dominant[0])) | (left & (y == dominant[1]))
        if dominant[0] == dominant[1] or not stray.any():
            stray = np.ones_like(left)
        width = distance[stray].min()
    return min(width, 0.25 * reach)


def grow_two_child(x, y, k, impurity, depth=0):
    """Nodes in preorder; a split has one half-width per kind."""
    node = {"rows": np.bincount(y, minlength=k).tolist()}
    split = best_split(x, y, k, impurity) if depth < DEPTH and len(set(y)) > 1 else None
    if split is None:
        return [node]
    feature, threshold, gain = split
    c = x[:, feature]
    widths = [half_width(kind, c, y, k, threshold, gain, impurity) for kind in KINDS]
    node |= {"feature": feature, "threshold": threshold, "half_widths": widths}
    left = c <= threshold
    return [
        node,
        *grow_two_child(x[left], y[left], k, impurity, depth + 1),
        *grow_two_child(x[~left], y[~left], k, impurity, depth + 1),
    ]


def grow_three_child(x, y, k, kind, depth=0):
    node = {"rows": np.bincount(y, minlength=k).tolist()}
    split = best_split(x, y, k, gini) if depth < DEPTH and len(set(y)) > 1 else None
    if split is None:
        return [node]
    feature, threshold, gain = split
    c = x[:, feature]
    width = half_width(kind, c, y, k, threshold, gain, gini)
    below, above = c <= threshold - width, c > threshold + width
    within = ~below & ~above
    if not below.any() or not above.any():
        return [node]
    if within.sum() >= 5:
        middle = grow_three_child(x[within], y[within], k, kind, depth + 1)
    else:
        rows = y[within] if within.any() else y
        middle = [{"rows": np.bincount(rows, minlength=k).tolist()}]
    node |= {"feature": feature, "threshold": threshold, "half_width": width}
    left = grow_three_child(x[below], y[below], k, kind, depth + 1)
    right = grow_three_child(x[above], y[above], k, kind, depth + 1)
    return [node, *left, *middle, *right]


def sklearn_tree(x, y, numpy_nodes, criterion):
    """scikit-learn breaks ties between splits at random; its random state affects nothing else. Of 200 random
    states, this takes the one closest to "lowest feature first", so that the most nodes can be compared."""

    def agreement(nodes):
        same = lambda a, b: all(a.get(key) == b.get(key) for key in ("rows", "feature", "threshold"))
        return sum(same(a, b) for a, b in zip(nodes, numpy_nodes))

    trees = [sklearn_nodes(x, y, criterion, state) for state in range(200)]
    return max(trees, key=agreement)


def sklearn_nodes(x, y, criterion, state):
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=DEPTH, random_state=state).fit(x, y).tree_
    nodes = []

    def visit(at):
        counts = np.rint(tree.value[at][0] * tree.n_node_samples[at]).astype(int)
        node = {"rows": counts.tolist(), "impurity": float(tree.impurity[at])}
        nodes.append(node)
        if tree.children_left[at] >= 0:
            node |= {"feature": int(tree.feature[at]), "threshold": float(tree.threshold[at])}
            visit(tree.children_left[at])
            visit(tree.children_right[at])

    visit(0)
    return nodes


def plain(value):
    return value.item() if isinstance(value, np.generic) else value


def write_regression():
    rng = np.random.default_rng(35)
    x = rng.normal(size=(400, 6)).astype(np.float32)
    steps = 3.0 * (x[:, 0] > 0.3) + 2.0 * x[:, 1] * (x[:, 2] < 0) + np.sin(3.0 * x[:, 3])
    y = steps + rng.normal(scale=0.5, size=len(x))
    predicted = DecisionTreeRegressor(min_samples_leaf=5, random_state=0).fit(x, y).predict(x)
    lines = [",".join(f"x{i}" for i in range(x.shape[1])) + ",target,predicted"]
    lines += [",".join([*map(str, row), repr(t), repr(p)]) for row, t, p in zip(x, y.tolist(), predicted.tolist())]
    (FOLDER / "regression.csv").write_text("\n".join(lines) + "\n")


def main():
    FOLDER.mkdir(exist_ok=True)
    write_regression()
    for name, load in {"breast_cancer": load_breast_cancer, "wine": load_wine, "iris": load_iris}.items():
        bunch = load()
        x32 = bunch.data.astype(np.float32)
        lines = [",".join(f"x{i}" for i in range(x32.shape[1])) + ",class"]
        lines += [",".join([*map(str, row), str(label)]) for row, label in zip(x32, bunch.target)]
        (FOLDER / f"{name}.csv").write_text("\n".join(lines) + "\n")
        x, y = x32.astype(np.float64), bunch.target
        k = int(y.max()) + 1
        two_child = {c: grow_two_child(x, y, k, f) for c, f in (("gini", gini), ("entropy", entropy))}
        document = {
            "kinds": KINDS,
            "sklearn": {c: sklearn_tree(x, y, nodes, c) for c, nodes in two_child.items()},
            "two_child": two_child,
            "three_child": {kind: grow_three_child(x, y, k, kind) for kind in KINDS},
        }
        text = json.dumps(document, default=plain)
        # One node per line: readable, and easy to compare.
        text = text.replace('{"rows"', '\n{"rows"')
        (FOLDER / f"{name}.trees.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
