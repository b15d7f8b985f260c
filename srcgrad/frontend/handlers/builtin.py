"""Python's builtins: conversions, lengths, ranges, sequences, map and filter."""

from __future__ import annotations

import functools
import types
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from srcgrad.frontend import generators
from srcgrad.frontend.casts import as_integer, cast, widened
from srcgrad.frontend.comprehensions import list_of
from srcgrad.frontend.control_flow import numpy_bool, python_bool
from srcgrad.frontend.derived_instances import contents
from srcgrad.frontend.displays import tuple_of
from srcgrad.frontend.formulas.members import FrozenMembers, members
from srcgrad.frontend.generators import Generated
from srcgrad.frontend.handlers.elementwise import number_of_math, scalar_type
from srcgrad.frontend.handlers.items_in_turn import taken_together
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import (
    backwards,
    by_places,
    enumerated,
    iterated,
    length_of,
    zipped,
)
from srcgrad.frontend.list_tails import Tail
from srcgrad.frontend.special_methods import asked, converted, length_of_instance
from srcgrad.frontend.tracked_dicts import tracked_set
from srcgrad.frontend.values import (
    GrownList,
    Iterated,
    MaybeUnbound,
    Partial,
    Range,
    View,
    describe,
    is_array,
    is_integer,
    is_number,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import FLOAT, INT


# ---- conversions ----
@implements(float)
def float_(it: Interpreter, node: Node, x: Any = 0.0) -> Any:
    return _converted(it, node, x, FLOAT, float)


@implements(int)
def int_(it: Interpreter, node: Node, x: Any = 0, base: Any = None) -> Any:
    if base is None:
        return _converted(it, node, x, INT, int)
    try:
        return int(it.known_text(x, node), it.static_int(base, node, "the base of an integer"))
    except ValueError as e:
        it.fails(e, node)


def _digits(f: Any) -> None:
    def handler(it: Interpreter, node: Node, number: Any) -> str:
        return f(it.static_int(number, node, f"what {f.__name__}() shows"))

    implements(f)(handler)


for _f in (bin, oct, hex):
    _digits(_f)


@implements(bool)
def bool_(it: Interpreter, node: Node, x: Any = False) -> Any:
    return python_bool(it, it.truth(x, node))


@implements(np.bool_)
def bool_of_numpy(it: Interpreter, node: Node, x: Any = False) -> Any:
    return numpy_bool(it, it.truth(x, node))


def _converted(it: Interpreter, node: Node, x: Any, target: Any, static: Any) -> Any:
    if is_number(x) or isinstance(x, str | Decimal):
        try:
            return static(x)
        except (TypeError, ValueError, OverflowError) as e:
            it.fails(e, node)
    own = converted(it, x, static, node)
    if own is not NotImplemented:
        return own
    if not is_value(x):
        it.wrong(node, f"{describe(x)} cannot be converted to a number", TypeError)
    x = number_of_math(it, node, x, static.__name__)
    if static is int:
        return as_integer(it, x)
    return plain(it.b.retyped(x, target))


# what NumPy reads of an instance, to make a number or an array of it
_READ_BY_NUMPY = (
    "__array__", "__array_interface__", "__array_struct__", "__buffer__", "__index__", "__getitem__"
)  # fmt: skip


def _cast_to(dtype: Any) -> None:
    of_python = int if issubclass(dtype, np.integer) else float
    method = f"__{of_python.__name__}__"

    def handler(it: Interpreter, node: Node, x: Any = 0) -> Any:
        own = converted(it, x, of_python, node)
        x = x if own is NotImplemented else own
        if isinstance(x, list | tuple | Range | range):
            x = it.call_numpy(np.array, [x], {}, node)
        if x is None or isinstance(x, str | Decimal | Fraction):
            try:
                return dtype(x)  # type: ignore[arg-type]  (None may raise)
            except (TypeError, ValueError, OverflowError) as e:
                it.fails(e, node)
        if not is_value(x):
            cls = it.call(type, [x], {}, node)
            read = any(hasattr(cls, name) for name in (*_READ_BY_NUMPY, method))
            if not read or issubclass(cls, dict):
                takes = "a string, a bytes-like object" if of_python is int else "a string"
                takes = f"{of_python.__name__}() argument must be {takes} or a real number"
                it.wrong(node, f"{takes}, not '{cls.__name__}'", TypeError)
            it.refuse(node, f"{describe(x)} cannot be converted to a number")
        return cast(it, x, scalar_type(it, node, dtype))

    implements(dtype)(handler)


for _dtype in (np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64,
               np.uint8, np.uint16, np.uint32, np.uint64):  # fmt: skip
    _cast_to(_dtype)


# ---- sequences ----
@implements(len)
def len_(it: Interpreter, node: Node, x: Any) -> Any:
    if is_array(x):
        if not x.type.dims:
            it.wrong(node, "len() of a 0-d array", TypeError)
        return x.type.dims[0]
    if isinstance(x, GrownList):
        return it.grown_length(x)
    if isinstance(x, Range | range):
        return length_of(it, iterated(it, x, node))
    own = length_of_instance(it, x, node)
    if own is not NotImplemented:
        return own
    if isinstance(x, View):
        return len(x.owner)
    if isinstance(x, Tail):
        put_in = [it.b.where(v.flag, 1, 0) if isinstance(v, MaybeUnbound) else 1 for v in x.added]
        return plain(functools.reduce(it.b.add, put_in, x.length()))
    x = it.known_text(x, node)
    if isinstance(x, list | tuple | dict | str | set | np.dtype | types.MappingProxyType):
        return len(x)  # type: ignore[arg-type]  (a dtype has the length of its fields)
    parts = it.parts_of(x, node)
    if parts is not None:
        return len(parts)
    it.wrong(node, f"{describe(x)} has no len()", TypeError)


@implements(range)
def range_(it: Interpreter, node: Node, *args: Any) -> Any:
    if not 1 <= len(args) <= 3:
        it.refuse(node, f"range() takes 1 to 3 arguments, not {len(args)}", like=TypeError)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    values = []
    for v in (start, stop, step):
        v = contents(it, v, node)
        if is_array(v) and not v.type.dims:
            v = it.b.load(v)
        if not is_scalar(v) or atom(v).type.dtype[0] not in "iu":
            it.refuse(node, f"range() takes integers, not {describe(v)}", like=TypeError)
        values.append(_index(it, v))
    if is_number(values[2]) and values[2] == 0:
        it.wrong(node, "range() arg 3 must not be zero", ValueError)
    if isinstance(values[2], Var):
        zero = plain(it.b.eq(values[2], 0))
        it.fail_if(zero, "ValueError", "range() arg 3 must not be zero")
    return Range(*values)


def _index(it: Interpreter, v: Any) -> Any:
    """Python's own number for an integer of any width: arithmetic with it does not wrap."""
    return it.b.retyped(v, INT) if isinstance(v, Var) else int(v)


@implements(enumerate)
def enumerate_(it: Interpreter, node: Node, x: Any, start: Any = 0) -> Any:
    start = widened(it, start) if is_value(start) else start
    if not is_integer(start):
        it.refuse(node, f"enumerate() starts at an integer, not {describe(start)}", like=TypeError)
    x = generators.in_turn(it, x, node)
    if isinstance(x, Generated):
        return generators.enumerated(it, node, x, _index(it, start))
    return enumerated(it, iterated(it, x, node), _index(it, start))


@implements(zip)
def zip_(it: Interpreter, node: Node, *xs: Any, strict: Any = False) -> Any:
    xs = tuple(generators.in_turn(it, x, node) for x in taken_together(it, xs, node))
    if sum(isinstance(x, Generated) for x in xs) == 1 and strict is False:
        parts = [x if isinstance(x, Generated) else iterated(it, x, node) for x in xs]
        lengths = [None if isinstance(p, Generated) else length_of(it, p) for p in parts]
        return generators.zipped(it, node, parts, lengths)
    parts = [iterated(it, x, node) for x in xs]
    if strict is True:
        for k, p in enumerate(parts[1:]):
            m, n = parts[0].length, p.length
            if isinstance(m, Var) or isinstance(n, Var):
                it.b.check_equal(
                    m,
                    n,
                    message=f"zip() argument {k + 2} has another length than argument 1",
                )
            elif m != n:
                it.refuse(
                    node,
                    f"zip() argument {k + 2} has another length than argument 1",
                    like=ValueError,
                )
    return zipped(it, parts, node)


@implements(reversed)
def reversed_(it: Interpreter, node: Node, x: Any) -> Any:
    if isinstance(x, Iterated):
        it.refuse(node, "an iterator cannot be reversed", "make a list of it", like=TypeError)
    own = asked(it, x, "__reversed__", [], node)
    return backwards(it, by_places(it, x, node)) if own is NotImplemented else own


@implements(list)
def list_(it: Interpreter, node: Node, x: Any = ()) -> Any:
    return list_of(it, x, node)


@implements(tuple)
def tuple_(it: Interpreter, node: Node, x: Any = ()) -> Any:
    return tuple_of(it, node, lambda: it.static_items(x, node), lambda: list_of(it, x, node))


@implements(set)
def set_(it: Interpreter, node: Node, x: Any = ()) -> Any:
    return tracked_set(it, it.call(members, [x], {}, node), node)


@implements(frozenset)
def frozenset_(it: Interpreter, node: Node, x: Any = ()) -> Any:
    return tracked_set(it, it.call(members, [x], {}, node), node, FrozenMembers)


@implements(functools.partial)
def partial_(it: Interpreter, node: Node, f: Any, /, *args: Any, **kwargs: Any) -> Any:
    return Partial(f, args, kwargs)
