"""The library calls of generated code: operations that are functions of the modules named here.

One row per operation: its module, the functions it may become, the error it raises. Functions that
may raise take the number of their site first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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

# what a call returns where an operand is not finite; LAPACK's own numbers are smaller
NOT_FINITE = 2**30 + 1


@dataclass(frozen=True)
class Call:
    module: str
    error: str | Callable[[int], str] = ""  # the text of its LinAlgError, by what LAPACK said
    stated: bool = False  # takes the parameters of the operation as arguments
    functions: tuple[str, ...] = ()  # if it is not one that has the operation's name


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
    linalg.solve: Call("library", _SINGULAR),
    linalg.inv: Call("library", _SINGULAR),
    linalg.cholesky: Call("library", "Matrix is not positive definite"),
    scans.searchsorted: Call("library", functions=("search_left", "search_right")),
    triangular.solve_triangular: Call("factorisations", _triangular, stated=True),
    factorisations.eig: Call("factorisations", _eig),
    factorisations.eigh: Call("factorisations", "Eigenvalues did not converge", stated=True),
    factorisations.svd: Call("factorisations", _SVD),
    factorisations.singular_values: Call("factorisations", _SVD, stated=True),
    least_squares.pinv: Call("factorisations", _SVD),
    least_squares.lstsq: Call("factorisations", f"{_SVD} in Linear Least Squares"),
    banded.band_product: Call("banded", stated=True),
    banded.band_outer: Call("banded"),
    banded.solve_banded: Call("banded", "singular matrix", stated=True),
    banded.solveh_banded: Call("banded", _minor, stated=True),
    equations.sylvester: Call("equations", equations.COMMON),
    equations.sqrtm: Call("equations", equations.NO_ROOT),
}
_DETERMINANTS = (linalg.det, linalg.logabsdet, linalg.detsign, linalg.cofactors)
_PIVOTED = (triangular.lu, triangular.lu_pivots, factorisations.qr, factorisations.coincide)
_TRANSFORMS = (transforms.fft, transforms.rfft, transforms.irfft)
CALLS |= dict.fromkeys((*_DETERMINANTS, scans.argsort), Call("library"))
CALLS |= dict.fromkeys(_PIVOTED, Call("factorisations"))
CALLS |= dict.fromkeys(_TRANSFORMS, Call("library", functions=("fourier",)))


def functions_of(op: Primitive) -> tuple[str, ...]:
    """The names of the functions that calls of an operation are."""
    return CALLS[op].functions or (op.name,)


def function_of(s: Def) -> str:
    """The name of the function that this call is."""
    return f"search_{s.params['side']}" if s.op is scans.searchsorted else functions_of(s.op)[0]
