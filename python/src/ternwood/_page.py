"""A tree as one HTML file that answers by itself."""

from __future__ import annotations

import hashlib
import os
from html import escape
from typing import TYPE_CHECKING, Any

import sklearn
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from . import _ternwood
from ._threads import thread_count
from ._whole_file import write_named

if TYPE_CHECKING:
    from ._labelled_rows import LabelledRows
    from ._ternwood import Model


class Page:
    """A page about a model. A notebook shows it in a frame of its own.

    Attributes
    ----------
    html : str
        The page: one document that needs no network.
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        # In a sandbox, the scripts of the page do not touch the notebook.
        sandbox = "allow-scripts allow-downloads"
        style = "width: 100%; height: 56em; border: 1px solid #8884; border-radius: 8px"
        document = escape(self.html)
        return f'<iframe sandbox="{sandbox}" srcdoc="{document}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<Page: HTML of {len(self.html)} characters>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the page as an HTML file, completely or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, whose name must end in ``.html``; replaced if it exists.

        Raises
        ------
        ValueError
            If the name ends in anything else.
        OSError
            If the file cannot be written.
        """
        write_named(path, self.html, what="the page is HTML", ending=".html")


class PageOfTree:
    """Mixin: writes the tree as a page."""

    _model: Model
    n_jobs: int | None

    if TYPE_CHECKING:

        def _file(self, private: bool = False) -> bytes: ...
        def _labelled_rows(self, X: Any, y: Any, sample_weight: Any = None) -> LabelledRows: ...

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        title: str | None = None,
    ) -> Page:
        """Write the tree as one HTML file that shows it and answers rows.

        Whoever has the file can read the tree and its rules, try rows, see why one is undecided
        and what would decide it, and have a CSV file answered: in the browser, without a
        network. The answers are those of ``predict_proba`` and ``predict_verdict``, to the last
        bit. The file has no training rows and no hashes of them.

        Parameters
        ----------
        path : str or path-like, default=None
            The file, whose name must end in ``.html``; replaced if it exists. None writes none.
        X : array-like, data frame or table of shape (n_samples, n_features), default=None
            Rows that the tree was not trained on. With them the verdict can be chosen on the
            page, along the risk-coverage curve, and it tells where second looks come from. Of
            the rows, only the answers are in the file.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        title : str, default=None
            The title of the page.

        Returns
        -------
        Page
            The page, which a notebook shows in a sandboxed frame.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> page = clf.to_html(title="Irises")
        >>> page.html.startswith("<!DOCTYPE html>")
        True
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("to_html needs X and y together, or neither")
        rows = None if X is None else self._labelled_rows(X, y)
        facts = [
            ("classifier", " ".join(repr(self).split())),
            ("SHA-256", hashlib.sha256(self._file()).hexdigest()),
            ("scikit-learn", sklearn.__version__),
        ]
        threads = thread_count(self.n_jobs)
        page = Page(_ternwood.page_html(self._model, rows, title, facts, threads))
        if path is not None:
            page.save(path)
        return page
