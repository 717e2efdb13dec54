"""The classifier for rows on a Dask cluster."""

from __future__ import annotations

import copy
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, get_client
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from .._agreement import Agreement, Notes, agree
from .._classifier import TernaryTreeClassifier
from .._fit_in_partitions import finish, recipe_for, refuse_unsupported
from .._recipe import PAPER
from ..zones import Zone, as_zone
from . import _collections
from ._fit import fit
from ._tasks import Tasks


# scikit-learn is untyped: mypy sees its classes as Any.
class DaskTernaryTreeClassifier(
    ClassifierMixin,
    BaseEstimator,
):
    """A :class:`ternwood.TernaryTreeClassifier` of rows on a Dask cluster.

    The model is the same to the byte as that of ``TernaryTreeClassifier`` from the same rows in
    one table, however they are partitioned and whatever workers there are. Rows stay where they
    are: workers count them and look at some values, and the client decides. Only nodes of few
    rows come to the client, which grows what is below them.

    Everything is a pure task with a readable name. What a lost worker had is computed again,
    workers may come and go, and several fits may run at once.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        The client of the cluster; None for the current one. Copies and pickles of the
        classifier have none.
    zone, routing, leaves, criterion, max_depth, min_samples_split, min_samples_leaf, \
    min_weight_fraction_leaf, max_features, max_leaf_nodes, min_impurity_decrease, \
    zero_gain_splits, ccp_alpha, class_weight, categorical_features, missing, uncovered, \
    random_state
        As in :class:`ternwood.TernaryTreeClassifier`. What takes more than counts of rows is
        refused with the reason and what to do instead, before anything is computed:
        ``zone="node_bootstrap"`` and ``"cost_optimal"``, ``routing="hard_middle"``,
        ``leaves="em"``, ``max_leaf_nodes`` and ``max_features``.
    n_jobs : int or None, default=None
        The number of threads of every task, and of the client; -1 for all cores. A worker with
        several threads runs several tasks at once anyway.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X was a frame with names that are all strings.
    rounds_ : list of Round
        What was asked, what it took, and how many bytes were sent.

    See Also
    --------
    ternwood.TernaryTreeClassifier : The same for rows in memory, with all that can be done with
        a fitted tree; ``to_local`` makes one.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from ternwood.dask import DaskTernaryTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(40, 4)), da.from_array(y, chunks=40)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     clf = DaskTernaryTreeClassifier(max_depth=2).fit(X, y)
    ...     undecided = int((~clf.predict_verdict(X)).sum())
    >>> undecided
    13
    >>> clf.to_local().predict([[5.1, 3.5, 1.4, 0.2]])
    array([0])
    """

    def __init__(
        self,
        *,
        client: Client | None = None,
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
        self.client = client
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DaskTernaryTreeClassifier:
        """Fit the model. Ctrl-C interrupts it.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
            The training rows: numbers, categories and missing values. It is read once; persist
            it if reading is slow and workers may be lost.
        y : dask array, dask series or str
            The class labels, of any type; or the name of the column of X that holds them.
            One frame with all columns cannot fall out of step.
        sample_weight : dask array, dask series, str or None, default=None
            The weight of each row, or the name of their column.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        _collections.check(X)
        taken = [name for name in (y, sample_weight) if isinstance(name, str)]
        local = self._local()
        local._validate_params()
        validate_data(local, _collections.without_rows(X, taken), skip_check_array=True)
        names = getattr(local, "feature_names_in_", None)
        feature_names = None if names is None else list(names)
        refuse_unsupported(local, feature_names)
        client = self._client()
        rows = _collections.delayed_rows(
            X, y, sample_weight, self.categorical_features, Tasks(client).key("read")
        )

        def prepare(notes: Notes) -> tuple[Agreement, str]:
            agreement = agree(notes, feature_names, self.categorical_features)
            return agreement, recipe_for(local, agreement)

        fitted = fit(client, rows, prepare, self.n_jobs)
        finish(local, fitted.model, fitted.agreement)
        self._fitted, self._taken, self.rounds_ = local, taken, fitted.rounds
        self.classes_, self.n_features_in_ = local.classes_, local.n_features_in_
        if names is not None:
            self.feature_names_in_ = names
        return self

    def predict(self, X: Any) -> Any:
        """Predict the class of every row, decided or undecided, when it is needed.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
            The rows. Columns that ``fit`` took labels and weights from may be among them.

        Returns
        -------
        dask array or dask series of shape (n_samples,)
            The most probable class; a series with the index of X if that is a frame.
        """
        return self._predicted(X, "predict")

    def predict_proba(self, X: Any) -> Any:
        """Predict the class probabilities of every row, when they are needed.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        dask array or dask dataframe of shape (n_samples, n_classes)
            The probabilities; a frame with a column for every class if X is a frame.
        """
        return self._predicted(X, "predict_proba")

    def predict_verdict(self, X: Any) -> Any:
        """Predict which rows are decided, when it is needed.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        dask array or dask series of shape (n_samples,), dtype bool
            True for decided, False for undecided.
        """
        return self._predicted(X, "predict_verdict")

    def to_local(self) -> TernaryTreeClassifier:
        """Return the fitted tree as a classifier of rows in memory.

        Returns
        -------
        TernaryTreeClassifier
            The classifier, as if it had been fitted to all rows at once: it explains, draws,
            saves and can be given another verdict.
        """
        check_is_fitted(self)
        return copy.copy(self._fitted)

    def _predicted(self, X: Any, method: str) -> Any:
        check_is_fitted(self)
        _collections.check(X)
        if not isinstance(X, da.Array):
            X = X.drop(columns=[name for name in self._taken if name in X.columns])
        return _collections.predicted(X, self._fitted, method)

    def _local(self) -> TernaryTreeClassifier:
        """Return the same classifier for rows in memory, not fitted."""
        params = self.get_params(deep=False)
        del params["client"]
        return TernaryTreeClassifier(**params)

    def _client(self) -> Client:
        client = self.client or _current_client()
        if client.asynchronous:
            raise TypeError(
                "the client is asynchronous, and fit waits for results; make one without "
                "asynchronous=True, or call fit in a thread with a client of its own"
            )
        return client

    def set_params(self, **params: Any) -> DaskTernaryTreeClassifier:
        """Set the parameters; ``zone__tolerance`` those of the zone.

        Parameters
        ----------
        **params : dict
            The new values by name, as in :class:`ternwood.TernaryTreeClassifier`.

        Returns
        -------
        estimator
            The estimator itself.
        """
        if any(name.startswith("zone__") for name in params):
            params["zone"] = as_zone(params.get("zone", self.zone))
        super().set_params(**params)
        return self

    def __sklearn_clone__(self) -> DaskTernaryTreeClassifier:
        # A client is a connection, which copies share.
        params = clone(self._local()).get_params(deep=False)
        return type(self)(client=self.client, **params)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return state | {"client": None}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")


def _current_client() -> Client:
    try:
        return get_client()
    except ValueError:
        raise ValueError(
            "there is no Dask client; start one with distributed.Client(), which also makes a "
            "cluster of this machine, or pass client="
        ) from None
