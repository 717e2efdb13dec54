"""Does the check of commit subjects accept good ones and report the others?"""

import runpy
import subprocess
from pathlib import Path

import pytest

SCRIPT = runpy.run_path(str(Path(__file__).resolve().parents[2] / "scripts/check_commits.py"))
IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def git(folder, *arguments):
    done = subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder, subject):
    git(folder, "commit", "--quiet", "--allow-empty", "--message", subject)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    """Make a repository in which the first commit is not checked."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    start = commit(tmp_path, "Everything before the rule was written as it came to mind.")
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/commits-checked-from").write_text(start + "\n")
    return tmp_path


@pytest.mark.parametrize(
    "subject",
    [
        "Store the blending rule in the model file",
        "forest: store the blending rule in the model file",
        "runs/models, docs: note the machine of each run",
        "Seed the generator from the place of a node",
        "dataset: bring row hashes into one module",
        "x" * 72,
    ],
)
def test_a_good_subject_has_no_problem(subject):
    assert list(SCRIPT["problems"](subject)) == []


@pytest.mark.parametrize(
    ("subject", "problem"),
    [
        ("x" * 73, "73 characters"),
        ("Store the blending rule.", "period"),
        ("Stored the blending rule", '"Stored" is not an imperative'),
        ("forest: storing the blending rule", '"storing" is not an imperative'),
        ("forest: made the file smaller", '"made" is not an imperative'),
        ("The blending rule is stored", '"The" is not an imperative'),
        ("forest:", "nothing follows the prefix"),
    ],
)
def test_a_bad_subject_has_one_problem(subject, problem):
    (found,) = SCRIPT["problems"](subject)
    assert problem in found


def test_commits_after_the_start_are_checked(repository, capsys):
    commit(repository, "Add a file")
    assert SCRIPT["main"](repository) == 0
    assert capsys.readouterr().out == ""
    bad = commit(repository, "Added another file")
    assert SCRIPT["main"](repository) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"commit {bad[:7]}")
    assert '"Added another file"' in line


def test_merges_are_not_checked(repository):
    git(repository, "checkout", "--quiet", "-b", "side")
    commit(repository, "Add a file")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--quiet", "--no-ff", "--message", "Merged the side branch.", "side")
    assert SCRIPT["main"](repository) == 0


def test_without_history_it_says_not_checked(repository, capsys):
    (repository / ".ci/commits-checked-from").write_text("0123456789" * 4 + "\n")
    commit(repository, "Added a file")
    assert SCRIPT["main"](repository) == 0
    assert "not checked" in capsys.readouterr().out
