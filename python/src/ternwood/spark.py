"""Predictions for Spark frames, in float64, and trees from their rows.

- :func:`add_predictions` adds the class, probabilities and verdict of every row to a frame.
- :func:`fit` fits a tree to the rows of a frame: the same model as from one table, to the byte.

Install it with ``pip install ternwood[spark]``, on the driver and wherever Spark's Python runs.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ._export import loads
from ._partitions import (
    Agreement,
    agree,
    answer,
    finish,
    merge_notes,
    no_rows,
    partition_of,
    read_rows,
    recipe_for,
    refuse_unsupported,
)
from ._table import name_of
from ._ternwood import Coordinator, Partition, merge_answers
from ._tree import TernaryTreeClassifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from ._export import Loaded

__all__ = ["add_predictions", "fit"]

# What a function makes of the batches of one of Spark's partitions.
Batches = Iterator[pa.RecordBatch]


def fit(
    classifier: TernaryTreeClassifier, frame: DataFrame, y: str, sample_weight: str | None = None
) -> TernaryTreeClassifier:
    """Fit a tree to the rows of a Spark frame.

    The model is the same to the byte as that of ``classifier.fit`` from the same rows in one table,
    however they are partitioned. Rows stay on the executors, which count them and look at some
    values; the driver decides. Every round is one job without a shuffle or a barrier, and what a
    lost executor had is computed again.

    Parameters
    ----------
    classifier : TernaryTreeClassifier
        The parameters; it is not changed. What takes more than counts of rows is refused with the
        reason and what to do instead, as :class:`ternwood.dask.DaskTernaryTreeClassifier` does.
    frame : pyspark.sql.DataFrame
        The rows, with labels and weights. It is read once, and kept by the executors in memory and
        on disk until the tree is grown. A partition may have up to a gigabyte or so.
    y : str
        The column of the labels.
    sample_weight : str or None, default=None
        The column of the weights.

    Returns
    -------
    TernaryTreeClassifier
        The fitted classifier.

    Examples
    --------
    >>> from ternwood.spark import fit
    >>> clf = fit(TernaryTreeClassifier(max_depth=8), frame, "label")  # doctest: +SKIP
    """
    taken = [name for name in (y, sample_weight) if name is not None]
    absent = [name for name in taken if name not in frame.columns]
    if absent:
        raise ValueError(
            f"there is no column {absent[0]!r} for labels or weights; the frame has: "
            f"{', '.join(frame.columns)}"
        )
    clf: TernaryTreeClassifier = clone(classifier)
    clf._validate_params()
    names = [name for name in frame.columns if name not in taken]
    no_rows_yet = pa.table({name: pa.array([], pa.float64()) for name in names})
    validate_data(clf, no_rows_yet, skip_check_array=True)  # names and number of features
    refuse_unsupported(clf, names)
    read = frame.mapInArrow(_reader(y, sample_weight, clf.categorical_features), _READ).persist()
    try:
        notes = _by_number(read, "notes")
        if not notes:
            raise ValueError("the frame has no rows")
        agreement = agree(merge_notes(notes), names, clf.categorical_features, y)
        held = read.mapInArrow(_holder(agreement), _HELD).persist()
        try:
            coordinator = Coordinator(no_rows(agreement), recipe_for(clf, agreement))
            while (asked := coordinator.next_question()) is not None:
                answers = held.mapInArrow(_answerer(*asked), "answer binary").collect()
                coordinator.take(merge_answers([bytes(row.answer) for row in answers]), 1)
        finally:
            held.unpersist()
    finally:
        read.unpersist()
    finish(clf, coordinator.model(), agreement)
    return clf


_READ = "number int, notes binary, rows binary"

_HELD = "number int, partition binary"


def _by_number(read: DataFrame, column: str) -> list[Any]:
    """Return what partitions noted, in their order."""
    rows = read.select("number", column).collect()
    return [pickle.loads(row[1]) for row in sorted(rows, key=lambda row: row[0])]


def _reader(
    y: str, sample_weight: str | None, categorical_features: Any
) -> Callable[[Batches], Batches]:
    """Read the rows of a partition."""

    def ternwood_read(batches: Batches) -> Batches:
        from pyspark import TaskContext

        context = TaskContext.get()
        number = 0 if context is None else context.partitionId()
        filled = [batch for batch in batches if batch.num_rows]
        if not filled:
            return
        table = pa.Table.from_batches(filled)
        taken = [name for name in (y, sample_weight) if name is not None]
        labels, weights = table.column(y), table.column(sample_weight) if sample_weight else None
        rows = read_rows(
            table.drop_columns(taken),
            labels.to_pandas(),
            None if weights is None else weights.to_numpy(),
            number,
            categorical_features,
        )
        kept = pickle.dumps(rows, protocol=5)
        yield _row(number=number, notes=pickle.dumps(rows.notes), rows=kept)

    return ternwood_read


def _holder(agreement: Agreement) -> Callable[[Batches], Batches]:
    """Give the rows of a partition the classes and categories of all."""

    def ternwood_hold(batches: Batches) -> Batches:
        for number, rows in _each(batches, "rows"):
            held = partition_of(pickle.loads(rows), agreement, 1)
            yield _row(number=number, partition=held.to_bytes())

    return ternwood_hold


def _answerer(topic: str, question: bytes) -> Callable[[Batches], Batches]:
    """Answer a question."""

    def ternwood_answer(batches: Batches) -> Batches:
        for number, held in _each(batches, "partition"):
            yield _row(answer=answer(Partition.from_bytes(held), number, question, 1))

    # Spark shows the name of the function in its plans.
    ternwood_answer.__name__ = f"ternwood_{topic}"
    return ternwood_answer


def _each(batches: Batches, column: str) -> Iterator[tuple[int, bytes]]:
    for batch in batches:
        yield from zip(
            batch.column("number").to_pylist(), batch.column(column).to_pylist(), strict=True
        )


def _row(**values: Any) -> pa.RecordBatch:
    types = {"number": pa.int32()}
    columns = {
        name: pa.array([value], types.get(name, pa.binary())) for name, value in values.items()
    }
    return pa.RecordBatch.from_pydict(columns)


def add_predictions(frame: DataFrame, model: Loaded, *, prefix: str = "") -> DataFrame:
    """Add the class, probabilities and verdict of every row to a Spark frame, when it is needed.

    The answers are those of the model in memory, to the bit: numbers stay float64, categories go by
    name, and null and NaN are missing values. Spark sends batches of rows to its Python workers,
    which get the model once each. It works with Spark Connect too.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows. Columns are matched by name, in any order, and may have any others among them;
        those of a model without names are taken in their order.
    model : TernaryTreeClassifier, TernaryTreeClassifierCV or TernaryForestClassifier
        The fitted classifier, or one from :func:`ternwood.load`.
    prefix : str, default=""
        What the names of the new columns begin with.

    Returns
    -------
    pyspark.sql.DataFrame
        The frame with new columns: ``prediction``, in the type of the labels;
        ``probability_<class>`` for every class, as double; and ``verdict``, which is true for
        decided rows and false for undecided ones.

    Examples
    --------
    >>> from ternwood.spark import add_predictions
    >>> answers = add_predictions(frame, ternwood.load("model.json"))  # doctest: +SKIP
    >>> answers.where("not verdict").show()  # doctest: +SKIP
    """
    check_is_fitted(model)
    needed = _needed(frame, model)
    answers = _fields(model, prefix)
    taken = sorted({field.name for field in answers} & set(frame.columns))
    if taken:
        raise ValueError(
            f"the frame already has a column {taken[0]!r}; drop or rename it, or choose other "
            "names with prefix="
        )
    from pyspark.sql.types import StructType

    shared = _shared(frame, model.to_json(private=True))
    names = [field.name for field in answers]

    def predicted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        clf = _read_once(shared())
        return (_with_answers(batch, clf, needed, names) for batch in batches)

    # Spark shows the name of the function in its plans.
    predicted.__name__ = "ternwood_predict"
    schema = StructType([*frame.schema.fields, *answers.fields])
    return frame.mapInArrow(predicted, schema)


def _needed(frame: DataFrame, model: Loaded) -> list[str]:
    """Return the columns of the model's features, in their order."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        if len(frame.columns) != model.n_features_in_:
            raise ValueError(
                f"the model has {model.n_features_in_} features without names, and the frame has "
                f"{len(frame.columns)} columns; select those of the model, in its order"
            )
        return list(frame.columns)
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise ValueError(
            f"the frame has no column {absent[0]!r}, which the model needs; it has: "
            f"{', '.join(frame.columns)}"
        )
    return list(names)


def _fields(model: Loaded, prefix: str) -> StructType:
    """Return the columns to add."""
    from pyspark.sql.types import BooleanType, DoubleType, LongType, StringType, StructType

    kinds: dict[str, Any] = {"b": BooleanType(), "i": LongType(), "f": DoubleType()}
    label = kinds.get(model.classes_.dtype.kind, StringType())
    fields = StructType().add(f"{prefix}prediction", label, nullable=False)
    for name in model.classes_.tolist():
        fields = fields.add(f"{prefix}probability_{name_of(name)}", DoubleType(), nullable=False)
    return fields.add(f"{prefix}verdict", BooleanType(), nullable=False)


def _shared(frame: DataFrame, text: str) -> Callable[[], str]:
    """Send a text to all workers once; with Spark Connect, along with every stage."""
    try:
        broadcast = frame.sparkSession.sparkContext.broadcast(text)
    except Exception as error:
        # Spark Connect has no context, and an error of its own for that.
        if "sparkContext" not in str(error) and "JVM" not in str(error):
            raise
        return lambda: text
    return lambda: broadcast.value


@lru_cache(maxsize=4)
def _read_once(text: str) -> Loaded:
    """Read a model, once in every Python worker."""
    clf = loads(text)
    return clf.set_params(n_jobs=1)  # Spark has a task on every core already


def _with_answers(
    batch: pa.RecordBatch, clf: Loaded, needed: list[str], names: list[str]
) -> pa.RecordBatch:
    features = clf._model.features()
    columns = [
        _exact(batch.column(name), is_category=feature[1] is not None)
        for name, feature in zip(needed, features, strict=True)
    ]
    if batch.num_rows:
        found = clf.predict_all(pa.table(columns, names=needed))
        probabilities, decided, classes = found.probabilities, found.decided, found.classes
    else:
        probabilities = np.empty((0, len(clf.classes_)))
        decided, classes = np.empty(0, dtype=np.bool_), clf.classes_[:0]
    answers = [_labels(classes), *map(pa.array, probabilities.T), pa.array(decided)]
    fields = [pa.field(name, column.type) for name, column in zip(names, answers, strict=True)]
    schema = pa.schema([*batch.schema, *fields])
    return pa.RecordBatch.from_arrays([*batch.columns, *answers], schema=schema)


def _exact(column: pa.Array, *, is_category: bool) -> pa.Array:
    """Return categories that are whole numbers as text: gaps would make large ones inexact."""
    return column.cast(pa.string()) if is_category and pa.types.is_integer(column.type) else column


def _labels(classes: NDArray[Any]) -> pa.Array:
    """Return labels in the type of their column."""
    kind = classes.dtype.kind
    if kind in "bf":
        return pa.array(classes)
    if kind == "i":
        return pa.array(classes, pa.int64())
    return pa.array([*map(name_of, classes.tolist())], pa.string())
