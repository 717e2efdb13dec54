"""Runs the code of a page, one block after the other, as a reader would.

All Python blocks of a page share their names, and a folder that has only the table `patients.csv` of the transcripts. The value of a
last line that is an expression is shown, as in a notebook: pictures as pictures, all else as text.

The commands of a page are the lines of its `sh` blocks, the lines of its `console` blocks, and its inline code, as far as they start
with `ternwood `. Those of `sh` blocks, those after a prompt and inline ones that name a file are run in a folder with the tables of the
transcripts and the models of MODELS. The verb and the options of all others are compared with the help.
"""

import ast
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import markdown

from ternwood import VerdictWarning

DATA = Path(__file__).resolve().parents[1] / "cli/data"
PATIENTS = DATA / "patients.csv"

# Models that a page may use without making them first.
MODELS = (
    "fit patients.csv --target ill -o model.json",
    "calibrate model.json held-out.csv --accuracy 0.95 -o sure.json",
)
# Inline code, which may be broken across lines.
INLINE = re.compile(r"(?<!`)`(ternwood [^`]+)`(?!`)")
# A word that names a file.
FILE = re.compile(r"\.(?:csv|json|onnx|html|safetensors|parquet)$")


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


@dataclass
class Command:
    """A command of a page: its line, its words after `ternwood`, and whether it can be run as it stands."""

    line: int
    words: list[str]
    is_complete: bool

    def problem(self, program, folder):
        """Run the command, or compare its options with the help; return what is wrong, or None."""
        if not self.is_complete:
            return self._unknown_option(program)
        if "-o" in self.words:
            (Path(folder) / self.words[self.words.index("-o") + 1]).unlink(missing_ok=True)
        done = subprocess.run([program, *self.words], cwd=folder, capture_output=True, text=True)
        return done.stderr if done.returncode else None

    def _unknown_option(self, program):
        done = subprocess.run([program, self.words[0], "--help"], capture_output=True, text=True)
        known = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", done.stdout))
        asked = (word.split("=")[0] for word in self.words[1:] if re.match(r"--?[a-z]", word))
        unknown = [word for word in asked if word not in known]
        return done.stderr or (f"`{self.words[0]}` has no option {unknown[0]}" if unknown else None)


def commands(text):
    """List the commands of a page: those of blocks, then those in its inline code."""
    found = []
    for language in ("sh", "console"):
        for block in markdown.blocks(text, language):
            for number, line in enumerate(block.code.splitlines(), start=block.first_line):
                command = line.removeprefix("$ ")
                if command.startswith("ternwood "):
                    is_complete = language == "sh" or command != line
                    found.append(Command(number, shlex.split(command, comments=True)[1:], is_complete))
    for is_prose, first, part in markdown.prose(text):
        for inline in INLINE.finditer(part) if is_prose else ():
            words = shlex.split(inline[1])[1:]
            number = first + part.count("\n", 0, inline.start())
            found.append(Command(number, words, is_complete=any(map(FILE.search, words))))
    return found


def folder_for_commands(program, folder):
    """Fill a folder with the tables of the transcripts and the models of MODELS."""
    shutil.copytree(DATA, folder, dirs_exist_ok=True)
    for line in MODELS:
        subprocess.run([program, *shlex.split(line)], cwd=folder, check=True, capture_output=True)
    return folder
