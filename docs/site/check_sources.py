"""Checks every link inside the project: does the file exist, and does it have the heading?

Also checks that the paths in ARCHITECTURE.md exist, and that pages for users name files that exist.

    python3 docs/site/check_sources.py

Needs only the standard library.
"""

import re
import sys

import markdown
import pages

ARCHITECTURE = "ARCHITECTURE.md"
# A path in backticks: a folder, or a file of ours.
PATH = re.compile(r"`([\w./-]+(?:/|\.(?:rs|py|js|md)))`")
# Folders that paths in ARCHITECTURE.md start from.
STARTS = ("", "crates/ternwood/src", "crates/ternwood-page")


def is_remote(target):
    return target.startswith(("http://", "https://", "mailto:"))


def broken_links(page, anchors_of):
    """Yield what is wrong with the links of a page."""
    text = (pages.ROOT / page).read_text(encoding="utf-8")
    for number, target in markdown.links(text):
        if is_remote(target):
            continue
        path, _, anchor = target.partition("#")
        try:
            linked = pages.linked_file(page, path) if path else page
        except ValueError:
            yield f"{page}:{number}: {target} leads out of the project"
            continue
        if not (pages.ROOT / linked).exists():
            yield f"{page}:{number}: {target} does not exist"
        elif anchor and str(linked).endswith(".md") and anchor not in anchors_of(str(linked)):
            yield f"{page}:{number}: {linked} has no heading #{anchor}"


def missing_paths(text):
    """Yield the paths in ARCHITECTURE.md that do not exist.

    A path starts from one of STARTS, or from the first path of its line.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        paths = PATH.findall(line)
        for path in paths:
            if not any((pages.ROOT / start / path).exists() for start in (*STARTS, paths[0])):
                yield f"{ARCHITECTURE}:{number}: {path} does not exist"


# A file of ours in backticks, with as much of its path as a reader needs.
FILE = re.compile(r"`([\w./-]+\.(?:rs|py|js))`")
# Pages that name files of the past, or that are tests of their own.
HISTORY = ("docs/decisions/", "docs/notebook/", "docs/cli/")


def missing_files(page, files):
    """Yield the files that a page names and that the project does not have."""
    text = (pages.ROOT / page).read_text(encoding="utf-8")
    for number, line in enumerate(text.split("\n"), start=1):
        for name in FILE.findall(line):
            if not any(f"/{path}".endswith(f"/{name}") for path in files):
                yield f"{page}:{number}: there is no {name}"


def main():
    known = {}

    def anchors_of(page):
        if page not in known:
            known[page] = markdown.anchors((pages.ROOT / page).read_text(encoding="utf-8"))
        return known[page]

    files = pages.project_files()
    sources = [path for path in files if path.endswith(".md")]
    broken = [problem for page in sources for problem in broken_links(page, anchors_of)]
    for page in sources:
        if page.startswith("docs/") and not page.startswith(HISTORY):
            broken += missing_files(page, files)
    broken += missing_paths((pages.ROOT / ARCHITECTURE).read_text(encoding="utf-8"))
    print("\n".join(broken) or f"{len(sources)} pages: every link leads somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
