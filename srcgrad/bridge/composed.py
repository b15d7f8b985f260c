"""`apply` of a primitive in compiled code, down to which tensor functions are followed.

A row is emitted as it is; those that share memory, store or check lengths are NumPy programs.
What NumPy promotes otherwise than tensors do is refused. No derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import apply as calls
from srcgrad.eager import fast_ops
from srcgrad.eager.create import check_device, tensor
from srcgrad.eager.dtypes import get_default_dtype
from srcgrad.eager.functions import linear_algebra, pointwise, selections
from srcgrad.eager.functions.table import TABLE
from srcgrad.frontend.handlers.reductions import reduce, summed
from srcgrad.frontend.handlers.registry import TENSOR_FUNCTIONS
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import Kind
from srcgrad.frontend.values import is_array, is_value
from srcgrad.ir.nodes import atom
from srcgrad.primitives import REGISTRY, scans
from srcgrad.primitives import reductions as rows

FORMULAS: dict[str, Callable] = {}
# rows that are emitted as they are, beside the elementwise ones
REDUCTIONS = (rows.sum, rows.max, rows.min, rows.argmax, rows.argmin, scans.product)
ALONG = (scans.cumsum, scans.argsort, scans.softmax, scans.log_softmax)
SPLITS = ("split", "chunk", "tensor_split")


def formula(f: Callable) -> Callable:
    """Follow a NumPy program where the primitive of its name is applied."""
    FORMULAS[f.__name__.rstrip("_")] = f
    return f


@formula
def reshape(x: Any, *dims: Any) -> Any:
    return np.reshape(x, dims)


@formula
def transpose(x: Any, perm: Any) -> Any:
    return np.transpose(x, perm)


@formula
def expand(x: Any, *dims: Any) -> Any:
    return np.broadcast_to(x, dims)


@formula
def copy(x: Any) -> Any:
    return np.copy(x)


@formula
def any_(x: Any, axes: Any) -> Any:
    return np.any(x, axis=axes)


@formula
def all_(x: Any, axes: Any) -> Any:
    return np.all(x, axis=axes)


@formula
def concatenate(*xs: Any, axis: Any) -> Any:
    return np.concatenate(xs, axis)


@formula
def pick(x: Any, index: Any) -> Any:
    return x[index]


@formula
def put(v: Any, index: Any, shape: Any) -> Any:
    made = np.zeros(shape, v.dtype)
    np.add.at(made, index, v)
    return made


@formula
def patch(x: Any, v: Any, index: Any) -> Any:
    made = np.copy(x)
    made[index] = v
    return made


@formula
def matmul(a: Any, b: Any) -> Any:
    return np.matmul(a, b)


@formula
def matvec(a: Any, b: Any) -> Any:
    return np.matmul(a, b)


@formula
def vecdot(a: Any, b: Any) -> Any:
    return np.dot(a, b)


def places_along(index: Any, k: int, n: int) -> tuple:
    """The NumPy index of the places (…, index, …) along dim `k` of length `n`."""
    if np.any(index < 0) or np.any(index >= n):
        raise IndexError("index is out of bounds for the dimension")
    shape = index.shape
    axes = range(len(shape))
    return tuple(
        index if a == k else np.reshape(np.arange(shape[a]), [-1 if b == a else 1 for b in axes])
        for a in axes
    )


def root(x: Any) -> Any:
    """The square root, its derivative 0 at 0."""
    zero = x == 0.0
    return np.where(zero, 0.0, np.sqrt(np.where(zero, 1.0, x)))


def view(x: Any, *shape: Any) -> Any:
    many = len(shape) == 1 and isinstance(shape[0], tuple | list)
    return np.reshape(x, shape[0] if many else shape)


def _made(
    it: Interpreter, node: Node, data: Any, dtype: Any = None, device: Any = None, **others: Any
) -> Any:
    """`flow.tensor` of Python's numbers; tensors lose their history there, so they are refused."""
    check_device(device)
    if others.get("requires_grad"):
        it.refuse(node, "a tensor that requires grad is made outside of compiled code")
    if is_array(data) and it.kind_of(data) is Kind.ARRAY:
        return it.call_numpy(np.array, [data, getattr(dtype, "np", dtype)], {}, node)
    if _holds_value(data):
        it.refuse(
            node, "tensor() of what is computed, whose history it would drop, is not supported",
            "use x.detach(), or flow.stack",
        )  # fmt: skip
    kind = np.asarray(data).dtype
    target = getattr(dtype, "np", dtype) or (get_default_dtype().np if kind.kind == "f" else kind)
    return it.call_numpy(np.array, [data, target], {}, node)


def _holds_value(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return any(map(_holds_value, data))
    return not isinstance(data, bool | int | float)


def _of_known_length(f: Any, at: int) -> Callable:
    """A function whose number of results is a length: that is asked for at compile time."""

    def handler(it: Interpreter, node: Node, x: Any, *args: Any, **keywords: Any) -> Any:
        dim = keywords.get("dim", args[at] if len(args) > at else 0)
        if is_array(x) and isinstance(dim, int) and -x.type.ndim <= dim < x.type.ndim:
            it.static_int(x.type.dims[dim], node, "the length of a dim that is split")
        return it.follow(f, [x, *args], keywords, node)

    return handler


def _run(it: Interpreter, node: Node, op: Any, *args: Any) -> Any:
    """Linear algebra of tensors by NumPy's."""
    if op.name in ("detsign", "logabsdet"):
        return it.call_numpy(np.linalg.slogdet, list(args), {}, node)[op.name == "logabsdet"]
    f = getattr(np.linalg, op.name, None)
    if f is None:
        it.refuse(node, f"'{op.name}' of tensors has no counterpart in compiled code")
    return it.call_numpy(f, list(args), {}, node)


def _applied(it: Interpreter, node: Node, op: Any, args: Any, params: Any) -> Any:
    """`apply(op, args, params)`: the row itself; one that shares memory or checks, by NumPy."""
    op = REGISTRY[op.name]  # a captured one is a record
    if op.name in FORMULAS:
        return it.call(FORMULAS[op.name], list(args), dict(params), node)
    if op in REDUCTIONS:
        x = summed(it, *args) if op is rows.sum else args[0]
        return reduce(it, node, op.name, x, params["axes"], False)
    if op in ALONG and is_array(args[0]):
        return it.b(op.name, *args, **params)
    if not op.elementwise:
        it.refuse(node, f"'{op.name}' of tensors has no counterpart in compiled code")
    _refuse_promotion(it, node, op.name, args)
    return it.emit(node, op.name, *args, **params)


def _refuse_promotion(it: Interpreter, node: Node, name: str, args: Any) -> None:
    arrays = [a for a in args[name == "where" :] if is_value(a) and is_array(a)]
    if len({atom(a).type.dtype for a in arrays}) > 1:
        it.refuse(node, f"{name} of tensors of several dtypes", "bring them to one: x.to(dtype)")


def _elementwise(op: Any, exact: bool) -> Callable:
    """A function made of one primitive; integers that it would make floats are refused."""

    def handler(it: Interpreter, node: Node, *args: Any) -> Any:
        types = [atom(a).type for a in args if is_value(a)]
        whole = any(t.dtype[0] in "iub" and not getattr(t, "weak", False) for t in types)
        if whole and not (exact and all(t.dtype[0] in "iub" for t in types)):
            it.refuse(node, f"{op.name} of integers is not supported here", "use .astype(float)")
        _refuse_promotion(it, node, op.name, args)
        return it.emit(node, op.name, *args)

    return handler


def _viewed(it: Interpreter, node: Node, op: Any, x: Any, args: Any, params: Any) -> Any:
    return _applied(it, node, op, (x, *args), params)


def _numpys(f: Callable) -> Callable:
    return lambda it, node, *args, **keywords: it.call(f, list(args), keywords, node)


def register() -> None:
    """Called once, when the functions of tensors are made known."""
    known: dict[Any, Callable] = {
        calls.apply: _applied, calls.viewed: _viewed, linear_algebra._run: _run, tensor: _made,
        selections._grid: _numpys(places_along), pointwise.root: _numpys(root),
        TABLE["view"].function: _numpys(view), TABLE["inner"].function: _numpys(np.inner),
        TABLE["contiguous"].function: _numpys(np.ascontiguousarray),
        TABLE["einsum"].function: _numpys(np.einsum),
    }  # fmt: skip
    for f, op, exact in fast_ops.MADE:
        TENSOR_FUNCTIONS.setdefault(f, _elementwise(op, exact))
    known |= {TABLE[n].function: _of_known_length(TABLE[n].function, 1) for n in SPLITS}
    known[TABLE["unbind"].function] = _of_known_length(TABLE["unbind"].function, 0)
    TENSOR_FUNCTIONS.update(known)
