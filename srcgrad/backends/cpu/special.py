"""Special functions for generated code: the C functions that SciPy offers to Cython.

They are called by a symbol of our own, not by their address, so that Numba can keep the machine
code: importing this module names the symbols. Values are those of SciPy's ufuncs in float64;
float32 is computed in float64 and rounded. Without Numba these are SciPy's ufuncs themselves.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

from scipy import special
from scipy.special import cython_special

from srcgrad.backends.cpu.fastmath import HELPERS
from srcgrad.backends.cpu.kernels import compiled, njit, unliteral
from srcgrad.primitives import REGISTRY, Primitive
from srcgrad.primitives import special as rows

OTHER_NAMES = {rows.digamma: "psi"}  # of one function
# Bernoulli's numbers B2, B4, ... over (2k)!: of the Euler-Maclaurin sum (DLMF 2.10.1)
EULER_MACLAURIN = (
    1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, -1.0 / 1209600.0, 1.0 / 47900160.0,
    -691.0 / 1307674368000.0, 1.0 / 74724249600.0, -3617.0 / 10670622842880000.0,
)  # fmt: skip
FAR = 12.0  # from where the sum's remainder is below rounding


def _symbol(name: str, arity: int) -> Any:
    """What Numba calls: a symbol that names SciPy's C function of doubles."""
    import llvmlite.binding as llvm
    from numba import types

    api = ctypes.pythonapi
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", api)
    )
    signature = b"double (" + b"double, " * arity + b"int __pyx_skip_dispatch)"
    for key, capsule in cython_special.__pyx_capi__.items():
        fused = key.removeprefix("__pyx_fuse_").lstrip("0123456789_")
        if name in (key, fused) and name_of(capsule) == signature:
            llvm.add_symbol(f"srcgrad_{name}", pointer_of(capsule, signature))
            kinds = types.float64(*(types.float64,) * arity, types.intc)
            return types.ExternalFunction(f"srcgrad_{name}", kinds)
    raise ImportError(f"scipy.special.cython_special has no {name} of doubles")


def _function(op: Primitive) -> Any:
    """SciPy's function as compiled code calls it; the last argument is Cython's own business."""
    name = rows.SPECIAL[op.name]
    if njit is None:
        return getattr(special, name)
    f = _symbol(OTHER_NAMES.get(op, name), op.arity)
    made = {
        1: lambda a: type(a)(f(float(a), 0)),
        2: lambda a, b: type(a)(f(float(a), float(b), 0)),
        3: lambda a, b, c: type(a)(f(float(a), float(b), float(c), 0)),
    }
    return unliteral(njit(made[op.arity], error_model="numpy", nogil=True, fastmath=HELPERS))


for _name in rows.SPECIAL:
    if _name != "polygamma":
        globals()[_name] = _function(REGISTRY[_name])


@compiled
def hurwitz(s, a):
    """The sum of (a + k)^-s over k >= 0, s a whole number above 1."""
    total = 0.0
    while a < FAR:
        if a == 0.0:
            return math.inf
        total += a**-s
        a += 1.0
    power = a**-s
    total += power * a / (s - 1.0) + 0.5 * power
    factor = s * power / a
    for k, c in enumerate(EULER_MACLAURIN):
        total += c * factor
        factor *= (s + 2 * k + 1.0) * (s + 2 * k + 2.0) / (a * a)
    return total


@compiled
def polygamma(n, a):
    """The n-th derivative of digamma (DLMF 5.15.1)."""
    factorial = 1.0
    for k in range(2, n + 1):
        factorial *= k
    value = factorial * hurwitz(n + 1.0, float(a))
    return type(a)(value if n % 2 else -value)
