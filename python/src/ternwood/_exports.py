"""A fitted classifier elsewhere: in a database, in a scoring service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from . import _ternwood

if TYPE_CHECKING:
    from ._ternwood import Model


class Exports:
    """Mixin: writes the model down so that it gives the same answers elsewhere."""

    _model: Model

    def to_sql(
        self,
        table: str | Sequence[str],
        *,
        dialect: str = "generic",
        keys: str | Sequence[str] = (),
        columns: Sequence[str] | None = None,
    ) -> str:
        """Write the model as an SQL query over a table.

        The query has a row for every row of the table: the keys, ``prediction``, ``decided``,
        ``p_`` with a class for every class, and ``reason``, which is NULL for decided rows.
        Answers and verdicts are those of :meth:`predict`.

        Parameters
        ----------
        table : str or sequence of str
            The table: its name, or schema and name.
        dialect : {"sqlite", "duckdb", "postgres", "generic"}, default="generic"
            The dialect of SQL.
        keys : str or sequence of str, default=()
            Columns to pass through, such as a key.
        columns : sequence of str, default=None
            The table's column for every feature; by default the names of the features, or ``x0``,
            ``x1``, ... where they have none.

        Returns
        -------
        str
            The query.

        Raises
        ------
        ValueError
            If the model is too large for the dialect, which has a limit of columns.

        Notes
        -----
        NULL and NaN are missing values. Categories are compared letter by letter. See
        ``docs/exports.md`` for what engines make of numbers.

        Examples
        --------
        >>> import sqlite3
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> base = sqlite3.connect(":memory:")
        >>> X.iloc[[0, 70]].to_sql("flowers", base, index_label="id")
        2
        >>> for row in base.execute(clf.to_sql("flowers", dialect="sqlite", keys="id")):
        ...     print(row)
        (0, 0, 1, 1.0, 0.0, 0.0, None)
        (70, 2, 0, 0.0, 0.021739130434782608, 0.9782608695652174, 'petal width (cm) lies within 1.75 ± 0.05')
        """
        check_is_fitted(self)
        return _ternwood.to_sql(self._model, _listed(table), dialect, _listed(keys), columns)


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
