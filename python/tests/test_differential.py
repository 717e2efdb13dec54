"""Do different ways to compute the same result agree, on random data?

`make test` runs a hundred cases each, `make soak` thousands of others.
"""

import csv
import subprocess

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import TARGET
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import ternwood
from ternwood import TernaryTreeClassifier, zones

# Cost-optimal zones need predictions, which hard-middle routing cannot give them.
ESTIMATED = sorted(set(zones.KINDS) - {"none", "specified", "cost_optimal"})


@st.composite
def data_sets(draw, most_rows=60):
    """Rows with or without ties, and classes that depend more or less on the first column."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_features = draw(st.integers(2, most_rows)), draw(st.integers(1, 4))
    X = random.normal(size=(n_rows, n_features))
    grid = draw(st.sampled_from([None, 1, 8, 1e-300]))
    X = X if grid is None else np.round(X * 4) * grid
    y = (X[:, 0] > np.median(X[:, 0])).astype(int) + random.integers(0, 2, n_rows)
    y[:2] = [0, 1]
    return X, y


@st.composite
def tables(draw, most_rows=60):
    """Rows with a number, an unordered and an ordered category, all with gaps, and classes."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_categories = draw(st.integers(2, most_rows)), draw(st.integers(1, 12))
    word = random.integers(0, n_categories, n_rows)
    size, number = random.integers(0, 3, n_rows), np.round(random.normal(size=n_rows), 1)
    table = pd.DataFrame(
        {
            "word": pd.Series([f"w{w}" for w in word], dtype=object),
            "size": pd.Categorical.from_codes(size, ["S", "M", "L"], ordered=True),
            "number": number,
        }
    ).mask(random.random((n_rows, 3)) < draw(st.sampled_from([0.0, 0.2])))
    n_classes = draw(st.integers(2, 4))
    y = (word % n_classes + (number > 0) + random.integers(0, 2, n_rows)) % n_classes
    y[:2] = [0, 1]
    return table, y


options = st.fixed_dictionaries(
    {
        "zone": st.sampled_from(ESTIMATED),
        "criterion": st.sampled_from(["gini", "entropy"]),
        "max_depth": st.sampled_from([None, 1, 3]),
        "min_samples_leaf": st.sampled_from([1, 3]),
        "random_state": st.integers(0, 2**32 - 1),
    }
)
routings = st.sampled_from(["probabilistic", "deferred", "hard_middle"])


@given(data_sets(), options, routings)
def test_one_thread_and_many_agree(data, chosen, routing):
    X, y = data
    one, many = (
        TernaryTreeClassifier(**chosen, routing=routing, n_jobs=n).fit(X, y) for n in (1, 3)
    )
    assert one.to_json() == many.to_json()
    assert (one.predict_proba(X) == many.predict_proba(X)).all()


@given(tables(), options, routings, st.sampled_from(["learn", "unknown"]), st.sampled_from([1, 3]))
def test_tables_give_the_same_model_however_they_come(data, chosen, routing, missing, fewest):
    X, y = data
    clf = TernaryTreeClassifier(**chosen, routing=routing, missing=missing)
    clf.set_params(zone__min_samples_category=fewest)
    model = clf.fit(X, y)
    text, answers = model.to_json(), model.predict_all(X)
    assert clone(clf).set_params(n_jobs=3).fit(X, y).to_json() == text
    assert clone(clf).fit(pa.Table.from_pandas(X, preserve_index=False), y).to_json() == text
    again = ternwood.loads(text)
    backwards = X.assign(word=pd.Categorical(X["word"], sorted(X["word"].dropna().unique())[::-1]))
    for found in (again.predict_all(X), again.predict_all(backwards)):
        assert all((a == b).all() for a, b in zip(found, answers, strict=True))
    explained = [row.probabilities for row in model.explain(X)]
    assert (np.array(explained) == answers.probabilities).all()
    # A reordered dtype changes names and order in the file, and no answer.
    other = clone(clf).fit(backwards, y).predict_all(X)
    assert all((a == b).all() for a, b in zip(other, answers, strict=True))


@given(data_sets(), options)
def test_zones_without_width_act_like_no_zones_in_either_shape(data, chosen):
    X, y = data
    cart = TernaryTreeClassifier(**{**chosen, "zone": "none"}).fit(X, y)
    flat = TernaryTreeClassifier(**chosen).set_params(zone__scale=0.0)
    for routing in ("probabilistic", "deferred", "hard_middle"):
        clf = flat.set_params(routing=routing).fit(X, y)
        assert clf.predict_decided(X).all()
        if routing != "hard_middle" or chosen["min_samples_leaf"] == 1:
            assert (clf.predict_proba(X) == cart.predict_proba(X)).all()


@given(data_sets(), options, routings)
def test_predicting_all_rows_at_once_and_one_by_one_agree(data, chosen, routing):
    X, y = data
    clf = TernaryTreeClassifier(**chosen, routing=routing).fit(X, y)
    classes, probabilities, verdicts = clf.predict_all(X)
    again = ternwood.loads(clf.to_json())
    for row in range(len(X)):
        answer = again.predict_all(X[row : row + 1])
        assert answer[0] == classes[row]
        assert (answer[1] == probabilities[row]).all()
        assert answer[2] == verdicts[row]
    for order in (np.asfortranarray(X), X[::-1][::-1], np.repeat(X, 2, axis=0)[::2]):
        assert (clf.predict_proba(order) == probabilities).all()


@pytest.mark.skipif(
    not any((TARGET / profile / "ternwood").exists() for profile in ("debug", "release")),
    reason="the command is not built; `cargo build -p ternwood-cli` builds it",
)
@settings(max_examples=15)
@given(data_sets(most_rows=30), options, routings)
def test_the_shell_and_python_agree(tmp_path_factory, data, chosen, routing):
    X, y = data
    folder = tmp_path_factory.mktemp("shell")
    names = [f"x{i}" for i in range(X.shape[1])]
    with open(folder / "data.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "y"])
        writer.writerows(
            [*map(repr, map(float, row)), label] for row, label in zip(X, y, strict=True)
        )
    command = next(
        p for p in (TARGET / "debug/ternwood", TARGET / "release/ternwood") if p.exists()
    )
    arguments = [
        *("fit", "data.csv", "--target", "y", "-o", "model.json", "-q"),
        *("--zone", chosen["zone"], "--criterion", chosen["criterion"], "--routing", routing),
        *("--min-samples-leaf", chosen["min_samples_leaf"], "--seed", chosen["random_state"]),
    ]
    if chosen["max_depth"] is not None:
        arguments += ["--max-depth", chosen["max_depth"]]
    subprocess.run([command, *map(str, arguments)], cwd=folder, check=True)
    clf = TernaryTreeClassifier(**chosen, routing=routing).fit(X, y)
    shell = ternwood.loads((folder / "model.json").read_text())
    for name in ("feature", "threshold", "half_width", "value"):
        assert np.array_equal(getattr(shell.tree_, name), getattr(clf.tree_, name)), name
    # Names in a header count as names, even if they equal the default names.
    assert shell.feature_names_in_.tolist() == names
    named = pd.DataFrame(X, columns=names)
    assert (shell.predict_proba(named) == clf.predict_proba(X)).all()
