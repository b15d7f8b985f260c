"""Points of a program: where values are defined, what statements store, what is in between.

A block is named by its owner and branch, a point by the blocks entered on the way to it. Never
emits anything.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.nodes import Block, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import blocks, inner_definitions, results, walk
from srcgrad.primitives import memory

Key = tuple[Any, int]  # (owner statement or None, which of its blocks)
Point = tuple[tuple[Key, int], ...]  # the statement index in each block entered
START = -1  # the index of variables that exist when a block is entered: parameters of loops
TOP: Key = (None, 0)


class Program:
    """Facts about a function's text that do not depend on the position of the sweep."""

    def __init__(self, function: Function):
        self.function = function
        self.classes = alias_classes(function)
        self.block: dict[Key, Block] = {}
        self.point: dict[Stmt, Point] = {}
        self.defined: dict[Var, Point] = {p: ((TOP, START),) for p in function.params}
        self.owner: dict[Var, Stmt | None] = dict.fromkeys(function.params)
        self.stores: dict[Stmt, set[Var]] = {}
        self.stored_at: dict[Var, list[Point]] = {}  # where a class is stored to
        # for each block the places, in order, of the statements that store to a class
        self.storing: dict[Key, dict[Var, list[int]]] = {}
        self._index(function.body, TOP, ())
        self._own = self._own_loops()
        references = [v for v in self.defined if is_reference(v.type)]
        self.joined = {self.classes.of(v) for v in references if self.is_join(v)}

    def _index(self, block: Block, key: Key, prefix: Point) -> set[Var]:
        self.block[key] = block
        storing = self.storing[key] = dict[Var, list[int]]()
        for i, s in enumerate(block):
            here = (*prefix, (key, i))
            self.point[s] = here
            for v in results(s):
                self.defined[v], self.owner[v] = here, s
            written: set[Var] = set()
            if isinstance(s, Def) and s.op.writes:
                written.add(cls := self.classes.of(s.args[0]))
                self.stored_at.setdefault(cls, []).append(here)
            for k, inner in enumerate(blocks(s)):
                for v in inner_definitions(s):
                    self.defined[v], self.owner[v] = (*here, (body_of(s), START)), s
                written |= self._index(inner, (s, k), here)
            self.stores[s] = written
            for cls in written:
                storing.setdefault(cls, []).append(i)
        return set(storing)

    def _own_loops(self) -> dict[Var, frozenset[For | While]]:
        out: dict[Var, frozenset[For | While]] = {}
        for v, point in self.defined.items():
            if is_reference(v.type):
                cls = self.classes.of(v)
                around = frozenset(
                    key[0] for key, i in point
                    if isinstance(key[0], For | While) and key == body_of(key[0]) and i != START
                )  # fmt: skip
                out[cls] = out.get(cls, around) & around
        return out

    def own_loops(self, cls: Var) -> frozenset[For | While]:
        """The loops in whose bodies every name of a class is bound.

        Each trip of such a loop has buffers of its own: what one stores, no other reads.
        """
        return self._own.get(cls, frozenset())

    # ---- visibility ----
    def is_direct(self, v: Var) -> bool:
        """Whether a variable is defined at the top level: in scope in the reverse sweep."""
        return len(self.defined[v]) == 1 if v in self.defined else True

    def home(self, v: Var) -> Key:
        """The block a variable belongs to."""
        return self.defined[v][-1][0]

    def inside(self, v: Var, s: Stmt) -> bool:
        """Whether a variable is defined in a block of `s`."""
        p, q = self.defined.get(v, ()), self.point[s]
        return len(p) > len(q) and p[: len(q)] == q

    def is_join(self, v: Var) -> bool:
        """Whether a branch or a loop binds the variable."""
        s = self.owner.get(v)
        return isinstance(s, If | For | While) and v is not getattr(s, "index", None)

    def intact(self, cls: Var, then: Point, now: Point) -> bool:
        """Whether nothing is stored to a class between two points, the second one later."""
        depth = len(then) - 1
        if len(now) < len(then) or now[:depth] != then[:depth] or now[depth][0] != then[depth][0]:
            return False
        for level in range(depth, len(now)):
            key, j = now[level]
            first = then[depth][1] + 1 if level == depth else 0
            places = self.storing[key].get(cls, ())
            k = bisect_left(places, first)
            if k < len(places) and places[k] < j:
                return False
            if level + 1 < len(now) and self.stored_in_earlier_trips(cls, self.block[key][j]):
                return False
        return True

    def stored_in_earlier_trips(self, cls: Var, entered: Stmt) -> bool:
        """Whether a trip before the one that was entered may have stored to a class."""
        return isinstance(entered, For | While) and cls in self.stores[entered]

    def loops(self, point: Point) -> list[For | While]:
        """The loops entered on the way to a point."""
        return [key[0] for key, _ in point if isinstance(key[0], For | While)]


def body_of(s: Stmt) -> Key:
    """The block of a loop that is run once per trip."""
    return (s, 1 if isinstance(s, While) else 0)


class Reads:
    """Points where something is read, as a tree by the blocks entered on the way to them."""

    def __init__(self, points: Iterable[Point] = ()):
        self.here = False  # whether one of them is where the way ends
        self.inside: dict[Key, dict[int, Reads]] = {}
        self.first: dict[Key, int] = {}  # the first statement on the way in each block
        for point in points:
            self._add(point)

    def _add(self, point: Point) -> None:
        node = self
        for key, i in point:
            node.first[key] = min(i, node.first.get(key, i))
            node = node.inside.setdefault(key, {}).setdefault(i, Reads())
        node.here = True

    def comes_later(self, store: Point, own: frozenset[For | While]) -> bool:
        """Whether the reverse sweep may reach one of them after it has passed `store`.

        `own` are loops of which each trip has buffers of its own.
        """
        node = self
        for key, i in store:
            if node.here:
                break  # read directly before the store
            if key not in node.inside:
                return False  # all in another branch of the same statement
            if isinstance(key[0], For | While) and key[0] not in own:
                return True  # in one loop: the previous trip comes later
            if node.first[key] < i:
                return True
            found = node.inside[key].get(i)
            if found is None:
                return False
            node = found
        return True


def classes_read(block: Block, classes: AliasClasses) -> set[Var]:
    """The classes whose contents statements read, additions to elements included."""
    out: set[Var] = set()
    for s in walk(block):
        if not isinstance(s, Def) or s.op.view or s.op is memory.dim:
            continue
        read = s.args[s.op.writes and not s.op.adds :]
        out |= {classes.of(a) for a in read if isinstance(a, Var) and is_reference(a.type)}
    return out
