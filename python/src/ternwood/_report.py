"""All metrics at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from . import _ternwood
from ._answers import CartAnswers, answers, class_ids, column, confidences
from ._verdict_figures import expected_cost

_NAMES = {
    "rows": "rows",
    "decided": "decided",
    "undecided": "undecided",
    "uncovered": "uncovered",
    "accuracy": "accuracy",
    "undecided_rate": "undecided rate",
    "decided_accuracy": "decided accuracy",
    "chow_accuracy": "  by Chow's rule",
    "chow_cart_accuracy": "  by Chow's rule on CART",
    "undecided_accuracy": "undecided accuracy",
    "decided_f1": "decided F1 (macro)",
    "efficiency": "efficiency",
    "aurc": "AURC",
    "aurc_zone": "  by zone distance",
    "aurc_cart": "  of CART",
    "expected_cost": "cost per row",
    "chow_cost": "  by Chow's rule",
    "chow_cart_cost": "  by Chow's rule on CART",
    "u_over_b": "flags per Bayes error",
}

_COLUMNS = {
    "rows": "rows",
    "decided_right": "decided right",
    "decided_wrong": "decided wrong",
    "review": "review",
    "decided_recall": "recall",
    "decided_precision": "precision",
}


_LEGEND = (
    "review: undecided rows of the class",
    "recall: of the decided rows of the class, the share decided as it",
    "precision: of the rows decided as the class, the share that is of it",
)


class TernaryReport(dict[str, Any]):
    """The metrics of predictions with verdicts: a dict that prints as a table."""

    def __str__(self) -> str:
        shown = {key: name for key, name in _NAMES.items() if key in self}
        width = max(len(name) for name in shown.values())
        figures = [f"{name:<{width}}  {_number(self[key]):>8}" for key, name in shown.items()]
        labels = [str(label) for label in self["classes"]]
        first = max([len("class"), *map(len, labels)])
        table = [f"{'class':<{first}}  " + "  ".join(_COLUMNS.values())]
        for label, counts in zip(labels, self["classes"].values(), strict=True):
            cells = (
                f"{_number(counts[column]):>{len(heading)}}" for column, heading in _COLUMNS.items()
            )
            table.append(f"{label:<{first}}  " + "  ".join(cells))
        return "\n".join([*figures, "", *table, *_LEGEND])


def _number(value: float | tuple[float, float]) -> str:
    if isinstance(value, tuple):
        return f"{_number(value[0])} to {_number(value[1])}"
    if isinstance(value, int):
        return str(value)
    return "-" if value != value else f"{value:.4f}"


def ternary_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    verdict: ArrayLike,
    *,
    confidence: ArrayLike | None = None,
    cart_accuracy: float | None = None,
    cart_pred: ArrayLike | None = None,
    cart_confidence: ArrayLike | None = None,
    zone_distance: ArrayLike | None = None,
    cost_undecided: float | None = None,
    cost_wrong: float | None = None,
    cost_matrix: Any = None,
    flag_cost: Any = None,
    labels: ArrayLike | None = None,
    bayes_error: tuple[float, float] | None = None,
) -> TernaryReport:
    """Compute all metrics at once: a dict that prints as a table.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    verdict : array-like of shape (n_samples,)
        True for decided, False for undecided.
    confidence : array-like of shape (n_samples,), default=None
        The confidence of each prediction: the largest class probability. Adds ``aurc``, and
        ``chow_accuracy``: the accuracy if the same number of rows is decided by confidence
        (Chow's rule).
    cart_accuracy : float, default=None
        The accuracy of the tree without zones; adds ``efficiency``. Not needed with
        ``cart_pred``.
    cart_pred, cart_confidence : array-like of shape (n_samples,), default=None
        The predictions and confidences of the tree without zones; both or neither. Adds
        ``chow_cart_accuracy``, ``aurc_cart`` and ``efficiency``.
    zone_distance : array-like of shape (n_samples,), default=None
        The distances of rows from being undecided; adds ``aurc_zone``.
    cost_undecided, cost_wrong : float, default=None
        The costs of a flag and of a decided error; both or neither. Adds ``expected_cost``, and
        ``chow_cost`` and ``chow_cart_cost`` where Chow's rule is known.
    cost_matrix, flag_cost, labels : default=None
        Instead, costs by class, as in :func:`expected_cost`. Adds ``expected_cost``.
    bayes_error : (float, float), default=None
        An interval for the Bayes error; adds ``u_over_b``, flags per unavoidable error, as an
        interval.

    Returns
    -------
    TernaryReport
        A dict of the metrics. Its entry ``classes`` is a dict by label with the metrics of each
        class.

    Examples
    --------
    >>> from ternwood.metrics import ternary_report
    >>> report = ternary_report([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
    >>> report["decided_accuracy"]
    1.0
    >>> print(report)
    rows                       4
    decided                    3
    undecided                  1
    accuracy              0.7500
    undecided rate        0.2500
    decided accuracy      1.0000
    undecided accuracy    0.0000
    decided F1 (macro)    1.0000
    <BLANKLINE>
    class  rows  decided right  decided wrong  review  recall  precision
    0         2              2              0       0  1.0000     1.0000
    1         2              1              0       1  1.0000     1.0000
    review: undecided rows of the class
    recall: of the decided rows of the class, the share decided as it
    precision: of the rows decided as the class, the share that is of it
    """
    if (cart_pred is None) != (cart_confidence is None):
        raise ValueError("ternary_report needs cart_pred and cart_confidence together, or neither")
    if (cost_undecided is None) != (cost_wrong is None):
        raise ValueError("ternary_report needs cost_undecided and cost_wrong together, or neither")
    found, classes = answers(y_true, y_pred, verdict)
    n_rows = len(found.truth)
    if confidence is not None:
        found = found._replace(confidence=confidences(confidence, n_rows))
    if zone_distance is not None:
        distances = np.ascontiguousarray(column(zone_distance), dtype=np.float64)
        check_consistent_length(found.truth, distances)
        found = found._replace(zone_distance=distances)
    if cart_pred is not None and cart_confidence is not None:
        cart = CartAnswers(
            _ids_beside(y_true, cart_pred, classes), confidences(cart_confidence, n_rows)
        )
        found = found._replace(cart=cart)
    costs = None
    if cost_undecided is not None and cost_wrong is not None:
        costs = float(cost_undecided), float(cost_wrong)
    figures = _ternwood.figures(
        found, cart_accuracy=cart_accuracy, costs=costs, bayes_error=bayes_error
    )
    if cost_matrix is not None:
        figures["expected_cost"] = expected_cost(
            y_true, y_pred, verdict, cost_matrix=cost_matrix, flag_cost=flag_cost, labels=labels
        )
    tallies = _ternwood.class_tallies(found.truth, found.predicted, found.decided, len(classes))
    return TernaryReport(figures | {"classes": dict(zip(classes.tolist(), tallies, strict=True))})


def _ids_beside(y_true: ArrayLike, y_pred: ArrayLike, classes: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the positions of labels in `classes`; an unknown label gets the next number."""
    _, ids, found = class_ids(y_true, y_pred)
    position = {label: index for index, label in enumerate(classes.tolist())}
    numbers = [position.get(label, len(classes)) for label in found.tolist()]
    return np.array(numbers, dtype=np.uint32)[ids]
