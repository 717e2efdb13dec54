"""Do the command and the package make the same model of the same table?"""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
from conftest import SOAK

from ternwood import DataWarning, TernaryTreeClassifier

N_TABLES = 12 * max(1, SOAK)


def words(random, n):
    return random.choice(["red", "green", "blue", "very dark"], n)


def numbers(random, n):
    return np.round(random.normal(50, 20, n), 2)


def whole(random, n):
    return random.integers(-5, 40, n)


def percentages(random, n):
    return [f"{share}%" for share in np.round(random.random(n) * 100, 1)]


def dates(random, n):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, n), unit="D")
    return days.strftime("%Y-%m-%d")


def german_dates(random, n):
    days = pd.Timestamp("2020-01-13") + pd.to_timedelta(random.integers(0, 900, n), unit="D")
    return days.strftime("%d.%m.%Y")


def unclear_dates(random, n):
    return [f"0{day}/0{month}/2021" for day, month in random.integers(1, 5, (n, 2))]


def times(random, n):
    seconds = pd.to_timedelta(random.integers(0, 10**7, n), unit="s")
    return (pd.Timestamp("2020-01-01") + seconds).strftime("%Y-%m-%d %H:%M:%S")


def zoned_times(random, n):
    seconds = pd.to_timedelta(random.integers(0, 10**7, n), unit="s")
    return (pd.Timestamp("2020-01-01") + seconds).strftime("%Y-%m-%dT%H:%M:%SZ")


def booleans(random, n):
    return random.choice(["True", "False"], n)


def small_booleans(random, n):
    return random.choice(["true", "false"], n)


def padded_codes(random, n):
    return [f"{code:03}" for code in random.integers(0, 30, n)]


def mostly_numbers(random, n):
    return [*map(str, random.integers(0, 30, n - 1)), "n.d."]


def sizes(random, n):
    return random.choice(["S", "M", "L"], n)


def constants(random, n):
    return ["same"] * n


def identifiers(random, n):
    return [f"P{number:04}" for number in random.permutation(n)]


COLUMNS = [
    words,
    sizes,
    constants,
    identifiers,
    numbers,
    whole,
    percentages,
    dates,
    german_dates,
    unclear_dates,
    times,
    zoned_times,
    booleans,
    small_booleans,
    padded_codes,
    mostly_numbers,
]


# Polars guesses dates that can be read in two ways, and does not keep the notation of others.
LEFT_OUT = {"polars with dates": {german_dates, unclear_dates}}


def random_csv(seed, path, left_out=frozenset()):
    """Write a table of random columns, some with gaps, and a target."""
    columns = [column for column in COLUMNS if column not in left_out]
    random = np.random.default_rng(seed)
    n = int(random.integers(60, 160))
    chosen = random.choice(len(columns), 6, replace=False)
    table = pd.DataFrame({columns[it].__name__: columns[it](random, n) for it in chosen}, dtype=str)
    for name in table.columns[::2]:
        spelling = random.choice(["", "", "NA"])
        table.loc[random.random(n) < 0.1, name] = spelling
    score = sum(table[name].map(hash_of) for name in table.columns)
    labels = [["no", "yes"], [0, 1], [3, 1, 2]][seed % 3]
    table["target"] = [labels[int(value) % len(labels)] for value in score // 3]
    table.to_csv(path, index=False)


def hash_of(text):
    """Return a number for a text that is the same in every process."""
    return sum(ord(letter) for letter in text) % 7


def with_types(frame):
    """Declare the categories of a pandas frame."""
    types = {"words": "category", "sizes": pd.CategoricalDtype(["S", "M", "L"], ordered=True)}
    return frame.astype({name: kind for name, kind in types.items() if name in frame})


READERS = {
    "pandas": pd.read_csv,
    "pandas with types": lambda path: with_types(pd.read_csv(path)),
    "pandas with pyarrow": lambda path: pd.read_csv(path, dtype_backend="pyarrow"),
    "polars": lambda path: pl.read_csv(path, infer_schema_length=None),
    "polars with dates": lambda path: pl.read_csv(
        path, infer_schema_length=None, try_parse_dates=True
    ),
    "pyarrow": pa.csv.read_csv,
}


def without(frame, column):
    """Leave out a column."""
    if isinstance(frame, pd.DataFrame):
        return frame.drop(columns=column)
    return frame.drop(column) if isinstance(frame, pl.DataFrame) else frame.drop_columns(column)


def divided(frame):
    """Divide a frame into features and target."""
    y = frame["target"]
    if isinstance(frame, pa.Table):
        y = pd.Series(y.to_pylist(), name="target")
    return without(frame, "target"), y


OPTIONS = ["--zone", "margin", "--max-depth", 3]


def of_frame(path, X, y):
    """Return the bytes of the model of a frame."""
    TernaryTreeClassifier(max_depth=3).fit(X, y).save(path)
    return path.read_bytes()


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("seed", range(N_TABLES))
def test_a_file_and_its_frames_give_the_same_model(command, tmp_path, seed, reader):
    path, model = tmp_path / "table.csv", tmp_path / "command.json"
    random_csv(seed, path, LEFT_OUT.get(reader, frozenset()))
    X, y = divided(READERS[reader](path))
    has = set(X.columns if reader != "pyarrow" else X.column_names)
    is_ordered = reader == "pandas with types" and "sizes" in has
    order = ["--ordered", "sizes=S<M<L"] if is_ordered else []
    command("fit", path, "-t", "target", "-o", model, *OPTIONS, *order)
    if "identifiers" in has:  # which the command leaves out
        X = without(X, "identifiers")
    assert of_frame(tmp_path / "python.json", X, y) == model.read_bytes()


@pytest.fixture
def visits(tmp_path):
    """Return a table with an identifier, an empty column and categories."""
    random = np.random.default_rng(1)
    n = 90
    table = pd.DataFrame(
        {
            "id": range(n),
            "empty": [None] * n,
            "dose": random.integers(0, 50, n),
            "grade": random.choice(["low", "mid", "high"], n),
        }
    )
    noise = random.random(n) < 0.1
    table["ill"] = np.where((table["dose"] > 20) & (table["grade"] != "mid") ^ noise, "yes", "no")
    table.to_csv(tmp_path / "visits.csv", index=False)
    return table


def fitted_by_command(command, tmp_path, *options):
    model = tmp_path / "command.json"
    command("fit", tmp_path / "visits.csv", "-t", "ill", "-o", model, *OPTIONS, *options)
    return model.read_bytes()


def test_python_keeps_identifiers_and_empty_columns(command, visits, tmp_path):
    theirs = fitted_by_command(command, tmp_path)
    X, y = visits.drop(columns="ill"), visits["ill"]
    with pytest.warns(DataWarning, match="row numbers in column 'id'"):
        assert of_frame(tmp_path / "all.json", X, y) != theirs
    assert of_frame(tmp_path / "some.json", X.drop(columns=["id", "empty"]), y) == theirs


def test_a_type_of_categories_says_more_than_a_file(command, visits, tmp_path):
    theirs = fitted_by_command(command, tmp_path)
    X, y = visits[["dose", "grade"]], visits["ill"]
    model = tmp_path / "frame.json"
    assert of_frame(model, X.astype({"grade": "category"}), y) == theirs
    more = X.assign(grade=pd.Categorical(X["grade"], ["low", "mid", "high", "none"]))
    assert of_frame(model, more, y) != theirs
    ordered = X.assign(grade=pd.Categorical(X["grade"], ["low", "mid", "high"], ordered=True))
    order = ["--ordered", "grade=low<mid<high"]
    assert of_frame(model, ordered, y) == fitted_by_command(command, tmp_path, *order, "--force")


def test_labels_without_a_name_are_no_column(command, visits, tmp_path):
    theirs = json.loads(fitted_by_command(command, tmp_path))
    X, y = visits[["dose", "grade"]], visits["ill"].to_numpy()
    ours = json.loads(of_frame(tmp_path / "frame.json", X, y))
    assert theirs["schema"].pop("target") == "ill"
    assert ours["schema"] == theirs["schema"]


def test_text_with_a_space_around_it_and_codes_are_what_they_are_in_a_file(command, tmp_path):
    frame = pd.DataFrame({"x": [" 1", "02 ", "?", "NA"] * 10, "word": ["a ", "a", " b", "b"] * 10})
    frame["y"] = ["no", "yes", "no", "yes"] * 10
    frame.rename(columns={"y": "ill"}).to_csv(tmp_path / "visits.csv", index=False)
    theirs = fitted_by_command(command, tmp_path)
    y = frame["y"].rename("ill")
    assert of_frame(tmp_path / "frame.json", frame[["x", "word"]], y) == theirs
