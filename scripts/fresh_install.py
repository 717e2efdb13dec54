"""Does what a stranger does first, without anything of the source tree's environments.

    python3 scripts/fresh_install.py WHEELS [--without-command]

Installs the newest wheel of the folder WHEELS into an empty environment, with what the README of the Python
package says to install beside it, and runs that README's first example there. Then installs the command with
`cargo install` under a temporary root and fits, predicts and explains with it.
"""

import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WINDOWS = os.name == "nt"


def run(command: list[object], folder: Path) -> None:
    """Run a command in a folder; its failure is ours."""
    print("$", *command, flush=True)
    # Nothing of the caller's environment may help.
    own = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CARGO_TARGET_DIR"}
    kept = {name: value for name, value in os.environ.items() if name not in own}
    subprocess.run([str(part) for part in command], cwd=folder, env=kept, check=True)


def newest_wheel(folder: Path) -> Path:
    """The wheel that was built last."""
    wheels = sorted(folder.glob("ternwood-*.whl"), key=lambda wheel: wheel.stat().st_mtime)
    if not wheels:
        sys.exit(f"{folder} has no wheel; `make wheel` builds one")
    return wheels[-1].resolve()


def check_wheel(wheel: Path, here: Path) -> None:
    """The README's first example in an environment that has only what its first line installs."""
    readme = (ROOT / "python/README.md").read_text(encoding="utf-8")
    beside = re.search(r"^pip install ternwood(.*)$", readme, re.M)[1].split()
    example = re.search(r"^```python\n(.*?)^```$", readme, re.M | re.S)[1]
    venv.create(here / "env", with_pip=True)
    python = here / "env" / ("Scripts" if WINDOWS else "bin") / "python"
    quiet = ["--quiet", "--disable-pip-version-check"]
    run([python, "-m", "pip", "install", *quiet, wheel, *beside], here)
    run([python, "-m", "pip", "check"], here)
    (here / "example.py").write_text(example, encoding="utf-8")
    run([python, "-I", "example.py"], here)


def check_command(here: Path) -> None:
    """The command from its sources: a tour, and the way from a table to verdicts."""
    command = here / "root" / "bin" / ("ternwood.exe" if WINDOWS else "ternwood")
    crate = ROOT / "crates/ternwood-cli"
    run(["cargo", "install", "--quiet", "--locked", "--path", crate, "--root", here / "root"], here)
    data = ROOT / "docs/cli/data"
    run([command, "--version"], here)
    run([command, "fit", data / "patients.csv", "--target", "ill", "-o", "model.json"], here)
    run([command, "predict", "model.json", data / "new.csv"], here)
    run([command, "explain", "model.json", data / "new.csv", "--row", 1], here)


def main() -> None:
    """Check both, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="fresh-") as folder:
        check_wheel(newest_wheel(Path(sys.argv[1])), Path(folder))
        if "--without-command" not in sys.argv:
            check_command(Path(folder))
    print("everything runs from a fresh install")


if __name__ == "__main__":
    main()
