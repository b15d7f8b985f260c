"""Calls of which half fail, for a count of the memory that is left: run as a program by tests.

python -m tests.backends.failing_calls NAME TIMES
"""

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import srcgrad as flow


def rows(x, n):
    """A store of another length, with buffers in lists and in a loop."""
    out, kept, i = np.zeros((3, n)), [], 0
    while i < 3:
        kept.append(x * i)
        i += 1
    for k in range(3):
        out[k] = kept[k] * x
    return np.sum(out * out)


def product(a, b, n):
    """An index that is out of range after products of operands that had to be copied."""
    c = a @ b
    return np.sum(c @ c.T) + (a @ b[:, 0])[n]


def solved(a):
    b = a * 2.0
    return np.sum(np.linalg.solve(b.T, np.ones(3)) * np.linalg.inv(b + 1.0)[0])


def factored(a):
    return np.sum(np.linalg.cholesky(a * 2.0))


def decomposed(a):
    return np.sum(np.linalg.svd(a * 1.0)[1]) + np.linalg.det(a)


X = np.arange(1.0, 4.0)
A = np.ones((3, 14, 24))[0, ::-2, ::2]
GOOD, NONE = np.diag([2.0, 3.0, 4.0]), np.zeros((3, 3))
# per name: functions, arguments that succeed, arguments that fail
CALLS = {
    "rows": [(rows, (X, 3), (X, 4))],
    "products": [(product, (A, A.T, 0), (A, A.T, 7))],
    "matrices": [
        (solved, (GOOD,), (NONE,)),
        (factored, (GOOD,), (NONE,)),
        (decomposed, (GOOD,), (NONE + np.nan,)),
    ],
}


def left(calls, times):
    """The buffers and the memory of routines that nobody gave back."""
    from numba.core.runtime import rtsys

    failed = 0
    for k in range(times):
        for f, good, bad in calls:
            try:
                f(*(bad if k % 2 else good))
            except (ValueError, IndexError, np.linalg.LinAlgError):
                failed += 1
    gc.collect()
    stats = rtsys.get_allocation_stats()
    assert failed == len(calls) * (times // 2), failed
    return stats.mi_alloc - stats.mi_free, stats.alloc - stats.free


def leaves_nothing(name, times, **settings):
    """Run as many calls in a process with these environment variables: fails if memory is left."""
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": str(root), "NUMBA_NRT_STATS": "1", **settings}
    command = [sys.executable, "-m", "tests.backends.failing_calls", name, str(times)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def main(name, times):
    calls = [(flow.value_and_grad(f), good, bad) for f, good, bad in CALLS[name]]
    before, after = left(calls, 10), left(calls, int(times))
    if not os.environ.get("SRCGRAD_CPU"):  # guarded, released buffers stay
        assert before == after, (before, after)


if __name__ == "__main__":
    main(*sys.argv[1:])
