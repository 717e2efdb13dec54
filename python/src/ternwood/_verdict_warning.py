"""The warning about verdicts that will disappoint."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline


class VerdictWarning(UserWarning):
    """Verdicts work, but will not do what they were asked for."""


def warn_of_class_weights(estimator: Any) -> None:
    """Warn if a classifier, or a step of a pipeline, has class weights; for rules by cost."""
    classifier = unfrozen(estimator)
    steps = [step for _, step in classifier.steps] if isinstance(classifier, Pipeline) else []
    if any(getattr(part, "class_weight", None) is not None for part in (classifier, *steps)):
        warnings.warn(
            "class_weight distorts the class probabilities, and a verdict by cost relies on them: "
            "fit without class weights, or give flag_rate or accuracy",
            VerdictWarning,
            stacklevel=4,  # the caller of fit, which scikit-learn wraps
        )


def unfrozen(estimator: Any) -> Any:
    """Return what is inside a ``FrozenEstimator``, or the estimator itself."""
    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator
