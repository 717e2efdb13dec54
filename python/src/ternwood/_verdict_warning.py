"""The warning about verdicts that will disappoint."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline


class VerdictWarning(UserWarning):
    """Verdicts work, but will not do what they were asked for."""


def warn_of_verdict(problems: Iterable[str], stacklevel: int) -> None:
    """Warn of problems without figures: the same text in every fold of a search is shown once."""
    for problem in problems:
        text = f"{problem} (verdict_policy_.advice and the report have the figures)"
        warnings.warn(text, VerdictWarning, stacklevel=stacklevel + 1)


def has_class_weights(estimator: Any) -> bool:
    """Tell whether a classifier, or a step of a pipeline, has class weights."""
    classifier = unfrozen(estimator)
    steps = [step for _, step in classifier.steps] if isinstance(classifier, Pipeline) else []
    return any(getattr(part, "class_weight", None) is not None for part in (classifier, *steps))


def unfrozen(estimator: Any) -> Any:
    """Return what is inside a ``FrozenEstimator``, or the estimator itself."""
    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator
