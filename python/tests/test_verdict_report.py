"""Is the report of a VerdictClassifier complete, and safe to print, sign and show?"""

import copy
import hashlib
import pickle
import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ternwood import TernaryTreeClassifier, VerdictClassifier
from ternwood.types import VerdictReport


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 3))
    ill = X[:, 0] + 0.7 * rng.normal(size=600) > 0.5
    return X, np.where(ill, "ill", "healthy")


@pytest.mark.parametrize("rule", [{"cost_ratio": 0.2}, {"flag_rate": 0.2}, {"accuracy": 0.85}])
def test_the_page_has_the_figures_of_the_report(rows, rule):
    report = VerdictClassifier(LogisticRegression(), **rule).fit(*rows).report_
    assert isinstance(report, VerdictReport)
    flagged, right = report["undecided"], report["classes"]
    assert f"{flagged} of 600 rows get a second look" in report.html
    decided_right = sum(tally["decided_right"] for tally in right.values())
    assert f"{decided_right} of {report['decided']} decided rows are right" in report.html
    assert "LogisticRegression" in report.html
    assert ("What it costs" in report.html) == ("cost_ratio" in rule)
    assert ("The promise rests on 600 rows of training" in report.html) == ("accuracy" in rule)
    assert "decided accuracy" in str(report)


def test_other_rows_have_a_page_of_their_own(rows):
    X, y = rows
    clf = VerdictClassifier(LogisticRegression(), accuracy=0.85).fit(X[:400], y[:400])
    report = clf.report(X[400:], y[400:])
    decided = clf.predict_decided(X[400:])
    right = (clf.predict(X[400:]) == y[400:])[decided].sum()
    assert f"{(~decided).sum()} of 200 rows get a second look" in report.html
    assert f"{right} of {decided.sum()} decided rows are right" in report.html
    assert "on these rows" in report.html
    assert "on these rows" not in clf.report_.html


def test_the_page_of_training_rows_says_so(rows):
    X, y = rows
    tree = TernaryTreeClassifier(max_depth=3).fit(X[:300], y[:300])
    clf = VerdictClassifier(tree, flag_rate=0.2, cv="prefit").fit(X[300:450], y[300:450])
    assert "all of these 300 rows were trained on" in clf.report(X[:300], y[:300]).html
    assert "were trained on" not in clf.report(X[450:], y[450:]).html


def test_a_tree_is_told_by_its_hash(rows, tmp_path):
    clf = VerdictClassifier(TernaryTreeClassifier(max_depth=3, random_state=7)).fit(*rows)
    clf.save(tmp_path / "model.json")
    digest = hashlib.sha256((tmp_path / "model.json").read_bytes()).hexdigest()
    assert digest in clf.report_.html
    assert "<dt>seed</dt><dd>7</dd>" in clf.report_.html


def test_it_is_saved_and_shown_as_it_is(rows, tmp_path):
    report = VerdictClassifier(LogisticRegression()).fit(*rows).report_
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html
    with pytest.raises(ValueError, match=r"must end in .html, got .*report.pdf"):
        report.save(tmp_path / "report.pdf")
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count("<") == 2, "the page is in an attribute"
    for again in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert again == report
        assert again.html == report.html


def test_labels_are_text(rows):
    X, y = rows
    y = np.where(y == "ill", "<script>alert(1)</script>", 'a "quoted" & healthy one')
    html = VerdictClassifier(LogisticRegression()).fit(X, y).report_.html
    assert not re.search("<script", html)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
