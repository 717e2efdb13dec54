"""Do the tree, its reports and its predictions agree?"""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse

from ternwood import TernaryTreeClassifier
from ternwood._params import ROUTINGS


@pytest.fixture(params=ROUTINGS)
def fitted(request, cancer):
    return TernaryTreeClassifier(zone="class_overlap", routing=request.param, max_depth=4).fit(
        *cancer
    )


def test_the_arrays_describe_one_tree(fitted, cancer):
    _, y = cancer
    tree = fitted.tree_
    leaves = tree.children_left == -1
    assert tree.node_count == len(tree.value) == len(tree.n_within)
    assert leaves.sum() == fitted.get_n_leaves()
    assert (tree.feature[leaves] == -2).all()
    assert (tree.threshold[leaves] == -2).all()
    assert (tree.half_width[leaves] == 0).all()
    assert (tree.half_width >= 0).all()
    assert ((tree.children_middle >= 0) == (~leaves & (fitted.routing == "hard_middle"))).all()
    np.testing.assert_allclose(tree.value.sum(axis=2), 1)
    assert tree.n_node_samples[0] == len(y)
    np.testing.assert_allclose(tree.value[0, 0], np.bincount(y) / len(y))
    for node in np.flatnonzero(~leaves):
        children = [tree.children_left[node], tree.children_right[node]]
        if fitted.routing == "hard_middle" and tree.n_within[node]:
            children.append(tree.children_middle[node])
        assert tree.n_node_samples[children].sum() == tree.n_node_samples[node]


def test_the_tree_is_made_once_and_is_read_only(fitted, cancer):
    tree = fitted.tree_
    assert fitted.tree_ is tree
    with pytest.raises(ValueError, match="read-only"):
        tree.value[0] = 0
    before = tree.node_count
    assert fitted.set_params(max_depth=1).fit(*cancer).tree_.node_count < before


def test_n_within_counts_the_rows_of_each_zone(cancer):
    X, y = cancer
    clf = TernaryTreeClassifier(zone="class_overlap", max_depth=4).fit(X, y)
    tree = clf.tree_
    paths = clf.decision_path(X).toarray().astype(bool)
    for node in np.flatnonzero(tree.children_left >= 0):
        values = X[paths[:, node], tree.feature[node]]
        lower = tree.threshold[node] - tree.half_width[node]
        upper = tree.threshold[node] + tree.half_width[node]
        assert tree.n_within[node] == ((values > lower) & (values <= upper)).sum()
    assert tree.n_within.sum() > 0


def test_the_scale_multiplies_the_widths(cancer):
    clf = TernaryTreeClassifier(zone="class_overlap", max_depth=4)
    single = clf.fit(*cancer).tree_.half_width
    double = clf.set_params(zone__scale=2.0).fit(*cancer).tree_.half_width
    assert (double == 2 * single).all()
    assert double.any()


def test_paths_lead_to_the_leaves(fitted, cancer):
    X, _ = cancer
    paths, leaves = fitted.decision_path(X), fitted.apply(X)
    assert issparse(paths)
    assert paths.format == "csr"
    assert paths.shape == (len(X), fitted.tree_.node_count)
    assert (paths.toarray()[np.arange(len(X)), leaves] == 1).all()
    assert (fitted.tree_.children_left[leaves] == -1).all()
    assert paths.sum(axis=1).max() == fitted.get_depth() + 1
    decided = fitted.predict_decided(X)
    answers = fitted.tree_.value[leaves, 0]
    assert (fitted.predict_proba(X)[decided] == answers[decided]).all()


def test_an_explanation_agrees_with_the_prediction(fitted, cancer):
    X, _ = cancer
    rows = np.r_[
        np.flatnonzero(~fitted.predict_decided(X))[:3],
        np.flatnonzero(fitted.predict_decided(X))[:3],
    ]
    classes, probabilities, verdicts = fitted.predict_all(X[rows])
    explanations = fitted.explain(X[rows])
    assert len(explanations) == len(rows)
    for index, row in enumerate(explanations):
        assert row.prediction == classes[index]
        assert (row.probabilities == probabilities[index]).all()
        assert row.decided == verdicts[index]
        assert (row.sentence is None) == row.decided
        assert sum(share for _, share in row.leaves) == pytest.approx(1)
        within = [step for step in row.steps if step.side == "within" and step.zone_counts]
        assert bool(within) != row.decided
        for step in row.steps:
            assert step.threshold == fitted.tree_.threshold[step.node]
            assert step.value == X[rows[index], int(step.feature[1:])]
    text = str(explanations)
    assert text.count("node 0:") == len(rows)
    assert str(explanations[0]) in text
    assert len(explanations[1:3]) == 2


@pytest.mark.parametrize("missing", ["learn", "unknown"])
@pytest.mark.parametrize("routing", ROUTINGS)
def test_the_arrays_say_where_categories_and_gaps_go(wards, routing, missing):
    X, y = wards
    X = X.drop(columns="size")
    clf = TernaryTreeClassifier(max_depth=4, routing=routing, missing=missing).fit(X, y)
    tree = clf.tree_
    paths = clf.decision_path(X).toarray().astype(bool)
    for node in np.flatnonzero(tree.kind == "categories"):
        cut = tree.categories[node]
        values = X.iloc[paths[:, node], tree.feature[node]].astype(str)
        values = values.replace({"True": "true", "False": "false"})
        if missing == "learn":  # otherwise rows with gaps pass nodes that they did not train
            counts = dict(values.value_counts())
            assert dict(zip(cut.names, cut.rows, strict=True)).items() <= counts.items()
        assert sorted(cut.left + cut.right) == cut.names
        positions = dict(zip(cut.names, cut.positions, strict=True))
        assert all(positions[name] <= cut.threshold for name in cut.left)
        assert all(positions[name] > cut.threshold for name in cut.right)
        errors = dict(zip(cut.names, cut.standard_errors, strict=True))
        assert cut.category_error == 2.0
        near = [n for n in cut.names if abs(positions[n] - cut.threshold) < 2.0 * errors[n]]
        assert sorted(cut.unsure) == near
        assert cut.axis == [0.0, 1.0]
        assert tree.threshold[node] == cut.threshold
        if routing != "hard_middle":
            children = paths[:, tree.children_left[node]][paths[:, node]]
            assert set(values[children]) <= {*cut.left, "nan", "None"}
    assert (tree.kind == "categories").any()
    assert all(
        (cut is None) == (kind != "categories")
        for cut, kind in zip(tree.categories, tree.kind, strict=True)
    )
    assert set(tree.missing[tree.kind == "leaf"]) == {""}
    assert set(tree.missing[tree.kind == "present"]) <= {"right"}
    learned = set(tree.missing[tree.kind != "leaf"]) - {"unknown"}
    assert bool(learned) == (missing == "learn")


def test_steps_have_the_values_as_they_were_given(wards):
    X, y = wards
    clf = TernaryTreeClassifier(max_depth=4).fit(X, y)
    rows = X[:40].copy()
    rows.loc[rows.index[3], "job"] = "queen"
    explanations = clf.explain(rows)
    _, probabilities, verdicts = clf.predict_all(rows)
    steps = [(number, step) for number, row in enumerate(explanations) for step in row.steps]
    for number, step in steps:
        value = rows.iloc[number][step.feature]
        if pd.isna(value):
            assert step.value is None
            assert np.isnan(step.position)
        else:
            name = str(value).lower() if step.feature == "smoker" else str(value)
            assert step.value == (name if step.feature != "age" else value)
        assert step.unknown == (step.value == "queen" and clf.tree_.kind[step.node] == "categories")
    assert any(step.unknown for _, step in steps)
    for number, row in enumerate(explanations):
        assert np.array_equal(row.probabilities, probabilities[number])
        assert row.decided == verdicts[number]
    assert "the training table had no job 'queen'" in explanations[3].sentence


def test_reports_name_features_and_classes(iris_frame):
    X, y = iris_frame
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    clf = TernaryTreeClassifier(max_depth=2).fit(X, words)
    for report in (clf.export_text(), clf.export_dot(), str(clf.explain(X[70:71]))):
        assert "petal width (cm)" in report
        assert "virginica" in report
    assert clf.export_text(max_depth=0, width=None).count("\n") == 1
    whole, narrow = (clf.export_text(width=width) for width in (None, 40))
    assert max(map(len, whole.splitlines())) > 40 >= max(map(len, narrow.splitlines()))
    assert clf.export_dot().startswith("digraph")
    for depth in (-1, "all"):
        with pytest.raises(ValueError, match=rf"max_depth is {depth!r}; allowed: a number from 0"):
            clf.export_text(max_depth=depth)
    with pytest.raises(ValueError, match="width must be at least 1"):
        clf.export_text(width=0)


def test_a_tree_that_cannot_be_read_is_summarised(noisy):
    X, y = noisy
    large = TernaryTreeClassifier(max_depth=8).fit(X, y)
    n_leaves = large.get_n_leaves()
    assert n_leaves > 32
    text = large.export_text()
    assert text.startswith(f"{n_leaves} leaves, depth 8. The 10 rules with the most training rows,")
    assert text.endswith("\nexport_text(full=True) has the whole tree, max_depth=3 its top.\n")
    most = max(rule.rows for rule in large.rules_)
    assert text.splitlines()[3].lstrip().startswith(f"{most / len(X):.1%}".replace("%", " %"))
    assert max(map(len, text.splitlines())) <= 80
    assert len(large.export_text(full=True).splitlines()) >= 2 * n_leaves - 1
    assert large.export_text(max_depth=None) == large.export_text(full=True)  # no categories
    assert "more tests below" in large.export_text(max_depth=3)
    small = TernaryTreeClassifier(max_depth=5).fit(X, y)
    assert small.export_text() == small.export_text(full=True) == small.export_text(max_depth=5)


def test_a_single_class_is_a_single_leaf():
    clf = TernaryTreeClassifier().fit([[1.0], [2.0]], ["only", "only"])
    assert (clf.get_depth(), clf.get_n_leaves(), clf.tree_.node_count) == (0, 1, 1)
    assert clf.predict([[9.0]]) == ["only"]
    assert clf.zone_distance([[9.0]]) == [np.inf]
    assert clf.feature_importances_ == [0.0]
    assert "only" in str(clf.explain([[9.0]]))


def test_rows_are_counted_not_weighed(cancer):
    X, y = cancer
    weights = np.random.default_rng(0).choice([0.5, 1.25, 3.0], len(y))
    clf = TernaryTreeClassifier(max_depth=3, min_samples_leaf=5).fit(X, y, sample_weight=weights)
    counts = clf.tree_.n_node_samples
    in_text = re.findall(r"\((\S+) rows", clf.export_text())
    assert sorted(in_text, key=int) == sorted(map(str, counts), key=int)
    of_leaves = counts[clf.tree_.children_left == -1]
    in_rules = re.findall(r" (\S+) rows\)", str(clf.rules_))
    assert sorted(in_rules, key=int) == sorted(map(str, of_leaves), key=int)
