"""Does SQL give the same answers and verdicts, to the bit?"""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import case, more_than_all
from sql_engines import answers, check, in_duckdb, in_sqlite, of_dates

from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    VerdictClassifier,
)

ENGINES = {"sqlite": in_sqlite, "duckdb": in_duckdb, "generic": in_duckdb}


def ask(engine, clf, rows):
    """Return the engine's answers; columns have plain names, as not all engines take others."""
    columns = [f"column {index}" for index in range(rows.shape[1])]
    query = clf.to_sql("rows", dialect=engine, keys="id", columns=columns)
    return ENGINES[engine](query, rows, columns)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_trees_are_answered_as_predicted(engine, seed):
    clf, rows = case(seed)
    check(ask(engine, clf, rows), clf, rows)


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_small_forests_are_answered_as_predicted(engine, seed):
    clf, rows = case(seed, forest=True)
    check(ask(engine, clf, rows), clf, rows)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_share_exceeds_the_row(engine):
    clf, rows = more_than_all()
    check(ask(engine, clf, rows), clf, rows)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_hostile_names_stay_names_in_sqlite(seed):
    clf, rows = case(seed)
    query = clf.to_sql("rows", dialect="sqlite", keys="id")
    assert query == clf.to_sql("rows", dialect="sqlite", keys="id")
    check(in_sqlite(query, rows, [*rows.columns]), clf, rows)


def test_hostile_tables_and_keys_stay_names():
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 4]}), [0, 0, 1, 1]
    clf = TernaryTreeClassifier().fit(X, y)
    base = sqlite3.connect(":memory:")
    base.execute('CREATE TABLE "ternwood_""; DROP TABLE t; --" (x REAL, "k""; --" TEXT)')
    base.execute("""INSERT INTO "ternwood_""; DROP TABLE t; --" VALUES (1, 'it''s')""")
    query = clf.to_sql('ternwood_"; DROP TABLE t; --', dialect="sqlite", keys='k"; --')
    cursor = base.execute(query)
    assert cursor.description[0][0] == 'k"; --'
    assert cursor.fetchall() == [("it's", 0, 1, 1.0, 0.0, None)]


def test_what_cannot_be_read_is_undecided_and_said_so():
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 4]}), [0, 0, 1, 1]
    clf = TernaryTreeClassifier().fit(X, y)
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE rows (id INTEGER, x)")
    values = ["12?5", "", b"1", float("inf"), float("-inf"), 2.4, None, 1]
    base.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(values))
    answers = base.execute(clf.to_sql("rows", dialect="sqlite", keys="id")).fetchall()
    reasons = [answer[-1] for answer in answers]
    assert reasons[:5] == ["not covered: x cannot be read"] * 5
    assert reasons[5:] == [
        "x lies within the uncertainty zone from 2.0 to 3.0",
        "not covered: the training table had no gaps in x",
        None,
    ]
    assert {answer[2] for answer in answers[:5]} == {0}


def test_null_and_nan_are_missing_and_infinity_cannot_be_read():
    clf = TernaryTreeClassifier().fit(pd.DataFrame({"x": [1.0, 2, 3, 4]}), [0, 0, 1, 1])
    base = duckdb.connect()
    values = "(0, NULL), (1, 'NaN'), (2, 'Infinity'), (3, '-Infinity'), (4, '1')"
    base.execute(f"CREATE TABLE rows AS SELECT * FROM (VALUES {values}) AS t(id, x)")
    base.execute("ALTER TABLE rows ALTER x TYPE DOUBLE")
    missing = "not covered: the training table had no gaps in x"
    unreadable = "not covered: x cannot be read"
    for dialect, infinite in (("duckdb", unreadable), ("generic", missing)):
        found = base.execute(clf.to_sql("rows", dialect=dialect, keys="id"))
        reasons = answers(found.description, found.fetchall())["reason"].tolist()
        assert reasons == [missing, missing, infinite, infinite, None]


@pytest.mark.parametrize("engine", ENGINES)
def test_dates_and_times_are_numbers(engine, tmp_path):
    clf, texts, numbers = of_dates(tmp_path)
    query = clf.to_sql("rows", dialect=engine, keys="id")
    if engine != "sqlite":
        texts = texts.assign(day=pd.to_datetime(texts["day"]).dt.date)
        texts["moment"] = pd.to_datetime(texts["moment"])
    check(ENGINES[engine](query, texts, [*texts.columns]), clf, numbers)


def test_a_date_that_is_none_cannot_be_read(tmp_path):
    clf, texts, _ = of_dates(tmp_path)
    rows = texts[:1].assign(day="soon", moment="later")
    reasons = in_sqlite(clf.to_sql("rows", dialect="sqlite", keys="id"), rows, [*rows])["reason"]
    assert reasons[0].endswith(" cannot be read")


def test_a_column_that_is_not_there_is_an_error():
    clf = TernaryTreeClassifier().fit(pd.DataFrame({"x": [1.0, 2]}), [0, 1])
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE rows (y REAL)")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        base.execute(clf.to_sql("rows", dialect="sqlite"))


def test_verdicts_around_a_tree_come_along(cancer):
    X, y = cancer
    clf = VerdictClassifier(TernaryTreeClassifierCV(max_depth=3), flag_rate=0.1).fit(X, y)
    rows = pd.DataFrame(X, columns=[f"x{index}" for index in range(X.shape[1])])
    query = clf.to_sql("rows", dialect="duckdb", keys="id")
    found = in_duckdb(query, rows, [*rows.columns])
    np.testing.assert_array_equal(found["decided"].astype(bool), clf.predict_decided(X))


def test_what_does_not_fit_is_refused(cancer, noisy):
    X, y = cancer
    clf = TernaryTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="dialect is oracle; allowed: sqlite, duckdb"):
        clf.to_sql("rows", dialect="oracle")
    with pytest.raises(ValueError, match="keys is 'decided'; allowed: columns that the query"):
        clf.to_sql("rows", keys=["decided"])
    with pytest.raises(ValueError, match="the list of columns has length 1, but 30 was expected"):
        clf.to_sql("rows", columns=["x"])
    with pytest.raises(ValueError, match="letter that SQL cannot write; rename it"):
        clf.to_sql("a\0b")
    deep = TernaryTreeClassifier().fit(*noisy)
    with pytest.raises(ValueError, match=r"needs \d+ columns, and postgres takes 1664; export a"):
        deep.to_sql("rows", dialect="postgres")
    forest = TernaryForestClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"the forest has \d+ nodes, and a query takes 1000"):
        forest.to_sql("rows")
    with pytest.raises(AttributeError):
        VerdictClassifier(forest.estimators_[0].__class__).to_sql  # noqa: B018
