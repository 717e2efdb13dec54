"""Saving and loading models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _labels, _recipe
from ._table import Feature
from ._ternwood import Model
from ._whole_file import write_whole

if TYPE_CHECKING:
    from ._classifier import TernaryTreeClassifier
    from ._classifier_cv import TernaryTreeClassifierCV
    from ._forest import TernaryForestClassifier

    Loaded: TypeAlias = TernaryTreeClassifier | TernaryTreeClassifierCV | TernaryForestClassifier


class ModelFile:
    """Mixin: writing models."""

    _model: Model

    def to_json(self, *, sketch: bool = True) -> str:
        """Write the fitted model as a JSON document.

        The command and the Rust library write the same document, so models move freely between
        them. It does not depend on ``n_jobs``, and numbers read back to the same bits.

        Parameters
        ----------
        sketch : bool, default=True
            Whether to include hashes of training rows, by which the model recognises them. Leave
            them out of what you publish: hashes of rows with little in them could be guessed.

        Returns
        -------
        str
            The document.
        """
        check_is_fitted(self)
        model = self._model if sketch else self._model.without_sketch()
        return model.to_json()

    def save(self, path: str | os.PathLike[str], *, sketch: bool = True) -> None:
        """Save the fitted model, completely or not at all.

        A tree becomes a JSON file. A forest becomes a safetensors file, which is smaller and much
        faster to read; or a JSON file, if the name ends in ``.json``.

        Parameters
        ----------
        path : str or path-like
            The file; replaced if it exists. A failure leaves it as it was.
        sketch : bool, default=True
            Whether to include hashes of training rows; see :meth:`to_json`.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        as_json = Path(path).suffix.lower() == ".json"
        write_whole(path, self.to_json(sketch=sketch).encode() if as_json else self._file(sketch))

    def _file(self, sketch: bool = True) -> bytes:
        """Return the bytes of the model's file, whatever its name."""
        check_is_fitted(self)
        return (self._model if sketch else self._model.without_sketch()).to_bytes()


def load(path: str | os.PathLike[str]) -> Loaded:
    """Load a model from its file.

    Parameters
    ----------
    path : str or path-like
        A file written by ``save``, by the command or by the Rust library.

    Returns
    -------
    TernaryTreeClassifier, TernaryTreeClassifierCV or TernaryForestClassifier
        The fitted classifier; see :func:`from_json`.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not a model.

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
        return classifier_of(Model(Path(path).read_bytes()))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def from_json(text: str) -> Loaded:
    """Make a fitted classifier from a JSON document.

    Parameters
    ----------
    text : str
        A document from ``to_json``. Everything in it is checked.

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
        If the text is not a model, is of another version, is truncated or is inconsistent.
    """
    return classifier_of(Model(text.encode()))


def classifier_of(model: Model) -> Loaded:
    """Make a fitted classifier of a model: a tree, one with a choice, or a forest."""
    from ._classifier import TernaryTreeClassifier
    from ._classifier_cv import TernaryTreeClassifierCV
    from ._forest import TernaryForestClassifier

    classes = _labels.from_names(model.classes())
    features = [Feature(*feature) for feature in model.features()]
    named = model.has_feature_names()
    categorical: list[int | str] = [
        feature.name if named else index
        for index, feature in enumerate(features)
        if feature.categories is not None
    ]
    arguments, automatic = _recipe.read(model.recipe(), classes)
    arguments["categorical_features"] = categorical or "from_dtype"
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
