"""Square roots of matrices: LAPACK has none, so an interpreter runs what the primitive does."""

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


def found_sqrtm(out, a):
    return found(equations.sqrtm.impl, out, a)


@partial(compiled, nogil=False)
def sqrtm(site, a):
    out, good = np.empty(a.shape, a.dtype), np.zeros(1, np.bool_)
    with objmode():
        good[0] = found_sqrtm(out, a)
    if not good[0]:
        raise Failure(site)
    return out
