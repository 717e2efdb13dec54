"""Times the predictions of forests on public data sets against scikit-learn's.

The data sets of at most 20,000 rows in the folder DATA (`ternwood-paper fetch`): both forests have 100 trees,
grown on four folds; the 25,000 rows to be predicted are drawn from the fifth. (In an order that repeats, processors
learn where the few rows go, and scikit-learn's walk, which branches at every test, takes less than half as long.)
Contestants take turns.
Writes raw.csv and README.md into the folder OUT.

    python predictions.py DATA OUT
"""

import argparse
import csv
import platform
import statistics
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from compare import Run, machine
from forests import THREADS, crisp, ours, scikit_learn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from paper_folder import entries_in, folds_in, table

N_TREES, N_ROWS, MOST_ROWS, REPEATS = 100, 25_000, 20_000, 5
CONTESTANTS = ("with zones and verdict", "zone none", "scikit-learn")


def race(run, name, X, y, test):
    """Returns the scale of the zones."""
    zoned, plain, theirs = (
        grow(X[~test], y[~test], N_TREES) for grow in (ours, crisp, scikit_learn)
    )
    rows = X[test][np.random.default_rng(0).integers(np.sum(test), size=N_ROWS)]
    works = (zoned.predict_all, plain.predict_proba, theirs.predict_proba)
    works = [lambda work=work: work(rows) for work in works]
    run.race(
        name, {who: (work, None) for who, work in zip(CONTESTANTS, works, strict=True)}, REPEATS
    )
    return zoned.zone_scale_


def geometric_mean(numbers):
    return float(np.exp(np.mean(np.log(numbers))))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    folds, run, scales = folds_in(options.data), Run(), {}
    entries = [entry for entry in entries_in(options.data) if int(entry["rows"]) <= MOST_ROWS]
    for entry in entries:
        X, y = table(options.data / entry["file"])
        scales[entry["name"]] = race(run, entry["name"], X, y, folds[entry["openml_id"]] == 0)
    ratios = {}
    for name in run.workloads():
        zoned, plain, theirs = (statistics.median(run.times(name, who)) for who in CONTESTANTS)
        ratios[name] = (theirs / zoned, theirs / plain)
    zoned, plain = zip(*ratios.values(), strict=True)
    slower = [name for name, (ratio, _) in ratios.items() if ratio < 1]
    text = [
        "# Predictions of forests on public data sets\n",
        f"Machine: {machine()}. Python {platform.python_version()}; ternwood {version('ternwood')}, scikit-learn "
        f"{version('scikit-learn')}. {THREADS} threads, {N_TREES} trees, {N_ROWS:,} rows drawn from a fifth of the data "
        f"set, medians of {REPEATS}. "
        "Written by `make bench-predictions`; every timing is in `raw.csv`.\n",
        "Ratios are scikit-learn's time by ours: 2 means that ours is twice as fast.\n",
        "| | geometric mean | least | most | data sets where ours is slower |",
        "|---|---|---|---|---|",
        f"| with zones and verdict | {geometric_mean(zoned):.2f} | {min(zoned):.2f} | {max(zoned):.2f} "
        f"| {len(slower)} of {len(ratios)} |",
        f"| without zones | {geometric_mean(plain):.2f} | {min(plain):.2f} | {max(plain):.2f} "
        f"| {sum(ratio < 1 for ratio in plain)} of {len(ratios)} |\n",
        "| data set | scale of the zones | with zones and verdict | without zones |",
        "|---|---|---|---|",
        *(
            f"| {name} | {scales[name]:g} | {ratio:.2f} | {without:.2f} |"
            for name, (ratio, without) in sorted(ratios.items(), key=lambda item: item[1])
        ),
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "raw.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["data set", "contestant", "repeat", "seconds"])
        writer.writerows(run.rows)
    (options.out / "README.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main()
