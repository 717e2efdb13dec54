"""Pictures of class probabilities: what a budget of flags does, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta
from sklearn.utils.validation import check_is_fitted

from . import _labels
from ._calibration_rows import CalibrationRows, checked_labels, held_out
from ._panels import colour, panels, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
