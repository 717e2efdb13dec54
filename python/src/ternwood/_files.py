"""Saving and loading models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

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

_Saved = TypeVar("_Saved", bound="ModelFile")


class ModelFile:
    """Mixin: writing models, and what is recorded in them."""

    _model: Model

    @property
    def metadata_(self) -> dict[str, str]:
        """What is recorded about the fitted model: name, version, owner, notes, other fields.

        A copy; :meth:`set_metadata` changes it.
        """
        check_is_fitted(self)
        return dict(self._model.metadata())

    @property
    def ternwood_version_(self) -> str | None:
        """The version of ternwood that fitted the model; None if its file does not state it."""
        check_is_fitted(self)
        return self._model.ternwood_version()

    def set_metadata(self: _Saved, **fields: str | None) -> _Saved:
        """Record what the fitted model is: its name, version, owner, notes, or any other field.

        The metadata are saved with the model and copied to pages, reports and ONNX files. They
        belong to the fitted model, not to the parameters: ``clone`` and ``fit`` drop them.

        Parameters
        ----------
        **fields : str or None
            Texts by field: ``name``, ``version``, ``owner``, ``notes``, or a name of your own.
            None or an empty text removes the field; fields that are not given stay as they are.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        TypeError
            If a field is neither text nor None.
        ValueError
            If a field or its name is too long, or there are too many.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> clf.set_metadata(name="Iris", version="2.1", ticket="QA-17").metadata_
        {'name': 'Iris', 'version': '2.1', 'ticket': 'QA-17'}
        """
        check_is_fitted(self)
        for name, text in fields.items():
            if not isinstance(text, str | None):
                raise TypeError(
                    f"metadata field {name!r} is {text!r}, a {type(text).__name__}; pass a string"
                )
        self._model = self._model.with_metadata(
            [(name, text or "") for name, text in fields.items()]
        )
        return self

    def to_json(self, *, private: bool = False) -> str:
        """Write the fitted model as a JSON document.

        The command and the Rust library write the same document, so models move freely between
        them. It does not depend on ``n_jobs``, and numbers read back to the same bits.

        Parameters
        ----------
        private : bool, default=False
            Leave out everything about single training rows: the bits by which the model recognises
            them, and counts of categories with fewer than ten rows. For models to be published.

        Returns
        -------
        str
            The document.
        """
        check_is_fitted(self)
        return (self._model.private() if private else self._model).to_json()

    def save(self, path: str | os.PathLike[str], *, private: bool = False) -> None:
        """Save the fitted model, completely or not at all.

        A tree becomes a JSON file. A forest becomes a safetensors file, which is smaller and much
        faster to read; or a JSON file, if the name ends in ``.json``.

        Parameters
        ----------
        path : str or path-like
            The file; replaced if it exists. A failure leaves it as it was.
        private : bool, default=False
            Leave out everything about single training rows; see :meth:`to_json`.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        as_json = Path(path).suffix.lower() == ".json"
        written = self.to_json(private=private).encode() if as_json else self._file(private)
        write_whole(path, written)

    def _file(self, private: bool = False) -> bytes:
        """Return the bytes of the model's file, whatever its name."""
        check_is_fitted(self)
        return (self._model.private() if private else self._model).to_bytes()


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
        The fitted classifier; see :func:`from_json`.

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


def from_json(text: str, *, accept_edited: bool = False) -> Loaded:
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
