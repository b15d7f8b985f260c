"""The keys by which the kinds of lists that grow are known from one attempt to the next.

A list that a program makes at one place has one kind of items in each run of that place. A helper
that is called with other kinds, and the trip of an unrolled loop over items of other kinds, are
runs of their own: what one appends does not widen the list of another.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast
import numpy as np

from srcgrad import tree
from srcgrad.frontend.frame import Frame
from srcgrad.frontend.grown_lists import GrownTable, Ragged
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import is_weak
from srcgrad.frontend.list_tails import Tail
from srcgrad.frontend.requirements import Key, RestartTracing, place_of_list
from srcgrad.frontend.tables import is_column
from srcgrad.frontend.values import (
    Abstract,
    Closure,
    GrownList,
    MaybeNone,
    MaybeUnbound,
    Partial,
    Record,
    Several,
    is_number,
)
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Array
from srcgrad.records import record

DEEPEST = 4  # functions that hold one another
BY_VALUE = (
    bool, str, type, np.dtype, type(None), np.ufunc, types.BuiltinFunctionType, types.ModuleType
)  # fmt: skip


def key_of_list(it: Interpreter, node: Node, *part: str) -> Key:
    """The key of a list that is made here; `part` tells it from others of the place."""
    place = (*it.place(node), *part)
    return (_Around(it, place in it.captures.required.by_value).of(it.frame), *place)


@contextmanager
def each_item(it: Interpreter, target: gast.expr) -> Iterator[None]:
    """Within it the target of an unrolled loop, or comprehension, is bound to its items."""
    it.frame.targets.append(target)
    try:
        yield
    finally:
        it.frame.targets.pop()


def begin(it: Interpreter, owner: GrownList, item: Any) -> None:
    """Notes the first item of a list.

    Restarts where lists of one key begin with items of two kinds: numbers decide which, and are
    looked at by their values then.
    """
    if owner.begun or owner.key is None:
        return
    owner.begun = True
    around = _Around(it, False)
    kind = [around.kind(v) for v in tree.leaves(item) if is_column(v)]
    place, values = place_of_list(owner.key), it.captures.required.by_value
    if it.first_items.setdefault(owner.key, kind) != kind and place not in values:
        values.add(place)
        raise RestartTracing("numbers decide the kind of the items of a list")


@record()
class _Around:
    """The kinds that decide those of what a function makes."""

    it: Interpreter
    by_value: bool  # numbers too

    def of(self, frame: Frame | None, depth: int = 0) -> Key:
        """Those of its arguments, of the items in turn, and of the functions that enclose it.

        Arguments of the function that is compiled have one kind each.
        """
        if frame is None or depth > DEEPEST:
            return ()
        items = [n.id for t in frame.targets for n in gast.walk(t) if isinstance(n, gast.Name)]
        given = () if frame is self.it.frames[0] else frame.arguments.values()
        kinds = [self.kind(v, depth) for v in (*given, *(frame.env.get(n) for n in items))]
        return (*kinds, *self.of(frame.outer, depth + 1))

    def kind(self, v: Any, depth: int = 0) -> Any:
        """That of a value; of a list those of its items, however many there are."""
        if isinstance(v, Var):
            return v.type.dtype, v.type.ndim if isinstance(v.type, Array) else is_weak(v)
        if is_number(v) and not (self.by_value or isinstance(v, bool)):
            return type(v)
        if is_number(v) or isinstance(v, BY_VALUE):
            return type(v), repr(v) if is_number(v) else _named(v)
        if depth > DEEPEST:
            return type(v)
        cls, parts = type(v), self._parts(v, depth)
        if parts is not None:
            return parts
        held = tree.children(v)
        if held is None:
            own = getattr(v, "__dict__", None)
            held = [*own.values()] if isinstance(own, dict) else []
        kinds = [self.kind(p, depth + 1) for p in held]
        cls = v.cls if isinstance(v, Record) else cls
        return _named(cls), frozenset(kinds) if isinstance(v, list) else tuple(kinds)

    def _function(self, f: Any) -> Any:
        """A function, or the code of one that is made anew in each attempt."""
        return id(f.__code__) if f in self.it.defined_in else id(f)

    def _parts(self, v: Any, depth: int) -> Key | None:
        """The kind of a list that grows, a choice, a function or an array; None of others."""
        inner = depth + 1
        match v:
            case Ragged():
                return Ragged, v.dtype, v.rank
            case GrownTable():
                return GrownTable, *(self.kind(c, inner) for c in v.columns)
            case GrownList():
                return GrownList, v.dtype, v.shape is None
            case MaybeNone() | MaybeUnbound():
                return type(v), self.kind(v.value, inner)
            case Several():
                return Several, self.kind(v.one, inner), self.kind(v.other, inner)
            case Closure():
                held = (self.kind(d, inner) for d in v.defaults)
                place = v.name, v.node.lineno, v.node.col_offset
                return place, *self.of(v.frame, inner), *held
            case Partial():
                held = (v.func, *v.args, *v.keywords.values())
                return Partial, *(self.kind(p, inner) for p in held)
            case types.MethodType():
                return self._function(v.__func__), self.kind(v.__self__, inner)
            case np.ndarray():
                return v.dtype, v.ndim
            case types.FunctionType():
                return (self._function(v),)
            case Record():
                return None
            case Tail():
                return (Tail,)
            case Abstract():  # made of what the function around has
                return (type(v),)
        return None


def _named(v: Any) -> Any:
    """A class inside a function by its name, since each attempt makes it anew; else the value."""
    is_inside = isinstance(v, type) and "<locals>" in v.__qualname__
    return (v.__module__, v.__qualname__) if is_inside else v
