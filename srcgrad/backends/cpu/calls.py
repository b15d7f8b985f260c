"""The library calls of compiled code: the error that each raises, and its function.

Those with a module are its functions, which take the number of their site first if they may raise;
the others are routines that the emitter writes (`emit/matrices.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.ir.nodes import Def
from srcgrad.primitives import (
    Primitive,
    arrays,
    banded,
    equations,
    factorisations,
    least_squares,
    linalg,
    scans,
    transforms,
    triangular,
)
from srcgrad.records import record

# the result of a call with an operand that is not finite; LAPACK's own numbers are smaller
NOT_FINITE = 2**30 + 1


@record(frozen=True)
class Call:
    module: str = ""  # none: a routine of the emitted module
    error: str | Callable[[int], str] = ""  # the text of its LinAlgError, by LAPACK's info
    functions: tuple[str, ...] = ()  # if not one function with the operation's name


_SINGULAR, _SVD = "Singular matrix", "SVD did not converge"


def _triangular(info: int) -> str:
    return f"singular matrix: resolution failed at diagonal {info - 1}"


def _minor(info: int) -> str:
    return f"{info}th leading minor not positive definite"


def _eig(info: int) -> str:
    return (
        "Eigenvalues did not converge"
        if info < NOT_FINITE
        else "Array must not contain infs or NaNs"
    )


CALLS: dict[Primitive, Call] = {
    arrays.matmul: Call("numpy", functions=("np.matmul",)),  # machine code has its own
    arrays.matvec: Call("numpy", functions=("np.dot",)),
    arrays.vecdot: Call("numpy", functions=("np.dot",)),
    linalg.solve: Call(error=_SINGULAR),
    linalg.inv: Call(error=_SINGULAR),
    linalg.cholesky: Call(error="Matrix is not positive definite"),
    scans.searchsorted: Call("library", functions=("search_left", "search_right")),
    triangular.solve_triangular: Call(error=_triangular),
    factorisations.eig: Call(error=_eig),
    factorisations.eigh: Call(error="Eigenvalues did not converge"),
    factorisations.svd: Call(error=_SVD),
    factorisations.singular_values: Call(error=_SVD),
    least_squares.pinv: Call(error=_SVD),
    least_squares.lstsq: Call(error=f"{_SVD} in Linear Least Squares"),
    banded.band_product: Call(),
    banded.band_outer: Call(),
    banded.solve_banded: Call(error="singular matrix"),
    banded.solveh_banded: Call(error=_minor),
    equations.sylvester: Call(error=equations.COMMON),
    equations.sqrtm: Call("equations", equations.NO_ROOT),
}
_CERTAIN = (linalg.det, linalg.logabsdet, linalg.detsign, linalg.cofactors, linalg.definite)
_PIVOTED = (triangular.lu, triangular.lu_pivots, factorisations.qr, factorisations.coincide)
_TRANSFORMS = (transforms.fft, transforms.rfft, transforms.irfft)
CALLS |= dict.fromkeys((*_CERTAIN, *_PIVOTED, scans.argsort), Call())
CALLS |= dict.fromkeys(_TRANSFORMS, Call("library", functions=("fourier",)))


def functions_of(op: Primitive) -> tuple[str, ...]:
    """The names of the functions that implement an operation."""
    return CALLS[op].functions or (op.name,)


def function_of(s: Def) -> str:
    """The name of the function that a call uses."""
    return f"search_{s.params['side']}" if s.op is scans.searchsorted else functions_of(s.op)[0]
