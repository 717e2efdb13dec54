"""Engines that run the SQL of a model."""

import json
import sqlite3

import duckdb
import numpy as np
import pandas as pd
from random_models import check_probabilities

import ternwood


def _value(x):
    """Return a cell as a database takes it: None for what is missing."""
    if x is None or (isinstance(x, float) and np.isnan(x)):
        return None
    return x.item() if isinstance(x, np.generic) else x


def cells(rows):
    """Yield the rows with their number."""
    lists = [rows[name].astype(object).tolist() for name in rows.columns]
    for number, values in enumerate(zip(*lists, strict=True)):
        yield [number, *map(_value, values)]


def types(rows, *, number, whole, boolean, text):
    """Return the type of every column in an engine."""
    kinds = {"f": number, "i": whole, "b": boolean}
    dtypes = (rows[name].dtype for name in rows.columns)
    return [kinds.get(getattr(dtype, "kind", "O"), text) for dtype in dtypes]


def quoted(name):
    return '"' + str(name).replace('"', '""') + '"'


def _created(columns, rows, types):
    fields = ", ".join(f"{quoted(c)} {t}" for c, t in zip(columns, types, strict=True))
    return f"CREATE TABLE rows (id INTEGER, {fields})"


def in_sqlite(query, rows, columns):
    """Answer by Python's own SQLite."""
    base = sqlite3.connect(":memory:")
    kinds = types(rows, number="REAL", whole="INTEGER", boolean="INTEGER", text="TEXT")
    base.execute(_created(columns, rows, kinds))
    marks = ", ".join("?" * (len(columns) + 1))
    base.executemany(f"INSERT INTO rows VALUES ({marks})", cells(rows))
    cursor = base.execute(query)
    return answers(cursor.description, cursor.fetchall())


def in_duckdb(query, rows, columns):
    """Answer by DuckDB; NaN stays NaN there."""
    base = duckdb.connect()
    frame = rows.copy()
    for name in frame.columns:
        if frame[name].dtype.kind not in "fib":
            frame[name] = frame[name].astype(object).where(frame[name].notna(), None)
    frame.columns = columns
    frame.insert(0, "id", range(len(rows)))
    base.register("rows", frame)
    cursor = base.execute(query)
    return answers(cursor.description, cursor.fetchall())


def answers(description, found):
    """Return the answers as a frame, in the order of the rows."""
    table = pd.DataFrame(found, columns=[field[0] for field in description], dtype=object)
    return table.sort_values("id", ignore_index=True)


def check(table, clf, rows):
    """Compare with the model: classes and verdicts, and every bit of the probabilities."""
    assert table.columns.tolist()[:3] == ["id", "prediction", "decided"]
    names = [str(n).lower() if isinstance(n, bool) else n for n in clf.classes_.tolist()]
    assert table.columns.tolist()[3:-1] == [f"p_{name}" for name in names]
    assert table.columns[-1] == "reason"
    np.testing.assert_array_equal(table["decided"].astype(bool), clf.predict_decided(rows))
    probabilities = table.iloc[:, 3:-1].to_numpy(dtype=float)
    check_probabilities(probabilities, clf, rows)
    predicted = table["prediction"].to_numpy().astype(clf.classes_.dtype)
    np.testing.assert_array_equal(predicted, clf.predict(rows))
    np.testing.assert_array_equal(table["reason"].isna(), table["decided"].astype(bool))


def of_dates(folder):
    """Return a tree of dates and times, as of the command, and some as texts and as numbers."""
    dates, rank = pd.date_range("1969-12-25", periods=40, freq="31h"), np.arange(40)
    # The days in another order than the moments.
    mixed = 17 * rank % 40
    midnights = dates[mixed].normalize()
    seconds = (dates - pd.Timestamp(0)) / pd.Timedelta(seconds=1) + 0.125 * rank
    numbers = pd.DataFrame(
        {"day": (midnights - pd.Timestamp(0)) / pd.Timedelta(days=1), "moment": seconds}
    )
    moment = pd.Timestamp(0) + pd.to_timedelta(seconds, unit="s")
    texts = pd.DataFrame(
        {
            "day": midnights.strftime("%Y-%m-%d"),
            "moment": moment.map(lambda it: it.isoformat(sep=" ", timespec="milliseconds")),
        }
    )
    zone = ternwood.zones.Specified({"day": 2.0, "moment": 90_000.0})
    labels = 2 * (rank // 20) + mixed // 20
    clf = ternwood.TernaryTreeClassifier(zone=zone).fit(numbers, labels)
    document = json.loads(clf.to_json())
    for feature, notation in zip(
        document["schema"]["features"],
        [{"date": "%Y-%m-%d"}, {"time": "%Y-%m-%d %H:%M:%S"}],
        strict=True,
    ):
        feature["notation"] = notation
    file = folder / "dates.json"
    file.write_text(json.dumps(document))
    return ternwood.load(file, accept_edited=True), texts, numbers
