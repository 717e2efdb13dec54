"""The classifier: parameters, fitting, prediction."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.utils import Bunch, Tags, check_array, check_X_y
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _labels, _parameters
from ._calibrated import Calibrated
from ._files import ModelFile
from ._inspection import Inspection
from ._labelled_rows import LabelledRows, TrainingSet, weights_of, without_gaps
from ._predictions import Predictions, predict
from ._seen import SeenRows
from ._table import Feature, Kind, Recoded, learn, recode, table_of
from ._ternwood import Model
from ._threads import thread_count
from ._verdicts import Verdicts


# scikit-learn is untyped: mypy sees its classes as Any.
class TernaryTreeClassifier(
    Calibrated,
    Inspection,
    Verdicts,
    ModelFile,
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """A decision tree with an uncertainty zone around every split.

    The tree is a CART tree. Every split has a *half-width*: a row whose value lies within the
    half-width of the threshold is *undecided*. Under the default routing its prediction
    blends both subtrees, weighted by its position in the zone. A *decided* row, within no zone
    on its path, gets exactly CART's prediction.

    Parameters
    ----------
    zone : str, default="margin"
        The estimator of the half-widths: ``"margin"`` (distance to the nearest row on the wrong
        side), ``"quality_plateau"`` (other thresholds are nearly as good), ``"class_overlap"``
        (the bulks of two classes overlap), ``"gain_ratio"`` (weak splits are uncertain),
        ``"node_bootstrap"`` (the threshold moves under resampling), ``"spread"`` (half a
        standard deviation of the feature; meant for ``zone_scale="auto"``),
        ``"cost_optimal"`` (where the expected error costs more than a flag, see
        ``cost_ratio``), ``"specified"`` (known measurement errors) or ``"none"`` (plain CART).
    routing : str, default="probabilistic"
        What happens to a row within a zone: ``"probabilistic"`` blends both subtrees, again
        at every zone further down; ``"deferred"`` blends both subtrees, which use their
        thresholds alone; ``"hard_middle"`` sends it to a middle subtree, grown from such rows;
        ``"crisp"`` ignores zones.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity that splits reduce; ``"log_loss"`` is another name for ``"entropy"``.
    leaves : {"counts", "smoothed", "em"}, default="counts"
        The class probabilities of a leaf: ``"counts"``, the class shares of its training rows;
        ``"smoothed"``, the same with one extra row, divided among the classes in the
        proportions of the training set; ``"em"``, maximum likelihood by
        expectation-maximisation, where a row within zones belongs to several leaves.
        ``"em"`` gives the best probabilities.
    max_depth : int, "auto" or None, default=None
        The maximum depth. ``"auto"`` chooses 2, 4, 6, 8 or 10 by the log-loss of an inner
        5-fold cross-validation: 3 repeats below 5,000 rows, 2 below 20,000. Above 100,000 rows
        it uses a sample of 100,000.
    min_samples_split : int or float, default=2
        A node with fewer rows (or a smaller share of them) becomes a leaf.
    min_samples_leaf : int or float, default=1
        Each side of a split keeps at least this many rows (or this share of them).
    min_weight_fraction_leaf : float, default=0.0
        Each side of a split keeps at least this share of the total weight.
    min_samples_middle : int, default=5
        The minimum weight within a zone for a middle subtree (``"hard_middle"`` only).
    max_leaf_nodes : int or None, default=None
        The maximum number of leaves; if given, the tree grows best-first.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        The number of features considered at a node, drawn again for each node.
    min_impurity_decrease : float, default=0.0
        A split must reduce impurity, weighted by the node's share, by at least this much.
    ccp_alpha : float, default=0.0
        The complexity parameter of minimal cost-complexity pruning.
    class_weight : dict, "balanced" or None, default=None
        The weight of each class. ``"balanced"`` uses the total sample weight of each class
        (scikit-learn counts rows), so that weights still act like copies.
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
    min_samples_category : int, default=1
        A category with fewer rows at a node counts as one that the node did not see: such a
        row goes both ways and is undecided.
    plateau_tolerance : float, default=0.05
        ``"quality_plateau"``: how far the gain may fall short of the best, as a share of it.
    plateau_connected : bool, default=False
        ``"quality_plateau"``: use only the unbroken run of thresholds around the best one.
    overlap_tail : float, default=0.10
        ``"class_overlap"``: the share cut off at each end of a class.
    gain_scale : float, default=0.10
        ``"gain_ratio"``: the half-width of a split without gain, as a share of the feature's
        range.
    gain : {"criterion", "information"}, default="criterion"
        ``"gain_ratio"``: use the gain of ``criterion``, or information gain.
    n_bootstraps : int or "auto", default="auto"
        ``"node_bootstrap"``: the number of resamples; ``"auto"`` is 20, 15 from 2,000 rows and
        10 from 10,000.
    cost_ratio : float, default=0.2
        ``"cost_optimal"``: the cost of a flag, as a share of the cost of a wrong prediction.
    specified_half_widths : array-like of shape (n_features,) or None, default=None
        ``"specified"``: one half-width per feature, in the feature's own units.
    zone_scale : float or "auto", default=1.0
        A factor on all half-widths. ``"auto"`` chooses 0, 0.1, 0.2, 0.4, 0.8, 1.6 or 3.2 by
        the log-loss of the same inner cross-validation.
    max_zone_fraction : float, default=0.25
        The largest estimated half-width, as a share of the feature's range at the node.
    category_error : float, default=2.0
        The zone of a category: it is undecided if its class shares at the node are within this
        many standard errors of the cut. Not used with ``zone="none"``; ``zone_scale="auto"``
        chooses 0, 1, 2, 4 or 8 if there are categories.
    random_state : int, RandomState instance or None, default=None
        The seed for ``max_features``, ``"node_bootstrap"`` and the inner folds of
        ``"auto"`` and ``"cost_optimal"``. Without a seed, inner folds are always the same.
        Nothing else is random.
    n_jobs : int or None, default=None
        The number of threads; -1 for all cores. None means all cores too, but no more than
        the environment variable OMP_NUM_THREADS allows (joblib sets it in its workers). The
        model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        The number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The impurity decrease due to each feature, as shares.
    tree_ : Tree
        The fitted tree, as parallel arrays.
    zone_scale_, category_error_, max_depth_ : float, float, int or None
        The scale of the zones, the standard errors of categories and the maximum depth, as
        given or as chosen.
    choice_ : Choice or None
        Every candidate for these with its log-loss; None if nothing was chosen.
    verdict_policy_ : VerdictPolicy
        What makes a row undecided: after ``fit``, its zones; see ``calibrate_verdict``.

    Notes
    -----
    With ``zone="none"`` this is scikit-learn's ``DecisionTreeClassifier``, except that values
    are not rounded to float32, that a split with gain 0 is never made, that ties go to the
    lowest feature and threshold, not to a random one, and that categories are split as such.

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
    >>> int((clf.predict_verdict(X) == 0).sum())
    13

    Tables are used as they are:

    >>> import pandas as pd
    >>> table = pd.DataFrame({"ward": ["A", "A", "B", "B"], "age": [31, None, 47, 52]})
    >>> clf = TernaryTreeClassifier().fit(table, ["ill", "ill", "well", "well"])
    >>> clf.predict(pd.DataFrame({"ward": ["B", "C"], "age": [None, 40]}))
    array(['well', 'ill'], dtype='<U4')
    """

    _parameter_constraints = _parameters.CONSTRAINTS

    def __init__(
        self,
        *,
        zone: str = "margin",
        routing: str = "probabilistic",
        criterion: str = "gini",
        leaves: str = "counts",
        max_depth: int | str | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_samples_middle: int = 5,
        max_leaf_nodes: int | None = None,
        max_features: int | float | str | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
        categorical_features: ArrayLike | str | None = "from_dtype",
        missing: str = "learn",
        min_samples_category: int = 1,
        plateau_tolerance: float = 0.05,
        plateau_connected: bool = False,
        overlap_tail: float = 0.10,
        gain_scale: float = 0.10,
        gain: str = "criterion",
        n_bootstraps: int | str = "auto",
        cost_ratio: float = 0.2,
        specified_half_widths: ArrayLike | None = None,
        zone_scale: float | str = 1.0,
        max_zone_fraction: float = 0.25,
        category_error: float = 2.0,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.zone = zone
        self.routing = routing
        self.criterion = criterion
        self.leaves = leaves
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_samples_middle = min_samples_middle
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.missing = missing
        self.min_samples_category = min_samples_category
        self.plateau_tolerance = plateau_tolerance
        self.plateau_connected = plateau_connected
        self.overlap_tail = overlap_tail
        self.gain_scale = gain_scale
        self.gain = gain
        self.n_bootstraps = n_bootstraps
        self.cost_ratio = cost_ratio
        self.specified_half_widths = specified_half_widths
        self.zone_scale = zone_scale
        self.max_zone_fraction = max_zone_fraction
        self.category_error = category_error
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> TernaryTreeClassifier:
        """Fit the tree. Ctrl-C interrupts it.

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
        TernaryTreeClassifier
            The fitted estimator itself.
        """
        threads = thread_count(self.n_jobs)
        seen = SeenRows(X, y, sample_weight)
        given = y
        try:
            X, y, kinds = self._rows_to_learn(X, y, sample_weight)
            y = _labels.plain(y)
            classes, class_ids = _labels.encode(y)
            _labels.check(y, classes)
        except (TypeError, ValueError):
            _labels.refuse_missing(given)
            raise
        names = getattr(self, "feature_names_in_", None)
        data = TrainingSet(
            LabelledRows(without_gaps(X), class_ids, weights_of(X, sample_weight)),
            _labels.to_names(classes),
            None if names is None else list(names),
            kinds,
        )
        recipe = json.dumps(_parameters.to_recipe(self, classes, y), allow_nan=False)
        self._model = Model.fit(data, recipe, threads)
        self.classes_ = classes
        self._seen = seen
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = self.categorical_features is not None
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_seen", None)
        return state

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row, decided or undecided.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The most probable class, the first in ``classes_`` on ties.
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
            Class probabilities in the order of ``classes_``, blended for undecided rows.
        """
        return self.predict_all(X).probabilities

    def predict_verdict(self, X: Any) -> NDArray[np.int8]:
        """Predict which rows are decided.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,), dtype int8
            1 for decided, 0 for undecided. After ``fit``, a row is undecided if it is within a
            zone on its path; ``calibrate_verdict`` sets other rules.
        """
        return self.predict_all(X).verdicts

    def predict_all(self, X: Any) -> Predictions:
        """Predict the class, probabilities and verdict of every row in one pass.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Predictions
            A named tuple of ``classes``, ``probabilities`` and ``verdicts``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> classes, probabilities, verdicts = clf.predict_all(X[69:71])
        >>> classes, verdicts
        (array([1, 2]), array([1, 0], dtype=int8))
        """
        X = self._rows(X)
        return predict(self._model, X, self.classes_, thread_count(self.n_jobs))

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
        unpruned = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        alphas, impurities = unpruned._model.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def _rows_to_learn(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[NDArray[np.float64], NDArray[Any], list[Kind] | None]:
        """Check training rows, and read them as numbers; the kinds are None for plain numbers.

        The library checks that no value is infinite: once, in parallel.
        """
        given = self.categorical_features
        table = table_of(X, by_column=given is not None and not isinstance(given, str))
        if table is None:
            X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=False)
            return X, y, None
        validate_data(self, X, y, skip_check_array=True)  # names and number of features
        weights = weights_of(np.empty(table.n_rows), sample_weight)
        X, kinds = learn(table, self.categorical_features, weights)
        X, y = check_X_y(X, y, dtype=np.float64, ensure_all_finite=False, estimator=self)
        return X, y, kinds

    def _recoded(self, X: Any) -> Recoded:
        """Check the rows to predict, and read them as the model does."""
        check_is_fitted(self)
        features = [Feature(*feature) for feature in self._model.features()]
        plain = all(feature.categories is None and feature.fill is None for feature in features)
        table = table_of(X, by_column=not plain)
        if table is None:
            X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite=False)
            return Recoded(without_gaps(X), {})
        validate_data(self, X, reset=False, skip_check_array=True)
        recoded = recode(table, features)
        check_array(recoded.matrix, ensure_all_finite=False, estimator=self)
        return recoded

    def _rows(self, X: Any) -> NDArray[np.float64]:
        """Return the numbers of the rows to predict, contiguous in memory."""
        return self._recoded(X).matrix
