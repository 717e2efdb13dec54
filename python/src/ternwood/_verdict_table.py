"""What promises from easy to hard do to the same rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _labels
from ._calibration_rows import CalibrationRows
from ._ternwood import trade_offs


class VerdictTable(dict[str, NDArray[Any]]):
    """Promises from easy to hard, and what they do: a dict of columns that prints as a table.

    ``pandas.DataFrame(table)`` makes a frame of it. Every line is a promise of its own.

    ``aim`` is the parameter of :class:`VerdictClassifier` that asks for it, ``class`` the class
    it is about, if there is one, ``share`` its value. ``carried`` says whether the rows carry the
    promise, ``refusal`` why not; ``best`` marks the best that they can carry of a promise that
    they cannot. ``threshold_`` with a class is its threshold: 0 if rows predicted as it are always
    decided, NaN if never. Where ``aim`` is ``"catch"`` (a budget aimed at ``class``, of which
    ``share`` is the size), only ``threshold_`` with that class is a number: rows predicted as
    another are undecided above this probability of it.

    Figures are shares of rows, each with the ends of an exact interval, as in ``flagged``,
    ``flagged_low`` and ``flagged_high``: ``flagged`` of all rows, ``wrong`` of the decided ones,
    ``missed_`` with a class of its rows (decided as another), ``precision_`` with a class of the
    rows decided as it; ``cost`` is per row, with the same costs in all lines.

    Notes
    -----
    Whoever chooses a line by what it shows has looked at the rows before promising, and the
    promise holds less surely than its confidence says: choose before, or promise with other rows.
    The intervals take thresholds for given that these rows have set.
    """

    def __init__(self, text: str, columns: dict[str, NDArray[Any]]) -> None:
        super().__init__(columns)
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text, dict(self))


def verdict_table(
    rows: CalibrationRows, classes: NDArray[Any], confidence: float, costs: dict[str, Any] | None
) -> VerdictTable:
    """Compute the table; `costs` are written as in a model file."""
    priced = None if costs is None else json.dumps(costs)
    text, lines = trade_offs(rows, _labels.to_names(classes), confidence, priced)
    labels = classes.tolist()
    of_class = [None if line.class_id is None else labels[line.class_id] for line in lines]
    columns: dict[str, NDArray[Any]] = {
        "aim": np.array([line.aim for line in lines]),
        "class": _objects(of_class),
        "share": _numbers([line.share for line in lines]),
        "carried": np.array([line.refusal is None for line in lines]),
        "best": np.array([line.best for line in lines]),
    }
    for class_id, label in enumerate(labels):
        columns[f"threshold_{label}"] = _numbers([line.thresholds[class_id] for line in lines])
    columns |= _figures("flagged", [line.flagged for line in lines])
    columns |= _figures("wrong", [line.wrong for line in lines])
    for class_id, label in enumerate(labels):
        columns |= _figures(f"missed_{label}", [line.missed[class_id] for line in lines])
        columns |= _figures(f"precision_{label}", [line.precise[class_id] for line in lines])
    columns |= _figures("cost", [line.cost for line in lines])
    columns["refusal"] = _objects([line.refusal for line in lines])
    return VerdictTable(text, columns)


def _figures(name: str, figures: list[list[float]]) -> dict[str, NDArray[np.float64]]:
    ends = zip(("", "_low", "_high"), np.array(figures).T, strict=True)
    return {f"{name}{end}": column for end, column in ends}


def _numbers(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values])


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
