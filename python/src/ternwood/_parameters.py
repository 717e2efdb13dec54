"""The classifier's parameters: what is allowed, and how a model file writes them.

A model file has its parameters in the form the library has them; the classifier has
scikit-learn's. ``to_document`` and ``from_document`` translate.
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
    "random_state": [Interval(Integral, 0, 2**64 - 1, closed="both"), np.random.RandomState, None],
    "n_jobs": [Integral, None],
}


def recipe(clf: TernaryTreeClassifier, classes: NDArray[Any], y: NDArray[Any]) -> dict[str, Any]:
    """Write everything that decides which model comes from given data."""
    return {
        "params": to_document(clf, classes, y),
        "routing": clf.routing,
        "leaves": clf.leaves,
        "auto": {"zone_scale": _is_auto(clf.zone_scale), "max_depth": _is_auto(clf.max_depth)},
    }


def to_document(
    clf: TernaryTreeClassifier, classes: NDArray[Any], y: NDArray[Any]
) -> dict[str, Any]:
    """Write the parameters as they stand in a model file; what is automatic as if not given."""
    return {
        "criterion": "gini" if clf.criterion == "gini" else "entropy",
        "max_depth": None if _is_auto(clf.max_depth) else _optional_count(clf.max_depth),
        "min_samples_split": _count_or_fraction(clf.min_samples_split),
        "min_samples_leaf": _count_or_fraction(clf.min_samples_leaf),
        "min_weight_fraction_leaf": float(clf.min_weight_fraction_leaf),
        "min_samples_middle": _count(clf.min_samples_middle),
        "max_leaf_nodes": _optional_count(clf.max_leaf_nodes),
        "max_features": _max_features_document(clf.max_features),
        "min_impurity_decrease": float(clf.min_impurity_decrease),
        "ccp_alpha": float(clf.ccp_alpha),
        "class_weight": _class_weight_document(clf.class_weight, classes, y),
        "zone": {
            "kind": _zone_document(clf),
            "max_fraction": float(clf.max_zone_fraction),
            "scale": 1.0 if _is_auto(clf.zone_scale) else float(clf.zone_scale),
        },
        "seed": _seed(clf),
    }


def from_document(model: dict[str, Any], classes: NDArray[Any]) -> dict[str, Any]:
    """Read the constructor's arguments from a model file."""
    document = model["parameters"]
    auto = model.get("choice", {}).get("auto", {})
    zone = document["zone"]
    kind = zone["kind"]
    max_features = _untagged(document["max_features"])
    class_weight = document["class_weight"]
    if isinstance(class_weight, dict):
        class_weight = dict(zip(classes.tolist(), class_weight["given"], strict=True))
    arguments = {
        name: document[name]
        for name in (
            "criterion",
            "max_depth",
            "min_samples_split",
            "min_samples_leaf",
            "min_weight_fraction_leaf",
            "min_samples_middle",
            "max_leaf_nodes",
            "min_impurity_decrease",
            "ccp_alpha",
        )
    }
    knobs = {
        "tolerance": "plateau_tolerance",
        "connected": "plateau_connected",
        "tail": "overlap_tail",
        "scale": "gain_scale",
        "gain": "gain",
        "half_widths": "specified_half_widths",
        "cost_ratio": "cost_ratio",
    }
    if auto.get("max_depth"):
        arguments["max_depth"] = "auto"
    arguments.update({ours: kind[theirs] for theirs, ours in knobs.items() if theirs in kind})
    if "resamples" in kind:
        arguments["n_bootstraps"] = _untagged(kind["resamples"])
    return arguments | {
        "zone": kind["kind"],
        "routing": model["routing"],
        "leaves": model.get("leaves", "counts"),
        "max_features": None if max_features == "all" else max_features,
        "class_weight": None if class_weight == "uniform" else class_weight,
        "zone_scale": "auto" if auto.get("zone_scale") else zone["scale"],
        "max_zone_fraction": zone["max_fraction"],
        "random_state": document["seed"],
    }


def _is_auto(value: Any) -> bool:
    return isinstance(value, str)


def _untagged(choice: Any) -> Any:
    """Take the value out of ``{"count": 3}``; a plain word stays."""
    return next(iter(choice.values())) if isinstance(choice, dict) else choice


def _count(value: Any) -> int:
    return min(int(value), LARGEST_COUNT)


def _optional_count(value: Any) -> int | None:
    return None if value is None else _count(value)


def _count_or_fraction(value: Any) -> int | float:
    return _count(value) if isinstance(value, Integral) else float(value)


def _max_features_document(value: Any) -> Any:
    if value is None:
        return "all"
    if isinstance(value, str):
        return value
    if isinstance(value, Integral):
        return {"count": _count(value)}
    return {"fraction": float(value)}


def _class_weight_document(class_weight: Any, classes: NDArray[Any], y: NDArray[Any]) -> Any:
    if class_weight is None:
        return "uniform"
    if isinstance(class_weight, str):
        return class_weight
    weights = compute_class_weight(class_weight, classes=classes, y=y)
    if not np.isfinite(weights).all():
        raise ValueError(f"class_weight must be finite numbers, got {class_weight!r}")
    return {"given": weights.tolist()}


def _zone_document(clf: TernaryTreeClassifier) -> dict[str, Any]:
    kind: dict[str, Any] = {"kind": clf.zone}
    if clf.zone == "specified":
        kind["half_widths"] = _half_widths(clf.specified_half_widths)
    elif clf.zone == "quality_plateau":
        kind["tolerance"] = float(clf.plateau_tolerance)
        kind["connected"] = bool(clf.plateau_connected)
    elif clf.zone == "class_overlap":
        kind["tail"] = float(clf.overlap_tail)
    elif clf.zone == "gain_ratio":
        kind["scale"] = float(clf.gain_scale)
        kind["gain"] = clf.gain
    elif clf.zone == "cost_optimal":
        kind["cost_ratio"] = float(clf.cost_ratio)
    elif clf.zone == "node_bootstrap":
        resamples = clf.n_bootstraps
        kind["resamples"] = "auto" if resamples == "auto" else {"count": int(resamples)}
    return kind


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
    """Draw a seed only if chance plays a part: otherwise equal fits give equal models."""
    if isinstance(clf.random_state, Integral):
        return int(clf.random_state)
    if clf.max_features is None and clf.zone != "node_bootstrap":
        return 0
    return int(check_random_state(clf.random_state).randint(np.iinfo(np.int32).max))
