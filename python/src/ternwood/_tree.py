"""The fitted tree as parallel arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._ternwood import CategoryCut


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """The nodes of a fitted tree, in preorder: one array per property, one entry per node.

    As in scikit-learn, a leaf has children -1, feature -2 and threshold -2.

    The arrays are made once per fitted model and are read-only.

    Attributes
    ----------
    feature : ndarray of int64
        The feature a split tests.
    kind : ndarray of str
        ``"threshold"`` for a test of numbers or ranks, ``"categories"``, ``"present"`` for a
        test whether there is a value (if so, left), or ``"leaf"``.
    threshold : ndarray of float64
        Numbers at or below it go left; of a ``"categories"`` split, positions. NaN if there is
        none.
    half_width : ndarray of float64
        The half-width of the zone around the threshold, after clamp and scale; 0 for a leaf,
        NaN for a ``"categories"`` split, where every category has its own.
    missing : ndarray of str
        Where a split sends missing values: ``"left"`` or ``"right"``, as learned, or
        ``"unknown"``, both ways; empty for a leaf.
    children_left, children_middle, children_right : ndarray of int64
        The children; the middle one is -1 unless the routing is ``"hard_middle"``.
    n_node_samples : ndarray of int64
        Training rows that reached the node.
    weighted_n_node_samples : ndarray of float64
        Their weight.
    n_within : ndarray of int64
        The number of them within the node's zone.
    impurity : ndarray of float64
        Their impurity.
    value : ndarray of float64 of shape (n_nodes, 1, n_classes)
        The class probabilities that the node predicts. As in scikit-learn, the second axis is
        that of the outputs, of which there is one.
    categories : tuple of CategoryCut or None
        The categories of each ``"categories"`` split, with ``names``, ``rows``, ``positions``
        and ``standard_errors`` in parallel, and the names on either side: ``left``, ``right``,
        and ``unsure`` for those within ``category_error`` standard errors of ``threshold``. A
        position is the sum over classes of ``axis`` times class share.
    max_depth : int
        The depth of the tree; 0 for a single leaf.
    n_leaves : int
        The number of leaves.
    n_features : int
        The number of features of the data.
    n_classes : ndarray of shape (1,)
        The number of classes; as in scikit-learn, of each output.
    """

    feature: NDArray[np.int64]
    kind: NDArray[np.str_]
    threshold: NDArray[np.float64]
    half_width: NDArray[np.float64]
    missing: NDArray[np.str_]
    children_left: NDArray[np.int64]
    children_middle: NDArray[np.int64]
    children_right: NDArray[np.int64]
    n_node_samples: NDArray[np.int64]
    weighted_n_node_samples: NDArray[np.float64]
    n_within: NDArray[np.int64]
    impurity: NDArray[np.float64]
    value: NDArray[np.float64]
    categories: tuple[CategoryCut | None, ...]
    max_depth: int
    n_leaves: int
    n_features: int
    n_classes: NDArray[np.int64]

    @property
    def node_count(self) -> int:
        """The number of nodes, splits and leaves."""
        return len(self.feature)

    def __repr__(self) -> str:
        return f"<Tree of {self.node_count} nodes, {self.n_leaves} of them leaves>"
