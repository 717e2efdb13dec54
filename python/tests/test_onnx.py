"""Does ONNX give the same answers and verdicts, to the bit?"""

import json
import sys

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import case, check_probabilities, more_than_all
from skl2onnx import to_onnx
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifier,
    VerdictClassifier,
    register_onnx_converters,
    zones,
)
from ternwood._ternwood import to_onnx as bytes_of

onnxruntime.set_default_logger_severity(3)


def run(model, inputs):
    """Return the outputs by name."""
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs), strict=True))


def inputs_of(model, rows):
    """Return a frame as the inputs of the graph, whose metadata have the names of the columns."""
    wanted = ("numbers", "categories", "missing")
    metadata = {
        entry.key: json.loads(entry.value) for entry in model.metadata_props if entry.key in wanted
    }
    inputs = {}
    for given_ in model.graph.input:
        part = rows[metadata[given_.name]]
        if given_.name == "numbers":
            inputs["numbers"] = part.to_numpy(dtype=np.float64)
        else:
            texts = part.astype(object)
            inputs["categories"] = (
                texts.where(texts.notna(), metadata["missing"]).map(str).to_numpy(dtype=object)
            )
    return inputs


def without_empty_category(column):
    if column.dtype == "category" and "" in column.cat.categories:
        return column.astype(object).replace({"": "never seen"}).astype("category")
    return column


def check(clf, rows):
    model = clf.to_onnx()
    # An empty text is a missing category, unless it is a category.
    names = {name for feature in clf._model.features() for name in feature[1] or []}
    if "" not in names:
        rows = rows.apply(without_empty_category)
    found = run(model, inputs_of(model, rows))
    check_probabilities(found["probabilities"], clf, rows)
    np.testing.assert_array_equal(found["decided"], clf.predict_decided(rows))
    np.testing.assert_array_equal(found["label"], clf.predict(rows))
    is_forest = isinstance(clf, TernaryForestClassifier)
    has_distance = not is_forest and getattr(clf, "routing", "") != "hard_middle"
    assert ("distance" in found) == has_distance
    if has_distance:
        np.testing.assert_array_max_ulp(found["distance"], clf.zone_distance(rows), 1)


@settings(max_examples=100)
@given(seed=st.integers(0, 2**32 - 1))
def test_trees_are_answered_as_predicted(seed):
    check(*case(seed))


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_forests_are_answered_as_predicted(seed):
    check(*case(seed, forest=True))


def test_no_share_exceeds_the_row():
    check(*more_than_all())


def test_a_forest_of_many_trees(cancer):
    X, y = cancer
    clf = TernaryForestClassifier(random_state=0).fit(X, y)
    model = clf.to_onnx()
    found = run(model, {"numbers": X})
    check_probabilities(found["probabilities"], clf, X)
    np.testing.assert_array_equal(found["decided"], clf.predict_decided(X))
    # Loading takes time in the square of the number of operators.
    assert len(model.graph.node) < 1000


def test_only_standard_operators(iris_frame, wards):
    numbers = TernaryTreeClassifier().fit(*iris_frame).to_onnx()
    assert [(opset.domain, opset.version) for opset in numbers.opset_import] == [("", 18)]
    words = TernaryTreeClassifier().fit(*wards).to_onnx()
    domains = [(opset.domain, opset.version) for opset in words.opset_import]
    assert domains == [("", 18), ("ai.onnx.ml", 2)]
    operators = {node.op_type for node in [*numbers.graph.node, *words.graph.node]}
    assert not operators & {"MatMul", "Gemm", "ReduceProd"}


def test_the_same_model_has_the_same_bytes(wards):
    clf = TernaryTreeClassifier(max_depth=3).fit(*wards)
    assert bytes_of(clf._model, False) == bytes_of(clf._model, False)
    assert onnx.load_model_from_string(bytes_of(clf._model, False)) == clf.to_onnx()


@pytest.mark.parametrize("width", [0.5000005, 0.5, 1e-9])
def test_constants_near_0_and_1_count(width):
    """A runtime leaves out what it takes for x - 0 or x / 1, if a constant has one element."""
    X = pd.DataFrame({"x": [-1e-9, 0.0, 2e-9, 3e-9]})
    for clf in (
        TernaryTreeClassifier(zone=zones.Specified({"x": width})),
        TernaryForestClassifier(
            3, zone=zones.Specified({"x": width}), zone_scale=1, exponent="off"
        ),
    ):
        clf.fit(X, [0, 0, 1, 1])
        rows = pd.DataFrame({"x": np.linspace(-1, 1, 50)})
        check(clf, pd.concat([X, rows * width, rows * 1e-8]))


def test_infinity_cannot_be_read():
    clf = TernaryTreeClassifier().fit(pd.DataFrame({"x": [1.0, 2, 3, 4]}), [0, 0, 1, 1])
    found = run(clf.to_onnx(), {"numbers": np.array([[np.inf], [-np.inf], [1.0]])})
    assert found["decided"].tolist() == [False, False, True]
    assert found["probabilities"].tolist() == [[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]


@pytest.mark.parametrize(
    "clf",
    [
        TernaryTreeClassifier(max_depth=3),
        TernaryForestClassifier(n_estimators=5, random_state=0),
        VerdictClassifier(TernaryTreeClassifier(max_depth=3), flag_rate=0.1),
    ],
)
@pytest.mark.parametrize("labels", [["bad", "good"], [0, 1]])
def test_pipelines_convert(cancer, clf, labels):
    register_onnx_converters()
    X, y = cancer[0], np.array(labels)[cancer[1]]
    pipeline = make_pipeline(StandardScaler(), clf).fit(X, y)
    found = run(to_onnx(pipeline, X[:1]), {"X": X})
    np.testing.assert_array_equal(found["label"], pipeline.predict(X))
    np.testing.assert_allclose(found["probabilities"], pipeline.predict_proba(X), atol=1e-12)
    scaled = pipeline[0].transform(X)
    np.testing.assert_array_equal(found["decided"], pipeline[1].predict_decided(scaled))


def constants(graph):
    """Return the names of all constants of a graph, and of all values that its operators read."""
    made = {constant.name for constant in graph.initializer}
    read = {output.name for output in graph.output}
    for node in graph.node:
        read.update(node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                more_made, more_read = constants(attribute.g)
                made |= more_made
                read |= more_read
    return made, read


@pytest.mark.parametrize("zones", [{}, {"zone": "none", "zone_scale": 1.0, "exponent": "off"}])
@pytest.mark.parametrize("by", [None, "flag_rate"])
def test_every_constant_is_used(cancer, zones, by):
    """Runtimes warn of others, and load them."""
    clf = TernaryForestClassifier(n_estimators=5, random_state=0, **zones)
    if by:
        clf = VerdictClassifier(clf, flag_rate=0.1)
    made, read = constants(clf.fit(*cancer).to_onnx().graph)
    assert made <= read


@pytest.fixture(scope="module")
def huge():
    """Fit a forest of more than 200,000 nodes, to classes that depend on nothing."""
    random = np.random.default_rng(0)
    X, y = random.random((20_000, 2)), random.integers(2, size=20_000)
    clf = TernaryForestClassifier(
        25, zone="none", zone_scale=1.0, exponent="off", max_features=None, random_state=0
    )
    return clf.fit(X, y), X


def test_models_too_large_to_serve_are_refused(huge):
    clf, X = huge
    n_nodes = sum(tree.tree_.node_count for tree in clf.estimators_)
    assert n_nodes > 200_000
    message = (
        f"it has {n_nodes} nodes, and more than 200000 are slow to load; serve the model file "
        "itself, or fit fewer or smaller trees; force_large=True writes it anyway"
    )
    with pytest.raises(ValueError, match=message):
        clf.to_onnx()
    verdicts = VerdictClassifier(clf, flag_rate=0.1, cv="prefit", check_training_rows=False)
    verdicts.fit(X, clf.predict(X))
    with pytest.raises(ValueError, match=message):
        verdicts.to_onnx()
    for model in (clf, verdicts):
        found = run(model.to_onnx(force_large=True), {"numbers": X[:50]})
        np.testing.assert_array_equal(found["label"], model.predict(X[:50]))


def test_what_is_not_installed_is_named(iris_frame, monkeypatch):
    clf = TernaryTreeClassifier(max_depth=2).fit(*iris_frame)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'ternwood\[onnx\]'; the command needs"):
        clf.to_onnx()
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match="pip install skl2onnx"):
        register_onnx_converters()


def test_categories_in_a_pipeline_are_refused(wards):
    register_onnx_converters()
    clf = TernaryTreeClassifier(max_depth=2).fit(*wards)
    with pytest.raises(TypeError, match="this model has features with categories; convert it"):
        to_onnx(clf, np.zeros((1, 4)))
