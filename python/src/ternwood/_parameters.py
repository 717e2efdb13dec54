"""The classifier's parameters: allowed values, and their form in a recipe.

A recipe, part of a model file, has the parameters in the library's form; the classifier has them
in scikit-learn's. ``to_recipe`` and ``from_recipe`` convert.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.class_weight import compute_class_weight

if TYPE_CHECKING:
    from ._classifier import TernaryTreeClassifier

ZONES = (
    "none",
    "specified",
    "quality_plateau",
    "class_overlap",
    "gain_ratio",
    "node_bootstrap",
    "margin",
    "spread",
    "cost_optimal",
)
LEAVES = ("counts", "smoothed", "em")
ROUTINGS = ("crisp", "probabilistic", "deferred", "hard_middle")
MISSING = ("learn", "unknown", "error")
LARGEST_COUNT = 2**32 - 1


def _at_least(least: int) -> Interval:
    return Interval(Integral, least, None, closed="left")


def _non_negative() -> Interval:
    return Interval(Real, 0.0, None, closed="left")


CONSTRAINTS: dict[str, list[Any]] = {
    "zone": [StrOptions(set(ZONES))],
    "routing": [StrOptions(set(ROUTINGS))],
    "criterion": [StrOptions({"gini", "entropy", "log_loss"})],
    "leaves": [StrOptions(set(LEAVES))],
    "max_depth": [_at_least(1), StrOptions({"auto"}), None],
    "min_samples_split": [_at_least(2), Interval(RealNotInt, 0.0, 1.0, closed="right")],
    "min_samples_leaf": [_at_least(1), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    "min_samples_middle": [_at_least(0)],
    "max_leaf_nodes": [_at_least(2), None],
    "max_features": [
        _at_least(1),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "min_impurity_decrease": [_non_negative()],
    "ccp_alpha": [_non_negative()],
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "missing": [StrOptions(set(MISSING))],
    "min_samples_category": [_at_least(1)],
    "plateau_tolerance": [Interval(Real, 0.0, 1.0, closed="both")],
    "plateau_connected": ["boolean"],
    "overlap_tail": [Interval(Real, 0.0, 0.5, closed="both")],
    "gain_scale": [_non_negative()],
    "gain": [StrOptions({"criterion", "information"})],
    "n_bootstraps": [Interval(Integral, 2, 10_000, closed="both"), StrOptions({"auto"})],
    "cost_ratio": [Interval(Real, 0.0, 1.0, closed="neither")],
    "specified_half_widths": ["array-like", None],
    "zone_scale": [_non_negative(), StrOptions({"auto"})],
    "max_zone_fraction": [Interval(Real, 0.0, 1.0, closed="both")],
    "category_error": [_non_negative()],
    "random_state": [Interval(Integral, 0, 2**64 - 1, closed="both"), np.random.RandomState, None],
    "n_jobs": [Integral, None],
}


def to_recipe(clf: TernaryTreeClassifier, classes: NDArray[Any], y: NDArray[Any]) -> dict[str, Any]:
    """Write everything that, with the data, determines the model."""
    return {
        "params": _params(clf, classes, y),
        "routing": clf.routing,
        "leaves": clf.leaves,
        "auto": {"zone_scale": _is_auto(clf.zone_scale), "max_depth": _is_auto(clf.max_depth)},
    }


def _params(clf: TernaryTreeClassifier, classes: NDArray[Any], y: NDArray[Any]) -> dict[str, Any]:
    """Write the parameters of the tree; automatic ones as if not given."""
    return {
        "criterion": "gini" if clf.criterion == "gini" else "entropy",
        "max_depth": None if _is_auto(clf.max_depth) else _optional_count(clf.max_depth),
        "min_samples_split": _count_or_fraction(clf.min_samples_split),
        "min_samples_leaf": _count_or_fraction(clf.min_samples_leaf),
        "min_weight_fraction_leaf": float(clf.min_weight_fraction_leaf),
        "min_samples_middle": _count(clf.min_samples_middle),
        "max_leaf_nodes": _optional_count(clf.max_leaf_nodes),
        "max_features": _max_features(clf.max_features),
        "min_impurity_decrease": float(clf.min_impurity_decrease),
        "ccp_alpha": float(clf.ccp_alpha),
        "class_weight": _class_weight(clf.class_weight, classes, y),
        "missing": clf.missing,
        "min_samples_category": _count(clf.min_samples_category),
        "zone": {
            "kind": _zone_kind(clf),
            "max_fraction": float(clf.max_zone_fraction),
            "scale": 1.0 if _is_auto(clf.zone_scale) else float(clf.zone_scale),
            "category_error": float(clf.category_error),
        },
        "seed": _seed(clf),
    }


def from_recipe(recipe: dict[str, Any], classes: NDArray[Any]) -> dict[str, Any]:
    """Read the constructor's arguments from a recipe."""
    params, auto = recipe["params"], recipe["auto"]
    zone, settings = _untagged(params["zone"]["kind"])
    _, max_features = _untagged(params["max_features"])
    _, class_weight = _untagged(params["class_weight"])
    if isinstance(class_weight, list):
        class_weight = dict(zip(classes.tolist(), class_weight, strict=True))
    arguments = {name: params[name] for name in _SAME_IN_BOTH}
    for name, value in settings.items() if isinstance(settings, dict) else ():
        arguments[_ZONE_PARAMETERS[name]] = _untagged(value)[1] if name == "resamples" else value
    if auto["max_depth"]:
        arguments["max_depth"] = "auto"
    return arguments | {
        "zone": zone,
        "routing": recipe["routing"],
        "leaves": recipe["leaves"],
        "max_features": None if max_features == "all" else max_features,
        "class_weight": None if class_weight == "uniform" else class_weight,
        "zone_scale": "auto" if auto["zone_scale"] else params["zone"]["scale"],
        "max_zone_fraction": params["zone"]["max_fraction"],
        "category_error": params["zone"]["category_error"],
        "random_state": params["seed"],
    }


# Parameters with the same name and the same values in a recipe.
_SAME_IN_BOTH = (
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_samples_middle",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
    "missing",
    "min_samples_category",
)

# The classifier's names for the parameters of zones.
_ZONE_PARAMETERS = {
    "tolerance": "plateau_tolerance",
    "connected": "plateau_connected",
    "tail": "overlap_tail",
    "scale": "gain_scale",
    "gain": "gain",
    "half_widths": "specified_half_widths",
    "cost_ratio": "cost_ratio",
    "resamples": "n_bootstraps",
}


def _is_auto(value: Any) -> bool:
    return isinstance(value, str)


def _untagged(choice: Any) -> tuple[str, Any]:
    """Return tag and value of ``{"count": 3}``; a plain word is both."""
    [(tag, value)] = choice.items() if isinstance(choice, dict) else [(choice, choice)]
    return tag, value


def _count(value: Any) -> int:
    return min(int(value), LARGEST_COUNT)


def _optional_count(value: Any) -> int | None:
    return None if value is None else _count(value)


def _count_or_fraction(value: Any) -> int | float:
    return _count(value) if isinstance(value, Integral) else float(value)


def _max_features(value: Any) -> Any:
    if value is None:
        return "all"
    if isinstance(value, str):
        return value
    if isinstance(value, Integral):
        return {"count": _count(value)}
    return {"fraction": float(value)}


def _class_weight(class_weight: Any, classes: NDArray[Any], y: NDArray[Any]) -> Any:
    if class_weight is None:
        return "uniform"
    if isinstance(class_weight, str):
        return class_weight
    weights = compute_class_weight(class_weight, classes=classes, y=y)
    if not np.isfinite(weights).all():
        raise ValueError(f"class_weight must be finite numbers, got {class_weight!r}")
    return {"given": weights.tolist()}


def _zone_kind(clf: TernaryTreeClassifier) -> Any:
    """Write the kind of zones: a word, or a word with its parameters."""
    settings: dict[str, Any]
    if clf.zone == "specified":
        settings = {"half_widths": _half_widths(clf.specified_half_widths)}
    elif clf.zone == "quality_plateau":
        settings = {
            "tolerance": float(clf.plateau_tolerance),
            "connected": bool(clf.plateau_connected),
        }
    elif clf.zone == "class_overlap":
        settings = {"tail": float(clf.overlap_tail)}
    elif clf.zone == "gain_ratio":
        settings = {"scale": float(clf.gain_scale), "gain": clf.gain}
    elif clf.zone == "cost_optimal":
        settings = {"cost_ratio": float(clf.cost_ratio)}
    elif clf.zone == "node_bootstrap":
        resamples = clf.n_bootstraps
        settings = {"resamples": "auto" if resamples == "auto" else {"count": int(resamples)}}
    else:
        return clf.zone
    return {clf.zone: settings}


def _half_widths(value: Any) -> list[float]:
    if value is None:
        raise ValueError(
            "zone='specified' needs specified_half_widths: one half-width per feature, "
            "in the feature's own units."
        )
    try:
        widths = check_array(
            value, ensure_2d=False, dtype=np.float64, input_name="specified_half_widths"
        )
    except TypeError as error:
        raise ValueError(f"specified_half_widths must be numbers: {error}") from error
    if widths.ndim != 1:
        raise ValueError("specified_half_widths must have one dimension: one number per feature.")
    return list(widths.tolist())


def _seed(clf: TernaryTreeClassifier) -> int:
    """Draw a seed only if the fit is random; otherwise equal fits give equal models."""
    if isinstance(clf.random_state, Integral):
        return int(clf.random_state)
    if clf.max_features is None and clf.zone != "node_bootstrap":
        return 0
    return int(check_random_state(clf.random_state).randint(np.iinfo(np.int32).max))
