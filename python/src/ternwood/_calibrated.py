"""The part of the classifier that leaves choices to the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from ._ternwood import Model

_Classifier = TypeVar("_Classifier", bound="Calibrated")


class Choice(NamedTuple):
    """Candidates for depth and scale, with their inner cross-validated log-loss.

    Attributes
    ----------
    max_depth : list of int or None
        The most tests on a path.
    zone_scale : ndarray of shape (n_candidates,)
        The factor of all half-widths.
    log_loss : ndarray of shape (n_candidates,)
        Mean log-loss of rows that the tree was not grown from; the least was chosen.
    """

    max_depth: list[int | None]
    zone_scale: NDArray[np.float64]
    log_loss: NDArray[np.float64]


class Calibrated:
    """The part of the classifier that leaves choices to the data."""

    _model: Model

    @classmethod
    def calibrated(cls: type[_Classifier], **parameters: Any) -> _Classifier:
        """Make a classifier for the best probabilities a single tree gives.

        Spread zones whose scale is chosen by inner cross-validation, leaves by
        expectation-maximisation, and a depth that is chosen likewise: short for
        ``TernaryTreeClassifier(zone="spread", zone_scale="auto", leaves="em",
        max_depth="auto")``.

        Parameters
        ----------
        **parameters
            Any parameter of the classifier; those given are taken as they are.

        Returns
        -------
        TernaryTreeClassifier
            The classifier, not fitted yet. A fit costs as much as a few dozen trees.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> clf = TernaryTreeClassifier.calibrated(max_depth=4).fit(X, y)
        >>> clf.zone_scale_
        0.8
        """
        preset = {"zone": "spread", "zone_scale": "auto", "leaves": "em", "max_depth": "auto"}
        return cls(**(preset | parameters))

    @property
    def zone_scale_(self) -> float:
        """The factor of all half-widths, as given or as chosen."""
        check_is_fitted(self)
        return self._model.zone_scale()

    @property
    def max_depth_(self) -> int | None:
        """The most tests on a path, as given or as chosen."""
        check_is_fitted(self)
        return self._model.max_depth()

    @property
    def choice_(self) -> Choice | None:
        """How scale or depth were chosen; None if nothing was."""
        check_is_fitted(self)
        candidates = self._model.choice()
        if candidates is None:
            return None
        depths, scales, losses = candidates
        return Choice(depths, np.array(scales), np.array(losses))
