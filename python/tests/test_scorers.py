"""Do scorers guide cross-validation and searches?"""

import pickle

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from ternwood import TernaryTreeClassifier, VerdictClassifier, metrics, zones
from ternwood.metrics import decided_accuracy_scorer, expected_cost_scorer, neg_aurc_scorer

COSTS = {"cost_matrix": [[0, 10], [1, 0]], "flag_cost": 0.5}
SCORERS = {
    "decided": decided_accuracy_scorer,
    "aurc": neg_aurc_scorer,
    "ratio": expected_cost_scorer(cost_ratio=0.2),
    "matrix": expected_cost_scorer(**COSTS),
}


class FourRows(GaussianNB):
    """Answers 1, 1, 0, 0 with confidences 0.9, 0.6, 0.8, 0.7."""

    def predict_proba(self, X):
        """Ignore the rows."""
        return np.array([[0.1, 0.9], [0.4, 0.6], [0.8, 0.2], [0.7, 0.3]])

    def predict(self, X):
        """Ignore the rows."""
        return np.array([1, 1, 0, 0])


def test_scores_by_hand():
    X, y = np.arange(4.0)[:, None], np.array([1, 0, 0, 1])  # the second and the last are wrong
    plain = FourRows().fit(X, y)
    # Flags the 0.6 only: below 1 - 0.35.
    flagging = VerdictClassifier(plain, cost_ratio=0.35, cv="prefit").fit(X, y)
    assert decided_accuracy_scorer(flagging, X, y) == 2 / 3
    assert decided_accuracy_scorer(plain, X, y) == 1 / 2  # without verdicts every row is decided
    # By confidence: right, right, wrong, wrong; the mean of 0, 0, 1/3, 2/4.
    for clf in (plain, flagging):
        assert neg_aurc_scorer(clf, X, y) == pytest.approx(-(1 / 3 + 1 / 2) / 4)
    # One flag and one wrong answer.
    assert SCORERS["ratio"](flagging, X, y) == pytest.approx(-(0.2 + 1) / 4)
    assert SCORERS["ratio"](plain, X, y) == pytest.approx(-2 / 4)
    # The 1 that was called 0 costs 1, the 0 that was called 1 costs 10, or 0.5 where flagged.
    assert SCORERS["matrix"](flagging, X, y) == pytest.approx(-(0.5 + 1) / 4)
    assert SCORERS["matrix"](plain, X, y) == pytest.approx(-11 / 4)


@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")
@pytest.mark.parametrize("name", SCORERS)
def test_they_see_through_pipelines_and_searches(cancer, name):
    X, y = cancer
    scorer, scaler = SCORERS[name], StandardScaler().fit(X)
    clf = VerdictClassifier(GaussianNB(), flag_rate=0.2, cv=3)
    expected = scorer(clf.fit(scaler.transform(X), y), scaler.transform(X), y)
    identity = FunctionTransformer()
    wrapped = [
        make_pipeline(StandardScaler(), identity, clf),
        make_pipeline(StandardScaler(), make_pipeline(identity, clf)),
        GridSearchCV(make_pipeline(StandardScaler(), clf), {"verdictclassifier__cv": [3]}, cv=2),
    ]
    for outer in wrapped:
        assert scorer(outer.fit(X, y), X, y) == expected
    assert scorer(make_pipeline(clf).fit(X, y), X, y) == scorer(clf.fit(X, y), X, y)


@pytest.mark.parametrize("name", SCORERS)
def test_a_search_over_the_scale_of_zones(cancer, name):
    X, y = cancer
    scorer = SCORERS[name]
    folds = StratifiedKFold(3)
    clf = TernaryTreeClassifier(max_depth=3, zone=zones.Margin())
    grid = {"zone__scale": [0.0, 0.5, 2.0]}
    search = GridSearchCV(clf, grid, scoring=scorer, cv=folds, n_jobs=2).fit(X, y)
    found = search.cv_results_["mean_test_score"]
    assert len(set(found)) == 3
    for scale, score in zip(grid["zone__scale"], found, strict=True):
        clf.set_params(zone__scale=scale)
        by_hand = []
        for train, test in folds.split(X, y):
            classes, p, verdicts = clf.fit(X[train], y[train]).predict_all(X[test])
            answers = y[test], classes, verdicts
            by_hand.append(
                {
                    "decided": lambda a=answers: metrics.decided_accuracy(*a),
                    "aurc": lambda a=answers, p=p: -metrics.aurc(*a[:2], p.max(axis=1)),
                    "ratio": lambda a=answers: (
                        -metrics.expected_cost(*a, cost_undecided=0.2, cost_wrong=1)
                    ),
                    "matrix": lambda a=answers: -metrics.expected_cost(*a, **COSTS),
                }[name]()
            )
        assert score == pytest.approx(np.mean(by_hand))
    assert search.best_score_ == max(found)
    assert (cross_val_score(clf, X, y, scoring=scorer, cv=folds) == by_hand).all()


def test_scorers_of_costs_are_checked_and_pickled():
    for given in ({}, {"cost_ratio": 0.2, "cost_matrix": [[0, 1], [1, 0]]}):
        with pytest.raises(ValueError, match="either a cost_ratio or a cost_matrix"):
            expected_cost_scorer(**given)
    again = pickle.loads(pickle.dumps(SCORERS["matrix"]))
    assert again == SCORERS["matrix"]


def test_scorers_have_names(cancer):
    X, y = cancer
    clf = TernaryTreeClassifier(max_depth=3).fit(X, y)
    assert metrics.get_scorer_names() == ["decided_accuracy", "neg_aurc", "neg_expected_cost"]
    for name, scorer in zip(metrics.get_scorer_names(), SCORERS.values(), strict=False):
        assert metrics.get_scorer(name)(clf, X, y) == scorer(clf, X, y)
    costs = metrics.get_scorer("neg_expected_cost", **COSTS)
    assert costs(clf, X, y) == SCORERS["matrix"](clf, X, y)
    assert metrics.get_scorer("accuracy")(clf, X, y) == clf.score(X, y)
    with pytest.raises(ValueError, match="there is no scorer 'aurc'; ternwood has decided_acc"):
        metrics.get_scorer("aurc")
    with pytest.raises(TypeError, match="'neg_aurc' takes no settings, got cost_ratio"):
        metrics.get_scorer("neg_aurc", cost_ratio=0.1)
