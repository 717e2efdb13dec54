"""Does PostgreSQL give the same answers and verdicts? Run by `make test-postgres`."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import case
from sql_engines import answers, cells, check, of_dates, quoted, types

from ternwood import TernaryTreeClassifier

pytestmark = pytest.mark.skipif(
    "TERNWOOD_POSTGRES" not in os.environ, reason="PostgreSQL is asked by `make test-postgres`"
)


def _server():
    """Return the folder of the server's programs; None if there is no server."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@pytest.fixture(scope="module")
def base():
    """Start a server of our own, without a port, and stop it afterwards."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    programs = _server()
    if programs is None:
        pytest.skip("there is no PostgreSQL server (Debian: apt-get install postgresql)")
    # Not in pytest's folder, which only we may enter: the server refuses to run as root.
    with tempfile.TemporaryDirectory(prefix="ternwood-postgres-") as folder:
        as_user = []
        if os.geteuid() == 0:
            as_user = ["runuser", "-u", "postgres", "--"]
            shutil.chown(folder, "postgres")

        def run(program, *options):
            command = [*as_user, str(programs / program), "-D", f"{folder}/data", *options]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)

        yield from _connection(psycopg, Path(folder), run)


def _connection(psycopg, folder, run):
    """Connect to a server that is started in the folder and stopped afterwards."""
    run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8")
    settings_ = f"-k {folder} -c listen_addresses='' -c fsync=off"
    run("pg_ctl", "-o", settings_, "-l", str(folder / "log"), "-w", "start")
    try:
        where = f"host={folder} user=postgres dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            yield connection
    finally:
        run("pg_ctl", "-m", "fast", "-w", "stop")


def ask(base, clf, rows, kinds=None):
    columns = [f"column {index}" for index in range(rows.shape[1])]
    kinds = kinds or types(rows, number="float8", whole="bigint", boolean="boolean", text="text")
    fields = ", ".join(f"{quoted(c)} {t}" for c, t in zip(columns, kinds, strict=True))
    base.execute("DROP TABLE IF EXISTS rows")
    base.execute(f"CREATE TABLE rows (id integer, {fields})")
    marks = ", ".join(["%s"] * (len(columns) + 1))
    with base.cursor() as cursor:
        cursor.executemany(f"INSERT INTO rows VALUES ({marks})", cells(rows))
    query = clf.to_sql("rows", dialect="postgres", keys="id", columns=columns)
    cursor = base.execute(query)
    return answers(cursor.description, cursor.fetchall())


# PostgreSQL makes an error of a product that underflows, so numbers are of usual size here.
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_trees_are_answered_as_predicted(base, seed):
    clf, rows = case(seed, extreme=False)
    check(ask(base, clf, rows), clf, rows)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_small_forests_are_answered_as_predicted(base, seed):
    clf, rows = case(seed, forest=True, extreme=False)
    check(ask(base, clf, rows), clf, rows)


def test_dates_and_times_are_numbers(base, tmp_path):
    clf, texts, numbers = of_dates(tmp_path)
    check(ask(base, clf, texts, kinds=["date", "timestamp"]), clf, numbers)


def test_null_and_nan_are_missing_and_infinity_cannot_be_read(base):
    clf = TernaryTreeClassifier().fit(pd.DataFrame({"x": [1.0, 2, 3, 4]}), [0, 0, 1, 1])
    base.execute("DROP TABLE IF EXISTS rows")
    base.execute("CREATE TABLE rows (id integer, x float8)")
    values = "(0, NULL), (1, 'NaN'), (2, 'Infinity'), (3, '-Infinity'), (4, '1')"
    base.execute(f"INSERT INTO rows VALUES {values}")
    found = base.execute(clf.to_sql("rows", dialect="postgres", keys="id"))
    missing = "not covered: the training table had no gaps in x"
    unreadable = "not covered: x cannot be read"
    reasons = answers(found.description, found.fetchall())["reason"].tolist()
    assert reasons == [missing, missing, unreadable, unreadable, None]


def test_names_that_are_sql_stay_names(base):
    name, letter = 'ternwood_"; DROP TABLE t; --', "\U0001d518"
    table = pd.DataFrame({name: [1.0, 2, 3, 4]})
    clf = TernaryTreeClassifier().fit(table, [letter, letter, "'", "'"])
    base.execute(f"CREATE TABLE {quoted(name)} (id integer, {quoted(name)} float8)")
    base.execute(f"INSERT INTO {quoted(name)} VALUES (0, 1)")
    found = base.execute(clf.to_sql(name, dialect="postgres", keys="id"))
    assert [field[0] for field in found.description][3:5] == ["p_'", f"p_{letter}"]
    assert found.fetchall() == [(0, letter, True, 0.0, 1.0, None)]
