"""Labelled rows, in the form the extension module expects."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from ._labels import Label
from ._table import Kind


class LabelledRows(NamedTuple):
    """Rows with their class ids, and their weights if there are any."""

    x: NDArray[np.float64]
    class_ids: NDArray[np.uint32]
    sample_weight: NDArray[np.float64] | None


class TrainingSet(NamedTuple):
    """Training rows, with the names of classes and the names and kinds of features."""

    rows: LabelledRows
    class_names: list[Label]
    feature_names: list[str] | None = None
    kinds: list[Kind] | None = None
    target: str | None = None
    """The name of the labels, if they have one."""


def without_gaps(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a C- or Fortran-contiguous matrix as it is, and a contiguous copy of any other.

    What came over a network may also be out of step with the words of memory.
    """
    contiguous = X.flags.c_contiguous or X.flags.f_contiguous
    return X if contiguous and X.flags.aligned else np.array(X, order="C")


def weights_of(X: NDArray[np.float64], sample_weight: Any) -> NDArray[np.float64] | None:
    """Check the sample weights, if there are any."""
    if sample_weight is None:
        return None
    weights: NDArray[np.float64] = _check_sample_weight(sample_weight, X, dtype=np.float64)
    return np.require(weights, requirements=["C", "A"])
