"""Attributes of numbers and arrays; the name of a method gives that method, bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.casts import widened
from srcgrad.frontend.formulas.flags import Flags
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import Kind, described, kind_of, method_of
from srcgrad.frontend.number_classes import has_method
from srcgrad.frontend.snapshots import IN_C_ORDER, Contiguous
from srcgrad.frontend.suggestions import methods_of, similar
from srcgrad.frontend.values import Bound, is_array, is_number, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import Scalar, is_complex, np_dtype
from srcgrad.tracebacks import OF_TENSORS

ATTRIBUTES = (
    "shape", "ndim", "size", "T", "mT", "dtype", "real", "flat", "itemsize", "nbytes", "strides",
    "flags",
)  # fmt: skip


def array_attribute(it: Interpreter, v: Any, name: str, node: Node) -> Any:
    dims = v.type.dims if is_array(v) else ()
    match name:
        case "shape":
            return tuple(dims)
        case "ndim":
            return len(dims)
        case "size":
            return it.b.size(dims)
        case "mT" if is_array(v) and len(dims) < 2 and kind_of(it, v) is Kind.ARRAY:
            it.wrong(node, "matrix transpose with ndim < 2 is undefined", ValueError)
        case "mT" | "mH" if is_array(v) and (name == "mT" or kind_of(it, v) is not Kind.ARRAY):
            return it.call_numpy(np.swapaxes, [v, -2, -1], {}, node)
        case "T":
            return it.call_numpy(np.transpose, [v], {}, node)
        case "dtype":
            return np_dtype(atom(v).type.dtype)
        case "itemsize":
            return np_dtype(atom(v).type.dtype).itemsize
        case "nbytes":
            return plain(it.b.mul(it.b.size(dims), np_dtype(atom(v).type.dtype).itemsize))
        case "strides":
            return _strides(it, node, v)
        case "flags" if is_array(v) and dims and kind_of(it, v) is Kind.ARRAY:
            return it.call(Flags, [v], {}, node)
        case "_a":  # a tensor's array
            return v
        case "real" | "imag":
            return _part(it, node, v, name)
        case "flat":
            if is_array(v) and dims and v.type.layout == "C":
                return it.b.reshape(v, it.b.size(dims))  # whatever the order in memory is
            flat = it.call_numpy(np.ravel, [v], {}, node)
            if is_array(v):
                what = ".flat of an array that is not contiguous"
                it.stands_for_view(flat, v, what, node, writable=True)
            return flat
    if name in OF_TENSORS:
        it.refuse(
            node, "what records the history of a tensor is not there in compiled code",
            "leave it out: operators and NumPy's functions take the tensor itself",
        )  # fmt: skip
    known = method_of(it, v, name, node) is not None or has_method(v, name)
    if not known and not any(callable(getattr(t, name, None)) for t in (np.ndarray, float)):
        said = f"{described(it, v)} has no attribute '{name}' in compiled code"
        way_out = similar(name, [*ATTRIBUTES, *methods_of("array")])
        if name == "at":
            way_out = "copy the array and store to the copy: y = x.copy(); y[0] = 2.0"
        if not hasattr(np.ndarray if is_array(v) else np.float64, name):
            it.wrong(node, said, AttributeError, way_out)
        it.refuse(node, said, way_out)
    return Bound(v, name)


def is_contiguous(it: Interpreter, v: Any) -> bool:
    """Whether an array is known to lie in memory in C order, without gaps, in NumPy."""
    known = v.type.layout == "C" and it.in_c_order(v)
    if known:
        it.snapshots.append(Contiguous(v, it.b.loc))
    return known


def _strides(it: Interpreter, node: Node, v: Any) -> tuple[Any, ...]:
    """The strides of an array that lies in memory in C order, in bytes."""
    if not is_array(v):
        return ()
    if not is_contiguous(it, v):
        reason = f"the strides of {described(it, v)} are known only of one that is contiguous"
        it.refuse(node, reason, IN_C_ORDER)
    step: Any = np_dtype(v.type.dtype).itemsize
    found = []
    for n in reversed(v.type.dims):
        found.append(step)
        step = it.b.mul(step, n)
    return tuple(found[::-1])


def _part(it: Interpreter, node: Node, x: Any, name: RowName) -> Any:
    """`x.real` or `x.imag`; of an array NumPy gives a view."""
    if is_number(x):
        return getattr(x, name)
    if not is_complex(atom(x).type.dtype):
        x = widened(it, x)
        return x if name == "real" else _zeros(it, x)
    made = it.emit(node, name, x)
    if is_array(x):
        what = f".{name} of an array of complex numbers"
        it.stands_for_view(made, x, what, node, writable=True)
    return made


def _zeros(it: Interpreter, x: Any) -> Any:
    dtype = atom(x).type.dtype
    if is_array(x):
        return it.b.zeros(*x.type.dims, dtype=dtype)
    return plain(it.b.cast(0, Scalar(dtype, getattr(x.type, "weak", False))))
