"""Does every mistake give a clear error?"""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from ternwood import TernaryTreeClassifier, load, zones
from ternwood._params import CONSTRAINTS

METHODS = ("predict", "predict_proba", "predict_decided", "predict_all", "zone_distance")
ROW_METHODS = (*METHODS, "apply", "decision_path", "explain")


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_every_parameter_is_checked_by_type(iris, name):
    clf = TernaryTreeClassifier(**{name: object()})
    with pytest.raises(ValueError, match=f"'{name}' parameter of TernaryTreeClassifier must be"):
        clf.fit(*iris)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_depth", 0),
        ("max_depth", 2.5),
        ("min_samples_split", 1),
        ("min_samples_split", 1.5),
        ("min_samples_leaf", 0),
        ("min_samples_leaf", 1.0),
        ("min_weight_fraction_leaf", 0.6),
        ("max_leaf_nodes", 1),
        ("max_features", 0),
        ("max_features", "all"),
        ("ccp_alpha", -1.0),
        ("ccp_alpha", float("nan")),
        ("criterion", "mse"),
        ("routing", "soft"),
        ("class_weight", "equal"),
        ("random_state", -1),
        ("categorical_features", "all"),
        ("missing", "drop"),
    ],
)
def test_values_out_of_range_are_named(iris, name, value):
    with pytest.raises(ValueError, match=f"(?s)'{name}' parameter.* Got {value!r}"):
        TernaryTreeClassifier(**{name: value}).fit(*iris)


def test_an_unknown_zone_lists_the_known_ones(iris):
    for choose in (
        lambda: TernaryTreeClassifier(zone="wide").fit(*iris),
        lambda: TernaryTreeClassifier().set_params(zone="wide", zone__scale=2.0),
    ):
        with pytest.raises(ValueError, match="'wide'") as error:
            choose()
        assert all(f"'{zone}'" in str(error.value) for zone in zones.KINDS)


def test_half_widths_of_features_that_no_split_tests_are_warned_of(iris_frame):
    zone = zones.Specified({"sepal width (cm)": 0.1, "petal length (cm)": 0.1})
    with pytest.warns(UserWarning, match=r"^no split of the tree tests 'sepal width \(cm\)': "):
        TernaryTreeClassifier(zone=zone, max_depth=1).fit(*iris_frame)
    # A width for every feature is no mistake, though some are not used.
    clf = TernaryTreeClassifier(zone=zones.Specified([0.1] * 4), max_depth=1).fit(*iris_frame)
    assert clf.tree_.half_width[0] == 0.1


def test_a_file_that_is_no_model_is_named(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"patients\.csv: not a usable model file"):
        load(path)


@pytest.mark.parametrize("scale", [float("inf"), 1e300])
def test_huge_scales_are_an_error_or_finite_zones(iris, scale):
    clf = TernaryTreeClassifier(zone=zones.Margin(scale=scale), max_depth=2)
    if np.isinf(scale):
        with pytest.raises(ValueError, match="'scale' parameter of Margin"):
            clf.fit(*iris)
    else:
        assert np.isfinite(clf.fit(*iris).predict_proba(iris[0])).all()


def test_specified_zones_need_a_width_per_feature(iris):
    with pytest.raises(ValueError, match=r"needs half-widths: say zone=zones.Specified\("):
        TernaryTreeClassifier(zone="specified").fit(*iris)
    for half_widths, message in [
        ([1, 2], "half_widths has 2 numbers, but X has 4 features; give one for each"),
        ([1, 2, 3, np.nan], "the half-width of 'x3' is nan; allowed: a number, at least 0"),
        ([-1, 2, 3, 4], "the half-width of 'x0' is -1"),
        ([1, np.inf, 3, 4], "the half-width of 'x1' is inf"),
        ({"x1": "0.1"}, "the half-width of 'x1' is '0.1'"),
        ([{}, {}, {}, {}], "the half-width of 'x0' is {}"),
        ([[1, 2], [3, 4], [1, 2], [3, 4]], r"the half-width of 'x0' is \[1, 2\]"),
        ({"x9": 1.0}, "half_widths has 'x9', but X has no such feature; it has 'x0', 'x1', 'x2'"),
        (3, "'half_widths' parameter of Specified must be"),
    ]:
        with pytest.raises(ValueError, match=message):
            TernaryTreeClassifier(zone=zones.Specified(half_widths)).fit(*iris)


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        (zones.QualityPlateau(tolerance=1.1), "tolerance"),
        (zones.QualityPlateau(connected="yes"), "connected"),
        (zones.ClassOverlap(tail=0.6), "tail"),
        (zones.GainRatio(range_share=-0.1), "range_share"),
        (zones.GainRatio(gain="gini"), "gain"),
        (zones.NodeBootstrap(resamples=1), "resamples"),
        (zones.CostOptimal(cost_ratio=1.0), "cost_ratio"),
        (zones.Margin(scale=-1.0), "scale"),
        (zones.Spread(max_fraction=1.5), "max_fraction"),
        (zones.NoZone(min_samples_category=0), "min_samples_category"),
        (zones.Margin(min_samples_middle=-1), "min_samples_middle"),
        (zones.Margin(category_error=-1.0), "category_error"),
        (zones.Margin(category_error=float("nan")), "category_error"),
    ],
)
def test_settings_of_zones_out_of_range_are_named(iris, zone, name):
    kind = type(zone).__name__
    with pytest.raises(ValueError, match=f"(?s)'{name}' parameter of {kind}.* Got "):
        TernaryTreeClassifier(zone=zone).fit(*iris)


INFINITY = r"Input X contains infinity or a value too large for dtype\('float64'\).\nThe first is"


@pytest.mark.parametrize(
    ("value", "message", "missing"),
    [
        (np.nan, "Input X contains NaN.\nThe first missing value is", "error"),
        (np.inf, INFINITY, "error"),
        (-np.inf, INFINITY, "learn"),
        (np.inf, INFINITY, "unknown"),
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [150, 15_000])
def test_a_non_finite_value_is_reported_by_row_and_column(
    iris_frame, value, message, missing, order, rows
):
    X, y = iris_frame
    repeats = rows // len(y)
    clf = TernaryTreeClassifier(max_depth=2, missing=missing).fit(X, y)
    bad = np.tile(X.to_numpy(), (repeats, 1)).copy(order=order)
    bad[77, 3] = value
    frame = type(X)(bad, columns=X.columns)
    where = r" in row 77, column 'petal width \(cm\)' \(index 3\)"
    with pytest.raises(ValueError, match=message + where):
        TernaryTreeClassifier(missing=missing).fit(frame, np.tile(y, repeats))
    for method in ROW_METHODS[:-1]:
        with pytest.raises(ValueError, match=message + where):
            getattr(clf, method)(frame)


def test_rows_to_explain_are_checked_too(iris):
    X, y = iris
    clf = TernaryTreeClassifier(max_depth=2, missing="error").fit(X, y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        clf.explain([[1.0, np.nan, 3.0, 4.0]])


def test_a_wrong_number_of_features_is_an_error(iris):
    X, y = iris
    clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
    for method in ROW_METHODS:
        with pytest.raises(ValueError, match="X has 3 features, but TernaryTreeClassifier"):
            getattr(clf, method)(X[:, :3])


def test_use_before_fit_is_an_error(iris):
    clf = TernaryTreeClassifier()
    for method in ROW_METHODS:
        with pytest.raises(NotFittedError):
            getattr(clf, method)(iris[0])
    for method in ("get_depth", "get_n_leaves", "export_text", "export_dot", "to_json"):
        with pytest.raises(NotFittedError):
            getattr(clf, method)()
    with pytest.raises(NotFittedError):
        _ = clf.tree_
    with pytest.raises(NotFittedError):
        _ = clf.feature_importances_
    with pytest.raises(NotFittedError):
        clf.save("never written")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.5, 1.5, 2.5], "Unknown label type"),
        ([0.0, 1.0, np.nan], "Input y contains NaN: 1 row has no label, the first is row 2"),
        (["a", None, None], "2 rows have no label, the first is row 1; drop such rows"),
        (pd.Series(["a", "b", None], dtype="string"), "1 row has no label, the first is row 2"),
        (np.array(["a", 1, "b"], dtype=object), "a mix of int, str"),
        ([[0, 1], [1, 0], [1, 1]], "1d array"),
        ([0, 1], "inconsistent numbers of samples"),
        ([], "inconsistent|0 sample"),
    ],
    ids=["continuous", "nan", "none", "pd.NA", "mixed", "two columns", "short", "empty"],
)
def test_invalid_labels_are_errors(y, message):
    with pytest.raises(ValueError, match=message):
        TernaryTreeClassifier().fit([[1.0], [2.0], [3.0]], y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0, 1.0], "sample weight of row 1 is -1|Negative"),
        ([1.0, np.nan, 1.0], "contains NaN"),
        ([0.0, 0.0, 0.0], "zero"),
        ([1.0, 1.0], r"shape|inconsistent"),
    ],
)
def test_invalid_weights_are_errors(weights, message):
    with pytest.raises(ValueError, match=message):
        TernaryTreeClassifier().fit([[1.0], [2.0], [3.0]], [0, 1, 1], weights)


def test_class_weights_of_unknown_classes_are_errors(iris):
    with pytest.raises(ValueError, match="are not in class_weight"):
        TernaryTreeClassifier(class_weight={0: 1.0, 9: 2.0}).fit(*iris)
    with pytest.raises(ValueError, match="class_weight"):
        TernaryTreeClassifier(class_weight={0: -1.0}).fit(*iris)
    with pytest.raises(ValueError, match="class_weight"):
        TernaryTreeClassifier(class_weight={0: np.inf}).fit(*iris)


def test_zero_jobs_is_an_error(iris):
    with pytest.raises(ValueError, match="n_jobs == 0 has no meaning"):
        TernaryTreeClassifier(n_jobs=0).fit(*iris)


def test_hard_middle_routing_has_no_zone_distance(iris):
    clf = TernaryTreeClassifier(routing="hard_middle", max_depth=2).fit(*iris)
    with pytest.raises(ValueError, match="not defined for hard_middle routing"):
        clf.zone_distance(iris[0])


def test_columns_with_the_same_name_are_an_error(iris_frame):
    X, y = iris_frame
    X = X.set_axis(["a", "b", "a", "c"], axis=1)
    with pytest.raises(ValueError, match="X has two columns named 'a', at positions 0 and 2"):
        TernaryTreeClassifier().fit(X, y)


def test_explain_names_the_row_with_a_non_finite_value(iris):
    X, y = iris
    clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
    X = X[:5].copy()
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="row 3"):
        clf.explain(X)
