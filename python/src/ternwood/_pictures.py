"""Pictures of a fitted tree."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ._figure import Figure

if TYPE_CHECKING:
    from ._labelled_rows import LabelledRows
    from ._ternwood import Model
    from ._tree import Tree


class Pictures:
    """Mixin: draws the tree and its splits."""

    _model: Model

    if TYPE_CHECKING:

        @property
        def tree_(self) -> Tree: ...
        def _labelled_rows(self, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows: ...

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
            Rows to show, such as the training rows: every split then has a histogram of its
            feature by class, with the zone as a hatched band, or its categories as bars with
            their errors. Without rows a split shows its class shares.
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
        >>> picture = clf.plot_tree(X, y)
        >>> picture.svg.startswith("<svg")
        True
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("plot_tree needs X and y together, or neither")
        if max_depth is not None and max_depth < 0:
            raise ValueError(f"max_depth must be at least 0, got {max_depth}")
        rows = None if X is None else self._labelled_rows(X, y)
        return Figure(self._model.tree_svg(rows, title, max_depth))

    def plot_zone(
        self,
        node: int,
        X: Any,
        y: ArrayLike,
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
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows to show.
        y : array-like of shape (n_samples,)
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
            If the node is not a split, or if no row reaches it.
        """
        check_is_fitted(self)
        node = operator.index(node)
        nodes = self.tree_.node_count
        if not 0 <= node < nodes:
            raise ValueError(f"there is no node {node}; there are nodes 0 to {nodes - 1}")
        rows = self._labelled_rows(X, y, sample_weight)
        return Figure(self._model.zone_svg(rows, node, title))
