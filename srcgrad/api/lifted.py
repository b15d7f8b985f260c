"""A function that is defined inside a compiled one, as a function of its own: for transforms.

What it reads of the functions around it becomes further arguments, by name, which are looked up
when it is called, as Python does. Never changes any of them: a transform works on copies.
"""

from __future__ import annotations

import functools
import itertools
import types
from dataclasses import dataclass
from typing import Any

import gast

from srcgrad.api.inline import Extra, inline
from srcgrad.frontend.calls import bind_tree
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.source import state_tree
from srcgrad.frontend.values import (
    UNBOUND,
    Bound,
    Closure,
    GrownList,
    Partial,
    Record,
    children,
    describe,
    is_value,
)

_NUMBERS = itertools.count()
HIDDEN = "transformed"  # part of the name of what a helper calls
OWN = (Closure, Partial, Bound)  # the values of functions that one compilation makes


@dataclass(frozen=True)
class Lifted:
    """A transform of `function`, which stands for a closure with further arguments."""

    compiled: Any
    closure: Closure

    def srcgrad_inline(
        self, it: Any, args: list, kwargs: dict, node: Any, extra: Extra | None = None
    ) -> Any:
        """Called by the frontend where the transformed function is called."""
        given = bind_tree(it, self.closure, args, kwargs, node)
        around, _ = surroundings(it, self.closure, node)
        return inline(self.compiled, it, [], {**given, **around}, node, extra)


def lifted(it: Any, f: Closure, node: Any) -> types.FunctionType:
    """The same function, whatever the values around it: what is found out about it is kept."""
    a = f.node.args
    if a.vararg is not None or a.kwarg is not None:
        it.refuse(node, f"a transform of {f.name}(), which is defined inside and has *args or **")
    around, helpers = surroundings(it, f, node)
    return _lifted(f.node, f.frame.source.function, f.frame.source.file, (*around,), helpers)


@functools.lru_cache(maxsize=512)
def _lifted(
    tree: Any, outer: types.FunctionType, file: str, names: tuple[str, ...], helpers: tuple
) -> types.FunctionType:
    a = tree.args
    own = [x.id for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    name = getattr(tree, "name", "lambda_")
    scope: dict[str, Any] = {}
    # what tells code objects apart is what they do: each does something of its own
    exec(f"def {name}({', '.join([*own, *names])}): return {next(_NUMBERS)}", scope)
    params = [gast.Name(x, gast.Param(), None, None) for x in [*own, *names]]
    body = (
        list(tree.body)
        if not isinstance(tree, gast.Lambda)
        else [_at(tree, gast.Return(tree.body))]
    )
    signature = gast.arguments(params, [], None, [], [], None, [])
    made = gast.FunctionDef(name, signature, [*helpers, *body], [], None, None, [])
    state_tree(scope[name], _at(tree, made), outer, file)
    return scope[name]


@functools.lru_cache(maxsize=512)
def _bound(name: str, helper: Any) -> tuple:
    """The statements that bind a name to a function defined inside."""
    if isinstance(helper, gast.Lambda):
        return (_at(helper, gast.Assign([_stored(helper, name)], helper, None)),)
    if helper.name == name:
        return (helper,)
    value = _at(helper, gast.Name(helper.name, gast.Load(), None, None))
    return helper, _at(helper, gast.Assign([_stored(helper, name)], value, None))


@functools.lru_cache(maxsize=512)
def _calling(name: str, f: Closure, around: tuple[str, ...]) -> tuple:
    """A function that calls the transform of another with what is around that."""
    a = f.node.args
    own = [x.id for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    passed = ", ".join([*own, *(f"{n}={n}" for n in around)])
    text = f"def {name}({', '.join(own)}): return {name}_{HIDDEN}({passed})"
    return (_at(f.node, gast.parse(text).body[0]),)


def _stored(place: Any, name: str) -> Any:
    return _at(place, gast.Name(name, gast.Store(), None, None))


def _at(place: Any, made: Any) -> Any:
    return gast.copy_location(made, place)


def surroundings(it: Any, f: Closure, node: Any) -> tuple[dict[str, Any], tuple]:
    """What a closure reads of the functions around it by name, and the functions among them."""
    values: dict[str, Any] = {}
    helpers: dict[str, tuple] = {}
    seen: dict[str, Any] = {}
    todo = [f]
    while todo:
        g = todo.pop()
        for name in _read(g.node):
            found, v = _around(it, g, name, node)
            if not found:
                continue
            if seen.setdefault(name, v) is not v:
                it.refuse(node, f"'{name}' means two things in {f.name}() and what it calls")
            if name in helpers or name in values:
                continue
            match v:
                case Closure():
                    helpers[name], inner = _bound(name, v.node), v
                case Lifted(compiled, inner):
                    values[f"{name}_{HIDDEN}"] = compiled
                    around = surroundings(it, inner, node)[0]
                    helpers[name] = _calling(name, inner, (*around,))
                case _:
                    _refuse_strange(it, name, v, node)
                    values[name] = v
                    continue
            if inner.defaults or any(d is not None for d in inner.kw_defaults):
                it.refuse(node, f"{name}(), defined inside, has arguments with defaults")
            if inner is not f:
                todo.append(inner)
    return values, tuple(s for h in helpers.values() for s in h)


def _around(it: Any, f: Closure, name: str, node: Any) -> tuple[bool, Any]:
    frame = f.frame
    while frame is not None:
        if frame.env.get(name, UNBOUND) is not UNBOUND and name not in frame.elsewhere:
            return True, it._bound(frame.env, name, node)
        frame = frame.outer
    return False, None


def _refuse_strange(it: Any, name: str, v: Any, node: Any) -> None:
    """What belongs to this function alone, or grows, cannot be an argument of another."""
    parts = list(v.fields.values()) if isinstance(v, Record) else children(v)
    if parts is not None and not isinstance(v, GrownList):
        for p in parts:
            _refuse_strange(it, name, p, node)
    elif not (is_value(v) or v is None or isinstance(v, str) or _static(v)):
        it.refuse(node, f"'{name}', read by a function defined inside, is {describe(v)}")


def _static(v: Any) -> bool:
    """Functions, classes, modules: the same at every call."""
    return isinstance(v, types.ModuleType) or (callable(v) and not isinstance(v, OWN))


@functools.lru_cache(maxsize=512)
def _read(tree: Any) -> tuple[str, ...]:
    """The names a function reads that are not its own."""
    lambdas = isinstance(tree, gast.Lambda)
    a = tree.args
    own = {x.id for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
    own |= set() if lambdas else set(assigned(tree.body))
    body = [tree.body] if lambdas else tree.body
    names = [n for part in body for n in gast.walk(part)]
    read = [n.id for n in names if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)]
    return tuple(dict.fromkeys(n for n in read if n not in own))
