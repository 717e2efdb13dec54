"""Class labels between numpy and a model, which knows bool, int, float and str."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Label = bool | int | float | str


def encode(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Sort the distinct labels and number every row's label by them."""
    try:
        classes, ids = np.unique(y, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in y})
        raise ValueError(
            f"The labels in y cannot be sorted: they are a mix of {', '.join(kinds)}. "
            "Convert them all to one type."
        ) from error
    return classes, ids.astype(np.uint32)


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
