"""A figure that displays itself in a notebook."""

from __future__ import annotations

import os

from ._whole_file import write_named


class Figure:
    """A figure as an SVG document. Displays itself in a notebook.

    Attributes
    ----------
    svg : str
        The document.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Figure: SVG of {len(self.svg)} characters>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the figure as an SVG file, completely or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, whose name must end in ``.svg``; replaced if it exists.

        Raises
        ------
        ValueError
            If the name ends in anything else.
        OSError
            If the file cannot be written.
        """
        write_named(path, self.svg, what="the picture is SVG", ending=".svg")
