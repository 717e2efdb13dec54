"""Verdicts for the predictions of any classifier."""

from __future__ import annotations

import json
from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _labels, metrics
from ._base import BaseTernary
from ._calibration_rows import (
    CalibrationRows,
    checked_labels,
    class_probabilities,
    covered_rows,
    held_out,
    mask_of_covered,
    refuse_regressor,
    uncovered_values,
)
from ._cost_matrix import costs_of_ratio
from ._coverage import TrainingColumns, count_uncovered
from ._new_rows import NewRows
from ._notebook import Notebook
from ._of_trees import OfTrees, with_policy
from ._predictions import PartsOfPredictions, Predictions
from ._report import TernaryReport
from ._rows_check import RowsCheck
from ._seen_rows import refuse_training_rows
from ._ternwood import check_verdicts, judged, verdict_policy
from ._verdict_policy import VerdictPolicy
from ._verdict_report import VerdictReport, signed_report
from ._verdict_rule import asked_for, wish
from ._verdict_table import VerdictTable, verdict_table
from ._verdict_warning import has_class_weights, warn_of_verdict


# scikit-learn is untyped: mypy sees its classes and decorators as Any.
class VerdictClassifier(
    Notebook,
    OfTrees,
    PartsOfPredictions,
    NewRows,
    MetaEstimatorMixin,
    ClassifierMixin,
    BaseEstimator,
):
    """Any classifier, with a verdict on every prediction: decided or undecided.

    A row is *undecided* if the probability of its predicted class is below a threshold, set by a
    cost, a budget of flags or promises: of all decided rows, or class by class. No probability
    changes: the verdict says which predictions a person should look at. Only under a
    ``cost_matrix`` another class may be predicted than the most probable one: that of the least
    expected cost.

    The threshold is set with rows that the classifier has not seen. By default every training
    row is answered by a clone that was fitted without its fold, and then the classifier is fitted
    to all rows: the threshold is *cross-fitted, approximate*. The order of rows does not matter:
    rows are dealt to folds by their values, class and weight. With ``cv="oob"`` a forest is fitted
    once, and its trees answer the rows that they have not seen: *out of bag, approximate*. With
    ``cv="prefit"`` the classifier is fitted already, and ``fit`` takes rows that it has not seen:
    a promise is not approximate. Only trees and forests of this package know their training rows.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Forests, boosting, pipelines, the trees of this package: whatever gives class
        probabilities. The data are passed on as they are.
    cost_ratio : float, default=None
        The cost of a flag, as a share of the cost of a wrong answer: the threshold is
        ``1 - cost_ratio``, which costs least if the probabilities are right. The calibration
        rows only show what it achieves.
    flag_rate : float, default=None
        The largest share of the calibration rows that may be undecided, even if rows tie. Of new
        rows it is about this share, and may be more.
    catch : class label, default=None
        With ``flag_rate``, the class to catch. The budget then goes to the rows most likely to be
        missed rows of this class, instead of the rows least sure: rows predicted as another class
        are undecided where the probability of this class is above a threshold. Rows predicted as
        this class are decided.
    accuracy : float, default=None
        Promise that decided rows are right with at least this probability.
    precision : dict, default=None
        Promise that of the rows decided as a class at least this share is of it, such as
        ``{"ill": 0.9, "healthy": 0.99}``: positive and negative predictive value. Classes that
        are not named are promised nothing.
    miss_rate : dict, default=None
        Promise that of the rows *of* a class at most this share is decided as another, such as
        ``{"ill": 0.01}``. May go together with ``precision``.
    cost_matrix : array-like of shape (n_classes, n_classes), data frame or dict, default=None
        What it costs to answer with a class (column) where another is true (row), in the order of
        ``classes_``, or by name: a data frame, or a dict of dicts as in
        ``{"bad": {"bad": 0, "good": 5}, ...}``. The answer is the class of the least expected
        cost, and a row is undecided where a flag is expected to cost less. A last column, or one
        named ``"flag"``, may have the costs of flags. Costs may be negative: gains.
    flag_cost : float, array-like of shape (n_classes,) or dict, default=None
        With ``cost_matrix``, what a flag costs, perhaps by true class.
    confidence : float, default=0.95
        The confidence of promises: all together hold with at least this probability. Used with
        ``accuracy``, ``precision`` and ``miss_rate``, and by :meth:`verdict_table`.
    uncovered : {"undecided", "judge"}, default="undecided"
        What becomes of a row that the training table says nothing about: one with a gap where the
        training table had none, or with a category that it never had. It is undecided whatever its
        probabilities, or judged like any other row. A tree or forest of this package knows the
        training table of the features that it tests. Of any other classifier all columns count, if
        it is fitted here: the training table of one that is ``"prefit"`` is not known, so all its
        rows are judged.
    cv : int, cross-validation generator, iterable, "oob" or "prefit", default=5
        The folds in which training rows are answered. An int is the number of stratified folds,
        which rows are dealt to by their values, class and weight, whatever their order. (Rows that
        are neither in an array nor in a frame, as in a sparse matrix, are shuffled, always in the
        same way.) Folds that are given are taken as they are: ``StratifiedKFold(5)`` makes folds of
        neighbours, and if these err more differently than chance allows (Fisher's exact test of
        each fold against the others at a joint level of .001), a :class:`VerdictWarning` says that
        rows may be ordered or grouped. No row may be answered twice; rows that are in no test set
        set no threshold. For folds by
        group, pass the splits: ``list(GroupKFold().split(X, y, groups))``. ``"oob"``: the
        out-of-bag predictions of a forest are used, which cost nothing; for
        :class:`TernaryForestClassifier`, and for classifiers of scikit-learn with
        ``oob_score=True``. ``"prefit"``: the classifier is fitted already, and nothing is
        fitted. Clones and searches forget that fit unless the classifier is in a
        ``sklearn.frozen.FrozenEstimator``, which may also stand alone: an int then means
        ``"prefit"``. A classifier that is fitted already and not frozen is fitted again under any
        other ``cv``, with a warning.
    check_training_rows : bool, default=True
        With ``cv="prefit"`` and a tree or forest of this package: whether to raise an error if
        it was fitted to these rows. Pass False only if you know that it was not: the verdict
        policy records that the rows were not compared.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted to all rows; with ``cv="prefit"``, the one that was given. A tree
        of this package carries the verdict: ``estimator_.save`` and ``estimator_.explain`` know
        it. With ``cv="prefit"`` it is then a copy: what was given is never changed.
    verdict_policy_ : VerdictPolicy
        What makes a row undecided, and what that achieves by class; prints as a short report.
    report_ : VerdictReport
        What predictions and verdicts achieve on the calibration rows, as from
        :func:`ternwood.metrics.ternary_report`; with the cost per row under ``cost_ratio``, where
        a wrong answer costs 1, and under ``cost_matrix``. Its entry ``uncovered`` is the number of
        uncovered rows, unless the training table is not known.
        ``report_.save("report.html")`` writes a page to print and sign.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        The number of features seen during fit, if ``estimator_`` knows it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``estimator_`` knows them.

    Notes
    -----
    At most one of ``cost_ratio``, ``flag_rate``, ``accuracy``, ``cost_matrix``, and ``precision``
    with ``miss_rate`` is given. If none is, a flag costs a fifth of a wrong answer.
    :func:`rows_needed` says how many rows promises need.

    It has no ``save`` of its own: a tree or forest of this package carries the verdict, and
    ``clf.estimator_.save("model.json")`` writes both; keep other classifiers with ``joblib``.

    Sample weights go to the classifier, and each calibration row counts once: a promise is a
    count of rows, which a row of weight 3 does not repeat. Only rows of weight 0 do not count.

    Examples
    --------
    A budget: about every tenth row may be flagged.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from ternwood import VerdictClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=30, random_state=0)
    >>> clf = VerdictClassifier(forest, flag_rate=0.1).fit(X, y)
    >>> print(clf.verdict_policy_)  # doctest: +ELLIPSIS
    undecided below a probability of ...; set to flag at most 10 % of the rows (cross-fitted, ...
    on 569 rows ...
    >>> clf.predict_verdict(X[:2])
    array([ True,  True])

    The same budget, aimed at the malignant (0): fewer of them are decided as benign.

    >>> catching = VerdictClassifier(forest, flag_rate=0.1, catch=0).fit(X, y)
    >>> print(catching.verdict_policy_)  # doctest: +ELLIPSIS
    undecided if class 0 has a probability above ... but is not predicted; set to catch class 0 ...
    on 569 rows ...
    >>> missed = [policy.classes[0]["miss_rate"]
    ...           for policy in (clf.verdict_policy_, catching.verdict_policy_)]
    >>> missed[1] < missed[0]
    True

    A promise, with rows that the forest has not seen:

    >>> from sklearn.model_selection import train_test_split
    >>> X, X_held_out, y, y_held_out = train_test_split(X, y, random_state=0)
    >>> clf = VerdictClassifier(forest.fit(X, y), accuracy=0.9, cv="prefit")
    >>> clf = clf.fit(X_held_out, y_held_out)
    >>> print(clf.verdict_policy_)  # doctest: +ELLIPSIS
    undecided below ...; at least 90 % of the decided rows are right, promised with 95 % confidence
    on 143 rows (held-out): ...

    Promises class by class: of those called malignant (0), nine in ten are; of the malignant, at
    most a tenth is called benign.

    >>> clf = VerdictClassifier(forest, precision={0: 0.9}, miss_rate={0: 0.1}, cv="prefit")
    >>> print(clf.fit(X_held_out, y_held_out).verdict_policy_)  # doctest: +ELLIPSIS
    promised with 95 % confidence:
      rule in 0: predicted 0 with a probability of at least ...; at least 90 % of them are 0 ...
      rule out 0: predicted 1...; at most 10 % of all 0 rows are ruled out (...)
      look again: all other rows
    on 143 rows (held-out): ...
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit"])],
        "cost_ratio": [Interval(Real, 0.0, 1.0, closed="neither"), None],
        "flag_rate": [Interval(Real, 0.0, 1.0, closed="left"), None],
        "catch": "no_validation",
        "accuracy": [Interval(Real, 0.0, 1.0, closed="neither"), None],
        # What these may be depends on the classes.
        "precision": "no_validation",
        "miss_rate": "no_validation",
        "cost_matrix": "no_validation",
        "flag_cost": "no_validation",
        "confidence": [Interval(Real, 0.0, 1.0, closed="neither")],
        "uncovered": [StrOptions({"undecided", "judge"})],
        "cv": ["cv_object", StrOptions({"prefit", "oob"})],
        "check_training_rows": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any,
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
        uncovered: str = "undecided",
        cv: Any = 5,
        check_training_rows: bool = True,
    ) -> None:
        self.estimator = estimator
        self.cost_ratio = cost_ratio
        self.flag_rate = flag_rate
        self.catch = catch
        self.accuracy = accuracy
        self.precision = precision
        self.miss_rate = miss_rate
        self.cost_matrix = cost_matrix
        self.flag_cost = flag_cost
        self.confidence = confidence
        self.uncovered = uncovered
        self.cv = cv
        self.check_training_rows = check_training_rows

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> VerdictClassifier:
        """Fit the classifier and set the threshold of the verdict.

        Parameters
        ----------
        X : array-like or whatever the classifier takes, of shape (n_samples, n_features)
            The training rows; with ``cv="prefit"``, rows that the classifier has not seen.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row, for the classifier. Rows of weight 0 set no threshold, all
            others count once.
        **fit_params : dict
            Further parameters for the ``fit`` of the classifier. With metadata routing, for the
            classifier and for the splitter ``cv``, as they request it.

        Returns
        -------
        VerdictClassifier
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a promise cannot be made: too few rows (the message has the number needed) or too
            many errors (it has the best that can be promised). With ``cv="prefit"`` and a tree of
            this package, also if the rows are among those the tree was fitted to.
        """
        # Before anything is fitted:
        asked_for(self.get_params(deep=False))
        refuse_regressor(self.estimator)
        y = checked_labels(y)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, y)
        weighed = None if weights is None else weights != 0
        compared = None
        if self._is_prefit():
            estimator, rows = self._prefit(X, y, fit_params)
            source = "held_out"
            if self.check_training_rows:
                compared = refuse_training_rows(estimator, X, y, weighed)
            else:
                source = "held_out_untested"
        elif self._is_out_of_bag():
            estimator, rows = self._out_of_bag(X, y, sample_weight, fit_params)
            source = "out_of_bag"
        else:
            estimator, rows = self._cross_fitted(X, y, weights, fit_params)
            source = "cross_fitted"
        if weighed is not None:
            rows = rows.among(weighed)
        names = _labels.to_names(estimator.classes_)
        words, document, advice = verdict_policy(
            rows,
            names,
            json.dumps(wish(self.get_params(deep=False), estimator.classes_.tolist())),
            source,
            has_class_weights(self.estimator),
            self.uncovered,
        )
        is_known = self._is_prefit() or isinstance(estimator, BaseTernary)
        self._training_columns = None if is_known else TrainingColumns.of(X, weighed)
        self.estimator_ = with_policy(estimator, document)
        self.verdict_policy_ = VerdictPolicy(words, document, advice, names)
        doubts = [*advice, *rows.doubts_about_folds()]
        warn_of_verdict((problem for problem, _ in doubts), 3)  # 2 is a wrapper of scikit-learn
        notes = [with_figures for _, with_figures in doubts]
        self.report_ = signed_report(
            self, self._report(rows), rows, notes=notes, compared=compared, set_here=True
        )
        return self

    def _report(self, rows: CalibrationRows) -> TernaryReport:
        found, decided = judged(self.verdict_policy_._document, rows.probabilities, rows.covered)
        figures = metrics.ternary_report(
            self.classes_.take(rows.class_ids),
            self.classes_.take(found),
            decided,
            confidence=rows.probabilities[np.arange(len(found)), found],
            **self._costs(),
        )
        uncovered = rows.count_uncovered()
        return figures if uncovered is None else TernaryReport(figures, uncovered=uncovered[1])

    def _costs(self) -> dict[str, Any]:
        """Return what flags and answers cost, if the verdict is set by that."""
        asked = self.verdict_policy_.parameters
        if "cost_ratio" in asked:
            return {"cost_undecided": asked["cost_ratio"], "cost_wrong": 1.0}
        return asked | {"labels": self.classes_} if "cost_matrix" in asked else {}

    def _verdicts_on(
        self, probabilities: NDArray[np.float64], covered: NDArray[np.bool_]
    ) -> Predictions:
        """Add the class and the verdict of the policy. NaN is undecided."""
        class_ids, decided = judged(self.verdict_policy_._document, probabilities, covered)
        return Predictions(self.classes_.take(class_ids), probabilities, decided)

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels."""
        return np.asarray(self.estimator_.classes_)

    @property
    def n_features_in_(self) -> int:
        """The number of features seen during fit, if ``estimator_`` knows it."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """The names of the features, if ``estimator_`` knows them."""
        return np.asarray(self.estimator_.feature_names_in_)

    def predict_all(self, X: Any) -> Predictions:
        """Predict the class, probabilities and verdict of every row in one pass.

        Parameters
        ----------
        X : array-like or whatever the classifier takes, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Predictions
            A named tuple of ``classes``, ``probabilities`` and ``verdicts``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from ternwood import VerdictClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = VerdictClassifier(GaussianNB(), cost_ratio=0.1).fit(X, y)
        >>> classes, probabilities, verdicts = clf.predict_all(X[69:71])
        >>> classes, verdicts
        (array([1, 2]), array([ True, False]))
        """
        check_is_fitted(self)
        probabilities = class_probabilities(self.estimator_, X)
        return self._verdicts_on(probabilities, self._covered_rows(X, len(probabilities)))

    def _covered_rows(self, X: Any, n_rows: int) -> NDArray[np.bool_]:
        return covered_rows(self.estimator_, X, n_rows, self._training_columns)

    def check_rows(self, X: Any, y: Any = None, *, level: float = 0.01) -> RowsCheck:
        """See whether flags and promises still hold for new rows, and how many are uncovered.

        With a tree of this package, the values of the rows are compared, too, with those of its
        training rows.

        Parameters
        ----------
        X : array-like or whatever the classifier takes, of shape (n_samples, n_features)
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
        """
        check_is_fitted(self)
        if isinstance(self.estimator_, BaseTernary):
            return self.estimator_.check_rows(X, y, level=level)
        if y is None:
            probabilities, truth = class_probabilities(self.estimator_, X), None
        else:
            rows = held_out(self.estimator_, X, y)
            probabilities, truth = rows.probabilities, rows.class_ids
        values = uncovered_values(self.estimator_, X, self._training_columns)
        numbers = np.arange(len(probabilities))
        covered = mask_of_covered(values, len(numbers))
        uncovered = None if values is None else count_uncovered(values, numbers)
        document, names = self.verdict_policy_._document, _labels.to_names(self.classes_)
        class_ids, decided = judged(document, probabilities, covered)
        found = check_verdicts(
            document, names, class_ids.astype(np.uint32), decided, truth, uncovered, float(level)
        )
        return RowsCheck(*found)

    def report(self, X: Any, y: Any) -> VerdictReport:
        """Report what predictions and verdicts achieve on other rows, also as a page to sign.

        Parameters
        ----------
        X : array-like or whatever the classifier takes, of shape (n_samples, n_features)
            Rows that neither the classifier nor its verdict has seen.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        VerdictReport
            As ``report_``, of these rows: promises beside what became of them.
        """
        check_is_fitted(self)
        y = checked_labels(y)
        rows = held_out(self.estimator_, X, y, self._training_columns)
        compared, notes = None, []
        try:
            compared = refuse_training_rows(self.estimator_, X, y, None)
        except ValueError as seen:
            notes = [str(seen)]
        return signed_report(
            self, self._report(rows), rows, notes=notes, compared=compared, set_here=False
        )

    def verdict_table(self, X: Any, y: Any) -> VerdictTable:
        """Show what promises from easy to hard would do to rows that are new to the classifier.

        Every line is a promise of its own, made with ``confidence``. Choosing among many lines by
        the rows that made them weakens the promise: choose before, or promise with other rows.

        Parameters
        ----------
        X : array-like or whatever the classifier takes, of shape (n_samples, n_features)
            Rows that the classifier has not seen.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        VerdictTable
            A dict of columns that prints as a table. Costs are those of ``cost_ratio`` or
            ``cost_matrix``; with neither, a flag costs a fifth of a wrong answer.
        """
        check_is_fitted(self)
        asked, costs = self.verdict_policy_.parameters, None
        if "cost_matrix" in asked:
            costs = {"answer": asked["cost_matrix"], "flag": asked["flag_cost"]}
        elif "cost_ratio" in asked:
            costs = costs_of_ratio(asked["cost_ratio"], len(self.classes_))
        rows = held_out(self.estimator_, X, y, self._training_columns)
        return verdict_table(rows, self.classes_, float(self.confidence), costs)

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.non_deterministic = inner.non_deterministic
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
            tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags
