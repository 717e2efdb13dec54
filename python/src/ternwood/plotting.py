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
from scipy.stats import beta
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from . import _labels
from ._base import BaseTernary
from ._calibration import CalibrationRows, checked_labels, class_probabilities, held_out
from ._explain import predict
from ._input import LabelledRows, TrainingSet
from ._table import Feature, Kind
from ._ternwood import Model
from ._tree import BaseTernaryTree
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
    class_ids, _, decided = predict(clf._model, grid, np.arange(len(clf.classes_)), 0)
    return class_ids, decided


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


# With more classes than this, a picture shows those with the most rows.
_LINES = 4

_PANELS = 6


class _Rows(NamedTuple):
    """Rows with their class probabilities, the classes, and which of them to show."""

    rows: CalibrationRows
    classes: NDArray[Any]
    shown: list[int]


def plot_tradeoff(
    clf: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    probabilities: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    labels: Sequence[Any] | None = None,
    catch: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of each class that is missed, by the share of rows that may be flagged.

    A row is missed if it is decided as another class than its own. Solid lines show budgets that
    flag the rows least sure (``flag_rate``), dashed lines budgets that are aimed at the class
    (``flag_rate`` with ``catch``). Use it before making a promise, with rows other than those
    that the promise is made with.

    Parameters
    ----------
    clf : classifier with ``predict_proba``, default=None
        Any fitted classifier, also a :class:`VerdictClassifier`, of which only the probabilities
        count. None if ``probabilities`` are given.
    X : array-like or whatever the classifier takes, default=None
        Rows that the classifier has not seen.
    y : array-like of shape (n_samples,)
        Their labels.
    probabilities : array-like of shape (n_samples, n_classes), default=None
        Class probabilities of the rows, instead of ``clf`` and ``X``.
    classes : array-like of shape (n_classes,), default=None
        With ``probabilities``, the labels of the columns. By default the sorted labels in ``y``.
    labels : sequence of labels, default=None
        The classes to show. By default all, or the four with the most rows.
    catch : bool, default=True
        Whether to also show budgets aimed at the classes.
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
    >>> from ternwood.plotting import plot_tradeoff
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = GaussianNB().fit(X[::2], y[::2])
    >>> ax = plot_tradeoff(clf, X[1::2], y[1::2], labels=[0])
    >>> ax.get_xlabel()
    'budget: largest share of flagged rows'
    >>> ax = plot_tradeoff(y=y[1::2], probabilities=clf.predict_proba(X[1::2]))
    """
    rows, known, shown = _rows_of(clf, X, y, probabilities, classes, labels, _LINES)
    panel: Axes = panels(ax, 1)[0]
    for place, class_id in enumerate(shown):
        for caught, style in [(None, "-"), (class_id, "--")][: 2 if catch else 1]:
            flagged, missed = tradeoff(rows, class_id, caught)
            name = str(known[class_id])
            label = f"{name}, least sure rows" if caught is None else f"{name}, aimed at {name}"
            panel.step(
                np.append(flagged, 1.0),
                np.append(missed, missed[-1]),
                style,
                where="post",
                color=colour(place),
                label=label,
            )
    panel.set_xlabel("budget: largest share of flagged rows")
    panel.set_ylabel("missed: share of the class decided as another")
    panel.set_xlim(0, 1)
    panel.set_ylim(bottom=0)
    plain(panel)
    panel.legend(frameon=False, title="class, flagged rows")
    return panel


def tradeoff(
    rows: CalibrationRows, class_id: int, caught: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the budgets at which more rows are flagged, and the share of the class then missed.

    Uncovered rows are flagged first, then rows in order of their confidence; or, with a class to
    catch, rows predicted as another class, the largest probabilities of the caught one first.
    """
    predicted = rows.probabilities.argmax(axis=1)
    if caught is None:
        doubt = -rows.probabilities.max(axis=1)
        # The rows most sure are never flagged: some row is always decided.
        candidates = rows.covered.copy()
    else:
        doubt = rows.probabilities[:, caught]
        candidates = rows.covered & (predicted != caught) & (doubt > 0)
    is_missed = (rows.class_ids == class_id) & (predicted != class_id)
    values, places = np.unique(-doubt[candidates], return_inverse=True)
    flags = np.bincount(places, minlength=len(values))
    saved = np.bincount(places, weights=is_missed[candidates], minlength=len(values))
    flagged = np.concatenate([[0], np.cumsum(flags)]) + np.sum(~rows.covered)
    missed = is_missed[rows.covered].sum() - np.concatenate([[0], np.cumsum(saved)])
    of_class = max(1, int((rows.class_ids == class_id).sum()))
    return flagged / len(rows.class_ids), missed / of_class


def plot_reliability(
    clf: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    probabilities: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    labels: Sequence[Any] | None = None,
    n_bins: int = 10,
    confidence: float = 0.95,
    ax: Axes | Sequence[Axes] | None = None,
) -> Axes | NDArray[Any]:
    """Draw how often a class is true where the classifier gives it some probability.

    Rows are put into bins of (nearly) equal counts by their probability of a class. Each bin is a
    dot at its mean probability and the share of its rows that are of the class, with an exact
    (Clopper-Pearson) interval. Probabilities that can be trusted lie on the diagonal.

    Parameters
    ----------
    clf : classifier with ``predict_proba``, default=None
        Any fitted classifier. None if ``probabilities`` are given.
    X : array-like or whatever the classifier takes, default=None
        Rows that the classifier has not seen.
    y : array-like of shape (n_samples,)
        Their labels.
    probabilities : array-like of shape (n_samples, n_classes), default=None
        Class probabilities of the rows, instead of ``clf`` and ``X``.
    classes : array-like of shape (n_classes,), default=None
        With ``probabilities``, the labels of the columns. By default the sorted labels in ``y``.
    labels : sequence of labels, default=None
        The classes to show, each in a panel of its own. By default the second of two classes, all
        of several, or the six with the most rows.
    n_bins : int, default=10
        The number of bins. Rows of equal probability are never divided, so there may be fewer.
    confidence : float, default=0.95
        The confidence of each interval.
    ax : Axes or sequence of Axes, default=None
        Where to draw, one for each class. By default a new figure.

    Returns
    -------
    Axes or ndarray of Axes
        Where it was drawn: an array if there are several classes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from ternwood.plotting import plot_reliability
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ax = plot_reliability(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> ax.get_xlabel()
    'mean probability of class 1'
    """
    if n_bins < 1:
        raise ValueError(f"n_bins={n_bins!r}: it must be at least 1")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: it must be between 0 and 1; 95 % is 0.95")
    rows, known, shown = _rows_of(clf, X, y, probabilities, classes, labels, _PANELS)
    if labels is None and len(known) == 2:
        shown = [1]
    drawn = panels(ax, len(shown))
    for place, (panel, class_id) in enumerate(zip(drawn, shown, strict=True)):
        name = str(known[class_id])
        means, shares, low, high = reliability(rows, class_id, n_bins, confidence)
        panel.plot([0, 1], [0, 1], color="#888888", linewidth=1, linestyle=":", label="diagonal")
        panel.errorbar(
            means,
            shares,
            yerr=[shares - low, high - shares],
            fmt="o-",
            color=colour(place),
            capsize=3,
            linewidth=1,
            label=f"bins of about {len(rows.class_ids) / len(means):.0f} rows",
        )
        panel.set_xlabel(f"mean probability of class {name}")
        panel.set_ylabel(f"share of class {name}")
        panel.set_xlim(-0.02, 1.02)
        panel.set_ylim(-0.02, 1.02)
        panel.set_aspect("equal")
        panel.tick_params(labelbottom=True)  # also above an empty place
        plain(panel)
        panel.legend(frameon=False)
    return drawn if len(shown) > 1 else drawn[0]


def reliability(
    rows: CalibrationRows, class_id: int, n_bins: int, confidence: float
) -> tuple[NDArray[np.float64], ...]:
    """Return each bin's mean probability and share of the class, and the ends of its interval."""
    probability = rows.probabilities[:, class_id]
    order = np.argsort(probability, kind="stable")
    ranked = probability[order]
    n_rows = len(ranked)
    # Rows of equal probability share a bin: a cut moves down to the first of them.
    cuts = np.arange(1, n_bins) * n_rows // n_bins
    cuts = np.searchsorted(ranked, ranked[cuts], side="left")
    starts = np.unique(np.concatenate([[0], cuts]))
    counts = np.diff(np.append(starts, n_rows))
    of_class = np.add.reduceat((rows.class_ids[order] == class_id).astype(np.int64), starts)
    means = np.add.reduceat(ranked, starts) / counts
    tail = (1 - confidence) / 2
    others = counts - of_class
    # The beta distribution has no parameter 0: there the interval ends at 0 or 1.
    low = np.where(of_class == 0, 0.0, beta.ppf(tail, np.maximum(of_class, 1), others + 1))
    high = np.where(others == 0, 1.0, beta.isf(tail, of_class + 1, np.maximum(others, 1)))
    return means, of_class / counts, low, high


def _rows_of(
    clf: Any,
    X: Any,
    y: Any,
    probabilities: Any,
    classes: Any,
    labels: Sequence[Any] | None,
    most: int,
) -> _Rows:
    """Take a classifier and rows, or probabilities; show at most `most` classes."""
    if y is None:
        raise ValueError("y is missing: give the true labels of the rows")
    if (probabilities is None) == (clf is None) or (clf is None) != (X is None):
        raise ValueError("give either clf and X, or probabilities")
    if clf is not None:
        check_is_fitted(clf)
        # Verdicts may be by costs, but probabilities are those of the classifier inside.
        inner = getattr(clf, "estimator_", clf) if hasattr(clf, "verdict_policy_") else clf
        rows = held_out(inner, X, y, getattr(clf, "_training_columns", None))
        known = np.asarray(inner.classes_)
    else:
        truth = checked_labels(y)
        known = np.unique(truth) if classes is None else np.asarray(classes)
        answers = np.ascontiguousarray(probabilities, dtype=np.float64)
        if answers.shape != (len(truth), len(known)):
            raise ValueError(
                f"probabilities have shape {answers.shape}, and {(len(truth), len(known))} was "
                "expected: a row for each label in y, a column for each class; name the classes "
                "of the columns with classes=..."
            )
        rows = CalibrationRows.of(answers, _labels.numbered(truth, known))
    if not len(rows.class_ids):
        raise ValueError("there are no rows to show")
    if labels is None:
        counts = np.bincount(rows.class_ids, minlength=len(known))
        shown = sorted(np.argsort(-counts, kind="stable")[:most].tolist())
    else:
        shown = [_labels.position("labels", label, known.tolist()) for label in labels]
    return _Rows(rows, known, shown)


# The class colours of tree pictures (after Okabe and Ito); they repeat for more classes.
COLOURS = (
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

# The most panels side by side.
COLUMNS = 3


def colour(number: int) -> str:
    """Return the colour of a class or a model."""
    return COLOURS[number % len(COLOURS)]


def panels(ax: Any, count: int) -> NDArray[Any]:
    """Return the given Axes, or make a figure with `count`."""
    if ax is not None:
        given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(given) != count:
            raise ValueError(f"ax must be {count} Axes for this picture, got {len(given)}")
        return given
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "ternwood.plotting needs matplotlib: pip install ternwood[plot]"
        ) from error
    rows = -(-count // COLUMNS)
    columns = -(-count // rows)
    _, made = plt.subplots(
        rows,
        columns,
        figsize=(5.2 * columns + 0.6, 4.6 * rows),
        layout="constrained",
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    made = made.ravel()
    for unused in made[count:]:
        unused.remove()
    return np.asarray(made[:count])


def plain(panel: Axes) -> None:
    """Draw a light grid and no frame."""
    panel.grid(alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)
