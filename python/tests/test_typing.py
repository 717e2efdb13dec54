"""Do strict type checkers see what the package offers?"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "typed_program.py"
# What a user must not get away with, and the line that says so.
MISTAKES = [
    ("ternwood.TernaryTreeClassifier(max_dept=3)", "max_dept"),
    ("ternwood.TernaryForestClassifier(exponent=None)", "None"),
    ("ternwood.TernaryTreeClassifier().fit([[1]], [1]).predict_all([[1]]).verdicts", "verdicts"),
    ("ternwood.Scorer.load(3)", "load"),
    ("ternwood.metrics.undecided_rate(verdict=[1])", "verdict"),
    ("ternwood.rows_needed()", "rows_needed"),
]
CHECKERS = {
    "mypy": ["mypy", "--strict", "--config-file=", "--no-incremental", "--show-error-codes"],
    "pyright": ["pyright", "--pythonpath", sys.executable, "--level", "error"],
}


def check(checker, program):
    pytest.importorskip(checker)
    command = [sys.executable, "-m", *CHECKERS[checker], str(program)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=program.parent)


def test_the_program_runs():
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(PROGRAM)], capture_output=True, text=True, check=False
    )
    assert re.fullmatch(r"3 0\.\d (True|False)\n", run.stdout), run.stdout + run.stderr


@pytest.mark.parametrize("checker", CHECKERS)
def test_strict_checkers_accept_the_program(checker):
    text = PROGRAM.read_text(encoding="utf-8")
    assert len(re.findall(r"^    assert_type\(", text, re.M)) > 30
    run = check(checker, PROGRAM)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("checker", CHECKERS)
def test_mistakes_are_found(checker, tmp_path):
    """Otherwise everything is Any, and the program above would be accepted whatever it does."""
    program = tmp_path / "mistakes.py"
    program.write_text("import ternwood\n" + "".join(f"{line}\n" for line, _ in MISTAKES))
    run = check(checker, program)
    for number, (line, word) in enumerate(MISTAKES, start=2):
        of_line = [
            it for it in run.stdout.splitlines() if re.search(rf"mistakes\.py:{number}\b", it)
        ]
        assert any("error" in it and word in it for it in of_line), (line, run.stdout)
