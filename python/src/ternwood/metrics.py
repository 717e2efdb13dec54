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
from sklearn.utils.validation import _check_sample_weight

from . import _labels, _ternwood
from ._report import TernaryReport
from ._threads import thread_count
from ._training_set import TrainingSet

__all__ = [
    "accuracy_at_coverage",
    "aurc",
    "bayes_error",
    "decided_accuracy",
    "decided_f1",
    "efficiency",
    "expected_cost",
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


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    verdict: ArrayLike,
    *,
    cost_undecided: float,
    cost_wrong: float,
) -> float:
    """Compute what predictions with verdicts cost per row.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        1 for decided, 0 for undecided.
    cost_undecided, cost_wrong : float
        What a flag and what a decided error cost. A flag costs the same whether the prediction
        is right or wrong: somebody looks at it.

    Returns
    -------
    float
        The cost per row; NaN without rows.

    Examples
    --------
    >>> from ternwood.metrics import expected_cost
    >>> expected_cost([0, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0], cost_undecided=1, cost_wrong=4)
    1.5
    """
    figures = _evaluation(y_true, y_pred, verdict)
    return _ternwood.cost_at_rates(
        float(cost_undecided),
        float(cost_wrong),
        1.0 - figures["undecided_rate"],
        figures["decided_accuracy"],
    )


def bayes_error(
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> tuple[float, float]:
    """Bound the error that no classifier can avoid, by nearest neighbours.

    With R the leave-one-out error of the nearest neighbour and K classes, Cover and Hart's
    inequality says that for ever more rows the Bayes error lies between
    ``(K - 1) / K * (1 - sqrt(1 - K / (K - 1) * R))`` and R. With finitely many rows in many
    dimensions neighbours are far away and both ends may be too high: read it as an interval,
    and with care.

    Parameters
    ----------
    X : array-like, data frame or table of shape (n_samples, n_features)
        The rows; every feature is given mean 0 and standard deviation 1.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each row counts in the mean. A row is never its own neighbour, whatever its
        weight; neighbours that are equally near answer by their share.
    n_jobs : int, default=None
        How many threads to use; as in :class:`ternwood.TernaryTreeClassifier`.

    Returns
    -------
    lower : float
        The Cover-Hart bound.
    upper : float
        R.

    Notes
    -----
    All pairs of rows are looked at: 10,000 rows of 40 features take about two seconds of one
    core, ten times the rows a hundred times as long. Ctrl-C interrupts it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ternwood.metrics import bayes_error
    >>> lower, upper = bayes_error(*load_iris(return_X_y=True))
    >>> print(f"{lower:.3f} {upper:.3f}")
    0.027 0.053
    """
    rows: NDArray[np.float64] = check_array(X, dtype=np.float64, order="C")
    labels = _labels.plain(_column(y))
    check_consistent_length(rows, labels)
    classes, class_ids = _labels.encode(labels)
    weights = None
    if sample_weight is not None:
        weights = np.ascontiguousarray(_check_sample_weight(sample_weight, rows, dtype=np.float64))
    data = TrainingSet(rows, class_ids, _labels.to_names(classes), None, weights)
    return _ternwood.bayes_error(data, thread_count(n_jobs))


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
    cart_pred: ArrayLike | None = None,
    cart_confidence: ArrayLike | None = None,
    zone_distance: ArrayLike | None = None,
    cost_undecided: float | None = None,
    cost_wrong: float | None = None,
    bayes_error: tuple[float, float] | None = None,
) -> TernaryReport:
    """Report all figures at once: a dict that prints as a table.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        1 for decided, 0 for undecided.
    confidence : array-like of shape (n_samples,), default=None
        How sure each prediction is: the largest class probability. Adds ``aurc``, and
        ``chow_accuracy``: the accuracy of as many rows as are decided, but chosen by confidence
        (Chow's rule).
    cart_accuracy : float, default=None
        The accuracy of the tree without zones; adds ``efficiency``. Known if ``cart_pred`` is
        given.
    cart_pred, cart_confidence : array-like of shape (n_samples,), default=None
        What the tree without zones predicts, and how surely; both or neither. Adds
        ``chow_cart_accuracy``, ``aurc_cart`` and ``efficiency``.
    zone_distance : array-like of shape (n_samples,), default=None
        How far rows are from being undecided; adds ``aurc_zone``.
    cost_undecided, cost_wrong : float, default=None
        What a flag and what a decided error cost; both or neither. Adds ``expected_cost``, and
        ``chow_cost`` and ``chow_cart_cost`` where Chow's rule is known.
    bayes_error : (float, float), default=None
        An interval for the Bayes error; adds ``u_over_b``, flags per unavoidable error, as an
        interval.

    Returns
    -------
    TernaryReport
        A dict of the figures, with ``classes`` a dict by label: what the verdicts mean for each
        class.

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
    class  rows  decided right  decided wrong  review  recall  precision
    0         2              2              0       0  1.0000     1.0000
    1         2              1              0       1  1.0000     1.0000
    """
    if (cart_pred is None) != (cart_confidence is None):
        raise ValueError("ternary_report needs cart_pred and cart_confidence together, or neither")
    if (cost_undecided is None) != (cost_wrong is None):
        raise ValueError("ternary_report needs cost_undecided and cost_wrong together, or neither")
    figures = _evaluation(y_true, y_pred, verdict)
    decided = _decided(verdict)
    if confidence is not None:
        figures["aurc"] = aurc(y_true, y_pred, confidence)
        ranked = _ranked(y_true, y_pred, confidence)
        figures["chow_accuracy"] = _ternwood.chow_accuracy(decided, *ranked)
    if zone_distance is not None:
        truth, predicted, _ = _class_ids(y_true, y_pred)
        distances = np.ascontiguousarray(_column(zone_distance), dtype=np.float64)
        check_consistent_length(truth, distances)
        figures["aurc_zone"] = _ternwood.aurc(distances, truth == predicted)
    if cart_pred is not None and cart_confidence is not None:
        figures["aurc_cart"] = aurc(y_true, cart_pred, cart_confidence)
        ranked = _ranked(y_true, cart_pred, cart_confidence)
        figures["chow_cart_accuracy"] = _ternwood.chow_accuracy(decided, *ranked)
        cart_accuracy = float(np.mean(ranked[1])) if cart_accuracy is None else cart_accuracy
    if cart_accuracy is not None:
        figures["efficiency"] = efficiency(y_true, y_pred, verdict, cart_accuracy)
    if cost_undecided is not None and cost_wrong is not None:
        coverage = 1.0 - figures["undecided_rate"]
        for cost, accuracy in _COSTS.items():
            if accuracy in figures:
                figures[cost] = _ternwood.cost_at_rates(
                    float(cost_undecided), float(cost_wrong), coverage, figures[accuracy]
                )
    if bayes_error is not None:
        lower, upper = bayes_error
        figures["u_over_b"] = _ternwood.flags_per_error(figures["undecided_rate"], lower, upper)
    figures["classes"] = _classes(y_true, y_pred, decided)
    return TernaryReport(figures)


_COSTS = {
    "expected_cost": "decided_accuracy",
    "chow_cost": "chow_accuracy",
    "chow_cart_cost": "chow_cart_accuracy",
}


def _classes(y_true: ArrayLike, y_pred: ArrayLike, decided: NDArray[np.bool_]) -> dict[Any, Any]:
    truth, predicted, classes = _class_ids(y_true, y_pred)
    matrix = _ternwood.confusion_matrix(truth, predicted, decided, len(classes))
    tallies = _ternwood.class_tallies(truth, predicted, decided, len(classes))
    by_class = {}
    for position, (label, counts, rates) in enumerate(
        zip(classes.tolist(), matrix, tallies, strict=True)
    ):
        coverage, recall, precision = rates
        by_class[label] = {
            "rows": int(counts.sum()),
            "decided_right": int(counts[position]),
            "decided_wrong": int(counts[:-1].sum() - counts[position]),
            "review": int(counts[-1]),
            "coverage": coverage,
            "decided_recall": recall,
            "decided_precision": precision,
        }
    return by_class


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
