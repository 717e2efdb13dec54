"""Inspection of a fitted classifier."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from . import _labels
from ._explanation import Explanation, Explanations
from ._figure import Figure
from ._labelled_rows import LabelledRows, weights_of
from ._seen import SeenRows
from ._table import Feature, Recoded
from ._threads import thread_count
from ._tree import Tree

if TYPE_CHECKING:
    from ._ternwood import Model


class Inspection:
    """Mixin: shows the tree and explains rows."""

    _model: Model
    classes_: NDArray[Any]
    n_jobs: int | None

    if TYPE_CHECKING:

        def _rows(self, X: Any) -> NDArray[np.float64]: ...
        def _recoded(self, X: Any) -> Recoded: ...

    @property
    def tree_(self) -> Tree:
        """The fitted tree, as parallel arrays."""
        check_is_fitted(self)
        return Tree(**self._model.tree())

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The weighted impurity decrease of each feature's splits, as shares."""
        check_is_fitted(self)
        return self._model.importances()

    def get_depth(self) -> int:
        """Return the depth of the tree.

        Returns
        -------
        int
            The depth; 0 for a single leaf.
        """
        check_is_fitted(self)
        return self._model.depth()

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        int
            The number of leaves.
        """
        check_is_fitted(self)
        return self._model.n_leaves()

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Find the leaf where each row ends, by thresholds alone.

        With ``"hard_middle"`` routing a row within a zone goes to the middle child.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Node numbers, as in ``tree_``.
        """
        X = self._rows(X)
        return self._model.apply(X, thread_count(self.n_jobs))

    def decision_path(self, X: Any) -> csr_matrix:
        """Find the nodes each row passes, on the path of :meth:`apply`.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
            1 where a row passes a node.
        """
        X = self._rows(X)
        nodes, starts = self._model.decision_path(X)
        shape = (len(starts) - 1, self.tree_.node_count)
        return csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, starts), shape=shape)

    def explain(self, X: Any) -> Explanations:
        """Explain the prediction of each row: its tests, their zones, the leaves it reaches.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Explanations
            One explanation per row; prints as a report.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> print(clf.explain(X[70:71]))
        2 with probability 0.978, undecided
        Flagged because petal width (cm) 1.8 lies within 1.75 ± 0.05.
          node 0: petal length (cm) 4.8 is above 2.5 ± 0.5 (+4.27 half-widths from the cut)
          node 2: petal width (cm) 1.8 is WITHIN 1.75 ± 0.05 (+1.00 half-widths from the cut)
          leaf 3: 1 0.907 2 0.093, weight 0
          leaf 4: 1 0.022 2 0.978, weight 1
        """
        rows = self._recoded(X)
        self._model.apply(rows.matrix, thread_count(self.n_jobs))  # an error names its row
        features = [Feature(*feature) for feature in self._model.features()]

        def explanation(number: int, row: list[float]) -> Explanation:
            unseen = rows.unseen_in(number)
            explained = self._model.explain(row, list(unseen.items()))
            return Explanation(explained, self.classes_, features, unseen)

        numbered = enumerate(rows.matrix.tolist())
        return Explanations([explanation(number, row) for number, row in numbered])

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
        return {names[index]: sorted(set(found.values())) for index, (_, found) in unseen.items()}

    def export_text(self, *, max_depth: int = 100, width: int | None = 80) -> str:
        """Write the tree as indented text.

        Parameters
        ----------
        max_depth : int, default=100
            Subtrees below this depth are summarised in one line.
        width : int or None, default=80
            Longer lines are broken beside the branches; None means never. In deep trees, 30
            characters are left beside the indentation.

        Returns
        -------
        str
            Each test with its zone, each leaf with its prediction.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> print(clf.export_text().rstrip())
        petal length (cm) 2.5 ± 0.5 (150 rows, 1 within)
        ├─ below: 0 with 1 (50 rows)
        └─ above: petal width (cm) 1.75 ± 0.05 (100 rows, 12 within)
           ├─ below: 1 with 0.907 (54 rows)
           └─ above: 2 with 0.978 (46 rows)
        """
        check_is_fitted(self)
        if max_depth < 0:
            raise ValueError(f"max_depth must be at least 0, got {max_depth}")
        if width is not None and width < 1:
            raise ValueError(f"width must be at least 1 or None, got {width}")
        return self._model.export_text(max_depth, width)

    def export_dot(self) -> str:
        """Write the tree in Graphviz's DOT language.

        Returns
        -------
        str
            A graph whose edges are as wide as their share of the rows; middle branches are
            dashed.
        """
        check_is_fitted(self)
        return self._model.export_dot()

    def plot_tree(
        self,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        title: str | None = None,
        max_depth: int | None = None,
    ) -> Figure:
        """Draw the tree.

        Edges are as wide as their share of the rows, middle branches are dashed, leaves show
        their distribution and size.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features), default=None
            Rows to show: every split then has a histogram of its feature by class, with the
            zone as a hatched band, or its categories as bars with their errors. By default
            the training rows, if they are still in memory; without rows a split shows its class
            shares.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        title : str, default=None
            A line above the tree.
        max_depth : int, default=None
            Deeper splits become stubs; by default as deep as space allows.

        Returns
        -------
        Figure
            An SVG that displays itself in a notebook and can be saved to a file.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> picture = clf.plot_tree()
        >>> picture.svg.startswith("<svg")
        True
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("plot_tree needs X and y together, or neither")
        if max_depth is not None and max_depth < 0:
            raise ValueError(f"max_depth must be at least 0, got {max_depth}")
        data = self._seen_rows() if X is None else self._labelled_rows(X, y, None)
        return Figure(self._model.tree_svg(data, title, max_depth))

    def plot_zone(
        self,
        node: int,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        title: str | None = None,
    ) -> Figure:
        """Draw one split in detail, to show why its zone is as wide as it is.

        Shows the gain curve with its plateau, the distribution of the classes, the thresholds
        of resamples, and the zones of all estimators side by side; for a split of categories,
        the class shares of each with their error. With the training rows, this is what the fit
        saw.

        Parameters
        ----------
        node : int
            The node, as in ``tree_``; 0 is the root.
        X : array-like, data frame or table of shape (n_samples, n_features), default=None
            The rows to show; by default the training rows, if they are still in memory.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row.
        title : str, default=None
            A line above the picture; by default the feature and its zone.

        Returns
        -------
        Figure
            An SVG that displays itself in a notebook and can be saved to a file.

        Raises
        ------
        ValueError
            If the node is not a split, if no row reaches it, or if no rows are given and the
            training rows are gone.
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("plot_zone needs X and y together, or neither")
        node = operator.index(node)
        nodes = self.tree_.node_count
        if not 0 <= node < nodes:
            raise ValueError(f"there is no node {node}; there are nodes 0 to {nodes - 1}")
        data = self._seen_rows() if X is None else self._labelled_rows(X, y, sample_weight)
        if data is None:
            raise ValueError(
                "plot_zone needs rows, and the training rows are gone or were changed; pass X and y"
            )
        return Figure(self._model.zone_svg(data, node, title))

    def _seen_rows(self) -> LabelledRows | None:
        """Return the training rows; None if they are gone or no longer fit this tree."""
        seen: SeenRows = getattr(self, "_seen", SeenRows())
        parts = seen.recall()
        if parts is None:
            return None
        X, y, sample_weight = parts
        try:
            data = self._labelled_rows(X, y, sample_weight)
            leaves = self._model.apply(data.x, thread_count(self.n_jobs))
        except (TypeError, ValueError):  # columns were added, or values changed
            return None
        return data if sample_weight is not None or _grew_from(self.tree_, leaves) else None

    def _labelled_rows(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
        """Check rows with labels, and convert the labels to the model's class ids."""
        X = self._rows(X)
        y = column_or_1d(y)
        check_consistent_length(X, y)
        class_ids = _labels.numbered(_labels.plain(y), self.classes_)
        return LabelledRows(X, class_ids, weights_of(X, sample_weight))


def _grew_from(tree: Tree, leaves: NDArray[np.int64]) -> bool:
    """Tell whether a tree may have grown from rows that end in these leaves."""
    is_leaf = tree.children_left < 0
    # A middle child that no row reached has the numbers of its parent.
    is_leaf[tree.children_middle[(tree.children_middle >= 0) & (tree.n_within == 0)]] = False
    reached = np.bincount(leaves, minlength=tree.node_count)[is_leaf]
    # Rows whose value was unknown at a split trained no leaf, but end in one.
    enough = (reached >= tree.n_node_samples[is_leaf]).all()
    return len(leaves) == tree.n_node_samples[0] and bool(enough)
