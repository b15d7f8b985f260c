"""Comprehensions and generator expressions: unrolled, or a loop in which a list grows.

A loop where there are many items, or a condition is known at run time only. What refuses such a
list gets all the items unrolled after all (see `trace`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.demands import MANY, Respecialise
from srcgrad.frontend.part import Part
from srcgrad.frontend.trees import LISTING, as_function, function_at
from srcgrad.frontend.values import Closure, GrownList, Iterated, Range, Slice, is_array
from srcgrad.ir.nodes import Var


class Comprehensions(Part):
    """Mixed into the interpreter."""

    b: Any
    env: dict[str, Any]
    frame: Any
    looped: set[tuple]

    def _of_ListComp(self, node: Any) -> Any:
        made = self._items(node)
        return made if isinstance(made, GrownList) else self.tracked_list(made, node)

    def _of_GeneratorExp(self, node: Any) -> Any:
        return self.lazily(self._items(node), node)

    def lazily(self, made: Any, node: Any) -> Iterated:
        """An iterator over items that Python computes when they are asked for."""
        if isinstance(made, GrownList):
            out = self.iterated(made, node)
            out.once, out.made = True, made
        else:
            out = self.static_iterated(made, once=True)
        out.lazy = True
        return out

    def collected(self, v: Any) -> Any:
        """The list that holds the items of a generator expression, if it became a loop."""
        if not isinstance(v, Iterated) or v.made is None or v.spent:
            return v
        v.spent = True
        return v.made

    def list_of(self, v: Any, node: Any) -> Any:
        """A new list of the items of `v`."""
        v = self.collected(v)
        if isinstance(v, GrownList):
            return self.grown_slice(v, Slice(None, None, None), node)
        if not self.is_long(v, node):
            return self.tracked_list(self.static_items(v, node), node)
        return self.loop_over(function_at(node, LISTING), [v], node)

    def _items(self, node: Any) -> Any:
        """The items one by one, or as a list that grows."""
        first = self._first(node)
        if self._place(node) in self.captures.demands.looped or self.is_long(first, node):
            return self.loop_over(as_function(node), [first], node)
        out: list[Any] = []
        self._comprehend(first, lambda: out.append(self.expression(node.elt)), node)
        return out

    def _first(self, node: Any) -> Any:
        """The first iterable, which is evaluated outside of the comprehension."""
        return self.expression(node.generators[0].iter)

    def _place(self, node: Any) -> tuple:
        return (self.frame.source.file, node.lineno, node.col_offset)

    def may_be_loop(self, node: Any) -> bool:
        """Whether nothing that is known speaks against a loop."""
        if self._place(node) in self.unrolled or isinstance(node, gast.SetComp | gast.DictComp):
            return False
        return not any(isinstance(n, gast.NamedExpr) for n in gast.walk(node))

    def is_long(self, v: Any, node: Any) -> bool:
        """Whether the items of `v` would be too much code if they were unrolled."""
        kinds = Range | Iterated | GrownList
        if not (is_array(v) or isinstance(v, kinds)) or not self.may_be_loop(node):
            return False
        it = v if isinstance(v, Iterated) else self.iterated(v, node)
        if it.static or it.spent:
            return False
        try:
            return self.static_int(it.length, node, "the number of items") > MANY
        except UnsupportedError:  # it depends on run-time values
            return True

    def loop_instead(self, node: Any) -> None:
        """Start again with a comprehension as a loop, or return if that cannot be."""
        if self.may_be_loop(node):
            self.captures.demands.looped.add(self._place(node))
            raise Respecialise("a comprehension is a loop")

    def loop_over(self, tree: Any, args: list[Any], node: Any) -> Any:
        """Call what loops over its last argument; its items are unrolled if that is refused."""
        self.looped.add(self._place(node))
        return self.call(Closure(tree, self.env, [], [], self.frame, tree.name), args, {}, node)

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
                self.loop_instead(node)
                self.refuse(
                    node, "a condition known only at run time in a comprehension", "use a loop"
                )
            if not test:
                return False
        return True

    def too_deep(self) -> UnsupportedError:
        return UnsupportedError("the program is nested too deeply", self.b.loc)
