"""Questions and answers as bytes: what `ternwood.dask` and other engines are built on."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ternwood import TernaryTreeClassifier
from ternwood._input import LabelledRows, TrainingSet
from ternwood._table import Kind
from ternwood._ternwood import Coordinator, Model, Partition, merge_answers

NAMES = ["number", "gaps", "ward"]
KINDS = [Kind(None, False), Kind(None, False), Kind(["north", "south", "west"], False)]


def recipe_of(**params: Any) -> str:
    """Return the recipe of a tree with these parameters."""
    X, y = np.arange(6.0).reshape(-1, 1), np.arange(6) % 2
    return TernaryTreeClassifier(**params).fit(X, y)._model.recipe()


def rows(n: int, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return values, class ids and weights."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 3, n).astype(np.uint32)
    X = np.column_stack(
        [classes + random.normal(size=n), random.normal(size=n), random.integers(0, 3, n)]
    )
    X[random.random(n) < 0.2, 1] = np.nan
    return X, classes, random.random(n)


def training_set(X: NDArray[Any], classes: NDArray[Any], weights: NDArray[Any]) -> TrainingSet:
    """Return rows with the names that all partitions share."""
    labelled = LabelledRows(np.ascontiguousarray(X), classes, weights)
    return TrainingSet(labelled, ["a", "b", "c"], NAMES, KINDS)


def asked(coordinator: Coordinator, partitions: list[Partition]) -> tuple[Model, list[str]]:
    """Ask until the model is ready; also return what was asked."""
    topics = []
    while (question := coordinator.next_question()) is not None:
        topics.append(question[0])
        answers = [partition.answer(question[1], 1) for partition in partitions]
        # Two by two, from the end.
        while len(answers) > 1:
            answers.append(merge_answers([answers.pop(), answers.pop(0)]))
        coordinator.take(answers[0], 2)
    return coordinator.model(), topics


@pytest.mark.parametrize(
    "zone", ["margin", "quality_plateau", "class_overlap", "gain_ratio", "spread", "none"]
)
def test_partitions_make_the_model_of_all_rows(zone: str) -> None:
    X, classes, weights = rows(3000, seed=1)
    recipe = recipe_of(zone=zone, max_depth=6)
    cuts = [0, 0, 100, 101, 2000, 3000]  # one without rows, one with a single row
    data = [training_set(X[a:b], classes[a:b], weights[a:b]) for a, b in itertools.pairwise(cuts)]
    coordinator = Coordinator(data[0], recipe, fetched_rows=200, bins=64)
    model, topics = asked(coordinator, [Partition(part, 1) for part in data])
    assert model.to_json() == Model.fit(training_set(X, classes, weights), recipe, 1).to_json()
    assert {"describe", "weigh", "count", "look", "fetch"} <= set(topics)


def test_partitions_are_pickled_and_coordinators_saved() -> None:
    X, classes, weights = rows(2000, seed=2)
    recipe = recipe_of(max_depth=5)
    partitions = [
        Partition(training_set(X[half], classes[half], weights[half]), 1)
        for half in (slice(0, 700), slice(700, 2000))
    ]
    expected = Model.fit(training_set(X, classes, weights), recipe, 1).to_json()
    coordinator = Coordinator(
        training_set(X[:0], classes[:0], weights[:0]), recipe, fetched_rows=10, bins=32
    )
    for _ in range(5):
        question = coordinator.next_question()
        assert question is not None
        partitions = [pickle.loads(pickle.dumps(partition)) for partition in partitions]
        coordinator.take(
            merge_answers([partition.answer(question[1], 1) for partition in partitions]), 1
        )
    coordinator = Coordinator.load(coordinator.save())
    assert [partition.n_rows for partition in partitions] == [700, 1300]
    model, _ = asked(coordinator, partitions)
    assert model.to_json() == expected
    rounds, nodes, open_rows, _ = coordinator.progress()
    assert (nodes, open_rows) == (model.to_json().count('"impurity"'), 0)
    assert rounds > 5


def test_what_is_wrong_is_an_exception() -> None:
    X, classes, weights = rows(50, seed=3)
    data = training_set(X, classes, weights)
    with pytest.raises(ValueError, match=r"node_bootstrap.* cannot be fitted in partitions yet"):
        Coordinator(data, recipe_of(zone="node_bootstrap"))
    with pytest.raises(ValueError, match="these bytes are no question"):
        Partition(data, 1).answer(b"nonsense", 1)
    with pytest.raises(ValueError, match="not ready"):
        Coordinator(data, recipe_of()).model()
    broken = training_set(np.where(X > 2, np.inf, X), classes, weights)
    with pytest.raises(ValueError, match="infinity"):
        Partition(broken, 1)
