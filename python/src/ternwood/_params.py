"""Parameters of the classifiers: the values they may have, and recipes of model files.

A recipe determines, with the data, the model. The library checks it against its own types, and
its defaults are those of the classifiers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn import base
from sklearn.utils import check_random_state, metaestimators
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.class_weight import compute_class_weight

from ._ternwood import forest_recipe, paper_recipe
from .zones import KINDS, GainRatio, NodeBootstrap, Zone

_Method = TypeVar("_Method", bound=Callable[..., Any])

if TYPE_CHECKING:
    from ._base import BaseTernary

    # scikit-learn is untyped: its decorators would hide the signatures of methods.
    def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[_Method], _Method]: ...
    def available_if(check: Callable[[Any], bool]) -> Callable[[_Method], _Method]: ...
else:
    fit_context, available_if = base._fit_context, metaestimators.available_if

LARGEST_COUNT = 2**32 - 1

# Parameters with the same name and the same values in a recipe.
_SAME_IN_BOTH = (
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "zero_gain_splits",
    "ccp_alpha",
    "missing",
)

# What the trees of every forest have, as attributes of a classifier.
FIXED_IN_FOREST: dict[str, Any] = {
    "routing": "probabilistic",
    "leaves": "counts",
    "zero_gain_splits": True,
}


class Automatic(NamedTuple):
    """Which parameters are chosen from the data; the depth as "auto" or "best"."""

    zone_scale: bool = False
    max_depth: str | None = None


class TrainingLabels(NamedTuple):
    """The labels of the training rows, and the distinct ones."""

    y: NDArray[Any]
    classes: NDArray[Any]


def write_recipe(
    clf: BaseTernary,
    zone: Zone,
    labels: TrainingLabels,
    feature_names: Sequence[str],
    automatic: Automatic,
) -> str:
    """Write the recipe of a classifier with this zone for some data, as JSON."""
    zone._validate_params()
    settings = zone._settings(feature_names)
    forest = clf._of_forest()
    usual = json.loads(paper_recipe() if forest is None else forest_recipe())
    recipe: dict[str, Any] = {
        "params": {
            "criterion": "gini" if clf.criterion == "gini" else "entropy",
            "max_depth": None if automatic.max_depth else _optional_count(clf.max_depth),
            "min_samples_split": count_or_fraction(clf.min_samples_split),
            "min_samples_leaf": count_or_fraction(clf.min_samples_leaf),
            "min_weight_fraction_leaf": float(clf.min_weight_fraction_leaf),
            "min_samples_middle": count(zone.min_samples_middle),
            "max_leaf_nodes": _optional_count(clf.max_leaf_nodes),
            "max_features": _max_features(clf.max_features),
            "min_impurity_decrease": float(clf.min_impurity_decrease),
            "zero_gain_splits": bool(clf.zero_gain_splits),
            "ccp_alpha": float(clf.ccp_alpha),
            "class_weight": _class_weight(clf.class_weight, labels),
            "missing": clf.missing,
            "min_samples_category": count(zone.min_samples_category),
            "category_gain": "above_chance",
            "zone": {
                "kind": {zone.name: settings} if settings else zone.name,
                "max_fraction": float(zone.max_fraction),
                "scale": float(zone.scale),
                "category_error": float(zone.category_error),
            },
            "seed": _seed(clf, zone),
        },
        "routing": clf.routing,
        "leaves": clf.leaves,
        **{name: usual[name] for name in ("em_cutoff", "least_share")},
        "auto": automatic._asdict(),
        "ensemble": "one",
    }
    if forest is not None:
        smoothing = usual["ensemble"]["forest"]["smoothing"]
        recipe["ensemble"] = {"forest": forest | {"smoothing": smoothing}}
    return json.dumps(recipe, allow_nan=False, default=_plain_number)


class Arguments(NamedTuple):
    """A recipe as arguments of a classifier."""

    arguments: dict[str, Any]
    automatic: Automatic


def read_recipe(text: str, classes: NDArray[Any] | None = None) -> Arguments:
    """Read a recipe. What is automatic is "auto" or "best"; class weights are for `classes`."""
    recipe = json.loads(text)
    params, automatic = recipe["params"], Automatic(**recipe["auto"])
    _, max_features = _untagged(params["max_features"])
    _, class_weight = _untagged(params["class_weight"])
    if isinstance(class_weight, list) and classes is not None:
        class_weight = dict(zip(classes.tolist(), class_weight, strict=True))
    kind, forest = _untagged(recipe["ensemble"])
    if kind == "one":
        forest = None
    scale_is_apart = any(automatic) or forest is not None
    arguments = {name: params[name] for name in _SAME_IN_BOTH} | {
        "zone": _zone(params, scale_is_apart, automatic.zone_scale),
        "routing": recipe["routing"],
        "leaves": recipe["leaves"],
        "max_features": None if max_features == "all" else max_features,
        "class_weight": None if class_weight == "uniform" else class_weight,
        "random_state": params["seed"],
    }
    if automatic.max_depth is not None:
        arguments["max_depth"] = automatic.max_depth
    if scale_is_apart:
        arguments["zone_scale"] = "auto" if automatic.zone_scale else params["zone"]["scale"]
    if forest is not None:
        arguments = _forest_arguments(arguments, forest)
    return Arguments(arguments, automatic)


def _forest_arguments(arguments: dict[str, Any], forest: dict[str, Any]) -> dict[str, Any]:
    """Turn the arguments of a tree into those of a forest, whose trees leave less to choose."""
    _, exponent = _untagged(forest["exponent"])
    of_forest = {
        "n_estimators": forest["n_trees"],
        "bootstrap": forest["bootstrap"],
        "max_samples": forest["max_samples"],
        "exponent": exponent,
    }
    of_trees = {name: it for name, it in arguments.items() if name not in FIXED_IN_FOREST}
    return of_trees | of_forest


def _zone(params: dict[str, Any], scale_is_apart: bool, chosen: bool) -> Zone | str:
    """Read the zone: a name, or an object if some setting is not the default.

    The scale may be a parameter of its own, and is perhaps chosen with the error of categories.
    """
    name, settings = _untagged(params["zone"]["kind"])
    kind = KINDS[name]
    given = dict(settings) if isinstance(settings, dict) else {}
    if kind is GainRatio:
        given["range_share"] = given.pop("scale")
    if kind is NodeBootstrap:
        given["resamples"] = _untagged(given["resamples"])[1]
    given["max_fraction"] = params["zone"]["max_fraction"]
    given["min_samples_category"] = params["min_samples_category"]
    given["min_samples_middle"] = params["min_samples_middle"]
    if not scale_is_apart:
        given["scale"] = params["zone"]["scale"]
    if not chosen:
        given["category_error"] = params["zone"]["category_error"]
    zone = kind(**given)
    return zone if "half_widths" in given or zone != kind() else name


def _untagged(choice: Any) -> tuple[str, Any]:
    """Return tag and value of ``{"count": 3}``; a plain word is both."""
    [(tag, value)] = choice.items() if isinstance(choice, dict) else [(choice, choice)]
    return tag, value


def _plain_number(value: Any) -> Any:
    """Return numpy's numbers as Python's, for JSON."""
    return value.item() if isinstance(value, np.generic) else float(value)


def count(value: Any) -> int:
    return min(int(value), LARGEST_COUNT)


def _optional_count(value: Any) -> int | None:
    return None if value is None else count(value)


def count_or_fraction(value: Any) -> int | float:
    return count(value) if isinstance(value, Integral) else float(value)


def _max_features(value: Any) -> Any:
    if value is None:
        return "all"
    if isinstance(value, str):
        return value
    if isinstance(value, Integral):
        return {"count": count(value)}
    return {"fraction": float(value)}


def _class_weight(class_weight: Any, labels: TrainingLabels) -> Any:
    if class_weight is None:
        return "uniform"
    if isinstance(class_weight, str):
        return class_weight
    weights = compute_class_weight(class_weight, classes=labels.classes, y=labels.y)
    if not np.isfinite(weights).all():
        raise ValueError(f"class_weight must be finite numbers, got {class_weight!r}")
    return {"given": weights.tolist()}


def _seed(clf: BaseTernary, zone: Zone) -> int:
    """Return the seed; without a ``random_state``, 0 unless the fit is random."""
    if isinstance(clf.random_state, Integral):
        return int(clf.random_state)
    is_random = (
        clf.max_features is not None
        or isinstance(zone, NodeBootstrap)
        or clf._of_forest() is not None
    )
    if clf.random_state is None and not is_random:
        return 0
    return int(check_random_state(clf.random_state).randint(np.iinfo(np.int32).max))


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
    "exponent": [Interval(Real, 0.0, 1000.0, closed="both"), StrOptions({"auto", "off"})],
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


def set_parameters(estimator: object, given: dict[str, Any]) -> None:
    """Store the arguments of ``__init__``, its ``locals()``, as attributes of the same names.

    Signatures are written out for every class, because that is what editors, static documentation
    and scikit-learn read; the eighteen assignments below each were a copy of the signature.
    """
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)
