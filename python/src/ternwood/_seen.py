"""The training rows of the last fit, as long as the caller keeps them."""

from __future__ import annotations

import weakref
from typing import Any


class SeenRows:
    """Weak references to the data of a fit, for pictures and calibration right after it.

    It is left out of copies and pickles, because the data may not exist where they are used.
    """

    def __init__(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> None:
        self._references: list[weakref.ref[Any] | None] | None
        try:
            self._references = [
                None if part is None else weakref.ref(part) for part in (X, y, sample_weight)
            ]
        except TypeError:  # lists and tuples do not support weak references
            self._references = None

    def recall(self) -> tuple[Any, Any, Any] | None:
        """Return X, y and sample_weight of the fit, if all of them still exist."""
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
