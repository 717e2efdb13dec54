"""Fitting a model to the partitions of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from distributed import Client, Future

from .._agreement import Agreement, Notes, merge_notes
from .._partition_rows import answer, no_rows, notes_of, partition_of
from .._ternwood import Coordinator, Model, merge_answers
from .._threads import thread_count
from ._tasks import Tasks


class Round(NamedTuple):
    """A question to all partitions, and what it cost.

    Attributes
    ----------
    topic : str
        What was asked: to describe the rows, to weigh them, to count them by bins, to look at
        values, to fetch the rows of small nodes, or for the digits that thresholds need.
    question_bytes : int
        The size of the question, which every worker gets once.
    answer_bytes : int
        The size of the merged answer, which the client gets.
    seconds : float
        How long it took.
    n_nodes : int
        The nodes of the tree after it.
    """

    topic: str
    question_bytes: int
    answer_bytes: int
    seconds: float
    n_nodes: int


class Fitted(NamedTuple):
    """A model, and how it came about."""

    model: Model
    agreement: Agreement
    rounds: list[Round]


def fit(
    client: Client,
    delayed_rows: Sequence[Any],
    prepare: Callable[[Notes], tuple[Agreement, str]],
    n_jobs: int | None,
) -> Fitted:
    """Fit a model to rows that tasks read; `prepare` makes a recipe of what they hold."""
    tasks = Tasks(client)
    partitions: list[Future] = []
    try:
        read = tasks.computed(delayed_rows)
        agreement, recipe = prepare(
            tasks.merged("agree", merge_notes, tasks.each("note", notes_of, read))
        )
        shared = tasks.sent("agreement", agreement)
        partitions = tasks.each("hold", partition_of, read, agreement=shared, n_jobs=n_jobs)
        del read  # once they are held, the rows that were read can go
        coordinator = Coordinator(no_rows(agreement), recipe)
        rounds = _ask(tasks, coordinator, partitions, n_jobs)
        return Fitted(coordinator.model(), agreement, rounds)
    finally:
        # An exception keeps the variables of this function alive, but need not keep the rows.
        for future in partitions:
            future.release()


def _ask(
    tasks: Tasks, coordinator: Coordinator, partitions: list[Future], n_jobs: int | None
) -> list[Round]:
    """Ask all partitions until the model is ready."""
    rounds = []
    numbers = range(len(partitions))
    while (asked := coordinator.next_question()) is not None:
        topic, question = asked
        began = perf_counter()
        sent = tasks.sent("question", question)
        answers = tasks.each(topic, answer, partitions, numbers, question=sent, n_jobs=n_jobs)
        merged = tasks.merged(f"merge_{topic}", merge_answers, answers)
        coordinator.take(merged, thread_count(n_jobs))
        _, n_nodes, _, _ = coordinator.progress()
        seconds = perf_counter() - began
        rounds.append(Round(topic, len(question), len(merged), seconds, n_nodes))
    return rounds
