"""Checks the subjects of commits.

    python3 scripts/check_commits.py

A subject has at most 72 characters and no period at its end. After an optional prefix such as
`forest: ` it starts with a verb in the imperative. Checks the commits after the one in
`.ci/commits-checked-from`, except merges. Prints "not checked" where git does not have that commit,
as in a shallow clone. Needs only the standard library and git.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START = ".ci/commits-checked-from"
LONGEST = 72
PREFIX = re.compile(r"^[\w./, -]+:(?: |$)")
# Imperatives that end like a past form or a gerund.
IMPERATIVES = {
    "bleed", "breed", "bring", "embed", "exceed", "feed", "fling", "need", "ping", "proceed", "ring",
    "seed", "shed", "shred", "sing", "sling", "speed", "spring", "sting", "string", "succeed", "swing",
    "weed", "wring",
}
# First words that are no imperatives, whatever their ending.
NO_IMPERATIVES = {
    "a", "adds", "an", "are", "built", "changes", "chose", "did", "does", "done", "drew", "fixes", "found",
    "gave", "got", "grew", "has", "held", "is", "kept", "left", "lets", "made", "makes", "moves", "ran",
    "removes", "said", "sent", "shows", "sped", "the", "this", "took", "updates", "uses", "was", "were",
    "wrote",
}


def problems(subject: str) -> Iterator[str]:
    """Yield what is wrong with a subject."""
    if len(subject) > LONGEST:
        yield f"it has {len(subject)} characters; shorten it to {LONGEST} and explain in the body"
    if subject.endswith("."):
        yield "it ends with a period; remove it"
    words = PREFIX.sub("", subject).split()
    if not words:
        yield "nothing follows the prefix; say what the commit does"
    elif not is_imperative(words[0]):
        yield f'"{words[0]}" is not an imperative; write "add", not "added", "adding" or "adds"'


def is_imperative(word: str) -> bool:
    """Tell whether a word may be an imperative: past forms, gerunds and a few other words are not."""
    word = word.lower().strip("\"'`")
    if word in IMPERATIVES:
        return True
    return word not in NO_IMPERATIVES and not word.endswith(("ed", "ing"))


def git(root: Path, *arguments: str) -> str | None:
    """Return what git prints, or None if it fails or is not installed."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def main(root: Path = ROOT) -> int:
    """Print the commits to correct, and return 1 if there are any."""
    start = (root / START).read_text(encoding="utf-8").strip()
    log = git(root, "log", "--no-merges", "--format=%h %s", f"{start}..HEAD")
    if log is None:
        print(f"commit subjects: not checked, because git does not have commit {start[:12]} of {START}")
        return 0
    found = False
    for line in log.splitlines():
        commit, _, subject = line.partition(" ")
        for problem in problems(subject):
            print(f'commit {commit} "{subject}": {problem}')
            found = True
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
