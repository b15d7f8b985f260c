"""Special methods of the user's classes: operators, comparisons, truth, lengths, texts.

They are looked up in Python's order, for instances that are made inside (records) and for captured
objects. Never runs one at compile time.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import sys
import types
from typing import Any, NoReturn

import gast
import numpy as np

from srcgrad.errors import SourceError
from srcgrad.frontend import source
from srcgrad.frontend.array_operands import (
    defers,
    is_of_array,
    refuse_elements,
    refuse_scalars,
)
from srcgrad.frontend.base_members import member_of
from srcgrad.frontend.control_flow import both, negate, python_bool
from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.derived_instances import as_number
from srcgrad.frontend.dict_values import refuse_whole
from srcgrad.frontend.foreign import FOLLOWED, foreign_library
from srcgrad.frontend.formulas.registry import REPRESENTED
from srcgrad.frontend.identity import identical
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.library_source import CLASSES
from srcgrad.frontend.masked_constant import Masked, as_array
from srcgrad.frontend.number_classes import refuse_mixed
from srcgrad.frontend.texts import is_reading, literal, quoted, shown
from srcgrad.frontend.values import (
    Abstract,
    Formatted,
    GrownList,
    Iterated,
    Range,
    Record,
    Slice,
    View,
    describe,
    is_array,
    is_integer,
    is_number,
    plain,
)
from srcgrad.frontend.watches import watch_method
from srcgrad.ir.nodes import Const, Var
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import BOOL, FLOAT, np_dtype
from srcgrad.protocols import home_module

COMPARISONS: dict[str, RowName] = {
    "Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"
}  # fmt: skip
SIGNS = dict(zip(map(str, COMPARISONS.values()), ("==", "!=", "<", "<=", ">", ">="), strict=True))
MIRRORED = str.maketrans("lg", "gl")  # lt and gt, le and ge
SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "pow": "** or pow()", "divmod": "divmod()", "matmul": "@", "and": "&", "or": "|", "xor": "^",
    "lshift": "<<", "rshift": ">>",
}  # fmt: skip
_REPR_NAMES_DTYPES = repr(np.float64(1.0)) != "1.0"  # since NumPy 2


# ---- which classes, which methods ----
def class_of_instance(v: Any) -> type:
    return v.cls if isinstance(v, Record) else type(v)


def special(v: Any, name: str) -> types.FunctionType | None:
    """The user's method that implements an operation for a value; None if there is none."""
    if not isinstance(v, Record) and (
        isinstance(v, Abstract | Var | Const | type) or not made_by_statement(type(v))
    ):
        return None
    found = _in_class(class_of_instance(v), name)
    if not isinstance(found, types.FunctionType):
        return None
    own = isinstance(v, Record) or type(v) in CLASSES
    return found if own or not _of_library(found) else None


def _of_library(f: types.FunctionType) -> bool:
    home = home_module(f).split(".")[0]
    if home in FOLLOWED:
        return False
    ours = home in ("srcgrad", "numpy", "scipy")
    return (
        ours or (home in sys.stdlib_module_names and home != "__main__") or bool(foreign_library(f))
    )


def _in_class(cls: type, name: str) -> Any:
    return member_of(cls, name)


def asked(it: Interpreter, v: Any, name: str, args: list[Any], node: Node) -> Any:
    """The result of a special method; NotImplemented if there is none."""
    f = method_of(it, v := as_array(it, v, node), name)
    return NotImplemented if f is None else it.call(f, [v, *args], {}, node)


def method_of(it: Interpreter, v: Any, name: str) -> types.FunctionType | None:
    """The same, under a guard: another method, or a first one, rebuilds the program."""
    if isinstance(v, Record) or not isinstance(v, Abstract | Var | Const | type):
        watch_method(it.captures, v, name)
    return special(v, name)


def _wrong(it: Interpreter, said: str, node: Node) -> NoReturn:
    """Handles a use that raises TypeError in Python."""
    it.wrong(node, said, TypeError)


def converted(it: Interpreter, v: Any, wanted: type, node: Node) -> Any:
    """`float(v)` or `int(v)` by a method of the user's; NotImplemented if there is none."""
    out = asked(it, v, name := f"__{wanted.__name__}__", [], node)
    if wanted is float and type_name(out) == "numpy.float64":  # which derives from Python's
        return plain(it.b.retyped(out, FLOAT))
    if out is not NotImplemented and type_name(out) != wanted.__name__:
        _wrong(it, f"{name} returned non-{wanted.__name__} (type {type_name(out)})", node)
    return out


# ---- operators ----
def operated(it: Interpreter, name: str, a: Any, c: Any, node: Node) -> Any:
    """`a op c` by methods of the user's; NotImplemented if none implements it."""
    own, other = class_of_instance(a), class_of_instance(c)
    direct, mirrored = (a, f"__{name}__", c), (c, f"__r{name}__", a)
    turns = [direct]
    refuse_scalars(it, a, c, mirrored[1], node)
    found = special(c, mirrored[1]) is not None
    if is_of_array(a, direct[1]) and defers(it, a, c, mirrored[1], found, node):
        turns = [mirrored]
    elif own is not other:
        refuse_elements(it, a, c, mirrored[1], found, node)
        method_of(it, c, mirrored[1])
        overrides = issubclass(other, own) and _in_class(other, mirrored[1]) is not _in_class(
            own, mirrored[1]
        )
        turns.insert(0 if overrides else 1, mirrored)
    for owner, method, operand in turns:
        out = asked(it, owner, method, [operand], node)
        if out is not NotImplemented:
            return out
    if isinstance(a, Record) or isinstance(c, Record):
        kinds = f"'{type_name(a)}' and '{type_name(c)}'"
        if any(issubclass(class_of_instance(v), np.ndarray) for v in (a, c)):
            it.refuse(node, f"{SYMBOLS[name]} of {kinds}: both leave it to NumPy")
        _wrong(it, f"unsupported operand type(s) for {SYMBOLS[name]}: {kinds}", node)
    return NotImplemented


def operated_in_place(it: Interpreter, name: str, a: Any, c: Any, node: Node) -> Any:
    """`a op= c` by methods of the user's; NotImplemented if none implements it."""
    out = a if isinstance(a, Masked) else asked(it, a, f"__i{name}__", [c], node)
    return operated(it, name, a, c, node) if out is NotImplemented else out


def negated(it: Interpreter, name: str, v: Any, node: Node) -> Any:
    """`-v`, `+v` or `~v` by a method of the user's, "neg", "pos" or "invert"."""
    out = asked(it, v, f"__{name}__", [], node)
    if out is NotImplemented and isinstance(v, Record):
        sign = {"neg": "-", "pos": "+", "invert": "~"}[name]
        _wrong(it, f"bad operand type for unary {sign}: '{type_name(v)}'", node)
    return out


# ---- comparisons ----
def compared(it: Interpreter, name: str, a: Any, c: Any, node: Node) -> Any:
    """`a op c` where one is an instance: NotImplemented if neither implements it."""
    mirrored = name.translate(MIRRORED)
    refuse_scalars(it, a, c, f"__{mirrored}__", node)
    a, c = (as_array(it, v, node) for v in (a, c))
    own, other = class_of_instance(a), class_of_instance(c)
    turns = [(a, name, c), (c, mirrored, a)]
    derived = own is not other and issubclass(other, own)
    if derived and method_of(it, c, f"__{mirrored}__") is not None:
        turns.reverse()
    for owner, method, operand in turns:
        out = _comparison(it, owner, method, operand, node)
        if out is not NotImplemented:
            return out
    if not isinstance(a, Record) and not isinstance(c, Record):
        return NotImplemented
    if name in ("eq", "ne"):
        return identical(it, a, c, node) == (name == "eq")
    kinds = f"'{type_name(a)}' and '{type_name(c)}'"
    it.wrong(node, f"'{SIGNS[name]}' not supported between instances of {kinds}", TypeError)


def _comparison(it: Interpreter, v: Any, name: str, other: Any, node: Node) -> Any:
    """The result of one side's comparison; `!=` negates `==` where it is not defined."""
    f = method_of(it, v, f"__{name}__")
    if f is None and name == "ne":
        same = _comparison(it, v, "eq", other, node)
        return same if same is NotImplemented else negate(it, it.truth(same, node))
    if f is None or not _is_generated(v, f):
        return asked(it, v, f"__{name}__", [other], node)
    if not isinstance(other, Record) or class_of_instance(other) is not v.cls:
        return NotImplemented
    names = [f.name for f in dataclasses.fields(v.cls) if f.compare]
    op = next(kind for kind, method in COMPARISONS.items() if method == name)
    mine, others = (tuple(x.fields[n] for n in names) for x in (v, other))
    if name == "eq" and not _FIELDS_ARE_ITEMS:
        same: Any = True
        for a, c in zip(mine, others, strict=True):
            here = it.truth(it.compare(gast.Eq(), a, c, node), node)
            same = here if same is True else both(it, same, here)
        return python_bool(it, same)
    return it.compare(getattr(gast, op)(), mine, others, node)


def _fields_are_items() -> bool:
    """Whether a dataclass treats an object as equal to itself, as a tuple does and NaN does not.

    It did so before Python 3.13.
    """
    nan = dataclasses.make_dataclass("Nan", ["x"])(math.nan)
    return nan == dataclasses.replace(nan)


_FIELDS_ARE_ITEMS = _fields_are_items()


def _is_generated(v: Any, f: types.FunctionType) -> bool:
    """Whether a method is one that `dataclass` wrote."""
    if not isinstance(v, Record) or not hasattr(v.cls, "__dataclass_fields__"):
        return False
    return not has_source(inspect.unwrap(f))


def has_source(f: Any) -> bool:
    if not isinstance(f, types.FunctionType):
        return False
    try:
        source.find(f)
    except SourceError:
        return False
    return True


# ---- methods that builtins call ----
def truth_of_instance(it: Interpreter, v: Any, node: Node) -> Any:
    """`bool` of an instance; NotImplemented if it has no method for it."""
    out = asked(it, v, "__bool__", [], node)
    if out is NotImplemented:
        size = length_of_instance(it, v, node)
        return size if size is NotImplemented else it.truth(size, node)
    if type(out) is not bool and not (isinstance(out, Var) and out.type == BOOL):
        _wrong(it, f"__bool__ should return bool, returned {type_name(out)}", node)
    return out


def length_of_instance(it: Interpreter, v: Any, node: Node) -> Any:
    """`len` of an instance; NotImplemented if it has no method for it."""
    out = asked(it, v, "__len__", [], node)
    if out is NotImplemented:
        return out
    if not is_integer(out) and not isinstance(out, bool):
        _wrong(it, f"'{type_name(out)}' object cannot be interpreted as an integer", node)
    negative = it.compare(gast.Lt(), out, 0, node)
    it.fail_if(negative, "ValueError", "__len__() should return >= 0")
    return out


def items_of_instance(it: Interpreter, v: Any, node: Node) -> Any:
    """The iterator that an instance's `__iter__` returns; NotImplemented if it has none."""
    if isinstance(v, Record) and v.cls in REPRESENTED:  # of arrays: they have no __iter__
        item = lambda k: asked(it, v, "__getitem__", [k], node)
        return Iterated(length_of_instance(it, v, node), item)
    out = asked(it, v, "__iter__", [], node)
    if out is not NotImplemented and not isinstance(out, Iterated):
        _wrong(it, f"iter() returned non-iterator of type '{type_name(out)}'", node)
    return out


# ---- texts ----
def displayed(it: Interpreter, v: Any, node: Node, inside: bool = False, exact: bool = True) -> Any:
    """A value with texts for the objects in it, as `str` or `repr` gives them.

    Where their text is an address, it is refused, or left to be described if not `exact`.
    """

    def parts(values: Any) -> list[Any]:
        return [displayed(it, p, node, True, exact) for p in values]

    names = ("__repr__",) if inside else ("__str__", "__repr__")
    name, f = next(((n, f) for n in names if (f := method_of(it, v, n))), ("", None))
    if f is not None and _is_generated(v, f):
        shown_fields = [d.name for d in dataclasses.fields(v.cls) if d.repr]
        return _fields(v.cls.__qualname__, shown_fields, parts(v.fields[n] for n in shown_fields))
    if f is not None:
        out = it.call(f, [v], {}, node)
        if not isinstance(out, str | Formatted):
            _wrong(it, f"{name} returned non-string (type {type_name(out)})", node)
        return Formatted(literal(out), []) if isinstance(out, str) else out
    if isinstance(v, Record) and issubclass(v.cls, BaseException) and has_plain_text(it, v.cls):
        return _of_exception(it, v, node, inside, exact)
    match v:
        case tuple() if fields := getattr(v, "_fields", ()):
            return _fields(type(v).__name__, fields, parts(v))
        case list() | tuple():
            return type(v)(parts(v))
        case dict():
            refuse_whole(it, v, node)
            return dict(zip(v, parts(v.values()), strict=True))
    if isinstance(v, Var) and exact:
        refuse_mixed(it, v, node, "the text shows")
    if is_array(v):  # the text has what the array holds now
        v = it.b.copy(v)
    if inside and is_array(v):
        return Formatted("{!r}", [v])
    if inside and _REPR_NAMES_DTYPES and isinstance(v, Var) and v.type.dtype[0] in "iufc":
        return v if v.type.weak else Formatted(f"np.{np_dtype(v.type.dtype)}({{}})", [v])
    if inside and isinstance(v, Formatted) and not any(is_array(x) for x in v.values):
        return Formatted(quoted(v.template), v.values)
    if isinstance(v, Var | str) or is_number(v) or (isinstance(v, Formatted) and not inside):
        return v
    text = "" if isinstance(v, Abstract) else repr(v) if inside else str(v)
    if text and " at 0x" not in text:
        return Formatted(literal(text), [])
    if exact:
        way_out = "show its attributes" if isinstance(v, Record) else "show an array of its items"
        it.refuse(node, f"the text of {describe(v)} is not known when compiling", way_out)
    return v


def has_plain_text(it: Interpreter, cls: type) -> bool:
    """Whether the text of an exception is that of its arguments: its class changes nothing."""
    names = ("__init__", "__new__", "__str__", "__repr__")
    own = any([method_of(it, Record(cls), n) is not None for n in names])
    return not own and cls.__str__ in (BaseException.__str__, KeyError.__str__)


def _of_exception(it: Interpreter, v: Record, node: Node, inside: bool, exact: bool) -> Any:
    args = v.fields["args"]
    if not inside and (len(args) != 1 or not issubclass(v.cls, KeyError)):
        return displayed(it, args[0] if len(args) == 1 else args or "", node, False, exact)
    parts = [shown(displayed(it, a, node, True, exact), True) for a in args]
    text = ", ".join(t for t, _ in parts)
    values = [x for _, xs in parts for x in xs]
    return Formatted(f"{v.cls.__name__}({text})" if inside else text, values)


def in_field(it: Interpreter, node: Node, v: Any, spec: Any, conversion: int) -> tuple[Any, Any]:
    """The displayed value of a replacement field, and the specification left for it."""
    if is_reading(v):
        return v, None
    if conversion != -1:
        return displayed(it, v, node, conversion in map(ord, "ra")), spec
    spec = "" if spec is None else spec
    out = asked(it, v, "__format__", [spec], node)
    if out is not NotImplemented:
        return displayed(it, out, node), None
    v = as_number(v) if spec != "" else v
    if spec != "" and isinstance(v, Record | list | tuple | dict | None):
        _wrong(it, f"unsupported format string passed to {type_name(v)}.__format__", node)
    return displayed(it, v, node), spec


def _fields(name: str, names: Any, values: list[Any]) -> Formatted:
    parts = [shown(v, True) for v in values]
    text = ", ".join(f"{n}={t}" for n, (t, _) in zip(names, parts, strict=True))
    return Formatted(f"{name}({text})", [x for _, xs in parts for x in xs])


# ---- names ----
def type_name(v: Any) -> str:
    """The name of a type in Python's messages."""
    if is_array(v):
        return "numpy.ndarray"
    if isinstance(v, View):
        return f"dict_{v.name}"
    if isinstance(v, Range | Slice):
        return type(v).__name__.lower()
    if isinstance(v, Var):
        cls: type = python_type(v)
    elif isinstance(v, GrownList | list):
        cls = list
    else:
        cls = class_of_instance(v)
    return f"numpy.{cls.__name__}" if issubclass(cls, np.generic) else cls.__name__


def python_type(x: Var) -> type:
    """The class of a run-time number."""
    t = x.type
    if t.weak:
        return {"b": bool, "i": int, "f": float, "c": complex}[t.dtype[0]]
    return np_dtype(t.dtype).type
