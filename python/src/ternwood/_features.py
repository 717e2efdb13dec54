"""The classes and features of a fitted classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from ._table import Recoded
    from ._ternwood import Model


class Features:
    """Mixin: what is known of classes and features."""

    _model: Model
    classes_: NDArray[Any]

    if TYPE_CHECKING:

        def _recoded(self, X: Any) -> Recoded: ...

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        check_is_fitted(self)
        return len(self.classes_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The weighted impurity decrease of each feature's splits, as shares."""
        check_is_fitted(self)
        return self._model.importances()

    def unknown_categories(self, X: Any) -> dict[str, list[str]]:
        """List the categories in some rows that the model does not know.

        They are no error: wherever a split asks for such a category, the row goes both ways
        and is undecided.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        dict of str to list of str
            The sorted names, by column; columns without any are left out.

        Examples
        --------
        >>> import pandas as pd
        >>> from ternwood import TernaryTreeClassifier
        >>> wards = pd.DataFrame({"ward": ["A", "B"]})
        >>> clf = TernaryTreeClassifier().fit(wards, ["ill", "well"])
        >>> clf.unknown_categories(pd.DataFrame({"ward": ["K9", "A", None, "C"]}))
        {'ward': ['C', 'K9']}
        """
        unseen = self._recoded(X).unseen
        names = self._model.feature_names()
        return {} if unseen is None else {names[it]: found for it, found in unseen.names().items()}
