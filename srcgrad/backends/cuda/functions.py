"""Functions that kernels call, as plain Python: their texts go into the kernels' modules."""

from __future__ import annotations

import math


def trips(start, stop, step):
    if step > 0:
        return max((stop - start + step - 1) // step, 0)
    return max((start - stop - step - 1) // -step, 0)


def slice_end(i, n, step):
    """Where a slice begins, or ends, that says `i`: on either side it is clipped alike."""
    if step > 0:
        return max(i + n, 0) if i < 0 else min(i, n)
    return max(i + n, -1) if i < 0 else min(i, n - 1)


def logaddexp(a, b):
    """NumPy's: equal infinities do not become NaN."""
    if a == b:
        return a + type(a)(0.6931471805599453)
    if a > b:
        return a + math.log1p(math.exp(b - a))
    return b + math.log1p(math.exp(a - b))
