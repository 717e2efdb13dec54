"""Makes a large CSV file: counts, prices, rates, measurements with all their digits, names and dates.

    python make_table.py FILE [BYTES]

The same bytes every time. Needs only the standard library.
"""

import datetime
import random
import sys

ROWS_PER_BLOCK = 20_000
NAMES = ["A1", "B2", "north wing", "C3"]
FIRST_DAY = datetime.date(2020, 1, 1)


def header():
    kinds = [("count", 5), ("price", 5), ("rate", 5), ("signal", 3)]
    numbered = [f"{kind}_{index}" for kind, many in kinds for index in range(many)]
    return [*numbered, "ward", "day"]


def row(rng):
    counts = [str(rng.randrange(10 ** (digits + 1))) for digits in range(5)]
    prices = [f"{rng.lognormvariate(4, 1):.2f}" for _ in range(5)]
    rates = [f"{rng.gauss(0, 1):.6f}" for _ in range(5)]
    signals = [repr(rng.gauss(0, 1)) for _ in range(3)]
    day = FIRST_DAY + datetime.timedelta(days=rng.randrange(2000))
    return ",".join([*counts, *prices, *rates, *signals, rng.choice(NAMES), day.isoformat()])


def make(path, size):
    rng = random.Random(16)
    block = "\n".join(row(rng) for _ in range(ROWS_PER_BLOCK)) + "\n"
    with open(path, "w", newline="") as file:
        file.write(",".join(header()) + "\n")
        # Blocks repeat, rotated by a few rows: readers do not care, and it takes seconds.
        for start in range(0, size, len(block)):
            cut = block.index("\n", start * 7 % len(block) // 2) + 1
            file.write(block[cut:] + block[:cut])


if __name__ == "__main__":
    make(sys.argv[1], int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**9)
