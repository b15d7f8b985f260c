"""Structured arrays of NumPy in compiled code: stand-ins that hold an array for each field."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from srcgrad import tree
from srcgrad.frontend.formulas import structured as formulas
from srcgrad.frontend.formulas import structured_functions as functions
from srcgrad.frontend.formulas.registry import class_represented
from srcgrad.frontend.grown_lists import GrownTable
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record, is_scalar, ndim
from srcgrad.protocols import home_module
from srcgrad.tree import RECORDS, Fields, has_fields


def of_parts(cls: type, dtype: np.dtype, parts: Sequence[Any]) -> Record:
    """The stand-in of an array, or a record, of these fields."""
    cls = _of_rank(cls, dtype, _ndim(parts[0]) - dtype[0].ndim, parts[0])
    held = formulas.Held(cls, dtype, tuple(parts))
    stand_in = formulas.Record if cls in RECORDS else formulas.StructuredArray
    return Record(stand_in, {formulas.HELD: held})


def _ndim(part: Any) -> int:
    """The rank of an array, which may be structured."""
    if not isinstance(part, Record):
        return ndim(part)
    held = part.fields[formulas.HELD]
    return _ndim(held.parts[0]) - held.dtype[0].ndim


def _of_rank(cls: type, dtype: np.dtype, rank: int, part: Any) -> type:
    """The class of items of an array, or of a batch of records."""
    if cls in RECORDS and rank:
        return np.recarray if cls is np.record else np.ndarray
    return dtype.type if not rank and is_scalar(part) else cls


def is_structured(v: Any) -> bool:
    """Whether a value of compiled code is a structured array or a record."""
    return isinstance(v, Record) and issubclass(v.cls, formulas.StructuredArray)


def fields_of(v: Record, part: Callable[[Any], Any]) -> Fields:
    """The fields of a stand-in, each given by `part`."""
    held = v.fields[formulas.HELD]
    return Fields(held.cls, held.dtype, tuple(part(p) for p in held.parts))


def inside(like: Any, parts: Sequence[Any]) -> Any:
    """A structure like the caller's, of other parts, in the interpreter's form."""
    if tree.is_by_fields(like):
        return Record(type(like), dict(zip(tree.keys(like), parts, strict=True)))
    made = tree.opened(like, parts)
    return of_parts(made.cls, made.dtype, parts) if isinstance(made, Fields) else made


def class_shown(v: Record) -> type:
    """The class of Python's or NumPy's that an instance is one of, or represents one of."""
    if is_structured(v):
        return v.fields[formulas.HELD].cls
    return class_represented(v.cls)


def structured_dtype(dtype: Any) -> np.dtype | None:
    """The dtype that an argument describes, if it is one of fields that share no memory."""
    if isinstance(dtype, list | dict | str):
        try:
            dtype = np.dtype(dtype)  # type: ignore[call-overload]  (it describes fields, or fails)
        except (TypeError, ValueError):
            return None
    return dtype if isinstance(dtype, np.dtype) and has_fields(dtype) else None


def formula_of(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> tuple[Any, list[Any], dict[str, Any]] | None:
    """The formula for a function of NumPy's that takes or makes a structured array, and arguments.

    None for calls without one.
    """
    if not isinstance(f, Hashable) or not home_module(f).startswith("numpy"):
        return None
    given = [*args, *kwargs.values()]
    given += [v for part in given if isinstance(part, list | tuple) for v in part]
    taken = any(map(is_structured, given))
    if any(isinstance(v, GrownTable) and is_structured(v.template) for v in given):
        what = f"{f.__name__} of a list of structured arrays that grows at run time"
        it.refuse(node, f"{what} is not supported", "take a field of each: [r['x'] for r in rows]")
    if f in functions.MADE:
        dtype = structured_dtype(kwargs.get("dtype", args[1] if len(args) > 1 else None))
        if dtype is not None and "dtype" in kwargs:
            return functions.MADE[f], args, {**kwargs, "dtype": dtype}
        if dtype is not None:
            return functions.MADE[f], [args[0], dtype, *args[2:]], kwargs
    if taken and (formula := {**functions.MADE, **functions.TAKEN}.get(f)) is not None:
        return formula, args, kwargs
    if taken:
        name = getattr(f, "__name__", "this function")
        it.refuse(node, f"{name} of a structured array is not supported", formulas.FIELDS)
    return None
