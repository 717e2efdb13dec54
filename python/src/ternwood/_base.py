"""What all classifiers share: fitting, prediction, validation."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import (
    Tags,
    check_array,
    check_consistent_length,
    check_X_y,
    column_or_1d,
    estimator_html_repr,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _labels, _params, _ternwood, metrics
from ._calibration import (
    UncoveredValues,
    VerdictWarning,
    held_out,
    innermost,
    tradeoff_table,
    transformed,
    warn_of_verdict,
)
from ._calibration import cost_matrix as checked_costs
from ._explain import Explanations, Predictions, predict
from ._export import write_whole
from ._input import (
    LabelledRows,
    TrainingSet,
    thread_count,
    warn_of_data,
    warn_of_index,
    weights_of,
    without_gaps,
)
from ._labels import to_names
from ._params import fit_context
from ._table import Feature, Kind, Recoded, as_frame, learn, recode, table_of
from ._ternwood import Model
from .types import DriftCheck, Report, TradeoffTable, VerdictPolicy
from .zones import Specified, Zone, as_zone

if TYPE_CHECKING:
    from onnx import ModelProto

_Classifier = TypeVar("_Classifier", bound="BaseTernary")


class BaseVerdict:
    """What trees, forests and verdicts around any classifier share: the parts of predictions."""

    def predict_all(self, X: Any) -> Predictions:
        """Predict the class, probabilities and verdict of every row in one pass."""
        raise NotImplementedError

    def explain(self, X: Any) -> Explanations[Any]:
        """Explain every row and its verdict."""
        raise NotImplementedError

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row, decided or undecided.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The most probable class, the first in ``classes_`` on ties; under a cost matrix, that of
            the least expected cost.
        """
        return self.predict_all(X).classes

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class probabilities of every row.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Class probabilities in the order of ``classes_``; zones blend them.
        """
        return self.predict_all(X).probabilities

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Natural logarithms, in the order of ``classes_``; -inf for a probability of 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_decided(self, X: Any) -> NDArray[np.bool_]:
        """Predict which rows are decided.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,), dtype bool
            True for decided, False for undecided. What makes a row undecided is
            ``verdict_policy_``.
        """
        return self.predict_all(X).decided

    def _repr_html_inner(self) -> str:
        box = str(estimator_html_repr(self))
        policy = getattr(self, "verdict_policy_", None)
        if policy is None:  # not fitted
            return box
        tree = getattr(self, "estimator_", self)
        picture = tree._picture() if isinstance(tree, BaseTernary) else ""
        gain = getattr(tree, "depth_gain_", None)
        words = [str(policy)] + ([] if gain is None else [str(gain)])
        text = "".join(f"<pre>{escape(line)}</pre>" for line in words)
        return f"{box}{text}{picture}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle


# scikit-learn is untyped: mypy sees its classes and decorators as Any.
class BaseTernary(BaseVerdict, ClassifierMixin, BaseEstimator):
    """A tree or a forest with zones: everything but the parameters."""

    _model: Model
    classes_: NDArray[Any]

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

    @fit_context(prefer_skip_nested_validation=True)
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
        labels = _params.TrainingLabels(y, classes)
        known = data.feature_names or [f"x{index}" for index in range(X.shape[1])]
        recipe = _params.write_recipe(self, self._scaled_zone(), labels, known, automatic)
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

    def _automatic(self) -> _params.Automatic:
        """Tell what is chosen from the data: nothing."""
        return _params.Automatic()

    def _scaled_zone(self) -> Zone:
        """Return the zone as the recipe has it."""
        return as_zone(self.zone)

    def _picture(self) -> str:
        """Return a picture for a notebook, if there is one."""
        return ""

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

    def predict_all(self, X: Any) -> Predictions:
        """Predict the class, probabilities and verdict of every row in one pass.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Predictions
            A named tuple of ``classes``, ``probabilities`` and ``decided``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> classes, probabilities, decided = clf.predict_all(X[69:71])
        >>> classes, decided
        (array([1, 2]), array([ True, False]))
        """
        X = self._rows(X)
        return predict(self._model, X, self.classes_, thread_count(self.n_jobs))

    def _covered(self, X: Any) -> NDArray[np.bool_]:
        """Tell which rows the training table says something about."""
        return self._model.covered(self._rows(X), thread_count(self.n_jobs))

    def _uncovered_values(self, X: Any) -> list[UncoveredValues]:
        """Find the values that the training table says nothing about."""
        return [UncoveredValues(*it) for it in self._model.uncovered_rows(self._rows(X))]

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The weighted impurity decrease of each feature's splits, as shares."""
        check_is_fitted(self)
        return self._model.importances()

    def unknown_categories(self, X: Any) -> dict[str, list[str]]:
        """List the categories in some rows that the model does not know.

        They are no error: wherever a split asks for such a category, the row goes both ways
        and is undecided.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        dict of str to list of str
            The sorted names, by column; columns without any are left out.

        Examples
        --------
        >>> import pandas as pd
        >>> from ternwood import TernaryTreeClassifier
        >>> wards = pd.DataFrame({"ward": ["A", "B"]})
        >>> clf = TernaryTreeClassifier().fit(wards, ["ill", "well"])
        >>> clf.unknown_categories(pd.DataFrame({"ward": ["K9", "A", None, "C"]}))
        {'ward': ['C', 'K9']}
        """
        unseen = self._recoded(X).unseen
        names = self._model.feature_names()
        return {} if unseen is None else {names[it]: found for it, found in unseen.names().items()}

    @property
    def verdict_policy_(self) -> VerdictPolicy:
        """What makes a row undecided; prints with what it achieved."""
        check_is_fitted(self)
        return VerdictPolicy(*self._model.verdict(), to_names(self.classes_))

    def check_drift(self, X: Any, y: Any = None, *, level: float = 0.01) -> DriftCheck:
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
        DriftCheck
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
        >>> clf.check_drift(X[1::2], y[1::2]).holds
        True
        >>> drifted = clf.check_drift(X[1::2] + 5)
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
        return DriftCheck(*self._model.check_rows(rows, class_ids, float(level), threads))

    def report(
        self,
        X: Any,
        y: ArrayLike,
        *,
        cost_undecided: float | None = None,
        cost_wrong: float | None = None,
        bayes_error: tuple[float, float] | None = None,
    ) -> Report:
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
        Report
            As from :func:`ternwood.metrics.report`.
        """
        rows, threads = self._rows(X), thread_count(self.n_jobs)
        predictions = predict(self._model, rows, self.classes_, threads)
        return metrics.report(
            y,
            predictions.classes,
            predictions.decided,
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

    def tradeoff_table(
        self,
        X: Any,
        y: ArrayLike,
        *,
        confidence: float = 0.95,
        cost_matrix: Any = None,
        flag_cost: Any = None,
    ) -> TradeoffTable:
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
        TradeoffTable
            A dict of columns that prints as a table.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import train_test_split
        >>> from ternwood import TernaryTreeClassifierCV
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> X, X_held_out, y, y_held_out = train_test_split(X, y, random_state=0)
        >>> table = TernaryTreeClassifierCV(max_depth=3).fit(X, y).tradeoff_table(
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
        return tradeoff_table(held_out(self, X, y), self.classes_, float(confidence), costs)

    @property
    def metadata_(self) -> dict[str, str]:
        """What is recorded about the fitted model: name, version, owner, notes, other fields.

        A copy; :meth:`set_metadata` changes it.
        """
        check_is_fitted(self)
        return dict(self._model.metadata())

    @property
    def ternwood_version_(self) -> str | None:
        """The version of ternwood that fitted the model; None if its file does not state it."""
        check_is_fitted(self)
        return self._model.ternwood_version()

    def set_metadata(self: _Classifier, **fields: str | None) -> _Classifier:
        """Record what the fitted model is: its name, version, owner, notes, or any other field.

        The metadata are saved with the model and copied to pages, reports and ONNX files. They
        belong to the fitted model, not to the parameters: ``clone`` and ``fit`` drop them.

        Parameters
        ----------
        **fields : str or None
            Texts by field: ``name``, ``version``, ``owner``, ``notes``, or a name of your own.
            None or an empty text removes the field; fields that are not given stay as they are.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        TypeError
            If a field is neither text nor None.
        ValueError
            If a field or its name is too long, or there are too many.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> clf.set_metadata(name="Iris", version="2.1", ticket="QA-17").metadata_
        {'name': 'Iris', 'version': '2.1', 'ticket': 'QA-17'}
        """
        check_is_fitted(self)
        for name, text in fields.items():
            if not isinstance(text, str | None):
                raise TypeError(
                    f"metadata field {name!r} is {text!r}, a {type(text).__name__}; pass a string"
                )
        self._model = self._model.with_metadata(
            [(name, text or "") for name, text in fields.items()]
        )
        return self

    def to_json(self, *, private: bool = False) -> str:
        """Write the fitted model as a JSON document.

        The command and the Rust library write the same document, so models move freely between
        them. It does not depend on ``n_jobs``, and numbers read back to the same bits.

        Parameters
        ----------
        private : bool, default=False
            Leave out everything about single training rows: the bits by which the model recognises
            them, and counts of categories with fewer than ten rows. For models to be published.

        Returns
        -------
        str
            The document.
        """
        check_is_fitted(self)
        return (self._model.private() if private else self._model).to_json()

    def save(self, path: str | os.PathLike[str], *, private: bool = False) -> None:
        """Save the fitted model, completely or not at all.

        A tree becomes a JSON file. A forest becomes a safetensors file, which is smaller and much
        faster to read; or a JSON file, if the name ends in ``.json``.

        Parameters
        ----------
        path : str or path-like
            The file; replaced if it exists. A failure leaves it as it was.
        private : bool, default=False
            Leave out everything about single training rows; see :meth:`to_json`.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        as_json = Path(path).suffix.lower() == ".json"
        written = self.to_json(private=private).encode() if as_json else self._file(private)
        write_whole(path, written)

    def _file(self, private: bool = False) -> bytes:
        """Return the bytes of the model's file, whatever its name."""
        check_is_fitted(self)
        return (self._model.private() if private else self._model).to_bytes()

    def to_sql(
        self,
        table: str | Sequence[str],
        *,
        dialect: str = "generic",
        keys: str | Sequence[str] = (),
        columns: Sequence[str] | None = None,
    ) -> str:
        """Write the model as an SQL query over a table.

        The query has a row for every row of the table: the keys, ``prediction``, ``decided``,
        ``p_`` with a class for every class, and ``reason``, which is NULL for decided rows.
        Answers and verdicts are those of :meth:`predict`.

        Parameters
        ----------
        table : str or sequence of str
            The table: its name, or schema and name.
        dialect : {"sqlite", "duckdb", "postgres", "generic"}, default="generic"
            The dialect of SQL.
        keys : str or sequence of str, default=()
            Columns to pass through, such as a key.
        columns : sequence of str, default=None
            The table's column for every feature; by default the names of the features, or ``x0``,
            ``x1``, ... where they have none.

        Returns
        -------
        str
            The query.

        Raises
        ------
        ValueError
            If the model is too large for the dialect, which has a limit of columns.

        Notes
        -----
        NULL and NaN are missing values. Categories are compared letter by letter. See
        ``docs/exports.md`` for what engines make of numbers.

        Examples
        --------
        >>> import sqlite3
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> base = sqlite3.connect(":memory:")
        >>> X.iloc[[0, 70]].to_sql("flowers", base, index_label="id")
        2
        >>> for row in base.execute(clf.to_sql("flowers", dialect="sqlite", keys="id")):
        ...     print(row[:3], row[-1])
        (0, 0, 1) None
        (70, 2, 0) petal width (cm) lies within the uncertainty zone from 1.70 to 1.80
        """
        check_is_fitted(self)
        return _ternwood.to_sql(self._model, _listed(table), dialect, _listed(keys), columns)

    def to_onnx(self, *, force_large: bool = False) -> ModelProto:
        """Write the model as an ONNX graph, in double precision.

        Answers and verdicts are those of :meth:`predict`. Only standard operators are used:
        those of opset 18, and of ``ai.onnx.ml`` ``LabelEncoder`` for categories and
        ``TreeEnsembleRegressor`` for forests without zones.

        Parameters
        ----------
        force_large : bool, default=False
            Also write models of more than 200,000 nodes and files of more than 100 MB, which are
            refused otherwise: runtimes need much time and memory to load them.

        Returns
        -------
        onnx.ModelProto
            Its inputs are ``numbers``, doubles of shape (n_samples, numeric features), and, if
            there are any, ``categories``, texts of shape (n_samples, features with categories),
            both in the order of the features. NaN is a missing number, an empty text a missing
            category (if a category has no name, the text in the metadata ``missing``). Its outputs
            are ``label``, ``probabilities``, ``decided``, and for a single tree of two children
            ``distance``, the :meth:`zone_distance`.

        Raises
        ------
        ImportError
            If onnx is not installed.
        ValueError
            If the model is too large.

        Notes
        -----
        Do not convert numbers to float32 first: those next to a zone's edge would change sides.
        :func:`ternwood.register_onnx_converters` lets skl2onnx convert whole pipelines.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = TernaryTreeClassifier(max_depth=2).fit(X, y).to_onnx()
        >>> [output.name for output in model.graph.output]
        ['label', 'probabilities', 'decided', 'distance']
        """
        check_is_fitted(self)
        try:
            import onnx
        except ImportError:
            raise ImportError(
                "to_onnx needs onnx: pip install 'ternwood[onnx]'; the command needs nothing for "
                "`ternwood export model.json -o model.onnx`"
            ) from None
        try:
            file = _ternwood.to_onnx(self._model, force_large)
        except ValueError as error:
            if force_large:
                raise
            raise ValueError(f"{error}; force_large=True writes it anyway") from None
        return onnx.load_model_from_string(file)


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def predict_all(estimator: Any, X: Any) -> Predictions:
    """Predict the class, probabilities and verdict of every row, also through a pipeline.

    Parameters
    ----------
    estimator : fitted classifier
        A tree, a forest or a :class:`VerdictClassifier`, or a pipeline, search or
        ``FrozenEstimator`` that ends with one. Pipelines themselves have scikit-learn's methods
        only.
    X : array-like, data frame or table of shape (n_samples, n_features)
        The rows, as the whole pipeline takes them.

    Returns
    -------
    Predictions
        A named tuple of ``classes``, ``probabilities`` and ``decided``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import ternwood
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ternwood.TernaryTreeClassifier(zone="spread", max_depth=2)
    >>> clf = make_pipeline(StandardScaler(), tree).fit(X, y)
    >>> ternwood.predict_all(clf, X[[0, 70]]).decided
    array([ True, False])
    """
    inner = _with_verdicts(estimator)
    found: Predictions = inner.predict_all(transformed(estimator, X))
    return found


def predict_decided(estimator: Any, X: Any) -> NDArray[np.bool_]:
    """Predict which rows are decided, also through a pipeline.

    Parameters
    ----------
    estimator : fitted classifier
        As for :func:`predict_all`.
    X : array-like, data frame or table of shape (n_samples, n_features)
        The rows.

    Returns
    -------
    ndarray of shape (n_samples,), dtype bool
        True for decided, False for undecided.
    """
    return predict_all(estimator, X).decided


def explain(estimator: Any, X: Any) -> Explanations[Any]:
    """Explain every row and its verdict, also through a pipeline.

    Parameters
    ----------
    estimator : fitted classifier
        As for :func:`predict_all`.
    X : array-like, data frame or table of shape (n_samples, n_features)
        The rows, as the whole pipeline takes them.

    Returns
    -------
    Explanations
        One explanation per row, in terms of the features that the tree or forest was fitted to.
    """
    inner = _with_verdicts(estimator)
    found: Explanations[Any] = inner.explain(transformed(estimator, X))
    return found


def _with_verdicts(estimator: Any) -> BaseVerdict:
    inner = innermost(estimator)
    if not isinstance(inner, BaseVerdict):
        raise TypeError(
            f"{type(inner).__name__} has no verdicts: put it into a VerdictClassifier, or take a "
            "tree or forest of this package"
        )
    return inner
