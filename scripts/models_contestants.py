"""The models of `make compare-models`: how each is made, and how its size is counted.

Every model learns on one thread. What has defaults keeps them, but for the seed; where a library
has a variant that chooses its own settings by cross-validation, that is the one compared.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from imodels import HSTreeClassifierCV
from interpret.glassbox import ExplainableBoostingClassifier
from pystreed import STreeDClassifier
from scores import log_loss
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from ternwood import TernaryForestClassifier, TernaryTreeClassifierCV

SEED = 42
STREED_SECONDS = 60


class Contestant(NamedTuple):
    """A model to be fitted, and how to count its leaves, or its terms, once it is."""

    make: Callable[[], Any]
    size: Callable[[Any], int]


def negative_log_loss(fitted: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Score a tree as the report does; a class missing from an inner fold is no error."""
    return -log_loss(fitted.predict_proba(X), fitted.classes_, y)


def tuned_tree(grid: dict[str, list[Any]], scoring: Any) -> GridSearchCV:
    """Scikit-learn's tree with settings chosen by five inner folds."""
    return GridSearchCV(DecisionTreeClassifier(random_state=SEED), grid, scoring=scoring, cv=5)


def tree_by_log_loss() -> GridSearchCV:
    """Depth and smallest leaf by log-loss, which is how the ternary tree chooses too."""
    grid = {"max_depth": [2, 3, 4, 6, 8, 12, None], "min_samples_leaf": [1, 3, 5, 10, 20, 40]}
    return tuned_tree(grid, negative_log_loss)


def tree_by_accuracy() -> GridSearchCV:
    """Cost-complexity pruning by accuracy, as in most textbooks."""
    alphas = [0.0, *np.geomspace(1e-4, 0.1, 20).tolist()]
    return tuned_tree({"ccp_alpha": alphas}, "accuracy")


def leaves_of_tree(fitted: Any) -> int:
    """Leaves of a single tree."""
    return int(fitted.get_n_leaves())


def leaves_of_forest(fitted: Any) -> int:
    """Leaves of all trees together."""
    return sum(int(tree.get_n_leaves()) for tree in fitted.estimators_)


CONTESTANTS: dict[str, Contestant] = {
    "ternwood_tree_depth_4": Contestant(
        lambda: TernaryTreeClassifierCV(max_depth=4, random_state=SEED, n_jobs=1), leaves_of_tree
    ),
    "ternwood_tree": Contestant(
        lambda: TernaryTreeClassifierCV(max_depth="best", random_state=SEED, n_jobs=1),
        leaves_of_tree,
    ),
    "ternwood_forest": Contestant(
        lambda: TernaryForestClassifier(random_state=SEED, n_jobs=1), leaves_of_forest
    ),
    "sklearn_tree_by_log_loss": Contestant(
        tree_by_log_loss, lambda fitted: leaves_of_tree(fitted.best_estimator_)
    ),
    "sklearn_tree_by_accuracy": Contestant(
        tree_by_accuracy, lambda fitted: leaves_of_tree(fitted.best_estimator_)
    ),
    "hs_tree": Contestant(
        # Its default tree, but with a seed, which it does not pass on.
        lambda: HSTreeClassifierCV(DecisionTreeClassifier(max_leaf_nodes=20, random_state=SEED)),
        lambda fitted: leaves_of_tree(fitted.estimator_),
    ),
    "streed": Contestant(
        lambda: STreeDClassifier(
            max_depth=3, hyper_tune=True, time_limit=STREED_SECONDS, random_seed=SEED
        ),
        leaves_of_tree,
    ),
    "ebm": Contestant(
        lambda: ExplainableBoostingClassifier(random_state=SEED, n_jobs=1),
        lambda fitted: len(fitted.term_names_),
    ),
    "random_forest": Contestant(
        lambda: RandomForestClassifier(random_state=SEED, n_jobs=1), leaves_of_forest
    ),
}
