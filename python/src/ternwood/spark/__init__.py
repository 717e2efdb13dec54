"""Predictions for Spark frames, in float64, and trees from their rows.

- :func:`add_predictions` adds the class, probabilities and verdict of every row to a frame.
- :func:`fit` fits a tree to the rows of a frame: the same model as from one table, to the byte.

Install it with ``pip install ternwood[spark]``, on the driver and wherever Spark's Python runs.
"""

from ._fit import fit
from ._predict import add_predictions

__all__ = ["add_predictions", "fit"]
