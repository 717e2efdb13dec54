"""A forest of trees with zones, in place of scikit-learn's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from . import _parameters
from ._base import BaseTernary
from ._calibration_rows import CalibrationRows
from ._forest_trees import ForestInspection
from ._labelled_rows import TrainingSet
from ._out_of_bag import OutOfBag
from ._progress import Progress
from ._recipe import FIXED_IN_FOREST, FOREST, Automatic, count, count_or_fraction
from ._ternwood import fit_forest, forest_exponent
from .zones import Zone, as_zone


class TernaryForestClassifier(ForestInspection, OutOfBag, BaseTernary):
    """A forest of decision trees with an uncertainty zone around every split.

    It takes the place of scikit-learn's ``RandomForestClassifier``, with the same parameters and
    defaults. Every tree grows on a bag of rows drawn with replacement, and each split is chosen
    among a few random features. The probabilities are the mean over the trees, each of which
    blends both subtrees where a row lies within a zone, sharpened by an exponent. One scale of
    all zones and the exponent are chosen by the log-loss of out-of-bag predictions: what each
    training row is predicted by the trees that have not seen it.

    The same predictions set verdicts without holding rows out: see :meth:`calibrate_verdict`. By
    default a row is undecided where a flag, at a fifth of the cost of a wrong prediction, is
    cheaper than the expected error; that is, where the largest probability is below 0.8.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    zone : str or Zone, default="spread"
        The estimator of the half-widths, a name or an object from :mod:`ternwood.zones`;
        ``"none"`` for plain CART trees.
    zone_scale : float or "auto", default="auto"
        The factor on all half-widths. ``"auto"`` chooses 0, 0.1, 0.2, 0.4, 0.8, 1.6 or 3.2
        and, if there are categories, their ``category_error`` among 0, 1, 2, 4 and 8.
    exponent : float, "auto" or None, default="auto"
        The probabilities are those of the trees' mean to the power of the exponent, made to add
        up to 1 again; they are moved by a thousandth towards equal ones before. ``"auto"``
        chooses it between 0.5 and 5; None leaves the mean as it is. It changes no predicted
        class.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity that splits reduce; ``"log_loss"`` is another name for ``"entropy"``.
    max_depth : int or None, default=None
        The maximum depth of a tree; None for no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows (or a smaller share of them) becomes a leaf. A row that was drawn
        several times counts once.
    min_samples_leaf : int or float, default=1
        Each side of a split keeps at least this many rows (or this share of them).
    min_weight_fraction_leaf : float, default=0.0
        Each side of a split keeps at least this share of the total weight.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        The number of features considered at a node, drawn again for each node.
    max_leaf_nodes : int or None, default=None
        The maximum number of leaves of a tree; if given, trees grow best-first.
    min_impurity_decrease : float, default=0.0
        A split must reduce impurity, weighted by the node's share, by at least this much.
    bootstrap : bool, default=True
        Whether each tree grows on a bag of rows. Without, all trees see all rows, no row is out
        of bag, and ``zone_scale`` and ``exponent`` must be given.
    oob_score : bool or callable, default=False
        Whether ``oob_score_`` and ``oob_decision_function_`` are there: the accuracy, or what a
        function of the true and the predicted labels returns.
    n_jobs : int or None, default=None
        The number of threads; -1 for all cores. None means 1, unless joblib's
        ``parallel_config`` or the environment variable OMP_NUM_THREADS says otherwise. The
        model does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The seed of bags, features and ties. Without one, every fit is another forest.
    verbose : int, default=0
        Whether a line on standard error shows how far the fit is.
    warm_start : bool, default=False
        Only False is possible: scale and exponent belong to all trees together.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        The weight of each class. ``"balanced"`` uses the total sample weight of each class;
        ``"balanced_subsample"`` that within the bag of each tree. Probabilities are then those
        of a population with these weights.
    ccp_alpha : float, default=0.0
        The complexity parameter of minimal cost-complexity pruning.
    max_samples : int, float or None, default=None
        The number of draws of a bag, or a float to multiply the number of rows by; None for as
        many as there are rows.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        The columns that are categories, as for :class:`TernaryTreeClassifier`.
    missing : {"learn", "unknown", "error"}, default="learn"
        What missing values mean, as for :class:`TernaryTreeClassifier`.
    uncovered : {"undecided", "judge"}, default="undecided"
        What becomes of rows that the training table says nothing about, as for
        :class:`TernaryTreeClassifier`.

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
    n_outputs_ : int
        1.
    estimators_ : sequence of TernaryTreeClassifier
        The trees. Each is made into a classifier when it is asked for.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The mean over the trees of the impurity decrease due to each feature, as shares.
    zone_scale_ : float
        The factor on all half-widths, as given or as chosen.
    exponent_ : float or None
        The exponent, as given or as chosen; None for the plain mean.
    oob_results_ : dict
        Every candidate of scale, category error and the exponent that goes best with them:
        arrays with ``zone_scale``, ``category_error`` if there are categories, ``exponent`` if
        it is not None, ``log_loss`` of out-of-bag rows (at most 10,000 of them) and ``rank``.
    oob_log_loss_ : float
        The loss of the chosen one.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        With ``oob_score``: the class probabilities of the training rows, by the trees that have
        not seen them; NaN for rows that all trees have seen, and for rows of weight 0.
    oob_score_ : float
        With ``oob_score``: how good they are, on rows that have them.
    verdict_policy_ : VerdictPolicy
        What makes a row undecided, and what that does to out-of-bag rows.

    See Also
    --------
    TernaryTreeClassifierCV : The best probabilities of a single tree.
    VerdictClassifier : A budget of flags, or a promised accuracy; ``cv="oob"`` for a forest.

    Notes
    -----
    Of the parameters of scikit-learn's forest, ``monotonic_cst`` is missing. Several outputs and
    sparse matrices are not supported. Values are not rounded to float32. ``min_samples_split``
    and ``min_samples_leaf`` count distinct rows, and missing values go both ways where a split
    has seen none.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ternwood import TernaryForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = TernaryForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> print(f"{forest.oob_score_:.2f}")
    0.97
    >>> print(forest.verdict_policy_)  # doctest: +ELLIPSIS
    undecided below a probability of 0.8; a flag costs 0.2 of a wrong answer
    on 569 rows (out of bag, ...: approximate): ...
    >>> forest.predict_verdict(X[:3])
    array([ True,  True,  True])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _parameters.CONSTRAINTS_OF_FOREST

    routing = FIXED_IN_FOREST["routing"]
    leaves = FIXED_IN_FOREST["leaves"]
    zero_gain_splits = FIXED_IN_FOREST["zero_gain_splits"]
    n_outputs_ = 1

    def __init__(
        self,
        n_estimators: int = FOREST["n_estimators"],
        *,
        zone: Zone | str = FOREST["zone"],
        zone_scale: float | str = FOREST["zone_scale"],
        exponent: float | str | None = FOREST["exponent"],
        criterion: str = FOREST["criterion"],
        max_depth: int | None = FOREST["max_depth"],
        min_samples_split: int | float = FOREST["min_samples_split"],
        min_samples_leaf: int | float = FOREST["min_samples_leaf"],
        min_weight_fraction_leaf: float = FOREST["min_weight_fraction_leaf"],
        max_features: int | float | str | None = FOREST["max_features"],
        max_leaf_nodes: int | None = FOREST["max_leaf_nodes"],
        min_impurity_decrease: float = FOREST["min_impurity_decrease"],
        bootstrap: bool = FOREST["bootstrap"],
        oob_score: bool | Callable[[Any, Any], float] = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = FOREST["class_weight"],
        ccp_alpha: float = FOREST["ccp_alpha"],
        max_samples: int | float | None = FOREST["max_samples"],
        categorical_features: ArrayLike | str | None = "from_dtype",
        missing: str = FOREST["missing"],
        uncovered: str = "undecided",
    ) -> None:
        self.n_estimators = n_estimators
        self.zone = zone
        self.zone_scale = zone_scale
        self.exponent = exponent
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.categorical_features = categorical_features
        self.missing = missing
        self.uncovered = uncovered

    @property
    def zone_scale_(self) -> float:
        """The factor on all half-widths, as given or as chosen."""
        check_is_fitted(self)
        return self._model.zone_scale()

    @property
    def exponent_(self) -> float | None:
        """The exponent of the trees' mean, as given or as chosen; None for the mean itself."""
        check_is_fitted(self)
        return forest_exponent(self._model)

    def _automatic(self) -> Automatic:
        if self.warm_start:
            raise ValueError(
                "warm_start=True is not supported: zone_scale and exponent belong to all trees "
                "together, so a forest cannot grow on; fit anew with a larger n_estimators"
            )
        automatic = Automatic(zone_scale=self.zone_scale == "auto" and not self._is_plain())
        if not self.bootstrap:
            self._check_without_bags(automatic)
        return automatic

    def _is_plain(self) -> bool:
        return bool(as_zone(self.zone).name == "none")

    def _check_without_bags(self, automatic: Automatic) -> None:
        """Refuse what needs rows out of bag."""
        if self.oob_score:
            raise ValueError("oob_score needs rows out of bag, and bootstrap=False leaves none")
        chosen = ["zone_scale"] if automatic.zone_scale else []
        chosen += ["exponent"] if self.exponent == "auto" else []
        if chosen:
            raise ValueError(
                f"bootstrap=False leaves no row out of bag to choose {' and '.join(chosen)} by: "
                "give zone_scale=0.2 or another number, or zone='none', and exponent=None or a "
                "number"
            )

    def _scaled_zone(self) -> Zone:
        zone: Zone = clone(as_zone(self.zone))
        if zone.scale != type(zone).scale:
            raise ValueError(
                f"the zone has scale={zone.scale}, but the scale of a forest is a parameter of its "
                f"own: say zone_scale={zone.scale}"
            )
        return zone if self.zone_scale == "auto" else zone.set_params(scale=self.zone_scale)

    def _of_forest(self) -> dict[str, Any]:
        exponent: Any = self.exponent
        if not isinstance(exponent, str):
            exponent = "off" if exponent is None else {"given": float(exponent)}
        draws = self.max_samples
        return {
            "n_trees": count(self.n_estimators),
            "bootstrap": bool(self.bootstrap),
            "max_samples": None if draws is None else count_or_fraction(draws),
            "exponent": exponent,
        }

    def _fit_model(self, data: TrainingSet, recipe: str, threads: int) -> None:
        with Progress() if self.verbose else nullcontext() as progress:
            self._model, unseen = fit_forest(
                data, recipe, threads, progress, all_out_of_bag=bool(self.oob_score)
            )
        self._n_training_rows = len(data.rows.class_ids)
        self._oob_rows = None
        if unseen is not None:
            numbers, probabilities = unseen
            class_ids = data.rows.class_ids[numbers]
            self._oob_rows = CalibrationRows.of(probabilities, class_ids, numbers=numbers)
        if self.oob_score:
            self._warn_of_seen_rows(data.rows.sample_weight)

    def _warn_of_seen_rows(self, weights: NDArray[np.float64] | None) -> None:
        """Warn of rows that all trees have seen, as scikit-learn does."""
        counted = self._n_training_rows if weights is None else int(np.count_nonzero(weights))
        seen = counted - (0 if self._oob_rows is None else len(self._oob_rows.numbers))
        if seen:
            # Without figures: the same text in every fold of a search is shown once.
            warnings.warn(
                "some rows have no out-of-bag prediction, because all trees have seen them: more "
                "trees leave fewer such rows; oob_decision_function_ is NaN there",
                stacklevel=4,
            )
