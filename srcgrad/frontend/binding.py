"""Binds the arguments of a called function to names: the given ones, and defaults."""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np

from srcgrad.frontend.arguments import arguments_in, misfit
from srcgrad.frontend.formulas.registry import name_in_errors, takes_less
from srcgrad.frontend.guards import Path, Step
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.protocols import marked
from srcgrad.tree import is_by_fields, registered_as


def bind(
    it: Interpreter, f: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: Node,
    head: inspect.Signature | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The names of a function's arguments, defaults included; `head`: its parameters, and more."""
    head = head or own_signature(f)
    try:
        bound = head.bind(*args, **kwargs)
    except TypeError:
        error = misfit(name_in_errors(f), head, args, kwargs)
        if takes_less(f):
            it.refuse(node, f"this call is not supported: {arguments_in(error)}", like=TypeError)
        it.fails(error, node)
    env = dict(bound.arguments)
    for name, p in bound.signature.parameters.items():
        if name not in env and p.default is not p.empty:
            env[name] = default_of(it, f, name, p.default, node)
        elif p.kind is p.VAR_POSITIONAL:
            env.setdefault(name, ())
        elif p.kind is p.VAR_KEYWORD:
            env.setdefault(name, {})
    return env


def own_signature(f: types.FunctionType) -> inspect.Signature:
    """The parameters of a function's code, whatever `__signature__` or `__wrapped__` say."""
    if not f.__dict__ or marked(f, "srcgrad_callable") is not None:  # a call that nobody wrote
        return inspect.signature(f)
    bare = types.FunctionType(f.__code__, {}, f.__name__, f.__defaults__, f.__closure__)
    bare.__kwdefaults__ = f.__kwdefaults__
    return inspect.signature(bare)


def default_of(it: Interpreter, f: types.FunctionType, name: str, value: Any, node: Node) -> Any:
    """The default of an argument: a captured value where its contents may change."""
    path = Path("default", f, (Step((name,), lambda f: default_now(f, name)),))
    if not isinstance(value, np.ndarray | list | dict | set | tuple) and (
        not is_by_fields(value) and registered_as(type(value)) is None
    ):
        if str(f.__module__).startswith("srcgrad."):  # it cannot change
            return value
        for part in ("__defaults__", "__kwdefaults__"):
            it.captures.watch_attribute(f, part)
        if name in (f.__kwdefaults__ or {}):  # a dict, which may change
            it.captures.watch(path, name)
        return value
    return it.captures.take(it, path, name, node)


def default_now(f: types.FunctionType, name: str) -> Any:
    named = f.__kwdefaults__ or {}
    return named[name] if name in named else own_signature(f).parameters[name].default
