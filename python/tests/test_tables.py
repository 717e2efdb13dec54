"""Do tables of every kind give the same numbers, and mistakes clear errors?"""

import contextlib
import datetime
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ternwood import DataWarning, TernaryTreeClassifier, VerdictClassifier


def fit(X, y, **parameters):
    return TernaryTreeClassifier(max_depth=4, **parameters).fit(X, y)


def same_predictions(clf, one, other):
    pairs = zip(clf.predict_all(one), clf.predict_all(other), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


PANDAS = {
    "category": {"job": "category", "smoker": "category"},
    "object": {"job": object, "smoker": object, "age": object},
    "nullable": {"job": "string", "smoker": "boolean", "age": "Float64"},
    "arrow": {
        "job": pd.ArrowDtype(pa.string()),
        "smoker": pd.ArrowDtype(pa.bool_()),
        "age": pd.ArrowDtype(pa.float64()),
    },
    "sparse": {"age": pd.SparseDtype(float)},
}


@pytest.mark.parametrize("dtypes", PANDAS.values(), ids=PANDAS)
def test_every_dtype_of_pandas_gives_the_same_model(wards, dtypes):
    X, y = wards
    reference = fit(X, y)
    assert fit(X.astype(dtypes), y).to_json() == reference.to_json()
    assert same_predictions(reference, X, X.astype(dtypes))


def in_two(table):
    return pa.concat_tables([table[:9], table[9:]])


def with_jobs(table, jobs):
    return table.set_column(1, "job", jobs)


FRAMES = {
    "polars": pl.from_arrow,
    "polars Categorical": lambda t: pl.from_arrow(t).cast({"job": pl.Categorical}),
    "polars Enum": lambda t: pl.from_arrow(t).cast(
        {"job": pl.Enum(["clerk", "cook", "judge", "nurse", "pilot"])}
    ),
    "polars Decimal": lambda t: pl.from_arrow(t).cast({"age": pl.Decimal(10, 1)}),
    "pyarrow": lambda t: t,
    "pyarrow chunks": in_two,
    "pyarrow dictionary": lambda t: with_jobs(in_two(t), in_two(t)["job"].dictionary_encode()),
    "pyarrow large": lambda t: with_jobs(t, t["job"].cast(pa.large_string())),
}


@pytest.mark.parametrize("convert", FRAMES.values(), ids=FRAMES)
def test_every_kind_of_frame_gives_the_same_model(wards, convert):
    X, y = wards
    X = X.drop(columns="size")
    frame = convert(pa.Table.from_pandas(X, preserve_index=False))
    reference = fit(X, y)
    clf = fit(frame, y)
    assert clf.to_json() == reference.to_json()
    assert clf.feature_names_in_.tolist() == ["age", "job", "smoker"]
    assert same_predictions(reference, X, frame)
    assert set(reference.tree_.kind) >= {"threshold", "categories"}


def test_every_missing_value_is_the_same():
    y = [0, 0, 1, 1, 1] * 4
    words = ["a", "b", "a", "b"]
    columns = [
        pd.Series([*words, missing] * 4, dtype=dtype)
        for missing, dtype in [
            (None, object),
            (np.nan, object),
            (pd.NA, object),
            (pd.NaT, object),
            (None, "category"),
            (pd.NA, "string"),
            (np.nan, "str"),
        ]
    ]
    models = {fit(column.to_frame("word"), y).to_json() for column in columns}
    assert len(models) == 1
    arrays = [np.array([[1.0], [2.0], [3.0], [4.0], [gap]], dtype=object) for gap in (None, pd.NA)]
    numbers = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan]])
    for array in arrays:
        assert fit(array, y[:5]).to_json() == fit(numbers, y[:5]).to_json()
    empty = pl.DataFrame({"x": pl.Series([None] * 5, dtype=pl.Null), "z": numbers[:, 0]})
    nulls = pa.table({"x": pa.nulls(5), "z": numbers[:, 0]})
    nones = pd.DataFrame({"x": pd.Series([None] * 5, dtype=object), "z": numbers[:, 0]})
    clf = fit(nones, y[:5])
    assert clf.to_json() == fit(empty, y[:5]).to_json() == fit(nulls, y[:5]).to_json()
    # A column without any value may get values of every kind later.
    for value in ("word", 1.5, True):
        assert clf.predict(nones.assign(x=value)).tolist() == clf.predict(nones).tolist()


def test_an_array_of_numbers_is_not_copied(noisy):
    X, _ = noisy
    clf = fit(*noisy)
    assert clf._rows(X) is X
    assert np.shares_memory(clf._rows(pd.DataFrame(X, copy=False)), X)


BAD_COLUMNS = {
    "period": (pd.Series(pd.period_range("2020", periods=4, freq="D")), r"dtype period\[D\]"),
    "interval": (pd.Series(pd.interval_range(0, 4)), "dtype interval"),
    "complex": (pd.Series([1j, 2j, 3j, 4j]), "dtype complex128"),
    "lists": (pd.Series([[1], [2], [3], [4]]), "values of type list"),
    "mixed": (pd.Series([1, "a", 2, "b"]), "values of type int, str"),
    "bytes": (pd.Series([b"a"] * 4), "values of type bytes"),
    "polars list": (pl.Series([[1]] * 4), "dtype List"),
    "polars struct": (pl.Series([{"a": 1}] * 4), "dtype Struct"),
    "arrow list": (pa.array([[1]] * 4), "dtype list"),
    "arrow bytes": (pa.array([b"a"] * 4), "dtype binary"),
}


@pytest.mark.parametrize("kind", BAD_COLUMNS)
def test_a_column_that_cannot_be_read_is_named_with_its_dtype_and_a_remedy(kind):
    column, problem = BAD_COLUMNS[kind]
    fine = [1, 2, 3, 4]
    frames = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = frames[type(column).__module__.split(".")[0]]({"ok": fine, "when": column})
    with pytest.raises(TypeError, match=rf"column 'when' \(index 1, .*{problem}") as error:
        TernaryTreeClassifier().fit(frame, [0, 1, 0, 1])
    assert "convert the column to one of these, or leave it out" in str(error.value)


@pytest.mark.parametrize("unit", ["datetime64[D]", "timedelta64[D]"])
def test_an_array_of_dates_is_no_array_of_numbers(unit):
    days = np.arange(4).astype(unit)[:, None]
    with pytest.raises(TypeError, match=r"column 'x0' \(index 0, dtype .*\[D\]\) cannot be read"):
        TernaryTreeClassifier().fit(days, [0, 1, 0, 1])


DAYS = ["2024-03-01", "2024-05-01", None, "2024-05-02"]
NOON = "2024-05-02 12:00:00"


def dated(words, unit="ns", zone=None):
    return pd.Series(
        pd.to_datetime(words, format="ISO8601").as_unit(unit).tz_localize(zone)
    ).to_frame("when")


DATES = {
    "pandas": dated(DAYS),
    "pandas seconds": dated(DAYS, "s"),
    "pandas UTC": dated(DAYS, zone="UTC"),
    "text": pd.DataFrame({"when": DAYS}),
    "objects": pd.DataFrame(
        {"when": [None if day is None else datetime.date.fromisoformat(day) for day in DAYS]}
    ),
    "polars": pl.DataFrame({"when": pl.Series(DAYS).str.to_date()}),
    "pyarrow": pa.table({"when": pa.array(dated(DAYS)["when"], pa.timestamp("us"))}),
}


@pytest.mark.parametrize("kind", DATES)
def test_dates_are_days_and_read_as_dates(kind):
    y = [0, 1, 0, 1]
    reference = TernaryTreeClassifier().fit(DATES["pandas"], y)
    clf = TernaryTreeClassifier().fit(DATES[kind], y)
    assert clf.to_json() == reference.to_json()
    assert clf._rows(DATES[kind])[[0, 1, 3], 0].tolist() == [19783, 19844, 19845]
    assert "2024-0" in clf.export_text()
    # Times, and days as numbers, mean the same to a model of days.
    times = dated([*DAYS[:3], NOON])
    assert clf._rows(times)[[0, 3], 0].tolist() == [19783, 19845.5]
    assert clf._rows(pd.DataFrame({"when": [19783.0]})).tolist() == [[19783]]


def test_times_are_seconds_in_utc_and_durations_are_seconds():
    berlin = dated([*DAYS, NOON], zone="Europe/Berlin")
    rows = TernaryTreeClassifier().fit(berlin, [0, 1, 0, 1, 1])._rows(berlin)
    assert rows[4, 0] == pd.Timestamp("2024-05-02 10:00", tz="UTC").timestamp()
    polars = pl.from_pandas(berlin)
    assert np.array_equal(
        TernaryTreeClassifier().fit(polars, [0, 1, 0, 1, 1])._rows(polars), rows, equal_nan=True
    )
    lasted = pd.DataFrame({"lasted": pd.to_timedelta([1500, -1, 0, 60_000], "ms")})
    clf = TernaryTreeClassifier().fit(lasted, [0, 1, 0, 1])
    assert clf._rows(lasted)[:, 0].tolist() == [1.5, -0.001, 0, 60]


def test_frames_that_have_no_rows_or_names_of_their_own():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": ["x", "y", "x", "y"]})
    y = [0, 1, 0, 1]
    with pytest.raises(TypeError, match=r"X is a polars LazyFrame.*pass X\.collect\(\)"):
        TernaryTreeClassifier().fit(pl.from_pandas(frame).lazy(), y)
    for twice in (frame.set_axis(["a", "a"], axis=1), frame[["a", "a"]]):
        with pytest.raises(ValueError, match="X has two columns named 'a', at positions 0 and 1"):
            TernaryTreeClassifier().fit(twice, y)
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    relation = connection.from_arrow(pa.Table.from_pandas(frame))
    clf = TernaryTreeClassifier().fit(relation, y)
    assert clf.feature_names_in_.tolist() == ["a", "b"]
    assert clf.to_json() == TernaryTreeClassifier().fit(frame, y).to_json()


def test_an_index_changes_nothing_but_that_of_the_labels_is_compared():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": ["x", "y", "x", "y"]})
    y = pd.Series([0, 1, 0, 1])
    moved = frame.set_index(pd.Index([7, 5, 3, 1], name="id"))
    clf = TernaryTreeClassifier().fit(moved, y.set_axis(moved.index))
    assert clf.to_json() == TernaryTreeClassifier().fit(frame, y).to_json()
    for clf in (TernaryTreeClassifier(), VerdictClassifier(TernaryTreeClassifier(), cv=2)):
        # Four rows are too few to set a threshold with.
        with (
            pytest.warns(DataWarning, match=r"the index of y is not that of X.*y\.loc\[X\.index\]"),
            contextlib.suppress(ValueError),
        ):
            clf.fit(moved, y)


FITTED_FROM_PANDAS = """
import datetime
import subprocess
import sys
import sys
from decimal import Decimal


class NoPyarrow:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)


if sys.argv[1] == "without":
    sys.meta_path.insert(0, NoPyarrow())
import numpy as np
import pandas as pd

from ternwood import TernaryTreeClassifier

words = ["red", "green", None, "red", "blue", "green"]
seconds = pd.Series([1, 5, None, 3, 7, 86400], dtype="Int64")
moments = pd.to_datetime(seconds, unit="s")
X = pd.DataFrame(
    {
        "float": [1.5, np.nan, 2, 3, 4, 5],
        "integer": range(6),
        "boolean": [True, False, False, True, True, False],
        "nullable": seconds,
        "maybe": pd.array([True, None, False, True, False, True], dtype="boolean"),
        "word": words,
        "object": pd.Series(words, dtype=object),
        "string": pd.Series(words, dtype="string"),
        "category": pd.Categorical(words),
        "ordered": pd.Categorical(words, ["green", "blue", "red"], ordered=True),
        "interval": pd.cut([1.0, 2, 3, 4, 5, 6], [0, 3, 10]),
        "numbered": pd.Categorical([1, 2, 10, 2, None, 1]),
        "true or false": pd.Categorical([True, False, None, True, True, False]),
        "moment": moments,
        "zoned": moments.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        "duration": pd.to_timedelta(seconds.astype("float"), unit="s"),
        "day": pd.Series([datetime.date(2020, 1, day) for day in range(1, 7)], dtype=object),
        "decimal": pd.Series([Decimal(day) for day in range(6)], dtype=object),
        "sparse": pd.arrays.SparseArray([0.0, 0, 1, 0, 2, 0]),
        "text": [f"{n}%" for n in range(6)],
    }
)
clf = TernaryTreeClassifier().fit(X, [0, 1, 0, 1, 1, 0])
print(clf.to_json())
print(clf._rows(X).tolist())
print("pyarrow", sys.modules.get("pyarrow") is not None)
"""


def test_pandas_frames_need_no_pyarrow():
    with_and_without = []
    for how in ("with", "without"):
        run = [sys.executable, "-W", "ignore", "-c", FITTED_FROM_PANDAS, how]
        done = subprocess.run(run, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        with_and_without.append(done.stdout.splitlines())
    assert with_and_without[0][:-1] == with_and_without[1][:-1]
    assert with_and_without[1][-1] == "pyarrow False"


TEXTS = {
    "numbers": ([f"{n / 8}" for n in range(308)], "numbers as text in column 'x'.*'category'"),
    "percentages": (["1%", "2%", "3.5%"], "percentages as text in column 'x'.*'category'"),
    "dates": (["2020-01-01", "2020-01-02", "2020-01-02"], "dates as text in column 'x'"),
    "gaps": (["red", "blue", "None"], "missing value, such as 'None', in column 'x'"),
    "words": (["1", "2", "n.d."], r"'n\.d\.' is not, .*pandas\.to_numeric\(X\['x'\]"),
    "no dates": (["2020-01-01", "2020-01-02", "soon"], "'soon' does not.*pandas.to_datetime"),
    "unclear": (["01/02/2020", "01/02/2020"], "'01/02/2020' .* look like dates.*%d/%m/%Y"),
    "commas": (["1,5", "2,5"], "'1,5' .* look like numbers written in another way"),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_text_that_could_be_something_else_is_warned_of(kind):
    values, message = TEXTS[kind]
    frame = pl.DataFrame({"x": values, kind: [1.0] * len(values)})
    y = [row % 2 for row in range(len(values))]
    with pytest.warns(DataWarning, match=message):
        TernaryTreeClassifier(max_depth=2).fit(frame, y)
    categories = frame.cast({"x": pl.Categorical})
    clf = TernaryTreeClassifier(max_depth=2).fit(categories, y)
    assert len(clf._model.features()[0][1]) == len(set(values))


def test_a_single_row_must_stay_a_table(wards):
    X, y = wards
    clf = fit(X, y)
    assert len(clf.predict(X.iloc[[0]])) == 1
    with pytest.raises(ValueError, match=r"X is a pandas Series.*X\.iloc\[\[0\]\]"):
        clf.predict(X.iloc[0])


def test_numbers_of_other_types_are_numbers():
    column = np.array([Decimal("1.5"), 2, np.float32(3.0), None], dtype=object)
    values = pd.DataFrame({"x": pd.Series(column)})
    clf = TernaryTreeClassifier().fit(values, [0, 0, 1, 1])
    assert clf._rows(values)[:3, 0].tolist() == [1.5, 2.0, 3.0]


def test_infinity_in_a_table_is_reported_by_row_and_column(wards):
    X, y = wards
    clf = fit(X, y)
    X.loc[7, "age"] = np.inf
    with pytest.raises(ValueError, match=r"infinity.*\n.*row 7, column 'age' \(index 0\)"):
        clf.predict(X)
    with pytest.raises(ValueError, match=r"infinity.*\n.*row 7, column 'age' \(index 0\)"):
        fit(X, y)
    with pytest.raises(ValueError, match=r"infinity.*\n.*row 7, column 'age' \(index 0\)"):
        fit(X, y, categorical_features=["age", "job", "size", "smoker"])


def test_a_table_with_too_few_rows_is_an_error():
    frame = pd.DataFrame({"word": ["a", "b"], "x": [1.0, 2.0]})
    with pytest.raises(ValueError, match="0 sample"):
        TernaryTreeClassifier().fit(frame[:0], [])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        TernaryTreeClassifier().fit(frame, [0])
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(1,\), expected \(2,\)"):
        TernaryTreeClassifier().fit(frame, [0, 1], [1.0])
    clf = TernaryTreeClassifier().fit(frame, [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        clf.predict(frame[:0])
    with pytest.raises(ValueError, match="names should match"):
        clf.predict(frame[["word"]])


def test_large_integers_with_gaps_round_like_those_without():
    """Arrow would refuse to turn 2**53 + 1 into a float."""
    y = ["low", "high"]
    whole = TernaryTreeClassifier().fit(pa.table({"a": [0, 2**53 + 1]}), y)
    gaps = pa.table({"a": [2**53 + 1, None, 0]})
    assert whole.predict(gaps)[[0, 2]].tolist() == ["high", "low"]
    fitted = TernaryTreeClassifier().fit(gaps, ["high", "high", "low"])
    assert fitted.predict(pa.table({"a": [2**53 + 1]})).tolist() == ["high"]
