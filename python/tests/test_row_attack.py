"""A model file tells next to nothing about any single training row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from row_attack import PUBLIC, SHARED, Attack, read
from sklearn.datasets import load_breast_cancer

needs_shared = pytest.mark.skipif(
    not all((SHARED / path).is_file() for path in PUBLIC.values()),
    reason="needs ../shared/openml and ../shared/tables; see CONTRIBUTING.md",
)


def bundled():
    """Measurements, rounded so that values repeat; a category; and gaps."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X.iloc[:, :6].round(2)
    random = np.random.default_rng(0)
    X["ward"] = pd.Categorical.from_codes(random.integers(0, 4, len(X)), list("ABCD"))
    X.loc[random.random(len(X)) < 0.1, X.columns[1]] = np.nan
    return X, y.astype(str)


@pytest.fixture(
    scope="module",
    params=["bundled", *(pytest.param(name, marks=needs_shared) for name in PUBLIC)],
)
def attack(request):
    return Attack(*(bundled() if request.param == "bundled" else read(request.param)))


def test_the_stated_ratio_is_about_one_point_six(attack):
    assert 1.5 < attack.ratio < 1.65


def test_membership(attack):
    """All training rows match, and others in a share of 1 / ratio, as rows of any values do."""
    assert attack.members() == 1.0
    matching, strangers = attack.stranger_matches()
    share = 1 / attack.ratio
    spread = (share * (1 - share) / strangers) ** 0.5
    # Many of these rows differ in one value only, but their places are drawn independently.
    assert abs(matching / strangers - share) < 5 * spread


def test_class(attack):
    """What is stored of training rows is the same whatever their classes are."""
    shuffled = np.random.default_rng(1).permutation(attack.y)
    other = Attack(attack.X, shuffled)
    assert other.document["training"] == attack.document["training"]


def test_unknown_value(attack):
    """Who knows all values of a row but one guesses it at most 1.6 times as often."""
    for column in range(len(attack.cells)):
        guessed, blind = attack.value_guesses(column)
        assert guessed / blind < attack.ratio + 0.05


def test_without_one_row_the_file_is_unrelated(attack):
    """Bits agree as often as those of unrelated files."""
    other = Attack(attack.X.iloc[1:], attack.y.iloc[1:]).filter
    both = attack.filter.bits[: other.n_bits] & other.bits
    expected = attack.filter.bits.mean() * other.bits.mean()
    assert abs(both.mean() - expected) < 5 * (expected / len(both)) ** 0.5
