"""What a forest says of its training rows, by the trees that have not seen them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from . import _labels
from ._calibration_rows import CalibrationRows, checked_labels, held_out
from ._seen_rows import refuse_training_rows
from ._ternwood import Model, verdict_policy
from ._verdict_rule import wish
from ._verdict_warning import has_class_weights, warn_of_verdict

_Forest = TypeVar("_Forest", bound="OutOfBag")


class _NoOutOfBagError(AttributeError, ValueError):
    """There are no out-of-bag rows: an attribute that is not there, or a wrong call."""


class OutOfBag:
    """Mixin: out-of-bag predictions, and verdicts that are set with them."""

    _model: Model
    classes_: NDArray[Any]
    oob_score: bool | Callable[[Any, Any], float]
    uncovered: str
    # Training rows that some trees have not seen; all of them with ``oob_score``. None without
    # bootstrap, and without ``oob_score`` if nothing was chosen by them.
    _oob_rows: CalibrationRows | None
    _n_training_rows: int

    @property
    def oob_decision_function_(self) -> NDArray[np.float64]:
        """The class probabilities of the training rows, by the trees that have not seen them."""
        check_is_fitted(self)
        if not self.oob_score:
            raise AttributeError("oob_decision_function_ is there if oob_score=True")
        rows = self._out_of_bag()
        probabilities = np.full((self._n_training_rows, len(self.classes_)), np.nan)
        probabilities[rows.numbers] = rows.probabilities
        return probabilities

    @property
    def oob_score_(self) -> float:
        """The accuracy of these predictions, or what the function ``oob_score`` says of them."""
        check_is_fitted(self)
        if not self.oob_score:
            raise AttributeError("oob_score_ is there if oob_score=True")
        rows = self._out_of_bag()
        truth = self.classes_[rows.class_ids]
        score = self.oob_score if callable(self.oob_score) else accuracy_score
        return float(score(truth, self.classes_[rows.probabilities.argmax(axis=1)]))

    @property
    def oob_results_(self) -> dict[str, Any]:
        """Every zone scale and exponent that was tried, with its out-of-bag log-loss."""
        check_is_fitted(self)
        tried = self._model.choice()
        if not tried:
            raise AttributeError(
                "oob_results_ is there if zone_scale or exponent is 'auto', and this forest chose "
                "neither"
            )
        loss = np.array([candidate.log_loss for candidate in tried])
        errors = [candidate.category_error for candidate in tried]
        exponents = [candidate.exponent for candidate in tried]
        results: dict[str, Any] = {"zone_scale": np.array([it.zone_scale for it in tried])}
        if errors[0] is not None:
            results["category_error"] = np.array(errors)
        if exponents[0] is not None:
            results["exponent"] = np.array(exponents)
        return results | {"log_loss": loss, "rank": rankdata(loss, method="min").astype(np.int32)}

    @property
    def oob_log_loss_(self) -> float:
        """The out-of-bag log-loss of the zone scale and exponent that were chosen."""
        return float(self.oob_results_["log_loss"][self._model.chosen()])

    def calibrate_verdict(
        self: _Forest,
        X: Any = None,
        y: Any = None,
        *,
        cost_ratio: float | None = None,
        flag_rate: float | None = None,
        catch: Any = None,
        accuracy: float | None = None,
        precision: Mapping[Any, float] | None = None,
        miss_rate: Mapping[Any, float] | None = None,
        cost_matrix: Any = None,
        flag_cost: Any = None,
        confidence: float = 0.95,
        uncovered: str | None = None,
        check_training_rows: bool = True,
    ) -> _Forest:
        """Set what makes a row undecided, without holding rows out.

        The calibration rows are training rows, answered by the trees that have not seen them:
        *out of bag, approximate*. They are all training rows with ``oob_score``, and otherwise
        those that scale and exponent were chosen by, at most 10,000. Their promises are tested with
        half of the risk. With rows that are new to the forest, promises are exact.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features), default=None
            Rows that the forest was not fitted to; None for the out-of-bag rows.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        cost_ratio, flag_rate, catch, accuracy, precision, miss_rate : object
            What is asked for, as for :class:`VerdictClassifier`.
        cost_matrix, flag_cost : object
            Costs, as for :class:`VerdictClassifier`.
        confidence : float, default=0.95
            The confidence of promises.
        uncovered : {"undecided", "judge"}, default=None
            What becomes of rows that the training table says nothing about, as for
            :class:`VerdictClassifier`. None for the forest's own ``uncovered``.
        check_training_rows : bool, default=True
            Whether to raise an error if the forest was fitted to X. Pass False only if you know
            that it was not: the verdict policy records that the rows were not compared.

        Returns
        -------
        estimator
            The forest itself, with a new ``verdict_policy_``. Fitting it again forgets it; for
            pipelines and searches, put the forest into a :class:`VerdictClassifier` with
            ``cv="oob"``.

        Raises
        ------
        ValueError
            If a promise cannot be made: too few rows (the message has the number needed) or too
            many errors (it has the best that can be promised); or if the forest was fitted to X.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from ternwood import TernaryForestClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> forest = TernaryForestClassifier(random_state=0).fit(X, y)
        >>> print(forest.calibrate_verdict(accuracy=0.97).verdict_policy_)  # doctest: +ELLIPSIS
        undecided below ...; at least 97 % of the decided rows are right, promised with 95 %
        confidence (out of bag, approximate)
        on 569 rows ...
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("give X and y both, or neither for the out-of-bag rows")
        if X is None:
            rows, source = self._out_of_bag(), "out_of_bag"
        else:
            source = "held_out"
            if check_training_rows:
                refuse_training_rows(self, X, checked_labels(y), None)
            else:
                source = "held_out_untested"
            rows = held_out(self, X, y)
        asked = {
            "cost_ratio": cost_ratio,
            "flag_rate": flag_rate,
            "catch": catch,
            "accuracy": accuracy,
            "precision": precision,
            "miss_rate": miss_rate,
            "cost_matrix": cost_matrix,
            "flag_cost": flag_cost,
            "confidence": confidence,
        }
        _, document, advice = verdict_policy(
            rows,
            _labels.to_names(self.classes_),
            json.dumps(wish(asked, self.classes_.tolist())),
            source,
            has_class_weights(self),
            self.uncovered if uncovered is None else uncovered,
        )
        self._model = self._model.with_policy(document)
        warn_of_verdict((problem for problem, _ in advice), 2)
        return self

    def _out_of_bag(self) -> CalibrationRows:
        """Return training rows that some trees have not seen."""
        rows: CalibrationRows | None = getattr(self, "_oob_rows", None)
        if rows is None or not len(rows.numbers):
            raise _NoOutOfBagError(
                "this forest has no out-of-bag rows: fit it with bootstrap=True and "
                "oob_score=True (a loaded one has no training rows), or give X and y, rows that it "
                "was not fitted to"
            )
        return rows
