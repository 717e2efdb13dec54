"""Predictions as columns of a Spark frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._files import from_json
from .._table import name_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from .._files import Loaded


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
    clf = from_json(text)
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
        probabilities, verdicts, classes = found.probabilities, found.verdicts, found.classes
    else:
        probabilities = np.empty((0, len(clf.classes_)))
        verdicts, classes = np.empty(0, dtype=np.bool_), clf.classes_[:0]
    answers = [_labels(classes), *map(pa.array, probabilities.T), pa.array(verdicts)]
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
