"""How many rows promises need."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _labels, _ternwood
from ._verdict_rule import wish


class RowsNeeded(NamedTuple):
    """How many rows a promise needs.

    Attributes
    ----------
    promise : str
        The promise in words.
    counted : str
        Which rows count: all calibration rows, those that are predicted as a class (for its
        precision), or those of a class (for its miss rate).
    rows : int or None
        How many are needed; None if no number is enough.
    """

    promise: str
    counted: str
    rows: int | None


def rows_needed(
    *,
    accuracy: float | None = None,
    precision: Mapping[Any, float] | None = None,
    miss_rate: Mapping[Any, float] | None = None,
    confidence: float = 0.95,
    errors: float = 0.5,
) -> list[RowsNeeded]:
    """Compute how many calibration rows promises need, before collecting them.

    The promises are those of one :class:`VerdictClassifier`, which hold all together with one
    confidence: each more makes the others need more rows.

    Parameters
    ----------
    accuracy : float, default=None
        A promised accuracy of the decided rows.
    precision, miss_rate : dict, default=None
        Promises class by class, instead.
    confidence : float, default=0.95
        The confidence of all promises together.
    errors : float, default=0.5
        How many errors to expect, as a share of those that are promised as the most: with 0.5 and
        a promised precision of 0.9, one in twenty. With 0 the numbers are those below which no
        promise is possible.

    Returns
    -------
    list of RowsNeeded
        For each promise, how many rows it needs.

    Examples
    --------
    >>> from ternwood import rows_needed
    >>> for needed in rows_needed(precision={"ill": 0.9}, miss_rate={"ill": 0.01}):
    ...     print(needed.promise, needed.rows, needed.counted)
    a precision of 0.9 for class 'ill' 180 calibration rows predicted as it
    a miss rate of 0.01 for class 'ill' 1573 calibration rows of it
    """
    given = {
        "accuracy": accuracy,
        "precision": precision,
        "miss_rate": miss_rate,
        "cost_ratio": None,
        "flag_rate": None,
        "catch": None,
        "cost_matrix": None,
        "flag_cost": None,
        "confidence": confidence,
    }
    if accuracy is None and precision is None and miss_rate is None:
        raise ValueError("rows_needed needs a promise: an accuracy, a precision or a miss_rate")
    if not 0 <= errors < 1:
        raise ValueError(
            f"errors={errors!r}: it must be from 0 to below 1, as a share of those allowed"
        )
    named = [label for one in (precision, miss_rate) if isinstance(one, Mapping) for label in one]
    classes = list(dict.fromkeys(named)) or ["a class"]
    rule = wish(given, classes)["rule"]
    names = [name if isinstance(name, _labels.Label) else str(name) for name in classes]
    found = _ternwood.rows_needed(json.dumps(rule), names, float(errors))
    return [RowsNeeded(*needed) for needed in found]
