"""Data that many tests use."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from sklearn.datasets import load_breast_cancer, load_iris

# A plugin for other tests, whose import replaces a class of scikit-learn, and a program for type
# checkers.
collect_ignore = ["in_place_of_scikit_learn", "typed_program.py"]

settings.register_profile("ternwood", deadline=None, print_blob=True, derandomize=True)
# `make soak` runs many cases, different every time.
SOAK = int(os.environ.get("TERNWOOD_SOAK", "0"))
settings.register_profile("soak", deadline=None, print_blob=True, max_examples=100 * max(1, SOAK))
settings.load_profile("soak" if SOAK else "ternwood")


TARGET = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))


@pytest.fixture
def command():
    built = [TARGET / profile / "ternwood" for profile in ("debug", "release")]
    found = [path for path in built if path.exists()]
    if not found:
        pytest.skip("the command is not built; `cargo build -p ternwood-cli` builds it")

    def run(*arguments):
        done = subprocess.run([found[0], *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return run


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


@pytest.fixture
def wards():
    """Numbers, text, booleans and ordered sizes, with gaps, and two classes."""
    random = np.random.default_rng(3)
    n = 600
    job = random.choice(
        ["clerk", "nurse", "cook", "judge", "pilot"], n, p=[0.3, 0.3, 0.2, 0.19, 0.01]
    )
    size = random.choice(["S", "M", "L"], n)
    age = np.round(random.normal(40, 12, n), 1)
    smoker = random.random(n) < 0.4
    risk = (
        1.5 * np.isin(job, ["nurse", "pilot"])
        + 1.0 * (size == "L")
        + 0.05 * (age - 40)
        + 1.2 * smoker
        + random.normal(0, 0.7, n)
    )
    table = pd.DataFrame({"age": age, "job": job, "size": size, "smoker": smoker})
    table["size"] = pd.Categorical(table["size"], ["S", "M", "L"], ordered=True)
    table.loc[random.random(n) < 0.1, "age"] = np.nan
    table.loc[random.random(n) < 0.1, "job"] = None
    table.loc[random.random(n) < 0.1, "size"] = None
    return table, np.where(risk > 1.5, "ill", "well")
