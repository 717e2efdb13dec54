"""The part of the classifier that chooses what makes a row undecided, and measures it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from . import metrics
from ._labels import to_names
from ._predictions import predict
from ._report import TernaryReport
from ._ternwood import Model
from ._threads import thread_count
from ._verdict_policy import VerdictPolicy

if TYPE_CHECKING:
    from ._labelled_rows import LabelledRows

_Classifier = TypeVar("_Classifier", bound="Verdicts")


class Verdicts:
    """The part of the classifier that chooses what makes a row undecided, and measures it."""

    _model: Model
    classes_: NDArray[Any]
    n_jobs: int | None
    routing: str

    if TYPE_CHECKING:

        def _rows(self, X: Any) -> NDArray[np.float64]: ...
        def _seen_rows(self) -> LabelledRows | None: ...
        def _labelled_rows(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows: ...

    @property
    def verdict_policy_(self) -> VerdictPolicy:
        """What makes a row undecided; prints with what it achieved."""
        check_is_fitted(self)
        return VerdictPolicy(*self._model.verdict(), to_names(self.classes_))

    def set_verdict(
        self: _Classifier, policy: str, *, cost_ratio: float | None = None
    ) -> _Classifier:
        """Choose a verdict policy that needs no rows.

        No class and no probability changes, only which rows are called undecided. The policy
        is part of the model: it is saved and pickled with it, and the next fit resets it.

        Parameters
        ----------
        policy : {"zone", "cost"}
            ``"zone"``: undecided within a zone, as after ``fit``. ``"cost"``: undecided where
            a flag costs less than the expected error: where the largest class probability is
            below ``1 - cost_ratio``.
        cost_ratio : float, default=None
            ``"cost"``: the cost of a flag, as a share of the cost of a decided error.

        Returns
        -------
        TernaryTreeClassifier
            The classifier itself.

        See Also
        --------
        calibrate_verdict : Set a policy with held-out rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> print(clf.set_verdict("cost", cost_ratio=0.05).verdict_policy_)
        undecided below a probability of 0.95; a flag costs 0.05 of a wrong answer
        >>> print(clf.set_verdict("zone").verdict_policy_)
        undecided within a zone
        """
        check_is_fitted(self)
        if policy not in ("zone", "cost"):
            raise ValueError(f"policy must be 'zone' or 'cost', got {policy!r}")
        if (policy == "cost") != (cost_ratio is not None):
            raise ValueError("cost_ratio goes with policy='cost' and with no other policy")
        if cost_ratio is None:
            self._model = self._model.with_zone_verdict()
        else:
            self._model = self._model.with_cost_verdict(_number("cost_ratio", cost_ratio))
        return self

    def calibrate_verdict(
        self: _Classifier,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        cost_ratio: float | None = None,
        flag_rate: float | None = None,
        accuracy: float | None = None,
        confidence: float | None = None,
    ) -> _Classifier:
        """Choose what makes a row undecided, with held-out rows.

        A row is then undecided if its largest class probability is below a threshold, which
        exactly one of ``cost_ratio``, ``flag_rate`` and ``accuracy`` sets. No class and no
        probability changes. ``verdict_policy_`` shows what the policy achieves on the rows,
        class by class.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features), default=None
            Held-out rows. By default the training rows, if they are still in memory, each
            predicted out of fold by a tree of the same recipe; the result is called
            "cross-fitted, approximate".
        y : array-like of shape (n_samples,), default=None
            Their labels.
        cost_ratio : float, default=None
            The cost of a flag, as a share of the cost of a decided error: the threshold is
            ``1 - cost_ratio``, and the rows only show what it achieves.
        flag_rate : float, default=None
            The largest share of the rows that may be undecided, even if rows tie.
        accuracy : float, default=None
            Promise that decided rows are right with at least this probability.
        confidence : float, default=0.95
            The confidence of the promise: it is broken with a probability of at most
            ``1 - confidence``.

        Returns
        -------
        TernaryTreeClassifier
            The classifier itself.

        Raises
        ------
        ValueError
            If a promise cannot be made: too few rows (the message has the number needed) or too
            many errors. Also if no rows are given and the training rows are gone.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import train_test_split
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> X, X_held_out, y, y_held_out = train_test_split(X, y, random_state=0, test_size=0.4)
        >>> clf = TernaryTreeClassifier(max_depth=4).fit(X, y)
        >>> clf = clf.calibrate_verdict(X_held_out, y_held_out, flag_rate=0.1)
        >>> print(clf.verdict_policy_)  # doctest: +ELLIPSIS
        undecided below a probability of ...; at most 10 % of the rows flagged
        on 228 rows (held-out): ...
        """
        check_is_fitted(self)
        rule = _rule(
            cost_ratio=cost_ratio, flag_rate=flag_rate, accuracy=accuracy, confidence=confidence
        )
        if (X is None) != (y is None):
            raise ValueError("calibrate_verdict needs X and y together, or neither")
        data = self._seen_rows() if X is None else self._labelled_rows(X, y, None)
        if data is None:
            raise ValueError(
                "calibrate_verdict needs rows, and the training rows are gone or were changed; "
                "pass X and y"
            )
        threads = thread_count(self.n_jobs)
        self._model = self._model.with_calibrated_verdict(rule, data, X is None, threads)
        return self

    def ternary_report(
        self,
        X: Any,
        y: ArrayLike,
        *,
        cost_undecided: float | None = None,
        cost_wrong: float | None = None,
        bayes_error: tuple[float, float] | None = None,
    ) -> TernaryReport:
        """Report how good predictions and verdicts are on held-out rows.

        For comparison, the report has Chow's rule on the same tree without zones and on the
        blended probabilities, both rejecting the same number of rows.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        cost_undecided, cost_wrong : float, default=None
            The costs of a flag and of a decided error; both or neither. Adds costs per row.
        bayes_error : (float, float), default=None
            An interval for the Bayes error, as from :func:`ternwood.metrics.bayes_error`; adds
            ``u_over_b``.

        Returns
        -------
        TernaryReport
            As from :func:`ternwood.metrics.ternary_report`.
        """
        rows, threads = self._rows(X), thread_count(self.n_jobs)
        predictions = predict(self._model, rows, self.classes_, threads)
        extras: dict[str, Any] = {}
        if self.routing != "hard_middle":  # whose tree contains no CART tree
            class_ids, probabilities = self._model.predict_crisp(rows, threads)
            extras = {
                "cart_pred": self.classes_.take(class_ids),
                "cart_confidence": probabilities.max(axis=1),
                "zone_distance": self._model.zone_distance(rows, threads),
            }
        return metrics.ternary_report(
            y,
            predictions.classes,
            predictions.verdicts,
            confidence=predictions.probabilities.max(axis=1),
            cost_undecided=cost_undecided,
            cost_wrong=cost_wrong,
            bayes_error=bayes_error,
            **extras,
        )

    def zone_scale_for_flag_rate(
        self, flag_rate: float, X: Any = None, y: ArrayLike | None = None
    ) -> float:
        """Find the ``zone_scale`` at which a given share of the rows is within a zone.

        With the lower end of :func:`ternwood.metrics.bayes_error`, where that bound is tight,
        there are about as many flags as unavoidable errors.

        Parameters
        ----------
        flag_rate : float
            The target share.
        X : array-like, data frame or table of shape (n_samples, n_features), default=None
            The rows; by default the training rows, if they are still in memory.
        y : array-like of shape (n_samples,), default=None
            Their labels.

        Returns
        -------
        float
            A value for the parameter ``zone_scale``; fit again with it. If some features are
            categorical, multiply ``category_error`` by the same factor.

        Raises
        ------
        ValueError
            If the routing is ``"hard_middle"``, where other widths grow a different tree.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from ternwood import TernaryTreeClassifier
        >>> from ternwood.metrics import bayes_error, undecided_rate
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> bound, error_of_neighbours = bayes_error(X, y)
        >>> clf = TernaryTreeClassifier(max_depth=4).fit(X, y)
        >>> scale = clf.zone_scale_for_flag_rate(bound)
        >>> clf = clf.set_params(zone_scale=scale).fit(X, y)
        >>> print(f"{bound:.3f} {undecided_rate(clf.predict_verdict(X)):.3f}")
        0.025 0.026
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("zone_scale_for_flag_rate needs X and y together, or neither")
        data = self._seen_rows() if X is None else self._labelled_rows(X, y, None)
        if data is None:
            raise ValueError(
                "zone_scale_for_flag_rate needs rows, and the training rows are gone or were "
                "changed; pass X and y"
            )
        threads = thread_count(self.n_jobs)
        factor, _ = self._model.zone_scale_for_flag_rate(data, float(flag_rate), threads)
        return self._model.zone_scale() * factor


def _rule(
    *,
    cost_ratio: float | None = None,
    flag_rate: float | None = None,
    accuracy: float | None = None,
    confidence: float | None = None,
) -> str:
    """Write a verdict rule as in a model file."""
    rules = {"cost_ratio": cost_ratio, "flag_rate": flag_rate, "accuracy": accuracy}
    given = [name for name, value in rules.items() if value is not None]
    if len(given) != 1:
        found = ", ".join(given) or "none"
        raise ValueError(f"give exactly one of cost_ratio, flag_rate and accuracy, got {found}")
    if confidence is not None and accuracy is None:
        raise ValueError("confidence goes with accuracy, not with cost_ratio or flag_rate")
    kind = {"cost_ratio": "cost", "flag_rate": "budget", "accuracy": "guarantee"}[given[0]]
    numbers = {given[0]: _number(given[0], rules[given[0]])}
    if accuracy is not None:
        numbers["confidence"] = 0.95 if confidence is None else _number("confidence", confidence)
    return json.dumps({kind: numbers})


def _number(name: str, value: Any) -> float:
    number = float(value)
    if not np.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return number
