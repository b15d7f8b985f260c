"""Inspection of values: type, getattr, callable, shape; print."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from srcgrad.frontend.attribute_methods import has_member, is_inherited, own_method
from srcgrad.frontend.attribute_stores import delete_field, set_attribute, set_field
from srcgrad.frontend.classes import construct, empty_instance, refuse_special
from srcgrad.frontend.control_flow import python_bool
from srcgrad.frontend.dict_values import TrackedDict, TrackedSet
from srcgrad.frontend.formulas import polynomials
from srcgrad.frontend.formulas.attribute_names import attribute_or, has_attribute
from srcgrad.frontend.frame import Poison, Poisoned
from srcgrad.frontend.handlers.class_checks import LITERALS, class_of_record
from srcgrad.frontend.handlers.elementwise import scalar_type
from srcgrad.frontend.handlers.reductions import place_of_axis
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.heap import changing
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import class_of
from srcgrad.frontend.masked_constant import Masked
from srcgrad.frontend.number_classes import refuse_mixed
from srcgrad.frontend.outside import attribute_outside
from srcgrad.frontend.special_methods import displayed, python_type
from srcgrad.frontend.texts import is_reading, made_of, shown
from srcgrad.frontend.values import (
    RUNNING,
    UNBOUND,
    Closure,
    Formatted,
    GrownList,
    Iterated,
    MaybeUnbound,
    Partial,
    Range,
    Record,
    Slice,
    Super,
    TrackedList,
    Unbound,
    describe,
    is_array,
    is_number,
    is_value,
)
from srcgrad.frontend.watches import (
    watch_class,
    watch_member,
    watch_method,
    watch_presence,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import np_dtype, promoted


@implements(type)
def type_(it: Interpreter, node: Node, x: Any) -> Any:
    if is_array(x):
        return class_of(it, x, node)
    if isinstance(x, Var):
        refuse_mixed(it, x, node, "type() asks for the class of")
        return python_type(x)
    if isinstance(x, GrownList | TrackedList):
        return list
    if isinstance(x, Closure):
        return types.FunctionType
    if isinstance(x, TrackedDict | TrackedSet | Masked):
        return x.cls
    if isinstance(x, Slice):
        return slice
    if isinstance(x, Partial | Iterated | Formatted):
        it.refuse(node, f"type() of {describe(x)} is not supported")
    if isinstance(x, Record):
        return class_of_record(it, x, node)
    watch_class(it.captures, x)
    return type(x)


@implements(hasattr)
def hasattr_(it: Interpreter, node: Node, x: Any, name: Any) -> Any:
    if is_array(x):
        return has_member(class_of(it, x, node), name)
    if isinstance(x, Var):
        return has_member(python_type(x), name)
    if (value := attribute_outside(it, x, name)) is not UNBOUND:
        some = isinstance(value, MaybeUnbound) and not hasattr(type(x), name)
        return value.flag if some else True
    if (known := _in_python(it, x, name)) is not None:
        return known
    if not isinstance(x, Record):
        if not isinstance(x, LITERALS):  # it may get the attribute, or lose it
            watch_presence(it.captures, x, name)
        return hasattr(x, name)
    if _is_decided_by_reading(x, name):
        return it.call(has_attribute, [x, name], {}, node)
    v = x.fields.get(name, UNBOUND)
    if v is UNBOUND:
        watch_member(it.captures, x.cls, name)
        watch_method(it.captures, x, "__getattr__")
    there = name in x.lacks or is_inherited(x.cls, name)
    if isinstance(v, MaybeUnbound) and not there:
        return python_bool(it, v.flag)
    return there or v is not UNBOUND


def _in_python(it: Interpreter, x: Any, name: str) -> bool | None:
    """Whether the value that one of the frontend's own is in Python has an attribute."""
    match x:
        case Closure():
            own = name == "__wrapped__" and x in it.captures.wrapped
            return own or has_member(types.FunctionType, name)
        case GrownList() | TrackedList():
            return has_member(list, name)
        case Range():
            return has_member(range, name)
        case Slice():
            return has_member(slice, name)
        case Formatted():
            return has_member(str, name)
        case Partial() if name == "__call__":
            return True
        case Iterated() if name in _OF_ITERATORS:  # all that an iterator may be agree in these
            return has_member(types.GeneratorType, name)
    return None


_OF_ITERATORS = ("__iter__", "__next__", "__len__", "__getitem__", "__call__", "shape", "dtype")


def _is_decided_by_reading(x: Any, name: str) -> bool:
    """Whether `__getattr__` of a class decides about an attribute."""
    if not isinstance(x, Record) or name in x.lacks or is_inherited(x.cls, name):
        return False
    missing = isinstance(x.fields.get(name, UNBOUND), MaybeUnbound | Unbound)
    return missing and own_method(x.cls, "__getattr__") is not None


@implements(getattr)
def getattr_(it: Interpreter, node: Node, x: Any, name: Any, *default: Any) -> Any:
    if not isinstance(name, str):
        it.refuse(node, "the name of an attribute must be known at compile time", like=TypeError)
    if default and _is_decided_by_reading(x, name):
        return it.call(attribute_or, [x, name, *default], {}, node)
    there = hasattr_(it, node, x, name) if default else True
    read = lambda: it.attribute(x, name, node)
    return it.branch(there, read, lambda: default[0], node, live_rest=True, several=True)


@implements(vars)
def vars_(it: Interpreter, node: Node, x: Any = None) -> Any:
    """The attributes of an instance: the dict that holds them."""
    if not isinstance(x, Record):
        wrong = TypeError if is_value(x) or isinstance(x, LITERALS) else None
        it.refuse(node, f"vars() of {describe(x)} is not supported", "name its attributes", wrong)
    return it.attribute(x, "__dict__", node)


@implements(setattr)
def setattr_(it: Interpreter, node: Node, x: Any, name: Any, value: Any) -> None:
    if not isinstance(name, str) or not set_attribute(it, x, name, value, node):
        it.refuse(
            node,
            f"setattr() of {describe(x)} is not supported",
            "use a plain class or a dataclass",
            like=AttributeError,
        )


@implements(delattr)
def delattr_(it: Interpreter, node: Node, x: Any, name: Any) -> None:
    if not isinstance(name, str):
        it.refuse(node, "the name of an attribute must be known at compile time", like=TypeError)
    delete_field(it, x, name, node)


@implements(object.__new__)
def new(it: Interpreter, node: Node, cls: Any, /, *args: Any, **named: Any) -> Any:
    """An instance without attributes; arguments are those of an `__init__`."""
    if not isinstance(cls, type) or not _is_plain(cls):
        it.refuse(node, f"object.__new__() of {describe(cls)} is not supported", like=TypeError)
    refuse_special(it, cls, node)
    if (args or named) and cls.__new__ is not object.__new__:
        said = "object.__new__() takes exactly one argument (the type to instantiate)"
        it.wrong(node, said, TypeError)
    if (args or named) and cls.__init__ is object.__init__:
        it.wrong(node, f"{cls.__name__}() takes no arguments", TypeError)
    return empty_instance(it, cls, node)


def _is_plain(cls: type) -> bool:
    """Whether `object.__new__` is the last `__new__` of a class, after those in Python."""
    news = [vars(base)["__new__"] for base in cls.__mro__ if "__new__" in vars(base)]
    return all(isinstance(new, staticmethod) for new in news[:-1])


@implements(object.__setattr__)
def set_by_object(it: Interpreter, node: Node, x: Any, name: Any, value: Any) -> None:
    """Sets an attribute bypassing a frozen dataclass, or a `__setattr__`."""
    if not isinstance(name, str) or not isinstance(x, Record):
        setattr_(it, node, x, name, value)
        return
    changing(it, x, node)
    set_field(it, x, name, value, node, frozen=False)


@implements(np.poly1d)
def poly1d(it: Interpreter, node: Node, c_or_r: Any, r: Any = False, variable: Any = None) -> Any:
    """A polynomial: an instance by its class's own source."""
    if isinstance(c_or_r, np.poly1d) and type(c_or_r) is not np.poly1d:
        c_or_r = it.attribute(c_or_r, "coeffs", node)
    given = isinstance(c_or_r, list | tuple) and all(is_number(c) for c in c_or_r)
    if not given and not isinstance(c_or_r, Record | np.poly1d) and not r:
        it.call(polynomials.check_leading, [c_or_r], {}, node)
    return construct(it, np.poly1d, [c_or_r, r, variable], {}, node)


@implements(super)
def super_(it: Interpreter, node: Node, *args: Any) -> Any:
    if args and (len(args) != 2 or not isinstance(args[0], type)):
        it.refuse(node, "super() takes a class and an instance, or no arguments")
    if args:
        return Super(args[1], args[0])
    function = it.frame.source.function
    free = function.__code__.co_freevars
    owner = it.frame.env.get(next(iter(function.__code__.co_varnames), ""))
    if isinstance(owner, Poison):
        raise Poisoned
    if "__class__" not in free or owner is None:
        it.refuse(node, "super(): no arguments", "call it in a method of a class", RuntimeError)
    cls = (function.__closure__ or ())[free.index("__class__")].cell_contents
    return Super(owner, cls)


@implements(object.__init__)
def initialise(it: Interpreter, node: Node, *values: Any) -> None:
    """`object.__init__`: an instance has no attributes yet."""


@implements(callable)
def callable_(it: Interpreter, node: Node, x: Any) -> Any:
    if isinstance(x, Record):
        watch_member(it.captures, x.cls, "__call__")
        return has_member(x.cls, "__call__")
    return isinstance(x, RUNNING) or (not isinstance(x, Var) and callable(x))


@implements(np.shape)
def shape(it: Interpreter, node: Node, x: Any) -> Any:
    return tuple(dims_of_value(it, node, x))


@implements(np.size)
def size(it: Interpreter, node: Node, x: Any, axis: Any = None) -> Any:
    dims = dims_of_value(it, node, x)
    if isinstance(axis, tuple):
        return it.b.size([dims[place_of_axis(it, node, a, len(dims))] for a in axis])
    if axis is not None:
        return dims[place_of_axis(it, node, axis, len(dims))]
    return it.b.size(dims)


def dims_of_value(it: Interpreter, node: Node, x: Any) -> Any:
    """The shape of an array, or of the array that NumPy would make of a sequence."""
    if isinstance(x, list | tuple | GrownList | Range | range):
        x = it.call_numpy(np.asarray, [x], {}, node)
    return x.type.dims if is_array(x) else ()


@implements(np.result_type)
def result_type(it: Interpreter, node: Node, *arrays_and_dtypes: Any) -> Any:
    """The dtype that operands promote to; a Python number is weak within its kind."""
    kinds = [atom(v).type if is_value(v) else scalar_type(it, node, v) for v in arrays_and_dtypes]
    return np_dtype(promoted(kinds).dtype)


def _of_dtypes(f: Any) -> Any:
    """The handler of a function of dtypes, which are known when compiling."""

    def handler(it: Interpreter, node: Node, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return f(*map(_like, args), **{n: _like(v) for n, v in kwargs.items()})
        except (TypeError, ValueError) as e:
            it.fails(e, node)

    return handler


def _like(x: Any) -> Any:
    """A value of the type of a run-time one: only its dtype is used."""
    if is_array(x):
        return np.zeros(0, np_dtype(x.type.dtype))
    return python_type(x)() if isinstance(x, Var) else x


@method(type(np.dtype("V1")).__name__, "__getitem__")
def field_of_dtype(it: Interpreter, node: Node, dtype: Any, key: Any) -> Any:
    """The dtype of a field, or of several, of a dtype with fields."""
    try:
        return dtype[[*key] if isinstance(key, list) else key]
    except (KeyError, IndexError, TypeError) as e:
        it.fails(e, node)


for _f in (np.dtype, np.finfo, np.iinfo, np.issubdtype, np.isdtype, np.can_cast):
    implements(_f)(_of_dtypes(_f))


@implements(str)
def str_(it: Interpreter, node: Node, x: Any = "") -> Any:
    if is_reading(x):
        return made_of("{}", [x])
    return made_of(*shown(displayed(it, x, node)))


@implements(repr)
def repr_(it: Interpreter, node: Node, x: Any) -> Any:
    if is_reading(x):
        return made_of("{}", [x])
    return made_of(*shown(displayed(it, x, node, True), True))


@method("class", "__getitem__")
def parametrized(it: Interpreter, node: Node, x: Any, *items: Any) -> Any:
    """A class with parameters, as annotations and `typing.cast` have them."""
    if any(isinstance(p, Var) for p in items):
        it.refuse(node, "the parameters of a class are known when compiling", "name classes")
    try:
        return x[items[0] if len(items) == 1 else items]
    except TypeError as e:
        it.fails(e, node)
