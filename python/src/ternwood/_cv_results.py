"""The candidates of an inner cross-validation, as scikit-learn shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

if TYPE_CHECKING:
    from ._ternwood import Candidate


def cv_results(candidates: list[Candidate]) -> dict[str, Any]:
    """Return candidates and scores in the form of ``GridSearchCV.cv_results_``."""
    params = [_params(candidate) for candidate in candidates]
    results: dict[str, Any] = {}
    for name in params[0]:
        values = np.empty(len(params), dtype=object)
        values[:] = [param[name] for param in params]
        results[f"param_{name}"] = np.ma.array(values, mask=np.zeros(len(params), dtype=bool))
    results["params"] = params
    of_folds = -np.array([candidate.fold_log_losses for candidate in candidates]).T
    for fold, scores in enumerate(of_folds):
        results[f"split{fold}_test_score"] = scores
    mean = -np.array([candidate.log_loss for candidate in candidates])
    results["mean_test_score"] = mean
    # A single row cannot be held out: there are no folds.
    no_score = np.full(len(params), np.nan)
    results["std_test_score"] = of_folds.std(axis=0) if len(of_folds) else no_score
    results["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
    return results


def _params(candidate: Candidate) -> dict[str, Any]:
    params = {"max_depth": candidate.max_depth, "zone__scale": candidate.zone_scale}
    if candidate.category_error is not None:
        params["zone__category_error"] = candidate.category_error
    return params
