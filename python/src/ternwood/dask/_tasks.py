"""The tasks of one fit on a cluster."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from distributed import Client, Future

# The most results that one task merges.
MERGED_AT_ONCE = 8


class Tasks:
    """Submits pure functions, and nothing else, so that whatever is lost can be computed again.

    There are no pins, no scattered data and no actors, none of which survive a lost worker. The
    dashboard shows tasks by the part of their key before the number of the fit:
    ``ternwood_count``, say.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._fit = uuid.uuid4().hex
        self._steps = 0

    def key(self, name: str) -> str:
        """Return a key that no other task has, of this fit or another."""
        self._steps += 1
        # Underscores, because Dask takes some words between hyphens for numbers.
        return f"ternwood_{name}-{self._fit}-{self._steps}"

    def computed(self, delayed: Sequence[Any]) -> list[Future]:
        """Compute delayed values, each as one future."""
        futures: list[Future] = self._client.compute(list(delayed))
        return futures

    def each(
        self, name: str, function: Callable[..., Any], *lists: Iterable[Any], **same: Any
    ) -> list[Future]:
        """Call a function with the elements of lists, and with arguments that all calls share."""
        columns = [list(elements) for elements in lists]
        key = self.key(name)
        keys = [(key, index) for index in range(len(columns[0]))]
        futures: list[Future] = self._client.map(function, *columns, key=keys, pure=True, **same)
        return futures

    def sent(self, name: str, value: Any) -> Future:
        """Put a value into a task, from where workers get it: once each, not once per partition."""
        return self._client.submit(_itself, value, key=self.key(name))

    def merged(self, name: str, function: Callable[[list[Any]], Any], futures: list[Future]) -> Any:
        """Merge results by a tree of tasks, neighbours first, and return the last result."""
        while len(futures) > 1:
            groups = [
                futures[first : first + MERGED_AT_ONCE]
                for first in range(0, len(futures), MERGED_AT_ONCE)
            ]
            futures = self.each(name, function, groups)
        return futures[0].result()


def _itself(value: Any) -> Any:
    return value
