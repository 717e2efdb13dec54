"""What the classifiers of a single tree share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import Bunch

from ._base import BaseTernary
from ._inspection import Inspection
from ._page import PageOfTree
from ._pictures import Pictures
from ._verdict_warning import without_verdict_warnings
from ._zone_reach import ZoneReach


class BaseTernaryTree(Inspection, Pictures, PageOfTree, ZoneReach, BaseTernary):
    """A tree with zones: everything but the parameters."""

    def _without_zones(self, rows: NDArray[np.float64], threads: int) -> dict[str, Any]:
        if self.routing == "hard_middle":  # whose tree contains no CART tree
            return {}
        crisp = super()._without_zones(rows, threads)
        return crisp | {"zone_distance": self._model.zone_distance(rows, threads)}

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Compute the effective alphas of minimal cost-complexity pruning.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            The class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each row.

        Returns
        -------
        Bunch
            ``ccp_alphas``, the effective alphas, and ``impurities``, the total impurity of the
            remaining leaves at each.
        """
        with without_verdict_warnings():
            unpruned = clone(self).set_params(ccp_alpha=0.0)
            unpruned.fit(X, y, sample_weight=sample_weight)
        alphas, impurities = unpruned._model.pruning_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)
