"""Decompositions: svd, eigh, eig, qr, pinv, lstsq and functions computed from them.

A primitive gives the factors one below the other; here they become arrays of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas import complex_matrices
from srcgrad.frontend.formulas import matrices as formulas
from srcgrad.frontend.formulas.matrix_stacks import map_matrices
from srcgrad.frontend.handlers.products import meet, pair
from srcgrad.frontend.handlers.reductions import none_of
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import with_dims
from srcgrad.frontend.handlers.solvers import LINALG, check_square, matrices, squares
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Partial, is_array, ndim, plain
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Scalar, is_complex, np_dtype

_EIGH = type(np.linalg.eigh(np.eye(1)))
_EIG = type(np.linalg.eig(np.eye(1)))
_SVD = type(np.linalg.svd(np.eye(1)))
_QR = type(np.linalg.qr(np.eye(1)))
_UNSAID: Any = object()
THIN = {"full_matrices": False}


def of_floats(it: Interpreter, node: Node, a: Any, what: str, square: bool = False) -> Any:
    """Real or complex matrices in single or double precision, as LAPACK has them."""
    a = (squares if square else matrices)(it, node, a, what)
    if a.type.dtype == "f16":
        it.refuse(
            node, f"{what} of float16 is not supported", "use .astype(np.float32)", like=TypeError
        )
    return a


def flag(it: Interpreter, node: Node, v: Any, what: str) -> bool:
    """The truth of a flag, which must be known at compile time."""
    if v is None or isinstance(v, float | complex | str):
        return bool(v)
    return bool(it.static_int(v, node, what))


def rows(it: Interpreter, y: Any, start: Any, count: Any) -> Any:
    """Some rows of a primitive's result, as an array of their own."""
    return it.b.copy(it.b.view(y, start, count, 1, spec=("s", ":")))


def values(it: Interpreter, y: Any) -> Any:
    """The real values in the first row of a primitive's result."""
    w = it.b.view(y, 0, spec=("i", ":"))
    return it.b.real(w) if is_complex(y.type.dtype) else it.b.copy(w)


def conjugate(it: Interpreter, a: Any) -> Any:
    return it.b.conj(a) if is_complex(a.type.dtype) else a


def epsilon(a: Any) -> float:
    return float(np.finfo(np_dtype(a.type.dtype)).eps)


def relative(it: Interpreter, a: Any) -> Any:
    """The customary bound on singular values treated as zero, relative to the largest."""
    return plain(it.b.mul(it.b.maximum(*a.type.dims[-2:]), epsilon(a)))


# ---- singular values ----
@implements(np.linalg.svdvals)
def svdvals(it: Interpreter, node: Node, a: Any) -> Any:
    a = of_floats(it, node, a, "svdvals")
    if a.type.ndim > 2:
        return it.call(map_matrices, [np.linalg.svdvals, ("|k",), a], {}, node)
    return it.b.singular_values(a, checked=True)


@implements(np.linalg.svd)
def svd(
    it: Interpreter, node: Node, a: Any, full_matrices: Any = True, compute_uv: Any = True,
    hermitian: Any = False,
) -> Any:  # fmt: skip
    if flag(it, node, hermitian, "hermitian"):
        it.refuse(node, "svd with hermitian=True is not supported", "leave it out, or use eigh")
    if not flag(it, node, compute_uv, "compute_uv"):
        return svdvals(it, node, a)
    a = of_floats(it, node, a, "svd")
    m, n = a.type.dims[-2:]
    if flag(it, node, full_matrices, "full_matrices") and m is not n and _differ(it, m, n, node):
        return _SVD(*full_svd(it, node, a))
    return _SVD(*thin_svd(it, node, a))


def _differ(it: Interpreter, m: Any, n: Any, node: Node) -> bool:
    """Whether a matrix is not square, or need not be: then not all its vectors are determined.

    Functions of square matrices are recognised by their singular vectors, so a program is for
    square matrices where this call has one and its lengths may be known.
    """
    differ = plain(it.b.ne(m, n))
    if not isinstance(differ, Var):
        return bool(differ)
    if it.captures.known_now(it, differ) == 0 and it.captures.is_of_sizes(it, differ):
        it.captures.require_static(it, differ, node, "whether a matrix is square")
    return True


def full_svd(it: Interpreter, node: Node, a: Any) -> tuple[Any, Any, Any]:
    if a.type.ndim > 2:
        return it.call(map_matrices, [np.linalg.svd, ("mm", "|k", "nn"), a], {}, node)
    b, (m, n) = it.b, a.type.dims
    y = b.full_svd(a)
    s = values(it, b.view(y, 0, b.minimum(m, n), 1, spec=(":", "s")))
    u = b.view(b.view(y, 1, m, 1, spec=("s", ":")), 0, m, 1, spec=(":", "s"))
    v = b.view(b.view(y, b.add(m, 1), n, 1, spec=("s", ":")), 0, n, 1, spec=(":", "s"))
    return b.copy(u), s, b.copy(b.transpose(v, perm=(1, 0)))


def only_square(it: Interpreter, a: Any, what: str, way_out: str) -> None:
    """Refuses matrices that are not square: the rest of a basis is not determined."""
    m, n = a.type.dims[-2:]
    if m is not n:
        text = f"{what} of a matrix that is not square is not supported"
        it.refuse_where(plain(it.b.ne(m, n)), None, text, way_out)


def thin_svd(it: Interpreter, node: Node, a: Any) -> tuple[Any, Any, Any]:
    if a.type.ndim > 2:
        svd = Partial(np.linalg.svd, (), THIN)
        return it.call(map_matrices, [svd, ("mk", "|k", "kn"), a], {}, node)
    b, (m, n) = it.b, a.type.dims
    y = b.svd(a)
    s = values(it, y)
    v = b.view(y, b.add(m, 1), n, 1, spec=("s", ":"))
    return rows(it, y, 1, m), s, b.copy(b.transpose(v, perm=(1, 0)))


# ---- eigenvalues ----
def lower_is_read(it: Interpreter, node: Node, uplo: Any) -> bool:
    if not isinstance(uplo, str) or uplo.upper() not in ("L", "U"):
        it.refuse(node, "UPLO argument must be 'L' or 'U'", like=ValueError)
    return uplo.upper() == "L"


@implements(np.linalg.eigh)
def eigh(it: Interpreter, node: Node, a: Any, UPLO: Any = "L") -> Any:
    lower = lower_is_read(it, node, UPLO)
    a = of_floats(it, node, a, "eigh", square=True)
    if a.type.ndim > 2:
        eigh = Partial(np.linalg.eigh, (), {"UPLO": UPLO})
        return _EIGH(*it.call(map_matrices, [eigh, ("|n", "mn"), a], {}, node))
    y = it.b.eigh(a, lower=lower)
    return _EIGH(values(it, y), rows(it, y, 1, a.type.dims[0]))


@implements(np.linalg.eigvalsh)
def eigvalsh(it: Interpreter, node: Node, a: Any, UPLO: Any = "L") -> Any:
    return eigh(it, node, a, UPLO)[0]


@implements(np.linalg.eig)
def eig(it: Interpreter, node: Node, a: Any) -> Any:
    a = of_floats(it, node, a, "eig", square=True)
    w, v = complex_eig(it, node, a)
    if not is_complex(a.type.dtype):
        w, v = (it.call(formulas.real_if_values_are, [w, x], {}, node) for x in (w, v))
    return _EIG(w, v)


def complex_eig(it: Interpreter, node: Node, a: Any) -> tuple[Any, Any]:
    """The eigenvalues and vectors of square matrices, complex for real ones too.

    They are computed in double precision, as by NumPy.
    """
    real, single = not is_complex(a.type.dtype), a.type.dtype in ("f32", "c64")
    a = it.b.cast(a, Scalar("c128"))
    if a.type.ndim > 2:
        each = Partial(eigenpairs, (), {"real": real})
        w, v = it.call(map_matrices, [each, ("n", "mn"), a], {}, node)
    else:
        w, v = it.call(eigenpairs, [a, real], {}, node)
    if single:
        w, v = (it.b.cast(x, Scalar("c64")) for x in (w, v))
    return w, v


def eigenpairs(a: Any, real: bool) -> Any:
    """The eigenvalues and vectors of a complex matrix, whose imaginary parts are 0 if `real`."""
    w, v = np.linalg.eig(a.real if real else a)
    return w.astype(complex), v.astype(complex)


@implements(eigenpairs)
def _eigenpairs(it: Interpreter, node: Node, a: Any, real: bool) -> Any:
    y = it.b.eig(a, real=real)
    w = it.b.copy(it.b.view(y, 0, spec=("i", ":")))
    return w, it.call(formulas.normalised, [rows(it, y, 1, a.type.dims[0])], {}, node)


@implements(np.linalg.eigvals)
def eigvals(it: Interpreter, node: Node, a: Any) -> Any:
    return eig(it, node, a)[0]


# ---- QR ----
@implements(np.linalg.qr)
def qr(it: Interpreter, node: Node, a: Any, mode: Any = "reduced") -> Any:
    a = of_floats(it, node, a, "qr")
    if mode not in ("reduced", "complete", "r"):
        it.refuse(node, f"qr with mode={mode!r} is not supported", "use mode='reduced' or 'r'")
    q, r = full_qr(it, node, a) if mode == "complete" else thin_qr(it, node, a)
    return r if mode == "r" else _QR(q, r)


def full_qr(it: Interpreter, node: Node, a: Any) -> tuple[Any, Any]:
    """QR with all columns of Q, and zeros below R."""
    if a.type.ndim > 2:
        complete = Partial(np.linalg.qr, (), {"mode": "complete"})
        return it.call(map_matrices, [complete, ("mm", "mn"), a], {}, node)
    b, (m, n) = it.b, a.type.dims
    k = b.dim(b.minimum(m, n))
    y = b.full_qr(b.view(a, 0, k, 1, spec=(":", "s")))
    q = rows(it, y, 0, m)
    low = b.transpose(b.view(y, m, k, 1, spec=("s", ":")), perm=(1, 0))
    rest = b.view(a, k, b.dim(b.sub(n, k)), 1, spec=(":", "s"))
    rest = b.matmul(b.transpose(conjugate(it, q), perm=(1, 0)), rest)
    return q, with_dims(it, b.concatenate(low, rest, axis=1), (m, n))


def thin_qr(it: Interpreter, node: Node, a: Any) -> tuple[Any, Any]:
    """The thin QR; columns beyond the number of rows are Q' a: they are not needed to find Q."""
    if a.type.ndim > 2:
        return it.call(map_matrices, [np.linalg.qr, ("mk", "kn"), a], {}, node)
    b, (m, n) = it.b, a.type.dims
    k = b.dim(b.minimum(m, n))
    y = b.qr(b.view(a, 0, k, 1, spec=(":", "s")))
    q = rows(it, y, 0, m)
    low = b.view(y, m, k, 1, spec=("s", ":"))
    rest = b.view(a, k, b.dim(b.sub(n, k)), 1, spec=(":", "s"))
    rest = b.matmul(b.transpose(conjugate(it, q), perm=(1, 0)), rest)
    r = b.concatenate(b.transpose(low, perm=(1, 0)), rest, axis=1)
    return q, with_dims(it, r, (k, n))


def _lower_half(it: Interpreter, node: Node, a: Any) -> Any:
    """The symmetric or Hermitian matrices whose lower halves these have: `hermitian=True`."""
    from srcgrad.frontend.formulas.scipy_linalg import hermitian as hermitian_of  # imports SciPy

    if a.type.ndim == 2:
        return it.call(hermitian_of, [a, True], {}, node)
    return it.call(map_matrices, [Partial(hermitian_of, (), {"lower": True}), ("nn",), a], {}, node)


# ---- least squares ----
# a bound on singular values, relative to the largest: those below have no part in a derivative
ROUNDING = 1e-11


def truncates(it: Interpreter, rcond: Any) -> bool:
    """Whether a bound may leave out singular values that have a part in the derivative."""
    if isinstance(rcond, Var):
        known = it.captures.known_now(it, rcond) if it.captures.is_of_sizes(it, rcond) else None
        return known is None or bool(known > ROUNDING)
    return bool(rcond > ROUNDING)


def pseudoinverse(it: Interpreter, node: Node, a: Any, rcond: Any, truncated: bool) -> Any:
    if a.type.ndim > 2:
        each = Partial(_pinv, (), {"rcond": rcond, "truncated": truncated})
        return it.call(map_matrices, [each, ("nm",), a], {}, node)
    if is_complex(a.type.dtype):
        twice = it.call(complex_matrices.as_reals, [a], {}, node)
        p = pseudoinverse(it, node, twice, rcond, truncated)
        return it.call(complex_matrices.of_reals, [p], {}, node)
    if truncated:
        return it.call(formulas.truncated_pinv, [a, rcond], {}, node)
    return it.b.pinv(a, rcond)


def _pinv(a: Any, rcond: Any, truncated: bool) -> Any:
    return np.linalg.pinv(a, rcond)


@implements(_pinv)
def _one_of_a_stack(it: Interpreter, node: Node, a: Any, rcond: Any, truncated: Any) -> Any:
    return pseudoinverse(it, node, a, rcond, flag(it, node, truncated, "truncated"))


@implements(np.linalg.pinv)
def pinv(
    it: Interpreter, node: Node, a: Any, rcond: Any = None, hermitian: Any = False, *,
    rtol: Any = _UNSAID,
) -> Any:  # fmt: skip
    half = flag(it, node, hermitian, "hermitian")
    a = of_floats(it, node, a, "pinv", square=half)
    a = _lower_half(it, node, a) if half else a
    if rcond is None:
        rcond = 1e-15 if rtol is _UNSAID else rtol
    if is_array(rcond):
        it.refuse(node, "pinv with an array of bounds is not supported", "pass one number")
    if rcond is None:
        return pseudoinverse(it, node, a, relative(it, a), False)
    return pseudoinverse(it, node, a, rcond, truncates(it, rcond))


@implements(np.linalg.lstsq)
def lstsq(it: Interpreter, node: Node, a: Any, c: Any, rcond: Any = None) -> Any:
    a, c = pair(it, node, a, c, "lstsq")
    a = of_floats(it, node, a, "lstsq")
    if a.type.ndim > 2 or not 1 <= ndim(c) <= 2:
        it.refuse(
            node, "lstsq takes a matrix, and a vector or a matrix", like=np.linalg.LinAlgError
        )
    meet(it, node, a.type.dims[0], c.type.dims[0])
    c = it.b.cast(c, a.type)
    truncated = rcond is not None and truncates(it, rcond)
    rcond = relative(it, a) if rcond is None else rcond
    if truncated:
        x = it.call_numpy(np.matmul, [pseudoinverse(it, node, a, rcond, True), c], {}, node)
    elif is_complex(a.type.dtype):
        x = it.call(complex_matrices.lstsq, [a, c, rcond], {}, node)
    else:
        x = it.b.lstsq(a, c, rcond)
    s = it.b.singular_values(a, checked=False)  # what gives x has checked that they are found
    left, rank = it.call(formulas.residuals, [a, c, x, s, rcond], {}, node)
    return x, left, it.b.cast(rank, Scalar("i32")), s  # LAPACK's integer


# ---- functions of singular values ----
@implements(np.linalg.matrix_rank)
def matrix_rank(
    it: Interpreter, node: Node, a: Any, tol: Any = None, hermitian: Any = False, *,
    rtol: Any = None,
) -> Any:  # fmt: skip
    half = flag(it, node, hermitian, "hermitian")
    if tol is not None and rtol is not None:
        it.refuse(node, "`tol` and `rtol` can't be both set.", like=ValueError)
    a = of_floats(it, node, a, "matrix_rank", square=half)
    a = _lower_half(it, node, a) if half else a
    if ndim(tol) or ndim(rtol):
        it.refuse(node, "matrix_rank with an array of bounds is not supported", "pass one number")
    rtol = relative(it, a) if rtol is None else rtol
    return it.call(formulas.matrix_rank, [a, tol, rtol], {}, node)


@implements(np.linalg.cond)
def cond(it: Interpreter, node: Node, a: Any, p: Any = None) -> Any:
    p = it.static_number(p, node, "the order of a norm of matrices")
    a = of_floats(it, node, a, "cond")
    it.fail_if(none_of(it, a.type.dims[-2:]), LINALG, "cond is not defined on empty arrays")
    if p not in (None, 2, -2):
        check_square(it, a)
    return it.call(formulas.cond, [a, p], {}, node)
