"""Axes and colours of the pictures in :mod:`ternwood.plotting`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The class colours of tree pictures (after Okabe and Ito); they repeat for more classes.
COLOURS = (
    "#2f6fb0",
    "#ec8b23",
    "#1f9b78",
    "#c2569b",
    "#62b5e8",
    "#d8b21a",
    "#c4462f",
    "#7a5fb3",
    "#8d6b4b",
    "#7f8a99",
)
# The most panels side by side.
COLUMNS = 3


def colour(number: int) -> str:
    """Return the colour of a class or a model."""
    return COLOURS[number % len(COLOURS)]


def panels(ax: Any, count: int) -> NDArray[Any]:
    """Return the given Axes, or make a figure with `count`."""
    if ax is not None:
        given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(given) != count:
            raise ValueError(f"ax must be {count} Axes for this picture, got {len(given)}")
        return given
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "ternwood.plotting needs matplotlib: pip install ternwood[plot]"
        ) from error
    rows = -(-count // COLUMNS)
    columns = -(-count // rows)
    _, made = plt.subplots(
        rows,
        columns,
        figsize=(5.2 * columns + 0.6, 4.6 * rows),
        layout="constrained",
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    made = made.ravel()
    for unused in made[count:]:
        unused.remove()
    return np.asarray(made[:count])


def plain(panel: Axes) -> None:
    """Draw a light grid and no frame."""
    panel.grid(alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)
