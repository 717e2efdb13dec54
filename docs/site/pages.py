"""Which files of the project are pages of the site, and where they stand in it."""

import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]

# Pages outside of `docs/` that the site shows, too.
ALSO = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
FOLDERS = ("docs/", "runs/", "benches/runs/")


def project_files():
    """List the files that git knows or would add, as paths below the root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    return sorted(path for path in listed.splitlines() if (ROOT / path).is_file())


def is_page(path):
    """Tell whether the site shows this file as a page."""
    name = str(path)
    return name.endswith(".md") and (
        name in ALSO or (name.startswith(FOLDERS) and not name.startswith("docs/site/"))
    )


def place_in_site(path):
    """Tell where a file of the project stands in the sources of the site."""
    path = PurePosixPath(path)
    if path == PurePosixPath("README.md"):
        return PurePosixPath("index.md")
    if path.parts[0] == "docs":
        return path.relative_to("docs")
    if str(path).startswith(("runs/", "benches/")):
        return path
    return PurePosixPath("project", path)


def linked_file(page, target):
    """Resolve a link of a page to a path below the root; a folder stands for its README or index."""
    joined = PurePosixPath(page).parent / target
    path = (ROOT / joined).resolve()
    if path.is_dir():
        path = next((path / name for name in ("README.md", "index.md") if (path / name).exists()), path)
    return PurePosixPath(path.relative_to(ROOT))
