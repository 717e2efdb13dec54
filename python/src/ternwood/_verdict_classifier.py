"""Verdicts for the predictions of any classifier."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from copy import copy
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import (
    Tags,
    check_consistent_length,
    get_tags,
)
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _labels, metrics
from ._cross_fit import (
    CalibrationRows,
    checked_labels,
    class_probabilities,
    cross_fit,
    require_probabilities,
)
from ._explanation import Explanations
from ._files import ModelFile
from ._notebook import Notebook
from ._predictions import PartsOfPredictions, Predictions
from ._report import TernaryReport
from ._ternwood import USUAL_COST_RATIO, verdict_policy
from ._verdict_policy import VerdictPolicy
from ._verdict_report import signed_report
from ._verdict_warning import VerdictWarning, has_class_weights, unfrozen


def _is_tree(clf: VerdictClassifier) -> bool:
    """Tell whether the classifier inside is one of this package."""
    return isinstance(unfrozen(clf.estimator), ModelFile)


# scikit-learn is untyped: mypy sees its classes and decorators as Any.
_of_trees: Callable[..., Any] = available_if(_is_tree)


class VerdictClassifier(
    Notebook,
    PartsOfPredictions,
    MetaEstimatorMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Any classifier, with a verdict on every prediction: decided or undecided.

    A row is *undecided* if its largest class probability is below a threshold, set by a cost, a
    budget of flags or a promise. No class and no probability changes: the verdict says which
    predictions a person should look at.

    The threshold is set with rows that the classifier has not seen. By default every training
    row is answered by a clone that was fitted without its fold, and then the classifier is fitted
    to all rows: the threshold is *cross-fitted, approximate*. With ``cv="prefit"`` the classifier
    is fitted already, and ``fit`` takes held-out rows: a promise is exact.

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
        The largest share of the calibration rows that may be undecided, even if rows tie.
    accuracy : float, default=None
        Promise that decided rows are right with at least this probability.
    confidence : float, default=0.95
        With ``accuracy``, the confidence of the promise: it is broken with a probability of at
        most ``1 - confidence``. Not used otherwise.
    cv : int, cross-validation generator, iterable or "prefit", default=5
        The folds in which training rows are answered; an int is the number of stratified folds.
        No row may be answered twice; rows that are in no test set set no threshold. For folds by
        group, pass the splits: ``list(GroupKFold().split(X, y, groups))``. ``"prefit"``: the
        classifier is fitted already, and nothing is fitted. Clones and searches forget that fit
        unless the classifier is in a ``sklearn.frozen.FrozenEstimator``.

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
        :func:`ternwood.metrics.ternary_report`; with costs per row under ``cost_ratio``, where a
        wrong answer costs 1. ``report_.save("report.html")`` writes a page to print and sign.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        The number of features seen during fit, if ``estimator_`` knows it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if ``estimator_`` knows them.

    Notes
    -----
    At most one of ``cost_ratio``, ``flag_rate`` and ``accuracy`` is given. If none is, a flag
    costs a fifth of a wrong answer.

    Sample weights go to the classifier, and each calibration row counts once: a promise is a
    count of rows, which a row of weight 3 does not repeat. Only rows of weight 0 do not count.

    Examples
    --------
    A budget: at most every tenth row may be flagged.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from ternwood import VerdictClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=30, random_state=0)
    >>> clf = VerdictClassifier(forest, flag_rate=0.1).fit(X, y)
    >>> print(clf.verdict_policy_)  # doctest: +ELLIPSIS
    undecided below a probability of ...; at most 10 % of the rows flagged (cross-fitted, ...
    on 569 rows ...
    >>> clf.predict_verdict(X[:2])
    array([ True,  True])

    A promise, with rows that the forest has not seen:

    >>> from sklearn.model_selection import train_test_split
    >>> X, X_held_out, y, y_held_out = train_test_split(X, y, random_state=0)
    >>> clf = VerdictClassifier(forest.fit(X, y), accuracy=0.9, cv="prefit")
    >>> clf = clf.fit(X_held_out, y_held_out)
    >>> print(clf.verdict_policy_)  # doctest: +ELLIPSIS
    undecided below ...; at least 90 % of the decided rows are right, promised with 95 % confidence
    on 143 rows (held-out): ...
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"])],
        "cost_ratio": [Interval(Real, 0.0, 1.0, closed="neither"), None],
        "flag_rate": [Interval(Real, 0.0, 1.0, closed="left"), None],
        "accuracy": [Interval(Real, 0.0, 1.0, closed="neither"), None],
        "confidence": [Interval(Real, 0.0, 1.0, closed="neither")],
        "cv": ["cv_object", StrOptions({"prefit"})],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        cost_ratio: float | None = None,
        flag_rate: float | None = None,
        accuracy: float | None = None,
        confidence: float = 0.95,
        cv: Any = 5,
    ) -> None:
        self.estimator = estimator
        self.cost_ratio = cost_ratio
        self.flag_rate = flag_rate
        self.accuracy = accuracy
        self.confidence = confidence
        self.cv = cv

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
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
            many errors.
        """
        rule = self._rule()
        y = checked_labels(y)
        weighed = None if sample_weight is None else _check_sample_weight(sample_weight, y) != 0
        if self._is_prefit():
            estimator, rows = self._prefit(X, y, fit_params)
        else:
            estimator, rows = self._cross_fitted(X, y, sample_weight, fit_params)
        if weighed is not None:
            rows = rows.among(weighed)
        names = _labels.to_names(estimator.classes_)
        words, document, advice = verdict_policy(
            rows,
            names,
            json.dumps(rule),
            not self._is_prefit(),
            has_class_weights(self.estimator),
        )
        self.estimator_ = _with_policy(estimator, document)
        self.verdict_policy_ = VerdictPolicy(words, document, advice, names)
        for warning in advice:
            warnings.warn(warning, VerdictWarning, stacklevel=3)  # 2 is a wrapper of scikit-learn
        self.report_ = signed_report(self, self._report(rows), rows, document)
        return self

    def _rule(self) -> dict[str, dict[str, float]]:
        """Write the rule of the verdict as in a model file."""
        names = ("cost_ratio", "flag_rate", "accuracy")
        given = {name: float(value) for name in names if (value := getattr(self, name)) is not None}
        if len(given) > 1:
            found = " and ".join(f"{name}={value:g}" for name, value in given.items())
            raise ValueError(f"give at most one of cost_ratio, flag_rate and accuracy, got {found}")
        if "accuracy" in given:
            return {"guarantee": given | {"confidence": float(self.confidence)}}
        if "flag_rate" in given:
            return {"budget": given}
        return {"cost": {"cost_ratio": USUAL_COST_RATIO} | given}

    def _is_prefit(self) -> bool:
        return isinstance(self.cv, str)

    def _prefit(
        self, X: Any, y: NDArray[Any], fit_params: dict[str, Any]
    ) -> tuple[Any, CalibrationRows]:
        """Answer held-out rows with the classifier as it is."""
        estimator = unfrozen(self.estimator)
        if fit_params:
            raise ValueError(
                f"cv='prefit' fits nothing, and takes no parameters for it: {', '.join(fit_params)}"
            )
        try:
            check_is_fitted(estimator)
        except NotFittedError as error:
            raise NotFittedError(
                f"cv='prefit' needs a fitted classifier, and this {type(estimator).__name__} is "
                "not: fit it first. Clones and searches forget a fit unless the classifier is in "
                "a sklearn.frozen.FrozenEstimator"
            ) from error
        probabilities = class_probabilities(estimator, X)
        check_consistent_length(probabilities, y)
        return estimator, CalibrationRows.of(probabilities, _labels.numbered(y, estimator.classes_))

    def _cross_fitted(
        self, X: Any, y: NDArray[Any], sample_weight: Any, fit_params: dict[str, Any]
    ) -> tuple[Any, CalibrationRows]:
        """Fit the classifier to all rows, and answer them with clones that have not seen them."""
        if isinstance(self.estimator, FrozenEstimator):
            raise ValueError(
                "a FrozenEstimator is never fitted, so no fold is new to it: give cv='prefit', "
                "and fit with rows that it has not seen"
            )
        for_estimator, for_splitter = self._routed(sample_weight, fit_params)
        # First, so that the classifier itself says what is wrong with X.
        estimator = clone(self.estimator).fit(X, y, **for_estimator)
        require_probabilities(estimator)
        class_ids = _labels.numbered(y, estimator.classes_)
        folds = check_cv(self.cv, y, classifier=True).split(X, y, **for_splitter)
        probabilities, answered = cross_fit(
            self.estimator, X, y, folds, estimator.classes_, for_estimator
        )
        return estimator, CalibrationRows.of(probabilities, class_ids).among(answered)

    def _routed(
        self, sample_weight: Any, fit_params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Divide the parameters of fit between the classifier and the splitter."""
        if sample_weight is not None:
            fit_params = fit_params | {"sample_weight": sample_weight}
        if not get_config()["enable_metadata_routing"]:
            return fit_params, {}
        routed = process_routing(self, "fit", **fit_params)
        return dict(routed.estimator.fit), dict(routed.splitter.split)

    def _report(self, rows: CalibrationRows) -> TernaryReport:
        found = self._verdicts_on(rows.probabilities)
        costs: dict[str, Any] = {}
        if self.verdict_policy_.kind == "cost":
            ratio = self.verdict_policy_.parameters["cost_ratio"]
            costs = {"cost_undecided": ratio, "cost_wrong": 1.0}
        return metrics.ternary_report(
            self.classes_.take(rows.class_ids),
            found.classes,
            found.verdicts,
            confidence=found.probabilities.max(axis=1),
            **costs,
        )

    def _verdicts_on(self, probabilities: NDArray[np.float64]) -> Predictions:
        """Add the most probable class, the first on ties, and the verdict."""
        classes = self.classes_.take(probabilities.argmax(axis=1))
        # NaN is undecided.
        decided = probabilities.max(axis=1) >= self.verdict_policy_.threshold
        return Predictions(classes, probabilities, decided)

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
        return self._verdicts_on(class_probabilities(self.estimator_, X))

    @_of_trees
    def explain(self, X: Any) -> Explanations:
        """Explain every row's path and verdict; if ``estimator`` is a tree of this package.

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
        explanations: Explanations = self.estimator_.explain(X)
        return explanations

    @_of_trees
    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the tree with its verdict; if ``estimator`` is a tree of this package.

        Parameters
        ----------
        path : str or path-like
            The file; replaced if it exists. :func:`ternwood.load` and the command read it, with
            the same predictions and verdicts.
        """
        check_is_fitted(self)
        self.estimator_.save(path)

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
        return router.add(estimator=self.estimator, method_mapping=to_fit).add(
            splitter=self.cv, method_mapping=to_split
        )

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.non_deterministic = inner.non_deterministic
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
            tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags


def _with_policy(estimator: Any, document: str) -> Any:
    """Return a copy of a tree of this package with the policy, and any other classifier itself."""
    if not isinstance(estimator, ModelFile):
        return estimator
    tree = copy(estimator)
    tree._model = tree._model.with_policy(document)
    return tree
