"""Is a fitted tree written as a page, and does it hold what it should and nothing else?"""

import json
import re

import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import ternwood
from ternwood import TernaryForestClassifier, TernaryTreeClassifierCV, VerdictClassifier


@pytest.fixture
def clf(iris_frame):
    return TernaryTreeClassifierCV(max_depth=3).fit(*iris_frame)


def document(page):
    """Return the model that the scripts of a page read."""
    return json.loads(re.search(r'id="model">(.*?)</script>', page.html, re.DOTALL)[1])


def test_it_is_saved_whole(clf, iris_frame, tmp_path):
    file = tmp_path / "page.html"
    page = clf.to_html(file, *iris_frame, title="Irises <&>")
    assert file.read_text() == page.html
    assert "<title>Irises &lt;&amp;&gt;</title>" in page.html
    assert sum(group["count"] for group in document(page)["evaluation"]["groups"]) == 150
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(ValueError, match=r"must end in \.html, got .*page\.txt"):
        clf.to_html(tmp_path / "page.txt")


def test_it_holds_the_tree_and_no_rows(clf):
    page = clf.to_html()
    found = document(page)
    assert len(found["nodes"]) == clf.tree_.node_count
    assert found["evaluation"] is None
    assert "filter" not in json.dumps(found)
    names = re.findall(r"https?://[^\"'\s]*", page.html)
    assert set(names) == {"http://www.w3.org/2000/svg"}, "the name of SVG, which nobody loads"


def test_the_verdict_is_on_it(clf, iris_frame):
    budget = VerdictClassifier(clone(clf), flag_rate=0.1).fit(*iris_frame)
    threshold = json.loads(budget.estimator_.to_json())["verdict"]["confidence"]["threshold"]
    assert document(budget.to_html())["policy"]["thresholds"] == [threshold] * 3


def test_a_notebook_shows_it_in_a_sandbox(clf):
    shown = clf.to_html()._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts allow-downloads" srcdoc="&lt;!DOCTYPE')
    assert "<script" not in shown
    assert "<iframe" not in clf._repr_html_(), "only on request"


def test_a_forest_says_where_its_pages_are(iris_frame):
    forest = TernaryForestClassifier(3).fit(*iris_frame)
    for name in ("to_html", "rules_", "plot_tree", "export_text", "export_dot"):
        with pytest.raises(AttributeError, match=rf"as in forest\.estimators_\[0\]\.{name}"):
            getattr(forest, name)
        assert hasattr(forest.estimators_[0], name)


def test_only_a_single_tree_has_one(iris_frame):
    X, y = iris_frame
    for other in (TernaryForestClassifier(3), VerdictClassifier(LogisticRegression())):
        assert not hasattr(other, "to_html")
    with pytest.raises(ValueError, match="needs X and y together"):
        TernaryTreeClassifierCV(max_depth=1).fit(X, y).to_html(X=X)
    assert ternwood.types.Page("<p>").html == "<p>"
