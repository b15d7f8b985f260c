"""Functions and texts that hold values of the run: closures, partial functions, methods of records.

They come apart where paths join: one that the run chooses is made anew of the values that it holds.
"""

from __future__ import annotations

import functools
import types
from dataclasses import replace
from typing import Any

import gast

from srcgrad.frontend.frame import Frame
from srcgrad.frontend.liveness import assigned
from srcgrad.frontend.trees import nonlocals, parameters_of
from srcgrad.frontend.values import Closure, Formatted, Partial, Record, View
from srcgrad.records import record


@record(frozen=True, eq=False)
class Form:
    """A function or a text apart from the values that it holds."""

    function: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())

    def _facts(self) -> tuple:
        match self.function:
            case Closure(node=node, defaults=defaults, kw_defaults=kw_defaults):
                return node, len(defaults), len(kw_defaults)
            case Partial(args=args, keywords=keywords):
                return len(args), *keywords
            case Formatted(template=template, values=values):
                return template, len(values)
            case View(name=name):
                return (name,)
        return (self.function.__func__,)


def held(v: Any) -> tuple[Form, tuple, list[Any]] | None:
    """The form of what holds values, and these by their names; None for any other value."""
    match v:
        case Closure() if v.frame.finished or v.defaults or any(v.kw_defaults):
            if isinstance(v.node, gast.FunctionDef) and nonlocals(v.node):
                return None
            env = _environment(v) if v.frame.finished else {}
            values = [*v.defaults, *v.kw_defaults, *env.values()]
            places = range(len(v.defaults) + len(v.kw_defaults))
            return Form(v), (*places, *env), values
        case Partial():
            return Form(v), tuple(range(1 + len(v.args) + len(v.keywords))), [
                v.func, *v.args, *v.keywords.values(),
            ]  # fmt: skip
        case Formatted():
            return Form(v), tuple(range(len(v.values))), v.values
        case View():
            return Form(v), ("owner",), [v.owner]
        case types.MethodType() if isinstance(v.__self__, Record):
            return Form(v), ("self",), [v.__self__]
    return None


def is_view(form: Form) -> bool:
    """Whether a form is that of the keys, values or items of a dict, which is one dict."""
    return isinstance(form.function, View)


def made(form: Form, keys: tuple, values: list[Any]) -> Any:
    """A function or a text of the same form that holds other values."""
    f = form.function
    match f:
        case Closure():
            n = len(f.defaults)
            m = n + len(f.kw_defaults)
            frame = f.frame
            if frame.finished:
                env = dict(zip(keys[m:], values[m:], strict=True))
                frame = replace(frame, env=env, local=set(), outer=_running(frame))
            return replace(
                f, env=frame.env, defaults=values[:n], kw_defaults=values[n:m], frame=frame
            )
        case Partial():
            func, *args = values
            n = len(f.args)
            return Partial(func, tuple(args[:n]), dict(zip(f.keywords, args[n:], strict=True)))
        case Formatted():
            return Formatted(f.template, values)
        case View():
            return View(values[0], f.name)
    return types.MethodType(f.__func__, values[0])


def _environment(v: Closure) -> dict[str, Any]:
    """The values of the names that a closure reads of functions that have returned."""
    out: dict[str, Any] = {}
    frame: Frame | None = v.frame
    while frame is not None and frame.finished:
        for name in _read(v.node):
            if name in frame.env and name not in out:
                out[name] = frame.env[name]
        frame = frame.outer
    return out


def _running(frame: Frame | None) -> Frame | None:
    """The innermost enclosing function that has not returned; else the outermost, without names."""
    while frame is not None and frame.finished:
        if frame.outer is None:
            return replace(frame, env={}, local=set())
        frame = frame.outer
    return frame


@functools.lru_cache(maxsize=1024)
def _read(node: Any) -> tuple[str, ...]:
    """The names that a function reads and does not bind."""
    own = {*parameters_of(node)}
    if isinstance(node, gast.FunctionDef):
        own |= set(assigned(node.body))
    loaded = [
        n.id for n in gast.walk(node) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)
    ]
    return tuple(dict.fromkeys(n for n in loaded if n not in own))
