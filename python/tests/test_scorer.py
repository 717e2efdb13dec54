"""Does a scorer answer like the classifier that was saved, with numpy alone?"""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ternwood
from ternwood import (
    Scorer,
    TernaryForestClassifier,
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    VerdictClassifier,
)

MODELS = [
    TernaryTreeClassifier(max_depth=4),
    TernaryTreeClassifier(max_depth=4, zone="class_overlap", routing="hard_middle"),
    TernaryTreeClassifierCV(max_depth=3),
    VerdictClassifier(TernaryForestClassifier(8, random_state=0), flag_rate=0.2, cv="oob"),
]


@pytest.fixture(params=MODELS, ids=lambda clf: type(clf).__name__)
def saved(request, wards, tmp_path):
    """Return the rows, the classifier as it is loaded, and the file."""
    X, y = wards
    path = tmp_path / "model"
    request.param.fit(X, y).save(path)
    return X, ternwood.load(path), path


@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")
def test_answers_are_those_of_the_classifier_to_the_last_bit(saved):
    X, clf, path = saved
    scorer = Scorer.load(path, n_jobs=2)
    strange = X.iloc[:4].assign(job=["clerk", "diver", None, "cook"], age=[np.nan, 31, 40, 50])
    for rows in (X, strange):
        for ours, theirs in zip(scorer.predict_all(rows), clf.predict_all(rows), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(scorer.predict(rows), clf.predict(rows))
        np.testing.assert_array_equal(scorer.predict_proba(rows), clf.predict_proba(rows))
        np.testing.assert_array_equal(scorer.predict_decided(rows), clf.predict_decided(rows))
        assert str(scorer.explain(rows[:20])) == str(clf.explain(rows[:20]))
    assert str(scorer.verdict_policy_) == str(clf.verdict_policy_)
    assert scorer.metadata_ == clf.metadata_
    np.testing.assert_array_equal(scorer.classes_, clf.classes_)
    assert list(scorer.feature_names_in_) == list(clf.feature_names_in_)


@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")
def test_rows_come_in_many_forms_and_go_by_name(saved):
    X, clf, path = saved
    scorer, expected = Scorer.load(path), clf.predict_proba(X)
    turned = X[X.columns[::-1]].assign(more=1)
    for rows in (X, turned, pl.from_pandas(turned), pl.from_pandas(turned).to_arrow()):
        np.testing.assert_array_equal(scorer.predict_proba(rows), expected)
    # As a service gets them: without a data frame, and without declared types.
    plain = X.astype({"size": object, "job": object}).where(X.notna(), None)
    dicts = plain.to_dict("records")
    np.testing.assert_array_equal(scorer.predict_proba(dicts[:50]), expected[:50])


def test_numbers_need_no_names(iris, tmp_path):
    X, y = iris
    clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
    clf.save(tmp_path / "model.json")
    scorer = Scorer.load(tmp_path / "model.json")
    for rows in (X, X.tolist(), np.asfortranarray(X), X[:, ::-1][:, ::-1], X.astype(np.float32)):
        expected = clf.predict_proba(np.asarray(rows, dtype=float))
        np.testing.assert_array_equal(scorer.predict_proba(rows), expected)
    again = pickle.loads(pickle.dumps(scorer))
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    assert repr(scorer) == "<Scorer of 4 features and 3 classes>"


def test_mistakes_are_named(iris_frame, tmp_path):
    X, y = iris_frame
    path = tmp_path / "model.json"
    TernaryTreeClassifier(max_depth=2).fit(X, y).save(path)
    scorer = Scorer.load(path)
    with pytest.raises(ValueError, match=r"X has 3 columns, but the model has 4 features: sepal"):
        scorer.predict([[1, 2, 3]])
    with pytest.raises(ValueError, match=r"got the shape \(4,\); a single row is \[\[\.\.\.\]\]"):
        scorer.predict([1, 2, 3, 4])
    row = dict(X.iloc[0])
    with pytest.raises(ValueError, match=r"row 1 has no 'petal width \(cm\)'.*give None where"):
        scorer.predict([row, {name: row[name] for name in list(row)[:3]}])
    with pytest.raises(ValueError, match=r"X has no 'sepal length \(cm\)'"):
        scorer.predict(X.iloc[:, 1:])
    with pytest.raises(TypeError, match="a single dict; pass a list of them"):
        scorer.predict(dict(X.iloc[0]))
    with pytest.raises(ValueError, match="infinit"):
        scorer.predict(X.to_numpy() * np.inf)
    text = path.read_text().replace("petal", "metal")
    path.write_text(text)
    with pytest.raises(ValueError, match=r"model\.json: .*SHA-256"):
        Scorer.load(path)
    assert Scorer.load(path, accept_edited=True).n_features_in_ == 4
    with pytest.raises(FileNotFoundError):
        Scorer.load(tmp_path / "absent")


# What is not numpy raises ImportError, as if it were not installed.
ALONE = """
import sys
for name in ("sklearn", "scipy", "pandas", "joblib", "polars", "pyarrow"):
    sys.modules[name] = None
from ternwood import Scorer
scorer = Scorer.load(sys.argv[1], n_jobs=2)
rows = [{"job": "clerk", "size": "M", "age": 31.5, "smoker": True}]
print(scorer.predict(rows)[0], scorer.predict_all(rows).decided[0])
print(scorer.explain(rows))
"""


def test_only_numpy_is_needed(wards, tmp_path):
    X, y = wards
    for clf in (TernaryTreeClassifierCV(max_depth=3), TernaryForestClassifier(5, random_state=0)):
        path = tmp_path / "model"
        clf.fit(X, y).save(path)
        output = subprocess.run(
            [sys.executable, "-c", ALONE, str(path)], capture_output=True, text=True, check=True
        ).stdout
        row = X.iloc[:1].assign(
            job="clerk",
            size=pd.Categorical(["M"], X["size"].cat.categories, ordered=True),
            age=31.5,
            smoker=True,
        )
        found = clf.predict_all(row)
        assert output == f"{found.classes[0]} {found.decided[0]}\n{clf.explain(row)}\n"
