"""Figures that say whether the verdicts tell the good from the bad.

Figures of verdicts take true labels, predicted labels and verdicts (1 or True for decided, 0
or False for undecided); figures of confidences take a confidence per row instead, of which
more means surer. A figure that is not defined, such as an accuracy over no rows, is NaN: never
0 or 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import unique_labels

from . import _ternwood
from ._report import TernaryReport

__all__ = [
    "accuracy_at_coverage",
    "aurc",
    "decided_accuracy",
    "decided_f1",
    "efficiency",
    "risk_coverage_curve",
    "ternary_confusion_matrix",
    "ternary_report",
    "undecided_accuracy",
    "undecided_rate",
]


def decided_accuracy(y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike) -> float:
    """Compute the accuracy among the decided rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        1 for decided, 0 for undecided.

    Returns
    -------
    float
        The accuracy; NaN if no row is decided.

    Examples
    --------
    >>> from ternwood.metrics import decided_accuracy
    >>> decided_accuracy([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
    1.0
    """
    return _rate("decided_accuracy", y_true, y_pred, verdict)


def undecided_rate(verdict: ArrayLike) -> float:
    """Compute the share of rows that are undecided.

    Parameters
    ----------
    verdict : array-like of shape (n_samples,)
        1 for decided, 0 for undecided.

    Returns
    -------
    float
        The share.

    Examples
    --------
    >>> from ternwood.metrics import undecided_rate
    >>> undecided_rate([1, 1, 1, 0])
    0.25
    """
    decided = _decided(verdict)
    ids = np.zeros(len(decided), dtype=np.uint32)
    return float(_ternwood.evaluation(ids, ids, decided)["undecided_rate"])


def undecided_accuracy(y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike) -> float:
    """Compute the accuracy among the undecided rows: flags pay where it is low.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        1 for decided, 0 for undecided.

    Returns
    -------
    float
        The accuracy; NaN if no row is undecided.

    Examples
    --------
    >>> from ternwood.metrics import undecided_accuracy
    >>> undecided_accuracy([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    return _rate("undecided_accuracy", y_true, y_pred, verdict)


def decided_f1(y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike) -> float:
    """Compute macro F1 among the decided rows.

    The mean is over the classes seen among decided truths or decided predictions; a class
    that is never hit has F1 = 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        1 for decided, 0 for undecided.

    Returns
    -------
    float
        Macro F1; NaN if no row is decided.

    Examples
    --------
    >>> from ternwood.metrics import decided_f1
    >>> decided_f1([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
    1.0
    """
    return _rate("decided_f1", y_true, y_pred, verdict)


def efficiency(
    y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike, cart_accuracy: float
) -> float:
    """Compute how much decided accuracy each flagged share buys over the plain tree.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        1 for decided, 0 for undecided.
    cart_accuracy : float
        The accuracy of the tree without zones on the same rows.

    Returns
    -------
    float
        ``(decided_accuracy - cart_accuracy) / undecided_rate``; NaN if nothing is flagged.

    Examples
    --------
    >>> from ternwood.metrics import efficiency
    >>> efficiency([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0], cart_accuracy=0.75)
    1.0
    """
    figures = _evaluation(y_true, y_pred, verdict)
    return _ternwood.efficiency(
        figures["decided_accuracy"], float(cart_accuracy), figures["undecided_rate"]
    )


def risk_coverage_curve(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Compute how the error grows as less confident rows are decided too.

    Rows of equal confidence are decided together or not at all.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    confidence : array-like of shape (n_samples,)
        How sure each prediction is: the largest class probability, say.

    Returns
    -------
    coverage : ndarray
        The share of rows decided, ascending to 1.
    risk : ndarray
        The share of errors among them.
    thresholds : ndarray
        The lowest confidence among them.

    Examples
    --------
    >>> from ternwood.metrics import risk_coverage_curve
    >>> coverage, risk, thresholds = risk_coverage_curve(
    ...     [0, 0, 1, 1], [0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6])
    >>> coverage, risk
    (array([0.25, 0.75, 1.  ]), array([0.  , 0.  , 0.25]))
    """
    return _ternwood.risk_coverage_curve(*_ranked(y_true, y_pred, confidence))


def aurc(y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike) -> float:
    """Compute the area under the risk-coverage curve: lower is better.

    The mean over k of the error among the k most confident rows, tied rows contributing
    their mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    confidence : array-like of shape (n_samples,)
        How sure each prediction is.

    Returns
    -------
    float
        The area; NaN without rows.

    Examples
    --------
    >>> from ternwood.metrics import aurc
    >>> aurc([0, 0, 1, 1], [0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
    0.0625
    """
    return _ternwood.aurc(*_ranked(y_true, y_pred, confidence))


def accuracy_at_coverage(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike, coverage: float
) -> float:
    """Compute the accuracy among the most confident share of the rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    confidence : array-like of shape (n_samples,)
        How sure each prediction is.
    coverage : float
        The share, from 0 to 1. Of rows that tie at the border, the part that fits counts.

    Returns
    -------
    float
        The accuracy; NaN at coverage 0.

    Examples
    --------
    >>> from ternwood.metrics import accuracy_at_coverage
    >>> accuracy_at_coverage([0, 0, 1, 1], [0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], 0.75)
    1.0
    """
    ranked = _ranked(y_true, y_pred, confidence)
    return _ternwood.accuracy_at_coverage(*ranked, float(coverage))


def ternary_confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    verdict: ArrayLike,
    *,
    labels: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Count rows by true class, and by predicted class or review.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        1 for decided, 0 for undecided.
    labels : array-like of shape (n_classes,), default=None
        The classes in the order wanted; by default all that occur, sorted.

    Returns
    -------
    ndarray of shape (n_classes, n_classes + 1)
        Per true class the decided rows by predicted class; in the last column, *review*, the
        undecided ones.

    Examples
    --------
    >>> from ternwood.metrics import ternary_confusion_matrix
    >>> ternary_confusion_matrix([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
    array([[2, 0, 0],
           [0, 1, 1]])
    """
    truth, predicted, classes = _class_ids(y_true, y_pred, labels)
    decided = _decided(verdict)
    check_consistent_length(truth, decided)
    return _ternwood.confusion_matrix(truth, predicted, decided, len(classes))


def ternary_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    verdict: ArrayLike,
    *,
    confidence: ArrayLike | None = None,
    cart_accuracy: float | None = None,
) -> TernaryReport:
    """Report all figures at once: a dict that prints as a table.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        1 for decided, 0 for undecided.
    confidence : array-like of shape (n_samples,), default=None
        How sure each prediction is; adds ``aurc``.
    cart_accuracy : float, default=None
        The accuracy of the tree without zones; adds ``efficiency``.

    Returns
    -------
    TernaryReport
        A dict of the figures, with ``classes`` a dict by label.

    Examples
    --------
    >>> from ternwood.metrics import ternary_report
    >>> report = ternary_report([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
    >>> report["decided_accuracy"]
    1.0
    >>> print(report)
    rows                       4
    decided                    3
    undecided                  1
    accuracy              0.7500
    undecided rate        0.2500
    decided accuracy      1.0000
    undecided accuracy    0.0000
    decided F1 (macro)    1.0000
    <BLANKLINE>
    class  rows  decided right  decided wrong  review
    0         2              2              0       0
    1         2              1              0       1
    """
    truth, predicted, classes = _class_ids(y_true, y_pred)
    figures = _evaluation(y_true, y_pred, verdict)
    matrix = _ternwood.confusion_matrix(truth, predicted, _decided(verdict), len(classes))
    if confidence is not None:
        figures["aurc"] = aurc(y_true, y_pred, confidence)
    if cart_accuracy is not None:
        figures["efficiency"] = efficiency(y_true, y_pred, verdict, cart_accuracy)
    figures["classes"] = {
        label: {
            "rows": int(counts.sum()),
            "decided_right": int(counts[position]),
            "decided_wrong": int(counts[:-1].sum() - counts[position]),
            "review": int(counts[-1]),
        }
        for position, (label, counts) in enumerate(zip(classes.tolist(), matrix, strict=True))
    }
    return TernaryReport(figures)


def _rate(name: str, y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike) -> float:
    return float(_evaluation(y_true, y_pred, verdict)[name])


def _evaluation(y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike) -> dict[str, Any]:
    truth, predicted, _ = _class_ids(y_true, y_pred)
    decided = _decided(verdict)
    check_consistent_length(truth, decided)
    return _ternwood.evaluation(truth, predicted, decided)


def _class_ids(
    y_true: ArrayLike, y_pred: ArrayLike, labels: ArrayLike | None = None
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any]]:
    """Give equal labels, true or predicted, equal numbers."""
    truth, predicted = _column(y_true), _column(y_pred)
    check_consistent_length(truth, predicted)
    found = unique_labels(truth, predicted) if len(truth) else np.array([])
    classes = found if labels is None else column_or_1d(labels)
    position = {label: index for index, label in enumerate(classes.tolist())}
    if len(position) < len(classes):
        values = classes.tolist()
        twice = sorted({str(label) for label in values if values.count(label) > 1})
        raise ValueError(f"labels has a class more than once: {', '.join(twice)}")
    unknown = [label for label in found.tolist() if label not in position]
    if unknown:
        raise ValueError(f"y_true or y_pred contain labels that labels does not: {unknown}")
    lookup = np.array([position[label] for label in found.tolist()], dtype=np.uint32)
    true_ids = lookup[np.searchsorted(found, truth)]
    return true_ids, lookup[np.searchsorted(found, predicted)], classes


def _column(values: ArrayLike) -> NDArray[Any]:
    column: NDArray[Any] = column_or_1d(values)
    return column


def _decided(verdict: ArrayLike) -> NDArray[np.bool_]:
    column = _column(verdict)
    decided = column == 1
    if not np.all(decided | (column == 0)):
        raise ValueError("verdict must be 1 (decided) or 0 (undecided) for every row")
    return np.ascontiguousarray(decided, dtype=np.bool_)


def _ranked(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    truth, predicted, *_ = _class_ids(y_true, y_pred)
    scores: NDArray[np.float64] = check_array(
        column_or_1d(confidence),
        ensure_2d=False,
        dtype=np.float64,
        order="C",
        ensure_min_samples=0,
        input_name="confidence",
    )
    check_consistent_length(truth, predicted, scores)
    return scores, np.ascontiguousarray(truth == predicted, dtype=np.bool_)
