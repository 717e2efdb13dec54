"""Measures ternary trees and forests beside other models that people can read, on public data sets.

    python scripts/models_beside.py OPENML_FOLDER runs/models

The data sets are those of the folder with at most 2,000 rows, 60 columns and 10 classes; the folds are the
paper's. All models get the same numbers (codes of categories, medians in place of missing values) and the
same shuffled training rows. The models that take most of the time come last, data set by data set, those
with the fewest classes first: a run that is cut short has as many whole data sets as possible.
Every result is written at once and what is already there is skipped, so an interrupted run can
continue. A model that fails is recorded with the reason. `models_report.py` writes the README.
"""

import csv
import json
import os
import platform
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

# Every library learns on one thread, so that seconds can be compared.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
from models_contestants import CONTESTANTS, SEED, STREED_SECONDS  # noqa: E402
from models_report import COLUMNS, FOLDS, RULE  # noqa: E402
from paper_folder import entries_in, folds_in, table  # noqa: E402
from scores import scores  # noqa: E402

import ternwood  # noqa: E402

# Take up to minutes for one fit.
SLOW = ("streed", "ebm")
# Ends the whole process when its time is up, so it gets one of its own.
APART = ("streed",)
PACKAGES = ("scikit-learn", "imodels", "interpret-core", "pystreed", "numpy")


def chosen(folder: Path) -> list[dict[str, str]]:
    """Data sets within the limits of the rule, the smallest first."""
    entries = [
        entry
        for entry in entries_in(folder)
        if all(int(entry[what]) <= most for what, most in RULE.items())
    ]
    return sorted(entries, key=lambda entry: int(entry["rows"]) * int(entry["features"]))


def setup() -> dict[str, str]:
    """Versions and the machine, which belong to the results."""
    machine = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        machine = names[0] if names else machine
    versions = {package: version(package) for package in PACKAGES}
    own = {"python": platform.python_version(), "ternwood": ternwood.__version__}
    return {"machine": machine, **own, **versions}


def check_setup(out: Path) -> None:
    """Write the versions of a new run; refuse to continue one that other versions began."""
    path = out / "setup.json"
    if not path.exists():
        path.write_text(json.dumps(setup(), indent=2) + "\n")
    elif (began := json.loads(path.read_text())) != setup():
        changed = [name for name, value in setup().items() if began.get(name) != value]
        sys.exit(
            f"{path} says that the run began with other {', '.join(changed)}; "
            "restore them, or remove the folder and run anew"
        )


class Results:
    """The file of results, complete after every row."""

    def __init__(self, folder: Path, raw: Path) -> None:
        self.folder = folder
        self.raw = raw
        if not raw.exists():
            raw.write_text(",".join(COLUMNS) + "\n")
        with raw.open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.done = {(row["openml_id"], row["fold"], row["method"]) for row in rows}

    def add(self, row: dict[str, object]) -> None:
        """Append a row."""
        with self.raw.open("a", newline="") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(row)


def measure(method: str, X: np.ndarray, y: np.ndarray, test: np.ndarray) -> dict[str, object]:
    """Fit one model on the training rows of a fold and score it on the others."""
    contestant = CONTESTANTS[method]
    train = np.random.default_rng(SEED).permutation(np.flatnonzero(~test))
    try:
        model = contestant.make()
        start = time.process_time()
        model.fit(X[train], y[train])
        seconds = time.process_time() - start
        figures = scores(model, X[test], y[test])
        return {**figures._asdict(), "size": contestant.size(model), "seconds": seconds}
    except Exception as error:
        return {"problem": f"{type(error).__name__}: {error}".replace("\n", " ")[:200]}


def measure_apart(
    method: str, X: np.ndarray, y: np.ndarray, test: np.ndarray
) -> dict[str, object]:
    """Measure in a process of its own, whose end is a problem like others."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        try:
            return pool.submit(measure, method, X, y, test).result()
        except BrokenProcessPool:
            return {"problem": f"it ended the process, as it does after {STREED_SECONDS} seconds"}


def measure_set(entry: dict[str, str], folds: np.ndarray, methods: list[str], out: Results) -> None:
    """Measure these methods on every fold of a data set, where that is not done yet."""
    todo = [
        (fold, method)
        for fold in range(FOLDS)
        for method in methods
        if (entry["openml_id"], str(fold), method) not in out.done
    ]
    if not todo:
        return
    X, y = table(out.folder / entry["file"])
    of_set = {
        "openml_id": entry["openml_id"],
        "dataset": entry["name"],
        "rows": len(y),
        "columns": X.shape[1],
        "classes": len(np.unique(y)),
    }
    for fold, method in todo:
        how = measure_apart if method in APART else measure
        measured = how(method, X, y, folds == fold)
        out.add({**of_set, "fold": fold, "method": method, **measured})
    print(entry["name"], *methods, flush=True)


def main() -> None:
    """Measure everything that is not yet in the file."""
    folder, run = map(Path, sys.argv[1:])
    run.mkdir(parents=True, exist_ok=True)
    check_setup(run)
    warnings.filterwarnings("ignore")
    out = Results(folder, run / "raw.csv")
    folds = folds_in(folder)
    fast = [method for method in CONTESTANTS if method not in SLOW]
    entries = chosen(folder)
    for entry in entries:
        measure_set(entry, folds[entry["openml_id"]], fast, out)
    for entry in sorted(entries, key=lambda entry: int(entry["classes"])):
        measure_set(entry, folds[entry["openml_id"]], list(SLOW), out)


if __name__ == "__main__":
    main()
