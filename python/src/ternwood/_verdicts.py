"""What makes a row undecided, and how good predictions and verdicts are."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from . import metrics
from ._calibration_rows import held_out
from ._cost_matrix import cost_matrix as checked_costs
from ._labels import to_names
from ._predictions import predict
from ._report import TernaryReport
from ._rows_check import RowsCheck
from ._ternwood import Model
from ._threads import thread_count
from ._verdict_policy import VerdictPolicy
from ._verdict_table import VerdictTable, verdict_table
from ._verdict_warning import VerdictWarning

if TYPE_CHECKING:
    from ._labelled_rows import LabelledRows


class Verdicts:
    """Mixin: the verdict policy, and what it achieves."""

    _model: Model
    classes_: NDArray[Any]
    n_jobs: int | None

    if TYPE_CHECKING:

        def _rows(self, X: Any) -> NDArray[np.float64]: ...
        def _labelled_rows(self, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows: ...

    @property
    def verdict_policy_(self) -> VerdictPolicy:
        """What makes a row undecided; prints with what it achieved."""
        check_is_fitted(self)
        return VerdictPolicy(*self._model.verdict(), to_names(self.classes_))

    def check_rows(self, X: Any, y: Any = None, *, level: float = 0.01) -> RowsCheck:
        """See whether the model still holds for new rows.

        New rows are set beside those of training and calibration: the share that is flagged,
        values that training did not have, and, with labels, what was promised.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The new rows.
        y : array-like of shape (n_samples,), default=None
            Their labels, if they are known.
        level : float, default=0.01
            How often something may be called changed although nothing has. All comparisons share
            it.

        Returns
        -------
        RowsCheck
            What was found; prints as a report. Its ``holds`` is for programs.

        Warns
        -----
        VerdictWarning
            If the tree was fitted to these rows: they cannot show whether it still holds.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifierCV
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = TernaryTreeClassifierCV().fit(X[::2], y[::2])
        >>> clf.check_rows(X[1::2], y[1::2]).holds
        True
        >>> drifted = clf.check_rows(X[1::2] + 5)
        >>> drifted.holds
        False
        """
        check_is_fitted(self)
        if y is None:
            rows, class_ids = self._rows(X), None
        else:
            labelled = self._labelled_rows(X, y)
            rows, class_ids = labelled.x, labelled.class_ids
            try:
                self._model.refuse_trained_on(labelled, thread_count(self.n_jobs))
            except ValueError as seen:
                warnings.warn(str(seen), VerdictWarning, stacklevel=2)
        threads = thread_count(self.n_jobs)
        return RowsCheck(*self._model.check_rows(rows, class_ids, float(level), threads))

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

        For comparison, the report has Chow's rule on the same model without zones and on the
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
        return metrics.ternary_report(
            y,
            predictions.classes,
            predictions.verdicts,
            confidence=predictions.probabilities.max(axis=1),
            cost_undecided=cost_undecided,
            cost_wrong=cost_wrong,
            bayes_error=bayes_error,
            **self._without_zones(rows, threads),
        )

    def _without_zones(self, rows: NDArray[np.float64], threads: int) -> dict[str, Any]:
        """Tell what the same model says without zones."""
        class_ids, probabilities = self._model.predict_crisp(rows, threads)
        return {
            "cart_pred": self.classes_.take(class_ids),
            "cart_confidence": probabilities.max(axis=1),
        }

    def verdict_table(
        self,
        X: Any,
        y: ArrayLike,
        *,
        confidence: float = 0.95,
        cost_matrix: Any = None,
        flag_cost: Any = None,
    ) -> VerdictTable:
        """Show what promises from easy to hard would do to rows that are new to the tree.

        Every line is a promise of its own. Choosing among many lines by the rows that made them
        weakens the promise: choose before, or promise with other rows. A
        :class:`VerdictClassifier` around the tree makes the promise.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            Rows that the tree was not grown on.
        y : array-like of shape (n_samples,)
            Their labels.
        confidence : float, default=0.95
            The confidence of each promise, and of the intervals.
        cost_matrix, flag_cost : default=None
            The costs of answers and flags, as :class:`VerdictClassifier` takes them. By default a
            flag costs a fifth of a wrong answer.

        Returns
        -------
        VerdictTable
            A dict of columns that prints as a table.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import train_test_split
        >>> from ternwood import TernaryTreeClassifierCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> X, X_held_out, y, y_held_out = train_test_split(X, y, random_state=0)
        >>> table = TernaryTreeClassifierCV(max_depth=3).fit(X, y).verdict_table(
        ...     X_held_out, y_held_out)
        >>> print(table)  # doctest: +ELLIPSIS
        143 rows (held-out); each promise by itself, with 95 % confidence; ...
                         decided from ...
        decided accuracy, at least
          0.8 ...
        >>> print(table["refusal"][table["aim"] == "accuracy"][-1])  # doctest: +ELLIPSIS
        a decided accuracy of 0.995 cannot be promised with confidence 0.95 from 143 ...
        """
        check_is_fitted(self)
        costs = None
        if cost_matrix is not None:
            costs = checked_costs(cost_matrix, flag_cost, self.classes_.tolist())
        return verdict_table(held_out(self, X, y), self.classes_, float(confidence), costs)
