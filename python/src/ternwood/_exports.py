"""A fitted classifier elsewhere: in a database, in a scoring service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from . import _ternwood

if TYPE_CHECKING:
    from onnx import ModelProto

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
        ...     print(row[:3], row[-1])
        (0, 0, 1) None
        (70, 2, 0) petal width (cm) lies within the uncertainty zone from 1.70 to 1.80
        """
        check_is_fitted(self)
        return _ternwood.to_sql(self._model, _listed(table), dialect, _listed(keys), columns)

    def to_onnx(self, *, force_large: bool = False) -> ModelProto:
        """Write the model as an ONNX graph, in double precision.

        Answers and verdicts are those of :meth:`predict`. Only standard operators are used:
        those of opset 18, and of ``ai.onnx.ml`` ``LabelEncoder`` for categories and
        ``TreeEnsembleRegressor`` for forests without zones.

        Parameters
        ----------
        force_large : bool, default=False
            Also write models of more than 200,000 nodes and files of more than 100 MB, which are
            refused otherwise: runtimes need much time and memory to load them.

        Returns
        -------
        onnx.ModelProto
            Its inputs are ``numbers``, doubles of shape (n_samples, numeric features), and, if
            there are any, ``categories``, texts of shape (n_samples, features with categories),
            both in the order of the features. NaN is a missing number, an empty text a missing
            category (if a category has no name, the text in the metadata ``missing``). Its outputs
            are ``label``, ``probabilities``, ``decided``, and for a single tree of two children
            ``distance``, the :meth:`zone_distance`.

        Raises
        ------
        ImportError
            If onnx is not installed.
        ValueError
            If the model is too large.

        Notes
        -----
        Do not convert numbers to float32 first: those next to a zone's edge would change sides.
        :func:`ternwood.register_onnx_converters` lets skl2onnx convert whole pipelines.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = TernaryTreeClassifier(max_depth=2).fit(X, y).to_onnx()
        >>> [output.name for output in model.graph.output]
        ['label', 'probabilities', 'decided', 'distance']
        """
        check_is_fitted(self)
        try:
            import onnx
        except ImportError:
            raise ImportError(
                "to_onnx needs onnx: pip install 'ternwood[onnx]'; the command needs nothing for "
                "`ternwood export model.json -o model.onnx`"
            ) from None
        try:
            file = _ternwood.to_onnx(self._model, force_large)
        except ValueError as error:
            if force_large:
                raise
            raise ValueError(f"{error}; force_large=True writes it anyway") from None
        return onnx.load_model_from_string(file)


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
