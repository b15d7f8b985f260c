"""Instances of the user's classes that derive from built-in ones, as C code reads them.

One of a class of arrays has its array, another one holds a list, a tuple or a number. Python's and
NumPy's functions read that, as long as a class gives none of the methods that they call another
meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.frontend.base_members import base_of, holds_one, is_of_base
from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.formulas.list_classes import HELD
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import (
    GrownList,
    MaybeNone,
    Record,
    Slice,
    describe,
    dtype_of,
    is_array,
    is_integer,
    is_scalar,
)
from srcgrad.frontend.watches import watch_method
from srcgrad.ir.nodes import Var, atom
from srcgrad.tree import VALUE, children, rebuilt

# what C code asks of an object before it reads what is held
_ASKED = (
    "__iter__", "__len__", "__float__", "__int__", "__index__", "__array__", "__array_ufunc__",
    "__array_function__", "__array_interface__", "__array_struct__", "__array_priority__",
)  # fmt: skip


def is_held(v: Any) -> bool:
    """Whether a value is an instance that holds a list, a tuple or a number."""
    return isinstance(v, Record) and HELD in v.fields


def as_number(v: Any) -> Any:
    """The number of an instance that holds one; other values unchanged."""
    return v.fields[HELD] if is_held(v) and is_scalar(v.fields[HELD]) else v


def contents(it: Interpreter, v: Any, node: Node) -> Any:
    """The list, tuple or number that Python's C code finds in an instance; others unchanged."""
    if not isinstance(v, Record) or not is_held(v):
        return v
    for name in _ASKED:
        watch_method(it.captures, v, name)
        if _defines(v.cls, name):
            said = f"{describe(v)} is read by code in C, and its class defines {name} anew"
            it.refuse(node, said, f"pass {base_name(v.cls)}(...) of it")
    return v.fields[HELD]


def contents_for_numpy(it: Interpreter, v: Any, node: Node) -> Any:
    """The same where NumPy reads it, in lists and tuples too: a number has a dtype of its own."""
    if is_held(v):
        v = contents(it, v, node)
        if is_scalar(v):
            return it.call(np.int64 if is_integer(v) else np.float64, [v], {}, node)
    parts = _parts(v)
    made = [contents_for_numpy(it, part, node) for part in parts]
    return v if all(p is q for p, q in zip(parts, made, strict=True)) else rebuilt(v, made)


def as_operands(
    it: Interpreter, a: Any, c: Any, methods: tuple[str, str], node: Node
) -> tuple[Any, Any]:
    """Two operands, with what one holds where its class leaves the operator to the built-in class.

    `methods`: those of the left and of the right operand. A float takes NumPy's double for one of
    Python's; all others of NumPy's take it for a double.
    """
    left = is_held(a)
    v, other = (a, c) if left else (c, a)
    if isinstance(other, Record) or not is_held(v):
        return a, c
    watch_method(it.captures, v, methods[not left])
    if _defines(v.cls, methods[not left]) and (left or not _takes(other, v)):
        return a, c
    one = v.fields[HELD]
    if is_array(other) or (is_scalar(other) and not atom(other).type.weak):
        double = is_scalar(other) and dtype_of(other) == "f64"
        if left and double and is_scalar(one) and not is_integer(one):
            return one, it.call(float, [other], {}, node)
        one = contents_for_numpy(it, v, node)
    return (one, other) if left else (other, one)


def _takes(number: Any, v: Record) -> bool:
    """Whether a number on the left computes with what an instance holds and asks its class nothing.

    Python calls the method of a class that derives from the number's own first.
    """
    one = v.fields[HELD]
    if not is_scalar(number) or not is_scalar(one):
        return False
    type_ = atom(number).type
    if not type_.weak:
        return not any(_defines(v.cls, n) for n in ("__array_ufunc__", "__array_priority__"))
    kind = type_.dtype[0]
    return kind == "c" or (is_integer(one) and kind in "bf")


def _defines(cls: type, name: str) -> bool:
    """Whether a class, or one that it derives from, defines a method in Python."""
    home = next((c for c in cls.__mro__ if name in vars(c)), object)
    return made_by_statement(home)


def base_name(cls: type) -> str:
    """The name of the built-in class that a class derives from."""
    base = base_of(cls)
    return base.__name__ if base else "object"


def holding(it: Interpreter, cls: type, args: list[Any], node: Node) -> Record:
    """The instance that the `__new__` of the built-in class makes."""
    base = base_of(cls)
    assert base is not None and holds_one(cls), cls
    one = it.tracked_list([], node) if base is list else it.call(base, args, {}, node)
    return Record(cls, {HELD: one})


# ---- arrays ----
def is_derived(cls: Any) -> bool:
    """Whether a class derives from ndarray."""
    return isinstance(cls, type) and issubclass(cls, np.ndarray) and cls is not np.ndarray


def is_instance(v: Any) -> bool:
    return isinstance(v, Record) and VALUE in v.fields and is_derived(v.cls)


def array_of(v: Any) -> Any:
    """The array of an instance; other values unchanged."""
    return v.fields[VALUE] if is_instance(v) else v


def run_over(it: Interpreter, v: Any) -> Any:
    """The array, list or tuple whose items the iterator of an instance gives; others unchanged."""
    if not is_instance(v) and not is_held(v):
        return v
    for name in ("__iter__", "__getitem__"):
        watch_method(it.captures, v, name)
    if is_held(v):
        of_base = base_of(v.cls) in (list, tuple) and is_of_base(v.cls, "__iter__")
        return v.fields[HELD] if of_base else v
    if not all(is_of_base(v.cls, n) for n in ("__iter__", "__getitem__")):
        return v
    value = v.fields[VALUE]
    return value if is_array(value) and value.type.ndim == 1 else v


def inside(v: Any) -> list[Record]:
    """The instances among arguments, in their order, those in containers too.

    Also those that hold a list, a tuple or a number.
    """
    if is_instance(v) or is_held(v):
        return [v]
    if isinstance(v, MaybeNone):
        return inside(v.value)
    return [each for part in _parts(v) for each in inside(part)]


def arrays_in(v: Any) -> Any:
    """Arguments with the arrays of the instances in them."""
    if not inside(v):
        return v
    if isinstance(v, MaybeNone):
        return MaybeNone(arrays_in(v.value), v.flag)
    if is_held(v):
        return v
    return array_of(v) if is_instance(v) else rebuilt(v, [arrays_in(part) for part in _parts(v)])


def place_in(it: Interpreter, x: Any, place: Any, node: Node) -> Any:
    """An index of an array, a list, a tuple or a text, with what an instance holds."""
    place = array_of(place)
    if not isinstance(x, Var | list | tuple | str | GrownList):
        return place
    if isinstance(place, Slice):
        return Slice(*[contents(it, v, node) for v in (place.lower, place.upper, place.step)])
    return contents(it, place, node)


def places_in(it: Interpreter, x: Any, places: Sequence[Any], node: Node) -> list[Any]:
    """The parts of an index; those of a tuple that an instance holds, where `x` is an array."""
    if is_array(x) and len(places) == 1 and is_held(places[0]):
        only = contents(it, places[0], node)
        places = only if isinstance(only, tuple) else [only]
    return [place_in(it, x, p, node) for p in places]


def for_array(
    it: Interpreter, owner: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a method, as an array takes them: with the arrays of instances."""
    if not is_array(owner) or not inside([args, kwargs]):
        return args, kwargs
    args, kwargs = (arrays_in(contents_for_numpy(it, v, node)) for v in (args, kwargs))
    return args, kwargs


def _parts(v: Any) -> list[Any]:
    """The parts of a container; attributes of objects are none."""
    return [] if isinstance(v, Record) else children(v) or []
