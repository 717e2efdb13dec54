"""Checks that what a release states in several places agrees: versions, licences, metadata of crates.

    python3 scripts/check_release.py

The version stands in Cargo.toml, under [workspace.package]; everything else follows it. Needs only the
standard library.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LICENCES = ("LICENSE-MIT", "LICENSE-APACHE")
NEEDED = ("description", "license", "keywords", "categories", "readme", "documentation", "include")
# Crates that are not published, and why.
UNPUBLISHED = {
    "ternwood-paper": "it repeats the experiments of one paper",
    "ternwood-docs": "it only runs the Rust on the pages of docs/",
    "ternwood-python": "it is published as the Python package",
}


def toml(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    return tomllib.loads(path.read_text())


def versions(workspace: dict[str, Any]) -> Iterator[str]:
    """The version of the workspace, wherever it is repeated."""
    version = workspace["package"]["version"]
    for name, dependency in workspace["dependencies"].items():
        if name.startswith("ternwood") and dependency["version"] != f"={version}":
            yield f"Cargo.toml: {name} is required as {dependency['version']}, not ={version}"
    citation = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    if citation is None or citation[1] != version:
        yield f"CITATION.cff has the version {citation and citation[1]}, not {version}"
    if not re.search(rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text(), re.M):
        yield f"CHANGELOG.md has no section '## {version}'"


def crates() -> Iterator[str]:
    """What a package registry shows of a crate, and the licences it must have with it."""
    for manifest in sorted([*ROOT.glob("crates/*/Cargo.toml"), ROOT / "python/rust/Cargo.toml"]):
        package = toml(manifest)["package"]
        name = package["name"]
        if package["version"] != {"workspace": True}:
            yield f"{name} has a version of its own: write version.workspace = true"
        if not package.get("publish", True):
            if name not in UNPUBLISHED:
                yield f"{name} is not published, and UNPUBLISHED does not say why"
            continue
        yield from (f"{name} has no {field}" for field in NEEDED if field not in package)
        if not (manifest.parent / package.get("readme", "README.md")).is_file():
            yield f"{name} has no README.md"
        yield from licences(manifest.parent)


def licences(folder: Path) -> Iterator[str]:
    """Both licences, word for word."""
    for licence in LICENCES:
        copy = folder / licence
        if not copy.is_file() or copy.read_bytes() != (ROOT / licence).read_bytes():
            yield f"{copy.relative_to(ROOT)} is not a copy of {licence}"


def python(workspace: dict[str, Any]) -> Iterator[str]:
    """The oldest Python, as five tools are told."""
    project = toml(ROOT / "python/pyproject.toml")
    oldest = project["project"]["requires-python"].removeprefix(">=")
    digits = oldest.replace(".", "")
    if f"abi3-py{digits}" not in workspace["dependencies"]["pyo3"]["features"]:
        yield f"pyproject.toml requires Python {oldest}, but pyo3 has no feature abi3-py{digits}"
    if project["tool"]["ruff"]["target-version"] != f"py{digits}":
        yield f"pyproject.toml requires Python {oldest}, but ruff checks for another"
    if f"Programming Language :: Python :: {oldest}" not in project["project"]["classifiers"]:
        yield f"pyproject.toml requires Python {oldest}, but no classifier names it"
    yield from licences(ROOT / "python")


def policy(workspace: dict[str, Any]) -> Iterator[str]:
    """The versions that docs/versions.md promises are those that the tools require."""
    page = (ROOT / "docs/versions.md").read_text()
    project = toml(ROOT / "python/pyproject.toml")["project"]
    required = {
        "Rust": workspace["package"]["rust-version"],
        "Python": project["requires-python"].removeprefix(">="),
    }
    for dependency in project["dependencies"]:
        name, oldest = dependency.split(">=")
        required[name] = oldest
    for name, oldest in required.items():
        if f"| {name} | {oldest} |" not in page:
            yield f"docs/versions.md does not say '| {name} | {oldest} |', which is required"
    tested = (ROOT / "python/tests/requirements-oldest.txt").read_text()
    if f"scikit-learn=={required['scikit-learn']}." not in tested:
        yield f"requirements-oldest.txt does not test scikit-learn {required['scikit-learn']}"


def main() -> int:
    """Print what does not agree."""
    workspace = toml(ROOT / "Cargo.toml")["workspace"]
    problems = [*versions(workspace), *crates(), *python(workspace), *policy(workspace)]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
