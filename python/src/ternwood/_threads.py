"""The number of threads for ``n_jobs``."""

from __future__ import annotations

import os

import joblib


def thread_count(n_jobs: int | None) -> int:
    """Turn ``n_jobs`` into a number of threads.

    ``None`` means one, as everywhere in scikit-learn, unless somebody said otherwise: joblib's
    ``parallel_config``, or ``OMP_NUM_THREADS``. joblib sets the latter in its worker processes, so
    that a parallel grid search does not start cores times cores threads.
    """
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; use 1 for one thread, -1 for all cores")
    if n_jobs is not None:
        return int(n_jobs) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))
    configured = int(joblib.effective_n_jobs(None))
    limit = os.environ.get("OMP_NUM_THREADS", "")
    if configured > 1 or not limit.isdecimal():
        return configured
    return max(1, min(_cores(), int(limit)))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
