"""A figure that displays itself in a notebook."""

from __future__ import annotations

import os
from pathlib import Path

from ._ternwood import convert_figure
from ._whole_file import write_whole


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
        """Save the figure, completely or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, whose name must end in ``.svg``, ``.png`` or ``.pdf``; replaced if it
            exists. For the last two, a program that converts SVG must be at hand: one of cairo
            (``rsvg-convert``, ``cairosvg``) or a browser (``chromium``).

        Raises
        ------
        ValueError
            If the name ends in anything else.
        OSError
            If the file cannot be written, or no program can convert the figure.
        """
        ending = Path(path).suffix.lower()
        if ending in {".png", ".pdf"}:
            write_whole(path, convert_figure(self.svg, ending == ".pdf"))
        elif ending == ".svg":
            write_whole(path, self.svg.encode())
        else:
            raise ValueError(f"a picture's name must end in .svg, .png or .pdf, got {str(path)!r}")
