"""The number of threads for ``n_jobs``."""

from __future__ import annotations

import os


def thread_count(n_jobs: int | None) -> int:
    """Turn ``n_jobs`` into a number of threads.

    ``None`` means all cores, but no more than ``OMP_NUM_THREADS`` allows: joblib sets it in its
    worker processes, so that a parallel grid search does not start cores times cores threads.
    """
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; use 1 for one thread, -1 for all cores")
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(_cores(), int(limit)) if limit.isdecimal() and int(limit) > 0 else _cores()
    return int(n_jobs) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
