"""What a verdict around a tree or forest of this package can do, and around another not."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._explanation import Explanations
from ._files import ModelFile
from ._page import Page, PageOfTree
from ._verdict_warning import unfrozen

if TYPE_CHECKING:
    from onnx import ModelProto


def _is_tree(clf: OfTrees) -> bool:
    """Tell whether the classifier inside is one of this package."""
    return isinstance(unfrozen(clf.estimator), ModelFile)


def _is_single_tree(clf: OfTrees) -> bool:
    return isinstance(unfrozen(clf.estimator), PageOfTree)


# scikit-learn is untyped: mypy sees its classes and decorators as Any.
_of_trees: Callable[..., Any] = available_if(_is_tree)
_of_one_tree: Callable[..., Any] = available_if(_is_single_tree)


class OfTrees:
    """Mixin: explanations, files and exports, if the classifier inside is of this package."""

    estimator: Any
    estimator_: Any

    @_of_trees
    def explain(self, X: Any) -> Explanations[Any]:
        """Explain every row and its verdict; if ``estimator`` is a tree or forest of this package.

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
        explanations: Explanations[Any] = self.estimator_.explain(X)
        return explanations

    @_of_trees
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

    @_of_one_tree
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

    @_of_trees
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

    @_of_trees
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


def with_policy(estimator: Any, document: str) -> Any:
    """Return a copy of a tree or forest of ours with the policy, any other classifier itself."""
    if not isinstance(estimator, ModelFile):
        return estimator
    tree = copy(estimator)
    tree._model = tree._model.with_policy(document)
    return tree
