"""The values that the parameters of the classifiers may have."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ._recipe import FIXED_IN_FOREST
from .zones import KINDS, Zone

LEAVES = ("counts", "smoothed", "em")
ROUTINGS = ("crisp", "probabilistic", "deferred", "hard_middle")
MISSING = ("learn", "unknown", "error")


def _at_least(least: int) -> Interval:
    return Interval(Integral, least, None, closed="left")


def _non_negative() -> Interval:
    return Interval(Real, 0.0, None, closed="left")


CONSTRAINTS: dict[str, list[Any]] = {
    "zone": [StrOptions(set(KINDS)), Zone],
    "routing": [StrOptions(set(ROUTINGS))],
    "criterion": [StrOptions({"gini", "entropy", "log_loss"})],
    "leaves": [StrOptions(set(LEAVES))],
    "max_depth": [_at_least(1), None],
    "min_samples_split": [_at_least(2), Interval(RealNotInt, 0.0, 1.0, closed="right")],
    "min_samples_leaf": [_at_least(1), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    "max_leaf_nodes": [_at_least(2), None],
    "max_features": [
        _at_least(1),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "min_impurity_decrease": [_non_negative()],
    "zero_gain_splits": ["boolean"],
    "ccp_alpha": [_non_negative()],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "missing": [StrOptions(set(MISSING))],
    "uncovered": [StrOptions({"undecided", "judge"})],
    "random_state": [Interval(Integral, 0, 2**64 - 1, closed="both"), np.random.RandomState, None],
    "n_jobs": [Integral, None],
}

CONSTRAINTS_OF_FOREST: dict[str, list[Any]] = {
    name: allowed for name, allowed in CONSTRAINTS.items() if name not in FIXED_IN_FOREST
} | {
    "n_estimators": [_at_least(1)],
    "zone_scale": [_non_negative(), StrOptions({"auto"})],
    "exponent": [Interval(Real, 0.0, 1000.0, closed="both"), StrOptions({"auto"}), None],
    "bootstrap": ["boolean"],
    "max_samples": [_at_least(1), Interval(RealNotInt, 0.0, None, closed="neither"), None],
    "oob_score": ["boolean", callable],
    "class_weight": [dict, StrOptions({"balanced", "balanced_subsample"}), None],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
}

CONSTRAINTS_OF_CV: dict[str, list[Any]] = CONSTRAINTS | {
    "max_depth": [_at_least(1), StrOptions({"auto", "best"}), None],
    "zone_scale": [_non_negative(), StrOptions({"auto"})],
}
