"""Verdict policies: what makes a row undecided, and what that achieved."""

from __future__ import annotations

import json
from typing import Any

from ._labels import Label


class VerdictPolicy:
    """When a model calls a row undecided. Prints as a short report.

    Attributes
    ----------
    kind : {"zone", "cost", "budget", "guarantee"}
        Undecided within zones, or below a probability set by a cost, by a budget of flags or
        by a promise.
    threshold : float or None
        A row is undecided if its largest class probability is below this; None for ``"zone"``.
    parameters : dict
        What was asked for: ``cost_ratio``; or ``flag_rate``; or ``accuracy`` and
        ``confidence``.
    approximate : bool
        Whether it was set with out-of-fold probabilities of the training rows
        ("cross-fitted, approximate") instead of held-out rows.
    classes : dict or None
        The results on the calibration rows, by class: ``rows``, ``right`` (predicted as it,
        decided or not), ``decided``, ``decided_right`` and ``decided_for`` (decided rows of
        any class predicted as this one), ``coverage``, ``decided_recall`` and
        ``decided_precision``. None if there were no rows.
    advice : list of str
        What speaks against the policy, and what to do about it: nearly all rows are flagged, or
        none; decided rows are no better than flagged ones; a class is never decided rightly.
    """

    def __init__(
        self, words: str, document: str | None, advice: list[str], classes: list[Label]
    ) -> None:
        policy: dict[str, Any] = {} if document is None else json.loads(document)
        achieved: dict[str, Any] | None = policy.get("achieved")
        self.kind: str
        self.parameters: dict[str, float]
        [(self.kind, self.parameters)] = policy.get("rule", {"zone": {}}).items()
        self.threshold: float | None = policy.get("threshold")
        self.approximate = achieved is not None and achieved["source"] == "cross_fitted"
        self.classes: dict[Label, dict[str, float]] | None = None
        if achieved is not None:
            tallies = zip(classes, achieved["classes"], strict=True)
            self.classes = {label: tally | _rates(tally) for label, tally in tallies}
        self.advice = advice
        self._words = words

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


def _rates(tally: dict[str, int]) -> dict[str, float]:
    return {
        "coverage": _share(tally["decided"], tally["rows"]),
        "decided_recall": _share(tally["decided_right"], tally["decided"]),
        "decided_precision": _share(tally["decided_right"], tally["decided_for"]),
    }


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
