"""Do the plots show what the classifier says?"""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons

from ternwood import TernaryForestClassifier, TernaryTreeClassifier
from ternwood.metrics import decided_accuracy, risk_coverage_curve
from ternwood.plotting import plot_decision_surface, plot_risk_coverage

# Without matplotlib the tests are skipped, and its backend is chosen before pyplot is imported.
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture
def moons():
    X, y = make_moons(800, noise=0.3, random_state=0)
    return TernaryTreeClassifier(zone="class_overlap", max_depth=4).fit(X, y), X, y


def test_a_surface_is_drawn_next_to_cart(moons):
    clf, X, y = moons
    zoned, cart = plot_decision_surface(clf, X, y)
    # Hatching is a separate contour, and only the tree with zones has one.
    assert len(zoned.collections) == len(cart.collections) + 1
    surface = cart.collections[0].get_array()
    horizontal = np.linspace(*cart.get_xlim(), 400)
    vertical = np.linspace(*cart.get_ylim(), 400)
    grid = np.stack([axis.ravel() for axis in np.meshgrid(horizontal, vertical)], axis=1)
    plain = TernaryTreeClassifier(zone="none", max_depth=4).fit(X, y)
    assert (np.asarray(surface).ravel() == plain.predict(grid)).mean() > 0.9999
    assert (
        np.asarray(zoned.collections[0].get_array()).ravel() == clf.predict(grid)
    ).mean() > 0.9999
    dots = [c for c in zoned.collections if hasattr(c, "get_sizes") and len(c.get_offsets()) > 1]
    assert sorted(len(c.get_offsets()) for c in dots) == sorted(np.bincount(y))
    names = [text.get_text() for text in zoned.figure.legends[0].get_texts()]
    assert names == ["0", "1", "undecided"]
    zoned.figure.canvas.draw()


def test_a_surface_can_be_drawn_into_given_axes(moons):
    clf, X, y = moons
    _, ax = plt.subplots()
    assert plot_decision_surface(clf, X, y, cart=False, ax=ax) is ax
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "undecided"]
    with pytest.raises(ValueError, match="ax must be 2 Axes"):
        plot_decision_surface(clf, X, y, ax=ax)


def test_a_surface_of_a_tree_with_middle_subtrees_is_drawn_next_to_cart(moons):
    _, X, y = moons
    clf = TernaryTreeClassifier(routing="hard_middle", zone="class_overlap", max_depth=3).fit(X, y)
    plain = TernaryTreeClassifier(zone="none", max_depth=3).fit(X, y)
    _, cart = plot_decision_surface(clf, X, y)
    _, expected = plot_decision_surface(plain, X, y)
    assert cart.get_title() == "CART of the rows shown"
    surfaces = (ax.collections[0].get_array() for ax in (cart, expected))
    assert (next(surfaces) == next(surfaces)).all()


def test_a_surface_can_show_two_of_many_features(cancer):
    X, y = cancer
    clf = TernaryTreeClassifier(max_depth=3).fit(X, y)
    axes = plot_decision_surface(clf, X, y, features=(27, "x22"))
    assert axes[0].get_xlabel() == "x27"
    assert axes[0].get_ylabel() == "x22"
    for features, message in [
        ((0, 30), "there is no feature 30"),
        ((0, "weight"), "there is no feature 'weight'"),
        ((1, 1), "two different features"),
    ]:
        with pytest.raises(ValueError, match=message):
            plot_decision_surface(clf, X, y, features=features)


def test_risk_coverage_curves_match_the_metrics(moons):
    clf, X, y = moons
    ax = plot_risk_coverage(clf, X, y)
    blended, cart, point = ax.get_lines()
    classes, probabilities, verdicts = clf.predict_all(X)
    coverage, risk, _ = risk_coverage_curve(y, classes, probabilities.max(axis=1))
    assert (blended.get_xdata() == coverage).all()
    assert (blended.get_ydata() == risk).all()
    plain = TernaryTreeClassifier(zone="none", max_depth=4).fit(X, y)
    confidence = plain.predict_proba(X).max(axis=1)
    coverage, risk, _ = risk_coverage_curve(y, plain.predict(X), confidence)
    np.testing.assert_allclose(cart.get_ydata(), risk)
    assert point.get_xdata() == [verdicts.mean()]
    assert point.get_ydata() == pytest.approx([1 - decided_accuracy(y, classes, verdicts)])
    assert len({to_hex(line.get_color()) for line in (blended, cart, point)}) == 3


def test_risk_coverage_of_a_tree_with_middle_subtrees_shows_cart_only_if_given(moons):
    _, X, y = moons
    clf = TernaryTreeClassifier(routing="hard_middle", max_depth=3).fit(X, y)
    cart = TernaryTreeClassifier(zone="none", max_depth=3).fit(X, y)
    _, (alone, beside) = plt.subplots(1, 2)
    assert plot_risk_coverage(clf, X, y, ax=alone) is alone
    assert len(alone.get_lines()) == 2
    plot_risk_coverage(clf, X, y, cart=cart, ax=beside)
    assert len(beside.get_lines()) == 3


def test_a_forest_is_drawn_beside_the_same_forest_without_zones(moons):
    _, X, y = moons
    forest = TernaryForestClassifier(10, zone_scale=0.4, random_state=0).fit(X, y)
    zoned, crisp = plot_decision_surface(forest, X, y)
    assert (zoned.get_title(), crisp.get_title()) == (
        "spread zones",
        "the same forest without zones",
    )
    both = [np.asarray(ax.collections[0].get_array()) for ax in (zoned, crisp)]
    assert 0 < (both[0] != both[1]).mean() < 0.3
    ax = plot_risk_coverage(forest, X, y)
    assert len(ax.get_lines()) == 3


def test_optional_dependencies_may_be_missing():
    script = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("matplotlib", "pandas", "polars", "pyarrow"):
            raise ImportError(name)

sys.meta_path.insert(0, Absent())
import ternwood, ternwood.plotting
clf = ternwood.TernaryTreeClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 1])
clf.plot_tree()
try:
    ternwood.plotting.plot_risk_coverage(clf, [[0.0]], [0])
except ImportError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "ternwood.plotting needs matplotlib: pip install ternwood[plot]\n"


@pytest.mark.parametrize("routing", ["probabilistic", "hard_middle"])
def test_a_surface_of_a_table_with_gaps_and_categories(wards, routing):
    X, y = wards
    clf = TernaryTreeClassifier(max_depth=4, routing=routing).fit(X[100:], y[100:])
    X.loc[:9, "job"] = "queen"  # unseen in training
    zoned, cart = plot_decision_surface(clf, X, y, features=("age", "size"))
    zoned.figure.canvas.draw()
    assert [label.get_text() for label in zoned.get_yticklabels()] == ["S", "M", "L"]
    dots = [c for c in zoned.collections if hasattr(c, "get_sizes") and len(c.get_offsets()) > 1]
    assert sum(len(c.get_offsets()) for c in dots) == len(y)
    # Features that are not shown have their commonest category.
    grid = pd.DataFrame(
        {
            "age": np.linspace(*zoned.get_xlim(), 400),
            "job": X["job"].mode()[0],
            "size": "S",
            "smoker": X["smoker"].mode()[0],
        }
    )
    row = np.abs(np.linspace(*zoned.get_ylim(), 400)).argmin()
    shown = np.asarray(zoned.collections[0].get_array()).reshape(400, 400)[row]
    assert (clf.classes_[shown] == clf.predict(grid)).mean() > 0.99
    assert (routing == "hard_middle") == (cart.get_title() == "CART of the rows shown")
    with pytest.raises(ValueError, match="'job' has categories without an order"):
        plot_decision_surface(clf, X, y, features=("age", "job"))


def test_a_risk_coverage_curve_takes_tables(wards):
    clf = TernaryTreeClassifier(max_depth=3).fit(*wards)
    labels = plot_risk_coverage(clf, *wards).get_legend_handles_labels()[1]
    assert any(label.startswith("verdict (") for label in labels)
