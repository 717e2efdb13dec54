"""Are models and predictions independent of the memory layout of the input?"""

import warnings

import numpy as np
import pytest

from ternwood import TernaryTreeClassifier


def same_model(X, reference, y):
    return TernaryTreeClassifier(max_depth=4).fit(X, y).to_json() == reference.to_json()


def same_predictions(clf, X, expected):
    found = clf.predict_all(X)
    return all((a == b).all() for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize(
    "layout",
    [
        np.ascontiguousarray,
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: np.repeat(X, 3, axis=1)[:, ::3],
        lambda X: X[::-1].copy()[::-1],
        lambda X: X[:, ::-1].copy(order="F")[:, ::-1],
        lambda X: X.tolist(),
        lambda X: X.astype(object),
        lambda X: X.astype(">f8"),
    ],
    ids=[
        "C",
        "F",
        "row gaps",
        "column gaps",
        "rows back",
        "columns back",
        "lists",
        "object",
        ">f8",
    ],
)
def test_every_memory_layout_gives_the_same_model(noisy, layout):
    X, y = noisy
    reference = TernaryTreeClassifier(max_depth=4).fit(X, y)
    assert same_model(layout(X), reference, y)
    assert same_predictions(reference, layout(X), reference.predict_all(X))


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "int64", "uint32", "bool"])
def test_every_dtype_is_used_as_float64(noisy, dtype):
    X, y = noisy
    X = (X > 0) if dtype == "bool" else (4 * np.abs(X)).astype(dtype)
    reference = TernaryTreeClassifier(max_depth=4).fit(X.astype(np.float64), y)
    assert same_model(X, reference, y)
    assert same_predictions(reference, X, reference.predict_all(X.astype(np.float64)))


def test_inputs_are_not_changed(noisy):
    X, y = noisy
    weights = np.linspace(0, 2, len(y))
    before = X.copy(), y.copy(), weights.copy()
    for array in (X, y, weights):
        array.flags.writeable = False
    clf = TernaryTreeClassifier(max_depth=3).fit(X, y, weights)
    clf.predict_all(X)
    assert all((a == b).all() for a, b in zip((X, y, weights), before, strict=True))


def named_tables(X, names):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    columns = dict(zip(names, X.T, strict=True))
    nullable = pandas.DataFrame(columns).astype("Float64")
    return {
        "pandas": pandas.DataFrame(columns),
        "pandas nullable": nullable,
        "polars": polars.DataFrame(columns),
        "pyarrow": pyarrow.table(columns),
    }


@pytest.mark.parametrize("kind", ["pandas", "pandas nullable", "polars", "pyarrow"])
def test_tables_keep_their_names(iris, kind):
    X, y = iris
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    table = named_tables(X, names)[kind]
    clf = TernaryTreeClassifier(max_depth=3).fit(table, y)
    assert list(clf.feature_names_in_) == names
    assert "petal length" in clf.export_text()
    array = TernaryTreeClassifier(max_depth=3).fit(X, y)
    assert same_predictions(array, X, clf.predict_all(table))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        clf.predict(X)
    shuffled = named_tables(X[:, ::-1], names[::-1])[kind]
    with pytest.raises(ValueError, match="names should match those that were passed during fit"):
        clf.predict(shuffled)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict(table)


def test_label_columns_of_every_kind_of_table(iris):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    X, y = iris
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    columns = [
        pandas.Series(words),
        pandas.Series(words, dtype="category"),
        polars.Series(words.tolist()),
        pyarrow.array(words.tolist()),
        words.tolist(),
    ]
    for column in columns:
        clf = TernaryTreeClassifier(max_depth=2).fit(X, column)
        assert clf.predict(X[:1]).tolist() == ["setosa"], type(column)
