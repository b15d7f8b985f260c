"""Statements that reverse mode inserts into the forward sweep, such as stores to tapes.

Insertions are collected while the reverse sweep is built, and woven into the primal at the end.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import field

from srcgrad.autodiff.reverse.program import TOP, Key, body_of
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Block, For, If, Stmt, Var, While, altered
from srcgrad.records import record


@record()
class Slot:
    """An added phi: one more carried variable of a loop, or one more result of a branch."""

    param: Var | None  # None for a branch
    result: Var
    values: list[Atom]  # [init, yield] or [then, else]; filled in once they are known


@record()
class Insertions:
    """Statements by the place where they go: around a statement, or at either end of a block."""

    builder: Builder
    head: list[Stmt] = field(default_factory=list[Stmt])  # before the whole forward sweep
    before: dict[Stmt, list[Stmt]] = field(default_factory=dict[Stmt, list[Stmt]])
    after: dict[Stmt, list[Stmt]] = field(default_factory=dict[Stmt, list[Stmt]])
    # tape index: before `start`
    position: dict[Stmt, list[Stmt]] = field(default_factory=dict[Stmt, list[Stmt]])
    start: dict[Key, list[Stmt]] = field(default_factory=dict[Key, list[Stmt]])
    end: dict[Key, list[Stmt]] = field(default_factory=dict[Key, list[Stmt]])
    slots: dict[Stmt, list[Slot]] = field(default_factory=dict[Stmt, list[Slot]])
    instead: dict[Stmt, list[Stmt]] = field(default_factory=dict[Stmt, list[Stmt]])

    @contextmanager
    def into(self, place: list[Stmt]) -> Generator[Builder]:
        """Emits into a place of the forward sweep, reusing no value computed in another place."""
        b = self.builder
        out, scopes, loc = b.out, b.scopes, b.loc
        b.out, b.scopes, b.loc = place, [{}], None
        try:
            yield b
        finally:
            b.out, b.scopes, b.loc = out, scopes, loc

    def at_head(self) -> list[Stmt]:
        return self.head

    def at_before(self, s: Stmt) -> list[Stmt]:
        return self.before.setdefault(s, [])

    def at(self, s: Stmt) -> list[Stmt]:
        """The place of a statement itself, which is left out."""
        return self.instead.setdefault(s, [])

    def at_after(self, s: Stmt) -> list[Stmt]:
        return self.after.setdefault(s, [])

    def at_position(self, loop: Stmt) -> list[Stmt]:
        return self.position.setdefault(loop, [])

    def at_start(self, key: Key) -> list[Stmt]:
        return self.start.setdefault(key, [])

    def at_end(self, key: Key) -> list[Stmt]:
        return self.end.setdefault(key, [])

    def slot(self, s: Stmt, name: str, type: object) -> Slot:
        """Adds a carried variable to a loop or a result to a branch; the caller fills `values`."""
        param = None if isinstance(s, If) else Var(name, type)
        slot = Slot(param, Var(name, type), [])
        self.slots.setdefault(s, []).append(slot)
        return slot

    # ---- weaving ----
    def woven(self, block: Block, key: Key = TOP) -> Block:
        """The block, and the blocks inside it, with all insertions except `head`."""
        owner = key[0]
        first = self.position.get(owner, []) if owner is not None and key == body_of(owner) else []
        out = [*first, *self.start.get(key, [])]  # `first` is not for the test of a `while`
        for s in block:
            out += self.before.get(s, [])
            out += self.instead[s] if s in self.instead else [self._with_slots(s)]
            out += self.after.get(s, [])
        return (*out, *self.end.get(key, []))

    def _with_slots(self, s: Stmt) -> Stmt:
        slots = self.slots.get(s, [])
        match s:
            case If():
                return altered(
                    s,
                    then=self.woven(s.then, (s, 0)),
                    orelse=self.woven(s.orelse, (s, 1)),
                    results=(*s.results, *(x.result for x in slots)),
                    then_yields=(*s.then_yields, *(x.values[0] for x in slots)),
                    else_yields=(*s.else_yields, *(x.values[1] for x in slots)),
                )
            case For() | While():
                return altered(
                    s,
                    body=self.woven(s.body, body_of(s)),
                    params=(*s.params, *(x.param for x in slots)),
                    inits=(*s.inits, *(x.values[0] for x in slots)),
                    yields=(*s.yields, *(x.values[1] for x in slots)),
                    results=(*s.results, *(x.result for x in slots)),
                )
            case _:
                return s
