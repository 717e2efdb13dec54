"""The benchmark data: the same arrays and frames for every contestant, generated from a seed."""

import numpy as np
import pandas as pd


def twonorm(n_rows, n_columns=20, seed=0):
    """Two normal classes at distance 4 along the diagonal: continuous columns, no ties."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    shift = np.where(y == 0, 2.0, -2.0) / np.sqrt(n_columns)
    X = rng.standard_normal((n_rows, n_columns)) + shift[:, None]
    return X, y


def mixed(n_rows, n_columns=100, n_coarse=80, seed=0):
    """Columns of at most 256 distinct values (pixels, categories), and continuous ones; 3 classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    X = rng.standard_normal((n_rows, n_columns)) + 0.3 * y[:, None] * rng.random(n_columns)
    levels = rng.integers(2, 257, n_coarse)
    coarse = X[:, :n_coarse]
    X[:, :n_coarse] = np.clip(np.round((coarse + 4) / 8 * levels), 0, levels - 1)
    return X, y


def with_gaps(X, share=0.1, seed=1):
    """The same numbers, of which this share is missing."""
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


def categorical(n_rows, n_columns=20, n_categorical=10, n_categories=100, seed=0):
    """Columns of categories, then continuous ones, for two classes. As a frame with categories, and
    as an array of codes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    shift = np.where(y == 0, 0.5, -0.5)
    codes = rng.standard_normal((n_rows, n_columns)) + shift[:, None] * rng.random(n_columns)
    names = np.array([f"category {number}" for number in range(n_categories)])
    frame = {}
    for column in range(n_columns):
        if column >= n_categorical:
            frame[f"x{column}"] = codes[:, column]
            continue
        # A normal number cut into classes of equal size, in an order that tells nothing.
        rank = codes[:, column].argsort().argsort()
        codes[:, column] = rng.permutation(n_categories)[rank * n_categories // n_rows]
        category = pd.Categorical.from_codes(codes[:, column].astype(int), names)
        frame[f"x{column}"] = category
    return pd.DataFrame(frame), codes, y
