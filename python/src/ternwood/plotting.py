"""Pictures of data and of results, with matplotlib.

matplotlib is an optional dependency: ``pip install ternwood[plot]``. Every function draws into
the given Axes, or creates its own, and returns them. Pictures of a tree and of a single
zone are methods of the classifier and need no matplotlib.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from . import _labels
from ._base import BaseTernary
from ._base_tree import BaseTernaryTree
from ._calibration_rows import class_probabilities
from ._labelled_rows import LabelledRows, TrainingSet
from ._panels import COLOURS, colour, panels, plain
from ._predictions import predict
from ._probability_plots import plot_reliability, plot_tradeoff
from ._table import Feature, Kind
from ._ternwood import Model
from .metrics import aurc, risk_coverage_curve
from .zones import as_zone

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_decision_surface", "plot_reliability", "plot_risk_coverage", "plot_tradeoff"]

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
    drawn = panels(ax, 2 if cart else 1)
    described = [Feature(*feature) for feature in clf._model.features()]
    horizontal, vertical, grid = _grid(rows, shown, described)
    axes_names = [described[position].name for position in shown]
    zone = as_zone(clf.zone).name.replace("_", " ")
    pictures = [(f"{zone} zones", *_zoned_answers(clf, grid))]
    if cart:
        pictures.append(_cart_answers(clf, grid, rows, labels))
    for panel, (title, classes, decided) in zip(drawn, pictures, strict=True):
        shape = (_GRID, _GRID)
        answers = classes.reshape(shape), decided.reshape(shape)
        _areas(panel, (horizontal, vertical), *answers)
        _dots(panel, rows[:, shown], labels, clf.classes_)
        panel.set_title(title)
        panel.set_xlabel(axes_names[0])
        panel.set_xlim(horizontal[0], horizontal[-1])
        panel.set_ylim(vertical[0], vertical[-1])
    drawn[0].set_ylabel(axes_names[1])
    for position, axis in zip(shown, (drawn[0].xaxis, drawn[0].yaxis), strict=True):
        ranks = described[position].categories
        if ranks is not None:
            axis.set_ticks(range(len(ranks)), ranks)
    _surface_legend(drawn[0], clf.classes_)
    return drawn if cart else drawn[0]


def plot_risk_coverage(
    clf: Any, X: Any, y: ArrayLike, *, cart: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw how the error grows as less confident rows are also decided.

    The curve of a classifier decides rows by their largest class probability (Chow's rule). Its
    verdict, if it has one, is a single point. A tree or forest of this package is compared with
    plain CART; several classifiers are compared with each other.

    Parameters
    ----------
    clf : classifier, dict or list of classifiers
        A fitted classifier with ``predict_proba``, such as a tree or forest of this package or a
        :class:`VerdictClassifier`; or several, as a dict by name or as a list.
    X : array-like, data frame or table of shape (n_samples, n_features)
        Held-out rows.
    y : array-like of shape (n_samples,)
        Their labels.
    cart : fitted classifier, default=None
        The plain model to compare a single classifier with. By default, for a tree or forest of
        this package, the same model without zones; with ``"hard_middle"`` routing there is none,
        and the classifier is shown alone.
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
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from ternwood import TernaryTreeClassifier
    >>> from ternwood.plotting import plot_risk_coverage
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = TernaryTreeClassifier(max_depth=4).fit(X[::2], y[::2])
    >>> ax = plot_risk_coverage(clf, X[1::2], y[1::2])
    >>> ax.get_xlabel()
    'coverage: share of rows decided'
    >>> models = {"tree": clf, "naive Bayes": GaussianNB().fit(X[::2], y[::2])}
    >>> ax = plot_risk_coverage(models, X[1::2], y[1::2])
    """
    labels = column_or_1d(y)
    if isinstance(clf, Mapping | list | tuple):
        if cart is not None:
            raise ValueError("cart is compared with a single classifier: put it into the list")
        named = _named(clf)
        panel: Axes = panels(ax, 1)[0]
        for number, (name, model) in enumerate(named.items()):
            answers = _answers(model, X, labels)
            _curve(panel, labels, answers, (name, colour(number), "-"))
            _verdict_point(panel, labels, answers, (f"{name}, verdict", colour(number)))
    else:
        answers = _answers(clf, X, labels)
        panel = panels(ax, 1)[0]
        is_ours = isinstance(clf, BaseTernary)
        name = "blended probabilities" if is_ours else "probabilities"
        _curve(panel, labels, answers, (name, COLOURS[0], "-"))
        plain_answers = _plain_answers(clf, cart, X)
        if plain_answers is not None:
            name = "without zones" if is_ours and _kind(clf) == "forest" else "plain CART"
            _curve(panel, labels, plain_answers, (f"{name} (Chow)", _CART, "--"))
        _verdict_point(panel, labels, answers, ("verdict", "black"))
    panel.set_xlabel("coverage: share of rows decided")
    panel.set_ylabel("risk: share of errors among them")
    panel.set_xlim(0, 1.02)
    panel.set_ylim(bottom=0)
    plain(panel)
    panel.legend(frameon=False)
    return panel


class _Answers(NamedTuple):
    classes: NDArray[Any]
    probabilities: NDArray[np.float64]
    decided: NDArray[np.bool_] | None
    """None of a classifier without a verdict."""


def _named(models: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """Return models by name; those of a list by what they are, numbered where that repeats."""
    if not len(models):
        raise ValueError("there is no classifier to show")
    if isinstance(models, Mapping):
        return {str(name): model for name, model in models.items()}
    kinds = [type(getattr(model, "estimator_", model)).__name__ for model in models]
    count = Counter(kinds)
    seen: Counter[str] = Counter()
    named = {}
    for kind, model in zip(kinds, models, strict=True):
        seen[kind] += 1
        named[kind if count[kind] == 1 else f"{kind} {seen[kind]}"] = model
    return named


def _answers(clf: Any, X: Any, labels: NDArray[Any]) -> _Answers:
    check_is_fitted(clf)
    if hasattr(clf, "predict_all"):
        answers = _Answers(*clf.predict_all(X))
    else:
        probabilities = class_probabilities(clf, X)
        classes = np.asarray(clf.classes_)[probabilities.argmax(axis=1)]
        answers = _Answers(classes, probabilities, None)
    check_consistent_length(answers.classes, labels)
    return answers


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

    colours = ListedColormap(COLOURS)
    panel.pcolormesh(
        *axes,
        classes % len(COLOURS),
        cmap=colours,
        vmin=-0.5,
        vmax=len(COLOURS) - 0.5,
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
            color=colour(number),
            edgecolor="white",
            linewidth=0.4,
            zorder=3,
        )


def _surface_legend(panel: Axes, classes: NDArray[Any]) -> None:
    """Add a legend for classes and hatching, outside the axes."""
    from matplotlib.patches import Patch

    entries = [
        Patch(facecolor=colour(number), label=str(label)) for number, label in enumerate(classes)
    ]
    entries.append(Patch(facecolor="white", edgecolor="#444444", hatch="///", label="undecided"))
    figure = panel.figure
    if figure.get_layout_engine() is not None:
        columns = min(len(entries), 6)
        figure.legend(handles=entries, loc="outside lower center", ncols=columns, frameon=False)
    else:
        panel.legend(handles=entries, loc="best", framealpha=0.9)


def _plain_answers(clf: Any, cart: Any, X: Any) -> _Answers | None:
    """Return what the plain model answers, if there is one."""
    if cart is not None:
        return _Answers(cart.predict(X), cart.predict_proba(X), None)
    if not isinstance(clf, BaseTernary) or clf.routing == "hard_middle":
        return None
    class_ids, probabilities = clf._model.predict_crisp(clf._rows(X), 0)
    return _Answers(clf.classes_[class_ids], probabilities, None)


def _curve(
    panel: Axes, labels: NDArray[Any], answers: _Answers, style: tuple[str, str, str]
) -> None:
    name, line_colour, line = style
    confidence = answers.probabilities.max(axis=1)
    coverage, risk, _ = risk_coverage_curve(labels, answers.classes, confidence)
    area = aurc(labels, answers.classes, confidence)
    panel.plot(coverage, risk, line, color=line_colour, label=f"{name}, AURC {area:.3f}")


def _verdict_point(
    panel: Axes, labels: NDArray[Any], answers: _Answers, style: tuple[str, str]
) -> None:
    decided = answers.decided
    if decided is None or not decided.any():
        return
    name, dot_colour = style
    panel.plot(
        decided.mean(),
        float(np.mean(answers.classes[decided] != labels[decided])),
        "o",
        markersize=9,
        color=dot_colour,
        zorder=3,
        label=f"{name} ({np.mean(~decided):.1%} undecided)",
    )
