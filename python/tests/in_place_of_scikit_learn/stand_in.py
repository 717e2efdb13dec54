"""A pytest plugin: scikit-learn's own tests meet our class where they expect theirs.

``-p stand_in`` replaces ``sklearn.tree.DecisionTreeClassifier`` before the tests are imported.
"""

import sklearn.tree
from recording import (  # noqa: F401  pytest looks for its hooks in this module
    StandIn,
    pytest_runtest_makereport,
    pytest_runtest_setup,
    pytest_sessionfinish,
)

from ternwood import TernaryTreeClassifier

ORIGINAL = sklearn.tree.DecisionTreeClassifier


class TreeThatApplies:
    """Our tree with the method by which many tests ask for the leaves of rows."""

    def __init__(self, clf, tree):
        self._clf, self._tree = clf, tree

    def __getattr__(self, name):
        return getattr(self._tree, name)

    def apply(self, X):
        """Find the leaf of every row."""
        return self._clf.apply(X)


class DecisionTreeClassifier(StandIn, TernaryTreeClassifier):
    """Our classifier without zones, with scikit-learn's parameters."""

    _parameter_constraints = TernaryTreeClassifier._parameter_constraints | {
        "splitter": ORIGINAL._parameter_constraints["splitter"],
        "monotonic_cst": [None],
    }

    def __init__(
        self,
        *,
        criterion="gini",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        class_weight=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
    ):
        super().__init__(
            zone="none",
            zero_gain_splits=True,
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
        )
        self.splitter = splitter
        self.monotonic_cst = monotonic_cst

    @property
    def tree_(self):
        """The tree, with one method more."""
        return TreeThatApplies(self, super().tree_)


sklearn.tree.DecisionTreeClassifier = DecisionTreeClassifier
