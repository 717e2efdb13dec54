"""Fitting a tree to the rows of a Spark frame."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from .._agreement import Agreement, agree, merge_notes
from .._classifier import TernaryTreeClassifier
from .._fit_in_partitions import finish, recipe_for, refuse_unsupported
from .._partition_rows import answer, no_rows, partition_of, read_rows
from .._ternwood import Coordinator, Partition, merge_answers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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
        agreement = agree(merge_notes(notes), names, clf.categorical_features)
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
