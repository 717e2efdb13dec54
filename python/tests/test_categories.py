"""Are categories known by their names, wherever they come from?"""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ternwood
from ternwood import TernaryTreeClassifier, VerdictClassifier, zones


def fit(X, y, **parameters):
    return TernaryTreeClassifier(max_depth=4, **parameters).fit(X, y)


def kinds(clf):
    """List the categories of every feature, None for numbers."""
    return [categories for _, categories, _, _ in clf._model.features()]


def same_predictions(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_known_categories_are_those_of_the_dtype_or_those_found(wards):
    X, y = wards
    jobs = ["clerk", "cook", "judge", "nurse", "pilot"]
    assert kinds(fit(X, y)) == [None, jobs, ["S", "M", "L"], ["false", "true"]]
    X["job"] = pd.Categorical(X["job"], ["pilot", "queen", *jobs[:4]])
    assert kinds(fit(X, y))[1] == ["clerk", "cook", "judge", "nurse", "pilot", "queen"]
    enum = pl.DataFrame({"job": pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"]))})
    assert kinds(fit(enum, [0, 1])) == [["a", "b", "c"]]


def test_rows_without_weight_name_no_category(wards):
    X, y = wards
    weights = np.where(X["job"] == "cook", 0.0, 1.0)
    weighted = TernaryTreeClassifier(max_depth=4).fit(X, y, sample_weight=weights)
    assert kinds(weighted)[1] == ["clerk", "judge", "nurse", "pilot"]
    assert weighted.unknown_categories(X) == {"job": ["cook"]}
    dropped = X[weights > 0]
    assert weighted.to_json() == fit(dropped, y[weights > 0]).to_json()
    # A category that does not count is not missing.
    strict = TernaryTreeClassifier(max_depth=4, missing="error")
    complete = X["job"].notna()
    strict.fit(X.loc[complete, ["job"]], y[complete], weights[complete])
    assert kinds(strict) == [["clerk", "judge", "nurse", "pilot"]]


def test_the_order_of_categories_changes_nothing(wards):
    X, y = wards
    clf = fit(X, y)
    answers = clf.predict_all(X)
    backwards = X.assign(job=pd.Categorical(X["job"], sorted(X["job"].dropna().unique())[::-1]))
    assert same_predictions(clf.predict_all(backwards), answers)
    one_by_one = [clf.predict(X[row : row + 1])[0] for row in range(20)]
    assert one_by_one == answers.classes[:20].tolist()
    other = fit(backwards, y)
    assert same_predictions(other.predict_all(X), answers)
    ranks = X.assign(size=X["size"].astype(object))
    assert same_predictions(clf.predict_all(ranks), answers)


def test_an_unseen_category_goes_both_ways_and_is_undecided(wards):
    X, y = wards
    X = X[["job"]]
    clf = TernaryTreeClassifier(max_depth=1).fit(X, y)
    rows = pd.DataFrame({"job": ["queen", "king", "nurse"]})
    _, probabilities, verdicts = clf.predict_all(rows)
    tree = clf.tree_
    share = tree.n_node_samples[1] / tree.n_node_samples[0]
    expected = share * tree.value[1, 0] + (1 - share) * tree.value[2, 0]
    np.testing.assert_allclose(probabilities[:2], [expected] * 2, rtol=1e-12)
    assert verdicts.tolist() == [0, 0, 1]
    assert clf.unknown_categories(rows) == {"job": ["king", "queen"]}
    assert clf.unknown_categories(X) == {}
    # A category of the dtype without a row is not in the data.
    unused = pd.DataFrame({"job": pd.Categorical(["nurse"], ["nurse", "queen"])})
    assert clf.unknown_categories(unused) == {}
    sentences = [row.sentence for row in clf.explain(rows)]
    assert sentences[0].startswith(
        "Flagged as not covered: the training table had no job 'queen'. "
    )
    assert "'king'" in sentences[1]
    assert sentences[2] is None


def test_a_category_without_a_rank_is_unknown(wards):
    X, y = wards
    clf = fit(X[["size"]], y)
    sizes = pd.DataFrame({"size": ["XL", None]})
    assert clf.predict_decided(sizes)[0] == 0
    assert clf.unknown_categories(sizes) == {"size": ["XL"]}
    assert "the training table had no size 'XL'" in str(clf.explain(sizes)[0])


def test_ordered_categories_are_split_by_rank(wards):
    X, y = wards
    clf = fit(X[["size"]], y)
    assert set(clf.tree_.kind) <= {"threshold", "present", "leaf"}
    assert "size <= M" in clf.export_text()
    ranks = fit(X["size"].cat.codes.replace(-1, np.nan).to_frame(), y)
    assert np.array_equal(clf.tree_.threshold, ranks.tree_.threshold, equal_nan=True)


@pytest.mark.parametrize(
    "listed",
    [
        [False, True, False, True],
        np.array([1, 3]),
        ["job", "smoker"],
        pd.Index(["smoker", "job"]),
        pl.Series([3, 1]),
    ],
    ids=["mask", "positions", "names", "index", "polars"],
)
def test_columns_can_be_listed_in_every_way(wards, listed):
    X, y = wards
    X["size"] = X["size"].cat.codes.replace(-1, np.nan)
    clf = fit(X, y, categorical_features=listed)
    assert clf.to_json() == fit(X, y).to_json()


def test_numbers_that_are_listed_are_categories_by_value(wards):
    _, y = wards
    random = np.random.default_rng(0)
    X = np.c_[random.choice([10.0, 9.0, 1.5, np.nan], len(y)), random.normal(size=len(y))]
    clf = fit(X, y, categorical_features=[0])
    assert kinds(clf) == [["1.5", "9", "10"], None]
    assert not hasattr(clf, "feature_names_in_")
    # By value, whatever the type.
    texts = np.array([["10", 0.0], ["9.0", 0.0], ["1.5", 0.0], [None, 0.0]], dtype=object)
    numbers = np.array([[10, 0.0], [9, 0.0], [1.5, 0.0], [np.nan, 0.0]])
    assert np.array_equal(clf.predict_proba(texts), clf.predict_proba(numbers))
    assert clf.unknown_categories([[9, 0.0], [8, 0.0]]) == {"x0": ["8"]}
    whole = fit(X[:, :1] * 2, y, categorical_features=[True])
    assert kinds(whole) == [["3", "18", "20"]]
    huge = np.array([[2**60], [2**60 + 1]] * 20)
    assert kinds(fit(huge, [0, 1] * 20, categorical_features=[0])) == [[str(2**60), str(2**60 + 1)]]


def test_text_in_an_array_is_a_category_only_if_listed(wards):
    X, y = wards
    array = X[["age", "job"]].to_numpy(dtype=object)
    clf = fit(array, y, categorical_features=[1])
    table = X[["age", "job"]]
    assert same_predictions(clf.predict_all(array), fit(table, y).predict_all(table))
    rows = array.tolist()
    assert fit(rows, y, categorical_features=[1]).to_json() == clf.to_json()
    with pytest.raises(
        ValueError, match=r"column 'x1' \(index 1, dtype object\) holds '.*'"
    ) as error:
        fit(array, y)
    assert "pass a data frame, or categorical_features=[1]" in str(error.value)


def test_without_categories_every_column_must_be_a_number(wards):
    X, y = wards
    numbers = X[["age", "smoker"]]
    clf = fit(numbers, y, categorical_features=None)
    assert kinds(clf) == [None, None]
    assert clf.to_json() == fit(numbers.astype(float), y).to_json()
    with pytest.raises(
        ValueError, match=r"column 'job' .* holds '.*', which is no number"
    ) as error:
        fit(X, y, categorical_features=None)
    assert "categorical_features='from_dtype'" in str(error.value)
    with pytest.raises(ValueError, match=r"column 'job' .* add it to categorical_features"):
        fit(X, y, categorical_features=["size", "smoker"])


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ([True, False], "is a mask of 2 columns, but X has 4"),
        ([0, 4], "has the position 4, but X has 4 columns"),
        ([-1], "has the position -1"),
        (["job", "jobs"], "has 'jobs', but X has no such column; it has: age, job, size, smoker"),
        ([1.5], "must be a mask of booleans, positions or names of columns, got 1.5"),
        ([[1, 2]], "must have one dimension"),
    ],
)
def test_columns_that_do_not_exist_are_named(wards, listed, message):
    X, y = wards
    with pytest.raises(ValueError, match=message):
        fit(X, y, categorical_features=listed)


def test_names_are_no_use_for_an_array(noisy):
    with pytest.raises(ValueError, match="the columns of an array have no names"):
        fit(*noisy, categorical_features=["x0"])


def test_a_column_that_changed_its_kind_is_an_error(wards):
    X, y = wards
    clf = fit(X, y)
    old = X.assign(age=np.where(X["age"] > 50, "old", "young"))
    with pytest.raises(ValueError, match=r"column 'age' .* was a number in training, but now it"):
        clf.predict(old)
    codes = X.assign(job=X["job"].astype("category").cat.codes)
    with pytest.raises(ValueError, match=r"column 'job' .* pass the categories, not codes"):
        clf.predict(codes)
    # A column without any value is of every kind.
    empty = X.assign(job=np.nan)
    assert same_predictions(clf.predict_all(empty), clf.predict_all(X.assign(job=None)))


def test_numbers_and_booleans_keep_their_names(wards):
    _, y = wards
    random = np.random.default_rng(1)
    number = random.integers(0, 3, len(y))
    integers = pd.DataFrame({"n": pd.Categorical(number)})
    clf = fit(integers, y)
    answers = clf.predict_proba(integers)
    for same in (
        pd.DataFrame({"n": number}),
        pd.DataFrame({"n": number.astype(float)}),
        pd.DataFrame({"n": number.astype(str)}),
        pd.DataFrame({"n": number.astype(float).astype(str)}),
        pd.DataFrame({"n": pd.Categorical(number, [2, 0, 1])}),
    ):
        assert np.array_equal(clf.predict_proba(same), answers)
    true = random.random(len(y)) < 0.5
    clf = fit(pd.DataFrame({"b": true}), y)
    answers = clf.predict_proba(pd.DataFrame({"b": true}))
    for same in (true.astype(str), np.where(true, "true", "FALSE"), true.astype(object)):
        assert np.array_equal(clf.predict_proba(pd.DataFrame({"b": same})), answers)


def test_a_name_with_leading_zeros_is_no_number():
    wards = pd.DataFrame({"ward": ["1", "01", "2"] * 5}, dtype="category")
    clf = fit(wards, ["a", "b", "c"] * 5)
    assert clf.predict(wards).tolist() == ["a", "b", "c"] * 5
    assert clf.unknown_categories(pd.DataFrame({"ward": ["002", "2.0", "1"]})) == {"ward": ["002"]}


def test_rare_categories_count_as_unseen(wards):
    X, y = wards
    X = X[["job"]]
    clf = TernaryTreeClassifier(max_depth=1, zone=zones.Margin(min_samples_category=20)).fit(X, y)
    assert "pilot" not in clf.tree_.categories[0].names
    assert not clf.predict_decided(X)[X["job"] == "pilot"].any()
    # Those of pilots trained no leaf.
    assert clf.tree_.n_node_samples[1:].sum() < len(X)


def test_the_category_error_widens_the_zones_of_categories(wards):
    X, y = wards
    undecided = [
        (~fit(X, y, zone=zones.Margin(category_error=error)).predict_decided(X)).sum()
        for error in (0, 2, 20)
    ]
    assert undecided[0] < undecided[1] < undecided[2]
    crisp = fit(X, y, zone="none").predict_decided(X.dropna())
    assert crisp.all()


def test_held_out_rows_may_have_unseen_categories(wards):
    X, y = wards
    train = (X["job"] != "cook").to_numpy() & (np.arange(len(X)) % 2 == 0)
    clf = fit(X[train], y[train])
    with pytest.raises(ValueError, match="rows have gaps or categories"):
        VerdictClassifier(clf, flag_rate=0.2, cv="prefit").fit(X[~train], y[~train])
    sure = VerdictClassifier(clf, flag_rate=0.5, cv="prefit").fit(X[~train], y[~train])
    tallies = sure.verdict_policy_.classes.values()
    assert sum(tally["rows"] for tally in tallies) == (~train).sum()
    assert clf.zone_scale_for_flag_rate(X, y, 0.5) > 0
    assert clf.plot_tree(X, y).svg.startswith("<svg")


def test_saving_keeps_the_categories(wards, tmp_path):
    X, y = wards
    zone = zones.Margin(min_samples_category=2, category_error=1.5)
    clf = fit(X, y, missing="unknown", zone=zone)
    clf.save(tmp_path / "model.json")
    again = ternwood.load(tmp_path / "model.json")
    assert again.to_json() == clf.to_json()
    assert same_predictions(again.predict_all(X), clf.predict_all(X))
    assert again.categorical_features == ["job", "size", "smoker"]
    assert (again.missing, again.zone) == ("unknown", zone)
    assert again.fit(X, y).to_json() == clf.to_json()
    array = X[["age", "job"]].to_numpy(dtype=object)
    unnamed = fit(array, y, categorical_features=[1])
    again = ternwood.loads(unnamed.to_json())
    assert again.categorical_features == [1]
    assert same_predictions(again.predict_all(array), unnamed.predict_all(array))


def test_text_that_is_different_in_most_rows_is_warned_of(wards):
    X, y = wards
    X = X.assign(patient=[f"P{row:04}" for row in range(len(X))])
    message = "more than 1 category per 10 rows in column 'patient'"
    with pytest.warns(UserWarning, match=message):
        TernaryTreeClassifier(max_depth=2).fit(X, y)
    # What the caller says to be a category is one.
    asked_for = ["job", "size", "smoker", "patient"]
    clf = TernaryTreeClassifier(max_depth=2, categorical_features=asked_for).fit(X, y)
    # Its gain is what so many categories gain by chance.
    assert list(X.columns).index("patient") not in clf.tree_.feature
