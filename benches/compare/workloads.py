"""The benchmark data: the same arrays for every contestant, generated from a seed."""

import numpy as np


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
