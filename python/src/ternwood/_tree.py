"""Single trees: the paper's method, and readable trees with good probabilities."""

from __future__ import annotations

import hashlib
import operator
import os
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sklearn
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from . import _params, _ternwood
from ._base import BaseTernary
from ._calibration import without_verdict_warnings
from ._explain import Explanation, Explanations, Rules, Tree, explained, read_rules
from ._input import thread_count
from ._params import Automatic, set_parameters
from ._ternwood import READABLE_LEAVES
from .types import DepthGain, Figure, Page
from .zones import Zone, as_zone

if TYPE_CHECKING:
    from ._ternwood import Candidate

# The levels of tests that are drawn of a tree that is too large to be read.
_LEVELS = 3


class BaseTernaryTree(BaseTernary):
    """A tree with zones: everything but the parameters."""

    def _picture(self) -> str:
        leaves, depth = self.get_n_leaves(), self.get_depth()
        if leaves <= READABLE_LEAVES:
            return self.plot_tree().svg
        note = f"{_LEVELS} of {depth} levels of tests, {leaves} leaves; plot_tree() draws more"
        return f"{self.plot_tree(max_depth=_LEVELS).svg}<p>{note}</p>"

    def _without_zones(self, rows: NDArray[np.float64], threads: int) -> dict[str, Any]:
        if self.routing == "hard_middle":  # whose tree contains no CART tree
            return {}
        crisp = super()._without_zones(rows, threads)
        return crisp | {"zone_distance": self._model.zone_distance(rows, threads)}

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Compute the effective alphas of minimal cost-complexity pruning.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            The class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row.

        Returns
        -------
        Bunch
            ``ccp_alphas``, the effective alphas, and ``impurities``, the total impurity of the
            remaining leaves at each.
        """
        with without_verdict_warnings():
            unpruned = clone(self).set_params(ccp_alpha=0.0)
            unpruned.fit(X, y, sample_weight=sample_weight)
        alphas, impurities = unpruned._model.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    @property
    def tree_(self) -> Tree:
        """The fitted tree, as parallel arrays."""
        check_is_fitted(self)
        tree: Tree = self._model.tree(Tree)
        return tree

    @property
    def rules_(self) -> Rules:
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
        return read_rules(_ternwood.rules(self._model), self.classes_, self._rule_truths)

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
        self, *, max_depth: int | str | None = "auto", width: int | None = 80, full: bool = False
    ) -> str:
        """Write the tree as indented text, or a large tree as its most important rules.

        Parameters
        ----------
        max_depth : int, "auto" or None, default="auto"
            Subtrees below this depth are summarised in one line; None for the whole tree.
            ``"auto"`` writes a tree of up to 32 leaves as a whole, and of a larger one the 10 rules
            with the most training rows.
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
        depth = _levels(max_depth)
        if width is not None and width < 1:
            raise ValueError(f"width must be at least 1 or None, got {width}")
        summary = self._model.summary_text(width) if max_depth == "auto" and not full else None
        if summary is not None:
            return f"{summary}\nexport_text(full=True) has the whole tree, max_depth=3 its top.\n"
        return self._model.export_text(depth, width, full)

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
        max_depth: int | str | None = "auto",
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
        max_depth : int, "auto" or None, default="auto"
            Deeper splits become stubs. ``"auto"`` draws as deep as space allows, None all splits.

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
        depth = self.get_depth() if max_depth is None else _levels(max_depth)
        rows = None if X is None else self._labelled_rows(X, y)
        return Figure(self._model.tree_svg(rows, title, depth))

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

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        title: str | None = None,
    ) -> Page:
        """Write the tree as one HTML file that shows it and answers rows.

        Whoever has the file can read the tree and its rules, try rows, see why one is undecided
        and what would decide it, and have a CSV file answered: in the browser, without a
        network. The answers are those of ``predict_proba`` and ``predict_decided``, to the last
        bit. The file has no training rows and no hashes of them.

        Parameters
        ----------
        path : str or path-like, default=None
            The file, whose name must end in ``.html``; replaced if it exists. None writes none.
        X : array-like, data frame or table of shape (n_samples, n_features), default=None
            Rows that the tree was not trained on. With them the verdict can be chosen on the
            page, along the risk-coverage curve, and it tells where second looks come from. Of
            the rows, only the answers are in the file.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        title : str, default=None
            The title of the page.

        Returns
        -------
        Page
            The page, which a notebook shows in a sandboxed frame.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> page = clf.to_html(title="Irises")
        >>> page.html.startswith("<!DOCTYPE html>")
        True
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("to_html needs X and y together, or neither")
        rows = None if X is None else self._labelled_rows(X, y)
        facts = [
            ("classifier", " ".join(repr(self).split())),
            ("SHA-256", hashlib.sha256(self._file()).hexdigest()),
            ("scikit-learn", sklearn.__version__),
        ]
        threads = thread_count(self.n_jobs)
        page = Page(_ternwood.page_html(self._model, rows, title, facts, threads))
        if path is not None:
            page.save(path)
        return page

    def zone_distance(self, X: Any) -> NDArray[np.float64]:
        """Compute how far every row is from being undecided.

        The distance is the factor on all half-widths at which the row just becomes undecided:
        at most 1 for an undecided row, infinite if no zone can reach the row.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The distances, in half-widths.

        Raises
        ------
        ValueError
            If the routing is ``"hard_middle"``, where other widths grow a different tree.
        """
        X = self._rows(X)
        return self._model.zone_distance(X, thread_count(self.n_jobs))

    def zone_scale_for_flag_rate(self, X: Any, y: ArrayLike, flag_rate: float) -> float:
        """Find the ``scale`` of the zones at which a given share of the rows is within a zone.

        With the lower end of :func:`ternwood.metrics.bayes_error`, where that bound is tight,
        there are about as many flags as unavoidable errors.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        flag_rate : float
            The target share.

        Returns
        -------
        float
            A value for the parameter ``zone__scale``; fit again with it. If some features are
            categorical, multiply ``zone__category_error`` by the same factor.

        Raises
        ------
        ValueError
            If the routing is ``"hard_middle"``, where other widths grow a different tree.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from ternwood import TernaryTreeClassifier
        >>> from ternwood.metrics import bayes_error, undecided_rate
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> bound, error_of_neighbours = bayes_error(X, y)
        >>> clf = TernaryTreeClassifier(max_depth=4).fit(X, y)
        >>> scale = clf.zone_scale_for_flag_rate(X, y, bound)
        >>> clf = clf.set_params(zone__scale=scale).fit(X, y)
        >>> print(f"{bound:.3f} {undecided_rate(clf.predict_decided(X)):.3f}")
        0.025 0.026
        """
        check_is_fitted(self)
        rows, threads = self._labelled_rows(X, y), thread_count(self.n_jobs)
        factor, _ = self._model.zone_scale_for_flag_rate(rows, float(flag_rate), threads)
        return self._model.zone_scale() * factor


def _levels(max_depth: int | str | None) -> int | None:
    """Check how deep to show a tree; None is up to the library."""
    if max_depth is None or max_depth == "auto":
        return None
    if isinstance(max_depth, str) or max_depth < 0:
        raise ValueError(
            f"max_depth is {max_depth!r}; allowed: a number from 0, 'auto', or None for no limit"
        )
    return max_depth


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
    >>> int((~clf.predict_decided(X)).sum())
    13

    Tables are used as they are:

    >>> import pandas as pd
    >>> table = pd.DataFrame({"ward": ["A", "A", "B", "B"], "age": [31, None, 47, 52]})
    >>> clf = TernaryTreeClassifier().fit(table, ["ill", "ill", "well", "well"])
    >>> clf.predict(pd.DataFrame({"ward": ["B", "C"], "age": [None, 40]}))
    array(['well', 'ill'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _params.CONSTRAINTS

    def __init__(
        self,
        *,
        zone: Zone | str = "margin",
        routing: str = "probabilistic",
        leaves: str = "counts",
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        zero_gain_splits: bool = False,
        ccp_alpha: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
        categorical_features: ArrayLike | str | None = "from_dtype",
        missing: str = "learn",
        uncovered: str = "undecided",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        set_parameters(self, locals())


class TernaryTreeClassifierCV(BaseTernaryTree):
    """A readable tree with good probabilities: zones and depth chosen by cross-validation.

    A tree with zones of half a standard deviation, times a scale that an inner 5-fold
    cross-validation chooses by log-loss, together with the error of categories and, unless it
    is given, the depth. Leaves are fitted by expectation-maximisation. It is the tree to start
    with: its probabilities are much closer to the truth than CART's, and with at most 32 leaves
    it can be read. ``max_depth="best"`` drops that limit; ``depth_gain_`` tells what that would
    gain.

    Zones chosen for probabilities reach most rows, so they do not set the verdict: a row is
    undecided where a flag, at a fifth of the cost of a wrong prediction, is cheaper than the
    expected error; that is, where the largest probability is below 0.8. ``verdict_policy_``
    shows what that does to rows the trees had not seen. For another cost, a budget of flags or
    a promised accuracy, wrap it in a :class:`VerdictClassifier`.

    Parameters
    ----------
    max_depth : {"auto", "best"}, int or None, default="auto"
        The maximum depth; None for no limit. "best" chooses the one of 2, 3, 4, 5, 6, 8 and 10
        with the lowest log-loss. "auto" chooses a tree that can be read: the smallest depth
        whose log-loss is within one standard error of the best depth up to 5.
    zone_scale : "auto" or float, default="auto"
        The factor on all half-widths. "auto" chooses 0, 0.1, 0.2, 0.4, 0.8, 1.6 or 3.2 and, if
        there are categories, their ``category_error`` among 0, 1, 2, 4 and 8.
    zone : str or Zone, default="spread"
        The estimator of the half-widths, a name or an object from :mod:`ternwood.zones`.
    leaves : {"counts", "smoothed", "em"}, default="em"
        The class probabilities of a leaf, as for :class:`TernaryTreeClassifier`.
    zero_gain_splits : bool, default=True
        Split a node even if no split reduces its impurity.
    routing, criterion, min_samples_split, min_samples_leaf, min_weight_fraction_leaf : object
        As for :class:`TernaryTreeClassifier`.
    max_features, max_leaf_nodes, min_impurity_decrease, ccp_alpha, class_weight : object
        As for :class:`TernaryTreeClassifier`.
    categorical_features, missing, uncovered : object
        As for :class:`TernaryTreeClassifier`.
    random_state : int, RandomState instance or None, default=None
        The seed of the inner folds, which are always the same without one, and of
        ``max_features`` and ``"node_bootstrap"``.
    n_jobs : int or None, default=None
        The number of threads; -1 for all cores. None means 1, unless joblib's
        ``parallel_config`` or the environment variable OMP_NUM_THREADS says otherwise. The
        model does not depend on it.

    Attributes
    ----------
    cv_results_ : dict
        Every candidate with its score, the negative log-loss on held-out rows, in the form of
        ``GridSearchCV.cv_results_``.
    best_params_ : dict
        The chosen candidate, as parameters of :class:`TernaryTreeClassifier`. With
        ``max_depth="auto"`` a deeper candidate may have a better score.
    best_score_ : float
        Its mean score.
    best_index_ : int
        Its place in ``cv_results_``.
    depth_gain_ : DepthGain or None
        What ``max_depth="best"`` would gain; None if the chosen depth is the best one, or was
        given.
    classes_, n_classes_, n_features_in_, feature_names_in_, max_features_ : object
        As for :class:`TernaryTreeClassifier`.
    feature_importances_, tree_ : object
        As for :class:`TernaryTreeClassifier`.
    verdict_policy_ : VerdictPolicy
        What makes a row undecided, and what that does to held-out rows of the inner folds.

    See Also
    --------
    TernaryTreeClassifier : The paper's method, with every setting in your hands.
    VerdictClassifier : A budget of flags, or a promised accuracy, for any classifier.

    Notes
    -----
    There are 3 repeats of the 5 inner folds below 5,000 rows, 2 below 20,000 and 1 from there
    on; from 50,000 rows on, two of the folds are held out. Above 100,000 rows, scale, error and
    depth are chosen on a sample of 100,000.

    The standard error of ``max_depth="auto"`` is that of the mean of the paired differences
    between two depths, each with its best zones, over the inner folds of all repeats.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ternwood import TernaryTreeClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = TernaryTreeClassifierCV(max_depth=4).fit(X, y)
    >>> clf.best_params_
    {'max_depth': 4, 'zone__scale': 0.8}
    >>> print(clf.verdict_policy_)  # doctest: +ELLIPSIS
    undecided below a probability of 0.8; a flag costs 0.2 of a wrong answer ...
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _params.CONSTRAINTS_OF_CV

    zone_scale: float | str

    def __init__(
        self,
        *,
        max_depth: int | str | None = "auto",
        zone_scale: float | str = "auto",
        zone: Zone | str = "spread",
        routing: str = "probabilistic",
        leaves: str = "em",
        criterion: str = "gini",
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        zero_gain_splits: bool = True,
        ccp_alpha: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
        categorical_features: ArrayLike | str | None = "from_dtype",
        missing: str = "learn",
        uncovered: str = "undecided",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        set_parameters(self, locals())

    @property
    def cv_results_(self) -> dict[str, Any]:
        """Every candidate with its scores, in the form of ``GridSearchCV.cv_results_``."""
        check_is_fitted(self)
        return cv_results(self._model.choice())

    @property
    def best_index_(self) -> int:
        """The place of the chosen candidate in ``cv_results_``."""
        check_is_fitted(self)
        chosen: int = self._model.chosen()
        return chosen

    @property
    def best_params_(self) -> dict[str, Any]:
        """The chosen candidate, as parameters of ``TernaryTreeClassifier``."""
        return dict(self.cv_results_["params"][self.best_index_])

    @property
    def best_score_(self) -> float:
        """The mean score of the chosen candidate."""
        return float(self.cv_results_["mean_test_score"][self.best_index_])

    @property
    def depth_gain_(self) -> DepthGain | None:
        """What ``max_depth="best"`` would gain; None if that depth was chosen, or one was given."""
        check_is_fitted(self)
        gain = self._model.depth_gain()
        return None if gain is None else DepthGain(*gain)

    def _automatic(self) -> Automatic:
        depth = self.max_depth if isinstance(self.max_depth, str) else None
        automatic = Automatic(self.zone_scale == "auto", depth)
        if not any(automatic):
            raise ValueError(
                "max_depth and zone_scale are both given, which leaves nothing to choose; set one "
                "of them to 'auto', or use TernaryTreeClassifier(max_depth=..., "
                "zone=zones.Spread(scale=...), leaves='em')"
            )
        return automatic

    def _scaled_zone(self) -> Zone:
        zone: Zone = clone(as_zone(self.zone))
        if zone.scale != type(zone).scale:
            raise ValueError(
                f"the zone has scale={zone.scale}, but the scale is chosen; for a given one say "
                f"zone_scale={zone.scale}"
            )
        return zone if self.zone_scale == "auto" else zone.set_params(scale=self.zone_scale)


def cv_results(candidates: list[Candidate]) -> dict[str, Any]:
    """Return candidates and scores in the form of ``GridSearchCV.cv_results_``."""
    params = [_chosen(candidate) for candidate in candidates]
    results: dict[str, Any] = {}
    for name in params[0]:
        values = np.empty(len(params), dtype=object)
        values[:] = [param[name] for param in params]
        results[f"param_{name}"] = np.ma.array(values, mask=np.zeros(len(params), dtype=bool))
    results["params"] = params
    of_folds = -np.array([candidate.fold_log_losses for candidate in candidates]).T
    for fold, scores in enumerate(of_folds):
        results[f"split{fold}_test_score"] = scores
    mean = -np.array([candidate.log_loss for candidate in candidates])
    results["mean_test_score"] = mean
    # A single row cannot be held out: there are no folds.
    no_score = np.full(len(params), np.nan)
    results["std_test_score"] = of_folds.std(axis=0) if len(of_folds) else no_score
    results["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
    return results


def _chosen(candidate: Candidate) -> dict[str, Any]:
    params = {"max_depth": candidate.max_depth, "zone__scale": candidate.zone_scale}
    if candidate.category_error is not None:
        params["zone__category_error"] = candidate.category_error
    return params
