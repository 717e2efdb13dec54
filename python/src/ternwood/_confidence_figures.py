"""Metrics of confidences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _ternwood
from ._answers import class_ids, confidences


def risk_coverage_curve(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Compute how the error grows as less confident rows are also decided.

    Rows of equal confidence are decided together or not at all.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    confidence : array-like of shape (n_samples,)
        The confidence of each prediction, such as the largest class probability.

    Returns
    -------
    coverage : ndarray
        The share of rows decided, ascending to 1.
    risk : ndarray
        The share of errors among the decided rows.
    thresholds : ndarray
        The lowest confidence among the decided rows.

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

    The mean over k of the error among the k most confident rows; tied rows contribute
    their mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    confidence : array-like of shape (n_samples,)
        The confidence of each prediction.

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
        The confidence of each prediction.
    coverage : float
        The share, from 0 to 1. Rows that tie at the cut-off count in part.

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


def _ranked(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the confidence of each prediction, and whether it is right."""
    truth, predicted, _ = class_ids(y_true, y_pred)
    return confidences(confidence, len(truth)), truth == predicted
