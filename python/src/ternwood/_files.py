"""Saving and loading models."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _labels, _parameters
from ._table import Feature
from ._ternwood import Model
from ._whole_file import write_whole

if TYPE_CHECKING:
    from ._classifier import TernaryTreeClassifier

_Classifier = TypeVar("_Classifier", bound="ModelFile")


class ModelFile:
    """Mixin: writing and reading models."""

    _model: Model
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def to_json(self) -> str:
        """Write the fitted model as a JSON document.

        The command and the Rust library write the same document, so models move freely between
        them. It does not depend on ``n_jobs``, and numbers read back to the same bits.

        Returns
        -------
        str
            The document.
        """
        check_is_fitted(self)
        return self._model.to_json()

    @classmethod
    def from_json(cls: type[_Classifier], text: str) -> _Classifier:
        """Make a fitted classifier from a JSON document.

        Parameters
        ----------
        text : str
            A document from :meth:`to_json`. Everything in it is checked.

        Returns
        -------
        TernaryTreeClassifier
            A classifier with the document's parameters that predicts exactly like the original.
            Class labels keep their type: bool, int, float or str. If the model has categories,
            ``categorical_features`` lists their columns.

        Raises
        ------
        ValueError
            If the text is not a model, is of another version, is truncated or is inconsistent.
        """
        model = Model(text)
        classes = _labels.from_names(model.classes())
        features = [Feature(*feature) for feature in model.features()]
        named = model.has_feature_names()
        categorical: list[int | str] = [
            feature.name if named else index
            for index, feature in enumerate(features)
            if feature.categories is not None
        ]
        parameters = _parameters.from_recipe(json.loads(model.recipe()), classes)
        clf = cls(**(parameters | {"categorical_features": categorical or "from_dtype"}))
        clf._model = model
        clf.classes_ = classes
        clf.n_features_in_ = len(features)
        if named:
            clf.feature_names_in_ = np.array([feature.name for feature in features], dtype=object)
        return clf

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the fitted model as a JSON file, completely or not at all.

        Parameters
        ----------
        path : str or path-like
            The file; replaced if it exists. A failure leaves it as it was.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        write_whole(path, self.to_json())


def load(path: str | os.PathLike[str]) -> TernaryTreeClassifier:
    """Load a model from a JSON file.

    Parameters
    ----------
    path : str or path-like
        A file written by :meth:`TernaryTreeClassifier.save`, by the command or by the Rust
        library.

    Returns
    -------
    TernaryTreeClassifier
        The fitted classifier.

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
    from ._classifier import TernaryTreeClassifier

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not a usable model file: it is not UTF-8 text ({error})") from error
    return TernaryTreeClassifier.from_json(text)
