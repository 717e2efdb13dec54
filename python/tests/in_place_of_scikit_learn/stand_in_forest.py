"""A pytest plugin: scikit-learn's own tests meet our forest where they expect theirs.

``-p stand_in_forest`` replaces ``sklearn.ensemble.RandomForestClassifier`` before the tests are
imported.
"""

import sklearn.ensemble
from recording import (  # noqa: F401  pytest looks for its hooks in this module
    StandIn,
    pytest_runtest_makereport,
    pytest_runtest_setup,
    pytest_sessionfinish,
)

from ternwood import TernaryForestClassifier


class RandomForestClassifier(StandIn, TernaryForestClassifier):
    """Our forest without zones, with scikit-learn's parameters."""

    _parameter_constraints = TernaryForestClassifier._parameter_constraints | {
        "monotonic_cst": [None]
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="gini",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features="sqrt",
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=True,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        class_weight=None,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
    ):
        super().__init__(
            n_estimators,
            zone="none",
            exponent="off",
            criterion=criterion,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
        )
        self.monotonic_cst = monotonic_cst


sklearn.ensemble.RandomForestClassifier = RandomForestClassifier
