"""Metrics of predictions with verdicts or confidences.

Metrics of verdicts take true labels, predicted labels and verdicts (True for decided,
False for undecided; 1 and 0 serve as well). Metrics of confidences take a confidence per row
instead; higher is more confident. An undefined metric, such as an accuracy over no rows, is NaN,
never 0 or 1.

Scorers are for ``scoring=`` in scikit-learn's cross-validation and searches; greater is better, so
areas and costs are negative.
"""

from ._bayes_error import bayes_error
from ._confidence_figures import accuracy_at_coverage, aurc, risk_coverage_curve
from ._report import ternary_report
from ._scorers import decided_accuracy_scorer, expected_cost_scorer, neg_aurc_scorer
from ._verdict_figures import (
    decided_accuracy,
    decided_f1,
    efficiency,
    expected_cost,
    ternary_confusion_matrix,
    undecided_accuracy,
    undecided_rate,
)

__all__ = [
    "accuracy_at_coverage",
    "aurc",
    "bayes_error",
    "decided_accuracy",
    "decided_accuracy_scorer",
    "decided_f1",
    "efficiency",
    "expected_cost",
    "expected_cost_scorer",
    "neg_aurc_scorer",
    "risk_coverage_curve",
    "ternary_confusion_matrix",
    "ternary_report",
    "undecided_accuracy",
    "undecided_rate",
]
