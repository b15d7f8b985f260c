"""Calls: handlers of builtins and NumPy by identity, everything else inlined from its source."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import io
import sys
import types
from collections.abc import Hashable
from typing import Any

import gast
import numpy as np

from srcgrad.errors import SourceError, SrcgradError, UnsupportedError
from srcgrad.frontend import source
from srcgrad.frontend.arguments import misfit
from srcgrad.frontend.binding import bind
from srcgrad.frontend.classes import construct
from srcgrad.frontend.demands import Respecialise
from srcgrad.frontend.expressions import elements
from srcgrad.frontend.foreign import foreign_library
from srcgrad.frontend.formulas.registry import is_formula
from srcgrad.frontend.frame import RESULT, RETURNED, Frame, Passed
from srcgrad.frontend.handlers.parameters import known_arguments
from srcgrad.frontend.handlers.registry import handler_of, kind_of_owner
from srcgrad.frontend.handlers.signatures import as_named
from srcgrad.frontend.heap import reachable
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import (
    Kind,
    described,
    follows_library,
    kind_of,
    method_of,
    note_made,
    note_method,
)
from srcgrad.frontend.liveness import Liveness, assigned
from srcgrad.frontend.maybe_none import refuse_maybe_none
from srcgrad.frontend.members import watch_inherited
from srcgrad.frontend.recursion import limit_recursion
from srcgrad.frontend.shells import MADE_BY, in_shell
from srcgrad.frontend.similar import methods_of, similar
from srcgrad.frontend.trees import nonlocals, own_statements, signature_of
from srcgrad.frontend.unknown import callable_name, refuse_unknown
from srcgrad.frontend.values import (
    Bound,
    Closure,
    Conflict,
    Iterated,
    MaybeNone,
    Partial,
    Range,
    Record,
    Slice,
    describe,
    is_array,
    is_value,
)
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import BOOL, Scalar
from srcgrad.protocols import is_transform, of_numba, poses
from srcgrad.tracebacks import within
from srcgrad.tree import registered_as


def of_call(it: Interpreter, node: gast.Call) -> Any:
    f = _callee(it, node.func)
    args = elements(it, node.args)
    kwargs: dict[str, Any] = {}
    for k in node.keywords:
        value = it.expression(k.value)
        given = value if k.arg is None else {k.arg: value}
        if not isinstance(given, dict) or not all(isinstance(n, str) for n in given):
            it.refuse(
                k.value,
                f"** takes a dict with strings as keys, not {describe(value)}",
                like=TypeError,
            )
        twice = next((n for n in given if n in kwargs), None)
        if twice is not None:
            it.refuse(node, f"the argument '{twice}' is given twice", like=TypeError)
        kwargs.update(given)
    return it.call(f, args, kwargs, node)


def _callee(it: Interpreter, node: Node) -> Any:
    """What is called. `size` is a number of arrays and a method of tensors."""
    if isinstance(node, gast.Attribute) and node.attr == "size":
        owner = it.expression(node.value)
        if is_array(owner) and kind_of(it, owner) is Kind.TENSOR:
            return Bound(owner, "size")
        return it.attribute(owner, "size", node)
    return it.expression(node)


def call(it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
    f = within(f)
    if poses(f):
        return _call_instance(it, f, args, kwargs, node)
    handler = handler_of(f)
    if handler is not None:
        result = it.handled(handler, *_named(it, f, handler, args, kwargs, node), node)
        note_made(it, f, args, result)
        result = strong(it, result) if _gives_strong(f) else result
        return in_shell(it, result) if _gives_shell(it, f) else result
    match f:
        case Bound():
            return call_method(it, f.owner, f.name, args, kwargs, node)
        case Closure():
            return _call_closure(it, f, args, kwargs, node)
        case functools.partial():
            key = ("partial", id(f))
            given = it.captures.take(it, key, lambda: f.args, "arguments", node)
            named = it.captures.take(it, (*key, "names"), lambda: f.keywords, "names", node)
            return it.call(f.func, [*given, *args], {**named, **kwargs}, node)
        case Partial():
            return it.call(f.func, [*f.args, *args], {**f.keywords, **kwargs}, node)
        case types.MethodType():
            if isinstance(f.__self__, io.IOBase):
                refuse_unknown(it, f, node)
            return it.call(f.__func__, [_owner(it, f.__self__, node), *args], kwargs, node)
        case types.FunctionType():
            result = follow(it, f, args, kwargs, node)
            note_made(it, f, args, result)
            return result
    if (function := of_numba(f)) is not None:
        return it.call(function, args, kwargs, node)
    if is_transform(f):
        return f.srcgrad_inline(it, args, kwargs, node)
    if isinstance(f, functools._lru_cache_wrapper):  # what it keeps is what it would compute
        kept = it.call(f.__wrapped__, args, kwargs, node)
        it.captures.immutable.update(reachable([kept], it.captures.immutable))
        return kept
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
    refuse_unknown(it, f, node)
    return _call_instance(it, f, args, kwargs, node)


def _call_instance(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """A call of an object whose class says what it means."""
    if type(inspect.getattr_static(type(f), "__call__", None)) is types.FunctionType:
        watch_inherited(it.captures, f, "__call__")
        return it.call(type(f).__call__, [f, *args], kwargs, node)
    it.refuse(node, f"{callable_name(f)} cannot be called in a compiled function")


def _owner(it: Interpreter, owner: Any, node: Node) -> Any:
    """What a method is called on: an instance of a registered class is captured with it."""
    if registered_as(type(owner)) is None:
        return owner
    it.captures.inlined.append(owner)  # its id stays its own
    return it.captures.take(it, ("self", id(owner)), lambda: owner, "self", node)


def strong(it: Interpreter, v: Any) -> Any:
    """A Python number as the scalar that NumPy's functions make of it; their bools are as made."""
    if isinstance(v, Var) and isinstance(v.type, Scalar) and v.type.weak and v.type != BOOL:
        return it.b.retyped(v, Scalar(v.type.dtype))
    if isinstance(v, int | float | complex) and not isinstance(v, bool | np.generic):
        kinds = {int: np.int64, float: np.float64, complex: np.complex128}
        return next(kinds[k](v) for k in kinds if isinstance(v, k))
    return v


def handled(
    it: Interpreter, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    refuse_maybe_none(it, (*args, *kwargs.values()), node)
    args, kwargs = known_arguments(it, handler, args, kwargs, node)
    try:
        return handler(it, node, *args, **kwargs)
    except TypeError as e:
        # a wrong argument of the call, not a fault inside the handler
        if e.__traceback__ is not None and e.__traceback__.tb_next is None:
            it.refuse(node, f"this call is not supported: {_arguments_of(e)}")
        raise


def call_numpy(it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
    handler = handler_of(f)
    assert handler is not None, f
    return it.handled(handler, *_named(it, f, handler, args, kwargs, node), node)


def _named(
    it: Interpreter, f: Any, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a handler, bound as NumPy binds those of its function."""
    try:
        return as_named(f, handler, args, kwargs)
    except TypeError as e:
        it.refuse(node, f"this call is not supported: {_arguments_of(e)}", like=TypeError)


def call_method(
    it: Interpreter, owner: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    handler = method_of(it, owner, name, node)
    if handler is None:
        it.refuse(
            node, f"the method '{name}' of {described(it, owner)} is not supported",
            similar(name, methods_of(kind_of_owner(owner))),
        )  # fmt: skip
    result = it.handled(handler, [owner, *args], kwargs, node)
    if is_array(owner) and kind_of(it, owner) is not Kind.ARRAY:
        note_method(it, owner, result)
    return result


# ---- inlining ----
def follow(
    it: Interpreter, f: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of a Python function, whose source is interpreted here."""
    module = str(f.__module__ or "").split(".")[0]
    if module in ("numpy", "scipy", "numba") or foreign_library(f):
        refuse_unknown(it, f, node)
    if f.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
        it.refuse(node, f"{f.__name__}() is a generator or coroutine", "return a list or an array")
    try:
        found = source.find(f)
    except SourceError as e:
        it.refuse(node, e.reason, e.way_out)
    library = module in sys.stdlib_module_names and module != "__main__"
    placed = it.frame.source.place is not None or not follows_library(it)
    if library or is_formula(f) or (module == "srcgrad" and placed):
        # errors name the user's line
        found = dataclasses.replace(found, place=it.frame.source.location(node))
    if not is_formula(f):
        it.captures.watch_attribute(f, "__code__")
    bound = bind(it, f, args, kwargs, node)
    if is_formula(f) or module == "srcgrad":
        bound = known_arguments(it, f, [], bound, node)[1]
    ours = module == "srcgrad" and not (follows_library(it) or is_formula(f))
    if not library and not ours:
        return inline(it, found, bound, None, node)
    problems = len(it.problems)
    try:
        return inline(it, found, bound, None, node)
    except (UnsupportedError, Passed, Respecialise) as e:  # the user's line, not one of a library
        first = [*it.problems[problems:], e][0]
        if isinstance(first, Respecialise):
            raise
        del it.problems[problems:]
        if library or not isinstance(first, SrcgradError):
            it.refuse(
                node, f"{f.__module__}.{f.__qualname__}() is not supported in a compiled "
                "function", "call it outside and pass the result",
            )  # fmt: skip
        it.refuse(
            node,
            f"{f.__name__}() is not supported here: {first.reason}",
            first.way_out,
            getattr(first, "like", None),
        )


def inline(
    it: Interpreter, found: source.Source, env: dict[str, Any], outer: Any, node: Node
) -> Any:
    """Interpret a function's body in a frame of its own; its result."""
    limit_recursion(it, found, env, node)
    loc = it.b.loc
    tree = found.tree
    frame = Frame(found, dict(env), _liveness(tree), outer, given=env)
    frame.scopes = len(it.b.scopes)
    if it.frames:
        frame.called_at = it.frame.source.location(node)
    it.scopes[id(frame.env)] = frame.env
    it.frames.append(frame)
    it.inside[tree] += 1
    try:
        if isinstance(tree, gast.Lambda):
            it.locate(tree.body)
            return it.expression(tree.body)
        frame.elsewhere = nonlocals(tree)
        frame.local = set(assigned(tree.body)) - frame.elsewhere
        _refuse_scopes(it, tree)
        it.block(tree.body)
        it.returned_at = frame.returns[-1] if frame.returns else None
        return _result(it, frame, node)
    finally:
        it.frames.pop()
        it.inside[tree] -= 1
        it.b.loc = loc


def _result(it: Interpreter, frame: Any, node: Node) -> Any:
    if frame.passed:
        raise Passed
    result = frame.env.get(RESULT)
    returned = frame.env.get(RETURNED, False)
    found = frame.source
    if isinstance(result, Conflict):
        raise UnsupportedError(
            f"the returns of {found.title}() do not fit together: {result.reason}",
            frame.returns[-1] if frame.returns else found.location(found.tree),
            "return one kind of value on every path",
        )
    if isinstance(returned, Var) and result is not None:  # a path falls off the end
        given = result.flag if isinstance(result, MaybeNone) else True
        flag = returned if given is True else it.b("logical_and", returned, given)
        return MaybeNone(result.value if isinstance(result, MaybeNone) else result, flag)
    return result


def _refuse_scopes(it: Interpreter, tree: Any) -> None:
    for n in own_statements(tree):
        if isinstance(n, gast.Yield | gast.YieldFrom | gast.Await):
            it.refuse(n, "generators and coroutines are not supported", "return a list or an array")


# ---- closures ----
def closure(it: Interpreter, node: gast.FunctionDef | gast.Lambda, name: str) -> Closure:
    defaults = [it.expression(d) for d in node.args.defaults]
    kw = [None if d is None else it.expression(d) for d in node.args.kw_defaults]
    return Closure(node, it.env, defaults, kw, it.frame, name)


def of_lambda(it: Interpreter, node: gast.Lambda) -> Any:
    return closure(it, node, "<lambda>")


def _call_closure(
    it: Interpreter, f: Closure, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    signature = signature_of(f.node, f.defaults, f.kw_defaults)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        it.fails(misfit(f.name, signature, args, kwargs), node)
    bound.apply_defaults()
    defining = f.frame.source
    found = source.Source(defining.function, f.node, defining.file, defining.place)
    return inline(it, found, dict(bound.arguments), f.frame, node)


@functools.lru_cache(maxsize=1024)
def _liveness(tree: Any) -> Liveness:
    return Liveness(tree)


def _gives_strong(f: Any) -> bool:
    """Whether a function is one of NumPy's that never return a Python number."""
    if isinstance(f, np.ufunc):
        return True
    numpy = (getattr(f, "__module__", None) or "").split(".")[0] == "numpy"
    return numpy and f not in (
        np.ndim, np.size, np.shape, np.real, np.imag, np.count_nonzero,
    )  # fmt: skip


def _gives_shell(it: Interpreter, f: Any) -> bool:
    return isinstance(f, Hashable) and f in MADE_BY and not follows_library(it)


def _arguments_of(e: TypeError) -> str:
    text = str(e)
    return text.split("() ", 1)[-1] if "() " in text else text
