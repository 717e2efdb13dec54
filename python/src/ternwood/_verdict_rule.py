"""What the parameters of a verdict ask for, as in a model file."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from ._cost_matrix import cost_matrix
from ._labels import Label, position, shown
from ._ternwood import USUAL_COST_RATIO

# Parameters that set a verdict; those in one group go together.
_GROUPS = (
    ("cost_ratio",),
    ("flag_rate",),
    ("accuracy",),
    ("precision", "miss_rate"),
    ("cost_matrix",),
)


def asked_for(parameters: Mapping[str, Any]) -> list[str]:
    """Return the parameters that set the verdict: none, or those of one group."""
    given = [[name for name in group if parameters[name] is not None] for group in _GROUPS]
    given = [group for group in given if group]
    if len(given) > 1:
        names = [name for group in given for name in group]
        found = " and ".join(f"{name}={shown(parameters[name])}" for name in names)
        raise ValueError(
            "give at most one of cost_ratio, flag_rate, accuracy, cost_matrix, and precision with "
            f"miss_rate, got {found}"
        )
    if parameters["catch"] is not None and given != [["flag_rate"]]:
        raise ValueError(
            f"catch={shown(parameters['catch'])} aims a budget of flags at a class, and there is "
            "no budget: give flag_rate=..., the largest share of flagged rows"
        )
    if parameters["flag_cost"] is not None and given != [["cost_matrix"]]:
        raise ValueError(
            f"flag_cost={shown(parameters['flag_cost'])} goes with a cost_matrix, and there is "
            "none: give cost_matrix=..., or the cost of a flag as cost_ratio=..."
        )
    return given[0] if given else []


def wish(parameters: Mapping[str, Any], classes: list[Label]) -> dict[str, Any]:
    """Write what sets the verdict: a rule, or costs."""
    given = asked_for(parameters)
    rule: dict[str, Any]
    confidence = {"confidence": float(parameters["confidence"])}
    match given:
        case ["cost_matrix"]:
            costs = cost_matrix(parameters["cost_matrix"], parameters["flag_cost"], classes)
            return {"costs": costs}
        case ["accuracy"]:
            rule = {"guarantee": {"accuracy": float(parameters["accuracy"])} | confidence}
        case ["flag_rate"]:
            budget: dict[str, Any] = {"flag_rate": float(parameters["flag_rate"])}
            if parameters["catch"] is not None:
                return {"catch": budget | {"class": class_to_catch(parameters["catch"], classes)}}
            rule = {"budget": budget}
        case ["cost_ratio"]:
            rule = {"cost": {"cost_ratio": float(parameters["cost_ratio"])}}
        case []:
            rule = {"cost": {"cost_ratio": USUAL_COST_RATIO}}
        case _:
            lists = {name: of_classes(name, parameters[name], classes) for name in given}
            rule = {"promises": lists | confidence}
    return {"rule": rule}


def class_to_catch(catch: Any, classes: list[Label]) -> int:
    """Return the number of the class that a budget is aimed at."""
    if np.ndim(catch) != 0 or isinstance(catch, Mapping):
        raise ValueError(f"catch={shown(catch)} must be one class, such as {classes[-1]!r}")
    return position("catch", catch, classes)


def of_classes(name: str, promised: Any, classes: list[Label]) -> list[float | None]:
    """Return what is promised of each class; None of those that are not named."""
    if not isinstance(promised, Mapping):
        example = f"{name}={{{classes[-1]!r}: {promised!r}}}"
        raise ValueError(
            f"{name}={promised!r} names no class: give the class it is promised for, such as "
            f"{example}"
        )
    if not promised:
        raise ValueError(f"{name}={{}} promises nothing: name a class, or leave {name} out")
    shares: list[float | None] = [None] * len(classes)
    for key, share in promised.items():
        class_id = position(name, key, classes)
        if shares[class_id] is not None:
            raise ValueError(f"{name} has the class {classes[class_id]!r} twice: keep one of them")
        if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) < 1:
            hint = "; 95 % is 0.95" if isinstance(share, Real) and 1 < float(share) <= 100 else ""
            raise ValueError(
                f"{name}[{key!r}] is {share!r}: it must be a number between 0 and 1, both "
                f"excluded{hint}"
            )
        shares[class_id] = float(share)
    return shares
