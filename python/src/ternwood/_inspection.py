"""Inspection of a fitted classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from . import _rules, _ternwood
from ._explanation import Explanation, Explanations, explained
from ._table import Recoded
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
        tree: Tree = self._model.tree(Tree)
        return tree

    @property
    def rules_(self) -> _rules.Rules:
        """The tree as rules, one per leaf, which know for which rows they are true.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> clf.rules_  # doctest: +ELLIPSIS
        0 (100 %, 50 rows): petal length (cm) below 2.5 (uncertain between 2.0 and 3.0)
        1 (91 %, 54 rows): petal length (cm) above 2.5 (uncertain between 2.0 and 3.0), ...
        2 (98 %, 46 rows): petal length (cm) above 2.5 (uncertain between 2.0 and 3.0), ...
        >>> clf.rules_.truth(X.iloc[[0, 70]])
        array([[ 1, -1, -1],
               [-1,  0,  0]], dtype=int8)
        """
        check_is_fitted(self)
        return _rules.read(_ternwood.rules(self._model), self.classes_, self._rule_truths)

    def _rule_truths(self, X: Any) -> NDArray[np.int8]:
        return _ternwood.rule_truths(self._model, self._rows(X), thread_count(self.n_jobs))

    @property
    def max_features_(self) -> int:
        """The number of features considered at a node."""
        check_is_fitted(self)
        return self._model.max_features()

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

    def explain(self, X: Any) -> Explanations[Explanation]:
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
        >>> print(clf.explain(X[70:71]))  # doctest: +ELLIPSIS
        2 with probability 0.978, undecided
        Flagged because petal width (cm) 1.8 lies within the uncertainty zone from 1.70 to 1.80. ...
          node 0: petal length (cm) 4.8 is above the uncertainty zone from 2.0 to 3.0 (+4.27 ...
          node 2: petal width (cm) 1.8 is WITHIN the uncertainty zone from 1.70 to 1.80 (+1.00 ...
          leaf 3: 1 0.907 2 0.093, weight 0
          leaf 4: 1 0.022 2 0.978, weight 1
        """
        rows = self._recoded(X)
        self._model.apply(rows.matrix, thread_count(self.n_jobs))  # an error names its row
        return explained(self._model, rows, self._model.explain, Explanation, self.classes_)

    def export_text(
        self, *, max_depth: int | None = None, width: int | None = 80, full: bool = False
    ) -> str:
        """Write the tree as indented text, or a large tree as its most important rules.

        Parameters
        ----------
        max_depth : int, default=None
            Subtrees below this depth are summarised in one line. By default a tree of up to 32
            leaves is written as a whole; of a larger one, the 10 rules with the most training
            rows are.
        width : int or None, default=80
            Longer lines are broken beside the branches; None means never. In deep trees, 30
            characters are left beside the indentation.
        full : bool, default=False
            Whether to write the whole tree, however large, with all categories.

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
        petal length (cm) 2.5, uncertain between 2.0 and 3.0 (150 rows, 1 within)
        ├─ below: 0 with 1 (50 rows)
        └─ above: petal width (cm) 1.75, uncertain between 1.70 and 1.80 (100 rows,
           │    12 within)
           ├─ below: 1 with 0.907 (54 rows)
           └─ above: 2 with 0.978 (46 rows)
        """
        check_is_fitted(self)
        if max_depth is not None and max_depth < 0:
            raise ValueError(f"max_depth must be at least 0, got {max_depth}")
        if width is not None and width < 1:
            raise ValueError(f"width must be at least 1 or None, got {width}")
        summary = None if full or max_depth is not None else self._model.summary_text(width)
        if summary is not None:
            return f"{summary}\nexport_text(full=True) has the whole tree, max_depth=3 its top.\n"
        return self._model.export_text(max_depth, width, full)

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
