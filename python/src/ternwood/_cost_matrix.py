"""Costs of answers and flags, as in a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._labels import Label, position, shown

# The column with the costs of flags, if no class has that name.
FLAG = "flag"


def cost_matrix(matrix: Any, flag_cost: Any, classes: list[Label]) -> dict[str, Any]:
    """Return the costs of answers by true class, and those of flags."""
    answers, flags = _by_name(matrix, classes) if _is_named(matrix) else _by_place(matrix, classes)
    if flags is None:
        if flag_cost is None:
            raise ValueError(
                "cost_matrix says what answers cost, but not what a flag does: give flag_cost, a "
                "number or one for each class, or a last column of the matrix"
            )
        flags = _flag_costs(flag_cost, classes)
    elif flag_cost is not None:
        raise ValueError(
            f"flag_cost={shown(flag_cost)} and a column of the cost_matrix both say what a flag "
            "costs: leave one of them out"
        )
    wrong = np.argwhere(~np.isfinite(answers))
    if len(wrong):
        truth, answer = wrong[0]
        raise ValueError(
            f"cost_matrix has {answers[truth, answer]} for answering {classes[answer]!r} where "
            f"{classes[truth]!r} is true: give a finite number"
        )
    if not np.isfinite(flags).all():
        truth = int(np.argmin(np.isfinite(flags)))
        raise ValueError(
            f"a flag costs {flags[truth]} where {classes[truth]!r} is true: give a finite number"
        )
    return {"answer": answers.tolist(), "flag": flags.tolist()}


def costs_of_ratio(cost_ratio: float, n_classes: int) -> dict[str, Any]:
    """Return costs of 1 for every wrong answer and `cost_ratio` for every flag."""
    answers = 1.0 - np.eye(n_classes)
    return {"answer": answers.tolist(), "flag": [float(cost_ratio)] * n_classes}


def _is_named(matrix: Any) -> bool:
    return isinstance(matrix, Mapping) or hasattr(matrix, "columns")


Costs = tuple[NDArray[np.float64], NDArray[np.float64] | None]


def _by_place(matrix: Any, classes: list[Label]) -> Costs:
    """Read an array in the order of the classes, perhaps with a last column for flags."""
    n = len(classes)
    try:
        costs = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cost_matrix={shown(matrix)} is not a matrix of numbers") from error
    if costs.shape not in ((n, n), (n, n + 1)):
        raise ValueError(
            f"cost_matrix has shape {costs.shape}, but there are {n} classes, {classes}: give a "
            f"row for each true class and a column for each answer, {n} x {n}, and perhaps a last "
            "column with the cost of a flag"
        )
    return (costs, None) if costs.shape[1] == n else (costs[:, :n], costs[:, n].copy())


def _by_name(matrix: Any, classes: list[Label]) -> Costs:
    """Read a frame or a dict of dicts: rows are true classes, columns answers and perhaps flags."""
    if not isinstance(matrix, Mapping):
        by_column = {column: matrix[column].to_dict() for column in matrix.columns}
        rows: dict[Any, dict[Any, Any]] = {}
        for column, cells in by_column.items():
            for truth, cost in cells.items():
                rows.setdefault(truth, {})[column] = cost
        matrix = rows
    n = len(classes)
    costs = np.full((n, n + 1), np.nan)
    found = np.zeros((n, n + 1), dtype=bool)
    has_flags = False
    for truth, row in matrix.items():
        if not isinstance(row, Mapping):
            raise ValueError(
                f"cost_matrix[{truth!r}] is {shown(row)}: give a dict with the cost of each answer"
            )
        for answer, cost in row.items():
            is_flag = answer == FLAG and FLAG not in classes
            column = n if is_flag else position("cost_matrix", answer, classes)
            has_flags |= is_flag
            place = position("cost_matrix", truth, classes), column
            try:
                costs[place] = cost
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"cost_matrix[{truth!r}][{answer!r}] is {cost!r}: give a number"
                ) from error
            found[place] = True
    needed = found if has_flags else found[:, :n]
    if not needed.all():
        truth, answer = np.argwhere(~needed)[0]
        what = f"answering {classes[answer]!r}" if answer < n else "a flag"
        raise ValueError(f"cost_matrix has no cost for {what} where {classes[truth]!r} is true")
    return costs[:, :n], costs[:, n].copy() if has_flags else None


def _flag_costs(flag_cost: Any, classes: list[Label]) -> NDArray[np.float64]:
    """Read one cost for all classes, a list in their order, or a dict by class."""
    n = len(classes)
    if hasattr(flag_cost, "to_dict"):  # a series
        flag_cost = flag_cost.to_dict()
    if isinstance(flag_cost, Mapping):
        by_class = {position("flag_cost", key, classes): cost for key, cost in flag_cost.items()}
        missing = next((label for i, label in enumerate(classes) if i not in by_class), None)
        if missing is not None:
            raise ValueError(f"flag_cost has no cost for the class {missing!r}: give one")
        flag_cost = [by_class[class_id] for class_id in range(n)]
    try:
        costs = np.asarray(flag_cost, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"flag_cost={shown(flag_cost)} is no number: give one") from error
    if costs.shape not in ((), (n,)):
        raise ValueError(
            f"flag_cost has shape {costs.shape}: give one number, or one for each of the {n} "
            f"classes {classes}"
        )
    return np.broadcast_to(costs, (n,)).copy()
