"""Fits one tree with each library, through its Python package, on C-ordered float64 arrays or on
frames with categories."""

import lightgbm
import xgboost
from sklearn.tree import DecisionTreeClassifier

import ternwood

THREADS = 2


def fit_ternwood(X, y, depth, zone="margin"):
    model = ternwood.TernaryTreeClassifier(
        zone=zone, max_depth=depth, random_state=0, n_jobs=THREADS
    )
    return model.fit(X, y)


def fit_calibrated(X, y, depth="best"):
    """The best single tree: everything is chosen by inner folds, the depth too if it is not given."""
    model = ternwood.TernaryTreeClassifierCV(max_depth=depth, random_state=0, n_jobs=THREADS)
    return model.fit(X, y)


def fit_sklearn(X, y, depth):
    return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)


def fit_lightgbm(X, y, depth):
    """One tree on histograms of 255 bins: not exact, but popular for its speed."""
    model = lightgbm.LGBMClassifier(
        n_estimators=1,
        num_leaves=2**depth,
        max_depth=depth,
        n_jobs=THREADS,
        verbose=-1,
    )
    return model.fit(X, y)


def fit_xgboost(X, y, depth):
    """One tree with XGBoost's exact method."""
    model = xgboost.XGBClassifier(
        n_estimators=1, max_depth=depth, tree_method="exact", n_jobs=THREADS
    )
    return model.fit(X, y)
