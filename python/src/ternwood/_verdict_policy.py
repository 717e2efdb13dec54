"""Verdict policies: what makes a row undecided, and what that achieved."""

from __future__ import annotations

import json
from typing import Any

from ._labels import Label


class VerdictPolicy:
    """When a model calls a row undecided. Prints as a short report.

    Attributes
    ----------
    kind : {"zone", "cost", "budget", "guarantee", "promises", "catch", "costs"}
        Undecided within zones; below a probability set by a cost, by a budget of flags, by a
        promised accuracy or by promises class by class; above a probability of a class to catch;
        or where a flag is cheaper than any answer.
    threshold : float or None
        A row is undecided if the probability of its predicted class is below this; None if that
        depends on the class, or if probabilities do not decide. If ``kind`` is ``"catch"``, a row
        predicted as another class is undecided if the probability of the class to catch is above
        this.
    thresholds : dict or None
        The threshold of each predicted class; None for a class that is never decided. None if
        ``kind`` is ``"catch"``.
    parameters : dict
        What was asked for: ``cost_ratio``; ``flag_rate``, also with ``catch``; ``accuracy`` and
        ``confidence``; ``precision``, ``miss_rate`` (dicts by class) and ``confidence``; or
        ``cost_matrix`` and ``flag_cost`` (lists in the order of the classes).
    uncovered : {"undecided", "judge"}
        What becomes of rows that the training table says nothing about.
    approximate : bool
        Whether it was set with training rows, predicted out of fold ("cross-fitted, approximate")
        or, by a forest, out of bag ("out of bag, approximate"), instead of held-out rows.
    classes : dict or None
        The results on the calibration rows, by class: ``rows``, ``right`` (predicted as it,
        decided or not), ``decided``, ``decided_right`` and ``decided_for`` (decided rows of
        any class predicted as this one), ``coverage``, ``decided_recall``,
        ``decided_precision`` and ``miss_rate`` (the share of all its rows that was decided as
        another class). None if there were no rows.
    advice : list of str
        What speaks against the policy, and what to do about it: nearly all rows are flagged, or
        none; decided rows are no better than flagged ones; a class is never decided rightly, or
        mostly decided as another.
    """

    def __init__(
        self, words: str, document: str, advice: list[tuple[str, str]], classes: list[Label]
    ) -> None:
        written = json.loads(document)
        policy: dict[str, Any] = next(iter(written.values()))
        achieved: dict[str, Any] | None = policy.get("achieved")
        self.kind: str
        self.parameters: dict[str, Any]
        self.kind, self.parameters = _asked_for(policy, classes)
        threshold = policy.get("threshold")
        self.threshold: float | None = None if isinstance(threshold, list) else threshold
        self.thresholds: dict[Label, float | None] | None = None
        if threshold is not None and self.kind != "catch":
            of_classes = threshold if isinstance(threshold, list) else [threshold] * len(classes)
            self.thresholds = dict(zip(classes, of_classes, strict=True))
        self.uncovered: str = policy.get("uncovered", "undecided")
        self.approximate = achieved is not None and not achieved["source"].startswith("held_out")
        self.classes: dict[Label, dict[str, float]] | None = None
        if achieved is not None:
            tallies = zip(classes, achieved["classes"], strict=True)
            self.classes = {label: tally | _rates(tally) for label, tally in tallies}
        self.advice = [with_figures for _, with_figures in advice]
        self._words = words
        self._document = document

    @property
    def coverage(self) -> float | None:
        """The share of decided rows in the calibration set."""
        return None if self.classes is None else _share(self._sum("decided"), self._sum("rows"))

    @property
    def decided_accuracy(self) -> float | None:
        """The accuracy of the decided rows in the calibration set."""
        if self.classes is None:
            return None
        return _share(self._sum("decided_right"), self._sum("decided"))

    def _sum(self, name: str) -> float:
        return sum(tally[name] for tally in (self.classes or {}).values())

    def __str__(self) -> str:
        return "\n".join([self._words, *(f"note: {advice}" for advice in self.advice)])

    def __repr__(self) -> str:
        return f"<VerdictPolicy: {self._words.splitlines()[0]}>"


def _asked_for(policy: dict[str, Any], classes: list[Label]) -> tuple[str, dict[str, Any]]:
    """Return the kind of a policy and what was asked for, by class where it depends on that."""
    if "costs" in policy:
        costs = policy["costs"]
        return "costs", {"cost_matrix": costs["answer"], "flag_cost": costs["flag"]}
    if "flag_rate" in policy:
        return "catch", {"flag_rate": policy["flag_rate"], "catch": classes[policy["class"]]}
    [(kind, parameters)] = policy.get("rule", {"zone": {}}).items()
    for name in ("precision", "miss_rate"):
        if name in parameters:
            shares = zip(classes, parameters[name], strict=True)
            parameters[name] = {label: share for label, share in shares if share is not None}
    return kind, parameters


def _rates(tally: dict[str, int]) -> dict[str, float]:
    return {
        "coverage": _share(tally["decided"], tally["rows"]),
        "decided_recall": _share(tally["decided_right"], tally["decided"]),
        "decided_precision": _share(tally["decided_right"], tally["decided_for"]),
        "miss_rate": _share(tally["decided"] - tally["decided_right"], tally["rows"]),
    }


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
