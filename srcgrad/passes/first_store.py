"""The first addition to zeros is a store, and the zeros need not be there.

>>> show(first_store(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     a: f64[n] = zeros(n, dtype='f64')
...     b: f64[n] = zeros(n, dtype='f64')
...     add_to(a, x)
...     for i in reversed(range(0, n)):
...         v: f64 = load(x, i)
...         add_at(b, i, v)
...     return (a, b,)
... '''), REGISTRY))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    a: f64[n] = empty(n, dtype='f64')
    b: f64[n] = empty(n, dtype='f64')
    assign(a, x)
    for i in reversed(range(0, n)):
        v: f64 = load(x, i)
        store(b, i, v)
    return (a, b,)

The addition has to be the first that touches the buffer, and to reach every element: one of a
whole array, or one in a nest that counts through all of its axes and touches nothing else of it.
(0.0 + -0.0 is 0.0: the sign of a zero may change.) Never looks past a statement that is not sure
to leave the buffer alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Block, Const, Def, For, Function, Stmt, Var
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import atoms, blocks, walk
from srcgrad.passes.rewrite import Rewriter


def first_store(
    function: Function, table: Mapping[str, Any], together: Iterable[tuple[Var, Var]] = ()
) -> Function:
    return _FirstStore(table, AliasClasses(function, together)).function(function)


class _FirstStore(Rewriter):
    def __init__(self, table: Mapping[str, Any], classes: AliasClasses):
        super().__init__()
        self.table, self.classes = table, classes

    def block(self, block: Block) -> Block:
        out = list(super().block(block))
        for k, s in enumerate(out):
            if not (isinstance(s, Def) and s.op.name == "zeros" and s.args and s.var is not None):
                continue
            at = next((j for j in range(k + 1, len(out)) if self.touches(out[j], s.var)), None)
            stored = None if at is None else self.stored(out[at], s.var)
            if stored is not None and at is not None:
                out[k], out[at] = replace(s, op=self.table["empty"]), stored
        return tuple(out)

    def touches(self, s: Stmt, v: Var) -> bool:
        """Whether a statement does more with the buffer of `v` than to name a view of it."""
        if isinstance(s, Def) and (s.op.view or s.op.name == "dim"):
            return False
        own = self.classes.of(v)
        inner = [t for b in blocks(s) for t in walk(b)]
        return any(
            isinstance(a, Var) and is_reference(a.type) and self.classes.of(a) is own
            for t in (s, *inner)
            for a in atoms(t)
        )

    def stored(self, s: Stmt, v: Var, indices: tuple[Var, ...] = ()) -> Stmt | None:
        """The statement with its addition to all of `v` as a store; None if it is no such one."""
        if isinstance(s, Def):
            return self.as_store(s, v, indices)
        axis = len(indices)
        if not isinstance(s, For) or axis >= v.type.ndim or not _runs_through(s, v, axis):
            return None
        touching = [k for k, t in enumerate(s.body) if self.touches(t, v)]
        if not touching or self.named(s, v):
            return None
        k = touching[0]
        new = self.stored(s.body[k], v, (*indices, s.index))
        if new is None or any(
            not self.exact(t, v, (*indices, s.index)) for t in touching_after(s, touching)
        ):
            return None
        return replace(s, body=(*s.body[:k], new, *s.body[k + 1 :]))

    def as_store(self, s: Def, v: Var, indices: tuple[Var, ...]) -> Def | None:
        if s.args[0] is not v or any(
            isinstance(a, Var) and is_reference(a.type) and self.classes.of(a) is self.classes.of(v)
            for a in s.args[1:]
        ):
            return None
        if s.op.name == "add_to" and not indices:
            return replace(s, op=self.table["assign"])
        if s.op.name == "add_at" and s.args[1:-1] == indices and len(indices) == v.type.ndim:
            return replace(s, op=self.table["store"])
        return None

    def exact(self, s: Stmt, v: Var, indices: tuple[Var, ...]) -> bool:
        """Whether a later statement of a trip touches the element of this trip only."""
        return (
            isinstance(s, Def)
            and s.op.name in ("load", "store", "add_at")
            and s.args[0] is v
            and s.args[1 : 1 + v.type.ndim] == indices
        )

    def named(self, s: For, v: Var) -> bool:
        """Whether views of the buffer are made, or references to it carried, in a loop."""
        own = self.classes.of(v)
        return any(
            isinstance(t, Def) and t.var is not None and is_reference(t.var.type)
            and self.classes.of(t.var) is own
            for t in walk(s.body)
        )  # fmt: skip


def touching_after(s: For, touching: list[int]) -> list[Stmt]:
    return [s.body[k] for k in touching[1:]]


def _runs_through(s: For, v: Var, axis: int) -> bool:
    """Whether a loop visits every place of an axis."""
    dim = v.type.dims[axis]
    starts = isinstance(s.start, Const) and s.start.value == 0
    stops = s.stop is dim or (isinstance(s.stop, Const) and s.stop.value == dim)
    return starts and stops
