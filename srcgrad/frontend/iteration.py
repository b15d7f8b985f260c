"""What a `for` may run over, comprehensions, and lists that grow in run-time loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.frontend.captures import Respecialise
from srcgrad.frontend.values import (
    Bound,
    GrownList,
    Iterated,
    Range,
    TrackedList,
    describe,
    is_array,
    is_integer,
    is_number,
    is_scalar,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, join_scalars


class Iteration:
    """Mixed into the interpreter."""

    b: Any

    # ---- for ----
    def for_loop(self, node: Any) -> None:
        it = self.iterated(self.expression(node.iter), node.iter)
        key = (self.frame.source.file, node.lineno)
        if it.items is None and key in self.unrolled and is_number(it.length):
            it = Iterated(it.length, it.item, [it.item(k) for k in range(int(it.length))])
        if it.items is not None:
            self._unrolled(node, it.items)
            return
        self.loop(node, it)

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

    def _unrolled(self, node: Any, items: list[Any]) -> None:
        """One copy of the body per item; exits guard what follows."""
        from srcgrad.frontend.flow import exits

        self.frame.depth += 1
        kinds = exits(node.body)
        for kind in kinds - {"return"}:
            self.env[self.flag(kind)] = False

        def run(k: int) -> None:
            if k == len(items):
                if node.orelse:
                    self.block(node.orelse)
                return
            self.assign(node.target, items[k])
            self.env[self.flag("continue")] = False
            self.block(node.body)
            left = self._exited(kinds - {"continue"})
            if left is True:
                return
            if left is False:
                run(k + 1)
            else:
                self.branch(self.negate(left), lambda: run(k + 1), lambda: None, node, live_rest=True)

        run(0)
        self.env.pop(self.flag("break"), None)
        self.env.pop(self.flag("continue"), None)
        self.frame.depth -= 1

    # ---- iterables ----
    def iterated(self, v: Any, node: Any) -> Iterated:
        match v:
            case Iterated():
                return v
            case Range():
                return self._range(v)
            case GrownList():
                n = plain(self.b("load", v.length, 0))
                return Iterated(n, lambda k: self.b("load", v.tape, k))
            case Bound(owner=dict() as d, name=name):
                self.refuse(node, f"call {name}() to run over it") if name else None
                return self._static(list(d))
            case dict():
                return self._static(list(v))
            case tuple() | list() | str():
                return self._static(list(v))
        if isinstance(v, set | frozenset):
            return self._static(sorted(v))
        if is_array(v):
            if not v.type.dims:
                self.refuse(node, "iteration over a 0-d array")
            return Iterated(v.type.dims[0], lambda k: self.item_of(v, k))
        if hasattr(v, "__iter__") and not isinstance(v, Var):
            return self._static(list(v))
        self.refuse(node, f"{describe(v)} cannot be iterated over")

    def item_of(self, v: Var, k: Any) -> Any:
        """`v[k]` for a k known to be in range."""
        if v.type.ndim == 1:
            return self.b("load", v, k)
        return self.b("view", v, k, spec=("i",) + (":",) * (v.type.ndim - 1))

    def _static(self, items: list[Any]) -> Iterated:
        return Iterated(len(items), lambda k: items[k], items)

    def _range(self, r: Range) -> Iterated:
        b = self.b
        unit = not isinstance(r.step, Var) and r.step == 1
        length = b("sub", r.stop, r.start) if unit else b("trips", r.start, r.stop, r.step)
        if unit and not isinstance(length, Var):
            length = b("maximum", length, 0)

        def item(k: Any) -> Any:
            return plain(b("add", r.start, b("mul", k, r.step)))

        return Iterated(plain(length), item, None, r)

    def length_of(self, it: Iterated) -> Any:
        """The number of trips, never negative."""
        return plain(self.b("maximum", it.length, 0))

    def zipped(self, parts: list[Iterated]) -> Iterated:
        if all(p.items is not None for p in parts):
            return self._static(list(zip(*(p.items for p in parts), strict=False)))  # type: ignore[arg-type]
        lengths = [self.length_of(p) for p in parts]
        n = lengths[0]
        for m in lengths[1:]:
            n = plain(self.b("minimum", n, m))
        getters = [self._getter(p, n) for p in parts]
        items = None
        if any(p.items is not None for p in parts):
            # a static sequence among them bounds the number of trips: unroll
            least = min(len(p.items) for p in parts if p.items is not None)
            if not isinstance(n, Var):
                items = [tuple(g(k) for g in getters) for k in range(int(n))]
            else:
                self.captures.demand_static(self, n, None, "the number of items zipped")
                raise AssertionError(least)
        return Iterated(n, lambda k: tuple(g(k) for g in getters), items)

    def _getter(self, p: Iterated, n: Any) -> Callable[[Any], Any]:
        return p.item

    def enumerated(self, it: Iterated, start: Any) -> Iterated:
        if it.items is not None:
            return self._static([(plain(self.b("add", start, k)), v) for k, v in enumerate(it.items)])
        return Iterated(
            self.length_of(it), lambda k: (plain(self.b("add", start, k)), it.item(k))
        )

    def reversed(self, it: Iterated) -> Iterated:
        if it.items is not None:
            return self._static(it.items[::-1])
        n = self.length_of(it)
        return Iterated(n, lambda k: it.item(self.b("sub", self.b("sub", n, 1), k)))

    def static_items(self, v: Any, node: Any) -> list[Any]:
        """The items of what must have a length known at compile time."""
        it = self.iterated(v, node)
        if it.items is not None:
            return it.items
        n = self.static_int(it.length, node, "the number of items unpacked")
        return [it.item(k) for k in range(n)]

    # ---- comprehensions ----
    def _of_ListComp(self, node: Any) -> Any:
        out: list[Any] = []
        self._comprehend(node.generators, lambda: out.append(self.expression(node.elt)), node)
        return TrackedList(out, None, len(self.b.scopes))

    def _of_GeneratorExp(self, node: Any) -> Any:
        return self._of_ListComp(node)

    def _of_DictComp(self, node: Any) -> Any:
        out: dict = {}

        def add() -> None:
            key = self.expression(node.key)
            if isinstance(key, Var):
                self.refuse(node, "a key of a dict must be known at compile time")
            out[key] = self.expression(node.value)

        self._comprehend(node.generators, add, node)
        return out

    def _comprehend(self, generators: list[Any], add: Callable[[], None], node: Any) -> None:
        """Unroll a comprehension; its names are its own."""
        shadowed = dict(self.env)
        targets: set[str] = set()

        def go(k: int) -> None:
            if k == len(generators):
                add()
                return
            g = generators[k]
            for item in self.static_items(self.expression(g.iter), g.iter):
                self.assign(g.target, item)
                targets.update(n.id for n in gast.walk(g.target) if isinstance(n, gast.Name))
                tests = [self.truth(self.expression(c), c) for c in g.ifs]
                if any(isinstance(t, Var) for t in tests):
                    self.refuse(node, "a condition known only at run time in a comprehension", "use a loop")
                if all(tests):
                    go(k + 1)

        go(0)
        for name in targets:
            if name in shadowed:
                self.env[name] = shadowed[name]
            else:
                self.env.pop(name, None)

    # ---- lists that grow at run time ----
    def tracked_list(self, items: list[Any], node: Any) -> Any:
        key = (self.frame.source.file, node.lineno, node.col_offset)
        if key in self.grown:
            out = self.grown_list(node)
            for item in items:
                self.append(out, item, node)
            return out
        return TrackedList(items, key, len(self.b.scopes))

    def grown_list(self, node: Any) -> Any:
        key = (self.frame.source.file, node.lineno, node.col_offset)
        if key not in self.grown:
            return TrackedList([], key, len(self.b.scopes))
        dtype: Scalar = self.grown[key]
        tape = self.b("tape", 16, dtype=dtype.dtype, name="items")
        length = self.b("zeros", 1, dtype="i64", name="count")
        return GrownList(tape, length, dtype, key)

    def append(self, owner: Any, item: Any, node: Any) -> None:
        if isinstance(owner, TrackedList):
            if len(self.b.scopes) == owner.depth:
                owner.list_append(item)
                return
            if owner.key is None or not is_scalar(item):
                self.refuse(
                    node, "a list that grows in a run-time loop must be a list of numbers",
                    "allocate an array before the loop and store into it",
                )  # fmt: skip
            self.grown[owner.key] = _strong(atom(item).type)
            raise Respecialise(f"the list of line {owner.key[1]} grows at run time")
        if isinstance(owner, GrownList):
            self._append_grown(owner, item, node)
            return
        self.refuse(node, f"{describe(owner)} has no append")

    def _append_grown(self, owner: GrownList, item: Any, node: Any) -> None:
        if not is_scalar(item):
            self.refuse(
                node, "a list that grows in a run-time loop must be a list of numbers",
                "allocate an array before the loop and store into it",
            )  # fmt: skip
        joined = join_scalars(owner.dtype, _strong(atom(item).type))
        if joined != owner.dtype:
            self.grown[owner.key] = joined
            raise Respecialise("a list holds another dtype than assumed")
        b = self.b
        n = b("load", owner.length, 0)
        after = b("add", n, 1)
        b("reserve", owner.tape, after)
        b("store", owner.tape, n, b.cast(item, owner.dtype))
        b("store", owner.length, 0, b.cast(after, Scalar("i64")))

    def grown_length(self, v: GrownList) -> Any:
        return plain(self.b("load", v.length, 0))

    def grown_place(self, v: GrownList, i: Any) -> Any:
        return plain(self.b("index", i, self.grown_length(v), axis=0))

    def grown_item(self, v: GrownList, i: Any, node: Any) -> Any:
        if not is_integer(i):
            self.refuse(node, "a list that grows at run time takes integer indices only")
        return self.b("load", v.tape, self.grown_place(v, i))


def _strong(t: Scalar) -> Scalar:
    return Scalar(t.dtype)


