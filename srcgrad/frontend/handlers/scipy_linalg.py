"""`scipy.linalg`, by the primitives and the handlers of NumPy's linear algebra.

Loaded when one of its functions is first met, as SciPy is. `overwrite_a` has no effect,
`check_finite` only within a `try`: NaN stays NaN, or does not converge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as sl

from srcgrad.frontend.formulas import scipy_linalg as formulas
from srcgrad.frontend.formulas.matrices import real_if_values_are
from srcgrad.frontend.formulas.matrix_stacks import map_matrices
from srcgrad.frontend.handlers.decompositions import (
    complex_eig,
    conjugate,
    epsilon,
    flag,
    full_qr,
    of_floats,
    only_square,
    pseudoinverse,
    relative,
    thin_qr,
    truncates,
)
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.products import meet, pair
from srcgrad.frontend.handlers.registry import REFUSED, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar, is_complex, is_float, join_scalars, np_dtype

IGNORED = ("overwrite_a", "overwrite_b", "overwrite_ab", "check_finite", "lwork", "lapack_driver",
           "driver")  # fmt: skip
BY_EIGH = "for a symmetric matrix write (v * f(w)) @ v.T with w, v = np.linalg.eigh(a)"
for _f in (sl.fractional_matrix_power, sl.funm, sl.signm):
    REFUSED[_f] = (f"scipy.linalg.{_f.__name__} is not supported", BY_EIGH)


def scipys(*functions: Any) -> Callable[[Callable], Callable]:
    """Registers a handler that does not get arguments without effect on the result."""

    def register(handler: Callable) -> Callable:
        def seen(it: Interpreter, node: Node, /, *args: Any, **kwargs: Any) -> Any:
            rest = {k: v for k, v in kwargs.items() if k not in IGNORED}
            if it.catches(ValueError) and kwargs.get("check_finite", True):
                for a in filter(is_array, args):
                    check_finite(it, a)
            return it.handled(handler, list(args), rest, node)

        implements(*functions)(seen)
        return handler

    return register


def check_finite(it: Interpreter, a: Any) -> None:
    """Checks for infs and NaNs, which SciPy refuses and compiled code computes with."""
    if is_float(a.type.dtype) and a.type.dims:
        all_finite = it.b.all(it.b.isfinite(a), axes=tuple(range(a.type.ndim)))
        unfit = plain(it.b.logical_not(all_finite))
        it.fail_if(unfit, "ValueError", "array must not contain infs or NaNs")


def matrix(it: Interpreter, node: Node, a: Any, what: str, square: bool = True) -> Any:
    a = of_floats(it, node, a, what, square)
    if a.type.ndim != 2:
        it.refuse(node, f"{what} of a stack of matrices is not supported", "write the loop")
    return a


def double(it: Interpreter, a: Any) -> Any:
    """The array in double precision, in which SciPy computes some functions."""
    return it.b.cast(a, Scalar("c128" if is_complex(a.type.dtype) else "f64"))


# ---- systems ----
@scipys(sl.solve_triangular)
def solve_triangular(
    it: Interpreter, node: Node, a: Any, c: Any, trans: Any = 0, lower: Any = False,
    unit_diagonal: Any = False,
) -> Any:  # fmt: skip
    a = matrix(it, node, a, "solve_triangular")
    a, c = pair(it, node, a, c, "solve_triangular")
    if trans not in (0, 1, 2, "N", "T", "C"):
        it.refuse(node, "trans must be 0, 1, 2, 'N', 'T' or 'C', and known at compile time")
    if not is_array(c) or c.type.ndim > 2:
        it.refuse(node, "solve_triangular takes a vector or a matrix on the right", like=IndexError)
    meet(it, node, a.type.dims[0], c.type.dims[0])
    a = conjugate(it, a) if trans in (2, "C") else a
    return it.b.solve_triangular(a, c, lower=flag(it, node, lower, "lower"),
        transposed=trans not in (0, "N"), unit=flag(it, node, unit_diagonal, "unit_diagonal"),
    )  # fmt: skip


@scipys(sl.solve)
def solve(
    it: Interpreter, node: Node, a: Any, c: Any, lower: Any = False, *, assume_a: Any = None,
    transposed: Any = False,
) -> Any:  # fmt: skip
    a = matrix(it, node, a, "solve")
    lower = flag(it, node, lower, "lower")
    turned = flag(it, node, transposed, "transposed")
    if turned and is_complex(a.type.dtype):
        it.refuse(
            node, "solve with transposed=True of complex matrices is not supported", "pass a.T",
            like=NotImplementedError,  # the class that SciPy raises
        )  # fmt: skip
    match assume_a:
        case None | "gen" | "general":
            a = it.b.transpose(a, perm=(1, 0)) if turned else a
        case "sym" | "symmetric":
            a = it.call(formulas.symmetric, [a, lower], {}, node)
        case "her" | "hermitian":
            a = it.call(formulas.hermitian, [a, lower], {}, node)
        case "pos" | "positive definite":
            factor = it.call(formulas.cho_factor, [a, lower], {}, node)
            return cho_solve(it, node, (factor, lower), c)
        case "lower triangular" | "upper triangular":
            lower = assume_a.startswith("lower")
            return solve_triangular(it, node, a, c, trans=int(turned), lower=lower)
        case _:
            it.refuse(node, f"solve with assume_a={assume_a!r} is not supported", "leave it out")
    return it.call_numpy(np.linalg.solve, [a, c], {}, node)


def _of_numpy(f: Any, of_numpy: Any) -> None:
    def handler(it: Interpreter, node: Node, /, *args: Any, **kwargs: Any) -> Any:
        if "a" in kwargs:  # the name of the first argument here
            args = (kwargs.pop("a"), *args)
        return it.call_numpy(of_numpy, list(args), kwargs, node)

    scipys(f)(handler)


@scipys(sl.inv)
def inv(it: Interpreter, node: Node, a: Any) -> Any:
    if is_array(a) and a.type.ndim < 2:
        it.wrong(node, "expected square matrix", ValueError)
    if is_array(a):
        m, n = a.type.dims[-2:]
        it.fail_if(plain(it.b.ne(m, n)), "ValueError", "expected square matrix")
    return it.call_numpy(np.linalg.inv, [a], {}, node)


_of_numpy(sl.svdvals, np.linalg.svdvals)
_of_numpy(sl.norm, np.linalg.norm)


@scipys(sl.det)
def det(it: Interpreter, node: Node, a: Any) -> Any:
    return it.call_numpy(np.linalg.det, [double(it, of_floats(it, node, a, "det"))], {}, node)


@scipys(sl.cholesky)
def cholesky(it: Interpreter, node: Node, a: Any, lower: Any = False) -> Any:
    upper = not flag(it, node, lower, "lower")
    return it.call_numpy(np.linalg.cholesky, [a], {"upper": upper}, node)


@scipys(sl.cho_factor)
def cho_factor(it: Interpreter, node: Node, a: Any, lower: Any = False) -> Any:
    a, below = matrix(it, node, a, "cho_factor"), flag(it, node, lower, "lower")
    return it.call(formulas.cho_factor, [a, below], {}, node), lower


@scipys(sl.cho_solve)
def cho_solve(it: Interpreter, node: Node, c_and_lower: Any, c: Any) -> Any:
    factor, lower = it.static_items(c_and_lower, node)
    return it.call(formulas.cho_solve, [factor, flag(it, node, lower, "lower"), c], {}, node)


# ---- LU ----
@scipys(sl.lu_factor)
def lu_factor(it: Interpreter, node: Node, a: Any) -> Any:
    a = matrix(it, node, a, "lu_factor", square=False)
    only_square(it, a, "lu_factor", "use qr or svd")
    pivots = it.b.lu_pivots(a)
    order = it.call(formulas.row_order, [pivots], {}, node)
    factors = it.b.lu(it.call_numpy(np.take, [a, order], {"axis": 0}, node))
    return factors, it.b.cast(pivots, Scalar("i32"))  # LAPACK's integers


@scipys(sl.lu_solve)
def lu_solve(it: Interpreter, node: Node, lu_and_piv: Any, c: Any, trans: Any = 0) -> Any:
    factors, pivots = it.static_items(lu_and_piv, node)
    (c,) = operands(it, node, (c,), "lu_solve")
    how = it.static_int(trans, node, "trans")
    if how == 2:
        factors = conjugate(it, factors)
    return it.call(formulas.lu_solve, [factors, pivots, c, how != 0], {}, node)


@scipys(sl.lu)
def lu(
    it: Interpreter, node: Node, a: Any, permute_l: Any = False, *, p_indices: Any = False
) -> Any:
    a = matrix(it, node, a, "lu", square=False)
    only_square(it, a, "lu", "use qr or svd")
    permute_l, p_indices = (flag(it, node, v, "a flag of lu") for v in (permute_l, p_indices))
    return it.call(formulas.lu, [a, permute_l, p_indices], {}, node)


# ---- decompositions ----
@scipys(sl.qr)
def qr(it: Interpreter, node: Node, a: Any, *, mode: Any = "full", pivoting: Any = False) -> Any:
    if flag(it, node, pivoting, "pivoting"):
        it.refuse(node, "qr with pivoting is not supported", "leave it out")
    a = of_floats(it, node, a, "qr")
    if mode not in ("full", "economic", "r"):
        it.refuse(node, f"qr with mode={mode!r} is not supported", "use mode='economic'")
    if mode == "r":  # as many rows as the matrix has
        _, r = thin_qr(it, node, a)
        return (it.call(formulas.with_rows_of, [r, a], {}, node),)
    return thin_qr(it, node, a) if mode == "economic" else full_qr(it, node, a)


@scipys(sl.svd)
def svd(
    it: Interpreter, node: Node, a: Any, full_matrices: Any = True, compute_uv: Any = True
) -> Any:
    found = it.call_numpy(np.linalg.svd, [a, full_matrices, compute_uv], {}, node)
    return tuple(found) if isinstance(found, tuple) else found


@scipys(sl.eigh)
def eigh(
    it: Interpreter, node: Node, a: Any, c: Any = None, *, b: Any = None, lower: Any = True,
    eigvals_only: Any = False, type: Any = 1, subset_by_index: Any = None,
) -> Any:  # fmt: skip
    c = b if c is None else c
    if it.static_int(type, node, "type") != 1:
        it.refuse(node, "eigh of another type than 1 is not supported")
    lower = flag(it, node, lower, "lower")
    if c is None:
        w, v = it.call_numpy(np.linalg.eigh, [a, "L" if lower else "U"], {}, node)
    else:
        a, c = matrix(it, node, a, "eigh"), matrix(it, node, c, "eigh")
        meet(it, node, a.type.dims[0], c.type.dims[0])
        w, v = it.call(formulas.generalized_eigh, [a, c, lower], {}, node)
    if subset_by_index is not None:
        first, last = it.static_items(subset_by_index, node)
        out = it.b.logical_or(it.b.lt(first, 0), it.b.lt(last, first))
        out = it.b.logical_or(out, it.b.ge(last, w.type.dims[-1]))
        it.fail_if(plain(out), "ValueError", "Requested eigenvalue indices are not valid.")
        kept = [Ellipsis, slice(first, plain(it.b.add(last, 1)), None)]
        w, v = (it.read(x, kept, node) for x in (w, v))
    return w if flag(it, node, eigvals_only, "eigvals_only") else (w, v)


@scipys(sl.eig)
def eig(
    it: Interpreter, node: Node, a: Any, b: Any = None, left: Any = False, right: Any = True,
    homogeneous_eigvals: Any = False,
) -> Any:  # fmt: skip
    if flag(it, node, left, "left") or flag(it, node, homogeneous_eigvals, "homogeneous_eigvals"):
        it.refuse(
            node,
            "scipy.linalg.eig gives right eigenvectors only",
            "left ones are those of a.conj().T",
        )
    if b is not None:
        it.refuse(
            node, "scipy.linalg.eig of two matrices is not supported",
            "use eig(solve(b, a)) if b is regular",
        )  # fmt: skip
    a = of_floats(it, node, a, "eig", square=True)
    w, v = complex_eig(it, node, a)
    if not flag(it, node, right, "right"):
        return w
    if not is_complex(a.type.dtype):
        v = it.call(real_if_values_are, [w, v], {}, node)
    return w, v


@scipys(sl.eigvals)
def eigvals(
    it: Interpreter, node: Node, a: Any, b: Any = None, homogeneous_eigvals: Any = False
) -> Any:
    return eig(it, node, a, b, False, False, homogeneous_eigvals)


@scipys(sl.eigvalsh)
def eigvalsh(
    it: Interpreter, node: Node, a: Any, c: Any = None, *, b: Any = None, lower: Any = True,
    type: Any = 1, subset_by_index: Any = None,
) -> Any:  # fmt: skip
    return eigh(
        it, node, a, c, b=b, lower=lower, eigvals_only=True, type=type,
        subset_by_index=subset_by_index,
    )  # fmt: skip


@scipys(sl.pinv)
def pinv(it: Interpreter, node: Node, a: Any, *, rtol: Any = None) -> Any:
    a = of_floats(it, node, a, "pinv")
    if rtol is None:
        return pseudoinverse(it, node, a, relative(it, a), False)
    return pseudoinverse(it, node, a, rtol, truncates(it, rtol))


@scipys(sl.lstsq)
def lstsq(it: Interpreter, node: Node, a: Any, c: Any, cond: Any = None) -> Any:
    a, c = pair(it, node, a, c, "lstsq")
    a = matrix(it, node, a, "lstsq", square=False)
    cond = epsilon(a) if cond is None else cond
    x, left, rank, s = it.call_numpy(np.linalg.lstsq, [a, c, cond], {}, node)
    rank = it.b.cast(rank, Scalar("i64"))
    if c.type.ndim == 1:
        left = it.call(formulas.residue, [left], {}, node)
    return x, left, rank, s


# ---- functions of matrices ----
@scipys(sl.expm)
def expm(it: Interpreter, node: Node, a: Any) -> Any:
    a = of_floats(it, node, a, "expm", square=True)
    if a.type.ndim > 2:
        return it.call(map_matrices, [sl.expm, ("mn",), a], {}, node)
    return it.call(formulas.expm, [a], {}, node)


@scipys(sl.expm_frechet)
def expm_frechet(
    it: Interpreter, node: Node, a: Any, e: Any, method: Any = None, compute_expm: Any = True
) -> Any:
    a, e = matrix(it, node, a, "expm_frechet"), matrix(it, node, e, "expm_frechet")
    meet(it, node, a.type.dims[0], e.type.dims[0])
    a, e = (double(it, v) for v in pair(it, node, a, e, "expm_frechet"))
    whole = flag(it, node, compute_expm, "compute_expm")
    return it.call(formulas.expm_frechet, [a, e, whole], {}, node)


# ---- matrices composed of vectors and matrices ----
def vector(it: Interpreter, node: Node, x: Any, what: str) -> Any:
    (x,) = operands(it, node, (x,), what)
    if not is_array(x) or x.type.ndim != 1:
        it.refuse(node, f"{what} takes vectors")
    return x


def _of_vectors(f: Any, formula: Any, otherwise: Callable) -> None:
    def handler(it: Interpreter, node: Node, c: Any, r: Any = None) -> Any:
        c = vector(it, node, c, f.__name__)
        r = otherwise(it, c, node) if r is None else vector(it, node, r, f.__name__)
        return it.call(formula, [*pair(it, node, c, r, f.__name__)], {}, node)

    scipys(f)(handler)


_of_vectors(sl.toeplitz, formulas.toeplitz, lambda it, c, node: conjugate(it, c))
_of_vectors(
    sl.hankel, formulas.hankel, lambda it, c, node: it.call_numpy(np.zeros_like, [c], {}, node)
)


@scipys(sl.circulant)
def circulant(it: Interpreter, node: Node, c: Any) -> Any:
    return it.call(formulas.circulant, [vector(it, node, c, "circulant")], {}, node)


@scipys(sl.block_diag)
def block_diag(it: Interpreter, node: Node, *arrays: Any) -> Any:
    blocks = [
        it.call_numpy(np.atleast_2d, [x], {}, node) for x in operands(it, node, arrays, "blocks")
    ]
    if not blocks:
        it.refuse(node, "block_diag of nothing is not supported")
    kind = Scalar(blocks[0].type.dtype)
    for x in blocks:
        if x.type.ndim != 2:
            it.refuse(node, "block_diag takes matrices")
        kind = join_scalars(kind, Scalar(atom(x).type.dtype))
    return it.call(formulas.block_diag, [tuple(blocks), np_dtype(kind.dtype)], {}, node)


@scipys(sl.khatri_rao)
def khatri_rao(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = pair(it, node, a, c, "khatri_rao")
    if not (is_array(a) and is_array(c) and a.type.ndim == c.type.ndim == 2):
        it.refuse(node, "khatri_rao takes two matrices", like=ValueError)
    meet(it, node, a.type.dims[1], c.type.dims[1])
    return it.call(formulas.khatri_rao, [a, c], {}, node)
