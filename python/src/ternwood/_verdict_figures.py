"""Metrics of verdicts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from . import _ternwood
from ._answers import Answers, answers, class_ids, decided_rows
from ._cost_matrix import cost_matrix as checked_costs


def decided_accuracy(y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike) -> float:
    """Compute the accuracy among the decided rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        True for decided, False for undecided.

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
        True for decided, False for undecided.

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
    decided = decided_rows(verdict)
    ids = np.zeros(len(decided), dtype=np.uint32)
    return float(_ternwood.figures(Answers(ids, ids, decided))["undecided_rate"])


def undecided_accuracy(y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike) -> float:
    """Compute the accuracy among the undecided rows: the lower, the better the flags.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        True for decided, False for undecided.

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

    The mean is over the classes among the true or predicted labels of decided rows; a class
    without a correct prediction has F1 = 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        True for decided, False for undecided.

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
    """Compute the gain in decided accuracy over the plain tree, per share of rows flagged.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        True for decided, False for undecided.
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
    found, _ = answers(y_true, y_pred, verdict)
    return float(_ternwood.figures(found, cart_accuracy=float(cart_accuracy))["efficiency"])


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    verdict: ArrayLike,
    *,
    cost_undecided: float | None = None,
    cost_wrong: float | None = None,
    cost_matrix: Any = None,
    flag_cost: Any = None,
    labels: ArrayLike | None = None,
) -> float:
    """Compute the mean cost per row of predictions with verdicts.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        True for decided, False for undecided.
    cost_undecided, cost_wrong : float, default=None
        The costs of a flag and of a decided error. A flag costs the same whether the prediction
        is right or wrong, because somebody reviews it.
    cost_matrix, flag_cost : default=None
        Instead, the costs of answers by true class and of flags, as
        :class:`ternwood.VerdictClassifier` takes them.
    labels : array-like of shape (n_classes,), default=None
        With ``cost_matrix``, the classes in its order; by default all that occur, sorted.

    Returns
    -------
    float
        The cost per row; NaN without rows.

    Examples
    --------
    >>> from ternwood.metrics import expected_cost
    >>> expected_cost([0, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0], cost_undecided=1, cost_wrong=4)
    1.5

    Calling a 1 a 0 costs 5, the opposite 1, and a flag 0.5:

    >>> expected_cost([0, 0, 1, 1], [0, 1, 0, 0], [1, 1, 1, 0],
    ...               cost_matrix=[[0, 1], [5, 0]], flag_cost=0.5)
    1.625
    """
    if cost_matrix is not None:
        if cost_undecided is not None or cost_wrong is not None:
            raise ValueError("give either a cost_matrix, or cost_undecided and cost_wrong")
        truth, predicted, classes = class_ids(y_true, y_pred, labels)
        decided = decided_rows(verdict)
        check_consistent_length(truth, decided)
        costs = checked_costs(cost_matrix, flag_cost, classes.tolist())
        return _ternwood.mean_cost(Answers(truth, predicted, decided), json.dumps(costs))
    if cost_undecided is None or cost_wrong is None:
        raise ValueError("expected_cost needs cost_undecided and cost_wrong, or a cost_matrix")
    found, _ = answers(y_true, y_pred, verdict)
    pair = float(cost_undecided), float(cost_wrong)
    return float(_ternwood.figures(found, costs=pair)["expected_cost"])


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
        True for decided, False for undecided.
    labels : array-like of shape (n_classes,), default=None
        The classes in the desired order; by default all that occur, sorted.

    Returns
    -------
    ndarray of shape (n_classes, n_classes + 1)
        For each true class, the decided rows by predicted class; the last column, *review*, has
        the undecided rows.

    Examples
    --------
    >>> from ternwood.metrics import ternary_confusion_matrix
    >>> ternary_confusion_matrix([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
    array([[2, 0, 0],
           [0, 1, 1]])
    """
    truth, predicted, classes = class_ids(y_true, y_pred, labels)
    decided = decided_rows(verdict)
    check_consistent_length(truth, decided)
    return _ternwood.confusion_matrix(truth, predicted, decided, len(classes))


def _rate(name: str, y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike) -> float:
    found, _ = answers(y_true, y_pred, verdict)
    return float(_ternwood.figures(found)[name])
