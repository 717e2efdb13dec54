"""The warning about verdicts that will disappoint."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

_is_quiet = ContextVar("_is_quiet", default=False)


class VerdictWarning(UserWarning):
    """Verdicts work, but will not do what they were asked for."""


@contextmanager
def without_verdict_warnings() -> Iterator[None]:
    """Suppress these warnings while a model is fitted whose verdict is about to be replaced."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def warn_of_verdict(problems: Iterable[str], stacklevel: int) -> None:
    """Warn of problems, unless a search or a cross-validation fits one of its folds.

    What is fitted to a fold is thrown away. A search warns when it fits the best candidate to all
    rows. The text has no figures, so that fits with the same problem share one text.
    """
    if _is_quiet.get() or _fits_a_fold():
        return
    for problem in problems:
        text = f"{problem} (verdict_policy_.advice and the report have the figures)"
        warnings.warn(text, VerdictWarning, stacklevel=stacklevel + 1)


def _fits_a_fold() -> bool:
    """Tell whether scikit-learn fits and scores on a fold, perhaps through a pipeline."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__") == "sklearn.model_selection._validation":
            return True
        frame = frame.f_back
    return False


def has_class_weights(estimator: Any) -> bool:
    """Tell whether a classifier, or a step of a pipeline, has class weights."""
    classifier = unfrozen(estimator)
    steps = [step for _, step in classifier.steps] if isinstance(classifier, Pipeline) else []
    return any(getattr(part, "class_weight", None) is not None for part in (classifier, *steps))


def unfrozen(estimator: Any) -> Any:
    """Return what is inside a ``FrozenEstimator``, or the estimator itself."""
    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator
