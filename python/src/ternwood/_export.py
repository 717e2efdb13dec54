"""Models as files: written whole, read back, converted to ONNX with pipelines."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np

from . import _labels
from ._table import Feature
from ._ternwood import Model

if TYPE_CHECKING:
    from ._forest import TernaryForestClassifier
    from ._tree import TernaryTreeClassifier, TernaryTreeClassifierCV

    Loaded: TypeAlias = TernaryTreeClassifier | TernaryTreeClassifierCV | TernaryForestClassifier


def write_named(path: str | os.PathLike[str], text: str, *, what: str, ending: str) -> None:
    """Write a whole file whose name must tell its format."""
    if Path(path).suffix.lower() != ending:
        raise ValueError(f"{what}: the name must end in {ending}, got {str(path)!r}")
    write_whole(path, text.encode())


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file and name it when it is complete: a failure leaves the target unchanged.

    A symbolic link is kept, and the file it points to is replaced.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        if not _write_nameless(target, draft, content):
            with draft.open("xb") as file:
                _write_to_disk(file, content)
            draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _write_to_disk(file: BinaryIO, content: bytes) -> None:
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


def _write_nameless(target: Path, draft: Path, content: bytes) -> bool:
    """Write a file that has no name before it is complete, so that a kill leaves nothing behind.

    Linux has such files. Returns False where there are none, or where they cannot be named.
    """
    try:
        descriptor = os.open(target.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except (AttributeError, OSError):
        return False
    with open(descriptor, "wb") as file:
        _write_to_disk(file, content)
        try:
            try:
                _link(descriptor, target)
            except FileExistsError:
                # Nothing but a name can take the place of another. Only a kill between these two
                # lines leaves anything: the complete file.
                _link(descriptor, draft)
                draft.replace(target)
        except OSError:
            return False
    return True


def _link(descriptor: int, path: Path) -> None:
    # The first name is a symbolic link of the system. Python follows it only if a folder is given,
    # which an absolute name makes no use of.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)


def load(path: str | os.PathLike[str], *, accept_edited: bool = False) -> Loaded:
    """Load a model from its file.

    Parameters
    ----------
    path : str or path-like
        A file written by ``save``, by the command or by the Rust library.
    accept_edited : bool, default=False
        Whether the file may have been edited by hand: its content need not have the SHA-256 that
        it states. Everything else is checked all the same.

    Returns
    -------
    TernaryTreeClassifier, TernaryTreeClassifierCV or TernaryForestClassifier
        The fitted classifier; see :func:`loads`.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not a model, or was damaged or edited.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> import ternwood
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = ternwood.TernaryTreeClassifier(max_depth=2).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.json")
    ...     clf.save(path)
    ...     again = ternwood.load(path)
    >>> bool((again.predict_proba(X) == clf.predict_proba(X)).all())
    True
    """
    try:
        return classifier_of(Model(Path(path).read_bytes(), accept_edited))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def loads(text: str, *, accept_edited: bool = False) -> Loaded:
    """Make a fitted classifier from a JSON document.

    Parameters
    ----------
    text : str
        A document from ``to_json``. Everything in it is checked.
    accept_edited : bool, default=False
        Whether the document may have been edited; see :func:`load`.

    Returns
    -------
    TernaryTreeClassifier, TernaryTreeClassifierCV or TernaryForestClassifier
        A classifier with the document's parameters that predicts exactly like the original. A
        tree is a ``TernaryTreeClassifierCV`` if scale or depth were chosen by cross-validation.
        Class labels keep their type: bool, int, float or str. If the model has categories,
        ``categorical_features`` lists their columns.

    Raises
    ------
    ValueError
        If the text is not a model, is of another version, is truncated or inconsistent, or was
        damaged or edited.
    """
    return classifier_of(Model(text.encode(), accept_edited))


def classifier_of(model: Model) -> Loaded:
    """Make a fitted classifier of a model: a tree, one with a choice, or a forest."""
    from . import _params
    from ._forest import TernaryForestClassifier
    from ._tree import TernaryTreeClassifier, TernaryTreeClassifierCV

    classes = _labels.from_names(model.classes())
    features = [Feature(*feature) for feature in model.features()]
    named = model.has_feature_names()
    categorical: list[int | str] = [
        feature.name if named else index
        for index, feature in enumerate(features)
        if feature.categories is not None
    ]
    arguments, automatic = _params.read_recipe(model.recipe(), classes)
    arguments["categorical_features"] = categorical or "from_dtype"
    arguments["uncovered"] = model.uncovered()
    kind: Any = TernaryTreeClassifierCV if any(automatic) else TernaryTreeClassifier
    if "n_estimators" in arguments:
        kind = TernaryForestClassifier
    clf: Loaded = kind(**arguments)
    clf._model = model
    clf.classes_ = classes
    clf.n_features_in_ = len(features)
    if named:
        clf.feature_names_in_ = np.array([feature.name for feature in features], dtype=object)
    return clf


def register_onnx_converters() -> None:
    """Let skl2onnx convert the classifiers of this package, alone or at the end of a pipeline.

    The graph has the outputs ``label``, ``probabilities`` and ``decided``. What comes before should
    compute with doubles, so convert with
    ``initial_types=[("X", DoubleTensorType([None, n_features]))]``.

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
    from ._forest import TernaryForestClassifier
    from ._tree import TernaryTreeClassifier, TernaryTreeClassifierCV
    from ._verdict import VerdictClassifier

    for cls in (
        TernaryTreeClassifier,
        TernaryTreeClassifierCV,
        TernaryForestClassifier,
        VerdictClassifier,
    ):
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

    from ._base import BaseTernary

    model = operator.raw_operator
    tree = getattr(model, "estimator_", model)
    if not isinstance(tree, BaseTernary):
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
