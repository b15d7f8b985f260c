"""Comprehensions and generator expressions: unrolled, or a loop in which a list grows.

A loop where there are many items, or a condition is known at run time only. If such a list is
refused, all items are unrolled after all (see `trace`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import gast

from srcgrad.errors import SrcgradError, UnsupportedError
from srcgrad.frontend.derived_instances import run_over
from srcgrad.frontend.generators import Generated
from srcgrad.frontend.handlers.registry import METHODS, handler_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import items_in_turn, iterated, own_iterator, taken_over
from srcgrad.frontend.list_places import each_item
from srcgrad.frontend.requirements import UNROLLED, RestartTracing
from srcgrad.frontend.tracked_dicts import store, tracked_dict
from srcgrad.frontend.trees import (
    LISTING,
    as_function,
    as_generator_function,
    function_at,
    globals_of,
    item_functions,
    walruses,
)
from srcgrad.frontend.values import (
    Closure,
    GrownList,
    Iterated,
    Range,
    Slice,
    is_array,
)
from srcgrad.ir.nodes import Var

# methods that change their owner
CHANGING = frozenset(
    ("append", "extend", "insert", "pop", "popitem", "remove", "clear", "sort", "reverse",
     "update", "setdefault", "fill", "put", "partition", "resize", "itemset")
)  # fmt: skip


Unrolled = gast.ListComp | gast.GeneratorExp
Comprehension = Unrolled | gast.SetComp | gast.DictComp
T = TypeVar("T")


def of_list_comp(it: Interpreter, node: gast.ListComp) -> Any:
    made = _items(it, node, _first(it, node))
    return made if isinstance(made, GrownList) else it.tracked_list(made, node)


# ---- generator expressions ----
def of_generator_exp(it: Interpreter, node: gast.GeneratorExp) -> Any:
    """A lazy iterator: its items are computed on demand, of values that may have changed then."""
    first, frame = _first(it, node), it.frame

    def follow(tree: Any, args: list[Any]) -> Any:
        return it.call(Closure(tree, frame.env, [], [], frame, tree.name), args, {}, node)

    def build() -> Any:
        if it.frame is frame:
            return _items(it, node, first)
        return follow(as_function(node), [first])

    def until(stop: bool) -> Any:
        if not walruses(node):
            return follow(as_function(node, stop), [first])
        return _until(it, first, node, stop)

    plain = not walruses(node) and not any(g.is_async for g in node.generators)
    of_generator = isinstance(first, Generated)
    if plain and (len(node.generators) > 1 or of_generator):
        out = follow(as_generator_function(node), [first])
    else:
        out = Iterated(None, lambda k: None, once=True, lazy=True)
        if plain:
            out.generator = lambda: follow(as_generator_function(node), [first])
    out.build = build
    # where a `try` catches it, any operation may raise
    pure = not of_generator and _is_pure(it, node) and not it.attempts
    out.until = None if pure else until
    filtered = isinstance(first, Iterated) and (first.test or first.length is None)
    if isinstance(out, Generated) or filtered or not plain:
        return out
    part = taken_over(it, first, node)
    first = part if isinstance(first, Iterated) else first
    value, test = item_functions(node)
    out.length, out.static = part.length, part.static
    out.sources, out.grown, out.began = part.sources, part.grown, part.began
    out.item = lambda k: follow(value, [part.item(k)])
    if test is not None:
        held: list[Any] = []  # the item that is tested, which is computed once

        def passes(k: Any) -> Any:
            held[:] = [part.item(k)]
            return follow(test, held)

        out.test, out.item = passes, lambda k: follow(value, held)
    return out


def collected(it: Interpreter, v: Any) -> Any:
    """All items of a lazy iterator, for uses that do not take them one by one."""
    v = run_over(it, v)
    if not isinstance(v, Iterated) or v.build is None or v.spent:
        return v
    if v.length is not None and v.test is None and not _has_many(it, v):
        return v
    v.spent |= not isinstance(v, Generated)  # which notes it where it is run over
    return v.build()


def list_of(it: Interpreter, v: Any, node: Node) -> Any:
    """A new list of the items of `v`."""
    v = it.collected(own_iterator(it, v, node))
    if isinstance(v, GrownList):
        return it.grown_slice(v, Slice(None, None, None), node)
    if not is_long(it, v, node):
        return it.tracked_list(it.static_items(v, node), node)
    return loop_over(it, function_at(node, LISTING), [v], node)


def _is_pure(it: Interpreter, node: Unrolled) -> bool:
    """Whether computing an item that Python would not compute changes nothing."""
    own = _targets(node)
    return not walruses(node) and all(
        _is_of_library(it, n.func, own) for n in gast.walk(node) if isinstance(n, gast.Call)
    )


def _is_of_library(it: Interpreter, function: Any, own: set[str]) -> bool:
    """Whether a call is one of the library's; `own` are names that are not bound yet."""
    if isinstance(function, gast.Attribute) and function.attr in CHANGING:
        return False
    if any(isinstance(n, gast.Name) and n.id in own for n in gast.walk(function)):
        return isinstance(function, gast.Attribute) and ("array", function.attr) in METHODS
    try:
        return handler_of(it.expression(function)) is not None
    except SrcgradError:  # a method of an item, which may be an object
        return isinstance(function, gast.Attribute) and ("array", function.attr) in METHODS


def _until(it: Interpreter, first: Any, node: Unrolled, stop: bool) -> Any:
    """The items of a generator that binds names, until one has the truth `stop`."""
    (g, *others) = node.generators
    if others:
        it.refuse(node, "a walrus in a generator expression with several loops", "use a loop")
    items = items_in_turn(it, first, g.iter)

    def rest() -> Any:
        for item in items:
            it.assign(g.target, item)
            taken = [*g.ifs, node.elt if stop else gast.UnaryOp(gast.Not(), node.elt)]
            found = it.expression(taken[0] if len(taken) == 1 else gast.BoolOp(gast.And(), taken))
            found = it.truth(found, node)
            if found is True:
                return stop
            if found is not False:
                return it.branch(found, lambda: stop, rest, node, live_rest=True)
        return not stop

    with each_item(it, g.target):
        return _in_own_names(it, node, rest)


# ---- comprehensions ----
def _items(it: Interpreter, node: Unrolled, first: Any) -> Any:
    """The items one by one, or as a list that grows."""
    if isinstance(first, Generated):
        tree = as_function(node)
        return it.call(Closure(tree, it.env, [], [], it.frame, tree.name), [first], {}, node)
    tested = isinstance(first, Iterated) and first.test is not None
    looped = tested or it.place(node) in it.captures.required.looped
    if looped or is_long(it, first, node):
        return loop_over(it, as_function(node), [first], node)
    out: list[Any] = []
    _comprehend(it, first, lambda: out.append(it.operand(node.elt)), node)
    return out


def _first(it: Interpreter, node: Comprehension) -> Any:
    """The first iterable, which is evaluated outside of the comprehension."""
    first = node.generators[0].iter
    return own_iterator(it, it.expression(first), first)


def may_be_loop(it: Interpreter, node: Node) -> bool:
    """Whether nothing known so far prevents a loop."""
    return it.place(node) not in it.unrolled and not _binds_global(it, node)


def _binds_global(it: Interpreter, node: Node) -> bool:
    """Whether a walrus binds a name of the module."""
    names, frame = walruses(node), it.frame
    while names and frame is not None:
        tree = frame.source.tree
        if not isinstance(tree, gast.Lambda) and names & globals_of(tree):
            return True
        frame = frame.outer
    return False


def is_long(it: Interpreter, v: Any, node: Node) -> bool:
    """Whether the items of `v` would be too much code if they were unrolled."""
    kinds = Range | Iterated | GrownList
    if not (is_array(v) or isinstance(v, kinds)) or not may_be_loop(it, node):
        return False
    over = v if isinstance(v, Iterated) else iterated(it, v, node)
    return not over.static and not over.spent and over.length is not None and _has_many(it, over)


def _has_many(it: Interpreter, over: Iterated) -> bool:
    if isinstance(over.length, Var) and not it.captures.is_of_sizes(it, over.length):
        return True  # a computed number need not be static for this
    try:
        return it.static_int(over.length, None, "the number of items") > UNROLLED
    except UnsupportedError:  # it depends on run-time values
        return True


def loop_instead(it: Interpreter, node: Node) -> None:
    """Restarts with a comprehension as a loop; returns if that cannot be."""
    if may_be_loop(it, node):
        it.captures.required.looped.add(it.place(node))
        raise RestartTracing("a comprehension is a loop")


def loop_over(it: Interpreter, tree: Any, args: list[Any], node: Node) -> Any:
    """Calls a function that loops over its last argument; the items are unrolled if refused."""
    it.looped.add(it.place(node))
    return it.call(Closure(tree, it.env, [], [], it.frame, tree.name), args, {}, node)


def run_text(it: Interpreter, text: str, args: list[Any], node: Node) -> Any:
    """Calls a function of srcgrad's, whose text is interpreted at a place of the user's."""
    tree = function_at(node, text)
    return it.call(Closure(tree, it.env, [], [], it.frame, tree.name), args, {}, node)


def of_set_comp(it: Interpreter, node: gast.SetComp) -> Any:
    first = _first(it, node)
    if it.place(node) in it.captures.required.looped:
        return loop_over(it, as_function(node), [first], node)
    out: list[Any] = []
    _comprehend(it, first, lambda: out.append(it.operand(node.elt)), node)
    return it.call(set, [tuple(out)], {}, node)


def of_dict_comp(it: Interpreter, node: gast.DictComp) -> Any:
    first = _first(it, node)
    if it.place(node) in it.captures.required.looped:
        return loop_over(it, as_function(node), [first], node)
    out = tracked_dict(it, node)

    def add() -> None:
        key = it.expression(node.key)
        store(it, out, key, it.operand(node.value), node)

    _comprehend(it, first, add, node)
    return out


def _comprehend(it: Interpreter, first: Any, add: Callable[[], None], node: Comprehension) -> None:
    """Unrolls a comprehension over `first`; its names are its own."""
    generators = node.generators
    items = items_in_turn(it, first, generators[0].iter)

    def go(k: int) -> None:
        if k == len(generators):
            add()
            return
        g = generators[k]
        if g.is_async:
            it.refuse(node, "an asynchronous comprehension is not supported")
        if k == 0:
            these = items
        else:
            inner = it.expression(g.iter)
            if is_long(it, inner, node):
                loop_instead(it, node)
            these = items_in_turn(it, inner, g.iter)
        with each_item(it, g.target):
            for item in these:
                it.assign(g.target, item)
                tests = _tests(it, g.ifs, node)
                if tests:
                    go(k + 1)

    _in_own_names(it, node, lambda: go(0))


def _targets(node: Comprehension) -> set[str]:
    """The names that the loops of a comprehension bind."""
    targets = [n for g in node.generators for n in gast.walk(g.target)]
    return {n.id for n in targets if isinstance(n, gast.Name)}


def _in_own_names(it: Interpreter, node: Comprehension, run: Callable[[], T]) -> T:
    """Runs a comprehension; its targets are its own, whatever else has their names."""
    own = _targets(node)
    if any(isinstance(n, gast.Lambda) for n in gast.walk(node)):
        return _in_own_frame(it, own, node, run)
    shadowed = {n: it.env.pop(n) for n in own if n in it.env}
    out = run()
    for name in own:
        it.env.pop(name, None)
    it.env.update(shadowed)
    return out


def _in_own_frame(it: Interpreter, own: set[str], node: Node, run: Callable[[], T]) -> T:
    """A frame for a comprehension whose names outlive it, in the functions made there."""
    outer = it.frame
    made = type(outer)(outer.source, {}, outer.live, outer, outer.depth)
    made.local, made.bound_outside = own, walruses(node)
    it.scopes[id(made.env)] = made.env
    it.frames.append(made)
    try:
        return run()
    finally:
        it.frames.pop()


def _tests(it: Interpreter, conditions: list[Any], node: Node) -> bool:
    for c in conditions:
        test = it.condition(c)
        if isinstance(test, Var):
            loop_instead(it, node)
            it.refuse(node, "a condition known only at run time in a comprehension", "use a loop")
        if not test:
            return False
    return True
