"""Verdicts for the predictions of any classifier."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sklearn
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _labels, _ternwood, metrics
from ._base import BaseTernary, BaseVerdict, explain
from ._calibration import (
    CalibrationRows,
    TrainingColumns,
    VerdictWarning,
    asked_for,
    checked_labels,
    class_probabilities,
    costs_of_ratio,
    count_uncovered,
    covered_rows,
    cross_fit,
    has_class_weights,
    held_out,
    innermost,
    is_fitted,
    mask_of_covered,
    out_of_bag,
    refuse_regressor,
    require_fit,
    require_probabilities,
    stratified,
    tradeoff_table,
    transformed,
    uncovered_values,
    unfrozen,
    warn_of_verdict,
    wish,
    without_verdict_warnings,
)
from ._explain import Explanations, Predictions
from ._input import thread_count, warn_of_index, without_gaps
from ._params import available_if, fit_context
from ._ternwood import check_verdicts, judged, verdict_policy
from ._tree import BaseTernaryTree
from .metrics import Answers, class_ids
from .types import DriftCheck, Page, Report, TradeoffTable, VerdictPolicy, VerdictReport

if TYPE_CHECKING:
    from onnx import ModelProto

    from ._calibration import CalibrationRows


def _inner(clf: VerdictClassifier) -> Any:
    """Return the classifier at the end of pipelines, fitted or not."""
    return innermost(getattr(clf, "estimator_", clf.estimator))


def _is_ours(clf: VerdictClassifier) -> bool:
    """Tell whether rows can be explained; the error is shown as a cause where they cannot."""
    inner = _inner(clf)
    if not isinstance(inner, BaseTernary):
        raise AttributeError(
            f"only trees and forests of this package explain rows, and this is a "
            f"{type(inner).__name__}"
        )
    return True


def _is_alone(clf: VerdictClassifier) -> bool:
    """Tell whether the model can be written down."""
    estimator = unfrozen(clf.estimator)
    if isinstance(estimator, BaseTernary):
        return True
    if isinstance(_inner(clf), BaseTernary):
        raise AttributeError(
            "a model file has no place for the steps before a tree or forest: keep all of them "
            "with joblib.dump, or save the model alone with innermost estimators, as in "
            "clf.estimator_[-1].save(path), and prepare rows in the same way"
        )
    raise AttributeError(
        f"only trees and forests of this package can be written down, and this is a "
        f"{type(estimator).__name__}: keep it with joblib.dump"
    )


def _is_single_tree(clf: VerdictClassifier) -> bool:
    return _is_alone(clf) and isinstance(unfrozen(clf.estimator), BaseTernaryTree)


def with_policy(estimator: Any, document: str) -> Any:
    """Return a copy of what ends with a tree or forest of ours with the policy, or others as is."""
    if not isinstance(innermost(estimator), BaseTernary):
        return estimator
    outer = copy(estimator)
    if isinstance(estimator, BaseTernary):
        outer._model = outer._model.with_policy(document)
    elif isinstance(estimator, Pipeline):
        *before, (name, last) = estimator.steps
        outer.steps = [*before, (name, with_policy(last, document))]
    elif isinstance(estimator, FrozenEstimator):
        outer.estimator = with_policy(estimator.estimator, document)
    else:
        outer.best_estimator_ = with_policy(estimator.best_estimator_, document)
    return outer


def refuse_training_rows(
    estimator: Any, X: Any, y: NDArray[Any], counted: NDArray[np.bool_] | None
) -> str | None:
    """Raise an error if a tree of this package was fitted to these rows.

    Only rows that are counted matter; None stands for all. Return how far the tree can tell; None
    for other classifiers, which cannot.
    """
    inner = innermost(estimator)
    if not isinstance(inner, BaseTernary):
        return None
    rows = inner._labelled_rows(transformed(estimator, X), y)
    if counted is not None:
        rows = rows._replace(x=without_gaps(rows.x[counted]), class_ids=rows.class_ids[counted])
    if not len(rows.class_ids):
        return None
    return inner._model.refuse_trained_on(rows, thread_count(inner.n_jobs))


def signed_report(
    clf: VerdictClassifier,
    figures: Report,
    rows: CalibrationRows,
    *,
    notes: list[str],
    compared: str | None,
    set_here: bool,
) -> VerdictReport:
    """Add the page to the figures of a classifier on rows, which may have set its verdict.

    `compared` says whether the rows can be told from those of training.
    """
    classes, found = clf.classes_, clf._verdicts_on(rows.probabilities, rows.covered)
    truth, predicted, _ = class_ids(
        classes.take(rows.class_ids), found.classes, labels=np.asarray(classes)
    )
    decided = np.ascontiguousarray(found.decided, dtype=np.bool_)
    about_the_rows = _about_the_rows(clf.estimator_, truth, classes)
    if compared is not None:
        about_the_rows.append(("compared with training", compared))
    html = _ternwood.verdict_report(
        Answers(truth, predicted, decided),
        _labels.to_names(classes),
        clf.verdict_policy_._document,
        f"Verdicts of {type(clf.estimator_).__name__}",
        about=(about_the_rows, _about(clf.estimator_)),
        notes=notes,
        uncovered=rows.count_uncovered(),
        set_here=set_here,
    )
    return VerdictReport(figures, html)


def _about_the_rows(
    estimator: Any, class_ids: NDArray[np.uint32], classes: NDArray[Any]
) -> list[tuple[str, str]]:
    counts = np.bincount(class_ids, minlength=len(classes))
    listed = ", ".join(f"{label} {count}" for label, count in zip(classes, counts, strict=True))
    facts = [("rows", str(len(class_ids))), ("classes", listed)]
    features = getattr(estimator, "n_features_in_", None)
    return facts if features is None else [*facts, ("features", str(features))]


def _about(estimator: Any) -> list[tuple[str, str]]:
    facts = [("classifier", " ".join(repr(estimator).split()))]
    if isinstance(estimator, BaseTernary):
        facts = [*estimator._model.metadata_in_words(), *facts]
    seed = estimator.get_params(deep=False).get("random_state")
    if seed is not None:
        facts.append(("seed", str(seed)))
    if isinstance(estimator, BaseTernary):  # the bytes that `save` writes
        facts.append(("SHA-256", hashlib.sha256(estimator._file()).hexdigest()))
    versions = f"ternwood {_ternwood.__version__}, scikit-learn {sklearn.__version__}"
    return [*facts, ("measured by", versions)]


# scikit-learn is untyped: mypy sees its classes and decorators as Any.
class VerdictClassifier(BaseVerdict, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
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
        ``accuracy``, ``precision`` and ``miss_rate``, and by :meth:`tradeoff_table`.
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
        :func:`ternwood.metrics.report`; with the cost per row under ``cost_ratio``, where
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
    :func:`required_rows` says how many rows promises need.

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
    >>> clf.predict_decided(X[:2])
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

    @fit_context(prefer_skip_nested_validation=False)
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
        warn_of_index(X, y)
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
        report = signed_report(
            self, self._report(rows), rows, notes=notes, compared=compared, set_here=True
        )
        # Plain parts: some formats keep no attributes of a dict.
        self._report_parts = dict(report), report.html
        return self

    def _report(self, rows: CalibrationRows) -> Report:
        found, decided = judged(self.verdict_policy_._document, rows.probabilities, rows.covered)
        figures = metrics.report(
            self.classes_.take(rows.class_ids),
            self.classes_.take(found),
            decided,
            confidence=rows.probabilities[np.arange(len(found)), found],
            **self._costs(),
        )
        uncovered = rows.count_uncovered()
        return figures if uncovered is None else Report(figures, uncovered=uncovered[1])

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
    def report_(self) -> VerdictReport:
        """What predictions and verdicts achieve on the calibration rows; also as a page to sign."""
        check_is_fitted(self)
        figures, html = self._report_parts
        return VerdictReport(Report(figures), html)

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
            A named tuple of ``classes``, ``probabilities`` and ``decided``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from ternwood import VerdictClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = VerdictClassifier(GaussianNB(), cost_ratio=0.1).fit(X, y)
        >>> classes, probabilities, decided = clf.predict_all(X[69:71])
        >>> classes, decided
        (array([1, 2]), array([ True, False]))
        """
        check_is_fitted(self)
        probabilities = class_probabilities(self.estimator_, X)
        return self._verdicts_on(probabilities, self._covered_rows(X, len(probabilities)))

    def _covered_rows(self, X: Any, n_rows: int) -> NDArray[np.bool_]:
        return covered_rows(self.estimator_, X, n_rows, self._training_columns)

    def check_drift(self, X: Any, y: Any = None, *, level: float = 0.01) -> DriftCheck:
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
        DriftCheck
            What was found; prints as a report. Its ``holds`` is for programs.
        """
        check_is_fitted(self)
        if isinstance(self.estimator_, BaseTernary):
            return self.estimator_.check_drift(X, y, level=level)
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
        return DriftCheck(*found)

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

    def tradeoff_table(self, X: Any, y: Any) -> TradeoffTable:
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
        TradeoffTable
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
        return tradeoff_table(rows, self.classes_, float(self.confidence), costs)

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.non_deterministic = inner.non_deterministic
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
            tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags

    def _is_prefit(self) -> bool:
        """Tell whether nothing is fitted: what is frozen needs no ``cv="prefit"``."""
        if isinstance(self.estimator, FrozenEstimator) and self._n_folds() is not None:
            return True
        return isinstance(self.cv, str) and self.cv == "prefit"

    def _n_folds(self) -> int | None:
        """Return the number of folds, where nothing else is said about them."""
        if self.cv is None:
            return 5
        return int(self.cv) if isinstance(self.cv, Integral) else None

    def _is_out_of_bag(self) -> bool:
        return isinstance(self.cv, str) and self.cv == "oob"

    def _prefit(
        self, X: Any, y: NDArray[Any], fit_params: dict[str, Any]
    ) -> tuple[Any, CalibrationRows]:
        """Answer held-out rows with the classifier as it is."""
        estimator = self._as_it_is(fit_params)
        return estimator, held_out(estimator, X, y)

    def _as_it_is(self, fit_params: dict[str, Any]) -> Any:
        """Return the classifier that is fitted already."""
        if fit_params:
            raise ValueError(
                "a classifier that is fitted already is not fitted, and takes no parameters for "
                f"it: {', '.join(fit_params)}"
            )
        estimator = unfrozen(self.estimator)
        require_fit(estimator)
        return estimator

    def _out_of_bag(
        self, X: Any, y: NDArray[Any], sample_weight: Any, fit_params: dict[str, Any]
    ) -> tuple[Any, CalibrationRows]:
        """Fit the classifier to all rows, and take what its parts say of those new to them."""
        if isinstance(self.estimator, FrozenEstimator):
            estimator = self._as_it_is(fit_params)
        else:
            estimator = self._fitted(X, y, self._routed(sample_weight, fit_params)[0])
        rows = out_of_bag(estimator, _labels.numbered(y, estimator.classes_))
        if not len(rows.numbers):
            raise ValueError(
                f"cv='oob' found no row out of bag among n_samples = {len(y)}: take more trees or "
                "rows, or give cv=5"
            )
        return estimator, rows

    def _fitted(self, X: Any, y: NDArray[Any], for_estimator: dict[str, Any]) -> Any:
        if isinstance(self.estimator, FrozenEstimator):
            raise ValueError(
                f"a FrozenEstimator is never fitted, so no row is new to it with cv={self.cv!r}: "
                "give cv='prefit', and fit with rows that it has not seen"
            )
        if is_fitted(self.estimator):
            frozen = "a FrozenEstimator around it if these are its training rows, "
            frozen = frozen if self._is_out_of_bag() else ""
            warnings.warn(
                f"this {type(self.estimator).__name__} is fitted already, but with cv={self.cv!r} "
                "clones of it are fitted to the rows given here, and that fit plays no part: give "
                f"cv='prefit' if it has not seen these rows, {frozen}"
                "and sklearn.base.clone(estimator) if it is to be fitted to them",
                VerdictWarning,
                stacklevel=5,  # of fit, past a wrapper of scikit-learn
            )
        with without_verdict_warnings():
            estimator = clone(self.estimator).fit(X, y, **for_estimator)
        require_probabilities(estimator)
        return estimator

    def _cross_fitted(
        self,
        X: Any,
        y: NDArray[Any],
        sample_weight: NDArray[np.float64] | None,
        fit_params: dict[str, Any],
    ) -> tuple[Any, CalibrationRows]:
        """Fit the classifier to all rows, and answer them with clones that have not seen them."""
        for_estimator, for_splitter = self._routed(sample_weight, fit_params)
        # First, so that the classifier itself says what is wrong with X.
        estimator = self._fitted(X, y, for_estimator)
        class_ids = _labels.numbered(y, estimator.classes_)
        n_folds = self._n_folds()
        if n_folds is None:
            folds = check_cv(self.cv, y, classifier=True).split(X, y, **for_splitter)
        else:
            folds = stratified(X, class_ids, sample_weight, n_folds)
        probabilities, answered = cross_fit(
            self.estimator, X, y, folds, estimator.classes_, for_estimator
        )
        return estimator, CalibrationRows.of(probabilities, class_ids, folds=answered).among(
            answered >= 0
        )

    def _routed(
        self, sample_weight: Any, fit_params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Divide the parameters of fit between the classifier and the splitter."""
        if sample_weight is not None:
            fit_params = fit_params | {"sample_weight": sample_weight}
        if not get_config()["enable_metadata_routing"]:
            return fit_params, {}
        routed = process_routing(self, "fit", **fit_params)
        splitter = routed.get("splitter")
        return dict(routed.estimator.fit), {} if splitter is None else dict(splitter.split)

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which parameters of ``fit`` go to the classifier and to the splitter.

        Returns
        -------
        MetadataRouter
            The routes.
        """
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        if self._is_prefit():
            return router
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router.add(estimator=self.estimator, method_mapping=to_fit)
        if self._is_out_of_bag():
            return router
        return router.add(splitter=self.cv, method_mapping=to_split)

    @available_if(_is_ours)
    def explain(self, X: Any) -> Explanations[Any]:
        """Explain every row and its verdict; if ``estimator`` is a tree or forest of this package.

        Also through pipelines and searches that end with one: the explanations are then in terms of
        the features that the tree was fitted to.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Explanations
            As from ``estimator_.explain``.
        """
        check_is_fitted(self)
        explanations = explain(self.estimator_, X)
        if self._training_columns is not None and self.uncovered == "undecided":
            for values in self._training_columns.uncovered_values(X):
                for row in values.rows.tolist():
                    explanations[row].mark_uncovered(values.feature, values.reason)
        return explanations

    @available_if(_is_alone)
    def save(self, path: str | os.PathLike[str], *, private: bool = False) -> None:
        """Save the model with its verdict; if ``estimator`` is a tree or forest of this package.

        Parameters
        ----------
        path : str or path-like
            The file; replaced if it exists. :func:`ternwood.load` and the command read it, with
            the same predictions and verdicts.
        private : bool, default=False
            Leave out everything about single training rows: for models to be published.
        """
        check_is_fitted(self)
        self.estimator_.save(path, private=private)

    @available_if(_is_single_tree)
    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        title: str | None = None,
    ) -> Page:
        """Write the model with its verdict as a page; if ``estimator`` is a tree of this package.

        Parameters
        ----------
        path : str or path-like, default=None
            The file, whose name must end in ``.html``; replaced if it exists.
        X : array-like, data frame or table of shape (n_samples, n_features), default=None
            Rows to choose the verdict by.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        title : str, default=None
            The title of the page.

        Returns
        -------
        Page
            As from ``estimator_.to_html``.
        """
        check_is_fitted(self)
        page: Page = self.estimator_.to_html(path, X, y, title=title)
        return page

    @available_if(_is_alone)
    def to_sql(
        self,
        table: str | Sequence[str],
        *,
        dialect: str = "generic",
        keys: str | Sequence[str] = (),
        columns: Sequence[str] | None = None,
    ) -> str:
        """Write the model with its verdict as SQL; if ``estimator`` is of this package.

        Parameters
        ----------
        table : str or sequence of str
            The table: its name, or schema and name.
        dialect : {"sqlite", "duckdb", "postgres", "generic"}, default="generic"
            The dialect of SQL.
        keys : str or sequence of str, default=()
            Columns to pass through, such as a key.
        columns : sequence of str, default=None
            The table's column for every feature; by default the names of the features.

        Returns
        -------
        str
            The query, as from ``estimator_.to_sql``.
        """
        check_is_fitted(self)
        query: str = self.estimator_.to_sql(table, dialect=dialect, keys=keys, columns=columns)
        return query

    @available_if(_is_alone)
    def to_onnx(self, *, force_large: bool = False) -> ModelProto:
        """Write the model with its verdict as ONNX; if ``estimator`` is of this package.

        Parameters
        ----------
        force_large : bool, default=False
            As for ``estimator_.to_onnx``.

        Returns
        -------
        onnx.ModelProto
            As from ``estimator_.to_onnx``.
        """
        check_is_fitted(self)
        return self.estimator_.to_onnx(force_large=force_large)
