"""Metrics of predictions with verdicts or confidences.

Metrics of verdicts take true labels, predicted labels and verdicts (True for decided,
False for undecided; 1 and 0 serve as well). Metrics of confidences take a confidence per row
instead; higher is more confident. An undefined metric, such as an accuracy over no rows, is NaN,
never 0 or 1.

Scorers are for ``scoring=`` in scikit-learn's cross-validation and searches; greater is better, so
areas and costs are negative. :func:`get_scorer` finds them by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import get_scorer as sklearn_scorer
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import unique_labels

from . import _labels, _ternwood
from ._calibration import cost_matrix as checked_costs
from ._calibration import innermost, transformed
from ._input import LabelledRows, TrainingSet, thread_count, weights_of, without_gaps
from ._ternwood import USUAL_COST_RATIO
from .types import Report

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
    "get_scorer",
    "get_scorer_names",
    "neg_aurc_scorer",
    "report",
    "risk_coverage_curve",
    "ternary_confusion_matrix",
    "undecided_accuracy",
    "undecided_rate",
]


class CartAnswers(NamedTuple):
    """The predictions of the tree without zones: class ids and confidences."""

    predicted: NDArray[np.uint32]
    confidence: NDArray[np.float64]


class Answers(NamedTuple):
    """True and predicted class ids of some rows, with verdicts and scores."""

    truth: NDArray[np.uint32]
    predicted: NDArray[np.uint32]
    decided: NDArray[np.bool_]
    confidence: NDArray[np.float64] | None = None
    zone_distance: NDArray[np.float64] | None = None
    cart: CartAnswers | None = None


def answers(
    y_true: ArrayLike, y_pred: ArrayLike, decided: ArrayLike
) -> tuple[Answers, NDArray[Any]]:
    """Check predictions with verdicts; return them by class id, and the classes."""
    truth, predicted, classes = class_ids(y_true, y_pred)
    is_decided = decided_rows(decided)
    check_consistent_length(truth, is_decided)
    return Answers(truth, predicted, is_decided), classes


def class_ids(
    y_true: ArrayLike, y_pred: ArrayLike, labels: ArrayLike | None = None
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[Any]]:
    """Return true and predicted labels as class ids, and the classes."""
    truth, predicted = column(y_true), column(y_pred)
    check_consistent_length(truth, predicted)
    found = unique_labels(truth, predicted) if len(truth) else np.array([])
    classes = found if labels is None else column(labels)
    position = {label: index for index, label in enumerate(classes.tolist())}
    if len(position) < len(classes):
        values = classes.tolist()
        repeated = sorted({str(label) for label in values if values.count(label) > 1})
        raise ValueError(f"labels has a class more than once: {', '.join(repeated)}")
    unknown = [label for label in found.tolist() if label not in position]
    if unknown:
        raise ValueError(f"y_true or y_pred has labels that are not in labels: {unknown}")
    lookup = np.array([position[label] for label in found.tolist()], dtype=np.uint32)
    true_ids = lookup[np.searchsorted(found, truth)]
    return true_ids, lookup[np.searchsorted(found, predicted)], classes


def decided_rows(decided: ArrayLike) -> NDArray[np.bool_]:
    """Return True for decided rows, False for undecided ones."""
    given = column(decided)
    found = given == 1
    if not np.all(found | (given == 0)):
        raise ValueError("decided must be True (decided) or False (undecided) for every row")
    return np.ascontiguousarray(found, dtype=np.bool_)


def confidences(confidence: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Check that every row has a finite confidence."""
    scores: NDArray[np.float64] = check_array(
        column(confidence),
        ensure_2d=False,
        dtype=np.float64,
        order="C",
        ensure_min_samples=0,
        input_name="confidence",
    )
    check_consistent_length(range(n_rows), scores)
    return scores


def column(values: ArrayLike) -> NDArray[Any]:
    """Convert to a one-dimensional array."""
    array: NDArray[Any] = column_or_1d(values)
    return array


def decided_accuracy(y_true: ArrayLike, y_pred: ArrayLike, decided: ArrayLike) -> float:
    """Compute the accuracy among the decided rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    decided : array-like of shape (n_samples,)
        True for decided, False for undecided.

    Returns
    -------
    float
        The accuracy; NaN if no row is decided.

    Examples
    --------
    >>> from ternwood.metrics import decided_accuracy
    >>> decided_accuracy([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
    1.0
    """
    return _rate("decided_accuracy", y_true, y_pred, decided)


def undecided_rate(decided: ArrayLike) -> float:
    """Compute the share of rows that are undecided.

    Parameters
    ----------
    decided : array-like of shape (n_samples,)
        True for decided, False for undecided.

    Returns
    -------
    float
        The share.

    Examples
    --------
    >>> from ternwood.metrics import undecided_rate
    >>> undecided_rate([1, 1, 1, 0])
    0.25
    """
    is_decided = decided_rows(decided)
    ids = np.zeros(len(is_decided), dtype=np.uint32)
    return float(_ternwood.figures(Answers(ids, ids, is_decided))["undecided_rate"])


def undecided_accuracy(y_true: ArrayLike, y_pred: ArrayLike, decided: ArrayLike) -> float:
    """Compute the accuracy among the undecided rows: the lower, the better the flags.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    decided : array-like of shape (n_samples,)
        True for decided, False for undecided.

    Returns
    -------
    float
        The accuracy; NaN if no row is undecided.

    Examples
    --------
    >>> from ternwood.metrics import undecided_accuracy
    >>> undecided_accuracy([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    return _rate("undecided_accuracy", y_true, y_pred, decided)


def decided_f1(y_true: ArrayLike, y_pred: ArrayLike, decided: ArrayLike) -> float:
    """Compute macro F1 among the decided rows.

    The mean is over the classes among the true or predicted labels of decided rows; a class
    without a correct prediction has F1 = 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    decided : array-like of shape (n_samples,)
        True for decided, False for undecided.

    Returns
    -------
    float
        Macro F1; NaN if no row is decided.

    Examples
    --------
    >>> from ternwood.metrics import decided_f1
    >>> decided_f1([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
    1.0
    """
    return _rate("decided_f1", y_true, y_pred, decided)


def efficiency(
    y_true: ArrayLike, y_pred: ArrayLike, decided: ArrayLike, cart_accuracy: float
) -> float:
    """Compute the gain in decided accuracy over the plain tree, per share of rows flagged.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    decided : array-like of shape (n_samples,)
        True for decided, False for undecided.
    cart_accuracy : float
        The accuracy of the tree without zones on the same rows.

    Returns
    -------
    float
        ``(decided_accuracy - cart_accuracy) / undecided_rate``; NaN if nothing is flagged.

    Examples
    --------
    >>> from ternwood.metrics import efficiency
    >>> efficiency([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0], cart_accuracy=0.75)
    1.0
    """
    found, _ = answers(y_true, y_pred, decided)
    return float(_ternwood.figures(found, cart_accuracy=float(cart_accuracy))["efficiency"])


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    decided: ArrayLike,
    *,
    cost_undecided: float | None = None,
    cost_wrong: float | None = None,
    cost_matrix: Any = None,
    flag_cost: Any = None,
    labels: ArrayLike | None = None,
) -> float:
    """Compute the mean cost per row of predictions with verdicts.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    decided : array-like of shape (n_samples,)
        True for decided, False for undecided.
    cost_undecided, cost_wrong : float, default=None
        The costs of a flag and of a decided error. A flag costs the same whether the prediction
        is right or wrong, because somebody reviews it.
    cost_matrix, flag_cost : default=None
        Instead, the costs of answers by true class and of flags, as
        :class:`ternwood.VerdictClassifier` takes them.
    labels : array-like of shape (n_classes,), default=None
        With ``cost_matrix``, the classes in its order; by default all that occur, sorted.

    Returns
    -------
    float
        The cost per row; NaN without rows.

    Examples
    --------
    >>> from ternwood.metrics import expected_cost
    >>> expected_cost([0, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0], cost_undecided=1, cost_wrong=4)
    1.5

    Calling a 1 a 0 costs 5, the opposite 1, and a flag 0.5:

    >>> expected_cost([0, 0, 1, 1], [0, 1, 0, 0], [1, 1, 1, 0],
    ...               cost_matrix=[[0, 1], [5, 0]], flag_cost=0.5)
    1.625
    """
    if cost_matrix is not None:
        if cost_undecided is not None or cost_wrong is not None:
            raise ValueError("give either a cost_matrix, or cost_undecided and cost_wrong")
        truth, predicted, classes = class_ids(y_true, y_pred, labels)
        is_decided = decided_rows(decided)
        check_consistent_length(truth, is_decided)
        costs = checked_costs(cost_matrix, flag_cost, classes.tolist())
        return _ternwood.mean_cost(Answers(truth, predicted, is_decided), json.dumps(costs))
    if cost_undecided is None or cost_wrong is None:
        raise ValueError("expected_cost needs cost_undecided and cost_wrong, or a cost_matrix")
    found, _ = answers(y_true, y_pred, decided)
    pair = float(cost_undecided), float(cost_wrong)
    return float(_ternwood.figures(found, costs=pair)["expected_cost"])


def ternary_confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    decided: ArrayLike,
    *,
    labels: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Count rows by true class, and by predicted class or review.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    decided : array-like of shape (n_samples,)
        True for decided, False for undecided.
    labels : array-like of shape (n_classes,), default=None
        The classes in the desired order; by default all that occur, sorted.

    Returns
    -------
    ndarray of shape (n_classes, n_classes + 1)
        For each true class, the decided rows by predicted class; the last column, *review*, has
        the undecided rows.

    Examples
    --------
    >>> from ternwood.metrics import ternary_confusion_matrix
    >>> ternary_confusion_matrix([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
    array([[2, 0, 0],
           [0, 1, 1]])
    """
    truth, predicted, classes = class_ids(y_true, y_pred, labels)
    is_decided = decided_rows(decided)
    check_consistent_length(truth, is_decided)
    return _ternwood.confusion_matrix(truth, predicted, is_decided, len(classes))


def _rate(name: str, y_true: ArrayLike, y_pred: ArrayLike, decided: ArrayLike) -> float:
    found, _ = answers(y_true, y_pred, decided)
    return float(_ternwood.figures(found)[name])


def risk_coverage_curve(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Compute how the error grows as less confident rows are also decided.

    Rows of equal confidence are decided together or not at all.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    confidence : array-like of shape (n_samples,)
        The confidence of each prediction, such as the largest class probability.

    Returns
    -------
    coverage : ndarray
        The share of rows decided, ascending to 1.
    risk : ndarray
        The share of errors among the decided rows.
    thresholds : ndarray
        The lowest confidence among the decided rows.

    Examples
    --------
    >>> from ternwood.metrics import risk_coverage_curve
    >>> coverage, risk, thresholds = risk_coverage_curve(
    ...     [0, 0, 1, 1], [0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6])
    >>> coverage, risk
    (array([0.25, 0.75, 1.  ]), array([0.  , 0.  , 0.25]))
    """
    return _ternwood.risk_coverage_curve(*_ranked(y_true, y_pred, confidence))


def aurc(y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike) -> float:
    """Compute the area under the risk-coverage curve: lower is better.

    The mean over k of the error among the k most confident rows; tied rows contribute
    their mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    confidence : array-like of shape (n_samples,)
        The confidence of each prediction.

    Returns
    -------
    float
        The area; NaN without rows.

    Examples
    --------
    >>> from ternwood.metrics import aurc
    >>> aurc([0, 0, 1, 1], [0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
    0.0625
    """
    return _ternwood.aurc(*_ranked(y_true, y_pred, confidence))


def accuracy_at_coverage(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike, coverage: float
) -> float:
    """Compute the accuracy among the most confident share of the rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    confidence : array-like of shape (n_samples,)
        The confidence of each prediction.
    coverage : float
        The share, from 0 to 1. Rows that tie at the cut-off count in part.

    Returns
    -------
    float
        The accuracy; NaN at coverage 0.

    Examples
    --------
    >>> from ternwood.metrics import accuracy_at_coverage
    >>> accuracy_at_coverage([0, 0, 1, 1], [0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], 0.75)
    1.0
    """
    ranked = _ranked(y_true, y_pred, confidence)
    return _ternwood.accuracy_at_coverage(*ranked, float(coverage))


def _ranked(
    y_true: ArrayLike, y_pred: ArrayLike, confidence: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the confidence of each prediction, and whether it is right."""
    truth, predicted, _ = class_ids(y_true, y_pred)
    return confidences(confidence, len(truth)), truth == predicted


def bayes_error(
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> tuple[float, float]:
    """Bound the Bayes error, the error that no classifier can avoid, by nearest neighbours.

    Let R be the leave-one-out error of the nearest neighbour and K the number of classes. As
    the number of rows grows, Cover and Hart's inequality puts the Bayes error between
    ``(K - 1) / K * (1 - sqrt(1 - K / (K - 1) * R))`` and R. With few rows in many dimensions,
    neighbours are far away and both ends may be too high: treat the interval with care.

    Parameters
    ----------
    X : array-like, data frame or table of shape (n_samples, n_features)
        The rows, with numbers only. Features are standardised to mean 0 and standard deviation
        1; a missing value (NaN) counts as the mean.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,), default=None
        The weight of each row in the mean error. A row is never its own neighbour, whatever
        its weight; neighbours at equal distance vote by their share.
    n_jobs : int, default=None
        The number of threads; as in :class:`ternwood.TernaryTreeClassifier`.

    Returns
    -------
    lower : float
        The Cover-Hart bound.
    upper : float
        R, the leave-one-out error of the nearest neighbour.

    Notes
    -----
    The time is quadratic in the number of rows: 10,000 rows of 40 features take about two
    seconds on one core. Ctrl-C interrupts it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ternwood.metrics import bayes_error
    >>> lower, upper = bayes_error(*load_iris(return_X_y=True))
    >>> print(f"{lower:.3f} {upper:.3f}")
    0.027 0.053
    """
    rows: NDArray[np.float64] = check_array(
        X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X"
    )
    labels = _labels.plain(column(y))
    check_consistent_length(rows, labels)
    classes, class_ids = _labels.encode(labels)
    labelled = LabelledRows(without_gaps(rows), class_ids, weights_of(rows, sample_weight))
    data = TrainingSet(labelled, _labels.to_names(classes))
    return _ternwood.bayes_error(data, thread_count(n_jobs))


def report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    decided: ArrayLike,
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
) -> Report:
    """Compute all metrics at once: a dict that prints as a table.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    decided : array-like of shape (n_samples,)
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
    Report
        A dict of the metrics. Its entry ``classes`` is a dict by label with the metrics of each
        class.

    Examples
    --------
    >>> from ternwood.metrics import report
    >>> report = report([0, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0])
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
        raise ValueError("report needs cart_pred and cart_confidence together, or neither")
    if (cost_undecided is None) != (cost_wrong is None):
        raise ValueError("report needs cost_undecided and cost_wrong together, or neither")
    found, classes = answers(y_true, y_pred, decided)
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
            y_true, y_pred, decided, cost_matrix=cost_matrix, flag_cost=flag_cost, labels=labels
        )
    tallies = _ternwood.class_tallies(found.truth, found.predicted, found.decided, len(classes))
    return Report(figures | {"classes": dict(zip(classes.tolist(), tallies, strict=True))})


def _ids_beside(y_true: ArrayLike, y_pred: ArrayLike, classes: NDArray[Any]) -> NDArray[np.uint32]:
    """Return the positions of labels in `classes`; an unknown label gets the next number."""
    _, ids, found = class_ids(y_true, y_pred)
    position = {label: index for index, label in enumerate(classes.tolist())}
    numbers = [position.get(label, len(classes)) for label in found.tolist()]
    return np.array(numbers, dtype=np.uint32)[ids]


def decided_accuracy_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Score a classifier by the accuracy of its decided rows.

    For ``scoring=`` in ``cross_val_score`` and searches. It rewards flags and does not charge for
    them: let it choose only where the share of flags is fixed (``flag_rate``), and use
    :func:`expected_cost_scorer` otherwise.

    Parameters
    ----------
    estimator : fitted classifier
        A tree of this package, a :class:`ternwood.VerdictClassifier`, or a pipeline or search that
        ends with one. Any other classifier decides every row.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    float
        The accuracy; NaN if no row is decided.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from ternwood import TernaryTreeClassifier
    >>> from ternwood.metrics import decided_accuracy_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = TernaryTreeClassifier(max_depth=3)
    >>> scores = cross_val_score(clf, X, y, scoring=decided_accuracy_scorer)
    >>> bool(scores.mean() > cross_val_score(clf, X, y).mean())
    True
    """
    classes, decided = _classes_and_decided(estimator, X)
    return decided_accuracy(y, classes, decided)


def neg_aurc_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Score a classifier by minus the area under its risk-coverage curve.

    It asks whether the probabilities tell right answers from wrong ones, whatever the verdict.

    Parameters
    ----------
    estimator : fitted classifier with ``predict_proba``
        Any classifier.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    float
        ``-aurc``, with the largest class probability as confidence.
    """
    probabilities = np.asarray(estimator.predict_proba(X))
    classes = np.asarray(estimator.classes_).take(probabilities.argmax(axis=1))
    return -aurc(y, classes, probabilities.max(axis=1))


def expected_cost_scorer(
    *, cost_ratio: float | None = None, cost_matrix: Any = None, flag_cost: Any = None
) -> ExpectedCostScorer:
    """Make a scorer: minus the mean cost of a classifier's answers and flags.

    Parameters
    ----------
    cost_ratio : float, default=None
        The cost of a flag, where a wrong answer costs 1.
    cost_matrix, flag_cost : default=None
        Instead, costs by class, as :class:`ternwood.VerdictClassifier` takes them; an array is in
        the order of the classifier's ``classes_``.

    Returns
    -------
    ExpectedCostScorer
        A scorer that takes the classifiers that :func:`decided_accuracy_scorer` takes.

    Examples
    --------
    How wide should zones be, if a flag costs a fifth of a wrong answer?

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from ternwood import TernaryTreeClassifier, zones
    >>> from ternwood.metrics import expected_cost_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = TernaryTreeClassifier(max_depth=3, zone=zones.Margin())
    >>> grid = {"zone__scale": [0.0, 0.5, 1.0]}
    >>> search = GridSearchCV(clf, grid, scoring=expected_cost_scorer(cost_ratio=0.2)).fit(X, y)
    >>> bool(search.best_score_ < 0)
    True
    """
    if (cost_ratio is None) == (cost_matrix is None):
        raise ValueError("expected_cost_scorer needs either a cost_ratio or a cost_matrix")
    return ExpectedCostScorer(cost_ratio, cost_matrix, flag_cost)


@dataclass(frozen=True)
class ExpectedCostScorer:
    """Minus the mean cost of a classifier's answers and flags."""

    cost_ratio: float | None
    cost_matrix: Any
    flag_cost: Any

    def __call__(self, estimator: Any, X: Any, y: ArrayLike) -> float:
        """Score a fitted classifier on rows and their labels."""
        classes, decided = _classes_and_decided(estimator, X)
        costs: dict[str, Any] = {"cost_undecided": self.cost_ratio, "cost_wrong": 1.0}
        if self.cost_matrix is not None:
            costs = {
                "cost_matrix": self.cost_matrix,
                "flag_cost": self.flag_cost,
                "labels": estimator.classes_,
            }
        return -expected_cost(y, classes, decided, **costs)


def _classes_and_decided(estimator: Any, X: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Ask for classes and verdicts; a classifier without verdicts decides every row."""
    inner = innermost(estimator)
    if hasattr(inner, "predict_all"):
        classes, _, decided = inner.predict_all(transformed(estimator, X))
        return classes, decided
    classes = np.asarray(estimator.predict(X))
    return classes, np.ones(len(classes), dtype=bool)


def get_scorer_names() -> list[str]:
    """Return the names that :func:`get_scorer` takes.

    Returns
    -------
    list of str
        The names, sorted.
    """
    return sorted(_SCORERS)


def get_scorer(name: str, **settings: Any) -> Callable[..., float]:
    """Return the scorer of this name, or scikit-learn's.

    scikit-learn has no place to register names, so ``scoring="neg_aurc"`` is not possible, and
    ``scoring=get_scorer("neg_aurc")`` is.

    Parameters
    ----------
    name : str
        ``"decided_accuracy"``, ``"neg_aurc"``, ``"neg_expected_cost"``, or a name of
        ``sklearn.metrics.get_scorer``.
    **settings : object
        Of ``"neg_expected_cost"``: the arguments of :func:`expected_cost_scorer`. Without any, a
        flag costs a fifth of a wrong answer.

    Returns
    -------
    callable
        A scorer, which takes a fitted classifier, rows and labels; greater is better.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from ternwood import TernaryTreeClassifier
    >>> from ternwood.metrics import get_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scoring = {name: get_scorer(name) for name in ("accuracy", "neg_aurc")}
    >>> sorted(cross_validate(TernaryTreeClassifier(max_depth=3), X, y, scoring=scoring))
    ['fit_time', 'score_time', 'test_accuracy', 'test_neg_aurc']
    """
    if name == "neg_expected_cost":
        return expected_cost_scorer(**settings or {"cost_ratio": USUAL_COST_RATIO})
    if settings:
        raise TypeError(f"the scorer {name!r} takes no settings, got {', '.join(settings)}")
    if name in _SCORERS:
        return _SCORERS[name]
    try:
        theirs: Callable[..., float] = sklearn_scorer(name)
    except ValueError:
        raise ValueError(
            f"there is no scorer {name!r}; ternwood has {', '.join(get_scorer_names())}, and "
            "sklearn.metrics.get_scorer_names() lists scikit-learn's"
        ) from None
    return theirs


_SCORERS: dict[str, Callable[..., float]] = {
    "decided_accuracy": decided_accuracy_scorer,
    "neg_aurc": neg_aurc_scorer,
    "neg_expected_cost": expected_cost_scorer(cost_ratio=USUAL_COST_RATIO),
}
