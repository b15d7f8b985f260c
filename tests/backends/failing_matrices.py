"""Calls of linear algebra of which half fail, for a count of what is left: run by a test."""

import gc
import os
import sys

import numpy as np
from numba.core.runtime import rtsys

import srcgrad as flow


def solved(a):
    b = a * 2.0
    return np.sum(np.linalg.solve(b.T, np.ones(3)) * np.linalg.inv(b + 1.0)[0])


def factored(a):
    return np.sum(np.linalg.cholesky(a * 2.0))


def decomposed(a):
    return np.sum(np.linalg.svd(a * 1.0)[1]) + np.linalg.det(a)


def left(times):
    """The buffers and the memory of routines that nobody gave back."""
    failed = 0
    for k in range(times):
        for f, bad in compiled:
            try:
                f(GOOD if k % 2 else bad)
            except np.linalg.LinAlgError:
                failed += 1
    gc.collect()
    stats = rtsys.get_allocation_stats()
    assert failed == len(compiled) * times // 2, failed
    return stats.mi_alloc - stats.mi_free, stats.alloc - stats.free


GOOD, NONE = np.diag([2.0, 3.0, 4.0]), np.zeros((3, 3))
compiled = [
    (flow.value_and_grad(f), bad)
    for f, bad in ((solved, NONE), (factored, NONE), (decomposed, NONE + np.nan))
]
before = left(10)
after = left(int(sys.argv[1]))
if not os.environ.get("SRCGRAD_CPU"):  # guarded, what is given up stays
    assert before == after, (before, after)
