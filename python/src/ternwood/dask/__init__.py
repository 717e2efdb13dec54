"""Trees from the rows of a Dask cluster: the same model as from one table, to the byte.

- :class:`DaskTernaryTreeClassifier` fits and predicts dask arrays and dataframes.

Install it with ``pip install ternwood[dask]``.
"""

from ._classifier import DaskTernaryTreeClassifier
from ._fit import Round

__all__ = ["DaskTernaryTreeClassifier", "Round"]
