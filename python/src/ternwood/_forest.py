"""A forest of trees with zones, in place of scikit-learn's."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, hstack
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from . import _params
from ._base import BaseTernary
from ._calibration import (
    CalibrationRows,
)
from ._explain import Explanations, ForestExplanation, explained
from ._export import classifier_of
from ._input import TrainingSet, thread_count
from ._params import FIXED_IN_FOREST, Automatic, count, count_or_fraction, set_parameters
from ._ternwood import (
    Model,
    apply_trees,
    decision_paths,
    disagreement,
    explain_forest,
    fit_forest,
    forest_exponent,
    n_trees,
    tree_of_forest,
    unsure_trees_svg,
)
from .types import Disagreement, Figure
from .zones import Zone, as_zone

if TYPE_CHECKING:
    from ._tree import TernaryTreeClassifier


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


class _OfOneTree:
    """An attribute that only a single tree has: who asks a forest for it is told where it is."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, forest: object, owner: type | None = None) -> NoReturn:
        raise AttributeError(
            f"{self._name} is of a single tree, and this is a forest: take one of its trees, as "
            f"in forest.estimators_[0].{self._name}"
        )


class _NoOutOfBagError(AttributeError, ValueError):
    """There are no out-of-bag rows: an attribute that is not there, or a wrong call."""


class Progress:
    """Shows how far a fit is. Works in a terminal and in a notebook, without any package."""

    def __init__(self) -> None:
        self.stage = ""
        self.steps = 0
        self.started = time.monotonic()
        self.shown = ""

    def __enter__(self) -> Progress:
        return self

    def __call__(self, stage: str, done: int, steps: int) -> None:
        """Show how many steps of a stage are done. Called now and then by the fitting thread."""
        if not stage:
            return
        if self.stage and stage != self.stage:
            self._show(self.steps)
            self._end_line()
        self.stage, self.steps = stage, steps
        self._show(done)

    def _show(self, done: int) -> None:
        seconds = time.monotonic() - self.started
        line = f"{self.stage}: {done} of {self.steps}, {seconds:.0f} s"
        if line != self.shown:
            # Blanks hide the end of a longer line.
            sys.stderr.write(f"\r{line.ljust(len(self.shown))}")
            sys.stderr.flush()
            self.shown = line

    def _end_line(self) -> None:
        if self.shown:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self.shown = ""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end_line()


class TernaryForestClassifier(BaseTernary):
    """A forest of decision trees with an uncertainty zone around every split.

    It takes the place of scikit-learn's ``RandomForestClassifier``, with the same parameters and
    defaults. Every tree grows on a bag of rows drawn with replacement, and each split is chosen
    among a few random features. The probabilities are the mean over the trees, each of which
    blends both subtrees where a row lies within a zone, sharpened by an exponent. One scale of
    all zones and the exponent are chosen by the log-loss of out-of-bag predictions: what each
    training row is predicted by the trees that have not seen it.

    The same predictions set verdicts without holding rows out: wrap the forest in a
    :class:`VerdictClassifier` with ``cv="oob"``. By default a row is undecided where a flag, at a
    fifth of the cost of a wrong prediction, is cheaper than the expected error; that is, where the
    largest probability is below 0.8.

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
    exponent : float, "auto" or "off", default="auto"
        The probabilities are those of the trees' mean to the power of the exponent, made to add
        up to 1 again; they are moved by a thousandth towards equal ones before. ``"auto"``
        chooses it between 0.5 and 5; ``"off"`` leaves the mean as it is. It changes no predicted
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
    exponent_ : float or "off"
        The exponent, as given or as chosen; ``"off"`` for the plain mean.
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
    >>> forest.predict_decided(X[:3])
    array([ True,  True,  True])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = _params.CONSTRAINTS_OF_FOREST

    n_estimators: int
    zone_scale: float | str
    exponent: float | str
    bootstrap: bool
    max_samples: int | float | None
    oob_score: bool | Callable[[Any, Any], float]
    verbose: int
    warm_start: bool

    # Training rows that some trees have not seen; all of them with ``oob_score``. None without
    # bootstrap, and without ``oob_score`` if nothing was chosen by them.
    _oob_rows: CalibrationRows | None
    _n_training_rows: int

    routing = FIXED_IN_FOREST["routing"]
    leaves = FIXED_IN_FOREST["leaves"]
    zero_gain_splits = FIXED_IN_FOREST["zero_gain_splits"]
    n_outputs_ = 1

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        zone: Zone | str = "spread",
        zone_scale: float | str = "auto",
        exponent: float | str = "auto",
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool | Callable[[Any, Any], float] = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        categorical_features: ArrayLike | str | None = "from_dtype",
        missing: str = "learn",
        uncovered: str = "undecided",
    ) -> None:
        set_parameters(self, locals())

    @property
    def zone_scale_(self) -> float:
        """The factor on all half-widths, as given or as chosen."""
        check_is_fitted(self)
        return self._model.zone_scale()

    @property
    def exponent_(self) -> float | str:
        """The exponent of the trees' mean, as given or as chosen; "off" for the mean itself."""
        check_is_fitted(self)
        exponent = forest_exponent(self._model)
        return "off" if exponent is None else exponent

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
                "give zone_scale=0.2 or another number, or zone='none', and exponent='off' or a "
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
            exponent = {"given": float(exponent)}
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

    export_dot = _OfOneTree()

    export_text = _OfOneTree()

    plot_tree = _OfOneTree()

    rules_ = _OfOneTree()

    to_html = _OfOneTree()

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
        and decided for a class otherwise. Unlike ``predict_decided``, this does not depend on
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

    @property
    def oob_decision_function_(self) -> NDArray[np.float64]:
        """The class probabilities of the training rows, by the trees that have not seen them."""
        check_is_fitted(self)
        if not self.oob_score:
            raise AttributeError("oob_decision_function_ is there if oob_score=True")
        rows = self._out_of_bag()
        probabilities = np.full((self._n_training_rows, len(self.classes_)), np.nan)
        probabilities[rows.numbers] = rows.probabilities
        return probabilities

    @property
    def oob_score_(self) -> float:
        """The accuracy of these predictions, or what the function ``oob_score`` says of them."""
        check_is_fitted(self)
        if not self.oob_score:
            raise AttributeError("oob_score_ is there if oob_score=True")
        rows = self._out_of_bag()
        truth = self.classes_[rows.class_ids]
        score = self.oob_score if callable(self.oob_score) else accuracy_score
        return float(score(truth, self.classes_[rows.probabilities.argmax(axis=1)]))

    @property
    def oob_results_(self) -> dict[str, Any]:
        """Every zone scale and exponent that was tried, with its out-of-bag log-loss."""
        check_is_fitted(self)
        tried = self._model.choice()
        if not tried:
            raise AttributeError(
                "oob_results_ is there if zone_scale or exponent is 'auto', and this forest chose "
                "neither"
            )
        loss = np.array([candidate.log_loss for candidate in tried])
        errors = [candidate.category_error for candidate in tried]
        exponents = [candidate.exponent for candidate in tried]
        results: dict[str, Any] = {"zone_scale": np.array([it.zone_scale for it in tried])}
        if errors[0] is not None:
            results["category_error"] = np.array(errors)
        if exponents[0] is not None:
            results["exponent"] = np.array(exponents)
        return results | {"log_loss": loss, "rank": rankdata(loss, method="min").astype(np.int32)}

    @property
    def oob_log_loss_(self) -> float:
        """The out-of-bag log-loss of the zone scale and exponent that were chosen."""
        return float(self.oob_results_["log_loss"][self._model.chosen()])

    def _out_of_bag(self) -> CalibrationRows:
        """Return training rows that some trees have not seen."""
        rows: CalibrationRows | None = getattr(self, "_oob_rows", None)
        if rows is None or not len(rows.numbers):
            raise _NoOutOfBagError(
                "this forest has no out-of-bag rows: fit it with bootstrap=True and "
                "oob_score=True (a loaded one has no training rows)"
            )
        return rows
