"""Conversion of class labels between numpy and a model, where they are bool, int, float or str."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Label = bool | int | float | str


# The largest lookup table for integer labels: this many entries per row.
ENTRIES_PER_ROW = 4


def encode(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Return the distinct labels, sorted, and the class id of every row."""
    if y.dtype.kind in "biu" and y.size > 0:
        low, high = int(y.min()), int(y.max())
        if high - low < ENTRIES_PER_ROW * y.size:
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


def check(classes: NDArray[Any]) -> None:
    """Reject targets that are not class labels."""
    from sklearn.utils.multiclass import check_classification_targets  # not for prediction alone

    # Integers are always valid labels. Repeated labels keep scikit-learn from a warning of its own
    # about many classes.
    if classes.dtype.kind not in "biu":
        check_classification_targets(np.tile(classes, 4))


def as_array(y: Any) -> Any:
    """Return whole numbers and booleans of a data frame as an array; scikit-learn makes floats."""
    dtype = getattr(y, "dtype", None)
    is_extension = hasattr(y, "isna") and not isinstance(dtype, np.dtype)
    if is_extension and getattr(dtype, "kind", "") in "biu" and not y.isna().any():
        return y.to_numpy()
    return y


def name_of(y: Any, feature_names: Iterable[str]) -> str | None:
    """Return the name of the labels, if they have one that is no feature's."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name and name not in feature_names else None


def is_missing(value: Any) -> bool:
    """Tell whether a value stands for a missing one: None, NaN, NaT or NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and value != value


def refuse_missing(y: Any) -> None:
    """Say which rows have no label, if there are any."""
    labels = np.asarray(y, dtype=object)
    if not labels.ndim:  # no labels at all
        return
    missing = [row for row, label in enumerate(labels.tolist()) if is_missing(label)]
    if missing:
        rows = "1 row has no label" if len(missing) == 1 else f"{len(missing)} rows have no label"
        raise ValueError(
            f"Input y contains NaN: {rows}, the first is row {missing[0]}; drop such rows"
        )


def _encode_by_table(
    y: NDArray[Any], low: int, high: int
) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    """Encode integers between `low` and `high` without sorting."""
    # In uint64, differences wrap around: correct for every integer type of y.
    offsets = (y.astype(np.uint64) - np.uint64(low % 2**64)).view(np.int64)
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[offsets] = True
    ids = np.cumsum(occurs, dtype=np.uint32) - np.uint32(1)
    classes = np.flatnonzero(occurs).astype(np.uint64) + np.uint64(low % 2**64)
    return classes.astype(y.dtype), ids[offsets]


def plain(y: NDArray[Any]) -> NDArray[Any]:
    """Convert numbers and bytes of dtype object to their own dtype, and bytes to text."""
    if y.dtype == object and {type(label) for label in y} in ({bool}, {int}, {float}, {bytes}):
        y = np.array(y.tolist())
    return np.char.decode(y, errors="backslashreplace") if y.dtype.kind == "S" else y


def numbered(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the class id of every row: the position of its label in `classes`, in any order."""
    id_of = {label: class_id for class_id, label in enumerate(classes.tolist())}
    labels = y.tolist()
    unseen = next((label for label in labels if label not in id_of), None)
    if unseen is not None:
        raise ValueError(
            f"y has the label {unseen!r}, which was not seen in fit: the classes are "
            f"{classes.tolist()}"
        )
    return np.array([id_of[label] for label in labels], dtype=np.uint32)


def to_names(classes: NDArray[Any]) -> list[Label]:
    """Return labels as a model stores them: numbers and text as they are, all else as text."""
    return [label if isinstance(label, Label) else str(label) for label in classes.tolist()]


def from_names(names: Sequence[Label]) -> NDArray[Any]:
    """Return labels as an array of their type, or of dtype object if they have several."""
    one_type = len({type(name) for name in names}) == 1
    return np.array(names) if one_type else np.array(names, dtype=object)


def position(name: str, key: Any, classes: list[Label]) -> int:
    """Return the number of a class, by its label or by what that prints as."""
    label = key.item() if isinstance(key, np.generic) else key
    if label in classes:
        return classes.index(label)
    printed = [str(known) for known in classes]
    if isinstance(label, str) and label in printed:  # a header of a file
        return printed.index(label)
    raise ValueError(
        f"{name} has the class {label!r}, which the classifier does not know: its classes are "
        f"{classes}"
    )


def shown(value: Any) -> str:
    """Write a parameter on one line, shortened."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
