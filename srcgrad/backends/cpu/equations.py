"""Square roots and logarithms of matrices: LAPACK has none, an interpreter runs the primitive."""

from __future__ import annotations

from functools import partial

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.kernels import compiled, objmode
from srcgrad.primitives import equations
from srcgrad.primitives.callbacks import kept


def found(site, out, a, function):
    """Whether there is a result; writes it to `out`."""

    def run():
        out[...] = function.impl(a)

    return kept(site, run)


@partial(compiled, nogil=False)
def sqrtm(site, a):
    out, good = np.empty(a.shape, a.dtype), np.zeros(1, np.bool_)
    with objmode():
        good[0] = found(site, out, a, equations.sqrtm)
    if not good[0]:
        raise Failure
    return out


@partial(compiled, nogil=False)
def logm(site, a):
    out, good = np.empty(a.shape, a.dtype), np.zeros(1, np.bool_)
    with objmode():
        good[0] = found(site, out, a, equations.logm)
    if not good[0]:
        raise Failure
    return out
