"""The class, probabilities and verdict of every row, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._ternwood import Model


class Predictions(NamedTuple):
    """Class, probabilities and verdict of every row.

    Attributes
    ----------
    classes : ndarray of shape (n_samples,)
        The most probable class.
    probabilities : ndarray of shape (n_samples, n_classes)
        The class probabilities.
    verdicts : ndarray of shape (n_samples,), dtype int8
        1 for decided, 0 for undecided.
    """

    classes: NDArray[Any]
    probabilities: NDArray[np.float64]
    verdicts: NDArray[np.int8]


def predict(
    model: Model, X: NDArray[np.float64], classes: NDArray[Any], threads: int
) -> Predictions:
    """Predict every row with `model`, whose class labels are `classes`."""
    n_rows, n_classes = len(X), len(classes)
    found = Predictions(
        np.empty(n_rows, dtype=np.int64),
        np.empty((n_rows, n_classes)),
        np.empty(n_rows, dtype=np.int8),
    )
    # The labels themselves if they fit an int64, otherwise their numbers.
    are_labels = classes.dtype == np.int64
    labels = classes.tolist() if are_labels else list(range(n_classes))
    model.predict(X, threads, labels, found)
    return found if are_labels else found._replace(classes=classes.take(found.classes))
