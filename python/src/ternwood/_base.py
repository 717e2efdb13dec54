"""What all classifiers share: fitting, prediction, validation."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import (
    Tags,
    check_array,
    check_consistent_length,
    check_X_y,
    column_or_1d,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _labels, _recipe
from ._data_warning import warn_of_data, warn_of_index
from ._exports import Exports
from ._features import Features
from ._files import ModelFile
from ._labelled_rows import LabelledRows, TrainingSet, weights_of, without_gaps
from ._notebook import Notebook
from ._predictions import Predicting
from ._table import Feature, Kind, Recoded, as_frame, learn, recode, table_of
from ._ternwood import Model
from ._threads import thread_count
from ._verdict_warning import warn_of_verdict
from ._verdicts import Verdicts
from .zones import Specified, Zone, as_zone

_Classifier = TypeVar("_Classifier", bound="BaseTernary")


# scikit-learn is untyped: mypy sees its classes and decorators as Any.
class BaseTernary(
    Notebook,
    Predicting,
    Features,
    Verdicts,
    ModelFile,
    Exports,
    ClassifierMixin,
    BaseEstimator,
):
    """A tree or a forest with zones: everything but the parameters."""

    zone: Zone | str
    routing: str
    criterion: str
    leaves: str
    max_depth: Any
    min_samples_split: int | float
    min_samples_leaf: int | float
    min_weight_fraction_leaf: float
    max_leaf_nodes: int | None
    max_features: int | float | str | None
    min_impurity_decrease: float
    zero_gain_splits: bool
    ccp_alpha: float
    class_weight: dict[Any, float] | str | None
    categorical_features: ArrayLike | str | None
    missing: str
    uncovered: str
    random_state: int | np.random.RandomState | None
    n_jobs: int | None

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self: _Classifier, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> _Classifier:
        """Fit the model. Ctrl-C interrupts it.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The training rows: numbers, categories and missing values. Infinity is an error.
        y : array-like of shape (n_samples,)
            The class labels, of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row. Weight k acts like k copies of the row; rows of weight 0 are
            ignored.

        Returns
        -------
        estimator
            The fitted estimator itself.

        Notes
        -----
        ``X``, ``y`` and ``sample_weight`` are read where they lie, without holding Python's
        global lock: other threads go on meanwhile, but must not write to these arrays until
        ``fit`` returns. The same holds for ``X`` in all methods that predict.
        """
        threads = thread_count(self.n_jobs)
        automatic = self._automatic()
        given = y
        try:
            warn_of_index(X, y)
            X, y, kinds = self._rows_to_learn(X, _labels.as_array(y), sample_weight)
            y = _labels.plain(y)
            classes, class_ids = _labels.encode(y)
            _labels.check(classes)
        except (TypeError, ValueError):
            _labels.refuse_missing(given)
            raise
        names = getattr(self, "feature_names_in_", None)
        data = TrainingSet(
            LabelledRows(without_gaps(X), class_ids, weights_of(X, sample_weight)),
            _labels.to_names(classes),
            None if names is None else list(names),
            kinds,
            _labels.name_of(given, () if names is None else names),
        )
        labels = _recipe.TrainingLabels(y, classes)
        known = data.feature_names or [f"x{index}" for index in range(X.shape[1])]
        recipe = _recipe.write(self, self._scaled_zone(), labels, known, automatic)
        warn_of_data(data)
        self._fit_model(data, recipe, threads)
        self._model = self._model.with_uncovered(self.uncovered)
        self.classes_ = classes
        self._warn_of_untested(known)
        # Nobody need have asked for a verdict, so the only news is what happens to a class.
        warn_of_verdict(self._model.advice_about_classes(), 3)  # 2 is a wrapper of scikit-learn
        return self

    def _warn_of_untested(self, feature_names: list[str]) -> None:
        """Warn of features with a zone that no split tests."""
        if isinstance(self.zone, Specified):
            self.zone._warn_of_untested(feature_names, self._model.tested_features())

    def _fit_model(self, data: TrainingSet, recipe: str, threads: int) -> None:
        """Fit the model to checked rows, by a recipe."""
        self._model = Model.fit(data, recipe, threads)

    def _automatic(self) -> _recipe.Automatic:
        """Tell what is chosen from the data: nothing."""
        return _recipe.Automatic()

    def _scaled_zone(self) -> Zone:
        """Return the zone as the recipe has it."""
        return as_zone(self.zone)

    def _of_forest(self) -> dict[str, Any] | None:
        """Return the part of the recipe that only a forest has."""
        return None

    def set_params(self: _Classifier, **params: Any) -> _Classifier:
        """Set the parameters; ``zone__tolerance`` those of the zone.

        Parameters
        ----------
        **params : dict
            The new values by name. A zone given by name has settings too: they are those of
            its class in :mod:`ternwood.zones`.

        Returns
        -------
        estimator
            The estimator itself.
        """
        if any(name.startswith("zone__") for name in params):
            params["zone"] = as_zone(params.get("zone", self.zone))
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = self.categorical_features is not None
        return tags

    def _rows_to_learn(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[NDArray[np.float64], NDArray[Any], list[Kind] | None]:
        """Check training rows, and read them as numbers; the kinds are None for plain numbers.

        The library checks that no value is infinite: once, in parallel.
        """
        given = self.categorical_features
        X = as_frame(X)
        table = table_of(X, by_column=given is not None and not isinstance(given, str))
        if table is None:
            X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=False)
            return X, y, None
        validate_data(self, X, y, skip_check_array=True)  # names and number of features
        weights = weights_of(np.empty(table.n_rows), sample_weight)
        threads = thread_count(self.n_jobs)
        X, kinds = learn(table, self.categorical_features, weights, threads)
        X, y = check_X_y(X, y, dtype=np.float64, ensure_all_finite=False, estimator=self)
        return X, y, kinds

    def _recoded(self, X: Any) -> Recoded:
        """Check the rows to predict, and read them as the model does."""
        check_is_fitted(self)
        features = [Feature(*feature) for feature in self._model.features()]
        plain = all(feature.categories is None and feature.fill is None for feature in features)
        X = as_frame(X)
        table = table_of(X, by_column=not plain)
        if table is None:
            X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite=False)
            return Recoded(without_gaps(X), None)
        validate_data(self, X, reset=False, skip_check_array=True)
        recoded = recode(table, self._model, thread_count(self.n_jobs))
        check_array(recoded.matrix, ensure_all_finite=False, estimator=self)
        return recoded

    def _rows(self, X: Any) -> NDArray[np.float64]:
        """Return the numbers of the rows to predict, contiguous in memory."""
        return self._recoded(X).matrix

    def _labelled_rows(self, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows:
        """Check rows with labels, and convert the labels to the model's class ids."""
        X = self._rows(X)
        y = column_or_1d(y)
        check_consistent_length(X, y)
        class_ids = _labels.numbered(_labels.plain(y), self.classes_)
        return LabelledRows(X, class_ids, weights_of(X, sample_weight))
