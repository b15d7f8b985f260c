"""Callables that are not plain functions: methods, partials, instances with `__call__`."""

from __future__ import annotations

import functools
import inspect
import keyword
import types
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.binding import own_signature
from srcgrad.frontend.handlers.registry import handler_of
from srcgrad.frontend.unknown_functions import why_unknown
from srcgrad.frontend.values import written
from srcgrad.protocols import held, home_module, mark, poses

P = inspect.Parameter


def as_function(fn: Any) -> types.FunctionType:
    """A plain function of the remaining arguments that calls `fn`."""
    from srcgrad.frontend.source import state_source

    signature = signature_of(fn)
    params = list(signature.parameters.values())
    listed, passed = [], []
    for p in params:
        star = {P.VAR_POSITIONAL: "*", P.VAR_KEYWORD: "**"}.get(p.kind, "")
        named = p.kind is P.KEYWORD_ONLY
        listed.append(f"{star}{p.name}")
        passed.append(f"{p.name}={p.name}" if named else f"{star}{p.name}")
    first = next((k for k, p in enumerate(params) if p.kind is P.KEYWORD_ONLY), None)
    if first is not None and not any(p.kind is P.VAR_POSITIONAL for p in params):
        listed.insert(first, "*")
    name = held(_named(fn), "__name__") or "call"
    name = name if name.isidentifier() and not keyword.iskeyword(name) else "call"
    called = "srcgrad_called"
    while called == name or called in signature.parameters:
        called += "_"
    text = f"def {name}({', '.join(listed)}):\n    return {called}({', '.join(passed)})\n"
    scope: dict[str, Any] = {called: fn}
    exec(_compiled(text, f"<srcgrad call of {name}>"), scope)
    function = scope[name]
    scope[called] = fn
    function.__signature__ = signature
    function.__kwdefaults__ = {
        p.name: p.default for p in params if p.kind is P.KEYWORD_ONLY and p.default is not p.empty
    } or None
    mark(function, "srcgrad_callable", fn)
    state_source(function, text)
    return function


def signature_of(fn: Any) -> inspect.Signature:
    """The signature of a callable. Functions of the libraries get only the given arguments."""
    if isinstance(fn, np.ufunc):
        names = ["x"] if fn.nin == 1 else [f"x{k + 1}" for k in range(fn.nin)]
        return inspect.Signature([P(n, P.POSITIONAL_ONLY) for n in names])
    row = _has_row(fn)
    try:
        signature = _signature(_read(fn))
    except (TypeError, ValueError) as e:  # functions written in C may not have one
        if not row:
            raise ArgumentTypeError(f"{written(fn)} cannot be differentiated: {e}") from None
        signature = inspect.Signature()
    if not row:
        return signature
    needed = [
        p for p in signature.parameters.values()
        if p.default is p.empty and p.kind in (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD)
    ]  # fmt: skip
    return inspect.Signature([*needed, P("args", P.VAR_POSITIONAL), P("kwargs", P.VAR_KEYWORD)])


def _signature(fn: Any) -> inspect.Signature:
    """The signature of a callable: of what a wrapper wraps only if it passes on what it gets."""
    if isinstance(fn, types.FunctionType) and hasattr(fn, "__wrapped__"):
        own = own_signature(fn)
        if all(p.kind is not P.VAR_POSITIONAL for p in own.parameters.values()):
            return own
    return inspect.signature(fn)


@functools.lru_cache(maxsize=512)
def _compiled(text: str, file: str) -> types.CodeType:
    """The code of a text: one object for all callables of one signature."""
    return compile(text, file, "exec")


def _read(fn: Any) -> Any:
    """The method that defines the arguments: `construct` of a cell, `forward` of a module."""
    name = next((n for n in ("construct", "forward") if hasattr(type(fn), n)), None)
    return fn if name is None else getattr(fn, name)


def _named(fn: Any) -> Any:
    while type(fn) is functools.partial:
        fn = fn.func
    return type(fn) if held(fn, "__name__") is None else fn


def plain_function(fn: Any) -> Any:
    """A plain function for a callable: methods, partials, instances, functions of the libraries."""
    if poses(fn) or _has_row(fn):
        return as_function(fn)
    why = why_unknown(fn) if _is_of_library(fn) else None
    if why is not None:
        raise ArgumentTypeError(why[0], None, why[1])
    if isinstance(fn, types.FunctionType) and not hasattr(fn, "__wrapped__"):
        return fn
    if isinstance(fn, type):
        name = fn.__name__
        reason = f"{name} is not a Python function: it is a class"
        raise ArgumentTypeError(reason, None, f"wrap it: def f(x): return {name}(x)")
    return as_function(fn)


def _has_row(fn: Any) -> bool:
    """Whether a function has a handler in the tables."""
    return handler_of(fn) is not None


def _is_of_library(fn: Any) -> bool:
    """Whether a function belongs to a library or has no source."""
    if isinstance(fn, types.BuiltinFunctionType | np.ufunc):
        return True
    kinds = types.FunctionType | types.MethodType | type(np.sum)
    module = home_module(fn).partition(".")[0]
    return isinstance(fn, kinds) and module in ("numpy", "scipy")
