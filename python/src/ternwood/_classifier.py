"""The paper's method as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from . import _parameters
from ._base_tree import BaseTernaryTree
from ._recipe import PAPER
from .zones import Zone


class TernaryTreeClassifier(BaseTernaryTree):
    """A decision tree with an uncertainty zone around every split.

    The tree is a CART tree. Every split has a *half-width*: a row whose value lies within the
    half-width of the threshold is *undecided*. Under the default routing its prediction
    blends both subtrees, weighted by its position in the zone. A *decided* row, within no zone
    on its path, gets exactly CART's prediction (unless ``leaves="em"``).

    This is the paper's method: fast, and with every setting in your hands. For the best
    probabilities of a single tree use :class:`TernaryTreeClassifierCV`; to flag a given share
    of the rows, or to promise an accuracy, wrap it in a :class:`VerdictClassifier`.

    Parameters
    ----------
    zone : str or Zone, default="margin"
        The estimator of the half-widths: ``"margin"`` (distance to the nearest row on the wrong
        side), ``"quality_plateau"`` (other thresholds are nearly as good), ``"class_overlap"``
        (the bulks of two classes overlap), ``"gain_ratio"`` (weak splits are uncertain),
        ``"node_bootstrap"`` (the threshold moves under resampling), ``"spread"`` (half a
        standard deviation of the feature), ``"cost_optimal"`` (where the expected error costs
        more than a flag), ``"none"`` (plain CART); or an object with settings of its own from
        :mod:`ternwood.zones`, such as ``zones.QualityPlateau(tolerance=0.1)``, or
        ``zones.Specified({"glucose": 1.1})`` for known measurement errors.
    routing : str, default="probabilistic"
        What happens to a row within a zone: ``"probabilistic"`` blends both subtrees, again
        at every zone further down; ``"deferred"`` blends both subtrees, which use their
        thresholds alone; ``"hard_middle"`` sends it to a middle subtree, grown from such rows;
        ``"crisp"`` ignores zones.
    leaves : {"counts", "smoothed", "em"}, default="counts"
        The class probabilities of a leaf: ``"counts"``, the class shares of its training rows;
        ``"smoothed"``, the same with one extra row, divided among the classes in the
        proportions of the training set; ``"em"``, maximum likelihood by
        expectation-maximisation, where a row within zones belongs to several leaves.
        ``"em"`` gives the best probabilities.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity that splits reduce; ``"log_loss"`` is another name for ``"entropy"``.
    max_depth : int or None, default=None
        The maximum depth; None for no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows (or a smaller share of them) becomes a leaf.
    min_samples_leaf : int or float, default=1
        Each side of a split keeps at least this many rows (or this share of them).
    min_weight_fraction_leaf : float, default=0.0
        Each side of a split keeps at least this share of the total weight.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        The number of features considered at a node, drawn again for each node.
    max_leaf_nodes : int or None, default=None
        The maximum number of leaves; if given, the tree grows best-first.
    min_impurity_decrease : float, default=0.0
        A split must reduce impurity, weighted by the node's share, by at least this much.
    zero_gain_splits : bool, default=False
        Split a node even if no split reduces its impurity, as scikit-learn does: on a
        checkerboard the first split gains nothing, and those below it everything. The
        published method stops there.
    ccp_alpha : float, default=0.0
        The complexity parameter of minimal cost-complexity pruning.
    class_weight : dict, "balanced" or None, default=None
        The weight of each class. ``"balanced"`` uses the total sample weight of each class
        (scikit-learn counts rows), so that weights still act like copies. Probabilities are
        then those of a population with these weights.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        The columns that are categories. ``"from_dtype"``: columns of a data frame with text,
        booleans or a categorical dtype; none of a numpy array. Otherwise a mask, positions or
        names: only those, whatever they hold, numbers by value. None: no column; all must be
        numbers. A column of an ordered categorical dtype is split by rank, like a number.
    missing : {"learn", "unknown", "error"}, default="learn"
        What missing values (NaN, None, NaT, NA, null) mean. ``"learn"``: a split learns the
        side they belong to, and may separate them from all others; where a split saw none, a
        row without a value goes both ways and is undecided. ``"unknown"``: it does so at every
        split. ``"error"``: they are refused.
    uncovered : {"undecided", "judge"}, default="undecided"
        What becomes of a row that the training table says nothing about: in a feature that the
        tree tests, it has no value although the training table had no gaps there, or a category
        that is new. It is undecided whatever its probabilities, or judged like any other row.
        A :class:`VerdictClassifier` around the tree has its own ``uncovered``.
    random_state : int, RandomState instance or None, default=None
        The seed for ``max_features``, ``"node_bootstrap"`` and the inner folds of
        ``"cost_optimal"``, which are always the same without one. Nothing else is random.
    n_jobs : int or None, default=None
        The number of threads; -1 for all cores. None means 1, unless joblib's
        ``parallel_config`` or the environment variable OMP_NUM_THREADS says otherwise. The
        model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_classes_ : int
        Their number.
    n_features_in_ : int
        The number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.
    max_features_ : int
        The number of features considered at a node.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The impurity decrease due to each feature, as shares.
    tree_ : Tree
        The fitted tree, as parallel arrays.
    verdict_policy_ : VerdictPolicy
        What makes a row undecided: its zones.

    See Also
    --------
    TernaryTreeClassifierCV : The best probabilities of a single tree.
    VerdictClassifier : A budget of flags, or a promised accuracy, for any classifier.

    Notes
    -----
    With ``zone="none"`` and ``zero_gain_splits=True`` this is scikit-learn's
    ``DecisionTreeClassifier``, except that values are not rounded to float32, that ties go to
    the lowest feature and threshold, not to a random one, and that categories are split as
    such. Several outputs and sparse matrices are not supported.

    A category is known by its name, never by its code, so frames may list their categories in
    any order. ``1``, ``1.0`` and ``"1"`` are the same name, and so are ``True`` and ``"true"``.
    A category that training did not see is no error: at a split of its column the row goes
    both ways and is undecided. ``unknown_categories`` lists such categories.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ternwood import TernaryTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
    >>> clf.predict(X[:3])
    array([0, 0, 0])
    >>> int((~clf.predict_verdict(X)).sum())
    13

    Tables are used as they are:

    >>> import pandas as pd
    >>> table = pd.DataFrame({"ward": ["A", "A", "B", "B"], "age": [31, None, 47, 52]})
    >>> clf = TernaryTreeClassifier().fit(table, ["ill", "ill", "well", "well"])
    >>> clf.predict(pd.DataFrame({"ward": ["B", "C"], "age": [None, 40]}))
    array(['well', 'ill'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _parameters.CONSTRAINTS

    def __init__(
        self,
        *,
        zone: Zone | str = PAPER["zone"],
        routing: str = PAPER["routing"],
        leaves: str = PAPER["leaves"],
        criterion: str = PAPER["criterion"],
        max_depth: int | None = PAPER["max_depth"],
        min_samples_split: int | float = PAPER["min_samples_split"],
        min_samples_leaf: int | float = PAPER["min_samples_leaf"],
        min_weight_fraction_leaf: float = PAPER["min_weight_fraction_leaf"],
        max_features: int | float | str | None = PAPER["max_features"],
        max_leaf_nodes: int | None = PAPER["max_leaf_nodes"],
        min_impurity_decrease: float = PAPER["min_impurity_decrease"],
        zero_gain_splits: bool = PAPER["zero_gain_splits"],
        ccp_alpha: float = PAPER["ccp_alpha"],
        class_weight: dict[Any, float] | str | None = PAPER["class_weight"],
        categorical_features: ArrayLike | str | None = "from_dtype",
        missing: str = PAPER["missing"],
        uncovered: str = "undecided",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.zone = zone
        self.routing = routing
        self.leaves = leaves
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.zero_gain_splits = zero_gain_splits
        self.ccp_alpha = ccp_alpha
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.missing = missing
        self.uncovered = uncovered
        self.random_state = random_state
        self.n_jobs = n_jobs
