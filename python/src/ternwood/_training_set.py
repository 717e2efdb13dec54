"""Rows with labels, as the extension module takes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._labels import Label


class TrainingSet(NamedTuple):
    """What the extension module learns from and draws."""

    x: NDArray[np.float64]
    class_ids: NDArray[np.uint32]
    class_names: list[Label]
    feature_names: list[str] | None
    sample_weight: NDArray[np.float64] | None
