"""Do the plots show what the classifier says?"""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.datasets import make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from ternwood import TernaryForestClassifier, TernaryTreeClassifier, VerdictClassifier
from ternwood.metrics import decided_accuracy, risk_coverage_curve
from ternwood.plotting import (
    plot_decision_surface,
    plot_reliability,
    plot_risk_coverage,
    plot_tradeoff,
)

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


def legend(ax):
    return ax.get_legend_handles_labels()[1]


def test_risk_coverage_of_any_classifier_has_its_verdict(moons):
    _, X, y = moons
    fitted = GaussianNB().fit(X[:400], y[:400])
    alone = plot_risk_coverage(fitted, X, y)
    assert [line.get_marker() for line in alone.get_lines()] == ["None"]
    clf = VerdictClassifier(fitted, flag_rate=0.2, cv="prefit").fit(X[400:], y[400:])
    curve, point = plot_risk_coverage(clf, X, y).get_lines()
    classes, probabilities, verdicts = clf.predict_all(X)
    coverage, risk, _ = risk_coverage_curve(y, classes, probabilities.max(axis=1))
    assert (curve.get_xdata() == coverage).all()
    assert (curve.get_ydata() == risk).all()
    assert point.get_xdata() == [verdicts.mean()]
    assert point.get_ydata() == pytest.approx([1 - decided_accuracy(y, classes, verdicts)])


def test_risk_coverage_compares_several_classifiers(moons):
    clf, X, y = moons
    bayes = GaussianNB().fit(X, y)
    verdict = VerdictClassifier(bayes, flag_rate=0.2, cv="prefit").fit(X, y)
    ax = plot_risk_coverage({"a tree": clf, "Bayes": bayes}, X, y)
    assert [label.split(",")[0] for label in legend(ax)] == ["a tree", "a tree", "Bayes"]
    ax = plot_risk_coverage([clf, bayes, verdict], X, y)
    names = [label.split(",")[0] for label in legend(ax)]
    tree = "TernaryTreeClassifier"
    assert names == [tree, tree, "GaussianNB 1", "GaussianNB 2", "GaussianNB 2"]
    colours = [to_hex(line.get_color()) for line in ax.get_lines()]
    assert len(set(colours)) == 3
    assert colours[0] == colours[1]
    with pytest.raises(ValueError, match="there is no classifier"):
        plot_risk_coverage([], X, y)
    with pytest.raises(ValueError, match="put it into the list"):
        plot_risk_coverage([clf], X, y, cart=bayes)


@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")
@pytest.mark.parametrize("label", ["setosa", "versicolor", "virginica"])
def test_a_trade_off_is_what_budgets_do(iris, label):
    X, y = iris
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    forest = RandomForestClassifier(11, max_depth=2, random_state=0).fit(X[::3], y[::3])
    ax = plot_tradeoff(forest, X, y, labels=[label])
    lines = dict(zip(legend(ax), ax.get_lines(), strict=True))
    for name, aimed in [
        (f"{label}, least sure rows", {}),
        (f"{label}, aimed at {label}", {"catch": label}),
    ]:
        budgets, missed = lines[name].get_data()
        for flag_rate in [0.0, 0.03, 0.1, 0.21, 0.5, 0.9]:
            clf = VerdictClassifier(forest, flag_rate=flag_rate, cv="prefit", **aimed).fit(X, y)
            at = missed[np.searchsorted(budgets, flag_rate, side="right") - 1]
            assert at == clf.verdict_policy_.classes[label]["miss_rate"]


def test_a_trade_off_takes_probabilities(iris):
    X, y = iris
    bayes = GaussianNB().fit(X[::2], y[::2])
    p = bayes.predict_proba(X)
    by_model, by_probabilities = plot_tradeoff(bayes, X, y), plot_tradeoff(y=y, probabilities=p)
    assert legend(by_model) == legend(by_probabilities)
    for one, other in zip(by_model.get_lines(), by_probabilities.get_lines(), strict=True):
        assert (one.get_xydata() == other.get_xydata()).all()
    assert len(plot_tradeoff(bayes, X, y, catch=False).get_lines()) == 3
    for given, message in [
        ({"y": y}, "give either clf and X, or probabilities"),
        ({"clf": bayes, "X": X}, "y is missing"),
        ({"clf": bayes, "X": X, "y": y, "probabilities": p}, "give either"),
        ({"y": y[:50], "probabilities": p}, r"shape \(150, 3\), and \(50, 1\) was expected"),
        ({"clf": bayes, "X": X, "y": y, "labels": [7]}, "labels has the class 7"),
    ]:
        with pytest.raises(ValueError, match=message):
            plot_tradeoff(**given)


def test_a_reliability_diagram_counts_rows_of_equal_bins(iris):
    X, y = iris
    p = GaussianNB().fit(X[::2], y[::2]).predict_proba(X).round(2)
    axes = plot_reliability(y=y, probabilities=p, n_bins=7, confidence=0.9)
    assert [ax.get_xlabel() for ax in axes] == [f"mean probability of class {k}" for k in range(3)]
    for label, ax in enumerate(axes):
        dots = ax.containers[0].lines[0]
        bars = ax.containers[0].lines[2][0].get_segments()
        means, shares = dots.get_data()
        # A row falls into the bin whose cut is the last at or below its probability.
        ranked = np.sort(p[:, label])
        cuts = np.unique(np.append(ranked[0], ranked[np.arange(1, 7) * 150 // 7]))
        bins = np.searchsorted(cuts, p[:, label], side="right") - 1
        assert len(cuts) == len(means)
        for number, (mean, share, bar) in enumerate(zip(means, shares, bars, strict=True)):
            rows = bins == number
            part, whole = int((y[rows] == label).sum()), int(rows.sum())
            assert mean == pytest.approx(p[rows, label].mean())
            assert share == part / whole
            low, high = binomtest(part, whole).proportion_ci(0.9, method="exact")
            np.testing.assert_allclose(bar[:, 1], [low, high], atol=1e-12)


def test_a_reliability_diagram_of_two_classes_shows_the_second(moons):
    _, X, y = moons
    clf = VerdictClassifier(GaussianNB(), cost_ratio=0.2).fit(X[:400], y[:400])
    ax = plot_reliability(clf, X[400:], y[400:])
    assert ax.get_xlabel() == "mean probability of class 1"
    both = plot_reliability(clf, X[400:], y[400:], labels=[0, 1])
    assert len(both) == 2
    with pytest.raises(ValueError, match="ax must be 2 Axes"):
        plot_reliability(clf, X[400:], y[400:], labels=[0, 1], ax=ax)
    with pytest.raises(ValueError, match="n_bins=0"):
        plot_reliability(clf, X, y, n_bins=0)
    with pytest.raises(ValueError, match=r"95 % is 0\.95"):
        plot_reliability(clf, X, y, confidence=95)
