"""Check labels, verdicts and scores, and convert them for the extension module."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import unique_labels


class CartAnswers(NamedTuple):
    """The predictions of the tree without zones: class ids and confidences."""

    predicted: NDArray[np.uint32]
    confidence: NDArray[np.float64]


class Answers(NamedTuple):
    """True and predicted class ids of some rows, with verdicts and scores."""

    truth: NDArray[np.uint32]
    predicted: NDArray[np.uint32]
    decided: NDArray[np.bool_]
    confidence: NDArray[np.float64] | None = None
    zone_distance: NDArray[np.float64] | None = None
    cart: CartAnswers | None = None


def answers(
    y_true: ArrayLike, y_pred: ArrayLike, verdict: ArrayLike
) -> tuple[Answers, NDArray[Any]]:
    """Check predictions with verdicts; return them by class id, and the classes."""
    truth, predicted, classes = class_ids(y_true, y_pred)
    decided = decided_rows(verdict)
    check_consistent_length(truth, decided)
    return Answers(truth, predicted, decided), classes


def class_ids(
    y_true: ArrayLike, y_pred: ArrayLike, labels: ArrayLike | None = None
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any]]:
    """Return true and predicted labels as class ids, and the classes."""
    truth, predicted = column(y_true), column(y_pred)
    check_consistent_length(truth, predicted)
    found = unique_labels(truth, predicted) if len(truth) else np.array([])
    classes = found if labels is None else column(labels)
    position = {label: index for index, label in enumerate(classes.tolist())}
    if len(position) < len(classes):
        values = classes.tolist()
        repeated = sorted({str(label) for label in values if values.count(label) > 1})
        raise ValueError(f"labels has a class more than once: {', '.join(repeated)}")
    unknown = [label for label in found.tolist() if label not in position]
    if unknown:
        raise ValueError(f"y_true or y_pred has labels that are not in labels: {unknown}")
    lookup = np.array([position[label] for label in found.tolist()], dtype=np.uint32)
    true_ids = lookup[np.searchsorted(found, truth)]
    return true_ids, lookup[np.searchsorted(found, predicted)], classes


def decided_rows(verdict: ArrayLike) -> NDArray[np.bool_]:
    """Return True for decided rows, False for undecided ones."""
    verdicts = column(verdict)
    decided = verdicts == 1
    if not np.all(decided | (verdicts == 0)):
        raise ValueError("verdict must be True (decided) or False (undecided) for every row")
    return np.ascontiguousarray(decided, dtype=np.bool_)


def confidences(confidence: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Check that every row has a finite confidence."""
    scores: NDArray[np.float64] = check_array(
        column(confidence),
        ensure_2d=False,
        dtype=np.float64,
        order="C",
        ensure_min_samples=0,
        input_name="confidence",
    )
    check_consistent_length(range(n_rows), scores)
    return scores


def column(values: ArrayLike) -> NDArray[Any]:
    """Convert to a one-dimensional array."""
    array: NDArray[Any] = column_or_1d(values)
    return array
