"""What a `for` may run over; for comprehensions see `comprehensions`.

Items are built when they are reached, so that a loop sees what its body changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from srcgrad.frontend.flow import exits
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import (
    Bound,
    GrownList,
    Iterated,
    Range,
    describe,
    is_array,
    is_number,
    plain,
)
from srcgrad.ir.nodes import Var

MOST_UNROLLED = 4096  # trips of one unrolled loop


class Iteration(Interpreter):
    """Mixed into the interpreter."""

    # ---- for ----
    def for_loop(self, node: gast.For) -> None:
        it = self.iterated(self.expression(node.iter), node.iter, tested=True)
        key = (self.frame.source.file, node.lineno)
        static = it.static or (key in self.unrolled and is_number(it.length))
        self.held.append(it)
        try:
            if static:
                self._unrolled(node, it)
            else:
                self.loop(node, it)
        finally:
            self.held.pop()

    def trip(self, node: gast.For, it: Iterated, k: Any) -> None:
        """The target bound to the k-th item, and the body; neither if the item is left out."""
        if isinstance(k, Var):
            self.captures.loops[k] = (self.frame.source.file, node.lineno, it.length)

        def run() -> None:
            self._bind_item(node, it, k)
            self.block(node.body)

        if it.test is None:
            run()
        else:
            self.branch(self.truth(it.test(k), node.iter), run, lambda: None, node)

    def _bind_item(self, node: gast.For, it: Iterated, index: Any) -> None:
        if not isinstance(index, Var):
            self.assign(node.target, it.item(index))
            return
        r = it.range
        if r is not None and not isinstance(r.step, Var) and r.step == 1:
            value: Any = index
        else:
            value = it.item(index)
        if isinstance(node.target, gast.Name) and value is index:
            index.name = node.target.id
        self.assign(node.target, value)

    def _unrolled(self, node: gast.For, it: Iterated) -> None:
        """One copy of the body per item; exits guard what follows."""
        self.frame.depth += 1
        kinds = exits(node.body)
        for kind in kinds - {"return"}:
            self.env[self.flag(kind)] = False
        lengths = [len(s) for s in it.sources]
        trips = max(int(it.length), 0)
        if trips > MOST_UNROLLED:
            self.refuse(node, f"a loop of {trips} trips must be unrolled here", "run over an array")

        def run(k: int) -> None:
            """The trips from the k-th on, as long as no exit depends on run-time values."""
            while k < trips:
                if [len(s) for s in it.sources] != lengths:
                    self.refuse(node, "a list changes its length while a loop runs over it")
                self.env[self.flag("continue")] = False
                self.trip(node, it, k)
                k += 1
                left = self._exited(kinds - {"continue"})
                if left is True:
                    return
                if left is not False:
                    self.branch(
                        self.negate(left), lambda k=k: run(k), lambda: None, node, live_rest=True
                    )
                    return
            if node.orelse:
                self.block(node.orelse)

        run(0)
        self.env.pop(self.flag("break"), None)
        self.env.pop(self.flag("continue"), None)
        self.frame.depth -= 1

    # ---- iterables ----
    def iterated(self, v: Any, node: Node, tested: bool = False) -> Iterated:
        """What `v` runs over; one with a test only for who asks for it."""
        match v:
            case Iterated():
                if v.spent:
                    self.refuse(
                        node,
                        "an iterator is run over twice: it has no items left",
                        "make a list of it",
                    )
                if v.length is None or (v.test is not None and not tested):
                    self.refuse(
                        node, f"{describe(v)} that leaves items out, or has several loops, is not "
                        "followed here", "make a list of it",
                    )  # fmt: skip
                v.spent = v.once
                return v
            case Range():
                return self._range(v)
            case GrownList():
                return Iterated(self.grown_length(v), lambda k: self.grown_load(v, k, node))
            case Bound(name=name):
                self.refuse(node, f"call {name}() to run over it", like=TypeError)
            case dict():
                keys = list(v)
                return Iterated(len(keys), lambda k: keys[k], True, sources=(v,))
            case list():
                return Iterated(len(v), lambda k: v[k], True, sources=(v,))
            case tuple() | str():
                return self.static_iterated(list(v))
        if isinstance(v, set | frozenset):
            self.refuse(node, "the order of a set is not defined", "run over sorted(...) or a list")
        if is_array(v):
            if not v.type.dims:
                self.refuse(node, "iteration over a 0-d array", like=TypeError)
            return Iterated(v.type.dims[0], lambda k: self.item_of(v, k))
        if isinstance(v, range):
            return self._range(Range(v.start, v.stop, v.step))
        parts = self.parts_of(v, node)
        if parts is not None:
            return self.static_iterated(list(parts))
        wrong = None if hasattr(v, "__iter__") else TypeError
        self.refuse(node, f"{describe(v)} cannot be iterated over", like=wrong)

    def item_of(self, v: Var, k: Any) -> Any:
        """`v[k]` for a k known to be in range."""
        if v.type.ndim == 1:
            return self.b("load", v, k)
        return self.b("view", v, k, spec=("i",) + (":",) * (v.type.ndim - 1))

    def static_iterated(self, items: list[Any], once: bool = False) -> Iterated:
        return Iterated(len(items), lambda k: items[k], True, once=once, sources=(items,))

    def _range(self, r: Range) -> Iterated:
        b = self.b
        unit = not isinstance(r.step, Var) and r.step == 1
        length = b("sub", r.stop, r.start) if unit else b("trips", r.start, r.stop, r.step)
        if unit and not isinstance(length, Var):
            length = b("maximum", length, 0)

        def item(k: Any) -> Any:
            return plain(b("add", r.start, b("mul", k, r.step)))

        return Iterated(plain(length), item, False, r)

    def length_of(self, it: Iterated) -> Any:
        """The number of trips, never negative."""
        return plain(self.b("maximum", it.length, 0))

    def zipped(self, parts: list[Iterated], node: Node) -> Iterated:
        if not parts:
            return self.static_iterated([])
        lengths = [self.length_of(p) for p in parts]
        n = lengths[0]
        for m in lengths[1:]:
            n = plain(self.b("minimum", n, m))
        static = any(p.static for p in parts)
        if static and isinstance(n, Var):
            # a static sequence among them: its items are of any kind, so the loop is unrolled
            n = self.static_int(n, node, "the number of items zipped")
        sources = tuple(s for p in parts for s in p.sources)
        return Iterated(
            n, lambda k: tuple(p.item(k) for p in parts), static, sources=sources, once=True
        )

    def enumerated(self, it: Iterated, start: Any) -> Iterated:
        return Iterated(
            it.length if it.static else self.length_of(it),
            lambda k: (plain(self.b("add", start, k)), it.item(k)),
            it.static, sources=it.sources, once=True,
        )  # fmt: skip

    def reversed(self, it: Iterated) -> Iterated:
        n = it.length if it.static else self.length_of(it)

        def item(k: Any) -> Any:
            return it.item(plain(self.b("sub", self.b("sub", n, 1), k)))

        return Iterated(n, item, it.static, sources=it.sources, once=True)

    def static_items(self, v: Any, node: Node) -> list[Any]:
        """The items of what must have a length known at compile time."""
        return list(self.items_in_turn(v, node))

    def items_in_turn(self, v: Any, node: Node) -> Iterator[Any]:
        """The same, each read when it is asked for: what is done with one may store to the next."""
        v = self.collected(v)
        if isinstance(v, GrownList):
            self.refuse(
                node, "the length of a list that grows at run time is not known", "use an array"
            )
        it = self.iterated(v, node)
        n = it.length if it.static else None
        if n is None:
            n = self.static_int(it.length, node, "the number of items unpacked")
            if n > MOST_UNROLLED:
                self.refuse(
                    node, f"{n} items cannot be unpacked one by one", "use an array operation"
                )
        yield from map(it.item, range(int(n)))
