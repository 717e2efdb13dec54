"""Is the tree without zones scikit-learn's tree?

Wherever the two differ, the test must find the reason: a node where two splits have exactly
the best gain, or where the best gain is 0. Gains are computed from exact fractions.
"""

from fractions import Fraction
from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.tree import DecisionTreeClassifier

from ternwood import TernaryTreeClassifier


def impurity(counts, criterion):
    """Exact for gini; a float for entropy, which is irrational."""
    total = sum(counts)
    shares = [count / total for count in counts if count]
    if criterion == "gini":
        return 1 - sum(share * share for share in shares)
    return -sum(float(share) * log2(share) for share in shares)


def all_gains(X, y, weights, criterion, min_samples_leaf):
    """Map every legal split, a feature and a threshold, to its gain."""

    def counts(rows):
        return [sum((weights[i] for i in rows if y[i] == k), Fraction(0)) for k in set(y)]

    rows = range(len(y))
    before, total = impurity(counts(rows), criterion), sum(weights)
    gains = {}
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for threshold in (values[:-1] + values[1:]) / 2:
            left = [i for i in rows if X[i, feature] <= threshold]
            right = [i for i in rows if X[i, feature] > threshold]
            if min(len(left), len(right)) < min_samples_leaf:
                continue
            after = sum(
                sum(weights[i] for i in side) / total * impurity(counts(side), criterion)
                for side in (left, right)
            )
            gains[feature, threshold] = before - after
    return gains


def is_excused(gains, criterion):
    """Whether the best split is not unique or has no gain."""
    best = max(gains.values())
    slack = 0 if criterion == "gini" else 1e-12
    return best <= slack or sum(gain >= best - slack for gain in gains.values()) > 1


def compare(data, ours, theirs, **gain_options):
    """Compare node by node; True if all are equal, False if a difference is excused."""
    X, y, weights = data
    waiting = [(0, 0, np.arange(len(y)))]
    equal = True
    while waiting:
        node, their_node, rows = waiting.pop()
        assert ours.n_node_samples[node] == theirs.n_node_samples[their_node] == len(rows)
        split = (ours.feature[node], ours.threshold[node])
        their_split = (theirs.feature[their_node], theirs.threshold[their_node])
        if split != their_split:
            gains = all_gains(X[rows], y[rows], [weights[i] for i in rows], **gain_options)
            assert is_excused(gains, gain_options["criterion"]), (split, their_split, gains)
            equal = False
        elif split[0] >= 0:
            goes_left = X[rows, split[0]] <= split[1]
            left, right = ours.children_left[node], ours.children_right[node]
            waiting.append((left, theirs.children_left[their_node], rows[goes_left]))
            waiting.append((right, theirs.children_right[their_node], rows[~goes_left]))
    return equal


@st.composite
def data_sets(draw):
    """Rows on a grid that is exact in float32, with weights on a grid whose sums are exact."""
    n_rows, n_features = draw(st.integers(5, 40)), draw(st.integers(1, 4))
    value = st.integers(-(2**14), 2**14).map(lambda k: k / 64)
    matrix = st.lists(value, min_size=n_rows * n_features, max_size=n_rows * n_features)
    X = np.array(draw(matrix)).reshape(n_rows, n_features)
    labels = st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)
    y = np.array(draw(labels.filter(lambda labels: len(set(labels)) > 1)))
    weight = st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0])
    weights = st.none() | st.lists(weight, min_size=n_rows, max_size=n_rows)
    return X, y, draw(weights)


@given(
    data_sets(),
    st.sampled_from(["gini", "entropy"]),
    st.sampled_from([1, 2, 4, None]),
    st.sampled_from([1, 3]),
)
def test_the_tree_equals_that_of_scikit_learn(data, criterion, max_depth, min_samples_leaf):
    X, y, weights = data
    options = {
        "criterion": criterion,
        "max_depth": max_depth,
        "min_samples_leaf": min_samples_leaf,
    }
    ours = TernaryTreeClassifier(zone="none", **options).fit(X, y, weights)
    theirs = DecisionTreeClassifier(random_state=0, **options).fit(X, y, weights)
    exact = [Fraction(1)] * len(y) if weights is None else [Fraction(w) for w in weights]
    equal = compare(
        (X, y, exact),
        ours.tree_,
        theirs.tree_,
        criterion=criterion,
        min_samples_leaf=min_samples_leaf,
    )
    event("the same tree" if equal else "a tie or no gain")
    if equal:
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
        assert (ours.predict(X) == theirs.predict(X)).all()
        assert ours.predict_decided(X).all()


def many_rows(seed, n_rows=800, grid=None):
    """Rows of three classes; on a grid, many rows share each value."""
    X, y = make_classification(
        n_rows, 6, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.2, random_state=seed
    )
    X = X if grid is None else np.round(X * grid) / grid
    return X.astype(np.float32).astype(np.float64), y


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_with_many_rows_almost_all_trees_are_equal(criterion, weighted):
    equal = 0
    for max_depth, n_rows, grid in product([1, 3, 5], [800, 10_000], [None, 16]):
        X, y = many_rows(max_depth, n_rows, grid)
        weights = np.random.default_rng(0).integers(1, 5, len(y)) / 2 if weighted else None
        options = {
            "criterion": criterion,
            "max_depth": max_depth,
            "min_samples_leaf": n_rows // 50,
        }
        ours = TernaryTreeClassifier(zone="none", **options).fit(X, y, weights)
        theirs = DecisionTreeClassifier(random_state=0, **options).fit(X, y, weights)
        exact = [Fraction(1)] * len(y) if weights is None else [Fraction(w) for w in weights]
        limits = {"criterion": criterion, "min_samples_leaf": n_rows // 50}
        if compare((X, y, exact), ours.tree_, theirs.tree_, **limits):
            check_all_attributes(ours, theirs, X)
            equal += 1
    assert equal >= 11  # of 12


def check_all_attributes(ours, theirs, X):
    """Compare everything that both trees expose."""
    for name in ("feature", "threshold", "children_left", "n_node_samples"):
        assert (getattr(ours.tree_, name) == getattr(theirs.tree_, name)).all(), name
    close = {"rtol": 0, "atol": 1e-12}
    np.testing.assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, **close)
    np.testing.assert_allclose(ours.tree_.value, theirs.tree_.value, **close)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, **close)
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert (ours.apply(X) == theirs.apply(X)).all()
    assert (ours.decision_path(X) != theirs.decision_path(X)).nnz == 0


def test_the_pruning_path_equals_that_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    options = {"max_depth": 3, "min_samples_leaf": 10}
    ours = TernaryTreeClassifier(**options).cost_complexity_pruning_path(X, y)
    theirs = DecisionTreeClassifier(**options, random_state=0).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours.impurities, theirs.impurities, rtol=0, atol=1e-12)
    assert len(ours.ccp_alphas) > 3
    for alpha in (theirs.ccp_alphas[:-1] + theirs.ccp_alphas[1:]) / 2:
        pruned = TernaryTreeClassifier(**options, ccp_alpha=alpha).fit(X, y)
        expected = DecisionTreeClassifier(**options, ccp_alpha=alpha, random_state=0).fit(X, y)
        assert pruned.get_n_leaves() == expected.get_n_leaves()


def test_best_first_growth_equals_that_of_scikit_learn():
    X, y = many_rows(0)
    options = {"max_leaf_nodes": 9, "min_samples_leaf": 8, "min_impurity_decrease": 0.001}
    ours = TernaryTreeClassifier(zone="none", **options).fit(X, y)
    theirs = DecisionTreeClassifier(random_state=0, **options).fit(X, y)
    assert ours.get_n_leaves() == theirs.get_n_leaves() == 9
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
