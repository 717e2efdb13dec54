"""Does what is recorded about a model stay with it, and out of the way of scikit-learn?"""

import pickle

import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import ternwood
from ternwood import TernaryForestClassifier, TernaryTreeClassifier, VerdictClassifier

FIELDS = {"name": "Tumours", "version": "2.1", "owner": "QA & Co.", "zone": "Zürich <b>"}


@pytest.fixture(params=[TernaryTreeClassifier(max_depth=2), TernaryForestClassifier(3)])
def fitted(request, cancer):
    return clone(request.param).set_params(random_state=0).fit(*cancer)


def test_fields_are_set_changed_and_removed(fitted):
    assert fitted.metadata_ == {}
    assert fitted.set_metadata(**FIELDS) is fitted
    assert fitted.metadata_ == FIELDS
    assert list(fitted.metadata_) == ["name", "version", "owner", "zone"]
    fitted.set_metadata(owner=None, zone="", notes="two\nlines")
    assert fitted.metadata_ == {"name": "Tumours", "version": "2.1", "notes": "two\nlines"}
    fitted.metadata_["name"] = "a copy"
    assert fitted.metadata_["name"] == "Tumours"


def test_they_are_saved_and_pickled_but_not_cloned(fitted, cancer, tmp_path):
    X, y = cancer
    bare = fitted._file()
    answers = fitted.predict_proba(X)
    fitted.set_metadata(**FIELDS)
    assert fitted._file() != bare
    fitted.save(tmp_path / "model.json")
    loaded = ternwood.load(tmp_path / "model.json")
    for again in (loaded, pickle.loads(pickle.dumps(fitted))):
        assert again.metadata_ == FIELDS
        assert again.ternwood_version_ == ternwood.__version__
        assert (again.predict_proba(X) == answers).all()
    assert clone(fitted).fit(X, y).metadata_ == {}
    # A new fit is another model, with the bytes that it always had.
    assert fitted.fit(X, y)._file() == bare


def test_an_edited_text_is_noticed(fitted):
    text = fitted.set_metadata(name="Tumours").to_json()
    with pytest.raises(ValueError, match="damaged or edited"):
        ternwood.loads(text.replace("Tumours", "Rumours"))


@pytest.mark.parametrize(
    ("field", "text", "error", "message"),
    [
        ("version", 2.1, TypeError, "'version' is 2.1, a float; pass a string"),
        ("notes", "x" * 16_385, ValueError, "'notes': its text has 16385 bytes; use at most 16384"),
        ("", "x", ValueError, "its name is empty"),
        ("a=b", "x", ValueError, "'a=b': its name contains '='"),
        ("input_sha256", "x", ValueError, "it is not a SHA-256"),
    ],
)
def test_what_cannot_be_recorded(fitted, field, text, error, message):
    with pytest.raises(error, match=message):
        fitted.set_metadata(name="kept out", **{field: text})
    assert fitted.metadata_ == {}


def test_only_fitted_models_have_metadata():
    for use in (lambda clf: clf.metadata_, lambda clf: clf.set_metadata(name="x")):
        with pytest.raises(NotFittedError):
            use(TernaryTreeClassifier())


def test_onnx_files_contain_them(fitted):
    pytest.importorskip("onnx")
    fitted.set_metadata(**FIELDS)
    props = {entry.key: entry.value for entry in fitted.to_onnx().metadata_props}
    assert {f"metadata.{name}": text for name, text in FIELDS.items()}.items() <= props.items()
    assert props["ternwood_version"] == ternwood.__version__


def test_pages_and_reports_show_them_escaped(cancer):
    X, y = cancer
    clf = TernaryTreeClassifier(max_depth=2, random_state=0).fit(X[::2], y[::2])
    clf.set_metadata(**FIELDS)
    report = VerdictClassifier(clf, cv="prefit", accuracy=0.8).fit(X[1::2], y[1::2]).report_
    for html in (clf.to_html().html, report.html):
        assert "QA &amp; Co." in html
        assert "Zürich &lt;b&gt;" in html
        assert "Zürich <b>" not in html
        assert "metadata zone" in html
