"""Dispatches calls: handlers of builtins and of NumPy by identity, anything else is inlined."""

from __future__ import annotations

import builtins
import functools
import inspect
import io
import types
from collections.abc import Hashable
from typing import Any, get_origin

import gast
import numpy as np

from srcgrad.frontend.arguments import arguments_in, misfit
from srcgrad.frontend.array_instances import (
    base_method,
    called,
    class_of_view,
    reads_arrays,
    viewed,
)
from srcgrad.frontend.cached_calls import cached_call
from srcgrad.frontend.classes import construct
from srcgrad.frontend.derived_instances import for_array, inside, is_instance
from srcgrad.frontend.dict_instances import items_of_dict, of_class
from srcgrad.frontend.dict_values import refuse_whole
from srcgrad.frontend.displays import elements
from srcgrad.frontend.formula_instances import of_instances
from srcgrad.frontend.formulas.longer_lists import (
    LongerList,
)
from srcgrad.frontend.formulas.registry import INSTANCES, is_set
from srcgrad.frontend.frame import Diverged
from srcgrad.frontend.grown_lists import GrownTable
from srcgrad.frontend.guards import Path, attribute
from srcgrad.frontend.handlers.parameters import known_arguments
from srcgrad.frontend.handlers.registry import (
    METHODS,
    followed,
    gives_strong,
    handler_of,
    kind_of_owner,
)
from srcgrad.frontend.handlers.signatures import NotTaken, as_named
from srcgrad.frontend.inlining import call_closure, entered, follow, inline
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import SORTED, UNORDERED, static_iterated
from srcgrad.frontend.kinds import (
    Kind,
    described,
    follows_library,
    kind_of,
    method_of,
    note_made,
    note_method,
)
from srcgrad.frontend.library_source import CLASSES, is_of_library, python_of
from srcgrad.frontend.maybe_none import flag_of_default, flag_of_none, given
from srcgrad.frontend.narrowing import by_kind, flag_inside, in_kinds
from srcgrad.frontend.numba_objects import container_of, is_stencil, of_stencil
from srcgrad.frontend.numba_ufuncs import is_universal, of_universal
from srcgrad.frontend.number_classes import has_method
from srcgrad.frontend.rank_zero import MADE_BY, in_shell
from srcgrad.frontend.special_calls import bound_descriptor, by_class, by_own_method, special_call
from srcgrad.frontend.structured import formula_of
from srcgrad.frontend.suggestions import methods_of, similar
from srcgrad.frontend.tables import unzipped
from srcgrad.frontend.taken_whole import (
    KEEPING,
    LIBRARIES_OF_OBJECTS,
    OF_ANY_ITEMS,
    OF_ANY_ORDER,
    OF_NO_NONE,
    OF_OBJECTS,
)
from srcgrad.frontend.unknown_functions import by_known_arguments, callable_name, refuse_unknown
from srcgrad.frontend.unpacking import items_of_mapping
from srcgrad.frontend.values import (
    Bound,
    Closure,
    Iterated,
    Partial,
    Range,
    Record,
    Slice,
    article,
    describe,
    is_array,
    is_value,
)
from srcgrad.frontend.watches import watch_inherited
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import BOOL, Scalar
from srcgrad.protocols import home_module, is_transform, of_numba, poses
from srcgrad.tracebacks import within
from srcgrad.tree import registered_as


def of_call(it: Interpreter, node: gast.Call) -> Any:
    if isinstance(node.func, gast.Attribute):
        return _of_method(it, node, it.operand(node.func.value))
    return with_arguments(it, node, it.operand(node.func))


@by_kind
def _of_method(it: Interpreter, node: gast.Call, owner: Any) -> Any:
    """A call of an attribute. `size` is a number of arrays and a method of tensors."""
    name = node.func.attr  # type: ignore[attr-defined]  (an attribute)
    if name == "size" and is_array(owner) and kind_of(it, owner) is Kind.TENSOR:
        return with_arguments(it, node, Bound(owner, "size"))
    return with_arguments(it, node, it.attribute(owner, name, node.func))


def with_arguments(it: Interpreter, node: gast.Call, f: Any) -> Any:
    """The result of calling `f` with the arguments of a call."""
    starred = f is zip and len(node.args) == 1 and isinstance(node.args[0], gast.Starred)
    args = elements(it, node.args, lambda v: starred and isinstance(v, GrownTable))
    if starred and args and isinstance(args[0], GrownTable):
        return static_iterated(it, unzipped(it, args[0], node), once=True)
    kwargs: dict[str, Any] = {}
    for k in node.keywords:
        value = it.operand(k.value)
        given = _unpacked(it, value, k.value) if k.arg is None else {k.arg: value}
        if not isinstance(given, dict) or not all(isinstance(n, str) for n in given):
            it.refuse(
                k.value,
                f"** takes a dict with strings as keys, not {describe(value)}",
                like=TypeError,
            )
        refuse_whole(it, given, k.value)
        twice = next((n for n in given if n in kwargs), None)
        if twice is not None:
            it.refuse(node, f"the argument '{twice}' is given twice", like=TypeError)
        kwargs.update(given)
    return it.call(f, args, kwargs, node)


def _unpacked(it: Interpreter, v: Any, node: Node) -> Any:
    """The items of a mapping after `**` as a dict; other values unchanged."""
    v = items_of_dict(v)
    pairs = NotImplemented if isinstance(v, dict) else items_of_mapping(it, v, node)
    return v if pairs is NotImplemented else dict(pairs)


@by_kind
def call(it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
    f = get_origin(f) or within(f)
    if poses(f):
        return _call_instance(it, f, args, kwargs, node)
    handler = handler_of(f)
    if handler is not None:
        if (flag := _undecided(f, [args, kwargs])) is not None:
            return in_kinds(it, flag, [args, kwargs], lambda now: it.call(f, now[0], now[1], node))
        result = _answered(it, f, handler, args, kwargs, node)
        note_made(it, f, args, result)
        result = strong(it, result) if gives_strong(f) else result
        return in_shell(it, result) if _gives_shell(it, f) else result
    if (known := by_known_arguments(it, f, args, kwargs, node)) is not NotImplemented:
        return known
    if is_of_library(it.frame.source.function) and (function := python_of(f)) is not None:
        return inline(it, *entered(it, function, args, kwargs, node), None, node)
    if (container := container_of(f)) is not None:
        return it.call(container, args if isinstance(f, type) else [], {}, node)
    match f:
        case Bound():
            return call_method(it, f.owner, f.name, args, kwargs, node)
        case Closure():
            return call_closure(it, f, args, kwargs, node)
        case functools.partial():
            given, named = [Path("partial", f, (attribute(n),)) for n in ("args", "keywords")]
            given = it.captures.take(it, given, "arguments", node)
            named = it.captures.take(it, named, "names", node)
            return it.call(f.func, [*given, *args], {**named, **kwargs}, node)
        case Partial():
            return it.call(f.func, [*f.args, *args], {**f.keywords, **kwargs}, node)
        case types.MethodType():
            if isinstance(f.__self__, io.IOBase) or f == builtins.input:
                refuse_unknown(it, f, node)
            return it.call(f.__func__, [_owner(it, f.__self__, node), *args], kwargs, node)
        case types.FunctionType():
            result = follow(it, f, args, kwargs, node)
            note_made(it, f, args, result)
            return result
    if (function := of_numba(f)) is not None:
        return it.call(function, args, kwargs, node)
    if is_universal(f):
        return of_universal(it, f, args, kwargs, node)
    if is_stencil(f):
        return of_stencil(it, f, args, kwargs, node)
    if is_transform(f):
        return f.srcgrad_inline(it, args, kwargs, node)
    if isinstance(f, functools._lru_cache_wrapper):  # a cached result is what it would compute
        return cached_call(it, f.__wrapped__, args, kwargs, node)
    if isinstance(f, np.vectorize):
        given = [f.pyfunc, f.otypes, None, f.excluded, False, f.signature]
        return it.call(it.call(np.vectorize, given, {}, node), args, kwargs, node)
    if isinstance(f, type):
        return construct(it, f, args, kwargs, node)
    if isinstance(f, Record):
        method = inspect.getattr_static(f.cls, "__call__", None)
        if isinstance(method, types.FunctionType):
            watch_inherited(it.captures, f, "__call__")
            return it.call(method, [f, *args], kwargs, node)
    if (
        isinstance(f, Var | str | list | tuple | dict | Record | Iterated | Range | Slice)
        or is_value(f)
        or f is None
    ):
        it.wrong(node, f"{describe(f)} cannot be called", TypeError)
    if args and isinstance(args[0], Record) and (own := of_class(f, args[0].cls)) is not None:
        return it.call(own, args, kwargs, node)
    if type(f) not in CLASSES:
        refuse_unknown(it, f, node)
    return _call_instance(it, f, args, kwargs, node)


def _call_instance(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """Calls an object whose class defines `__call__`."""
    if type(inspect.getattr_static(type(f), "__call__", None)) is types.FunctionType:
        watch_inherited(it.captures, f, "__call__")
        return it.call(type(f).__call__, [f, *args], kwargs, node)
    if (bound := bound_descriptor(f, args)) is not NotImplemented:
        return bound
    if (method := by_class(f, args)) is not NotImplemented:
        return it.call(method, args[1:], kwargs, node)
    name = type(f).__qualname__.rpartition(".")[2]
    it.refuse(
        node, f"{article(name)} {name} cannot be called in a compiled function: there is no Python "
        "source to follow", "call it by flow.opaque(f, like, vjp=...)",
    )  # fmt: skip


def _undecided(f: Any, given: list[Any]) -> Var | None:
    """The flag of a value of several kinds among arguments; in containers if `f` reads them.

    That of an argument that may be None, if `f` may take None as it takes any object.
    """
    known = isinstance(f, Hashable)
    flag = flag_inside(given, deep=not (known and f in OF_ANY_ITEMS))
    if flag is not None or not known or f in OF_NO_NONE:
        return flag
    any_object = f in OF_OBJECTS or home_module(f).split(".")[0] in LIBRARIES_OF_OBJECTS
    return flag_of_none(*given) if any_object else None


def _owner(it: Interpreter, owner: Any, node: Node) -> Any:
    """The object that a method is called on: an instance of a registered class is captured."""
    if registered_as(type(owner)) is None:
        return owner
    it.captures.inlined.append(owner)  # keeps it alive, and so its id
    return it.captures.take(it, Path("self", owner), "self", node)


def items_represented(it: Interpreter, f: Any, v: Any, node: Node) -> Any:
    """The list of the items of a container that a class of formulas represents."""
    held = INSTANCES.get(v.cls) if isinstance(v, Record) else None
    if held is None or (v.cls is LongerList and (f is len or f is bool)):
        return v
    items = it.attribute(v, held[1], node)
    one = isinstance(items, list) and len(items) < 2
    if is_set(v.cls) and not one and f not in OF_ANY_ORDER:
        it.refuse(node, UNORDERED, SORTED)
    return items


def strong(it: Interpreter, v: Any) -> Any:
    """A Python number as the scalar that NumPy's functions make of it; bools are unchanged."""
    if isinstance(v, Var) and isinstance(v.type, Scalar) and v.type.weak and v.type != BOOL:
        return it.b.retyped(v, Scalar(v.type.dtype))
    if isinstance(v, int | float | complex) and not isinstance(v, bool | np.generic):
        kinds = {int: np.int64, float: np.float64, complex: np.complex128}
        return next(kinds[k](v) for k in kinds if isinstance(v, k))
    return v


def handled(
    it: Interpreter, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    if handler not in map(METHODS.get, KEEPING):
        if (flag := flag_of_default(handler, args, kwargs)) is not None:
            again = lambda now: it.handled(handler, now[0], now[1], node)
            return in_kinds(it, flag, [args, kwargs], again)
        args = [given(it, v, node) for v in args]
        kwargs = {name: given(it, v, node) for name, v in kwargs.items()}
    args, kwargs = known_arguments(it, handler, args, kwargs, node)
    try:
        return handler(it, node, *args, **kwargs)
    except TypeError as e:
        # a wrong argument of the call, not a fault inside the handler
        if e.__traceback__ is not None and e.__traceback__.tb_next is None:
            own = [*inspect.signature(handler).parameters.values()][2:]  # without `it`, `node`
            said = arguments_in(misfit("call", inspect.Signature(own), args, kwargs))
            it.refuse(node, f"this call is not supported: {said}")
        raise
    except Diverged:  # of a text that is not known it is not known whether Python raises
        for v in (*args, *kwargs.values()):
            it.known_text(v, node)
        raise


def call_numpy(it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
    handler = handler_of(f)
    assert handler is not None, f
    if (flag := _undecided(f, [args, kwargs])) is not None:
        again = lambda now: call_numpy(it, f, now[0], now[1], node)
        return in_kinds(it, flag, [args, kwargs], again)
    return _answered(it, f, handler, args, kwargs, node)


def _answered(
    it: Interpreter, f: Any, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of the handler of a library function for the arguments of a call."""
    if reads_arrays(f) and inside([args, kwargs]):
        own = strong if gives_strong(f) else lambda it, v: v
        of_arrays = lambda args, kwargs: own(it, _answered(it, f, handler, args, kwargs, node))
        return called(it, f, args, kwargs, node, of_arrays)
    if (own := formula_of(it, f, args, kwargs, node)) is not None:
        handler, args, kwargs = followed(own[0]), *own[1:]
        return it.handled(handler, *_named(it, f, handler, args, kwargs, node), node)
    if (of_class := of_instances(it, f, args, node)) is not None:
        return it.call(of_class, args, kwargs, node)
    if not isinstance(f, Hashable) or f not in OF_OBJECTS:
        args = [items_represented(it, f, v, node) for v in args]
        kwargs = {n: items_represented(it, f, v, node) for n, v in kwargs.items()}
    if len(args) == 1 and (own := by_own_method(it, f, args[0], node)) is not NotImplemented:
        return own
    if isinstance(f, np.ufunc) and (kwargs or len(args) > f.nin):
        return it.with_keywords(f, handler, args, kwargs, node)
    return it.handled(handler, *_named(it, f, handler, args, kwargs, node), node)


def _named(
    it: Interpreter, f: Any, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a handler, bound as NumPy binds those of its function."""
    try:
        return as_named(f, handler, args, kwargs)
    except NotTaken as e:
        it.refuse(node, f"the argument '{e}' of {callable_name(f)} is not supported")
    except TypeError as e:
        it.refuse(node, f"this call is not supported: {arguments_in(e)}", like=TypeError)


def call_method(
    it: Interpreter, owner: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    if is_instance(owner):
        return base_method(it, owner, name, args, kwargs, node)
    if name == "view" and is_array(owner) and (cls := class_of_view(args, kwargs)) is not None:
        return viewed(it, owner, cls, node)
    args, kwargs = for_array(it, owner, args, kwargs, node)
    flag = flag_inside([args, kwargs], deep=is_array(owner))
    if flag is None and not is_value(owner) and (kind_of_owner(owner), name) not in KEEPING:
        flag = flag_of_none(args, kwargs)
    if flag is not None:
        again = lambda now: call_method(it, now[2], name, now[0], now[1], node)
        return in_kinds(it, flag, [args, kwargs, owner], again)
    if has_method(owner, name):
        return _of_known_number(it, getattr(owner, name), args, kwargs, node)
    handler = method_of(it, owner, name, node)
    if handler is None:
        special = NotImplemented if kwargs else special_call(it, owner, name, args, node)
        if special is not NotImplemented:
            return special
        it.refuse(
            node, f"the method '{name}' of {described(it, owner)} is not supported",
            similar(name, methods_of(kind_of_owner(owner))),
        )  # fmt: skip
    result = it.handled(handler, [owner, *args], kwargs, node)
    if is_array(owner) and kind_of(it, owner) is not Kind.ARRAY:
        note_method(it, owner, result)
    return result


def _of_known_number(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of a method of a number that is known when compiling."""
    if any(isinstance(v, Var) for v in (*args, *kwargs.values())):
        it.refuse(node, f"an argument of {f.__name__}() is not known when compiling")
    try:
        return f(*args, **kwargs)
    except (TypeError, ValueError, OverflowError) as e:
        it.fails(e, node)


def _gives_shell(it: Interpreter, f: Any) -> bool:
    return isinstance(f, Hashable) and f in MADE_BY and not follows_library(it)
