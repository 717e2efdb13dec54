"""The rows of the last fit, as long as somebody else keeps them."""

from __future__ import annotations

import weakref
from typing import Any


class SeenRows:
    """Remembers the data of a fit without keeping it alive, for pictures drawn right after it.

    It stays out of copies and pickles: the data may not be there where they are used.
    """

    def __init__(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> None:
        self._references: list[weakref.ref[Any] | None] | None
        try:
            self._references = [
                None if part is None else weakref.ref(part) for part in (X, y, sample_weight)
            ]
        except TypeError:  # lists and tuples cannot be referred to weakly
            self._references = None

    def recall(self) -> tuple[Any, Any, Any] | None:
        """Give X, y and sample_weight of the fit, if all of them are still there."""
        if self._references is None:
            return None
        parts = [None if reference is None else reference() for reference in self._references]
        lost = any(
            part is None and reference is not None
            for part, reference in zip(parts, self._references, strict=True)
        )
        if lost or parts[0] is None or parts[1] is None:
            return None
        return parts[0], parts[1], parts[2]
