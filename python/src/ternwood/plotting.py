"""Pictures of data and of results, with matplotlib.

matplotlib is an optional dependency: ``pip install ternwood[plot]``. Every function draws into
the given Axes, or creates its own, and returns them. Pictures of a tree and of a single
zone are methods of the classifier and need no matplotlib.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from . import _labels
from ._base_tree import BaseTernaryTree
from ._labelled_rows import LabelledRows, TrainingSet
from ._predictions import predict
from ._table import Feature, Kind
from ._ternwood import Model
from .metrics import aurc, risk_coverage_curve
from .zones import as_zone

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._base import BaseTernary

__all__ = ["plot_decision_surface", "plot_risk_coverage"]

# The class colours of tree pictures (after Okabe and Ito); they repeat for more classes.
_COLOURS = (
    "#2f6fb0",
    "#ec8b23",
    "#1f9b78",
    "#c2569b",
    "#62b5e8",
    "#d8b21a",
    "#c4462f",
    "#7a5fb3",
    "#8d6b4b",
    "#7f8a99",
)
_CART = "#c4462f"
_GRID = 400


def plot_decision_surface(
    clf: BaseTernary,
    X: Any,
    y: ArrayLike,
    *,
    features: tuple[int | str, int | str] = (0, 1),
    cart: bool = True,
    ax: Axes | Sequence[Axes] | None = None,
) -> Axes | NDArray[Any]:
    """Draw the predictions of a classifier over two features.

    Areas have the colour of the predicted class, undecided areas are hatched, rows are dots.
    Features that are not shown are set to their median, categories to the commonest one.

    Parameters
    ----------
    clf : tree or forest of this package
        A fitted classifier.
    X : array-like, data frame or table of shape (n_samples, n_features)
        Rows to show, with all features of the classifier.
    y : array-like of shape (n_samples,)
        Their labels.
    features : pair of int or str, default=(0, 1)
        The features to show, by position or by name. They must not be unordered categories.
    cart : bool, default=True
        Whether to also show plain CART: the same model without zones. With ``"hard_middle"``
        routing there is no such tree, and CART is grown from the rows shown.
    ax : Axes or pair of Axes, default=None
        Where to draw; a pair if ``cart``. By default a new figure.

    Returns
    -------
    Axes or ndarray of two Axes
        Where it was drawn: the classifier, then CART.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.datasets import load_iris
    >>> from ternwood import TernaryTreeClassifier
    >>> from ternwood.plotting import plot_decision_surface
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = TernaryTreeClassifier(zone="class_overlap", max_depth=3).fit(X, y)
    >>> both = plot_decision_surface(clf, X, y, features=("petal length (cm)", "petal width (cm)"))
    >>> both[0].get_title(), both[1].get_title()
    ('class overlap zones', 'the same tree without zones')
    """
    check_is_fitted(clf)
    rows = clf._rows(X)
    labels = column_or_1d(y)
    check_consistent_length(rows, labels)
    shown = [_position(clf, feature) for feature in features]
    if len(shown) != 2 or shown[0] == shown[1]:
        raise ValueError(f"features must be two different features, got {features!r}")
    panels = _panels(ax, 2 if cart else 1)
    described = [Feature(*feature) for feature in clf._model.features()]
    horizontal, vertical, grid = _grid(rows, shown, described)
    axes_names = [described[position].name for position in shown]
    zone = as_zone(clf.zone).name.replace("_", " ")
    pictures = [(f"{zone} zones", *_zoned_answers(clf, grid))]
    if cart:
        pictures.append(_cart_answers(clf, grid, rows, labels))
    for panel, (title, classes, decided) in zip(panels, pictures, strict=True):
        shape = (_GRID, _GRID)
        answers = classes.reshape(shape), decided.reshape(shape)
        _areas(panel, (horizontal, vertical), *answers)
        _dots(panel, rows[:, shown], labels, clf.classes_)
        panel.set_title(title)
        panel.set_xlabel(axes_names[0])
        panel.set_xlim(horizontal[0], horizontal[-1])
        panel.set_ylim(vertical[0], vertical[-1])
    panels[0].set_ylabel(axes_names[1])
    for position, axis in zip(shown, (panels[0].xaxis, panels[0].yaxis), strict=True):
        ranks = described[position].categories
        if ranks is not None:
            axis.set_ticks(range(len(ranks)), ranks)
    _surface_legend(panels[0], clf.classes_)
    return panels if cart else panels[0]


def plot_risk_coverage(
    clf: BaseTernary, X: Any, y: ArrayLike, *, cart: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw how the error grows as less confident rows are also decided.

    Compares three ways to leave rows undecided: by the largest blended probability (Chow's
    rule), by the largest leaf probability of plain CART, and by the verdict, which is a
    single point.

    Parameters
    ----------
    clf : tree or forest of this package
        A fitted classifier.
    X : array-like, data frame or table of shape (n_samples, n_features)
        Held-out rows.
    y : array-like of shape (n_samples,)
        Their labels.
    cart : fitted classifier, default=None
        The plain model to compare with. By default the same model without zones; with
        ``"hard_middle"`` routing there is none, and the classifier is shown alone.
    ax : Axes, default=None
        Where to draw. By default a new figure.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ternwood import TernaryTreeClassifier
    >>> from ternwood.plotting import plot_risk_coverage
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = TernaryTreeClassifier(max_depth=4).fit(X[::2], y[::2])
    >>> ax = plot_risk_coverage(clf, X[1::2], y[1::2])
    >>> ax.get_xlabel()
    'coverage: share of rows decided'
    """
    check_is_fitted(clf)
    labels = column_or_1d(y)
    classes, probabilities, decided = clf.predict_all(X)
    check_consistent_length(classes, labels)
    panel: Axes = _panels(ax, 1)[0]
    _curve(panel, labels, classes, probabilities, ("blended probabilities", _COLOURS[0], "-"))
    plain = _plain_tree(clf, cart, X)
    if plain is not None:
        name = "plain CART" if _kind(clf) == "tree" else "without zones"
        _curve(panel, labels, *plain, (f"{name} (Chow)", _CART, "--"))
    if decided.any():
        risk = float(np.mean(classes[decided] != labels[decided]))
        panel.plot(
            decided.mean(),
            risk,
            "o",
            markersize=9,
            color="black",
            zorder=3,
            label=f"verdict ({np.mean(~decided):.1%} undecided)",
        )
    panel.set_xlabel("coverage: share of rows decided")
    panel.set_ylabel("risk: share of errors among them")
    panel.set_xlim(0, 1.02)
    panel.set_ylim(bottom=0)
    panel.grid(alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(frameon=False)
    return panel


def _panels(ax: Any, count: int) -> NDArray[Any]:
    """Return the given Axes, or make a figure with `count` side by side."""
    if ax is not None:
        panels = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(panels) != count:
            raise ValueError(f"ax must be {count} Axes for this picture, got {len(panels)}")
        return panels
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "ternwood.plotting needs matplotlib: pip install ternwood[plot]"
        ) from error
    _, panels = plt.subplots(
        1,
        count,
        figsize=(5.2 * count + 0.6, 4.6),
        layout="constrained",
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    return np.asarray(panels).ravel()


def _position(clf: BaseTernary, feature: int | str) -> int:
    names = clf._model.feature_names()
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"there is no feature {feature!r}; there are: {', '.join(names)}")
        return names.index(feature)
    if not -len(names) <= feature < len(names):
        raise ValueError(f"there is no feature {feature}; there are {len(names)}")
    return int(feature) % len(names)


def _grid(
    rows: NDArray[np.float64], shown: list[int], features: list[Feature]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return both axes and the rows of a grid over them, the other features at their middle."""
    for feature in (features[position] for position in shown):
        if feature.categories is not None and not feature.ordered:
            raise ValueError(
                f"{feature.name!r} has categories without an order, which are no axis; choose two "
                "other features"
            )
    rows = check_array(rows, input_name="X", ensure_all_finite="allow-nan")
    axes = [_axis(rows[:, position]) for position in shown]
    middle = [_middle(values, feature) for values, feature in zip(rows.T, features, strict=True)]
    grid = np.tile(middle, (_GRID * _GRID, 1))
    for position, values in zip(shown, np.meshgrid(*axes), strict=True):
        grid[:, position] = values.ravel()
    return axes[0], axes[1], grid


def _axis(values: NDArray[np.float64]) -> NDArray[np.float64]:
    known = values[~np.isnan(values)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 0.0)
    room = 0.05 * (high - low) if high > low else 1.0
    return np.linspace(low - room, high + room, _GRID)


def _middle(values: NDArray[np.float64], feature: Feature) -> float:
    """Return the median of numbers and ranks, the commonest of categories; NaN if there is none."""
    known = values[~np.isnan(values)]
    if not known.size:
        return np.nan
    if feature.categories is None or feature.ordered:
        return float(np.median(known))
    return float(np.bincount(known.astype(np.int64)).argmax())


def _zoned_answers(
    clf: BaseTernary, grid: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return class numbers, and which rows are decided."""
    class_ids, _, verdicts = predict(clf._model, grid, np.arange(len(clf.classes_)), 0)
    return class_ids, verdicts


def _cart_answers(
    clf: BaseTernary,
    grid: NDArray[np.float64],
    rows: NDArray[np.float64],
    labels: NDArray[Any],
) -> tuple[str, NDArray[np.int64], NDArray[np.bool_]]:
    """Return a title for plain CART, and its predictions."""
    decided = np.ones(len(grid), dtype=bool)
    if clf.routing != "hard_middle":
        answers, _ = clf._model.predict_crisp(grid, 0)
        return f"the same {_kind(clf)} without zones", answers, decided
    recipe = json.loads(clf._model.recipe())
    recipe["params"]["zone"]["kind"] = "none"
    recipe |= {"routing": "crisp", "auto": {"zone_scale": False, "max_depth": None}}
    kinds = [Kind(feature[1], feature[2]) for feature in clf._model.features()]
    # A category that the classifier does not know is no category to learn from.
    n_categories = [np.inf if kind.categories is None else len(kind.categories) for kind in kinds]
    unknown = (rows >= np.array(n_categories)).any(axis=1)
    class_ids = _labels.numbered(labels, clf.classes_)
    labelled = LabelledRows(rows, class_ids, np.where(unknown, 0.0, 1.0))
    data = TrainingSet(labelled, _labels.to_names(clf.classes_), kinds=kinds)
    answers, _ = Model.fit(data, json.dumps(recipe), 0).predict_crisp(grid, 0)
    return "CART of the rows shown", answers, decided


def _kind(clf: BaseTernary) -> str:
    return "tree" if isinstance(clf, BaseTernaryTree) else "forest"


def _areas(
    panel: Axes,
    axes: tuple[NDArray[np.float64], NDArray[np.float64]],
    classes: NDArray[np.int64],
    decided: NDArray[np.bool_],
) -> None:
    from matplotlib.colors import ListedColormap

    colours = ListedColormap(_COLOURS)
    panel.pcolormesh(
        *axes,
        classes % len(_COLOURS),
        cmap=colours,
        vmin=-0.5,
        vmax=len(_COLOURS) - 0.5,
        alpha=0.28,
        shading="nearest",
        rasterized=True,
    )
    if not decided.all():
        undecided = (~decided).astype(float)
        hatched = panel.contourf(
            *axes, undecided, levels=[0.5, 1.5], colors="none", hatches=["///"]
        )
        hatched.set_edgecolor("#444444")
        hatched.set_linewidth(0.0)


def _dots(
    panel: Axes, rows: NDArray[np.float64], labels: NDArray[Any], classes: NDArray[Any]
) -> None:
    size = float(np.clip(9000 / len(rows), 7, 26))
    for number, label in enumerate(classes):
        of_class = labels == label
        panel.scatter(
            rows[of_class, 0],
            rows[of_class, 1],
            s=size,
            color=_COLOURS[number % len(_COLOURS)],
            edgecolor="white",
            linewidth=0.4,
            zorder=3,
        )


def _surface_legend(panel: Axes, classes: NDArray[Any]) -> None:
    """Add a legend for classes and hatching, outside the axes."""
    from matplotlib.patches import Patch

    entries = [
        Patch(facecolor=_COLOURS[number % len(_COLOURS)], label=str(label))
        for number, label in enumerate(classes)
    ]
    entries.append(Patch(facecolor="white", edgecolor="#444444", hatch="///", label="undecided"))
    figure = panel.figure
    if figure.get_layout_engine() is not None:
        columns = min(len(entries), 6)
        figure.legend(handles=entries, loc="outside lower center", ncols=columns, frameon=False)
    else:
        panel.legend(handles=entries, loc="best", framealpha=0.9)


def _plain_tree(
    clf: BaseTernary, cart: Any, X: Any
) -> tuple[NDArray[Any], NDArray[np.float64]] | None:
    """Return classes and probabilities of the tree without zones."""
    if cart is not None:
        return cart.predict(X), cart.predict_proba(X)
    if clf.routing == "hard_middle":
        return None
    class_ids, probabilities = clf._model.predict_crisp(clf._rows(X), 0)
    return clf.classes_[class_ids], probabilities


def _curve(
    panel: Axes,
    labels: NDArray[Any],
    classes: NDArray[Any],
    probabilities: NDArray[np.float64],
    style: tuple[str, str, str],
) -> None:
    name, colour, line = style
    confidence = probabilities.max(axis=1)
    coverage, risk, _ = risk_coverage_curve(labels, classes, confidence)
    area = aurc(labels, classes, confidence)
    panel.plot(coverage, risk, line, color=colour, label=f"{name}, AURC {area:.3f}")
