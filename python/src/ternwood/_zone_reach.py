"""How far the zones of a single tree reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ._threads import thread_count

if TYPE_CHECKING:
    from ._labelled_rows import LabelledRows
    from ._ternwood import Model


class ZoneReach:
    """Mixin: distances from zones, and zones for a share of flags."""

    _model: Model
    n_jobs: int | None

    if TYPE_CHECKING:

        def _rows(self, X: Any) -> NDArray[np.float64]: ...
        def _labelled_rows(self, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows: ...

    def zone_distance(self, X: Any) -> NDArray[np.float64]:
        """Compute how far every row is from being undecided.

        The distance is the factor on all half-widths at which the row just becomes undecided:
        at most 1 for an undecided row, infinite if no zone can reach the row.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The distances, in half-widths.

        Raises
        ------
        ValueError
            If the routing is ``"hard_middle"``, where other widths grow a different tree.
        """
        X = self._rows(X)
        return self._model.zone_distance(X, thread_count(self.n_jobs))

    def zone_scale_for_flag_rate(self, X: Any, y: ArrayLike, flag_rate: float) -> float:
        """Find the ``scale`` of the zones at which a given share of the rows is within a zone.

        With the lower end of :func:`ternwood.metrics.bayes_error`, where that bound is tight,
        there are about as many flags as unavoidable errors.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        flag_rate : float
            The target share.

        Returns
        -------
        float
            A value for the parameter ``zone__scale``; fit again with it. If some features are
            categorical, multiply ``zone__category_error`` by the same factor.

        Raises
        ------
        ValueError
            If the routing is ``"hard_middle"``, where other widths grow a different tree.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from ternwood import TernaryTreeClassifier
        >>> from ternwood.metrics import bayes_error, undecided_rate
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> bound, error_of_neighbours = bayes_error(X, y)
        >>> clf = TernaryTreeClassifier(max_depth=4).fit(X, y)
        >>> scale = clf.zone_scale_for_flag_rate(X, y, bound)
        >>> clf = clf.set_params(zone__scale=scale).fit(X, y)
        >>> print(f"{bound:.3f} {undecided_rate(clf.predict_verdict(X)):.3f}")
        0.025 0.026
        """
        check_is_fitted(self)
        rows, threads = self._labelled_rows(X, y), thread_count(self.n_jobs)
        factor, _ = self._model.zone_scale_for_flag_rate(rows, float(flag_rate), threads)
        return self._model.zone_scale() * factor
