"""Trees from the rows of a Dask cluster: the same model as from one table, to the byte.

- :class:`DaskTernaryTreeClassifier` fits and predicts dask arrays and dataframes.

Install it with ``pip install ternwood[dask]``.
"""

from __future__ import annotations

import copy
import hashlib
import math
import uuid
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask import delayed
from distributed import Client, Future, get_client
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ._input import thread_count
from ._params import set_parameters
from ._partitions import (
    Agreement,
    Notes,
    agree,
    answer,
    finish,
    in_partition,
    merge_notes,
    no_rows,
    notes_of,
    partition_of,
    read_rows,
    recipe_for,
    refuse_unsupported,
)
from ._ternwood import Coordinator, Model, merge_answers
from ._tree import TernaryTreeClassifier
from .zones import Zone, as_zone

__all__ = ["DaskTernaryTreeClassifier", "Round"]


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
    ...     undecided = int((~clf.predict_decided(X)).sum())
    >>> undecided
    13
    >>> clf.to_local().predict([[5.1, 3.5, 1.4, 0.2]])
    array([0])
    """

    client: Client | None
    zone: Zone | str
    categorical_features: ArrayLike | str | None
    n_jobs: int | None

    def __init__(
        self,
        *,
        client: Client | None = None,
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
        check_table(X)
        taken = [name for name in (y, sample_weight) if isinstance(name, str)]
        local = self._local()
        local._validate_params()
        validate_data(local, without_rows(X, taken), skip_check_array=True)
        names = getattr(local, "feature_names_in_", None)
        feature_names = None if names is None else list(names)
        refuse_unsupported(local, feature_names)
        # The name of an array is that of its task.
        labels = y if isinstance(y, str) or not hasattr(y, "to_frame") else y.name
        target = labels if isinstance(labels, str) and labels not in (feature_names or ()) else None
        client = self._client()
        rows = delayed_rows(
            X, y, sample_weight, self.categorical_features, Tasks(client).key("read")
        )

        def prepare(notes: Notes) -> tuple[Agreement, str]:
            agreement = agree(notes, feature_names, self.categorical_features, target)
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

    def predict_decided(self, X: Any) -> Any:
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
        return self._predicted(X, "predict_decided")

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
        check_table(X)
        if not isinstance(X, da.Array):
            X = X.drop(columns=[name for name in self._taken if name in X.columns])
        return predicted(X, self._fitted, method)

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


class Round(NamedTuple):
    """A question to all partitions, and what it cost.

    Attributes
    ----------
    topic : str
        What was asked: to describe the rows, to weigh them, to count them by bins, to look at
        values, to fetch the rows of small nodes, or for the digits that thresholds need.
    question_bytes : int
        The size of the question, which every worker gets once.
    answer_bytes : int
        The size of the merged answer, which the client gets.
    seconds : float
        How long it took.
    n_nodes : int
        The nodes of the tree after it.
    """

    topic: str
    question_bytes: int
    answer_bytes: int
    seconds: float
    n_nodes: int


class Fitted(NamedTuple):
    """A model, and how it came about."""

    model: Model
    agreement: Agreement
    rounds: list[Round]


def fit(
    client: Client,
    delayed_rows: Sequence[Any],
    prepare: Callable[[Notes], tuple[Agreement, str]],
    n_jobs: int | None,
) -> Fitted:
    """Fit a model to rows that tasks read; `prepare` makes a recipe of what they hold."""
    tasks = Tasks(client)
    partitions: list[Future] = []
    try:
        read = tasks.computed(delayed_rows)
        agreement, recipe = prepare(
            tasks.merged("agree", merge_notes, tasks.each("note", notes_of, read))
        )
        shared = tasks.sent("agreement", agreement)
        partitions = tasks.each("hold", partition_of, read, agreement=shared, n_jobs=n_jobs)
        del read  # once they are held, the rows that were read can go
        coordinator = Coordinator(no_rows(agreement), recipe)
        rounds = _ask(tasks, coordinator, partitions, n_jobs)
        return Fitted(coordinator.model(), agreement, rounds)
    finally:
        # An exception keeps the variables of this function alive, but need not keep the rows.
        for future in partitions:
            future.release()


def _ask(
    tasks: Tasks, coordinator: Coordinator, partitions: list[Future], n_jobs: int | None
) -> list[Round]:
    """Ask all partitions until the model is ready."""
    rounds = []
    numbers = range(len(partitions))
    while (asked := coordinator.next_question()) is not None:
        topic, question = asked
        began = perf_counter()
        sent = tasks.sent("question", question)
        answers = tasks.each(topic, answer, partitions, numbers, question=sent, n_jobs=n_jobs)
        merged = tasks.merged(f"merge_{topic}", merge_answers, answers)
        coordinator.take(merged, thread_count(n_jobs))
        _, n_nodes, _, _ = coordinator.progress()
        seconds = perf_counter() - began
        rounds.append(Round(topic, len(question), len(merged), seconds, n_nodes))
    return rounds


# The most results that one task merges.
MERGED_AT_ONCE = 8


class Tasks:
    """Submits pure functions, and nothing else, so that whatever is lost can be computed again.

    There are no pins, no scattered data and no actors, none of which survive a lost worker. The
    dashboard shows tasks by the part of their key before the number of the fit:
    ``ternwood_count``, say.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._fit = uuid.uuid4().hex
        self._steps = 0

    def key(self, name: str) -> str:
        """Return a key that no other task has, of this fit or another."""
        self._steps += 1
        # Underscores, because Dask takes some words between hyphens for numbers.
        return f"ternwood_{name}-{self._fit}-{self._steps}"

    def computed(self, delayed: Sequence[Any]) -> list[Future]:
        """Compute delayed values, each as one future."""
        futures: list[Future] = self._client.compute(list(delayed))
        return futures

    def each(
        self, name: str, function: Callable[..., Any], *lists: Iterable[Any], **same: Any
    ) -> list[Future]:
        """Call a function with the elements of lists, and with arguments that all calls share."""
        columns = [list(elements) for elements in lists]
        key = self.key(name)
        keys = [(key, index) for index in range(len(columns[0]))]
        futures: list[Future] = self._client.map(function, *columns, key=keys, pure=True, **same)
        return futures

    def sent(self, name: str, value: Any) -> Future:
        """Put a value into a task, from where workers get it: once each, not once per partition."""
        return self._client.submit(_itself, value, key=self.key(name))

    def merged(self, name: str, function: Callable[[list[Any]], Any], futures: list[Future]) -> Any:
        """Merge results by a tree of tasks, neighbours first, and return the last result."""
        while len(futures) > 1:
            groups = [
                futures[first : first + MERGED_AT_ONCE]
                for first in range(0, len(futures), MERGED_AT_ONCE)
            ]
            futures = self.each(name, function, groups)
        return futures[0].result()


def _itself(value: Any) -> Any:
    return value


_ONE_FRAME = "pass one frame that holds all of them, as in fit(frame, 'label')"


def check_table(X: Any, what: str = "X") -> None:
    """Refuse what is not a table of Dask."""
    if isinstance(X, dd.DataFrame):
        return
    if not isinstance(X, da.Array):
        raise TypeError(
            f"{what} must be a dask array or a dask dataframe, got {type(X).__name__}; make one "
            "with dask.array.from_array or dask.dataframe.from_pandas, or use "
            "TernaryTreeClassifier for rows in memory"
        )
    if X.ndim != 2:
        raise ValueError(f"{what} must have rows and columns, but its shape is {X.shape}")


def without_rows(X: Any, taken: list[str]) -> Any:
    """Return an empty table with the columns of X but for those that are `taken`."""
    if isinstance(X, da.Array):
        return np.empty((0, X.shape[1]))
    absent = [name for name in taken if name not in X.columns]
    if absent:
        raise ValueError(
            f"there is no column {absent[0]!r} for labels or weights; the frame has: "
            f"{', '.join(map(str, X.columns))}"
        )
    return X._meta.drop(columns=taken)


def delayed_rows(
    X: Any, y: Any, sample_weight: Any, categorical_features: Any, key: str
) -> list[Any]:
    """Return tasks that read the rows of every partition."""
    parts = {"X": _partitions(X)}
    aside = {"y": y, "sample_weight": sample_weight}
    for name, column in aside.items():
        if column is None or isinstance(column, str):
            parts[name] = [column] * len(parts["X"])
        else:
            parts[name] = _partitions(_as_chunked(X, column, name))
    counts = {name: len(those) for name, those in parts.items()}
    if len(set(counts.values())) > 1:
        found = ", ".join(f"{name} has {count} partitions" for name, count in counts.items())
        raise ValueError(f"{found}; {_ONE_FRAME}, or repartition them alike")
    read = delayed(read_rows, pure=True)
    rows = zip(*parts.values(), strict=True)
    return [
        read(*row, number, categorical_features, dask_key_name=(key, number))
        for number, row in enumerate(rows)
    ]


def _partitions(collection: Any) -> list[Any]:
    """Return the blocks of rows of a collection."""
    if isinstance(collection, da.Array):
        if collection.ndim == 2:
            collection = collection.rechunk({1: -1})
        found: list[Any] = collection.to_delayed().reshape(-1).tolist()
        return found
    return list(collection.to_delayed())


def _as_chunked(X: Any, column: Any, name: str) -> Any:
    """Return an array with the chunks of X, if both are known; all else as it is."""
    if not isinstance(column, da.Array | dd.Series):
        raise TypeError(
            f"{name} must be a dask array or series, or the name of a column of X, got "
            f"{type(column).__name__}; make one with dask.array.from_array(..., chunks=X.chunks[0])"
        )
    if not isinstance(column, da.Array) or not isinstance(X, da.Array):
        return column
    if math.isnan(sum(X.chunks[0])) or math.isnan(sum(column.chunks[0])):
        return column
    if X.shape[0] != column.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows, but {name} has {column.shape[0]}")
    return column.rechunk({0: X.chunks[0]})


# What each method predicts, as the name of a series.
_SERIES = {"predict": "prediction", "predict_decided": "verdict"}


def predicted(X: Any, clf: TernaryTreeClassifier, method: str) -> Any:
    """Predict every partition when it is needed.

    The prediction of an array is an array; that of a frame has its index.
    """
    # One task holds the model: workers get it once each, not with every partition.
    digest = hashlib.sha256(clf._file()).hexdigest()
    model = delayed(clf, name=f"ternwood_model-{digest}-{clf.n_jobs}")
    empty = _of_no_rows(clf, method)
    if isinstance(X, dd.DataFrame):
        meta = _framed(X._meta, clf, method, empty)
        return X.map_partitions(ternwood_predict, model, method, meta=meta)
    columns: dict[str, Any] = {"drop_axis": 1}
    if method == "predict_proba":
        columns = {"chunks": (X.chunks[0], (len(clf.classes_),))}
    blocks = X.rechunk({1: -1})
    return da.map_blocks(
        _of_block, blocks, model, method, meta=empty, token="ternwood_predict", **columns
    )


def _of_block(
    X: Any, clf: TernaryTreeClassifier, method: str, block_info: Any = None
) -> NDArray[Any]:
    return _rows_of(X, clf, method, block_info[0]["chunk-location"][0])


# Dask names the tasks of a frame after the function.
def ternwood_predict(
    X: Any, clf: TernaryTreeClassifier, method: str, partition_info: Any = None
) -> Any:
    """Predict the rows of a partition."""
    return _framed(X, clf, method, _rows_of(X, clf, method, partition_info["number"]))


def _rows_of(X: Any, clf: TernaryTreeClassifier, method: str, number: int) -> NDArray[Any]:
    with in_partition(number):
        rows: NDArray[Any] = getattr(clf, method)(X) if len(X) else _of_no_rows(clf, method)
        return rows


def _of_no_rows(clf: TernaryTreeClassifier, method: str) -> NDArray[Any]:
    if method == "predict_proba":
        return np.empty((0, len(clf.classes_)))
    return np.empty(0, dtype=np.bool_ if method == "predict_decided" else clf.classes_.dtype)


def _framed(X: Any, clf: TernaryTreeClassifier, method: str, rows: NDArray[Any]) -> Any:
    """Give predictions the index of a frame."""
    if method == "predict_proba":
        return pd.DataFrame(rows, index=X.index, columns=clf.classes_.tolist())
    return pd.Series(rows, index=X.index, name=_SERIES[method])
