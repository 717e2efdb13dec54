"""Bounds on the Bayes error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length

from . import _labels, _ternwood
from ._answers import column
from ._labelled_rows import LabelledRows, TrainingSet, weights_of, without_gaps
from ._threads import thread_count


def bayes_error(
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> tuple[float, float]:
    """Bound the Bayes error, the error that no classifier can avoid, by nearest neighbours.

    Let R be the leave-one-out error of the nearest neighbour and K the number of classes. As
    the number of rows grows, Cover and Hart's inequality puts the Bayes error between
    ``(K - 1) / K * (1 - sqrt(1 - K / (K - 1) * R))`` and R. With few rows in many dimensions,
    neighbours are far away and both ends may be too high: treat the interval with care.

    Parameters
    ----------
    X : array-like, data frame or table of shape (n_samples, n_features)
        The rows, with numbers only. Features are standardised to mean 0 and standard deviation
        1; a missing value (NaN) counts as the mean.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), default=None
        The weight of each row in the mean error. A row is never its own neighbour, whatever
        its weight; neighbours at equal distance vote by their share.
    n_jobs : int, default=None
        The number of threads; as in :class:`ternwood.TernaryTreeClassifier`.

    Returns
    -------
    lower : float
        The Cover-Hart bound.
    upper : float
        R, the leave-one-out error of the nearest neighbour.

    Notes
    -----
    The time is quadratic in the number of rows: 10,000 rows of 40 features take about two
    seconds on one core. Ctrl-C interrupts it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ternwood.metrics import bayes_error
    >>> lower, upper = bayes_error(*load_iris(return_X_y=True))
    >>> print(f"{lower:.3f} {upper:.3f}")
    0.027 0.053
    """
    rows: NDArray[np.float64] = check_array(
        X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X"
    )
    labels = _labels.plain(column(y))
    check_consistent_length(rows, labels)
    classes, class_ids = _labels.encode(labels)
    labelled = LabelledRows(without_gaps(rows), class_ids, weights_of(rows, sample_weight))
    data = TrainingSet(labelled, _labels.to_names(classes))
    return _ternwood.bayes_error(data, thread_count(n_jobs))
