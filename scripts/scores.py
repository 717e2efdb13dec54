"""Accuracy, AURC and log-loss of any fitted classifier, measured alike for all."""

from typing import Any, NamedTuple

import numpy as np

from ternwood.metrics import aurc

CLIP = 1e-6


class Scores(NamedTuple):
    """How well a classifier does on test rows."""

    accuracy: float
    aurc: float
    log_loss: float


def log_loss(probabilities: np.ndarray, classes: np.ndarray, truth: np.ndarray) -> float:
    """Mean log-loss over the rows that have probabilities; a class nobody knows has none."""
    known = ~np.isnan(probabilities).any(axis=1)
    of_truth = (probabilities * (classes == truth[:, np.newaxis]))[known].sum(axis=1)
    return float(-np.log(np.clip(of_truth, CLIP, 1)).mean())


def scores(fitted: Any, X: np.ndarray, y: np.ndarray) -> Scores:
    """Score a fitted classifier by its probabilities; the confidence is the largest of them."""
    classes = np.asarray(fitted.classes_)
    probabilities = np.asarray(fitted.predict_proba(X), dtype=float)
    predicted = classes[probabilities.argmax(axis=1)]
    return Scores(
        accuracy=float((predicted == y).mean()),
        aurc=float(aurc(y, predicted, probabilities.max(axis=1))),
        log_loss=log_loss(probabilities, classes, y),
    )
