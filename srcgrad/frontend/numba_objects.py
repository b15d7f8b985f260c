"""Stencils, typed lists and dicts, and jitclasses of Numba's, followed through their Python.

A typed list or dict that is made inside is one of Python's. An instance of a jitclass is one of the
class that it was made of, whose fields have the types of its specification.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.errors import SourceError
from srcgrad.frontend import source
from srcgrad.frontend.formulas import stencils
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array, is_value, ndim
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import DTYPES, np_dtype

LIST, DICT = "numba.typed.typedlist", "numba.typed.typeddict"
STENCIL, JITCLASS = "numba.stencils.stencil", "numba.experimental.jitclass.base"
WIDE = ("f64", "i64", "c128")  # narrower numbers have other results in Numba than in NumPy
DIRECT = "write it on slices, x[:-2] + x[2:], or as a loop"


def is_jitclass(cls: Any) -> bool:
    """Whether a class is one that `numba.experimental.jitclass` made."""
    return type(cls).__module__ == JITCLASS


def plain_of(cls: Any) -> Any:
    """The class that a jitclass was made of; any other class itself."""
    return cls.__bases__[0] if is_jitclass(cls) else cls


def container_of(f: Any) -> type | None:
    """The class of Python's for a typed List or Dict, or for its maker of empty ones."""
    kinds = {LIST: list, DICT: dict}
    if isinstance(f, type):
        return kinds.get(f.__module__)
    owner = getattr(f, "__self__", None)
    if isinstance(owner, type) and getattr(f, "__name__", "") in ("empty", "empty_list"):
        return kinds.get(owner.__module__)
    return None


# ---- jitclasses ----
def in_its_type(it: Interpreter, cls: Any, name: str, value: Any, node: Node) -> Any:
    """The value of a field in the type that the specification of a jitclass says."""
    kind: Any = cls.class_type.struct.get(name)
    if kind is None:
        it.wrong(node, f"{cls.__name__} has no field {name!r}", AttributeError)
    dtype = dtype_of_type(kind)
    if dtype is None or not is_value(value):
        return value
    if is_array(value):
        it.wrong(node, f"the field {name!r} of {cls.__name__} is a number", TypeError)
    return it.call(dtype.type, [value], {}, node)


def dtype_of_type(kind: Any) -> np.dtype[Any] | None:
    """The dtype of numbers of one of Numba's types, `numba.float64`; None for anything else."""
    if not type(kind).__module__.startswith("numba.core.types."):
        return None
    return np.dtype(kind.name) if kind.name in DTYPES.values() else None


# ---- stencils ----
def is_stencil(f: Any) -> bool:
    """Whether a function is one that `numba.stencil` made."""
    return type(f).__module__ == STENCIL


def of_stencil(it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
    """The result of calling a stencil."""
    kernel, kwargs = f.kernel_ir.func_id.func, dict(kwargs)
    out, names = kwargs.pop("out", None), list(inspect.signature(kernel).parameters)
    if kwargs or len(args) != len(names):
        it.refuse(node, f"{kernel.__name__}() is called with other arguments than arrays and out=")
    absolute = f.options.get("standard_indexing") or ()
    if not is_array(args[0]) or names[0] in absolute:
        it.wrong(node, "The first argument of a stencil must be an array", TypeError)
    relative = [k for k, v in enumerate(args) if is_array(v) and names[k] not in absolute]
    for k in relative:
        if atom(args[k]).type.dtype not in WIDE:
            dtype = np_dtype(atom(args[k]).type.dtype)
            it.refuse(node, f"a stencil of {dtype} is not supported", "use .astype(float)")
        if ndim(args[k]) != ndim(args[0]):
            it.refuse(node, "a stencil of arrays with other numbers of axes", DIRECT)
    said = f.options.get("neighborhood")
    if said is None:
        said = _neighborhood(it, kernel, [names[k] for k in relative], ndim(args[0]), node)
    if len(said) != ndim(args[0]):
        it.wrong(node, "a neighborhood has a pair for each axis", ValueError)
    low, high = (tuple(pick(0, pair[k]) for pair in said) for k, pick in ((0, min), (1, max)))
    given = [kernel, tuple(args), tuple(relative), low, high, f.options.get("cval"), out]
    return it.call(stencils.stenciled, given, {}, node)


def _neighborhood(
    it: Interpreter, kernel: Any, names: list[str], n: int, node: Node
) -> list[tuple[int, int]]:
    """The steps along each axis that the kernel's indices take."""
    way_out = "say neighborhood= in the decorator"
    try:
        _, tree = source.definition(kernel)
    except SourceError:
        it.refuse(node, f"the source of {kernel.__name__}() was not found", way_out)
    found = [(0, 0)] * n
    for at in _indices(tree, names):
        if at is not None and len(at) != n:
            it.wrong(node, "a stencil has an index for each axis of its array", ValueError)
        if at is None:
            it.refuse(node, f"{kernel.__name__}() has indices that are not constant", way_out)
        found = [(min(a, k), max(b, k)) for (a, b), k in zip(found, at, strict=True)]
    return found


def _indices(tree: ast.AST, names: list[str]) -> Iterator[tuple[int, ...] | None]:
    """The constant indices of some arrays in a function; None for one that is not constant."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Subscript) and getattr(each.value, "id", None) in names:
            try:
                at = ast.literal_eval(each.slice)
            except ValueError:
                yield None
                continue
            at = at if isinstance(at, tuple) else (at,)
            yield at if all(type(k) is int for k in at) else None
