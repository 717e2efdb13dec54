"""Runs the Python blocks of a page, one after the other, as a reader would.

All blocks of a page share their names, and a folder that has only the table `patients.csv` of the transcripts. The value of a last line that is an
expression is shown, as in a notebook: pictures as pictures, all else as text.
"""

import ast
import contextlib
import io
import os
import shutil
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import markdown

from ternwood import VerdictWarning

PATIENTS = Path(__file__).resolve().parents[1] / "cli/data/patients.csv"


@dataclass
class Output:
    """What a block printed, and the picture that it ended with."""

    block: markdown.Block
    text: str
    picture: str | None  # SVG


def outputs(text, page):
    """Run all Python blocks of a page in a folder of their own.

    Warnings are errors, but for those that a page may want to show: that a verdict will not serve.
    """
    names = {"__name__": "__main__"}
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("always", VerdictWarning)
        warnings.showwarning = _print_warning
        shutil.copy(PATIENTS, folder)
        os.chdir(folder)
        try:
            return [_run(block, names, page) for block in markdown.blocks(text, "python")]
        finally:
            os.chdir(before)


def _print_warning(message, category, *_where, **_more):
    print(f"{category.__name__}: {message}")


def _run(block, names, page):
    printed = io.StringIO()
    try:
        # Empty lines before the code make line numbers in tracebacks those of the page.
        tree = ast.parse("\n" * (block.first_line - 1) + block.code, page)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, page, "exec"), names)
            value = last and eval(compile(ast.Expression(last.value), page, "eval"), names)
    except Exception as error:
        raise RuntimeError(f"the block at {page}:{block.first_line} does not run") from error
    picture = _picture(value)
    if value is not None and picture is None:
        printed.write(f"{value!r}\n")
    return Output(block, printed.getvalue(), picture)


def _picture(value):
    """Return a picture as SVG: one of ours, or axes of matplotlib."""
    if hasattr(value, "_repr_svg_"):
        return value._repr_svg_()
    figure = getattr(value, "figure", None)
    if figure is None or not hasattr(figure, "savefig"):
        return None
    drawn = io.StringIO()
    # Nothing in the file may differ from build to build.
    figure.savefig(drawn, format="svg", bbox_inches="tight", metadata={"Date": None})
    import matplotlib.pyplot as plt

    plt.close(figure)
    svg = drawn.getvalue()
    return svg[svg.index("<svg") :]
