"""Equations of matrices: Numba has no Schur factors, so an interpreter runs what primitives do."""

from __future__ import annotations

from functools import partial

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.kernels import compiled, objmode
from srcgrad.primitives import equations


def found(function, out, *operands):
    """Whether there is a result; it is in `out`."""
    try:
        out[...] = function(*operands)
    except np.linalg.LinAlgError:
        return False
    return True


def found_sylvester(out, a, b, q):
    return found(equations.sylvester.impl, out, a, b, q)


def found_sqrtm(out, a):
    return found(equations.sqrtm.impl, out, a)


@partial(compiled, nogil=False)
def sylvester(site, a, b, q):
    out, good = np.empty(q.shape, q.dtype), np.zeros(1, np.bool_)
    with objmode():
        good[0] = found_sylvester(out, a, b, q)
    if not good[0]:
        raise Failure(site)
    return out


@partial(compiled, nogil=False)
def sqrtm(site, a):
    out, good = np.empty(a.shape, a.dtype), np.zeros(1, np.bool_)
    with objmode():
        good[0] = found_sqrtm(out, a)
    if not good[0]:
        raise Failure(site)
    return out
