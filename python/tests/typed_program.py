"""A program that uses the public names: it runs, and strict type checkers accept it."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import ternwood
from ternwood import (
    Scorer,
    TernaryForestClassifier,
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    VerdictClassifier,
    metrics,
    zones,
)
from ternwood.types import (
    DepthGain,
    Disagreement,
    DriftCheck,
    Explanation,
    Explanations,
    Figure,
    ForestExplanation,
    Page,
    Predictions,
    Report,
    RequiredRows,
    Rules,
    TradeoffTable,
    Tree,
    VerdictPolicy,
    VerdictReport,
)


def rows(seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return overlapping classes."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(400, 4))
    noise: NDArray[np.float64] = random.normal(size=400)
    y: NDArray[np.int64] = (X[:, 0] + X[:, 1] + noise > 0).astype(np.int64)
    return X, y


def trees(folder: Path) -> None:
    """Fit, inspect and save trees."""
    X, y = rows(0)
    clf = TernaryTreeClassifier(zone=zones.QualityPlateau(tolerance=0.1), max_depth=3).fit(X, y)
    assert_type(clf, TernaryTreeClassifier)
    found = clf.predict_all(X)
    assert_type(found, Predictions)
    assert_type(found.probabilities, NDArray[np.float64])
    assert_type(found.decided, NDArray[np.bool_])
    assert_type(clf.predict_decided(X), NDArray[np.bool_])
    assert_type(clf.tree_, Tree)
    assert_type(clf.tree_.threshold, NDArray[np.float64])
    assert_type(clf.rules_, Rules)
    assert_type(clf.rules_[0].words, str)
    explanations = clf.explain(X[:2])
    assert_type(explanations, Explanations[Explanation])
    assert_type(explanations[0].sentence, str | None)
    assert_type([step.feature for step in explanations[0].steps], list[str])
    assert_type(clf.plot_tree(X, y, max_depth=None), Figure)
    assert_type(clf.to_html(), Page)
    assert_type(clf.export_text(max_depth="auto"), str)
    assert_type(clf.to_sql("patients"), str)
    assert_type(clf.report(X, y), Report)
    assert_type(clf.tradeoff_table(X, y), TradeoffTable)
    assert_type(clf.check_drift(rows(1)[0]), DriftCheck)
    assert_type(clf.verdict_policy_, VerdictPolicy)
    assert_type(clf.set_metadata(name="trees").metadata_, dict[str, str])
    clf.save(folder / "model.json", private=True)
    ternwood.load(folder / "model.json").predict(X)
    ternwood.loads(clf.to_json()).predict(X)
    chosen = TernaryTreeClassifierCV(max_depth="best", zone_scale="auto").fit(X, y)
    assert_type(chosen, TernaryTreeClassifierCV)
    assert_type(chosen.depth_gain_, DepthGain | None)
    assert_type(chosen.cv_results_, dict[str, Any])


def forests() -> None:
    """Fit a forest, and verdicts around it."""
    X, y = rows(0)
    forest = TernaryForestClassifier(5, exponent="off", random_state=0, n_jobs=1).fit(X, y)
    assert_type(forest, TernaryForestClassifier)
    assert_type(forest[0], TernaryTreeClassifier)
    assert_type(forest.explain(X[:1]), Explanations[ForestExplanation])
    assert_type(forest.predict_disagreement(X), Disagreement)
    assert_type(forest.exponent_, float | str)
    clf = VerdictClassifier(forest, flag_rate=0.1, cv="prefit").fit(*rows(1))
    assert_type(clf, VerdictClassifier)
    assert_type(clf.report_, VerdictReport)
    assert_type(clf.predict_all(X), Predictions)
    assert_type(clf.explain(X[:1]), Explanations[Any])
    assert_type(clf.verdict_policy_.threshold, float | None)
    assert_type(ternwood.predict_all(clf, X), Predictions)
    assert_type(ternwood.predict_decided(clf, X), NDArray[np.bool_])
    assert_type(ternwood.required_rows(accuracy=0.95), list[RequiredRows])


def figures(folder: Path) -> None:
    """Measure predictions, and answer rows as a service does."""
    X, y = rows(0)
    scorer = Scorer.load(folder / "model.json")
    assert_type(scorer, Scorer)
    classes, probabilities, decided = scorer.predict_all(X)
    assert_type(decided, NDArray[np.bool_])
    assert_type(metrics.decided_accuracy(y, classes, decided), float)
    assert_type(metrics.aurc(y, classes, probabilities.max(axis=1)), float)
    report = metrics.report(y, classes, decided=decided, confidence=probabilities.max(axis=1))
    assert_type(report, Report)
    assert_type(metrics.get_scorer("neg_aurc")(scorer, X, y), float)
    names: Sequence[str] = metrics.get_scorer_names()
    print(len(names), f"{report['accuracy']:.1f}", scorer.explain(X[:1])[0].decided)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        trees(Path(name))
        forests()
        figures(Path(name))
