"""Pipelines that end in a classifier of this package, as ONNX by skl2onnx."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ._classifier import TernaryTreeClassifier
from ._classifier_cv import TernaryTreeClassifierCV
from ._exports import Exports
from ._forest import TernaryForestClassifier
from ._verdict_classifier import VerdictClassifier

_CLASSES = (
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    TernaryForestClassifier,
    VerdictClassifier,
)


def register_onnx_converters() -> None:
    """Let skl2onnx convert the classifiers of this package, alone or at the end of a pipeline.

    Happens by itself if skl2onnx was imported before ``ternwood``. The graph has the outputs
    ``label``, ``probabilities`` and ``decided``; what comes before should compute with doubles,
    so convert with ``initial_types=[("X", DoubleTensorType([None, n_features]))]``.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.

    Examples
    --------
    >>> from skl2onnx import to_onnx
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from ternwood import TernaryTreeClassifier, register_onnx_converters
    >>> register_onnx_converters()
    >>> X, y = load_iris(return_X_y=True)
    >>> pipeline = make_pipeline(StandardScaler(), TernaryTreeClassifier(max_depth=2)).fit(X, y)
    >>> [output.name for output in to_onnx(pipeline, X[:1]).graph.output]
    ['label', 'probabilities', 'decided']
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError:
        raise ImportError("register_onnx_converters needs skl2onnx: pip install skl2onnx") from None
    for cls in _CLASSES:
        name = f"Ternwood{cls.__name__}"
        update_registered_converter(cls, name, _shapes, _convert, parser=_parse)


def _parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> Any:
    """Declare the outputs."""
    from skl2onnx.common.data_types import BooleanTensorType, DoubleTensorType

    operator = scope.declare_local_operator(f"Ternwood{type(model).__name__}", model)
    operator.inputs = inputs
    for name, kind in (
        ("label", _label_type(model)),
        ("probabilities", DoubleTensorType([None, len(model.classes_)])),
        ("decided", BooleanTensorType([None])),
    ):
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs


def _label_type(model: Any) -> Any:
    from skl2onnx.common import data_types

    kinds = {
        "b": data_types.BooleanTensorType,
        "i": data_types.Int64TensorType,
        "u": data_types.Int64TensorType,
        "f": data_types.DoubleTensorType,
    }
    return kinds.get(model.classes_.dtype.kind, data_types.StringTensorType)([None])


def _shapes(operator: Any) -> None:
    """Leave the shapes as they are declared."""


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Copy our own graph into the pipeline's, with names that are new there."""
    import onnx
    from skl2onnx.common.data_types import DoubleTensorType

    model = operator.raw_operator
    tree = getattr(model, "estimator_", model)
    if not isinstance(tree, Exports):
        raise TypeError(f"a verdict around {type(tree).__name__} has no ONNX form here")
    file = tree.to_onnx()
    graph = file.graph
    versions = {opset.domain: opset.version for opset in file.opset_import}
    if [given.name for given in graph.input] != ["numbers"]:
        raise TypeError(
            "a pipeline passes numbers, and this model has features with categories; convert it "
            "alone, with its own to_onnx()"
        )
    if len(operator.inputs) != 1:
        raise TypeError(f"one matrix of numbers was expected, got {len(operator.inputs)} inputs")
    names: dict[str, str] = {}

    def renamed(name: str) -> str:
        if name not in names:
            names[name] = scope.get_unique_variable_name(f"ternwood_{name}")
        return names[name]

    given = operator.inputs[0]
    if isinstance(given.type, DoubleTensorType):
        names["numbers"] = given.full_name
    else:
        target = renamed("numbers")
        container.add_node("Cast", [given.full_name], [target], to=onnx.TensorProto.DOUBLE)
    for output in operator.outputs:
        names[output.raw_name] = output.full_name
    _rename(graph, renamed)
    container.initializers.extend(graph.initializer)
    for node in graph.node:
        settings = {it.name: onnx.helper.get_attribute_value(it) for it in node.attribute}
        container.add_node(
            node.op_type,
            [*node.input],
            [*node.output],
            op_domain=node.domain,
            op_version=versions[node.domain],
            name=scope.get_unique_operator_name(f"ternwood_{node.op_type}"),
            **settings,
        )


def _rename(graph: Any, renamed: Callable[[str], str]) -> None:
    """Rename all values of a graph, and of the graphs within its operators."""
    for node in graph.node:
        node.input[:] = map(renamed, node.input)
        node.output[:] = map(renamed, node.output)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _rename(attribute.g, renamed)
    for value in [*graph.input, *graph.output, *graph.initializer]:
        value.name = renamed(value.name)


if "skl2onnx" in sys.modules:
    register_onnx_converters()
