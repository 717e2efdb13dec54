"""Answers of any classifier to rows that are new to it."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from . import _labels
from ._calibration_rows import (
    CalibrationRows,
    cross_fit,
    held_out,
    is_fitted,
    out_of_bag,
    require_fit,
    require_probabilities,
)
from ._folds import stratified
from ._verdict_warning import VerdictWarning, unfrozen, without_verdict_warnings


class NewRows:
    """Mixin: fits a classifier, and answers rows with fits that have not seen them."""

    estimator: Any
    cv: Any

    def _is_prefit(self) -> bool:
        """Tell whether nothing is fitted: what is frozen needs no ``cv="prefit"``."""
        if isinstance(self.estimator, FrozenEstimator) and self._n_folds() is not None:
            return True
        return isinstance(self.cv, str) and self.cv == "prefit"

    def _n_folds(self) -> int | None:
        """Return the number of folds, where nothing else is said about them."""
        if self.cv is None:
            return 5
        return int(self.cv) if isinstance(self.cv, Integral) else None

    def _is_out_of_bag(self) -> bool:
        return isinstance(self.cv, str) and self.cv == "oob"

    def _prefit(
        self, X: Any, y: NDArray[Any], fit_params: dict[str, Any]
    ) -> tuple[Any, CalibrationRows]:
        """Answer held-out rows with the classifier as it is."""
        estimator = unfrozen(self.estimator)
        if fit_params:
            raise ValueError(
                f"cv='prefit' fits nothing, and takes no parameters for it: {', '.join(fit_params)}"
            )
        require_fit(estimator)
        return estimator, held_out(estimator, X, y)

    def _out_of_bag(
        self, X: Any, y: NDArray[Any], sample_weight: Any, fit_params: dict[str, Any]
    ) -> tuple[Any, CalibrationRows]:
        """Fit the classifier to all rows, and take what its parts say of those new to them."""
        estimator = self._fitted(X, y, self._routed(sample_weight, fit_params)[0])
        rows = out_of_bag(estimator, _labels.numbered(y, estimator.classes_))
        if not len(rows.numbers):
            raise ValueError(
                f"cv='oob' found no row out of bag among n_samples = {len(y)}: take more trees or "
                "rows, or give cv=5"
            )
        return estimator, rows

    def _fitted(self, X: Any, y: NDArray[Any], for_estimator: dict[str, Any]) -> Any:
        if isinstance(self.estimator, FrozenEstimator):
            raise ValueError(
                f"a FrozenEstimator is never fitted, so no row is new to it with cv={self.cv!r}: "
                "give cv='prefit', and fit with rows that it has not seen"
            )
        if is_fitted(self.estimator):
            warnings.warn(
                f"this {type(self.estimator).__name__} is fitted already, but with cv={self.cv!r} "
                "clones of it are fitted to the rows given here, and that fit plays no part: give "
                "cv='prefit' if it has not seen these rows, and sklearn.base.clone(estimator) if "
                "it is to be fitted to them",
                VerdictWarning,
                stacklevel=5,  # of fit, past a wrapper of scikit-learn
            )
        with without_verdict_warnings():
            estimator = clone(self.estimator).fit(X, y, **for_estimator)
        require_probabilities(estimator)
        return estimator

    def _cross_fitted(
        self,
        X: Any,
        y: NDArray[Any],
        sample_weight: NDArray[np.float64] | None,
        fit_params: dict[str, Any],
    ) -> tuple[Any, CalibrationRows]:
        """Fit the classifier to all rows, and answer them with clones that have not seen them."""
        for_estimator, for_splitter = self._routed(sample_weight, fit_params)
        # First, so that the classifier itself says what is wrong with X.
        estimator = self._fitted(X, y, for_estimator)
        class_ids = _labels.numbered(y, estimator.classes_)
        n_folds = self._n_folds()
        if n_folds is None:
            folds = check_cv(self.cv, y, classifier=True).split(X, y, **for_splitter)
        else:
            folds = stratified(X, class_ids, sample_weight, n_folds)
        probabilities, answered = cross_fit(
            self.estimator, X, y, folds, estimator.classes_, for_estimator
        )
        return estimator, CalibrationRows.of(probabilities, class_ids, folds=answered).among(
            answered >= 0
        )

    def _routed(
        self, sample_weight: Any, fit_params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Divide the parameters of fit between the classifier and the splitter."""
        if sample_weight is not None:
            fit_params = fit_params | {"sample_weight": sample_weight}
        if not get_config()["enable_metadata_routing"]:
            return fit_params, {}
        routed = process_routing(self, "fit", **fit_params)
        splitter = routed.get("splitter")
        return dict(routed.estimator.fit), {} if splitter is None else dict(splitter.split)

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which parameters of ``fit`` go to the classifier and to the splitter.

        Returns
        -------
        MetadataRouter
            The routes.
        """
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        if self._is_prefit():
            return router
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router.add(estimator=self.estimator, method_mapping=to_fit)
        if self._is_out_of_bag():
            return router
        return router.add(splitter=self.cv, method_mapping=to_split)
