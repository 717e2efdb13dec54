"""How far the zone of a split reaches: one small class for each estimator of the half-width.

A classifier takes a name, ``zone="quality_plateau"``, or an object with settings of its own,
``zone=zones.QualityPlateau(tolerance=0.1)``. A search reaches the settings by name:
``{"zone__tolerance": [0.05, 0.1]}``.

========================= ======================================================================
:class:`Margin`           distance to the nearest row on the wrong side; no settings
:class:`QualityPlateau`   other thresholds are nearly as good
:class:`NodeBootstrap`    the threshold moves under resampling
:class:`ClassOverlap`     the bulks of two classes overlap
:class:`GainRatio`        weak splits are uncertain
:class:`Spread`           half a standard deviation of the feature, meant to be scaled
:class:`CostOptimal`      the expected error costs more than a flag
:class:`Specified`        known measurement errors
:class:`NoZone`           none: plain CART
========================= ======================================================================
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions

__all__ = [
    "ClassOverlap",
    "CostOptimal",
    "GainRatio",
    "Margin",
    "NoZone",
    "NodeBootstrap",
    "QualityPlateau",
    "Specified",
    "Spread",
    "Zone",
]


def _non_negative() -> Interval:
    return Interval(Real, 0.0, None, closed="left")


# scikit-learn is untyped: mypy sees its classes as Any. Its `__repr__` shows what is not usual.
@dataclass(kw_only=True, repr=False)
class Zone(BaseEstimator):
    """What zones of all kinds have in common; use one of its subclasses.

    Parameters
    ----------
    scale : float, default=1.0
        A factor on all half-widths.
    max_fraction : float, default=0.25
        The largest estimated half-width, as a share of the feature's range at the node.
    category_error : float, default=2.0
        The zone of a category: it is undecided if its class shares at the node are within this
        many standard errors of the cut.
    min_samples_category : int, default=1
        A category with fewer rows at a node counts as one that the node did not see: such a
        row goes both ways and is undecided.
    min_samples_middle : int, default=5
        The minimum weight within a zone for a middle subtree (``routing="hard_middle"`` only).
    """

    scale: float = 1.0
    max_fraction: float = 0.25
    category_error: float = 2.0
    min_samples_category: int = 1
    min_samples_middle: int = 5

    #: The name in parameters and files.
    name: ClassVar[str]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "scale": [_non_negative()],
        "max_fraction": [Interval(Real, 0.0, 1.0, closed="both")],
        "category_error": [_non_negative()],
        "min_samples_category": [Interval(Integral, 1, None, closed="left")],
        "min_samples_middle": [Interval(Integral, 0, None, closed="left")],
    }

    def _settings(self, feature_names: Sequence[str]) -> dict[str, Any]:
        """Return the settings that only this kind has, as in a model file."""
        own = {field.name for field in fields(self)} - {field.name for field in fields(Zone)}
        return {setting: getattr(self, setting) for setting in sorted(own)}


@dataclass(kw_only=True, repr=False)
class NoZone(Zone):
    """No zones: plain CART. Every row with known values is decided.

    Only ``min_samples_category`` has an effect; see :class:`Zone`.
    """

    name: ClassVar[str] = "none"


@dataclass(kw_only=True, repr=False)
class Margin(Zone):
    """The distance from the threshold to the nearest row on the wrong side.

    It has no settings of its own (see :class:`Zone` for those of all kinds), and it shrinks as
    1/n where classes overlap.
    """

    name: ClassVar[str] = "margin"


@dataclass(kw_only=True, repr=False)
class Spread(Zone):
    """Half a standard deviation of the feature among the rows of the split.

    Meant to be scaled: :class:`~ternwood.TernaryTreeClassifierCV` chooses the scale by
    cross-validation. See :class:`Zone` for the parameters.
    """

    name: ClassVar[str] = "spread"


@dataclass(kw_only=True, repr=False)
class QualityPlateau(Zone):
    """Half the distance between the outermost thresholds that are nearly as good as the best.

    Works with few rows. See :class:`Zone` for the parameters of all kinds.

    Parameters
    ----------
    tolerance : float, default=0.05
        How far the gain may fall short of the best, as a share of it.
    connected : bool, default=False
        Use only the unbroken run of thresholds around the best one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ternwood import TernaryTreeClassifier, zones
    >>> X, y = load_iris(return_X_y=True)
    >>> wide = zones.QualityPlateau(tolerance=0.4)
    >>> clf = TernaryTreeClassifier(zone=wide, max_depth=2).fit(X, y)
    >>> int((~clf.predict_decided(X)).sum())
    84
    """

    tolerance: float = 0.05
    connected: bool = False

    name: ClassVar[str] = "quality_plateau"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Zone._parameter_constraints,
        "tolerance": [Interval(Real, 0.0, 1.0, closed="both")],
        "connected": ["boolean"],
    }


@dataclass(kw_only=True, repr=False)
class ClassOverlap(Zone):
    """Half the overlap of the bulks of two classes. Flags the most rows.

    See :class:`Zone` for the parameters of all kinds.

    Parameters
    ----------
    tail : float, default=0.1
        The share of a class that is cut off at each end.
    """

    tail: float = 0.1

    name: ClassVar[str] = "class_overlap"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Zone._parameter_constraints,
        "tail": [Interval(Real, 0.0, 0.5, closed="both")],
    }


@dataclass(kw_only=True, repr=False)
class GainRatio(Zone):
    """A share of the feature's range: the weaker the split, the larger.

    See :class:`Zone` for the parameters of all kinds.

    Parameters
    ----------
    range_share : float, default=0.1
        The half-width of a split without gain, as a share of the feature's range.
    gain : {"criterion", "information"}, default="criterion"
        Use the gain of the tree's ``criterion``, or information gain.
    """

    range_share: float = 0.1
    gain: str = "criterion"

    name: ClassVar[str] = "gain_ratio"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Zone._parameter_constraints,
        "range_share": [_non_negative()],
        "gain": [StrOptions({"criterion", "information"})],
    }

    def _settings(self, feature_names: Sequence[str]) -> dict[str, Any]:
        return {"scale": self.range_share, "gain": self.gain}


@dataclass(kw_only=True, repr=False)
class NodeBootstrap(Zone):
    """The standard deviation of the threshold when the split's rows are drawn again.

    Random: ``random_state`` of the classifier is its seed. Needs hundreds of rows. See
    :class:`Zone` for the parameters of all kinds.

    Parameters
    ----------
    resamples : int or "auto", default="auto"
        How often; ``"auto"`` is 20, 15 from 2,000 rows and 10 from 10,000.
    """

    resamples: int | str = "auto"

    name: ClassVar[str] = "node_bootstrap"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Zone._parameter_constraints,
        "resamples": [Interval(Integral, 2, 10_000, closed="both"), StrOptions({"auto"})],
    }

    def _settings(self, feature_names: Sequence[str]) -> dict[str, Any]:
        drawn = self.resamples
        return {"resamples": drawn if isinstance(drawn, str) else {"count": int(drawn)}}


@dataclass(kw_only=True, repr=False)
class CostOptimal(Zone):
    """As far from the threshold as the expected error costs more than a flag.

    The errors are those of predictions out of fold, so a fit grows six trees. Not for
    ``routing="hard_middle"``. See :class:`Zone` for the parameters of all kinds.

    Parameters
    ----------
    cost_ratio : float, default=0.2
        The cost of a flag, as a share of the cost of a wrong prediction.
    """

    cost_ratio: float = 0.2

    name: ClassVar[str] = "cost_optimal"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Zone._parameter_constraints,
        "cost_ratio": [Interval(Real, 0.0, 1.0, closed="neither")],
    }


@dataclass(repr=False)
class Specified(Zone):
    """Known measurement errors: a laboratory reports ± 0.1, so values within 0.1 are undecided.

    See :class:`Zone` for the parameters of all kinds.

    Parameters
    ----------
    half_widths : dict of str to float, or array-like of shape (n_features,)
        The half-widths in the features' own units: by name, others being 0, or one for each
        feature.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ternwood import TernaryTreeClassifier, zones
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> measured = zones.Specified({"petal length (cm)": 0.1, "petal width (cm)": 0.05})
    >>> clf = TernaryTreeClassifier(zone=measured, max_depth=2).fit(X, y)
    >>> print(clf.export_text().splitlines()[0])
    petal length (cm) 2.5 ± 0.1 (150 rows, 0 within)
    """

    half_widths: Mapping[str, float] | ArrayLike

    name: ClassVar[str] = "specified"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Zone._parameter_constraints,
        "half_widths": ["array-like", Mapping],
    }

    def _settings(self, feature_names: Sequence[str]) -> dict[str, Any]:
        given = self.half_widths
        if isinstance(given, Mapping):
            unknown = next((name for name in given if name not in feature_names), None)
            if unknown is not None:
                known = ", ".join(map(repr, feature_names[:12]))
                raise ValueError(
                    f"half_widths has {unknown!r}, but X has no such feature; it has {known}"
                    + (", ..." if len(feature_names) > 12 else "")
                )
            widths = [given.get(name, 0.0) for name in feature_names]
        else:
            widths = np.asarray(given, dtype=object).tolist()
        if len(widths) != len(feature_names):
            raise ValueError(
                f"half_widths has {len(widths)} numbers, but X has {len(feature_names)} features; "
                "give one for each, or a dict of those that are not 0"
            )
        for name, width in zip(feature_names, widths, strict=True):
            if not isinstance(width, Real) or not 0 <= width < math.inf:
                raise ValueError(
                    f"the half-width of {name!r} is {width!r}; allowed: a number, at least 0, in "
                    "the units of the feature"
                )
        return {"half_widths": [float(width) for width in widths]}

    def _warn_of_untested(self, feature_names: Sequence[str], tested: Collection[int]) -> None:
        """Warn of features with a half-width that no split of the fitted tree tests."""
        widths = self._settings(feature_names)["half_widths"]
        useless = [
            repr(name)
            for index, name in enumerate(feature_names)
            if widths[index] > 0 and index not in tested
        ]
        # Of widths for all features, some are always useless.
        if isinstance(self.half_widths, Mapping) and useless:
            warnings.warn(
                f"no split of the tree tests {', '.join(useless)}: their half-widths flag nothing",
                UserWarning,
                stacklevel=2,
            )


#: The classes by the name that ``zone=`` takes.
KINDS: dict[str, type[Zone]] = {
    kind.name: kind
    for kind in (
        Margin,
        QualityPlateau,
        NodeBootstrap,
        ClassOverlap,
        GainRatio,
        Spread,
        CostOptimal,
        Specified,
        NoZone,
    )
}


def as_zone(zone: Zone | str) -> Zone:
    """Return the zone of this name, with its default settings; an object as it is."""
    if isinstance(zone, Zone):
        return zone
    if zone == Specified.name:
        raise ValueError(
            "zone='specified' needs half-widths: say zone=zones.Specified({'glucose': 1.1}), or "
            "give one half-width per feature, in the features' own units"
        )
    if zone not in KINDS:
        raise ValueError(
            f"zone is {zone!r}; allowed: {', '.join(map(repr, KINDS))}, or an object of "
            "ternwood.zones"
        )
    return KINDS[zone]()
