"""`apply` of a primitive in compiled code: the level down to which tensor functions are followed.

A row is emitted as it is; those that share memory, store or check lengths are NumPy programs.
Operands that NumPy promotes differently from tensors are cast first. No derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.dtypes import get_default_dtype, promoted
from srcgrad.frontend.binding import bind
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import reduce
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import Kind, is_weak, kind_of
from srcgrad.frontend.values import is_array, is_value, plain
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, np_dtype, short_dtype
from srcgrad.primitives import REGISTRY, arrays, cholesky_factors, indexing, linalg, memory, scans
from srcgrad.primitives import reductions as rows
from srcgrad.primitives.registry import Primitive

# programs of the operands and the parameters of a row
FORMULAS: dict[Primitive, Callable] = {
    memory.transpose: np.transpose, memory.copy: np.copy, rows.any: np.any,
    rows.all: np.all, arrays.matmul: np.matmul, arrays.matvec: np.matmul, arrays.vecdot: np.dot,
    indexing.diagonal: np.diagonal, linalg.inv: np.linalg.inv, linalg.det: np.linalg.det,
    linalg.solve: np.linalg.solve, cholesky_factors.cholesky: np.linalg.cholesky,
}  # fmt: skip
# rows that are emitted as they are, beside the elementwise ones
REDUCTIONS = (rows.sum, rows.max, rows.min, rows.argmax, rows.argmin, scans.product)


def formula(op: Primitive) -> Callable[[Callable], Callable]:
    """Registers a NumPy program that is followed where a primitive is applied."""
    return lambda f: FORMULAS.setdefault(op, f)


@formula(memory.reshape)
def reshape(x: Any, *dims: Any) -> Any:
    return np.reshape(x, dims)


@formula(rows.expand)
def expand(x: Any, *dims: Any) -> Any:
    return np.broadcast_to(x, dims)


@formula(arrays.concatenate)
def concatenate(*xs: Any) -> Any:
    return np.concatenate(xs[:-1], xs[-1])


@formula(indexing.pick)
def pick(x: Any, index: Any) -> Any:
    return x[index]


@formula(indexing.put)
def put(v: Any, index: Any, shape: Any) -> Any:
    made = np.zeros(shape, v.dtype)
    np.add.at(made, index, v)
    return made


@formula(indexing.patch)
def patch(x: Any, v: Any, index: Any) -> Any:
    made = np.copy(x)
    made[index] = v
    return made


@formula(linalg.detsign)
def detsign(x: Any) -> Any:
    return np.linalg.slogdet(x)[0]


@formula(linalg.logabsdet)
def logabsdet(x: Any) -> Any:
    return np.linalg.slogdet(x)[1]


def applied(it: Interpreter, node: Node, op: Any, args: Any, params: Any) -> Any:
    """`apply(op, args, params)`: emits the row, or follows NumPy if it shares memory or checks."""
    op = REGISTRY[op.name]  # a captured one is a record
    if op in FORMULAS:
        return it.call(FORMULAS[op], [*args, *params.values()], {}, node)
    if op in REDUCTIONS:
        return reduce(it, node, op.name, args[0], params["axes"], False)
    if op.along and is_array(args[0]):
        return it.b(op.name, *args, **params)
    if not op.elementwise:
        it.refuse(node, f"'{op.name}' of tensors has no counterpart in compiled code")
    return it.emit(node, op.name, *_promoted(it, node, op, args), **params)


def viewed(it: Interpreter, node: Node, op: Any, x: Any, args: Any, params: Any) -> Any:
    return applied(it, node, op, (x, *args), params)


def elementwise(f: Callable, op: Primitive, exact: bool) -> Callable:
    """A function made of one primitive; integers become the default dtype unless `exact`."""

    def handler(it: Interpreter, node: Node, /, *args: Any, **keywords: Any) -> Any:
        bound = bind(it, f, list(args), keywords, node)
        xs = operands(it, node, tuple(bound.values()), op.name)
        xs = _promoted(it, node, op, xs)
        if not exact and all(atom(a).type.dtype[0] in "iub" for a in xs):
            it.call(get_default_dtype, [], {}, node)  # another one makes another program
            xs = _cast(it, xs, get_default_dtype().np)
        row: Any = op.name
        return it.emit(node, row, *xs)

    return handler


def _promoted(it: Interpreter, node: Node, op: Primitive, args: Any) -> list[Any]:
    """The operands in the dtype that tensors promote to; Python numbers unchanged."""
    first = int(op.selects)
    joined = args[first:]
    types = {atom(a).type.dtype for a in joined if is_value(a) and is_array(a)}
    if (not types and not op.selects) or (len(types) == 1 and (*types,)[0][0] not in "iub"):
        return list(args)
    it.call(get_default_dtype, [], {}, node)  # another one makes another program
    return [*args[:first], *_cast(it, joined, promoted([_stand_in(a) for a in joined]))]


def promotion(it: Interpreter, node: Node, values: list[Any], floating: bool) -> list[Any]:
    """The operands of a user's operation, cast where its dtype for tensors is not NumPy's.

    Values that are neither arrays nor computed from a tensor are numbers, NumPy's scalars too.
    """
    numbers = [not is_array(v) and not _of_tensor(it, v) for v in values]
    stand_ins = [
        np.zeros((), np_dtype(atom(v).type.dtype)).item() if number else _stand_in(v)
        for v, number in zip(values, numbers, strict=True)
    ]
    target, usual = promoted(stand_ins), np.result_type(*map(_numpys, values))
    if floating and target.kind in "biu":
        target, usual = get_default_dtype().np, np.dtype(np.float64)
    if target == usual:
        return values
    it.call(get_default_dtype, [], {}, node)  # another one makes another program
    return [v if is_weak(v) else _cast(it, [v], target)[0] for v in values]


def _of_tensor(it: Interpreter, v: Any) -> bool:
    return isinstance(v, Var) and not is_weak(v) and kind_of(it, v) is Kind.TENSOR


def _numpys(v: Any) -> Any:
    """The stand-in for a value in NumPy's promotion."""
    return _stand_in(v) if is_weak(v) else np_dtype(atom(v).type.dtype)


def alike(it: Interpreter, node: Node, x: Any, other: Any) -> Any:
    """`other` in the dtype that tensors promote to."""
    it.call(get_default_dtype, [], {}, node)  # another one makes another program
    return _cast(it, [other], promoted([_stand_in(x), _stand_in(other)]))[0]


def _cast(it: Interpreter, values: Any, dtype: np.dtype) -> list[Any]:
    target = short_dtype(dtype)
    assert target is not None
    return [plain(it.b.cast(v, Scalar(target))) for v in values]


def _stand_in(v: Any) -> Any:
    """The stand-in for a value in tensors' promotion: an array of NumPy's, or a number."""
    kind: Any = atom(v).type
    if is_weak(v):
        return {"i": 0, "f": 0.0, "c": 0j, "b": False}[kind.dtype[0]]
    return np.empty((0,) if is_array(v) and kind.dims else (), np_dtype(kind.dtype))
