"""Functions that kernels call, as plain Python: their texts go into the kernels' modules."""

from __future__ import annotations

import math


def trips(start, stop, step):
    if step > 0:
        return (stop - start - 1) // step + 1 if stop > start else 0
    return (start - stop - 1) // -step + 1 if start > stop else 0


def slice_end(i, n, step):
    """The clipped start or end of a slice that is given as `i`."""
    if step > 0:
        return max(i + n, 0) if i < 0 else min(i, n)
    return max(i + n, -1) if i < 0 else min(i, n - 1)


def logaddexp(a, b):
    """NumPy's logaddexp: equal infinities do not become NaN."""
    if a == b:
        return a + type(a)(0.6931471805599453)
    if a > b:
        return a + math.log1p(math.exp(b - a))
    return b + math.log1p(math.exp(a - b))


def xlogy(a, b):
    return a * math.log(b) if a != 0 or b != b else a


def xlog1py(a, b):
    return a * math.log1p(b) if a != 0 or b != b else a


def rgamma(a):
    return 0.0 if a <= 0.0 and a == math.floor(a) else 1.0 / math.gamma(a)


# ---- of complex numbers ----
def complex_sin(a):
    return complex(math.sin(a.real) * math.cosh(a.imag), math.cos(a.real) * math.sinh(a.imag))


def complex_cos(a):
    return complex(math.cos(a.real) * math.cosh(a.imag), -math.sin(a.real) * math.sinh(a.imag))


def complex_sinh(a):
    return complex(math.sinh(a.real) * math.cos(a.imag), math.cosh(a.real) * math.sin(a.imag))


def complex_cosh(a):
    return complex(math.cosh(a.real) * math.cos(a.imag), math.sinh(a.real) * math.sin(a.imag))
