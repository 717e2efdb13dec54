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
        Which rows count: decided calibration rows, those decided as a class (for its precision), or
        all rows of a class (for its miss rate).
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
    out_of_bag: bool = False,
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
        promise is possible: the error of a :class:`VerdictClassifier` has the same.
    out_of_bag : bool, default=False
        Whether the rows are out of bag, as with ``cv="oob"`` or
        ``TernaryForestClassifier.calibrate_verdict``: promises are then tested with half of the
        risk, and need more rows. Rows held out or cross-fitted need the same number.

    Returns
    -------
    list of RowsNeeded
        For each promise, how many rows it needs.

    Notes
    -----
    The number is of rows that the verdict decides; undecided rows come on top. It is the number for
    exactly the expected errors: chance may bring more of them, and then more rows are needed.

    Examples
    --------
    >>> from ternwood import rows_needed
    >>> for needed in rows_needed(precision={"ill": 0.9}, miss_rate={"ill": 0.01}):
    ...     print(needed.promise, needed.rows, needed.counted)
    a precision of 0.9 for class 'ill' 180 calibration rows decided as it
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
    source = "out_of_bag" if out_of_bag else "held_out"
    found = _ternwood.rows_needed(json.dumps(rule), names, float(errors), source)
    return [RowsNeeded(*needed) for needed in found]
