"""Products of several arrays: kron, cross, matrix_power, multi_dot, vecdot."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.calculus import cross_of_last
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.products import meet, product
from srcgrad.frontend.handlers.reductions import axis_of, sum_
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import moveaxis
from srcgrad.frontend.handlers.solvers import LINALG, check_square
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import of_arguments
from srcgrad.frontend.values import is_array, plain
from srcgrad.frontend.versions import raised
from srcgrad.ir.types import Scalar, is_complex, join_scalars, np_dtype

COMPUTED = (
    "cross takes vectors of length 3 where their length is computed, not of length {}: "
    "for vectors of length 2 write a[0] * b[1] - a[1] * b[0]"
)


@implements(cross_of_last)
def cross(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = operands(it, node, (a, c), "cross")
    p, q = _components(it, node, a), _components(it, node, c)

    def minor(i: int, j: int) -> Any:
        left, right = it.emit(node, "mul", p[i], q[j]), it.emit(node, "mul", p[j], q[i])
        return it.emit(node, "sub", left, right)

    error = raised(_cross, np.ones(len(p)), np.ones(len(q)))  # of length 2 since NumPy 2.5
    if {len(p), len(q)} == {2, 3}:
        cls = None if error is None else type(error)
        it.refuse(node, "cross takes two vectors of length 3", like=cls)
    if error is not None:
        it.fails(error, node)
    if len(p) == 2:
        return minor(0, 1)
    parts = [minor(1, 2), minor(2, 0), minor(0, 1)]
    return it.call_numpy(np.stack, [parts], {"axis": -1}, node)


def _cross(a: np.ndarray, c: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        np.cross(a, c)


def _components(it: Interpreter, node: Node, x: Any) -> list[Any]:
    n = x.type.dims[-1]
    if of_arguments(it, n):
        n = it.static_int(n, node, "the length of the vectors of cross")
    else:
        it.b.check_equal(n, 3, message=COMPUTED)
        n = 3
    return [it.read(x, [Ellipsis, k], node) for k in range(n)]


@implements(np.linalg.matrix_power)
def matrix_power(it: Interpreter, node: Node, a: Any, n: Any) -> Any:
    n = it.static_int(n, node, "the exponent of a matrix")
    (a,) = operands(it, node, (a,), "matrix_power")
    if not is_array(a) or a.type.ndim < 2:
        it.refuse(
            node, "matrix_power takes a matrix, or a stack of matrices", like=np.linalg.LinAlgError
        )
    check_square(it, a)
    if n == 0:
        kwargs = {"dtype": it.attribute(a, "dtype", node)}
        one = it.call_numpy(np.eye, [a.type.dims[-1]], kwargs, node)
        return one if a.type.ndim == 2 else it.b.broadcast_to(one, *a.type.dims)
    a = it.call_numpy(np.linalg.inv, [a], {}, node) if n < 0 else a
    result, square, n = None, a, abs(n)
    while True:
        if n % 2:
            result = square if result is None else product(it, node, result, square)
        n //= 2
        if not n:
            break
        square = product(it, node, square, square)
    return it.b.copy(result) if result is a else result


@implements(np.linalg.multi_dot)
def multi_dot(it: Interpreter, node: Node, arrays: Any) -> Any:
    """The product from left to right: the cheapest order is not known at compile time."""
    result, *others = it.static_items(arrays, node)
    if not others:
        it.fail("ValueError", "Expecting at least two arrays.")
    for x in (result, *others) if len(others) > 1 else ():  # of two NumPy's is `dot`
        outer = x is result or x is others[-1]
        if is_array(x) and x.type.ndim != 2 and not (outer and x.type.ndim == 1):
            text = f"{x.type.ndim}-dimensional array given. Array must be two-dimensional"
            it.fail(LINALG, text)
    for x in others:
        result = it.call_numpy(np.dot, [result, x], {}, node)
    return result


def vecdot(it: Interpreter, node: Node, a: Any, c: Any, axis: Any = -1) -> Any:
    a, c = operands(it, node, (a, c), "vecdot")
    if not all(is_array(x) and x.type.dims for x in (a, c)):
        it.refuse(node, "vecdot takes arrays of at least one axis", like=ValueError)
    kind = join_scalars(Scalar(a.type.dtype), Scalar(c.type.dtype))
    a, c = (moveaxis(it, node, it.b.cast(x, kind), axis_of(it, node, x, axis), -1) for x in (a, c))
    meet(it, node, a.type.dims[-1], c.type.dims[-1])
    first = it.b.conj(a) if is_complex(kind.dtype) else a
    products = it.emit(node, "mul", first, c)
    return plain(sum_(it, node, products, axis=-1, dtype=np_dtype(kind.dtype)))


for _module in (np, np.linalg):
    if hasattr(_module, "vecdot"):
        implements(_module.vecdot)(vecdot)
