"""Times trees from the rows of a Dask cluster: ternwood, XGBoost and LightGBM, one tree each.

The cluster is this machine: two workers of one thread. Rows are made by the workers and persisted there
before anything is timed, the same for all. Contestants take turns, so that a busy moment of the machine
affects all of them; the fit in memory with two threads takes its turns too. What is sent is read from the
counters of the loopback device, which carries everything between client, scheduler and workers, and from
what the fit of ternwood itself reports. Writes raw.csv, rounds.csv and README.md into the folder OUT.

    python cluster.py OUT [--rows 10000000] [--partitions 40] [--repeats 3]
"""

import argparse
import csv
import logging
import platform
import statistics
import warnings
from importlib.metadata import version
from pathlib import Path

import dask
import dask.array as da
import lightgbm
import numpy as np
import ternwood
import workloads
import xgboost
import xgboost.dask
from compare import machine, seconds
from distributed import Client, LocalCluster, wait
from ternwood.dask import DaskTernaryTreeClassifier

COLUMNS = 20
DEPTHS = (4, 8)
OURS, LOCAL = "ternwood.dask", "ternwood in memory, 2 threads"
# The most that a fit on the cluster may take, in multiples of the fit in memory.
MOST = {4: 2.5, 8: 4.0}


def rows_of(n_rows, n_partitions):
    """X and y as dask arrays that the workers make and keep, in the order of their partitions."""
    cuts = np.linspace(0, n_rows, n_partitions + 1).astype(int)
    make = dask.delayed(workloads.twonorm, pure=True, nout=2)
    parts = [make(int(size), COLUMNS, seed) for seed, size in enumerate(np.diff(cuts))]
    sizes = np.diff(cuts).tolist()
    X = [da.from_delayed(X, (n, COLUMNS), float) for (X, _), n in zip(parts, sizes, strict=True)]
    y = [da.from_delayed(y, (n,), int) for (_, y), n in zip(parts, sizes, strict=True)]
    X, y = dask.persist(da.concatenate(X), da.concatenate(y))
    wait([X, y])
    return X, y


def loopback_bytes():
    """Bytes that the loopback device has carried."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split()[1])
    raise RuntimeError("there is no loopback device to count bytes on")


class Fits:
    """The contestants; each returns its model."""

    def __init__(self, client, n_rows, n_partitions):
        self.client = client
        self.X, self.y = rows_of(n_rows, n_partitions)
        # Gathered block by block into the order that compare.py starts from.
        self.local_X = np.empty(self.X.shape)
        start = 0
        for block in self.X.blocks.ravel():
            self.local_X[start : start + block.shape[0]] = block.compute()
            start += block.shape[0]
        self.local_y = self.y.compute()

    def ours(self, depth):
        return DaskTernaryTreeClassifier(max_depth=depth).fit(self.X, self.y)

    def local(self, depth):
        clf = ternwood.TernaryTreeClassifier(max_depth=depth, n_jobs=2)
        return clf.fit(self.local_X, self.local_y)

    def xgboost(self, depth):
        clf = xgboost.dask.DaskXGBClassifier(n_estimators=1, max_depth=depth, tree_method="hist")
        clf.client = self.client
        return clf.fit(self.X, self.y)

    def lightgbm(self, depth):
        clf = lightgbm.DaskLGBMClassifier(
            n_estimators=1, max_depth=depth, num_leaves=2**depth, verbose=-1, client=self.client
        )
        return clf.fit(self.X, self.y)

    def all(self):
        return {
            OURS: self.ours,
            LOCAL: self.local,
            "xgboost.dask": self.xgboost,
            "lightgbm.dask": self.lightgbm,
        }


def race(fits, repeats):
    """Rows of (depth, contestant, repeat, seconds, bytes sent), and the rounds of our last fits."""
    rows, rounds = [], {}
    for depth in DEPTHS:
        for repeat in range(repeats):
            models = {}
            for name, fit in fits.all().items():
                before = loopback_bytes()

                def work(name=name, fit=fit, depth=depth, models=models):
                    models[name] = fit(depth)

                elapsed = seconds(work)
                sent = 0 if name == LOCAL else loopback_bytes() - before
                rows.append((depth, name, repeat, elapsed, sent))
                print(f"depth {depth}  {name:30s} {elapsed:8.3f} s {sent / 1e6:9.2f} MB", flush=True)
            if models[OURS].to_local().to_json() != models[LOCAL].to_json():
                raise SystemExit("the tree from the cluster is not the tree from memory")
            rounds[depth] = models[OURS].rounds_
    return rows, rounds


def of(rows, depth, name, what):
    return [row[what] for row in rows if row[:2] == (depth, name)]


def timings(rows, depth):
    lines = ["| | best (s) | median (s) | median, ratio | sent (MB) |", "|---|---|---|---|---|"]
    base = statistics.median(of(rows, depth, OURS, 3))
    for name in dict.fromkeys(row[1] for row in rows):
        times, sent = of(rows, depth, name, 3), statistics.median(of(rows, depth, name, 4))
        median = statistics.median(times)
        lines.append(
            f"| {name} | {min(times):.2f} | {median:.2f} | {median / base:.2f} | {sent / 1e6:.2f} |"
        )
    ratio = base / statistics.median(of(rows, depth, LOCAL, 3))
    verdict = "within" if ratio <= MOST[depth] else "beyond"
    lines.append(
        f"\nThe fit on the cluster takes {ratio:.2f} times that in memory, {verdict} the "
        f"{MOST[depth]:g} times that we allow ourselves."
    )
    return "\n".join(lines)


def table_of_rounds(rounds):
    lines = ["| round | asks to | question (kB) | answer (kB) | seconds | nodes |"]
    lines.append("|---|---|---|---|---|---|")
    for number, one in enumerate(rounds, 1):
        lines.append(
            f"| {number} | {one.topic} | {one.question_bytes / 1e3:.1f} | "
            f"{one.answer_bytes / 1e3:.1f} | {one.seconds:.3f} | {one.n_nodes} |"
        )
    return "\n".join(lines)


def histograms(depth):
    """Bytes that one worker of a peer sends for the histograms of a tree, by calculation."""
    # 256 bins of a sum of gradients and one of hessians, both float64, for every node but the root and
    # half of the others, which are their parents without their siblings.
    nodes = 1 + sum(2 ** (level - 1) for level in range(1, depth))
    return nodes * COLUMNS * 256 * 2 * 8


def report(options, rows, rounds):
    packages = ["ternwood", "dask", "distributed", "xgboost", "lightgbm", "numpy"]
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    text = [
        "# A tree from the rows of a cluster\n",
        f"Machine: {machine()}. Python {platform.python_version()}; {versions}. Written by `make "
        "bench-dask`; every timing is in `raw.csv`, every round in `rounds.csv`.\n",
        f"{options.rows:,} x {COLUMNS} rows in {options.partitions} partitions, persisted on two workers "
        "of one thread each, all on this machine. One tree of two classes. ternwood's is exact, the same "
        "to the byte as in memory (checked in every repeat), and has zones (`margin`); the peers' are of "
        f"histograms of 256 bins. Contestants took turns, {options.repeats} times. *Sent* is what the "
        "loopback device carried: everything between client, scheduler and workers.\n",
    ]
    for depth in DEPTHS:
        asked = sum(one.question_bytes for one in rounds[depth])
        answered = sum(one.answer_bytes for one in rounds[depth])
        text += [
            f"## Depth {depth}\n",
            timings(rows, depth) + "\n",
            f"{len(rounds[depth])} rounds. The questions have {asked / 1e3:.0f} kB together, and every "
            f"worker gets them once; the merged answers have {answered / 1e3:.0f} kB. Histograms of 256 "
            f"bins for the same tree have {histograms(depth) / 1e3:.0f} kB, by calculation: what each "
            "worker of a peer has to send at least once.\n",
            table_of_rounds(rounds[depth]) + "\n",
        ]
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--partitions", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")  # the peers' own, about chunks and parameters
    quiet = {"silence_logs": logging.ERROR, "dashboard_address": ":0"}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, **quiet) as cluster,
        Client(cluster) as client,
    ):
        fits = Fits(client, options.rows, options.partitions)
        rows, rounds = race(fits, options.repeats)
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "raw.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["depth", "contestant", "repeat", "seconds", "bytes"])
        writer.writerows(rows)
    with open(options.out / "rounds.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["depth", "topic", "question_bytes", "answer_bytes", "seconds", "n_nodes"])
        writer.writerows((depth, *one) for depth in DEPTHS for one in rounds[depth])
    text = report(options, rows, rounds)
    (options.out / "README.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
