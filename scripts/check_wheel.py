"""Checks that a wheel contains the package, its licences and nothing else."""

import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def expected():
    """The package's files in the repository, and the compiled extension module."""
    sources = (ROOT / "python" / "src" / "ternwood").glob("*")
    names = {f"ternwood/{path.name}" for path in sources if path.suffix in {".py", ".pyi", ".typed"}}
    return names | {"ternwood/py.typed", "ternwood/_ternwood.abi3.so"}


def main():
    [wheel] = sorted(Path(sys.argv[1]).glob("ternwood-*.whl"))[-1:]
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
    problems = [f"missing: {name}" for name in sorted(expected() - package)]
    problems += [f"unexpected: {name}" for name in sorted((package - expected()) | unexpected)]
    print(*problems or [f"{wheel.name}: {len(names)} files, as expected"], sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
