"""The trees of a forest, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast, overload

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.utils.validation import check_is_fitted

from ._explanation import Explanations, explained
from ._figure import Figure
from ._files import classifier_of
from ._forest_explanation import ForestExplanation
from ._table import Recoded
from ._ternwood import (
    Model,
    apply_trees,
    decision_paths,
    disagreement,
    explain_forest,
    n_trees,
    tree_of_forest,
    unsure_trees_svg,
)
from ._threads import thread_count

if TYPE_CHECKING:
    from ._classifier import TernaryTreeClassifier


class TreesOfForest(Sequence["TernaryTreeClassifier"]):
    """The trees of a forest as fitted classifiers, each made when it is asked for."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def __len__(self) -> int:
        return n_trees(self._model)

    @overload
    def __getitem__(self, index: int) -> TernaryTreeClassifier: ...
    @overload
    def __getitem__(self, index: slice) -> list[TernaryTreeClassifier]: ...
    def __getitem__(
        self, index: int | slice
    ) -> TernaryTreeClassifier | list[TernaryTreeClassifier]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= number < len(self):
            raise IndexError(f"there is no tree {index}: the forest has {len(self)}")
        return cast("TernaryTreeClassifier", classifier_of(tree_of_forest(self._model, number)))

    def __repr__(self) -> str:
        return f"<{len(self)} trees: {self[0]!r}, ...>"


class Disagreement(NamedTuple):
    """How far the trees of a forest disagree about rows, by their zones.

    Attributes
    ----------
    votes : ndarray of shape (n_samples, n_classes)
        The share of all trees that are decided for each class. Together with ``undecided`` the
        shares of a row add up to 1.
    undecided : ndarray of shape (n_samples,)
        The share of all trees for which the row lies within a zone on its way, or lacks a value
        that is asked for there.
    spread : ndarray of shape (n_samples,)
        The standard deviation, over the trees, of the probability that they give to the class
        most probable for the forest.
    """

    votes: NDArray[np.float64]
    undecided: NDArray[np.float64]
    spread: NDArray[np.float64]


class _OfOneTree:
    """An attribute that only a single tree has: who asks a forest for it is told where it is."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, forest: object, owner: type | None = None) -> NoReturn:
        raise AttributeError(
            f"{self._name} is of a single tree, and this is a forest: take one of its trees, as "
            f"in forest.estimators_[0].{self._name}"
        )


class ForestInspection:
    """Mixin: the trees of a forest, and what they do with rows."""

    export_dot = _OfOneTree()
    export_text = _OfOneTree()
    plot_tree = _OfOneTree()
    rules_ = _OfOneTree()
    to_html = _OfOneTree()

    _model: Model
    classes_: NDArray[Any]
    n_jobs: int | None

    if TYPE_CHECKING:

        def _rows(self, X: Any) -> NDArray[np.float64]: ...
        def _recoded(self, X: Any) -> Recoded: ...

    @property
    def estimators_(self) -> TreesOfForest:
        """The trees, each made into a classifier when it is asked for."""
        check_is_fitted(self)
        return TreesOfForest(self._model)

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> TernaryTreeClassifier:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[TernaryTreeClassifier]:
        return iter(self.estimators_)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Find the leaf where each row ends in each tree, by thresholds alone.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
            Node numbers, as in ``estimators_[i].tree_``.
        """
        X = self._rows(X)
        return np.stack(apply_trees(self._model, X, thread_count(self.n_jobs)), axis=1)

    def decision_path(self, X: Any) -> tuple[csr_matrix, NDArray[np.int64]]:
        """Find the nodes each row passes in each tree, on the path of :meth:`apply`.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        indicator : csr_matrix of shape (n_samples, n_nodes)
            1 where a row passes a node; the nodes of all trees side by side.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            The columns of tree ``i`` are those from ``n_nodes_ptr[i]`` to ``n_nodes_ptr[i + 1]``.
        """
        X = self._rows(X)
        paths, n_nodes = decision_paths(self._model, X)
        indicators = [
            csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=(len(X), size))
            for (nodes, starts), size in zip(paths, n_nodes, strict=True)
        ]
        return hstack(indicators, format="csr"), np.cumsum([0, *n_nodes])

    def explain(self, X: Any) -> Explanations[ForestExplanation]:
        """Explain each row: how many trees are undecided, and because of which features.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Explanations
            One :class:`ForestExplanation` per row; prints as a report.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = TernaryForestClassifier(random_state=0).fit(X, y)
        >>> print(forest.explain(X[70:71]))  # doctest: +ELLIPSIS
        1 with probability ..., undecided
        Flagged: ... sure, below 80 %.
        ... of 100 trees are undecided: ... because of petal length (cm) 4.8, ...
          ... trees: ... of ... thresholds lie above petal length (cm) 4.8; the probability of ...
        ...
        """
        rows = self._recoded(X)
        apply_trees(self._model, rows.matrix, thread_count(self.n_jobs))  # an error names its row
        explain = partial(explain_forest, self._model)
        return explained(self._model, rows, explain, ForestExplanation, self.classes_)

    def plot_doubts(self, X: Any, *, title: str | None = None) -> Figure:
        """Draw for one row the features by how many trees they make undecided.

        Parameters
        ----------
        X : array-like, data frame or table of shape (1, n_features)
            The row.
        title : str, default=None
            A line above the picture.

        Returns
        -------
        Figure
            An SVG that displays itself in a notebook and can be saved to a file.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryForestClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> forest = TernaryForestClassifier(random_state=0).fit(X, y)
        >>> "petal width" in forest.plot_doubts(X[70:71]).svg
        True
        """
        rows = self._recoded(X)
        if len(rows.matrix) != 1:
            n_rows = len(rows.matrix)
            raise ValueError(f"the picture is of one row, got {n_rows}: give X[:1] or X[[7]]")
        unseen = list(rows.unseen_in(0).items())
        return Figure(unsure_trees_svg(self._model, rows.matrix[0].tolist(), unseen, title))

    def predict_disagreement(self, X: Any) -> Disagreement:
        """Measure how far the trees disagree about every row.

        Each tree has a verdict of its own, by its zones: it is undecided about rows within them,
        and decided for a class otherwise. Unlike ``predict_verdict``, this does not depend on
        ``verdict_policy_``.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Disagreement
            A named tuple of ``votes``, ``undecided`` and ``spread``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = TernaryForestClassifier(random_state=0).fit(X, y)
        >>> found = forest.predict_disagreement(X[[0, 70]])
        >>> bool(found.spread[0] < found.spread[1])
        True
        """
        X = self._rows(X)
        return Disagreement(*disagreement(self._model, X, thread_count(self.n_jobs)))
