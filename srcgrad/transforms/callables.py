"""Callables that are not plain functions: methods, partials, instances with `__call__`."""

from __future__ import annotations

import functools
import inspect
import keyword
import types
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.values import written
from srcgrad.protocols import held, poses


def as_function(fn: Any) -> types.FunctionType:
    """A plain function of the remaining arguments that calls `fn`."""
    try:
        signature = inspect.signature(_read(fn))
    except (TypeError, ValueError) as e:
        raise ArgumentTypeError(f"{written(fn)} cannot be differentiated: {e}") from None
    from srcgrad.frontend.source import state_source

    # what NumPy's functions have for "not given" is left out
    params = [p for p in signature.parameters.values() if p.default is not np._NoValue]
    signature = signature.replace(parameters=params)
    listed, passed = [], []
    for p in params:
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        named = p.kind is p.KEYWORD_ONLY
        listed.append(f"{star}{p.name}")
        passed.append(f"{p.name}={p.name}" if named else f"{star}{p.name}")
    first = next((k for k, p in enumerate(params) if p.kind is p.KEYWORD_ONLY), None)
    if first is not None and not any(p.kind is p.VAR_POSITIONAL for p in params):
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
    function.__signature__ = signature
    function.__kwdefaults__ = {
        p.name: p.default for p in params if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
    } or None
    function.srcgrad_callable = fn
    state_source(function, text)
    return function


@functools.lru_cache(maxsize=512)
def _compiled(text: str, file: str) -> types.CodeType:
    """The code of a text: one object for all callables of one signature."""
    return compile(text, file, "exec")


def _read(fn: Any) -> Any:
    """What defines the arguments of a call: `construct` of a cell, `forward` of a module."""
    name = next((n for n in ("construct", "forward") if hasattr(type(fn), n)), None)
    return fn if name is None else getattr(fn, name)


def _named(fn: Any) -> Any:
    while type(fn) is functools.partial:
        fn = fn.func
    return type(fn) if held(fn, "__name__") is None else fn


def plain_function(fn: Any) -> Any:
    """A plain function for a callable: methods, partials, instances, what a decorator made."""
    if poses(fn):
        return as_function(fn)
    if isinstance(fn, types.FunctionType) and not hasattr(fn, "__wrapped__"):
        return fn
    if isinstance(fn, types.BuiltinFunctionType | np.ufunc | type):
        why = "is a class" if isinstance(fn, type) else "has no source"
        raise ArgumentTypeError(
            f"{fn.__name__} is not a Python function: it {why}", None,
            f"wrap it: def f(x): return {fn.__name__}(x)",
        )  # fmt: skip
    return as_function(fn)
