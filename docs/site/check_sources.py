"""Checks every link inside the project: does the file exist, and does it have the heading?

    python3 docs/site/check_sources.py

Needs only the standard library.
"""

import sys

import markdown
import pages


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


def main():
    known = {}

    def anchors_of(page):
        if page not in known:
            known[page] = markdown.anchors((pages.ROOT / page).read_text(encoding="utf-8"))
        return known[page]

    sources = [path for path in pages.project_files() if path.endswith(".md")]
    broken = [problem for page in sources for problem in broken_links(page, anchors_of)]
    print("\n".join(broken) or f"{len(sources)} pages: every link leads somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
