"""Does a notebook show the tree and the verdict of a fitted classifier?"""

import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    VerdictClassifier,
)


def shown(clf):
    return clf._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize(
    ("clf", "has_tree"),
    [
        (TernaryTreeClassifier(max_depth=2), True),
        (TernaryTreeClassifierCV(max_depth=2), True),
        (VerdictClassifier(TernaryTreeClassifier(max_depth=2), flag_rate=0.1), True),
        (VerdictClassifier(LogisticRegression(max_iter=1000), flag_rate=0.1), False),
        (TernaryForestClassifier(5), False),
        (VerdictClassifier(TernaryForestClassifier(5), cv="oob"), False),
    ],
    ids=["tree", "cv", "verdict of a tree", "verdict of another", "forest", "verdict of a forest"],
)
def test_a_fitted_classifier_shows_its_verdict_and_its_tree(iris_frame, clf, has_tree):
    assert "<pre>undecided" not in shown(clf)
    page = shown(clf.fit(*iris_frame))
    assert "<pre>" + str(clf.verdict_policy_).splitlines()[0] in page
    assert ("petal" in page.partition("<pre>undecided")[2]) == has_tree
    ours = page.partition("<pre>undecided")[2]
    assert clf._repr_html_().endswith(ours)
    with sklearn.config_context(display="text"):
        assert list(clf._repr_mimebundle_()) == ["text/plain"]


def test_of_a_large_tree_the_top_is_drawn(noisy):
    clf = TernaryTreeClassifier(max_depth=8).fit(*noisy)
    page = shown(clf)
    note = f"3 of 8 levels of tests, {clf.get_n_leaves()} leaves; plot_tree() draws more"
    assert page.endswith(f"{clf.plot_tree(max_depth=3).svg}<p>{note}</p>")


def test_names_are_escaped(iris):
    X, y = iris
    clf = TernaryTreeClassifierCV(max_depth=2).fit(X, [f"<b>{label}</b>" for label in y])
    assert "<b>" not in shown(clf).partition("<pre>undecided")[2]


def test_a_pipeline_can_be_shown(iris):
    pipeline = make_pipeline(TernaryTreeClassifier(max_depth=2)).fit(*iris)
    assert "TernaryTreeClassifier" in shown(pipeline)
