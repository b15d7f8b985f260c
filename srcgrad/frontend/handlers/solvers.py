"""Square systems: solve, inv, det, slogdet, cholesky, of matrices and stacks of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas import matrices as formulas
from srcgrad.frontend.formulas.matrix_stacks import map_matrices
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.products import meet, pair
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, ndim, plain
from srcgrad.ir.types import Scalar, is_complex, is_float
from srcgrad.primitives.raising import name_of

NOT_SQUARE = "Last 2 dimensions of the array must be square: {} against {}"
LINALG = name_of(np.linalg.LinAlgError)
_SLOGDET = type(np.linalg.slogdet(np.eye(1)))


def matrices(it: Interpreter, node: Node, a: Any, what: str) -> Any:
    """A matrix or a stack of matrices, floating."""
    (a,) = operands(it, node, (a,), what)
    if not is_array(a) or a.type.ndim < 2:
        said = f"{what} takes a matrix, or a stack of matrices"
        it.wrong(node, said, np.linalg.LinAlgError)
    return a if is_float(a.type.dtype) else it.b.cast(a, Scalar("f64"))


def squares(it: Interpreter, node: Node, a: Any, what: str) -> Any:
    """Square matrices, floating; refused otherwise."""
    a = matrices(it, node, a, what)
    check_square(it, a)
    return a


def check_square(it: Interpreter, a: Any) -> None:
    n, m = a.type.dims[-2:]
    if n is not m:
        it.fail_if(plain(it.b.ne(n, m)), LINALG, NOT_SQUARE, n, m)


@implements(np.linalg.solve)
def solve(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a = squares(it, node, a, "solve")
    a, c = pair(it, node, a, c, "solve")
    if not ndim(c):
        it.wrong(node, "solve takes a vector or a matrix on the right", ValueError)
    meet(it, node, a.type.dims[-1], c.type.dims[-2 if c.type.ndim > 1 else 0])
    if a.type.ndim == 2 and c.type.ndim <= 2:
        return it.b.solve(a, c)
    b, vector = it.b, c.type.ndim == 1
    c = b.view(c, spec=(":", "n")) if vector else c
    lead = b.broadcast([a.type.dims[:-2], c.type.dims[:-2]])
    a, c = (b.broadcast_to(v, *lead, *v.type.dims[-2:]) for v in (a, c))
    x = it.call(map_matrices, [np.linalg.solve, ("mp",), a, c], {}, node)
    return it.b.view(x, 0, spec=(*(":",) * (x.type.ndim - 1), "i")) if vector else x


def _of_matrix(name: str, f: Any, shape: str) -> None:
    def handler(it: Interpreter, node: Node, a: Any) -> Any:
        a = squares(it, node, a, name)
        if a.type.ndim == 2:
            return it.b(name, a)
        return it.call(map_matrices, [f, (shape,), a], {}, node)

    implements(f)(handler)


_of_matrix("inv", np.linalg.inv, "mn")
_of_matrix("det", np.linalg.det, "")


@implements(np.linalg.cholesky)
def cholesky(it: Interpreter, node: Node, a: Any, *, upper: Any = False) -> Any:
    a = squares(it, node, a, "cholesky")
    if it.static_int(upper, node, "upper"):
        turned = it.call_numpy(np.swapaxes, [a, -1, -2], {}, node)
        low = it.call_numpy(np.linalg.cholesky, [turned], {}, node)
        return it.b.copy(it.call_numpy(np.swapaxes, [low, -1, -2], {}, node))
    if a.type.ndim > 2:
        return it.call(map_matrices, [np.linalg.cholesky, ("mn",), a], {}, node)
    return it.b.cholesky(a)


@implements(np.linalg.slogdet)
def slogdet(it: Interpreter, node: Node, a: Any) -> Any:
    a = squares(it, node, a, "slogdet")
    if a.type.ndim > 2:
        return _SLOGDET(*it.call(map_matrices, [np.linalg.slogdet, ("", "|"), a], {}, node))
    if is_complex(a.type.dtype):
        return _SLOGDET(*_complex_slogdet(it, node, a))
    return _SLOGDET(it.b.detsign(a), it.b.logabsdet(a))


def _complex_slogdet(it: Interpreter, node: Node, a: Any) -> tuple[Any, Any]:
    """The phase of the determinant varies with the matrix: it is that of a / |det a|^(1/n)."""
    b = it.b
    size = b.logabsdet(a)
    singular = b.eq(size, -np.inf)
    kind = Scalar(size.type.dtype)
    root = b.div(b.where(singular, 0.0, size), b.cast(a.type.dims[0], kind))
    phase = b.det(b.mul(a, b.exp(b.neg(root))))
    return it.emit(node, "where", singular, 0.0, phase), size


@implements(np.linalg.tensorsolve)
def tensorsolve(it: Interpreter, node: Node, a: Any, c: Any, axes: Any = None) -> Any:
    a, c = pair(it, node, a, c, "tensorsolve")
    if axes is not None:
        axes = tuple(it.static_int(k, node, "an axis") for k in it.static_items(axes, node))
    return it.call(formulas.tensorsolve, [a, c, axes], {}, node)


@implements(np.linalg.tensorinv)
def tensorinv(it: Interpreter, node: Node, a: Any, ind: Any = 2) -> Any:
    (a,) = operands(it, node, (a,), "tensorinv")
    k = it.static_int(ind, node, "ind")
    if k <= 0:
        it.refuse(node, "tensorinv takes a positive ind", like=ValueError)
    return it.call(formulas.tensorinv, [a, k], {}, node)
