"""Python's builtins: numbers, lengths, ranges, sequences, print; methods of lists and dicts."""

from __future__ import annotations

import builtins
import functools
import math
import types
from typing import Any

import numpy as np

from srcgrad.frontend.handlers.elementwise import _scalar, scalar_type
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.values import (
    Closure,
    Formatted,
    GrownList,
    Iterated,
    Partial,
    Range,
    Record,
    TrackedList,
    describe,
    is_array,
    is_integer,
    is_number,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import BOOL, FLOAT, INT, Scalar, np_dtype


# ---- conversions ----
@implements(float)
def float_(it: Any, node: Any, x: Any = 0.0) -> Any:
    return _converted(it, node, x, FLOAT, float)


@implements(int)
def int_(it: Any, node: Any, x: Any = 0) -> Any:
    return _converted(it, node, x, INT, int)


@implements(bool, np.bool_)
def bool_(it: Any, node: Any, x: Any = False) -> Any:
    return it.truth(x, node)


def _converted(it: Any, node: Any, x: Any, target: Any, static: Any) -> Any:
    if is_number(x) or isinstance(x, str):
        return static(x)
    if not is_value(x):
        it.refuse(node, f"{describe(x)} cannot be converted to a number")
    x = _scalar(it, node, x, static.__name__)
    return plain(it.b.retyped(x, target))


def _cast_to(dtype: Any) -> None:
    def handler(it: Any, node: Any, x: Any = 0) -> Any:
        if is_number(x):
            return dtype(x)
        if isinstance(x, list | tuple):
            x = it.call_numpy(np.array, [x], {}, node)
        return plain(it.b.cast(x, scalar_type(it, node, dtype)))

    implements(dtype)(handler)


for _dtype in (np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64,
               np.uint8, np.uint16, np.uint32, np.uint64):  # fmt: skip
    _cast_to(_dtype)


@implements(complex)
def complex_(it: Any, node: Any, *args: Any) -> Any:
    if all(is_number(a) for a in args):
        return complex(*args)
    it.refuse(node, "complex numbers are not supported yet")


# ---- sequences ----
@implements(len)
def len_(it: Any, node: Any, x: Any) -> Any:
    if is_array(x):
        if not x.type.dims:
            it.refuse(node, "len() of a 0-d array")
        return x.type.dims[0]
    if isinstance(x, GrownList):
        return it.grown_length(x)
    if isinstance(x, Range | range):
        return it.length_of(it.iterated(x, node))
    if isinstance(x, Record) and hasattr(x.cls, "__len__"):
        return it.call(x.cls.__len__, [x], {}, node)
    if isinstance(x, list | tuple | dict | str | set):
        return len(x)
    it.refuse(node, f"{describe(x)} has no len()")


@implements(range)
def range_(it: Any, node: Any, *args: Any) -> Any:
    if not 1 <= len(args) <= 3:
        it.refuse(node, f"range() takes 1 to 3 arguments, not {len(args)}")
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    values = []
    for v in (start, stop, step):
        if is_array(v) and not v.type.dims:
            v = it.b("load", v)
        if not is_scalar(v) or atom(v).type.dtype[0] not in "iu":
            it.refuse(node, f"range() takes integers, not {describe(v)}")
        values.append(v if not isinstance(v, np.integer) else int(v))
    if is_number(values[2]) and values[2] == 0:
        it.refuse(node, "range() arg 3 must not be zero")
    if isinstance(values[2], Var):
        zero = plain(it.b("eq", values[2], 0))
        it.fail_if(zero, "ValueError", "range() arg 3 must not be zero")
    return Range(*values)


@implements(enumerate)
def enumerate_(it: Any, node: Any, x: Any, start: Any = 0) -> Any:
    if not is_integer(start):
        it.refuse(node, f"enumerate() starts at an integer, not {describe(start)}")
    return it.enumerated(it.iterated(x, node), start)


@implements(zip)
def zip_(it: Any, node: Any, *xs: Any, strict: Any = False) -> Any:
    parts = [it.iterated(x, node) for x in xs]
    if strict is True:
        for k, p in enumerate(parts[1:]):
            m, n = parts[0].length, p.length
            if isinstance(m, Var) or isinstance(n, Var):
                it.b(
                    "check_equal",
                    m,
                    n,
                    message=f"zip() argument {k + 2} has another length than argument 1",
                )
            elif m != n:
                it.refuse(node, f"zip() argument {k + 2} has another length than argument 1")
    return it.zipped(parts, node)


@implements(reversed)
def reversed_(it: Any, node: Any, x: Any) -> Any:
    if isinstance(x, Iterated):
        it.refuse(node, "an iterator cannot be reversed", "make a list of it")
    return it.reversed(it.iterated(x, node))


@implements(list)
def list_(it: Any, node: Any, x: Any = ()) -> Any:
    return it.tracked_list(it.static_items(x, node), node)


@implements(tuple)
def tuple_(it: Any, node: Any, x: Any = ()) -> Any:
    return tuple(it.static_items(x, node))


@implements(set, frozenset)
def set_(it: Any, node: Any, x: Any = ()) -> Any:
    items = sorted(x) if isinstance(x, set | frozenset) else it.static_items(x, node)
    if any(not _constant(v) for v in items):
        it.refuse(node, "a set of run-time values is not supported", "use an array or a list")
    return set(items)


def _constant(v: Any) -> bool:
    """Whether a value is known now, all of it."""
    if isinstance(v, tuple):
        return all(map(_constant, v))
    return is_number(v) or v is None or isinstance(v, str | type)


@implements(dict)
def dict_(it: Any, node: Any, x: Any = (), **kwargs: Any) -> Any:
    out: dict = {}
    pairs = x.items() if isinstance(x, dict) else it.static_items(x, node)
    for pair in pairs:
        key, value = pair if isinstance(pair, tuple) else it.static_items(pair, node)
        out[it.static_key(key, node)] = value
    return {**out, **kwargs}


@implements(sorted)
def sorted_(it: Any, node: Any, x: Any, key: Any = None, reverse: Any = False) -> Any:
    items = sorted(x) if isinstance(x, set | frozenset) else it.static_items(x, node)
    keys = items if key is None else [it.call(key, [v], {}, node) for v in items]
    if any(not _constant(v) for v in keys) or not isinstance(reverse, bool):
        it.refuse(node, "sorted() of run-time values", "use np.sort")
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    except TypeError as e:
        it.refuse(node, str(e))
    return it.tracked_list([items[k] for k in order], node)


@implements(map)
def map_(it: Any, node: Any, f: Any, *xs: Any) -> Any:
    columns = zip(*(it.static_items(x, node) for x in xs), strict=False)
    out = it.static_iterated([it.call(f, list(c), {}, node) for c in columns], once=True)
    out.lazy = True
    return out


@implements(filter)
def filter_(it: Any, node: Any, f: Any, x: Any) -> Any:
    kept = []
    for v in it.static_items(x, node):
        test = it.truth(v if f is None else it.call(f, [v], {}, node), node)
        if isinstance(test, Var):
            it.refuse(node, "filter() by a condition known only at run time", "use a loop")
        kept += [v] if test else []
    out = it.static_iterated(kept, once=True)
    out.lazy = True
    return out


@implements(functools.reduce)
def reduce_(it: Any, node: Any, f: Any, x: Any, *start: Any) -> Any:
    items = [*start, *it.static_items(x, node)]
    if not items:
        it.refuse(node, "reduce() of an empty iterable with no initial value")
    result = items[0]
    for v in items[1:]:
        result = it.call(f, [result, v], {}, node)
    return result


@implements(functools.partial)
def partial_(it: Any, node: Any, f: Any, *args: Any, **kwargs: Any) -> Any:
    return Partial(f, args, kwargs)


# ---- folds ----
@implements(abs)
def abs_(it: Any, node: Any, x: Any) -> Any:
    if is_number(x):
        return abs(x)
    if isinstance(x, Record):
        return it.call(it.attribute(x, "__abs__", node), [], {}, node)
    if not is_value(x):
        it.refuse(node, f"bad operand type for abs(): {describe(x)}")
    return it.emit(node, "abs", it.widened(x))


@implements(builtins.sum)
def sum_(it: Any, node: Any, x: Any, start: Any = 0) -> Any:
    import gast

    if is_array(x):
        if atom(x).type.dtype == "bool":
            x = it.b.cast(x, Scalar("i64"))
        if x.type.ndim == 1:
            total = it.call_numpy(np.sum, [x], {"dtype": np_dtype(x.type.dtype)}, node)
        else:
            total = it.call_numpy(np.sum, [x], {"axis": 0}, node)
        return (
            total if is_number(start) and start == 0 else it.binary(gast.Add(), start, total, node)
        )
    if isinstance(x, GrownList):
        total = it.b.retyped(it.call_numpy(np.sum, [x], {}, node), x.dtype)
        return it.binary(gast.Add(), start, total, node)
    for item in it.static_items(x, node):
        start = it.binary(gast.Add(), start, item, node)
    return start


def _extreme(name: str, primitive: str, whole: Any) -> Any:
    def handler(it: Any, node: Any, *given: Any, default: Any = None) -> Any:
        xs: list[Any] = list(given)
        if len(xs) == 1 and (is_array(xs[0]) or isinstance(xs[0], GrownList)):
            best = it.call_numpy(whole, [xs[0]], {}, node)
            return it.b.retyped(best, xs[0].dtype) if isinstance(xs[0], GrownList) else best
        items = list(xs) if len(xs) > 1 else it.static_items(xs[0], node)
        if not items:
            it.refuse(node, f"{name}() of an empty sequence")
        if all(is_number(v) for v in items):
            return getattr(builtins, name)(items)
        best = items[0]
        for v in items[1:]:
            if not (is_scalar(best) and is_scalar(v)):
                it.refuse(node, f"{name}() takes numbers; use np.{primitive} for arrays")
            best = it.emit(node, primitive, *it.widened_pair(best, v))
        return best

    return handler


implements(builtins.max)(_extreme("max", "maximum", np.max))
implements(builtins.min)(_extreme("min", "minimum", np.min))


@implements(builtins.any)
def any_(it: Any, node: Any, x: Any) -> Any:
    return _quantified(it, node, x, np.any, it.either, False)


@implements(builtins.all)
def all_(it: Any, node: Any, x: Any) -> Any:
    return _quantified(it, node, x, np.all, lambda a, c: it.b("logical_and", a, c), True)


def _quantified(it: Any, node: Any, x: Any, whole: Any, join: Any, start: bool) -> Any:
    if is_array(x):
        return it.call_numpy(whole, [x], {}, node)
    result: Any = start
    for item in it.static_items(x, node):
        result = plain(join(result, it.truth(item, node)))
    return result


@implements(round)
def round_(it: Any, node: Any, x: Any, digits: Any = None) -> Any:
    if is_number(x):
        return round(x) if digits is None else round(x, it.static_int(digits, node, "digits"))
    if not is_value(x) or (is_array(x) and x.type.dims):
        it.refuse(node, f"round() takes a number, not {describe(x)}", "use np.round")
    if atom(x).type.dtype[0] in "iub":
        whole = it.widened(x)
        keeps = digits is not None or (isinstance(x, Var) and x.type.weak)
        return whole if keeps else it.b.retyped(whole, INT)
    if digits is None:
        _refuse_not_finite(it, x)
        return plain(it.b.retyped(it.b("rint", x), INT))
    return it.call_numpy(np.round, [x, digits], {}, node)


def _refuse_not_finite(it: Any, x: Any) -> None:
    """int() of infinities and NaN raises, as in Python."""
    it.fail_if(plain(it.b("isnan", x)), "ValueError", "cannot convert float NaN to integer")
    it.fail_if(plain(it.b("isinf", x)), "OverflowError", "cannot convert float infinity to integer")


@implements(divmod)
def divmod_(it: Any, node: Any, a: Any, c: Any) -> Any:
    import gast

    return it.binary(gast.FloorDiv(), a, c, node), it.binary(gast.Mod(), a, c, node)


@implements(pow)
def pow_(it: Any, node: Any, a: Any, c: Any) -> Any:
    import gast

    return it.binary(gast.Pow(), a, c, node)


@implements(math.prod)
def prod(it: Any, node: Any, x: Any) -> Any:
    import gast

    result: Any = 1
    for item in it.static_items(x, node):
        result = it.binary(gast.Mult(), result, item, node)
    return result


# ---- the static world ----
@implements(isinstance)
def isinstance_(it: Any, node: Any, x: Any, classes: Any) -> Any:
    many = _classes(it, node, classes)
    if isinstance(x, Formatted):
        kinds: tuple = (str,)
    elif isinstance(x, Closure | Partial):
        kinds = (types.FunctionType,) if isinstance(x, Closure) else (functools.partial,)
    elif isinstance(x, GrownList | TrackedList):
        kinds = (list,)
    elif isinstance(x, Record):
        kinds = (x.cls,)
    elif isinstance(x, Var):
        kinds = (np.ndarray,) if is_array(x) else (_python_type(x),)
    elif isinstance(x, Iterated | Range):
        it.refuse(node, "isinstance() of an iterator is not supported")
    else:
        kinds = (type(x),)
    return any(issubclass(k, c) for k in kinds for c in many)


def _classes(it: Any, node: Any, classes: Any) -> list[type]:
    if isinstance(classes, tuple):
        return [c for part in classes for c in _classes(it, node, part)]
    if isinstance(classes, types.UnionType):
        return [c for part in classes.__args__ for c in _classes(it, node, part)]
    if not isinstance(classes, type):
        it.refuse(node, f"isinstance() takes classes, not {describe(classes)}")
    return [classes]


def _python_type(x: Var) -> type:
    from srcgrad.ir.types import np_dtype

    t = x.type
    if t.weak:
        return {"i": int, "f": float, "c": complex}[t.dtype[0]]
    return bool if t == BOOL else np_dtype(t.dtype).type


@implements(type)
def type_(it: Any, node: Any, x: Any) -> Any:
    if is_array(x):
        return np.ndarray
    if isinstance(x, Var):
        return _python_type(x)
    if isinstance(x, GrownList | TrackedList):
        return list
    if isinstance(x, Closure | Partial | Iterated | Formatted):
        it.refuse(node, f"type() of {describe(x)} is not supported")
    return x.cls if isinstance(x, Record) else type(x)


@implements(hasattr)
def hasattr_(it: Any, node: Any, x: Any, name: Any) -> Any:
    if is_array(x):
        return hasattr(np.ndarray, name)
    if isinstance(x, Var):
        return hasattr(_python_type(x), name)
    return name in x.fields or hasattr(x.cls, name) if isinstance(x, Record) else hasattr(x, name)


@implements(getattr)
def getattr_(it: Any, node: Any, x: Any, name: Any, *default: Any) -> Any:
    if not isinstance(name, str):
        it.refuse(node, "the name of an attribute must be known at compile time")
    if default and not hasattr_(it, node, x, name):
        return default[0]
    return it.attribute(x, name, node)


@implements(setattr)
def setattr_(it: Any, node: Any, x: Any, name: Any, value: Any) -> None:
    if not isinstance(name, str) or not isinstance(x, Record):
        it.refuse(
            node, f"setattr() of {describe(x)} is not supported", "use a plain class or a dataclass"
        )
    it.changing(x, node)
    it.set_field(x, name, value, node)


@implements(callable)
def callable_(it: Any, node: Any, x: Any) -> Any:
    return isinstance(x, Closure) or (not isinstance(x, Var) and callable(x))


@implements(np.shape)
def shape(it: Any, node: Any, x: Any) -> Any:
    return tuple(x.type.dims) if is_array(x) else ()


@implements(np.ndim)
def ndim(it: Any, node: Any, x: Any) -> Any:
    return x.type.ndim if is_array(x) else 0


@implements(np.size)
def size(it: Any, node: Any, x: Any, axis: Any = None) -> Any:
    if axis is not None:
        return x.type.dims[it.static_int(axis, node, "axis")]
    return it.b.size(x.type.dims) if is_array(x) else 1


@implements(print)
def print_(it: Any, node: Any, *values: Any, sep: Any = " ", end: Any = "\n", **kwargs: Any) -> Any:
    template, atoms = [], []
    for v in values:
        if isinstance(v, Formatted):
            template.append(v.template)
            atoms += v.values
        elif isinstance(v, Var):
            template.append("{}")
            atoms.append(v)
        else:
            template.append(str(v).replace("{", "{{").replace("}", "}}"))
    it.b("show", *atoms, message=sep.join(template))


@implements(str, repr)
def str_(it: Any, node: Any, x: Any = "") -> Any:
    return Formatted("{}", [x]) if isinstance(x, Var) else str(x)
