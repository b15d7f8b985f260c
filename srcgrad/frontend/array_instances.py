"""Instances of the user's classes that derive from ndarray: a record, with the array.

NumPy's functions read the array, and give an instance of the class or a plain array by NumPy's
rules. Where these depend on what a class defines anew, the call is refused.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.frontend.array_rules import (
    ATTRIBUTES,
    BY_METHOD_OF_MATRICES,
    FUNCTIONS,
    FUNCTIONS_OF_MATRICES,
    JOINS_OF_MATRICES,
    METHODS,
    OF_ARRAY_ALONE,
    OF_MATRICES,
    OF_STEPS,
    OF_UFUNC,
    PRODUCTS,
    Rule,
)
from srcgrad.frontend.array_steps import check_steps
from srcgrad.frontend.attributes import array_attribute
from srcgrad.frontend.base_members import is_of_base, member_of
from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.derived_instances import (
    array_of,
    arrays_in,
    contents_for_numpy,
    inside,
    is_derived,
    is_held,
    is_instance,
)
from srcgrad.frontend.formulas.array_classes import Context
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import Kind, kind_of
from srcgrad.frontend.rank_zero import in_shell
from srcgrad.frontend.values import (
    Bound,
    Record,
    describe,
    is_array,
    ndim,
)
from srcgrad.frontend.watches import watch_member, watch_method
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import is_complex, is_float
from srcgrad.protocols import home_module
from srcgrad.tree import PROTOCOLS, VALUE

_WAY_OUT = "pass its array: np.asarray(...)"


def check_class(it: Interpreter, cls: type, node: Node) -> None:
    """Refuses a class whose instances do not behave as NumPy's rules say for all."""
    if cls is np.matrix:
        return
    for base in cls.__mro__[: cls.__mro__.index(np.ndarray)]:
        if not made_by_statement(base) or base.__module__.partition(".")[0] == "numpy":
            said = f"{cls.__name__} derives from {base.__name__}, whose instances are not followed"
            it.refuse(node, said, "use np.asarray(...)")
        for name in PROTOCOLS:
            if name in vars(base):
                it.refuse(
                    node, f"{cls.__name__} defines {name}: its instances cannot be followed",
                    "use a plain class that holds the array",
                )  # fmt: skip
    if not cls.__dictoffset__:
        it.refuse(node, f"{cls.__name__} has __slots__", "leave them out")
    for name in (*PROTOCOLS, "__array_finalize__"):
        watch_method(it.captures, Record(cls), name)


def _own_wrap(it: Interpreter, owner: Record, node: Node) -> types.FunctionType | None:
    """The `__array_wrap__` that a class defines, as NumPy calls it; None for ndarray's own."""
    watch_method(it.captures, owner, "__array_wrap__")
    if is_of_base(owner.cls, "__array_wrap__"):
        return None
    own = member_of(owner.cls, "__array_wrap__")
    try:
        inspect.signature(own).bind(owner, None, None, False)
    except TypeError:
        own = None
    if not isinstance(own, types.FunctionType):
        said = f"__array_wrap__ of {owner.cls.__name__} is no method of an array, a context and"
        it.refuse(node, f"{said} return_scalar", "define it as NumPy 2 calls it")
    return own


def made(it: Interpreter, cls: type, value: Any, source: Any, node: Node) -> Record:
    """A new instance for an array, after its `__array_finalize__`."""
    if kind_of(it, value) is not Kind.ARRAY:
        said = f"an instance of {cls.__name__}, a class of arrays,"
        it.refuse(node, f"{said} is not supported in a function of tensors", "pass arrays")
    out = Record(cls, {VALUE: value})
    watch_method(it.captures, out, "__array_finalize__")
    finalize = member_of(cls, "__array_finalize__")
    if isinstance(finalize, types.FunctionType):
        it.call(finalize, [out, source], {}, node)
    elif finalize is not None:
        it.refuse(node, f"__array_finalize__ of {cls.__name__} is no method", "make it one")
    return out


def class_of_view(args: list[Any], kwargs: dict[str, Any]) -> type | None:
    """The class of arrays that `view` is called with; None if its argument is another one."""
    cls = next(iter([*args, *kwargs.values()]), None)
    fits = len(args) + len(kwargs) == 1 and not kwargs.keys() - {"type"}
    return cls if fits and isinstance(cls, type) and issubclass(cls, np.ndarray) else None


def viewed(it: Interpreter, v: Any, cls: type, node: Node) -> Any:
    """`v.view(cls)` of an array or an instance: the same memory."""
    value = array_of(v)
    if not is_array(value) or (is_instance(v) and not value.type.dims):
        it.refuse(node, "a view of an array of rank 0 is not supported", "use float(...)")
    if is_derived(cls):
        check_class(it, cls, node)
    seen = it.b.view(value, spec=(":",) * value.type.ndim)
    if cls is np.ndarray:
        return seen
    return made(it, cls, seen, v, node)


# ---- functions of NumPy ----
SUMS = {f for n in ("prod", "sumprod") if (f := getattr(math, n, None))}  # by Python's operators


def reads_arrays(f: Any) -> bool:
    """Whether a function is a library's that reads the array of an instance."""
    if isinstance(f, np.ufunc):
        return True
    if f is np.asmatrix or f in SUMS:
        return False
    library = home_module(f).partition(".")[0] in ("numpy", "scipy", "math", "cmath")
    return library and (not isinstance(f, type) or issubclass(f, np.generic))


Arrays = Callable[[list[Any], dict[str, Any]], Any]


def called(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node, of_arrays: Arrays
) -> Any:
    """The result of a library's function of which an argument is an instance, or holds one.

    `of_arrays` is the function on arrays.
    """
    if any(map(is_held, inside([args, kwargs]))):
        args, kwargs = (contents_for_numpy(it, v, node) for v in (args, kwargs))
        return of_arrays(args, kwargs)
    if isinstance(f, np.ufunc):
        return _of_ufunc(it, f, args, kwargs, node, of_arrays)
    if any(v.cls is np.matrix for v in inside([args, kwargs])) and f not in PRODUCTS:
        return of_matrices(it, f, args, kwargs, node, of_arrays)
    if f is np.asanyarray and len(args) == 1 and not kwargs and is_instance(args[0]):
        return args[0]
    if f in PRODUCTS and not kwargs and len(args) == 2:
        return _product(it, f, args, node, of_arrays)
    number = home_module(f) in ("math", "cmath") or isinstance(f, type)
    rule = Rule(None) if number else FUNCTIONS.get(f)
    name: str = _METHODS.get(f.__name__) or f.__name__
    return _by_rule(it, name, rule, (name,), args, kwargs, node, of_arrays)


def _by_rule(
    it: Interpreter, name: str, rule: Rule | None, calls: tuple[str, ...], args: list[Any],
    kwargs: dict[str, Any], node: Node, of_arrays: Arrays,
) -> Any:  # fmt: skip
    given = inside([args, kwargs])
    shown = describe(given[0])
    if rule is None or kwargs.get("out") is not None or "subok" in kwargs or "like" in kwargs:
        it.refuse(node, f"{name}() of {shown}: the class of its result is not known", _WAY_OUT)
    if rule.alone and (len(args) > 1 or kwargs):
        it.refuse(node, f"{name}() of {shown} with these arguments is not supported", _WAY_OUT)
    _refuse_anew(it, given, name, (*calls, *rule.reads), node)
    if name == "mean" and _own_wrap(it, given[0], node) is not None and len(given) == 1:
        return _mean(it, args, kwargs, node)
    flat = name.startswith("cum") and len(args) == 1 and not kwargs
    if (rule.wraps == OF_STEPS or (flat and ndim(array_of(given[0])) != 1)) and any(
        _own_wrap(it, v, node) is not None for v in given
    ):
        said = f"{name}() of {shown}, whose class defines __array_wrap__"
        it.refuse(node, f"{said}: it is called for parts of the result", _WAY_OUT)
    if rule.of is None:
        if any(_priority(it, v, node) > 0.0 for v in given):
            said = f"{name}() of {shown}, whose class has an __array_priority__"
            it.refuse(node, said, _WAY_OUT)
        return of_arrays(arrays_in(args), arrays_in(kwargs))
    owner = args[rule.of] if rule.of < len(args) else None
    if rule.otherwise_plain and is_array(owner):
        return of_arrays(arrays_in(args), arrays_in(kwargs))
    if (
        not isinstance(owner, Record)
        or not is_instance(owner)
        or any(v.cls is not owner.cls for v in given)
    ):
        it.refuse(node, f"{name}() of {shown} among other arguments is not supported", _WAY_OUT)
    check_steps(it, owner, rule.steps, name, node)
    out = of_arrays(arrays_in(args), arrays_in(kwargs))
    if ndim(owner.fields[VALUE]) < rule.from_rank:
        return out
    return _wrapped(it, owner, out, rule.numbers, node, rule.wraps)


def _refuse_anew(
    it: Interpreter, given: list[Record], name: str, members: tuple[str, ...], node: Node
) -> None:
    """Refuses a function of NumPy's that reads a member which a class defines anew."""
    for v in given:
        for member in members:
            watch_method(it.captures, v, member)
            if hasattr(np.ndarray, member) and not is_of_base(v.cls, member):
                said = f"{name}() of {describe(v)}, whose class defines {member} anew"
                it.refuse(node, said, _WAY_OUT)


def _wrapped(
    it: Interpreter, owner: Record, out: Any, numbers: bool, node: Node, wraps: str = ""
) -> Any:
    """An instance like another one for an array, or for a number if these become instances.

    A class that defines `__array_wrap__` makes it, where NumPy calls that.
    """
    own = _own_wrap(it, owner, node) if wraps else None
    if own is not None:
        array = out if is_array(out) else in_shell(it, out)
        rest = [Record(Context, {}) if wraps == OF_UFUNC else None, not is_array(out)]
        rest = [] if wraps == OF_ARRAY_ALONE else rest
        return it.call(own, [owner, array, *rest], {}, node)
    return made(it, owner.cls, out, owner, node) if is_array(out) or numbers else out


def _mean(it: Interpreter, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
    """The sum that `__array_wrap__` is called for, divided where that gives no instance."""
    value = array_of(args[0])
    axis = args[1] if len(args) > 1 else kwargs.get("axis")
    one = len(args) <= 2 and not kwargs.keys() - {"axis", "keepdims"}
    total = it.call(np.sum, args, kwargs, node)
    if (
        not one
        or is_instance(total)
        or not is_float(value.type.dtype)
        or not isinstance(axis, int | None)
    ):
        said = f"mean() of {describe(args[0])}, whose class defines __array_wrap__"
        it.refuse(node, f"{said}: it is called for parts of the result", _WAY_OUT)
    shape = it.attribute(value, "size" if axis is None else "shape", node)
    return it.call(np.true_divide, [total, shape if axis is None else shape[axis]], {}, node)


def _product(it: Interpreter, f: Any, args: list[Any], node: Node, of_arrays: Arrays) -> Any:
    one, other = args
    later = _priority(it, other, node) > _priority(it, one, node)
    owner = other if later else one
    _refuse_anew(it, inside(args), f.__name__, (f.__name__,), node)
    out = of_arrays(arrays_in(args), {})
    return _wrapped(it, owner, out, False, node) if is_instance(owner) else out


def _of_ufunc(
    it: Interpreter, f: np.ufunc, args: list[Any], kwargs: dict[str, Any], node: Node,
    of_arrays: Arrays,
) -> Any:  # fmt: skip
    out = kwargs.get("out", args[f.nin] if len(args) > f.nin else None)
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if "subok" in kwargs or (out is not None and f.nout > 1):
        it.refuse(node, f"{f.__name__}() of an instance with these arguments", _WAY_OUT)
    owner = _owner_of_results(it, args[: f.nin], node)
    made_of = of_arrays(arrays_in(args), arrays_in(kwargs))
    if out is not None:
        if isinstance(out, Record) and _own_wrap(it, out, node) is not None:
            it.refuse(
                node, f"out= whose class, {out.cls.__name__}, defines __array_wrap__", _WAY_OUT
            )
        return out
    if owner is None:
        return made_of
    if isinstance(made_of, tuple):
        return tuple(_wrapped(it, owner, v, True, node, OF_UFUNC) for v in made_of)
    return _wrapped(it, owner, made_of, True, node, OF_UFUNC)


def _owner_of_results(it: Interpreter, inputs: list[Any], node: Node) -> Record | None:
    """The operand whose `__array_wrap__` makes the results of a ufunc; None for plain arrays."""
    found, priority, plain = None, -np.inf, False
    for v in inputs:
        if is_instance(v):
            own = _priority(it, v, node)
            if (found is None and not plain) or own > priority or (own == 0.0 and found is None):
                found, priority = v, own
        elif is_array(v) and priority < 0.0:
            priority, plain = 0.0, True
    return found


def _priority(it: Interpreter, v: Any, node: Node) -> float:
    """The `__array_priority__` of an operand."""
    if not is_instance(v):
        return 0.0
    watch_member(it.captures, v.cls, "__array_priority__")
    own = inspect.getattr_static(v.cls, "__array_priority__")
    own = 0.0 if is_of_base(v.cls, "__array_priority__") else own
    if "__array_priority__" in v.fields or not isinstance(own, int | float) or own < 0:
        it.refuse(node, f"the __array_priority__ of {describe(v)} is no positive number", _WAY_OUT)
    return float(own)


def of_matrices(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node, of_arrays: Arrays
) -> Any:
    """The result of a function of which an argument is a np.matrix."""
    given = inside([args, kwargs])
    name: str = _METHODS.get(f.__name__) or f.__name__
    if f in BY_METHOD_OF_MATRICES and is_instance(args[0]) and len(given) == 1:
        return it.call(it.attribute(args[0], name, node), args[1:], kwargs, node)
    if f in JOINS_OF_MATRICES and all(v.cls is np.matrix for v in given):
        return made(it, np.matrix, of_arrays(arrays_in(args), arrays_in(kwargs)), None, node)
    if f not in FUNCTIONS_OF_MATRICES:
        it.refuse(node, f"{name}() of a np.matrix is not supported", "use its array: m.A")
    rule = FUNCTIONS[f]
    if rule.of is None:
        return of_arrays(arrays_in(args), arrays_in(kwargs))
    return _by_rule(it, name, rule, (), args, kwargs, node, of_arrays)


# ---- attributes and methods of ndarray's own ----
def base_attribute(it: Interpreter, owner: Record, name: str, node: Node) -> Any:
    """An attribute of ndarray's own that is no program."""
    value = owner.fields[VALUE]
    if owner.cls is np.matrix and name not in (*ATTRIBUTES, *OF_MATRICES):
        said = f"'{name}' of a np.matrix is not supported"
        it.refuse(node, said, f"read that of its array: m.A.{name}")
    if name in ATTRIBUTES:
        return array_attribute(it, value, name, node)
    if name == "T":
        return base_method(it, owner, "transpose", [], {}, node)
    if name == "real" and not is_complex(atom(value).type.dtype):
        return owner
    if name in ("real", "imag"):
        return _wrapped(it, owner, array_attribute(it, value, name, node), True, node)
    if callable(getattr(np.ndarray, name, None)):
        return Bound(owner, name)
    said = f"the attribute '{name}' of {describe(owner)} is not supported"
    it.refuse(node, said, f"read that of its array: np.asarray(...).{name}")


def base_method(
    it: Interpreter, owner: Record, name: str, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of a method of ndarray's own."""
    value = owner.fields[VALUE]
    if name == "view":
        cls = class_of_view(args, kwargs) if args or kwargs else owner.cls
        if cls is None:
            it.refuse(node, "view() takes a class of arrays", "use .astype(dtype)")
        return viewed(it, owner, cls, node)
    if name in ("conj", "conjugate") and not args and not kwargs:
        complex_ = is_complex(atom(value).type.dtype)
        return it.call(np.conjugate, [owner], {}, node) if complex_ else owner
    if name == "dot" and len(args) == 1 and not kwargs:
        return it.call(np.dot, [owner, *args], {}, node)
    of_arrays = lambda args, kwargs: it.call(
        it.attribute(args[0], name, node), args[1:], kwargs, node
    )
    if not is_array(value) and name not in _OF_RANK_ZERO:
        it.refuse(node, f"{name}() of {describe(owner)} of rank 0", "use float(...)")
    rule = METHODS.get(name)
    if name == "astype" and (len(args) != 1 or kwargs):
        rule = None
    if rule is None:
        said = f"the method '{name}' of {describe(owner)} is not supported"
        it.refuse(node, said, f"call that of its array: np.asarray(...).{name}(...)")
    return _by_rule(it, name, rule, (), [owner, *args], kwargs, node, of_arrays)


_METHODS = {"amax": "max", "amin": "min"}  # names of functions before NumPy 2
_OF_RANK_ZERO = ("item", "tolist", "copy", "astype", "sum", "max", "min", "prod", "mean")
