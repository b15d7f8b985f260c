"""Decorators of libraries on functions inside, and signatures that decorators ask for.

`functools.wraps` and Numba's compilers leave a function as it is; a cached result is what the
function would compute.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.frontend import contexts
from srcgrad.frontend.cached_calls import cached_call
from srcgrad.frontend.handlers.registry import BY_NAME, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists import reshaping
from srcgrad.frontend.special_methods import class_of_instance, special
from srcgrad.frontend.trees import signature_of
from srcgrad.frontend.values import RUNNING, Closure, Partial, Record, describe, is_number
from srcgrad.frontend.watches import watch_inherited
from srcgrad.protocols import of_numba


def same(f: Any) -> Any:
    """A decorator that changes nothing."""
    return f


def remembered(f: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Calls a function whose results are cached."""
    return f(*args, **kwargs)


def over(wrapped: Any, wrapper: Any) -> Any:
    """A function that says that it wraps another one."""
    return functools.update_wrapper(wrapper, wrapped)


def managing(f: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Calls a function that `contextlib.contextmanager` decorates."""
    return f(*args, **kwargs)


def _is_function(v: Any) -> bool:
    return isinstance(v, RUNNING | types.FunctionType | types.MethodType)


implements(same)(lambda it, node, f: f)
implements(functools.wraps)(lambda it, node, /, wrapped, *_, **__: Partial(over, (wrapped,), {}))
implements(functools.cache)(lambda it, node, f: Partial(remembered, (f,), {}))
implements(contextlib.contextmanager)(lambda it, node, f: Partial(managing, (f,), {}))


@implements(functools.update_wrapper)
def _wraps(it: Interpreter, node: Node, /, wrapper: Any, wrapped: Any, *_: Any, **__: Any) -> Any:
    if isinstance(wrapper, Closure | Partial):
        it.captures.wrapped[wrapper] = wrapped
    return wrapper


@implements(over)
def _over(it: Interpreter, node: Node, wrapped: Any, wrapper: Any) -> Any:
    return _wraps(it, node, wrapper, wrapped)


@implements(functools.lru_cache)
def lru_cache(it: Interpreter, node: Node, maxsize: Any = 128, typed: Any = False) -> Any:
    return Partial(remembered, (maxsize,), {}) if _is_function(maxsize) else functools.cache


@implements(remembered)
def _remembered(it: Interpreter, node: Node, f: Any, /, *args: Any, **kwargs: Any) -> Any:
    return cached_call(it, f, [*args], kwargs, node)


@implements(managing)
def _managing(it: Interpreter, node: Node, f: Any, /, *args: Any, **kwargs: Any) -> Any:
    return contexts.managed(it, f, [*args], kwargs, node)


@implements(np.errstate)
def errstate(it: Interpreter, node: Node, /, *given: Any, **settings: Any) -> Any:
    if given:
        it.wrong(node, "errstate() takes no positional arguments", TypeError)
    contexts.refuse_settings(it, node, settings)
    return same


def _of_numba(it: Interpreter, node: Node, /, *given: Any, **options: Any) -> Any:
    """`njit` of a function, or with options, which change how it is compiled by Numba."""
    if given and not _is_function(given[0]):
        it.refuse(node, "Numba's signatures are not followed", "leave the signature out")
    return given[0] if given else same


for _name in ("jit", "njit"):
    BY_NAME["numba.core.decorators", _name] = _of_numba


# ---- signatures ----
@implements(inspect.signature)
def signature(it: Interpreter, node: Node, f: Any) -> Any:
    if isinstance(f, Closure | Partial) and f in it.captures.wrapped:
        return signature(it, node, it.captures.wrapped[f])
    match f:
        case Closure() if not any(f.node is getattr(w, "node", None) for w in it.captures.wrapped):
            return signature_of(f.node, f.defaults, f.kw_defaults)
        case types.FunctionType():
            for part in ("__code__", "__defaults__", "__kwdefaults__"):
                it.captures.watch_attribute(f, part)
            return inspect.signature(f)
        case functools._lru_cache_wrapper() if "__signature__" not in vars(f):
            it.captures.watch_attribute(f, "__wrapped__")
            return signature(it, node, f.__wrapped__)
        case Partial(func=known) if known is remembered:
            return signature(it, node, *f.args)
        case types.MethodType():
            return _without_first(signature(it, node, f.__func__), 1)
        case Partial() | functools.partial() if not f.keywords:
            return _without_first(signature(it, node, f.func), len(f.args))
    if (function := of_numba(f)) is not None:
        return signature(it, node, function)
    method = special(f, "__call__")
    if method is not None and not hasattr(class_of_instance(f), "__signature__"):
        watch_inherited(it.captures, f, "__call__")
        return _without_first(signature(it, node, method), 1)
    it.refuse(node, f"inspect.signature() of {describe(f)}", "pass a function, or a method")


def _without_first(own: inspect.Signature, count: int) -> inspect.Signature:
    """The signature of a function whose first arguments are given by position."""
    parameters = list(own.parameters.values())
    for _ in range(count):
        if parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
            del parameters[0]
    return own.replace(parameters=parameters)


@implements(inspect.getfullargspec)
def full_arguments(it: Interpreter, node: Node, f: Any) -> Any:
    if not isinstance(f, types.FunctionType):
        it.refuse(node, "inspect.getfullargspec() takes a plain function in compiled code")
    for part in ("__code__", "__defaults__", "__kwdefaults__"):
        it.captures.watch_attribute(f, part)
    return inspect.getfullargspec(f)


def _binding(name: str) -> Callable:
    def bind(it: Interpreter, node: Node, own: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            bound = getattr(own, name)(*args, **kwargs)
        except TypeError as e:
            it.fails(e, node)
        fields = {"signature": own, "arguments": dict(bound.arguments)}
        return Record(inspect.BoundArguments, fields)

    return bind


def _part(name: str) -> Callable:
    def part(it: Interpreter, node: Node, bound: Record) -> Any:
        own, arguments = bound.fields["signature"], bound.fields["arguments"]
        return getattr(inspect.BoundArguments(own, dict(arguments)), name)

    return part


for _name in ("bind", "bind_partial"):
    implements(getattr(inspect.Signature, _name))(_binding(_name))
for _name in ("args", "kwargs"):
    implements(getattr(inspect.BoundArguments, _name).fget)(_part(_name))


@implements(inspect.BoundArguments.apply_defaults)
def apply_defaults(it: Interpreter, node: Node, bound: Record) -> None:
    arguments = bound.fields["arguments"]
    whole = inspect.BoundArguments(bound.fields["signature"], dict(arguments))
    whole.apply_defaults()
    added = {k: v for k, v in whole.arguments.items() if k not in arguments}
    kinds = str | tuple | dict | None
    if not all(is_number(v) or isinstance(v, kinds) for v in added.values()):
        it.refuse(node, "a default is neither a number nor a string", "pass the argument")
    reshaping(it, arguments, node)
    arguments.clear()
    arguments.update(whole.arguments)
