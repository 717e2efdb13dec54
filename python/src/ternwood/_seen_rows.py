"""Rows that are to be new to a tree, and are not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._base import BaseTernary
from ._labelled_rows import without_gaps
from ._threads import thread_count


def refuse_training_rows(
    estimator: Any, X: Any, y: NDArray[Any], counted: NDArray[np.bool_] | None
) -> str | None:
    """Raise an error if a tree of this package was fitted to these rows.

    Only rows that are counted matter; None stands for all. Return how far the tree can tell; None
    for other classifiers, which cannot.
    """
    if not isinstance(estimator, BaseTernary):
        return None
    rows = estimator._labelled_rows(X, y)
    if counted is not None:
        rows = rows._replace(x=without_gaps(rows.x[counted]), class_ids=rows.class_ids[counted])
    if not len(rows.class_ids):
        return None
    return estimator._model.refuse_trained_on(rows, thread_count(estimator.n_jobs))
