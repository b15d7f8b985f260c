"""Comprehensions and generator expressions: unrolled, or a loop in which a list grows.

A loop where there are many items, or a condition is known at run time only. What refuses such a
list gets all the items unrolled after all (see `trace`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.errors import SrcgradError, UnsupportedError
from srcgrad.frontend.demands import MANY, Respecialise
from srcgrad.frontend.handlers.registry import METHODS, handler_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.trees import LISTING, as_function, function_at, item_functions
from srcgrad.frontend.values import Closure, GrownList, Iterated, Range, Slice, is_array
from srcgrad.ir.nodes import Var

# methods that change their owner
CHANGING = frozenset(
    ("append", "extend", "insert", "pop", "popitem", "remove", "clear", "sort", "reverse",
     "update", "setdefault", "fill", "put", "partition", "resize", "itemset")
)  # fmt: skip


def _binds(node: Any) -> bool:
    return any(isinstance(n, gast.NamedExpr) for n in gast.walk(node))


class Comprehensions(Interpreter):
    """Mixed into the interpreter."""

    def _of_ListComp(self, node: gast.ListComp) -> Any:
        made = self._items(node, self._first(node))
        return made if isinstance(made, GrownList) else self.tracked_list(made, node)

    # ---- generator expressions ----
    def _of_GeneratorExp(self, node: gast.GeneratorExp) -> Any:
        """Its items are computed when they are asked for; what it reads may have changed then."""
        first, frame = self._first(node), self.frame

        def follow(tree: Any, args: list[Any]) -> Any:
            return self.call(Closure(tree, frame.env, [], [], frame, tree.name), args, {}, node)

        def build() -> Any:
            if self.frame is frame:
                return self._items(node, first)
            return follow(as_function(node), [first])

        def until(stop: bool) -> Any:
            if not _binds(node):
                return follow(as_function(node, stop), [first])
            return self._until(first, node, stop)

        out = Iterated(None, lambda k: None, once=True, lazy=True, build=build)
        out.until = None if self._is_pure(node) else until
        filtered = isinstance(first, Iterated) and (first.test or first.length is None)
        if len(node.generators) > 1 or filtered or _binds(node) or node.generators[0].is_async:
            return out
        part = self.iterated(first, node)
        part.spent = False  # `build` may run over it instead
        value, test = item_functions(node)
        out.length, out.static, out.sources = part.length, part.static, part.sources
        out.item = lambda k: follow(value, [part.item(k)])
        if test is not None:
            held: list[Any] = []  # the item that is tested, which is computed once

            def passes(k: Any) -> Any:
                held[:] = [part.item(k)]
                return follow(test, held)

            out.test, out.item = passes, lambda k: follow(value, held)
        return out

    def collected(self, v: Any) -> Any:
        """All items of a lazy iterator, where they are not taken one by one."""
        if not isinstance(v, Iterated) or v.build is None or v.spent:
            return v
        if v.length is not None and v.test is None and not self._has_many(v):
            return v
        v.spent = True
        return v.build()

    def list_of(self, v: Any, node: Node) -> Any:
        """A new list of the items of `v`."""
        v = self.collected(v)
        if isinstance(v, GrownList):
            return self.grown_slice(v, Slice(None, None, None), node)
        if not self.is_long(v, node):
            return self.tracked_list(self.static_items(v, node), node)
        return self.loop_over(function_at(node, LISTING), [v], node)

    def _is_pure(self, node: Node) -> bool:
        """Whether computing an item that Python would not compute changes nothing."""
        return not _binds(node) and all(
            self._is_of_library(n.func) for n in gast.walk(node) if isinstance(n, gast.Call)
        )

    def _is_of_library(self, function: Any) -> bool:
        if isinstance(function, gast.Attribute) and function.attr in CHANGING:
            return False
        try:
            return handler_of(self.expression(function)) is not None
        except SrcgradError:  # a method of an item, which may be an object
            return isinstance(function, gast.Attribute) and ("array", function.attr) in METHODS

    def _until(self, first: Any, node: Any, stop: bool) -> Any:
        """The items of a generator that binds names, until one has the truth `stop`."""
        (g, *others) = node.generators
        if others:
            self.refuse(node, "a walrus in a generator expression with several loops", "use a loop")
        items = self.items_in_turn(first, g.iter)

        def rest() -> Any:
            for item in items:
                self.assign(g.target, item)
                taken = [*g.ifs, node.elt if stop else gast.UnaryOp(gast.Not(), node.elt)]
                found = self.expression(
                    taken[0] if len(taken) == 1 else gast.BoolOp(gast.And(), taken)
                )
                found = self.truth(found, node)
                if found is True:
                    return stop
                if found is not False:
                    return self.branch(found, lambda: stop, rest, node, live_rest=True)
            return not stop

        return rest()

    # ---- comprehensions ----
    def _items(self, node: Any, first: Any) -> Any:
        """The items one by one, or as a list that grows."""
        tested = isinstance(first, Iterated) and first.test is not None
        looped = tested or self._place(node) in self.captures.demands.looped
        if looped or self.is_long(first, node):
            return self.loop_over(as_function(node), [first], node)
        out: list[Any] = []
        self._comprehend(first, lambda: out.append(self.expression(node.elt)), node)
        return out

    def _first(self, node: Any) -> Any:
        """The first iterable, which is evaluated outside of the comprehension."""
        return self.expression(node.generators[0].iter)

    def _place(self, node: Node) -> tuple:
        return (self.frame.source.file, node.lineno, node.col_offset)

    def may_be_loop(self, node: Node) -> bool:
        """Whether nothing that is known speaks against a loop."""
        if self._place(node) in self.unrolled or isinstance(node, gast.SetComp | gast.DictComp):
            return False
        return not _binds(node)

    def is_long(self, v: Any, node: Node) -> bool:
        """Whether the items of `v` would be too much code if they were unrolled."""
        kinds = Range | Iterated | GrownList
        if not (is_array(v) or isinstance(v, kinds)) or not self.may_be_loop(node):
            return False
        it = v if isinstance(v, Iterated) else self.iterated(v, node)
        return not it.static and not it.spent and it.length is not None and self._has_many(it)

    def _has_many(self, it: Iterated) -> bool:
        if isinstance(it.length, Var) and not self.captures.is_of_sizes(self, it.length):
            return True  # a number that is computed need not be known for this
        try:
            return self.static_int(it.length, None, "the number of items") > MANY
        except UnsupportedError:  # it depends on run-time values
            return True

    def loop_instead(self, node: Node) -> None:
        """Start again with a comprehension as a loop, or return if that cannot be."""
        if self.may_be_loop(node):
            self.captures.demands.looped.add(self._place(node))
            raise Respecialise("a comprehension is a loop")

    def loop_over(self, tree: Any, args: list[Any], node: Node) -> Any:
        """Call what loops over its last argument; its items are unrolled if that is refused."""
        self.looped.add(self._place(node))
        return self.call(Closure(tree, self.env, [], [], self.frame, tree.name), args, {}, node)

    def _of_SetComp(self, node: gast.SetComp) -> Any:
        out: list[Any] = []
        self._comprehend(self._first(node), lambda: out.append(self.expression(node.elt)), node)
        return self.call(set, [tuple(out)], {}, node)

    def _of_DictComp(self, node: gast.DictComp) -> Any:
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
                inner = self.expression(g.iter)
                if self.is_long(inner, node):
                    self.loop_instead(node)
                these = self.items_in_turn(inner, g.iter)
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

    def _in_own_frame(self, own: set[str], node: Node, run: Callable[[], None]) -> None:
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

    def _tests(self, conditions: list[Any], node: Node) -> bool:
        for c in conditions:
            test = self.truth(self.expression(c), c)
            if isinstance(test, Var):
                self.loop_instead(node)
                self.refuse(
                    node, "a condition known only at run time in a comprehension", "use a loop"
                )
            if not test:
                return False
        return True
