"""Do pictures show what is in the tree?"""

import json
import re
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest

import ternwood
from ternwood import TernaryTreeClassifier


@pytest.fixture
def fitted(iris_frame):
    X, y = iris_frame
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    return TernaryTreeClassifier(max_depth=3).fit(X, words), X, words


def texts(figure):
    root = ElementTree.fromstring(figure._repr_svg_())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return " ".join(root.itertext())


def test_a_tree_shows_its_tests_and_classes(fitted):
    clf, X, y = fitted
    without, with_data = clf.plot_tree(), clf.plot_tree(X, y, title="Irises")
    for figure in (without, with_data):
        shown = texts(figure)
        assert "petal length" in shown
        assert all(word in shown for word in clf.classes_)
        assert "150 rows" in shown
    assert "Irises" in texts(with_data)
    assert len(with_data.svg) > len(without.svg)
    assert len(clf.plot_tree(max_depth=1).svg) < len(without.svg)
    assert clf.plot_tree(max_depth=None).svg == without.svg  # small enough to be drawn as a whole


def test_none_draws_all_levels_of_a_large_tree(noisy):
    clf = TernaryTreeClassifier(max_depth=10).fit(*noisy)
    assert clf.get_depth() == 10
    whole, chosen = clf.plot_tree(max_depth=None), clf.plot_tree()
    assert whole.svg == clf.plot_tree(max_depth=10).svg
    assert len(whole.svg) > len(chosen.svg)


def test_a_zone_shows_all_estimators(fitted):
    clf, X, y = fitted
    shown = texts(clf.plot_zone(0, X, y))
    assert "petal" in shown
    for estimator in ("margin", "plateau", "overlap", "gain ratio", "bootstrap"):
        assert estimator in shown.lower(), estimator
    weighted = clf.plot_zone(0, X, y, sample_weight=np.linspace(0.1, 2, len(y)))
    assert texts(weighted) != shown


@pytest.mark.parametrize("routing", ["probabilistic", "hard_middle"])
def test_splits_of_categories_and_gaps_are_drawn(wards, routing):
    X, y = wards
    clf = TernaryTreeClassifier(max_depth=5, routing=routing).fit(X, y)
    assert {"categories", "present", "threshold"} <= set(clf.tree_.kind)
    tree = texts(clf.plot_tree(X, y))
    assert "nurse" in tree
    assert "missing" in tree
    # Rows with unseen categories can be shown as well. So many nodes have no room for histograms.
    unseen = clf.plot_tree(X.assign(job=X["job"].replace("cook", "queen")), y).svg
    assert (unseen == clf.plot_tree(X, y).svg) == (routing == "hard_middle")
    with pytest.raises(ValueError, match="has a value, which is never in doubt"):
        clf.plot_zone(np.flatnonzero(clf.tree_.kind == "present")[0], X, y)
    for node in np.flatnonzero(np.isin(clf.tree_.kind, ["threshold", "categories"])):
        shown = texts(clf.plot_zone(node, X, y))
        cut = clf.tree_.categories[node]
        assert X.columns[clf.tree_.feature[node]] in shown
        assert cut is None or all(name in shown for name in cut.names)


PROGRAMS = ("rsvg-convert", "cairosvg", "chromium", "chromium-browser", "google-chrome")


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_figures_are_converted_where_a_program_can(fitted, tmp_path, ending, start):
    if not any(map(shutil.which, PROGRAMS)):
        pytest.skip(f"none of {', '.join(PROGRAMS)} is at hand")
    file = tmp_path / f"tree.{ending}"
    fitted[0].plot_tree().save(file)
    assert file.read_bytes().startswith(start)


def test_without_a_program_they_are_named(fitted, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        OSError, match=r"rsvg-convert, cairosvg, chromium.*save the figure as \.svg"
    ):
        fitted[0].plot_tree().save(tmp_path / "tree.png")
    assert not list(tmp_path.iterdir())


def test_figures_are_saved_as_svg(fitted, tmp_path):
    figure = fitted[0].plot_tree()
    figure.save(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == figure.svg
    with pytest.raises(ValueError, match=r"must end in \.svg, \.png or \.pdf"):
        figure.save(tmp_path / "tree.jpg")
    with pytest.raises(OSError, match="No such file"):
        figure.save(tmp_path / "no such folder" / "tree.svg")
    assert [entry.name for entry in tmp_path.iterdir()] == ["tree.svg"]


def test_what_cannot_be_drawn_is_a_value_error(fitted):
    clf, X, y = fitted
    leaf = int(np.flatnonzero(clf.tree_.children_left < 0)[0])
    with pytest.raises(ValueError, match="X and y together"):
        clf.plot_tree(X)
    with pytest.raises(ValueError, match="the label 'tulip', which was not seen in fit"):
        clf.plot_tree(X, np.where(y == "setosa", "tulip", y))
    with pytest.raises(ValueError, match="max_depth is -1; allowed: a number from 0"):
        clf.plot_tree(max_depth=-1)
    with pytest.raises(ValueError, match="there is no node 99"):
        clf.plot_zone(99, X, y)
    with pytest.raises(ValueError, match=f"node {leaf}"):
        clf.plot_zone(leaf, X, y)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        clf.plot_zone(0, X, y[:-1])


def test_classes_of_a_model_may_be_in_any_order(iris):
    X, y = iris
    # The same letters, so that all labels keep their width.
    words, others = np.array(["yyz", "yzy", "zyy"]), np.array(["zyy", "yyz", "yzy"])
    clf = TernaryTreeClassifier(max_depth=2).fit(X, words[y])
    document = json.loads(clf.to_json())
    document["schema"]["classes"] = others.tolist()
    renamed = ternwood.loads(json.dumps(document), accept_edited=True)
    other = dict(zip(words.tolist(), others.tolist(), strict=True))
    expected = re.sub("yyz|yzy|zyy", lambda word: other[word[0]], clf.plot_tree(X, words[y]).svg)
    assert renamed.plot_tree(X, others[y]).svg == expected
