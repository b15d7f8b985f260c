"""Square roots of matrices: LAPACK has none, so an interpreter runs the primitive."""

from __future__ import annotations

from functools import partial

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.kernels import compiled, objmode
from srcgrad.primitives import equations
from srcgrad.primitives.callbacks import kept


def found_sqrtm(site, out, a):
    """Whether there is a root; writes it to `out`."""

    def run():
        out[...] = equations.sqrtm.impl(a)

    return kept(site, run)


@partial(compiled, nogil=False)
def sqrtm(site, a):
    out, good = np.empty(a.shape, a.dtype), np.zeros(1, np.bool_)
    with objmode():
        good[0] = found_sqrtm(site, out, a)
    if not good[0]:
        raise Failure
    return out
