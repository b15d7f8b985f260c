"""Tensor functions and methods in compiled code: their definitions are followed down to `apply`.

So a function written with `flow.exp(x)` and `x.sum(dim=0)` compiles like one written with NumPy.
Listed here are those with another meaning there: functions of one primitive, which emit it;
functions that need memory or values, for which a NumPy function or program is followed; and those
that concern history. A second meaning of a function is an error.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.bridge import composed, tensor_formulas
from srcgrad.eager import apply as calls
from srcgrad.eager import create, devices, fast_ops, indexing, protocols
from srcgrad.eager.dtypes import get_default_dtype
from srcgrad.eager.functions import (
    arrangements,
    contractions,
    layers,
    losses,
    paddings,
    pointwise,
    products,
    reductions,
    selections,
    shapes,
    windows,
)
from srcgrad.eager.functions import composed as compositions
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.inplace import touched, write
from srcgrad.eager.tensor import Tensor, make
from srcgrad.frontend.binding import bind
from srcgrad.frontend.formulas.registry import enter
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import keep
from srcgrad.frontend.handlers.registry import (
    METHODS,
    TENSOR_CLASS,
    TENSOR_FUNCTIONS,
    TENSOR_METHODS,
    TENSOR_PROMOTION,
)
from srcgrad.frontend.indexing import subscript
from srcgrad.frontend.inlining import follow
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import Kind, kind_of
from srcgrad.frontend.values import GrownList, is_array, is_value, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar
from srcgrad.transforms.entry_points import stop_gradient

# NumPy's: it knows which dims fit without reading their lengths, or has a kernel of its own
NUMPYS: dict[Callable, Callable] = {
    shapes.unsqueeze: np.expand_dims, shapes.squeeze: np.squeeze,
    products.matmul: np.matmul, compositions.diag: np.diag, contractions.inner: np.inner,
    contractions.einsum: np.einsum, pointwise.power: np.power, pointwise.clamp: np.clip,
    shapes.tile: tensor_formulas.repeat,
    TABLE["contiguous"].function: np.ascontiguousarray, TABLE["tril"].function: np.tril,
    TABLE["triu"].function: np.triu, shapes.view: tensor_formulas.view,
}  # fmt: skip
# rewritten: the eager ones read values of their data, or walk over places one by one
PROGRAMS: dict[Callable, Callable] = {
    indexing.getitem: tensor_formulas.getitem, write: tensor_formulas.write,
    losses.nll_loss: tensor_formulas.nll_loss, layers.one_hot: tensor_formulas.one_hot,
    selections._grid: tensor_formulas.places_along, selections.gather: tensor_formulas.gather,
    pointwise.root: tensor_formulas.root, paddings.framed: tensor_formulas.framed,
    windows.windows: tensor_formulas.windows, create.zeros: tensor_formulas.zeros,
    create.ones: tensor_formulas.ones, create.full: tensor_formulas.full,
    create.zeros_like: tensor_formulas.zeros_like, create.ones_like: tensor_formulas.ones_like,
}  # fmt: skip
# their operands are cast before NumPy gets them
PROMOTED = (pointwise.power, pointwise.clamp)
# functions whose number of results is a length, and the position of their dim
LISTS = {shapes.stack: np.stack, shapes.cat: np.concatenate}
SPLITS = {shapes.split: 2, shapes.chunk: 2, arrangements.tensor_split: 2, shapes.unbind: 1}


def _in_place_of(f: Callable, program: Callable) -> Callable:
    """Another function, followed or handled with the arguments of the tensor function."""
    signature = inspect.signature(f)

    def handler(it: Interpreter, node: Node, /, *args: Any, **keywords: Any) -> Any:
        bind(it, f, list(args), keywords, node)
        bound = signature.bind(*args, **keywords)
        if f in PROMOTED:
            given = {name: v for name, v in bound.arguments.items() if is_value(v)}
            cast = composed.promotion(it, node, [*given.values()], False)
            bound.arguments.update(zip(given, cast, strict=True))
        made = it.call(program, list(bound.args), bound.kwargs, node)
        if is_array(made):
            it.captures.meet_tensor(made)
        return made

    return handler


def _of_known_length(f: Any, at: int) -> Callable:
    """A function whose number of results is a length, which has to be known at compile time."""

    def handler(it: Interpreter, node: Node, /, x: Any, *args: Any, **keywords: Any) -> Any:
        dim = keywords.get("dim", args[at - 1] if len(args) >= at else 0)
        if is_array(x) and isinstance(dim, int) and -x.type.ndim <= dim < x.type.ndim:
            it.static_int(x.type.dims[dim], node, "the length of a dim that is split")
        return follow(it, f, [x, *args], keywords, node)

    return handler


def _of_grown(f: Any, numpys: Callable) -> Callable:
    """A function of a list of tensors: NumPy's where the list grows in a loop, all items alike."""

    def handler(it: Interpreter, node: Node, tensors: Any, dim: Any = 0) -> Any:
        if not isinstance(tensors, GrownList):
            return follow(it, f, [tensors, dim], {}, node)
        made = it.call(numpys, [tensors, dim], {}, node)
        it.captures.meet_tensor(made)
        return made

    return handler


def _cast(it: Interpreter, node: Node, x: Any, dtype: Any) -> Any:
    """A cast to a dtype of srcgrad's or of NumPy's."""
    if is_value(dtype):
        it.refuse(node, "to() takes a dtype here")
    return METHODS["array", "astype"](it, node, x, getattr(dtype, "np", dtype))


def _detached(it: Interpreter, node: Node, x: Any) -> Any:
    """`x.detach()`: a constant; it shares memory with x, so nothing may be stored to either."""
    made = it.call(stop_gradient, [x], {}, node)
    if is_array(x) and made is not x:
        it.stands_for_view(made, x, "detach()", node)
    return made


def _windows(it: Interpreter, node: Node, made: Any, x: Any, *others: Any) -> Any:
    """`x.unfold(...)`: a copy where tensors have a view."""
    it.stands_for_view(made, x, "unfold()", node)
    return made


def _tensor(
    it: Interpreter, node: Node, /, data: Any, dtype: Any = None, device: Any = None, **others: Any
) -> Any:
    """`flow.tensor` of Python's numbers; tensors lose their history there, so they are refused."""
    if device is not None and devices.device(device) != devices.CPU:
        it.refuse(node, f"a tensor on {device} in compiled code", "make it outside and pass it")
    if others.get("requires_grad"):
        it.refuse(node, "a tensor that requires grad is made outside of compiled code")
    target = getattr(dtype, "np", dtype)
    if is_array(data) and kind_of(it, data) is Kind.ARRAY:
        return it.call_numpy(np.array, [data, target], {}, node)
    if _holds_value(data):
        it.refuse(
            node, "tensor() of what is computed, whose history it would drop, is not supported",
            "use x.detach(), or flow.stack",
        )  # fmt: skip
    kind = np.asarray(data).dtype
    made = get_default_dtype().np if kind.kind == "f" else kind
    return it.call_numpy(np.array, [data, target or made], {}, node)


def _holds_value(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return any(map(_holds_value, data))
    return not isinstance(data, bool | int | float)


def _divisor(it: Interpreter, node: Node, n: Any, x: Any) -> Any:
    """The divisor in the operand's dtype: NumPy's numbers divide by zero without an exception."""
    return plain(it.b.cast(n, Scalar(atom(x).type.dtype)))


def _by_numpy(it: Interpreter, node: Node, /, function: Any, *args: Any, **options: Any) -> Any:
    """A function of NumPy's, whose results are tensors."""
    made = it.call_numpy(function, [*args], options, node)
    for part in made if isinstance(made, tuple) else (made,):
        if is_array(part):
            it.captures.meet_tensor(part)
    return made


def _size(it: Interpreter, node: Node, x: Any, dim: Any = None) -> Any:
    dims = x.type.dims if is_array(x) else ()
    return tuple(dims) if dim is None else subscript(it, tuple(dims), [dim], node)


def _array_namespace(it: Interpreter, node: Node, /, x: Any, **version: Any) -> Any:
    """The array API's module, which is known when compiling."""
    return protocols.namespace(**version)


INTRINSICS: dict[Any, Callable] = {
    calls.apply: composed.applied, calls.viewed: composed.viewed, calls.shown: composed.viewed,
    create.tensor: _tensor, pointwise.cast: _cast, pointwise.alike: composed.alike,
    arrangements.in_memory_of: _windows,
    calls.operand: lambda it, node, x: operands(it, node, (x,), "where")[0],
    make: lambda it, node, a, history=None: a,
    touched: lambda it, node, tensors: None, protocols.by_numpy: _by_numpy,
    # lengths that fit are checked by the operations that get them
    shapes._resolved: lambda it, node, x, shape: shape,
    shapes._but_empty: lambda it, node, xs: xs,
    reductions._divisor: _divisor,
    reductions.kept: lambda it, node, y, x, axes, keepdim: keep(it, x, y, axes, keepdim),
}  # fmt: skip


def _register() -> None:
    for f, op, exact in fast_ops.MADE:
        enter(TENSOR_FUNCTIONS, f, composed.elementwise(f, op, exact))
    for table in (NUMPYS, PROGRAMS):
        for f, program in table.items():
            enter(TENSOR_FUNCTIONS, f, _in_place_of(f, program))
    for f, at in SPLITS.items():
        enter(TENSOR_FUNCTIONS, f, _of_known_length(f, at))
    for f, numpys in LISTS.items():
        enter(TENSOR_FUNCTIONS, f, _of_grown(f, numpys))
    for f, handler in INTRINSICS.items():
        enter(TENSOR_FUNCTIONS, f, handler)
    methods = {"size": _size, "detach": _detached, "__array_namespace__": _array_namespace}
    for name, handler in methods.items():
        enter(TENSOR_METHODS, name, handler)
    TENSOR_CLASS.append(Tensor)
    TENSOR_PROMOTION.append(composed.promotion)


_register()
