"""Writes testdata/binomial_cdf.csv: binomial probabilities as scipy computes them.

    .venv/bin/python scripts/make_binomial.py
"""

from pathlib import Path

from scipy.stats import binom

ROWS = [1, 2, 10, 59, 100, 299, 1000, 10_000, 1_000_000]
ERROR_RATES = [0.001, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9]


def errors(n: int, p: float) -> list[int]:
    """Numbers of errors to test: the extremes, and some around the mean."""
    middle, spread = n * p, (n * p * (1 - p)) ** 0.5
    around = [round(middle + z * spread) for z in (-3, -2, -1, 0, 1, 3)]
    return sorted({0, 1, n - 1, n, *around} & set(range(n + 1)))


def main() -> None:
    lines = ["n,k,p,cdf"]
    for n in ROWS:
        for p in ERROR_RATES:
            for k in errors(n, p):
                value = float(binom.cdf(k, n, p))
                if value > 1e-30:
                    lines.append(f"{n},{k},{p!r},{value!r}")
    path = Path(__file__).parent.parent / "testdata" / "binomial_cdf.csv"
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
