"""Predictions of a saved model with numpy alone: neither scikit-learn nor pandas is imported."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._explain import (
    Explanation,
    Explanations,
    ForestExplanation,
    Predictions,
    explained,
    predict,
)
from ._input import thread_count, without_gaps
from ._labels import from_names, to_names
from ._table import Feature, Recoded, recode, table_of
from ._ternwood import Model, explain_forest
from .types import VerdictPolicy


class Scorer:
    """A saved model that answers rows, for services: it starts faster and needs less memory.

    The answers are those of :func:`ternwood.load`, to the last bit. Rows are arrays, lists, data
    frames, or lists of dicts by feature. Columns of a frame and entries of a dict are found by
    name, in any order; others are ignored.

    Parameters
    ----------
    model : bytes
        The content of a file written by ``save``, by the command or by the Rust library.
        :meth:`load` reads a file.
    accept_edited : bool, default=False
        Whether the content may have been edited by hand; see :func:`ternwood.load`.
    n_jobs : int, default=1
        The number of threads; -1 for all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; ``x0``, ``x1``, ... if the training rows had none.
    metadata_ : dict
        What is recorded about the model: name, version, owner, notes, other fields.
    verdict_policy_ : VerdictPolicy
        What makes a row undecided.

    See Also
    --------
    load : The model as a classifier of scikit-learn, which can also be drawn, measured and saved.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> import ternwood
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = ternwood.TernaryTreeClassifier(max_depth=2).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.json")
    ...     clf.save(path)
    ...     scorer = ternwood.Scorer.load(path)
    >>> flower = {"petal length (cm)": 4.8, "petal width (cm)": 1.8,
    ...           "sepal length (cm)": 5.9, "sepal width (cm)": 3.2}
    >>> scorer.predict([flower]), scorer.predict_decided([flower])
    (array([2]), array([False]))
    """

    def __init__(self, model: bytes, *, accept_edited: bool = False, n_jobs: int = 1) -> None:
        self._model = Model(model, accept_edited)
        self._threads = thread_count(n_jobs)
        self._features = [Feature(*feature) for feature in self._model.features()]
        self.classes_: NDArray[Any] = from_names(self._model.classes())
        self.n_features_in_ = len(self._features)
        self.feature_names_in_ = np.array([it.name for it in self._features], dtype=object)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, accept_edited: bool = False, n_jobs: int = 1
    ) -> Scorer:
        """Load a model from its file.

        Parameters
        ----------
        path : str or path-like
            A file written by ``save``, by the command or by the Rust library.
        accept_edited : bool, default=False
            Whether the file may have been edited by hand; see :func:`ternwood.load`.
        n_jobs : int, default=1
            The number of threads; -1 for all cores.

        Returns
        -------
        Scorer
            The model.

        Raises
        ------
        OSError
            If the file cannot be read.
        ValueError
            If it is not a model, or was damaged or edited.
        """
        try:
            return cls(Path(path).read_bytes(), accept_edited=accept_edited, n_jobs=n_jobs)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    @property
    def metadata_(self) -> dict[str, str]:
        """What is recorded about the model: name, version, owner, notes, other fields."""
        return dict(self._model.metadata())

    @property
    def verdict_policy_(self) -> VerdictPolicy:
        """What makes a row undecided; prints with what it achieved."""
        return VerdictPolicy(*self._model.verdict(), to_names(self.classes_))

    def predict_all(self, X: Any) -> Predictions:
        """Predict the class, probabilities and verdict of every row in one pass.

        Parameters
        ----------
        X : array-like, data frame, table or list of dicts of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Predictions
            A named tuple of ``classes``, ``probabilities`` and ``decided``.
        """
        return predict(self._model, self._rows(X).matrix, self.classes_, self._threads)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row, decided or undecided.

        Parameters
        ----------
        X : array-like, data frame, table or list of dicts of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The classes.
        """
        return self.predict_all(X).classes

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class probabilities of every row.

        Parameters
        ----------
        X : array-like, data frame, table or list of dicts of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Class probabilities in the order of ``classes_``.
        """
        return self.predict_all(X).probabilities

    def predict_decided(self, X: Any) -> NDArray[np.bool_]:
        """Predict which rows are decided.

        Parameters
        ----------
        X : array-like, data frame, table or list of dicts of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,), dtype bool
            True for decided, False for undecided.
        """
        return self.predict_all(X).decided

    def explain(self, X: Any) -> Explanations[Any]:
        """Explain every row and its verdict.

        Parameters
        ----------
        X : array-like, data frame, table or list of dicts of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Explanations
            One :class:`~ternwood.types.Explanation` per row of a tree, or
            :class:`~ternwood.types.ForestExplanation` of a forest; prints as a report.
        """
        rows = self._rows(X)
        predict(self._model, rows.matrix, self.classes_, self._threads)  # an error names its row
        if json.loads(self._model.recipe())["ensemble"] == "one":
            return explained(self._model, rows, self._model.explain, Explanation, self.classes_)
        explain = partial(explain_forest, self._model)
        return explained(self._model, rows, explain, ForestExplanation, self.classes_)

    def __repr__(self) -> str:
        return f"<Scorer of {self.n_features_in_} features and {len(self.classes_)} classes>"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Scorer, n_jobs=self._threads), (self._model.to_bytes(),)

    def _rows(self, X: Any) -> Recoded:
        """Read rows as the model does."""
        X = self._by_name(X)
        plain = all(it.categories is None and it.fill is None for it in self._features)
        table = table_of(X, by_column=not plain)
        if table is not None:
            self._check_width(len(table.names))
            return recode(table, self._model, thread_count(self._threads))
        matrix = np.asarray(X, dtype=np.float64)
        if matrix.ndim != 2:
            raise ValueError(
                f"X must have rows and columns, got the shape {matrix.shape}; a single row is "
                "[[...]] or [{...}]"
            )
        self._check_width(matrix.shape[1])
        return Recoded(without_gaps(matrix), None)

    def _check_width(self, n_columns: int) -> None:
        if n_columns != self.n_features_in_:
            raise ValueError(
                f"X has {n_columns} columns, but the model has {self.n_features_in_} features: "
                f"{', '.join(self.feature_names_in_)}"
            )

    def _by_name(self, X: Any) -> Any:
        """Put columns and entries in the order of the features."""
        names: list[str] = self.feature_names_in_.tolist()
        if isinstance(X, Mapping):
            raise TypeError("X is a single dict; pass a list of them, [{...}]")
        if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
            for number, row in enumerate(X):
                _require(names, row, f"row {number}")
            return np.array([[row[name] for name in names] for row in X], dtype=object)
        if hasattr(X, "column_names") and hasattr(X, "select"):  # pyarrow
            _require(names, X.column_names, "X")
            return X.select(names)
        if hasattr(X, "columns") and self._model.has_feature_names():
            _require(names, X.columns, "X")
            return X[names]
        return X


def _require(names: list[str], found: Any, what: str) -> None:
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(
            f"{what} has no {missing[0]!r}, a feature of the model; give None where the value is "
            f"missing. The features: {', '.join(names)}"
        )
