"""Automatic parameters of the classifier: those chosen by inner cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from ._ternwood import Model

_Classifier = TypeVar("_Classifier", bound="Calibrated")


class Choice(NamedTuple):
    """Candidates for depth and zones, with their inner cross-validated log-loss.

    Attributes
    ----------
    max_depth : list of int or None
        The maximum depth.
    zone_scale : ndarray of shape (n_candidates,)
        The factor on all half-widths.
    category_error : ndarray of shape (n_candidates,) or None
        The standard errors within which a category is undecided; None if it was not chosen:
        without categories, or with a given scale.
    log_loss : ndarray of shape (n_candidates,)
        Mean log-loss on held-out rows; the lowest was chosen.
    """

    max_depth: list[int | None]
    zone_scale: NDArray[np.float64]
    category_error: NDArray[np.float64] | None
    log_loss: NDArray[np.float64]


class Calibrated:
    """Mixin: parameters chosen by inner cross-validation."""

    _model: Model

    @classmethod
    def calibrated(cls: type[_Classifier], **parameters: Any) -> _Classifier:
        """Make a classifier with the best probabilities of a single tree.

        Spread zones and leaves by expectation-maximisation, with zone scale, category error and
        depth chosen by inner cross-validation. Short for ``TernaryTreeClassifier(zone="spread",
        zone_scale="auto", leaves="em", max_depth="auto")``.

        Parameters
        ----------
        **parameters
            Any parameter of the classifier; overrides the values above.

        Returns
        -------
        TernaryTreeClassifier
            The classifier, not yet fitted. A fit takes as long as a few dozen trees.

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
        """The factor on all half-widths, as given or as chosen."""
        check_is_fitted(self)
        return self._model.zone_scale()

    @property
    def category_error_(self) -> float:
        """The standard errors within which a category is undecided, as given or as chosen."""
        check_is_fitted(self)
        return self._model.category_error()

    @property
    def max_depth_(self) -> int | None:
        """The maximum depth, as given or as chosen."""
        check_is_fitted(self)
        return self._model.max_depth()

    @property
    def choice_(self) -> Choice | None:
        """The candidates for zones and depth with their log-loss; None if both were given."""
        check_is_fitted(self)
        candidates = self._model.choice()
        if candidates is None:
            return None
        depths, scales, errors, losses = candidates
        chosen = None if None in errors else np.array(errors, dtype=np.float64)
        return Choice(depths, np.array(scales), chosen, np.array(losses))
