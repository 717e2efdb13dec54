"""Class labels between numpy and a model, which knows bool, int, float and str."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

Label = bool | int | float | str


# A table over the range of whole-number labels may have so many places per row.
PLACES_PER_ROW = 4


def encode(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Sort the distinct labels and number every row's label by them."""
    if y.dtype.kind in "biu" and y.size > 0:
        low, high = int(y.min()), int(y.max())
        if high - low < PLACES_PER_ROW * y.size:
            return _encode_by_table(y, low, high)
    try:
        classes, ids = np.unique(y, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in y})
        raise ValueError(
            f"The labels in y cannot be sorted: they are a mix of {', '.join(kinds)}. "
            "Convert them all to one type."
        ) from error
    return classes, ids.astype(np.uint32)


def check(y: NDArray[Any], classes: NDArray[Any]) -> None:
    """Refuse what are no class labels; warn if there are hardly fewer classes than rows."""
    # Whole numbers always are labels: no need to look for distinct values once more.
    if y.dtype.kind not in "biu" or 2 * len(classes) > len(y):
        check_classification_targets(y)


def _encode_by_table(
    y: NDArray[Any], low: int, high: int
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Encode whole numbers between `low` and `high` without sorting."""
    # As 64 bits, where differences wrap around: right whatever the type of y.
    places = (y.astype(np.uint64) - np.uint64(low % 2**64)).view(np.int64)
    is_there = np.zeros(high - low + 1, dtype=bool)
    is_there[places] = True
    numbers = np.cumsum(is_there, dtype=np.uint32) - np.uint32(1)
    classes = np.flatnonzero(is_there).astype(np.uint64) + np.uint64(low % 2**64)
    return classes.astype(y.dtype), numbers[places]


def plain(y: NDArray[Any]) -> NDArray[Any]:
    """Give numbers and bytes of dtype object a dtype of their own; bytes become text."""
    if y.dtype == object and {type(label) for label in y} in ({bool}, {int}, {float}, {bytes}):
        y = np.array(y.tolist())
    return np.char.decode(y, errors="backslashreplace") if y.dtype.kind == "S" else y


def numbered(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.uint32]:
    """Turn every row's label into its number in `classes`, whatever their order."""
    number_of = {label: number for number, label in enumerate(classes.tolist())}
    labels = y.tolist()
    stranger = next((label for label in labels if label not in number_of), None)
    if stranger is not None:
        raise ValueError(f"y contains a label that was not seen in fit: {stranger!r}")
    return np.array([number_of[label] for label in labels], dtype=np.uint32)


def to_names(classes: NDArray[Any]) -> list[Label]:
    """Labels as a model keeps them; what is neither number nor text becomes text."""
    return [label if isinstance(label, Label) else str(label) for label in classes.tolist()]


def from_names(names: Sequence[Label]) -> NDArray[Any]:
    """Make an array of labels of the type they had; of dtype object if they had several."""
    one_type = len({type(name) for name in names}) == 1
    return np.array(names) if one_type else np.array(names, dtype=object)
