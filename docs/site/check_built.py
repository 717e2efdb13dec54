"""Checks the built site: every link inside it leads somewhere, and nothing is loaded from outside.

    python3 docs/site/check_built.py FOLDER

Needs only the standard library. The folder `rust` is rustdoc's: its pages must exist where we link to
them and load nothing, its own links are rustdoc's to check.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes by which a page loads something, rather than links to it.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src",
          "embed": "src", "object": "data", "input": "src", "use": "href", "image": "href"}  # fmt: skip
# `<link rel=...>` that make a browser fetch something.
FETCHED = {"stylesheet", "icon", "shortcut", "preload", "modulepreload", "prefetch", "preconnect",
           "dns-prefetch", "manifest", "apple-touch-icon", "mask-icon"}  # fmt: skip
REMOTE = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)
REMOTE_IN_STYLE = re.compile(r"(?:@import\s+|url\()\s*['\"]?((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)


class Page(HTMLParser):
    """The anchors, links and resources of a page."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.anchors, self.links, self.resources = set(), [], []
        text = path.read_text(encoding="utf-8")
        self.resources += REMOTE_IN_STYLE.findall("".join(re.findall(r"<style.*?</style>", text, re.DOTALL)))
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(value for name in ("id", "name") if (value := found.get(name)))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag == "link" and FETCHED & set((found.get("rel") or "").split()) and found.get("href"):
            self.resources.append(found["href"])
        elif tag in LOADED and found.get(LOADED[tag]):
            self.resources.append(found[LOADED[tag]])
        self.resources += [part.split()[0] for part in (found.get("srcset") or "").split(",") if part.strip()]


def problems(site):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        where = path.relative_to(site)
        for target in page.resources:
            if REMOTE.match(target):
                yield f"{where} loads {target}"
            elif not target.startswith(("data:", "#")) and not file_of(path, target).exists():
                yield f"{where} loads {target}, which does not exist"
        if where.parts[0] != "rust":
            yield from (f"{where}: {problem}" for problem in broken(path, page, pages))
    for path in site.rglob("*.css"):
        yield from (f"{path.relative_to(site)} loads {target}" for target in REMOTE_IN_STYLE.findall(path.read_text()))


def broken(path, page, pages):
    for target in page.links:
        if re.match(r"[a-z]+:", target) or target.startswith("//"):
            continue
        linked, anchor = file_of(path, target), unquote(urlsplit(target).fragment)
        if not linked.exists():
            yield f"{target} does not exist"
        elif anchor and linked in pages and anchor not in pages[linked].anchors:
            yield f"{target} has no such anchor"


def file_of(path, target):
    """Return the file that a link of a page leads to."""
    name = unquote(urlsplit(target).path)
    linked = (path.parent / name).resolve() if name else path
    return linked / "index.html" if linked.is_dir() else linked


def main(site):
    found = list(dict.fromkeys(problems(site)))
    print("\n".join(found) or "every link inside the site leads somewhere, and nothing is loaded from outside")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
