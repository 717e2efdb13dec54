"""Checks that a wheel contains the package, its licences and nothing else."""

import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def expected(wheel):
    """The package's files in the repository, and the compiled extension module."""
    root = ROOT / "python" / "src"
    sources = (root / "ternwood").rglob("*")
    names = {
        path.relative_to(root).as_posix()
        for path in sources
        if path.suffix in {".py", ".pyi", ".typed"}
    }
    extension = "_ternwood.pyd" if "-win" in wheel.name else "_ternwood.abi3.so"
    return names | {"ternwood/py.typed", f"ternwood/{extension}"}


def tag_problems(wheel):
    """A Linux wheel must say which systems can load it; every wheel serves all later Pythons."""
    tags = wheel.stem.split("-")[2:]
    if "abi3" not in tags:
        yield f"{wheel.name} is for one Python only"
    if "linux" in tags[-1] and "manylinux" not in tags[-1]:
        yield f"{wheel.name} is for this machine only: it links what other Linux systems lack"


def main():
    wheels = Path(sys.argv[1]).glob("ternwood-*.whl")
    wheel = max(wheels, key=lambda wheel: wheel.stat().st_mtime)
    names = set(zipfile.ZipFile(wheel).namelist())
    metadata = {name for name in names if re.match(r"ternwood-[^/]+\.dist-info/", name)}
    package = names - metadata
    allowed = {"METADATA", "WHEEL", "RECORD"}
    unexpected = {
        name
        for name in metadata
        if (tail := name.split("/", 1)[1]) not in allowed
        and not tail.startswith(("licenses/LICENSE", "sboms/"))
    }
    wanted = expected(wheel)
    licences = {"LICENSE-MIT", "LICENSE-APACHE"} - {name.rsplit("/", 1)[1] for name in metadata}
    problems = [f"missing: {name}" for name in sorted(wanted - package | licences)]
    problems += [f"unexpected: {name}" for name in sorted((package - wanted) | unexpected)]
    problems += tag_problems(wheel)
    print(*problems or [f"{wheel.name}: {len(names)} files, as expected"], sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
