"""What one pass over the rows tells."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


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
