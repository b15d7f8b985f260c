"""What a `for` may run over, and comprehensions.

Items are built when they are reached, so that a loop sees what its body changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.flow import exits
from srcgrad.frontend.part import Part
from srcgrad.frontend.trees import as_function
from srcgrad.frontend.values import (
    Bound,
    Closure,
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
MANY = 64  # items of a comprehension that is a loop rather than so many copies of its code


class Iteration(Part):
    """Mixed into the interpreter."""

    b: Any
    env: dict[str, Any]
    frame: Any
    looped: set[tuple]
    held: list[Any]

    # ---- for ----
    def for_loop(self, node: Any) -> None:
        it = self.iterated(self.expression(node.iter), node.iter)
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

    def bind_item(self, node: Any, it: Iterated, index: Var) -> None:
        """Bind the loop's target to the item at the running index."""
        self.captures.loops[index] = (self.frame.source.file, node.lineno, it.length)
        r = it.range
        if r is not None and not isinstance(r.step, Var) and r.step == 1:
            value: Any = index
        else:
            value = it.item(index)
        if isinstance(node.target, gast.Name) and value is index:
            index.name = node.target.id
        self.assign(node.target, value)

    def _unrolled(self, node: Any, it: Iterated) -> None:
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
                self.assign(node.target, it.item(k))
                self.env[self.flag("continue")] = False
                self.block(node.body)
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
    def iterated(self, v: Any, node: Any) -> Iterated:
        match v:
            case Iterated():
                if v.spent:
                    self.refuse(
                        node,
                        "an iterator is run over twice: it has no items left",
                        "make a list of it",
                    )
                v.spent = v.once
                return v
            case Range():
                return self._range(v)
            case GrownList():
                n = plain(self.b("load", v.length, 0))
                return Iterated(n, lambda k: self.grown_load(v, k, node))
            case Bound(name=name):
                self.refuse(node, f"call {name}() to run over it")
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
                self.refuse(node, "iteration over a 0-d array")
            return Iterated(v.type.dims[0], lambda k: self.item_of(v, k))
        if isinstance(v, range):
            return self._range(Range(v.start, v.stop, v.step))
        parts = self.parts_of(v, node)
        if parts is not None:
            return self.static_iterated(list(parts))
        self.refuse(node, f"{describe(v)} cannot be iterated over")

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

    def zipped(self, parts: list[Iterated], node: Any) -> Iterated:
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

    def static_items(self, v: Any, node: Any) -> list[Any]:
        """The items of what must have a length known at compile time."""
        return list(self.items_in_turn(v, node))

    def items_in_turn(self, v: Any, node: Any) -> Iterator[Any]:
        """The same, each read when it is asked for: what is done with one may store to the next."""
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

    # ---- comprehensions ----
    def _of_ListComp(self, node: Any) -> Any:
        first = self._first(node)
        if self._is_long(first, node):
            return self._as_loop(first, node)
        out: list[Any] = []
        self._comprehend(first, lambda: out.append(self.expression(node.elt)), node)
        return self.tracked_list(out, node)

    def _of_GeneratorExp(self, node: Any) -> Any:
        out: list[Any] = []
        self._comprehend(self._first(node), lambda: out.append(self.expression(node.elt)), node)
        it = self.static_iterated(out, once=True)
        it.lazy = True
        return it

    def _first(self, node: Any) -> Any:
        """The first iterable, which is evaluated outside of the comprehension."""
        return self.expression(node.generators[0].iter)

    def _is_long(self, v: Any, node: Any) -> bool:
        """Whether a comprehension over `v` would be too much code if it were unrolled."""
        if not (is_array(v) or isinstance(v, Range | Iterated)):
            return False
        it = v if isinstance(v, Iterated) else self.iterated(v, node)
        if it.static or it.spent or any(isinstance(n, gast.NamedExpr) for n in gast.walk(node)):
            return False
        if (self.frame.source.file, node.lineno, node.col_offset) in self.unrolled:
            return False
        try:
            return self.static_int(it.length, node, "the number of items") > MANY
        except UnsupportedError:  # it depends on run-time values
            return True

    def _as_loop(self, first: Any, node: Any) -> Any:
        """The list of a comprehension, made in a loop; it is unrolled if that is refused."""
        self.looped.add((self.frame.source.file, node.lineno, node.col_offset))
        made = Closure(as_function(node), self.env, [], [], self.frame, "comprehension")
        return self.call(made, [first], {}, node)

    def _of_SetComp(self, node: Any) -> Any:
        out: list[Any] = []
        self._comprehend(self._first(node), lambda: out.append(self.expression(node.elt)), node)
        return self.call(set, [tuple(out)], {}, node)

    def _of_DictComp(self, node: Any) -> Any:
        out: dict = {}

        def add() -> None:
            key = self.static_key(self.expression(node.key), node)
            out[key] = self.expression(node.value)

        self._comprehend(self._first(node), add, node)
        return out

    def _comprehend(self, first: Any, add: Callable[[], None], node: Any) -> None:
        """Unroll a comprehension over `first`; its names are its own."""
        generators = node.generators
        items = self.items_in_turn(first, generators[0].iter)
        shadowed: dict[str, Any] = {}
        own = {n.id for g in generators for n in gast.walk(g.target) if isinstance(n, gast.Name)}

        def go(k: int) -> None:
            if k == len(generators):
                add()
                return
            g = generators[k]
            if g.is_async:
                self.refuse(node, "an asynchronous comprehension is not supported")
            if k == 0:
                these = items
            else:
                these = self.items_in_turn(self.expression(g.iter), g.iter)
            for item in these:
                self.assign(g.target, item)
                tests = self._tests(g.ifs, node)
                if tests:
                    go(k + 1)

        if any(isinstance(n, gast.Lambda) for n in gast.walk(node)):
            self._in_own_frame(own, node, lambda: go(0))
            return
        shadowed.update({n: self.env.pop(n) for n in own if n in self.env})
        go(0)
        for name in own:
            self.env.pop(name, None)
        self.env.update(shadowed)

    def _in_own_frame(self, own: set[str], node: Any, run: Callable[[], None]) -> None:
        """A frame for a comprehension whose names outlive it, in the functions made there."""
        outer = self.frame
        made = type(outer)(outer.source, {}, outer.live, outer, outer.depth)
        walruses = {n.target.id for n in gast.walk(node) if isinstance(n, gast.NamedExpr)}
        made.local, made.elsewhere = own, walruses
        self.scopes[id(made.env)] = made.env
        self.frames.append(made)
        try:
            run()
        finally:
            self.frames.pop()

    def _tests(self, conditions: list[Any], node: Any) -> bool:
        for c in conditions:
            test = self.truth(self.expression(c), c)
            if isinstance(test, Var):
                self.refuse(
                    node, "a condition known only at run time in a comprehension", "use a loop"
                )
            if not test:
                return False
        return True

    def too_deep(self) -> UnsupportedError:
        return UnsupportedError("the program is nested too deeply", self.b.loc)
