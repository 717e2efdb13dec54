"""Does a model return the labels it was trained on?"""

import datetime
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ternwood
from ternwood import TernaryTreeClassifier, _labels

LABELS = {
    "bool": np.array([False, True]),
    "int64": np.array([-5, 3, 2**40]),
    "uint8": np.array([0, 200, 255], dtype=np.uint8),
    "float": np.array([-1.0, 0.0, 2.0]),
    "float32": np.array([1.0, 2.0], dtype=np.float32),
    "str": np.array(["", "1", 'a "quoted" ü', "true"]),
    "object": np.array(["long", "short"], dtype=object),
}


def fitted(classes):
    ids = np.tile(np.arange(len(classes)), 20)
    X = ids[:, None] + np.linspace(0, 0.5, len(ids))[:, None]
    return TernaryTreeClassifier().fit(X, classes[ids]), X


@pytest.mark.parametrize("classes", LABELS.values(), ids=LABELS)
def test_labels_survive_json_and_pickle(classes):
    clf, X = fitted(classes)
    assert clf.classes_.dtype == classes.dtype
    assert clf.predict(X).dtype == classes.dtype
    again = ternwood.loads(clf.to_json())
    assert again.classes_.tolist() == classes.tolist()
    kind = "U" if classes.dtype.kind == "O" else classes.dtype.kind
    assert again.classes_.dtype.kind == {"u": "i"}.get(kind, kind)
    assert (again.predict(X) == clf.predict(X)).all()
    assert again.to_json() == clf.to_json()
    copy = pickle.loads(pickle.dumps(clf))
    assert copy.classes_.dtype == classes.dtype
    assert (copy.predict(X) == clf.predict(X)).all()


WHOLE_NUMBERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", WHOLE_NUMBERS)
@given(data=st.data())
def test_integer_labels_get_the_ids_that_sorting_would_give(dtype, data):
    # Close together and far apart, at both ends of the type: with a table and without.
    bounds = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    low = data.draw(st.integers(*bounds))
    near = st.integers(low, min(low + 20, bounds[1]))
    labels = st.lists(near | st.integers(*bounds), min_size=1, max_size=12)
    y = np.array(data.draw(labels), dtype=dtype)
    classes, ids = _labels.encode(y)
    expected_classes, expected_ids = np.unique(y, return_inverse=True)
    assert classes.dtype == y.dtype
    assert classes.tolist() == expected_classes.tolist()
    assert ids.dtype == np.uint32
    assert ids.tolist() == expected_ids.tolist()


@given(st.lists(st.text(), min_size=2, max_size=5, unique=True))
def test_any_text_is_a_label(words):
    # numpy's fixed-width strings drop trailing NULs, and lone surrogates are not text.
    words = [word.rstrip("\0") for word in words]
    if len(set(words)) < 2 or not all(_is_unicode(word) for word in words):
        return
    clf, X = fitted(np.array(sorted(set(words))))
    again = ternwood.loads(clf.to_json())
    assert again.classes_.tolist() == sorted(set(words))
    assert (again.predict(X) == clf.predict(X)).all()


def _is_unicode(word):
    return not any("\ud800" <= letter <= "\udfff" for letter in word)


def test_labels_that_json_cannot_represent_become_text():
    days = np.array(["2024-01-01", "2024-02-01"], dtype="datetime64[D]")
    clf, X = fitted(days)
    assert clf.predict(X[:1]) == days[:1]
    again = ternwood.loads(clf.to_json())
    assert again.classes_.tolist() == [str(datetime.date(2024, m, 1)) for m in (1, 2)]


def test_labels_beyond_64_bits_are_errors_with_the_value():
    y = np.array([1, 2**63], dtype=np.uint64)
    with pytest.raises(ValueError, match="9223372036854775808 does not fit into 64 bits"):
        TernaryTreeClassifier().fit([[0.0], [1.0]], y)


@pytest.mark.parametrize("labels", [[3, 7], [True, False], [b"yes", b"no"], [1.0, 2.0]])
def test_labels_of_dtype_object_work_like_any_other(labels):
    X = np.arange(20.0).reshape(-1, 1)
    y = np.array([labels[row // 10] for row in range(20)], dtype=object)
    clf = TernaryTreeClassifier().fit(X, y)
    expected = [label.decode() if isinstance(label, bytes) else label for label in y]
    assert clf.predict(X).tolist() == expected
    assert ternwood.loads(clf.to_json()).predict(X).tolist() == expected
