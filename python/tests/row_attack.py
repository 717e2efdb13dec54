"""An attack on the rows a model was trained on, with nothing but its file.

It reads the filter as ``docs/model-format.md`` describes it, so it is also a second implementation
of that page. Run as a program, it writes what the attack finds on public tables:

    python tests/row_attack.py > ../runs/choosing/row_attack.md
"""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd

from ternwood import TernaryTreeClassifier

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
PUBLIC = {
    "diabetes": "openml/37_diabetes.arff.gz",
    "credit-g": "openml/31_credit-g.arff.gz",
    "credit_data": "tables/credit_data.csv.gz",
}
MASK = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
MISSING = 0x7FF8000000000000


def mix(x):
    """SplitMix64."""
    with np.errstate(over="ignore"):
        z = np.asarray(x, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def bits_of(value, is_number):
    """Return the 64 bits that stand for a value: a number, the name of a category, or missing."""
    if pd.isna(value):
        return np.uint64(MISSING)
    if is_number:
        return np.float64(float(value) + 0.0).view(np.uint64)
    name = np.uint64(0)
    for byte in str(value).encode():
        name = mix(name ^ np.uint64(byte))
    return name[()]


def product(column, bits):
    """Return what a cell of a column adds to the sum of its row."""
    multiplier = int(mix(column))
    upper, lower = np.uint64(multiplier >> 32 | 1), np.uint64(multiplier & 0xFFFFFFFF | 1)
    with np.errstate(over="ignore"):
        return (bits >> HALF) * upper + (bits & MASK) * lower


class Filter:
    """The filter of a model file."""

    def __init__(self, document):
        training = document["training"]
        self.rows = training["rows"]
        self.salt = np.uint64(int(training["filter"]["salt"], 16))
        bits = np.frombuffer(base64.b64decode(training["filter"]["bits"]), np.uint8)
        self.n_bits = min(self.rows, 1 << 20)
        self.bits = np.unpackbits(bits, bitorder="little")[: self.n_bits].astype(bool)

    def matches(self, sums):
        """Say which rows, given by the sums of their cells, find their bit set."""
        assert self.rows <= 1 << 20, "all rows are eligible"
        spread = mix(mix(mix(sums) ^ self.salt))
        many = np.uint64(self.n_bits)
        place = ((spread >> HALF) * many + ((spread & MASK) * many >> HALF)) >> HALF
        return self.bits[place.astype(np.int64)]


class Attack:
    """A model, its training rows, and what can be found out of the rows from its file."""

    def __init__(self, X, y):
        self.X, self.y = X, y
        tree = TernaryTreeClassifier(max_depth=3, zone="margin").fit(X, y)
        self.document = json.loads(tree.to_json())
        self.filter = Filter(self.document)
        numbers = [pd.api.types.is_numeric_dtype(X[name]) for name in X]
        self.cells = []
        for column, (name, is_number) in enumerate(zip(X, numbers, strict=True)):
            bits = np.array([bits_of(value, is_number) for value in X[name]], dtype=np.uint64)
            self.cells.append(product(column, bits))
        with np.errstate(over="ignore"):
            self.sums = sum(self.cells[1:], self.cells[0])

    @property
    def ratio(self):
        """How much likelier a match is for a training row than for any other."""
        return 1 / self.filter.bits.mean()

    def members(self):
        """Return the share of training rows that match."""
        return self.filter.matches(self.sums).mean()

    def others(self, column):
        """For every row, whether it matches with each other value that the column has.

        Returns the values, the matches of shape (rows, values), and which value each row has.
        """
        values, own = np.unique(self.cells[column], return_inverse=True)
        with np.errstate(over="ignore"):
            rest = self.sums - self.cells[column]
            matches = self.filter.matches(rest[:, None] + values[None, :])
        return values, matches, own

    def value_guesses(self, column):
        """Return how often an unknown value is guessed, with and without the filter."""
        values, matches, own = self.others(column)
        assert matches[np.arange(len(own)), own].all()
        # The attacker picks one of the values that match.
        return (1 / matches.sum(axis=1)).mean(), 1 / len(values)

    def stranger_matches(self):
        """Return how many rows that were not trained on match, and how many there are."""
        known, found = np.unique(self.sums), []
        for column in range(len(self.cells)):
            values, matches, own = self.others(column)
            with np.errstate(over="ignore"):
                sums = (self.sums - self.cells[column])[:, None] + values[None, :]
            is_other = np.arange(len(values))[None, :] != own[:, None]
            is_other &= ~np.isin(sums, known)
            found.append(matches[is_other])
        found = np.concatenate(found)
        return int(found.sum()), len(found)


def read(name):
    """Read a public table: features with their categories, and the class."""
    path = SHARED / PUBLIC[name]
    if path.suffixes[0] == ".csv":
        frame = pd.read_csv(path)
        target = frame.columns[0]
    else:
        with gzip.open(path, "rt") as file:
            lines = [line.strip() for line in file]
        start = next(i for i, line in enumerate(lines) if line.lower() == "@data") + 1
        declared = [line for line in lines[:start] if line.lower().startswith("@attribute")]
        names = [line.split(None, 2)[1].strip("'\"") for line in declared]
        cells = [line.split(",") for line in lines[start:] if line and not line.startswith("%")]
        cells = [[cell.strip().strip("'\"") for cell in row] for row in cells]
        frame = pd.DataFrame(cells, columns=names).replace("?", np.nan)
        for column, line in zip(names, declared, strict=True):
            if "{" not in line:
                frame[column] = pd.to_numeric(frame[column])
        target = names[-1]
    X, y = frame.drop(columns=target), frame[target].astype(str)
    for column in X:
        if not pd.api.types.is_numeric_dtype(X[column]):
            X[column] = X[column].astype("category")
    return X, y


def table():
    """Return what the attack finds on public tables, as Markdown."""
    lines = [
        "| table | rows | stated ratio | training rows that match | other rows that match | "
        "unknown value guessed, times as often as without the file (largest of all columns) | "
        "class |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for name in PUBLIC:
        attack = Attack(*read(name))
        matching, strangers = attack.stranger_matches()
        gains = [np.divide(*attack.value_guesses(column)) for column in range(len(attack.cells))]
        shuffled = np.random.default_rng(0).permutation(attack.y)
        same = Attack(attack.X, shuffled).document["training"] == attack.document["training"]
        assert same
        lines.append(
            f"| {name} | {attack.filter.rows} | {attack.ratio:.3f} | {attack.members():.1%} | "
            f"{matching / strangers:.1%} of {strangers} | {max(gains):.3f} | "
            "same file for any classes |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
