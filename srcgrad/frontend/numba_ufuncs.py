"""Universal functions of Numba's: `vectorize` and `guvectorize`, followed through their Python.

The types come from the signatures that Numba has compiled for, as with NumPy's ufuncs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.universal import over_other_axes
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, ndim
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import np_dtype

ELEMENTWISE = "numba.np.ufunc.dufunc"
GENERALIZED = "numba.np.ufunc.gufunc"


def is_universal(f: Any) -> bool:
    """Whether a function is one that `numba.vectorize` or `numba.guvectorize` made."""
    return type(f).__module__ in (ELEMENTWISE, GENERALIZED)


def of_universal(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of calling one."""
    if type(f).__module__ == ELEMENTWISE:
        return _elementwise(it, f, args, kwargs, node)
    return _generalized(it, f, args, kwargs, node)


def _elementwise(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    name, kwargs = f._dispatcher.py_func.__name__, dict(kwargs)
    out = kwargs.pop("out", None) if len(args) == f.nin else args[f.nin]
    if kwargs or len(args) not in (f.nin, f.nin + 1):
        it.refuse(node, f"{name}() is called with other arguments than arrays and out=")
    given = [it.call(np.asarray, [a], {}, node) for a in args[: f.nin]]
    given, otypes = _in_types_of(it, f.types, given, node, name)
    function = it.call(np.vectorize, [f._dispatcher.py_func, otypes], {}, node)
    made = it.call(function, given, {}, node)
    if out is None:
        return it.b.load(made) if is_array(made) and ndim(made) == 0 else made
    it.call(np.copyto, [out, made], {}, node)
    return out


def _in_types_of(
    it: Interpreter, types: Sequence[str], given: list[Any], node: Node, name: str
) -> tuple[list[Any], Any]:
    """The arguments in the types of the first signature that takes them, and what it gives."""
    if not types:  # compiled for the types of each call
        return given, None
    kinds = [np_dtype(atom(v).type.dtype) for v in given]
    for each in types:
        wanted, _, results = each.partition("->")
        if all(map(np.can_cast, kinds, wanted)):
            pairs = zip(given, wanted, strict=True)
            cast = [it.call(np.asarray, [v, np.dtype(t)], {}, node) for v, t in pairs]
            return cast, [np.dtype(t) for t in results]
    it.refuse(node, f"no signature of {name}() takes these arguments", like=TypeError)


def _generalized(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    builder, name = f.gufunc_builder, f.gufunc_builder.py_func.__name__
    inputs, outputs = map(_cores, builder.signature.replace(" ", "").split("->"))
    n = len(inputs)
    if kwargs or len(args) not in (n, n + len(outputs)):
        it.refuse(node, f"{name}() is called with other arguments than arrays")
    given = [it.call(np.asarray, [a], {}, node) for a in args[:n]]
    others = [ndim(v) - len(core) for v, core in zip(given, inputs, strict=True)]
    if min(others) < 0:
        it.wrong(node, f"{name}() gets fewer axes than its signature has", ValueError)
    given, kinds = _in_types_of(it, f.types, given, node, name)
    outs = list(args[n:])
    if any(others):
        if outs:
            it.refuse(
                node, f"{name}() with arrays of results over more axes than its signature has",
                "leave them out",
            )  # fmt: skip
        kinds = kinds or [np_dtype(atom(given[0]).type.dtype)] * len(outputs)
        arrays = [_takes_array(builder, k) for k in range(n)]
        loop = [builder.py_func, given, inputs, outputs, kinds, arrays]
        made = it.call(over_other_axes, loop, {}, node)
        return made[0] if len(made) == 1 else made
    if not outs:
        sizes = {
            k: v.type.dims[axis]
            for v, core in zip(given, inputs, strict=True) if is_array(v)
            for axis, k in enumerate(core)
        }  # fmt: skip
        kinds = kinds or [np_dtype(atom(given[0]).type.dtype)] * len(outputs)
        for core, kind in zip(outputs, kinds, strict=True):
            shape = tuple(sizes[k] for k in core) or 1
            outs.append(it.call(np.zeros, [shape, kind], {}, node))
    given = [_argument(it, builder, k, v, node) for k, v in enumerate(given)]
    it.call(builder.py_func, [*given, *outs], {}, node)
    made = [
        out if core else it.read(out, [0], node) for core, out in zip(outputs, outs, strict=True)
    ]
    return made[0] if len(made) == 1 else tuple(made)


def _cores(part: str) -> list[list[str]]:
    """The names of the axes of each operand in a part of a signature.

    >>> _cores("(n),(m,n),()")
    [['n'], ['m', 'n'], []]
    """
    return [[k for k in core.split(",") if k] for core in part[1:-1].split("),(")]


def _argument(it: Interpreter, builder: Any, k: int, v: Any, node: Node) -> Any:
    """An operand as the function gets it: one without axes as an array of one, if it says so."""
    if ndim(v) > 0 or not _takes_array(builder, k):
        return v
    return it.call(np.reshape, [v, 1], {}, node)


def _takes_array(builder: Any, k: int) -> bool:
    """Whether the k-th operand is declared as an array."""
    return bool(builder._sigs) and hasattr(builder._sigs[0].args[k], "ndim")
