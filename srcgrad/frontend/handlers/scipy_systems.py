"""Systems of `scipy.linalg` whose matrix has structure, and equations of matrices.

Loaded with the handlers of the rest of that module.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as sl

from srcgrad.frontend.formulas import banded_spectra
from srcgrad.frontend.formulas import hessenberg as hessenberg_form
from srcgrad.frontend.formulas import scipy_linalg as formulas
from srcgrad.frontend.formulas.matrix_stacks import map_matrices
from srcgrad.frontend.handlers import scipy_lapack  # noqa: F401 (registers its functions)
from srcgrad.frontend.handlers.decompositions import conjugate, flag, of_floats
from srcgrad.frontend.handlers.products import meet, pair
from srcgrad.frontend.handlers.registry import followed, implements
from srcgrad.frontend.handlers.scipy_linalg import double, matrix, scipys, vector
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, is_complex, is_float, join_scalars

COUNTS = (
    "invalid values for the number of lower and upper diagonals: "
    "l+u+1 ({}) does not equal ab.shape[0] ({})"
)


# ---- bands ----
def _band(it: Interpreter, node: Node, ab: Any, c: Any, what: str) -> tuple[Any, Any]:
    """The stored diagonals and the right side, of one floating dtype."""
    ab, c = _of_one_kind(it, node, ab, c, what)
    if not is_array(ab) or ab.type.ndim != 2:
        it.refuse(
            node,
            f"{what} takes the diagonals of one matrix as the rows of a matrix",
            like=ValueError,
        )
    meet(it, node, ab.type.dims[1], c.type.dims[0])
    return ab, c


def _of_one_kind(it: Interpreter, node: Node, a: Any, c: Any, what: str) -> tuple[Any, Any]:
    a, c = pair(it, node, a, c, what)
    kind = Scalar(atom(c).type.dtype)
    if kind.dtype == "f16":
        it.refuse(node, f"{what} of float16 is not supported", "use .astype(np.float32)")
    if not is_array(c) or c.type.ndim > 2:
        it.refuse(node, f"{what} takes a vector or a matrix on the right", like=ValueError)
    kind = kind if is_float(kind.dtype) else Scalar("f64")
    return it.b.cast(a, kind), it.b.cast(c, kind)


@scipys(sl.solve_banded)
def solve_banded(it: Interpreter, node: Node, l_and_u: Any, ab: Any, b: Any) -> Any:
    counts = it.static_items(l_and_u, node)
    if len(counts) != 2:
        it.refuse(
            node, "solve_banded takes two numbers of diagonals, as in (1, 1)", like=ValueError
        )
    lower, upper = (it.static_int(n, node, "a number of diagonals") for n in counts)
    if lower < 0 or upper < 0:
        it.refuse(node, "a number of diagonals is negative", like=ValueError)
    ab, b = _band(it, node, ab, b, "solve_banded")
    rows = ab.type.dims[0]
    if isinstance(rows, Var) or rows != lower + upper + 1:
        it.b.check_equal(lower + upper + 1, rows, message=COUNTS)
    return it.b.solve_banded(ab, b, upper, transposed=False)


@scipys(sl.solveh_banded)
def solveh_banded(it: Interpreter, node: Node, ab: Any, b: Any, *, lower: Any = False) -> Any:
    ab, b = _band(it, node, ab, b, "solveh_banded")
    if is_complex(b.type.dtype):
        it.refuse(node, "solveh_banded of complex matrices is not supported", "use solve_banded")
    return it.b.solveh_banded(ab, b, lower=flag(it, node, lower, "lower"))


# ---- constant along diagonals ----
@scipys(sl.solve_toeplitz)
def solve_toeplitz(it: Interpreter, node: Node, c_or_cr: Any, b: Any) -> Any:
    if isinstance(c_or_cr, tuple):
        c, r = (vector(it, node, x, "solve_toeplitz") for x in it.static_items(c_or_cr, node))
    else:
        c = vector(it, node, c_or_cr, "solve_toeplitz")
        r = it.call_numpy(np.conj, [c], {}, node) if is_complex(c.type.dtype) else c
    c, b = _of_one_kind(it, node, c, b, "solve_toeplitz")
    c, r = pair(it, node, c, r, "solve_toeplitz")
    kind = join_scalars(Scalar(c.type.dtype), Scalar("f64"))  # as in SciPy
    c, r, b = (it.b.cast(x, kind) for x in (c, r, b))
    meet(it, node, c.type.dims[0], r.type.dims[0])
    return it.call(formulas.solve_toeplitz, [c, r, b], {}, node)


@scipys(sl.solve_circulant)
def solve_circulant(
    it: Interpreter, node: Node, c: Any, b: Any, singular: Any = "raise", tol: Any = None,
    caxis: Any = -1, baxis: Any = 0, outaxis: Any = 0,
) -> Any:  # fmt: skip
    if singular != "raise":
        it.refuse(node, "solve_circulant is supported with singular='raise'", "use np.linalg.lstsq")
    if (caxis, baxis, outaxis) != (-1, 0, 0):
        it.refuse(node, "solve_circulant is supported with its own axes", "use np.moveaxis")
    c, b = _of_one_kind(it, node, vector(it, node, c, "solve_circulant"), b, "solve_circulant")
    meet(it, node, c.type.dims[0], b.type.dims[0])
    return it.call(formulas.solve_circulant, [c, b, tol], {}, node)


# ---- equations of matrices ----
@scipys(sl.solve_sylvester)
def solve_sylvester(it: Interpreter, node: Node, a: Any, b: Any, q: Any) -> Any:
    a, b = (matrix(it, node, x, "solve_sylvester") for x in (a, b))
    q = matrix(it, node, q, "solve_sylvester", square=False)
    meet(it, node, a.type.dims[0], q.type.dims[0])
    meet(it, node, q.type.dims[1], b.type.dims[0])
    a, b = pair(it, node, a, b, "solve_sylvester")
    a, q = pair(it, node, a, q, "solve_sylvester")
    return it.b.sylvester(a, it.b.cast(b, Scalar(a.type.dtype)), q)


@scipys(sl.solve_continuous_lyapunov)
def solve_continuous_lyapunov(it: Interpreter, node: Node, a: Any, q: Any) -> Any:
    a, q = _lyapunov(it, node, a, q, "solve_continuous_lyapunov")
    return it.b.sylvester(a, it.b.transpose(conjugate(it, a), perm=(1, 0)), q)


@scipys(sl.solve_discrete_lyapunov)
def solve_discrete_lyapunov(it: Interpreter, node: Node, a: Any, q: Any, method: Any = None) -> Any:
    if method not in (None, "direct", "bilinear"):
        it.refuse(
            node, "solve_discrete_lyapunov takes method='direct' or 'bilinear'", like=ValueError
        )
    a, q = _lyapunov(it, node, a, q, "solve_discrete_lyapunov")
    return it.call(formulas.discrete_lyapunov, [double(it, x) for x in (a, q)], {}, node)


def _lyapunov(it: Interpreter, node: Node, a: Any, q: Any, what: str) -> tuple[Any, Any]:
    a, q = (matrix(it, node, x, what) for x in (a, q))
    meet(it, node, a.type.dims[0], q.type.dims[0])
    return pair(it, node, a, q, what)


@scipys(sl.sqrtm)
def sqrtm(it: Interpreter, node: Node, a: Any) -> Any:
    return it.b.sqrtm(matrix(it, node, a, "sqrtm"))


LOGM_IS_DOUBLE = sl.logm(np.eye(1, dtype=np.float32)).dtype == np.float64  # in SciPy 1.18


@scipys(sl.logm)
def logm(it: Interpreter, node: Node, a: Any) -> Any:
    a = of_floats(it, node, a, "logm", square=True)
    a = double(it, a) if LOGM_IS_DOUBLE else a
    if a.type.ndim > 2:
        return it.call(map_matrices, [sl.logm, ("mn",), a], {}, node)
    return it.b.logm(a)


# ---- spectra ----
for _f, _formula in {
    sl.eig_banded: banded_spectra.eig_banded,
    sl.eigvals_banded: banded_spectra.eigvals_banded,
    sl.eigh_tridiagonal: banded_spectra.eigh_tridiagonal,
    sl.eigvalsh_tridiagonal: banded_spectra.eigvalsh_tridiagonal,
    sl.hessenberg: hessenberg_form.hessenberg,
}.items():
    implements(_f)(followed(_formula))
