"""Writes scipy's results of one-sided Wilcoxon signed-rank tests, to test our own against.

    .venv/bin/python scripts/make_wilcoxon_values.py

Writes crates/ternwood/tests/wilcoxon.json: lists of differences with scipy's statistic and
p-value. Differences are integer multiples of 1/1024, so that JSON and floats hold them exactly.

For up to 13 differences with ties or zeros, newer versions of scipy permute the signs. Older versions, and the
paper, use the normal distribution, so this script asks for it by name.
"""

import json
import random
from pathlib import Path

import scipy.stats

OUT = Path(__file__).resolve().parents[1] / "crates/ternwood/tests/wilcoxon.json"


def differences(count, largest, shift, rng):
    """Random multiples of 1/1024; a small `largest` makes ties and zeros."""
    return [(rng.randint(-largest, largest) + shift) / 1024 for _ in range(count)]


def answer(values):
    tied = len({abs(value) for value in values}) < len(values) or 0 in values
    method = "asymptotic" if tied else "auto"
    found = scipy.stats.wilcoxon(values, alternative="greater", correction=False, method=method)
    return {"differences": values, "statistic": float(found.statistic), "p_value": float(found.pvalue)}


def main():
    rng = random.Random(6)
    cases = []
    for count in (1, 2, 5, 10, 25, 49, 50, 51, 67, 72, 200):
        for largest, shift in ((100_000, 0), (100_000, 30_000), (100_000, -30_000), (20, 0), (20, 4)):
            values = differences(count, largest, shift, rng)
            if any(values):
                cases.append(answer(values))
    # No ties and no zeros, around the largest count for which scipy uses the exact distribution.
    for count in (12, 50, 51):
        values = [rng.choice((-1, 1)) * size / 1024 for size in rng.sample(range(1, 5000), count)]
        cases.append(answer(values))
    document = {"scipy": scipy.__version__, "cases": cases}
    OUT.write_text(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
