"""Iterables: the number of their items, and each item where it is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from srcgrad.errors import located
from srcgrad.frontend.constant_tables import in_rows, is_table
from srcgrad.frontend.control_flow import negate
from srcgrad.frontend.derived_instances import is_held, run_over
from srcgrad.frontend.dict_values import refuse_whole
from srcgrad.frontend.formulas.list_classes import HELD
from srcgrad.frontend.formulas.registry import is_set
from srcgrad.frontend.generators import LISTED, RUN_OVER_AGAIN, Generated, in_turn
from srcgrad.frontend.heap import latest_change
from srcgrad.frontend.interpreter import LIMIT, Interpreter, Node
from srcgrad.frontend.maybe_none import present
from srcgrad.frontend.roots import roots
from srcgrad.frontend.special_methods import asked, items_of_instance, length_of_instance
from srcgrad.frontend.texts import literal
from srcgrad.frontend.values import (
    Bound,
    GrownList,
    Iterated,
    Range,
    Record,
    View,
    describe,
    is_array,
    is_number,
    is_value,
    places_of,
    plain,
)
from srcgrad.ir.nodes import Var
from srcgrad.protocols import states

UNROLLED = 4096  # items that are taken one by one when compiling
LARGEST = 2**63 - 1
CHANGES_LENGTH = "a list changes its length while a loop runs over it"
MADE_OUTSIDE = "an iterator that was made outside of this loop or function is run over in it"
UNORDERED, SORTED = "the order of a set is not defined", "run over sorted(...) or a list"
OVER_A_COPY = "run over a copy: list(...)"


def iterated(
    it: Interpreter, v: Any, node: Node, tested: bool = False, scheduled: bool = False
) -> Iterated:
    """The iteration over `v`; one with a test or a schedule only for callers that handle it."""
    v = run_over(it, present(it, v, lambda: "'NoneType' object is not iterable"))
    match v:
        case Iterated():
            if v.schedule is not None and not scheduled:
                it.refuse(
                    node, "flow.checkpointed is for the iterable of a `for`",
                    "write: for ... in flow.checkpointed(...)",
                )  # fmt: skip
            if v.spent:
                it.refuse(node, RUN_OVER_AGAIN, LISTED)
            if isinstance(v, Generated) and v.counted is not None:
                return iterated(it, in_turn(it, v, node), node)
            if isinstance(v, Generated):
                it.refuse(node, "a generator is not followed here", "make a list of it")
            if v.length is None or (v.test is not None and not tested):
                it.refuse(
                    node, f"{describe(v)} that leaves items out, or has several loops, is not "
                    "followed here", "make a list of it",
                )  # fmt: skip
            if v.once and it.begun and v.number < it.begun[-1]:
                it.refuse(node, MADE_OUTSIDE, LISTED)
            _check_kept(it, node, v)
            v.spent = v.once
            return v
        case Range():
            return _range(it, v)
        case GrownList():
            n = it.grown_length(v)
            grown = ((v, n, latest_change(it)),)
            return Iterated(n, lambda k: it.grown_load(v, k, node), grown=grown)
        case Bound(name=name):
            it.refuse(node, f"call {name}() to run over it", like=TypeError)
        case dict():
            return iterated(it, View(v, "keys"), node)
        case View():
            keys = list(v.owner)
            refuse_whole(it, v.owner, node)
            item = {
                "keys": lambda k: keys[k],
                "values": lambda k: v.owner[keys[k]],
                "items": lambda k: (keys[k], v.owner[keys[k]]),
            }[v.name]
            return Iterated(len(keys), item, True, sources=(v.owner,))
        case list() | tuple() if is_table(it, v):
            return in_rows(it, v)
        case list():
            return Iterated(len(v), lambda k: v[k], True, sources=(v,))
        case tuple() | str():
            return static_iterated(it, list(v))
    represented = isinstance(v, Record) and is_set(v.cls)
    if isinstance(v, set | frozenset) or represented:
        held: Any = it.attribute(v, "items", node) if represented else v
        if isinstance(held, GrownList) or len(held) > 1:
            it.refuse(node, UNORDERED, SORTED)
        members = list(held)
        return Iterated(len(members), lambda k: members[k], True, sources=(held,))
    if is_array(v):
        if not v.type.dims:
            it.wrong(node, "iteration over a 0-d array", TypeError)
        return Iterated(v.type.dims[0], lambda k: item_of(it, v, k))
    if isinstance(v, range):
        return _range(it, Range(v.start, v.stop, v.step))
    parts = it.parts_of(v, node)
    if parts is not None:
        return static_iterated(it, list(parts))
    own = items_of_instance(it, v, node)
    if own is not NotImplemented:
        return iterated(it, own, node, tested)
    if is_value(v) or v is None:
        it.wrong(node, f"{describe(v)} cannot be iterated over", TypeError)
    wrong = None if states(v, "__iter__") else TypeError
    it.refuse(node, f"{describe(v)} cannot be iterated over", like=wrong)


def taken_over(it: Interpreter, v: Any, node: Node, tested: bool = False) -> Iterated:
    """The items of `v`, for an iterator that is made of it: `v` itself has none left."""
    return replace(iterated(it, v, node, tested=tested), spent=False)


def own_iterator(it: Interpreter, v: Any, node: Node) -> Any:
    """The iterator that an instance makes of itself; other values unchanged."""
    v = run_over(it, v)
    own = items_of_instance(it, v, node)
    return v if own is NotImplemented else own


def by_places(it: Interpreter, v: Any, node: Node) -> Iterated:
    """The iteration over what `reversed` takes by places: a class of tuples gives each of its own.

    Its iterator is not asked.
    """
    if not is_held(v) or not isinstance(v.fields[HELD], tuple):
        return iterated(it, v, node)
    n = length_of_instance(it, v, node)
    return Iterated(n, lambda k: asked(it, v, "__getitem__", [k], node), is_number(n))


def item_of(it: Interpreter, v: Var, k: Any) -> Any:
    """`v[k]` for a k known to be in range."""
    if v.type.ndim == 1:
        return it.b.load(v, k)
    return it.b.view(v, k, spec=("i",) + (":",) * (v.type.ndim - 1))


def static_iterated(it: Interpreter, items: list[Any], once: bool = False) -> Iterated:
    return Iterated(len(items), lambda k: items[k], True, once=once, sources=(items,))


def _range(it: Interpreter, r: Range) -> Iterated:
    b = it.b
    unit = not isinstance(r.step, Var) and r.step == 1
    length = b.sub(r.stop, r.start) if unit else b.trips(r.start, r.stop, r.step)
    if unit and not isinstance(length, Var):
        length = b.maximum(length, 0)

    def item(k: Any) -> Any:
        return plain(b.add(r.start, b.mul(k, r.step)))

    return Iterated(plain(length), item, False, r)


def length_of(it: Interpreter, over: Iterated) -> Any:
    """The number of trips, never negative."""
    return plain(it.b.maximum(over.length, 0))


def zipped(it: Interpreter, parts: list[Iterated], node: Node) -> Iterated:
    if not parts:
        return static_iterated(it, [])
    lengths = [length_of(it, p) for p in parts]
    n = lengths[0]
    for m in lengths[1:]:
        n = plain(it.b.minimum(n, m))
    static = any(p.static for p in parts)
    if static and isinstance(n, Var):
        if not it.captures.is_of_sizes(it, n):
            for source in [s for p in parts if p.static for s in p.sources]:
                it.grow_if_it_can(source, False)
        # a static sequence among them: its items are of any kind, so the loop is unrolled
        n = it.static_int(n, node, "the number of items zipped")
    sources = tuple(s for p in parts for s in p.sources)
    return Iterated(
        n, lambda k: tuple(p.item(k) for p in parts), static, sources=sources, once=True,
        grown=tuple(g for p in parts for g in p.grown), scope=it.b.scopes[-1],
    )  # fmt: skip


def enumerated(it: Interpreter, over: Iterated, start: Any) -> Iterated:
    return Iterated(
        over.length if over.static else length_of(it, over),
        lambda k: (plain(it.b.add(start, k)), over.item(k)),
        over.static, sources=over.sources, once=True, grown=over.grown, scope=it.b.scopes[-1],
    )  # fmt: skip


def backwards(it: Interpreter, over: Iterated) -> Iterated:
    n = over.length if over.static else length_of(it, over)

    def item(k: Any) -> Any:
        return over.item(plain(it.b.sub(it.b.sub(n, 1), k)))

    return Iterated(
        n, item, over.static, sources=over.sources, once=True, backwards_of=over, grown=over.grown,
        scope=it.b.scopes[-1],
    )  # fmt: skip


def ascending(it: Interpreter, over: Iterated) -> Iterated | None:
    """The same items in the other order, for a loop that counts down: its index is the item."""
    if over.backwards_of is not None:
        return over.backwards_of
    r = over.range
    if r is None or isinstance(r.step, Var) or r.step != -1:
        return None
    # one more is an i64; values known at run time only are assumed not to wrap around
    if not all(isinstance(end, Var) or end < LARGEST for end in (r.start, r.stop)):
        return None
    first, stop = (plain(it.b.add(end, 1)) for end in (r.stop, r.start))
    return _range(it, Range(first, stop, 1, r.promised))


def of_arguments(it: Interpreter, n: Any) -> bool:
    """Whether a length is known at compile time, or as soon as those of arguments are.

    Others may depend on the index of a loop, which would be unrolled to make them static.
    """
    return not isinstance(n, Var) or all(r in it.captures.dims for r in roots(it, n))


def static_items(it: Interpreter, v: Any, node: Node) -> list[Any]:
    """The items of a value whose length must be known at compile time."""
    return list(items_in_turn(it, v, node))


def items_in_turn(it: Interpreter, v: Any, node: Node) -> Iterator[Any]:
    """The same, each read on demand: the use of one may store to the next."""
    v = it.collected(own_iterator(it, v, node))
    if isinstance(v, GrownList):
        it.refuse(node, "the length of a list that grows at run time is not known", "use an array")
    over = iterated(it, v, node)
    n = over.length if over.static else None
    if n is None:
        n = it.static_int(over.length, node, "the number of items unpacked")
        if n > UNROLLED:
            it.refuse(node, f"{n} items cannot be unpacked one by one", "use an array operation")
    yield from map(over.item, range(int(n)))


# ---- checks ----
def fail_unless(it: Interpreter, same: Any) -> None:
    """Fails where a list changed its length in a loop that runs over it."""
    it.fail_if(negate(it, same), LIMIT, literal(located(CHANGES_LENGTH, None, OVER_A_COPY)))


def _check_kept(it: Interpreter, node: Node, over: Iterated) -> None:
    """Checks the lengths of what an iterator was made of, where it is run over later."""
    check_places(it, node, over)
    for source, n, change in over.grown:
        if change is not latest_change(it):
            fail_unless(it, plain(it.b.eq(it.grown_length(source), n)))


def check_places(it: Interpreter, node: Node, over: Iterated) -> None:
    for source, held in zip(over.sources, over.began, strict=True):
        if isinstance(source, dict) and len(source) != len(held):
            it.fail("RuntimeError", "dictionary changed size during iteration")
        if places_of(source) != held:
            dicts = isinstance(source, dict)
            reason = (
                "a dict changes its keys while a loop runs over it" if dicts else CHANGES_LENGTH
            )
            it.refuse(node, reason, OVER_A_COPY)
