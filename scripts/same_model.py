"""Fits tables with the command and from data frames, and compares the model files byte by byte.

`python scripts/same_model.py ../shared` reads the tables named below. It needs the Python package,
pandas, polars, pyarrow and `cargo build --release -p ternwood-cli`. It exits with 1 if a model
differs for a reason that docs/tables.md does not list.
"""

import argparse
import csv
import gzip
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv

from ternwood import DataWarning, TernaryTreeClassifier

TABLES = {
    "openml/31_credit-g.arff.gz": "class",
    "openml/1590_adult.arff.gz": "class",
    "tables/HMDA.csv.gz": "deny",
    "tables/attrition.csv.gz": "Attrition",
    "tables/credit_data.csv.gz": "Status",
    "tables/flights.csv.gz": "late",
}
DEPTH = 6
READERS = {
    "pandas": pd.read_csv,
    "pandas, pyarrow types": lambda path: pd.read_csv(path, dtype_backend="pyarrow"),
    "polars": lambda path: pl.read_csv(path, infer_schema_length=None),
    "pyarrow": pa.csv.read_csv,
}


def as_csv(source, to):
    """Write a table as CSV."""
    text = gzip.decompress(source.read_bytes()).decode()
    if ".arff" not in source.name:
        to.write_text(text, encoding="utf-8")
        return
    lines = [line for line in text.splitlines() if line and not line.startswith("%")]
    start = next(row for row, line in enumerate(lines) if line.upper().startswith("@DATA"))
    header = [line.split() for line in lines[:start]]
    names = [words[1].strip("'") for words in header if words[0].upper() == "@ATTRIBUTE"]
    with to.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(names)
        out.writerows(csv.reader(lines[start + 1 :], quotechar="'", skipinitialspace=True))


def divided(frame, target):
    """Divide a frame into features and target."""
    if isinstance(frame, pd.DataFrame):
        return frame.drop(columns=target), frame[target]
    if isinstance(frame, pl.DataFrame):
        return frame.drop(target), frame[target]
    return frame.drop_columns(target), pd.Series(frame[target].to_pylist(), name=target)


def without(X, columns):
    """Leave out columns."""
    if isinstance(X, pd.DataFrame):
        return X.drop(columns=columns)
    return X.drop(columns) if isinstance(X, pl.DataFrame) else X.drop_columns(columns)


def compared(path, target, command):
    """Return one line for each way to read a table."""
    model = path.with_suffix(".json")
    fit = [command, "fit", path, "-t", target, "-o", model]
    options = ["--zone", "margin", "--max-depth", DEPTH, "--force", "--quiet"]
    subprocess.run([*map(str, fit + options)], check=True)
    theirs = model.read_bytes()
    for reader, read in READERS.items():
        X, y = divided(read(path), target)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DataWarning)
            clf = TernaryTreeClassifier(max_depth=DEPTH).fit(X, y)
        clf.save(model)
        found = "same bytes" if model.read_bytes() == theirs else None
        if found is None:
            known = {feature["name"] for feature in json.loads(theirs)["schema"]["features"]}
            left_out = [name for name in clf.feature_names_in_ if name not in known]
            if left_out:
                TernaryTreeClassifier(max_depth=DEPTH).fit(without(X, left_out), y).save(model)
            same = left_out and model.read_bytes() == theirs
            found = (
                f"same bytes without {', '.join(left_out)}, which the command leaves out"
                if same
                else "DIFFERENT"
            )
        yield reader, found, [str(it.message) for it in caught]


def main():
    """Compare all tables."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("folder", type=Path, help="where tables/ and openml/ are")
    arguments.add_argument("--command", type=Path, default=Path("target/release/ternwood"))
    given = arguments.parse_args()
    differs = False
    print("| table | read by | model file |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, target in TABLES.items():
            path = Path(folder) / (Path(name).name.split(".")[0] + ".csv")
            as_csv(given.folder / name, path)
            for reader, found, notes in compared(path, target, given.command):
                differs |= found == "DIFFERENT"
                print(f"| {path.stem} | {reader} | {found} |")
                for note in notes:
                    print(f"  {reader}: {note}", file=sys.stderr)
    sys.exit(differs)


if __name__ == "__main__":
    main()
