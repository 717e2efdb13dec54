"""Data that many tests use."""

import os

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_breast_cancer, load_iris

settings.register_profile("ternwood", deadline=None, print_blob=True, derandomize=True)
# `make soak` runs many cases, different every time.
SOAK = int(os.environ.get("TERNWOOD_SOAK", "0"))
settings.register_profile("soak", deadline=None, print_blob=True, max_examples=100 * max(1, SOAK))
settings.load_profile("soak" if SOAK else "ternwood")


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture
def iris_frame():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture
def noisy():
    """Two overlapping classes, with more rows than one block of prediction."""
    random = np.random.default_rng(7)
    X = random.normal(size=(12_000, 5))
    y = (X[:, 0] + X[:, 1] + random.normal(size=len(X)) > 0).astype(int)
    return X, y
