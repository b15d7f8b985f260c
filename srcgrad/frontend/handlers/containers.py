"""Methods of lists, dicts and strings. Those that change a container announce it first."""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Callable
from functools import partial
from typing import Any

import gast

from srcgrad import tree
from srcgrad.frontend import lists
from srcgrad.frontend.changed_lists import insert as put_in
from srcgrad.frontend.changed_lists import pop_at, refill
from srcgrad.frontend.compared_sequences import same_item
from srcgrad.frontend.comprehensions import list_of, run_text
from srcgrad.frontend.control_flow import both, python_bool
from srcgrad.frontend.expressions import binary
from srcgrad.frontend.growing import changing_grown, pop_grown
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.heap import changing
from srcgrad.frontend.indexing import subscript
from srcgrad.frontend.instances import entered, opened
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists import reshaping
from srcgrad.frontend.special_methods import displayed, in_field
from srcgrad.frontend.texts import filled_in, literal, made_of, shown
from srcgrad.frontend.trees import COUNTING, FINDING
from srcgrad.frontend.values import (
    Formatted,
    GrownList,
    Slice,
    describe,
    is_integer,
    is_number,
    plain,
)
from srcgrad.frontend.versions import error_class, error_text
from srcgrad.ir.nodes import Var

MISSING = -1  # no empty list has one
EMPTY = namedtuple("Empty", ())()


# ---- lists ----
@method("list", "append")
def append(it: Interpreter, node: Node, owner: Any, item: Any) -> None:
    lists.append(it, owner, item, node)


@method("list", "extend")
def extend(it: Interpreter, node: Node, owner: Any, items: Any) -> None:
    lists.extend(it, owner, items, node)


@method("list", "pop")
def pop(it: Interpreter, node: Node, owner: Any, k: Any = -1) -> Any:
    if isinstance(owner, GrownList):
        last = is_number(k) and k == -1
        return pop_grown(it, owner, node) if last else pop_at(it, owner, k, node)
    if not owner:
        lists.grow_in_flow(it, owner)
        it.wrong(node, error_text([].pop), IndexError)
    reshaping(it, owner, node)
    return owner.pop(it.list_place(owner, [k], node))


@method("list", "insert")
def insert(it: Interpreter, node: Node, owner: Any, k: Any, item: Any) -> None:
    if isinstance(k, Var):
        lists.grow_if_it_can(it, owner)
    if isinstance(owner, GrownList):
        put_in(it, owner, k, item, node)
        return
    reshaping(it, owner, node)
    owner.insert(it.static_int(k, node, "the index of a list"), item)


@method("list", "clear")
def clear_list(it: Interpreter, node: Node, owner: Any) -> None:
    if isinstance(owner, GrownList):
        changing_grown(it, owner, node)
        it.set_length(owner, 0)
        return
    reshaping(it, owner, node)
    owner.clear()


@method("list", "remove")
def remove(it: Interpreter, node: Node, owner: Any, item: Any) -> None:
    found = index(it, node, owner, item)
    if isinstance(found, Var):
        lists.grow_if_it_can(it, owner)
    if isinstance(owner, GrownList):
        pop_at(it, owner, found, node)
        return
    reshaping(it, owner, node)
    del owner[it.static_int(found, node, "which item is removed")]


@method("list", "index")
def index(
    it: Interpreter, node: Node, owner: Any, item: Any, start: Any = 0, stop: Any = sys.maxsize
) -> Any:
    start, stop = (_in_list(it, v, owner, node) for v in (start, stop))
    if isinstance(owner, GrownList):
        return run_text(it, FINDING, [item, owner, start, stop], node)

    def search(k: int) -> Any:
        if k == len(owner):
            template, values = shown(displayed(it, item, node, True), True)
            if isinstance(owner, tuple):
                it.fail("ValueError", error_text(().index, MISSING))
            text = literal(error_text([].index, MISSING)).replace(repr(MISSING), template)
            it.fail("ValueError", text, *values)
        within = both(it, plain(it.b.le(start, k)), plain(it.b.lt(k, stop)))
        if within is False:
            return search(k + 1)
        hit = same_item(it, owner[k], item, node)
        hit = hit if within is True else both(it, within, hit)
        return it.branch(hit, lambda: k, lambda: search(k + 1), node, live_rest=True)

    return search(0)


def _in_list(it: Interpreter, k: Any, owner: Any, node: Node) -> Any:
    """A limit of a search, counted from the first item."""
    if not is_integer(k):
        said = "slice indices must be integers or have an __index__ method"
        it.refuse(node, said, like=TypeError)
    if not isinstance(k, Var) and k >= 0:
        return k
    b, n = it.b, it.call(len, [owner], {}, node)
    return plain(b.where(b.ge(k, 0), k, b.maximum(b.add(k, n), 0)))


@method("list", "count")
def count(it: Interpreter, node: Node, owner: Any, item: Any) -> Any:
    if isinstance(owner, GrownList):
        return run_text(it, COUNTING, [item, owner], node)
    total: Any = 0
    for v in owner:
        same = python_bool(it, it.truth(same_item(it, v, item, node), node))
        total = binary(it, gast.Add(), total, same, node)
    return total


@method("list", "copy")
def copy_list(it: Interpreter, node: Node, owner: Any) -> Any:
    return list_of(it, owner, node)


@method("list", "reverse")
def reverse(it: Interpreter, node: Node, owner: Any) -> None:
    if isinstance(owner, GrownList):
        backwards = Slice(None, None, -1)
        refill(it, owner, it.grown_slice(owner, backwards, node), node)
        return
    changing(it, owner, node)
    owner.reverse()


@method("list", "sort")
def sort(it: Interpreter, node: Node, owner: Any, key: Any = None, reverse: Any = False) -> None:
    made = it.call(sorted, [owner], {"key": key, "reverse": reverse}, node)
    if isinstance(owner, GrownList):
        refill(it, owner, made, node)
        return
    if isinstance(made, GrownList):
        it.grow_if_it_can(owner, False)
        it.refuse(node, "the order of the run of a list that is not made here", "use sorted(...)")
    changing(it, owner, node)
    owner[:] = made


# ---- tuples ----
@method("tuple", "index")
def index_of_tuple(it: Interpreter, node: Node, owner: Any, item: Any, *limits: Any) -> Any:
    return index(it, node, owner, item, *limits)


@method("tuple", "count")
def count_in_tuple(it: Interpreter, node: Node, owner: Any, item: Any) -> Any:
    return count(it, node, owner, item)


@method("tuple", "_replace")
def replaced(it: Interpreter, node: Node, owner: Any, /, **changes: Any) -> Any:
    """A named tuple with other values in some fields."""
    wrong = [n for n in changes if n not in getattr(owner, "_fields", ())]
    if wrong:
        cls = error_class(EMPTY._replace, **{wrong[0]: None})
        it.refuse(node, f"{type(owner).__name__} has no field '{wrong[0]}'", like=cls)
    return type(owner)(*(changes.get(f, v) for f, v in zip(owner._fields, owner, strict=True)))


@method("tuple", "_asdict")
def as_dict(it: Interpreter, node: Node, owner: Any) -> Any:
    return dict(zip(owner._fields, owner, strict=True))


# ---- strings ----
@method("str", "format")
def format_(it: Interpreter, node: Node, owner: Any, /, *args: Any, **named: Any) -> Any:
    return _filled_in(it, node, owner, args, named.__getitem__)


@method("str", "format_map")
def format_map(it: Interpreter, node: Node, owner: Any, *given: Any) -> Any:
    if len(given) != 1:
        said = f"str.format_map() takes exactly one argument ({len(given)} given)"
        it.wrong(node, said, TypeError)
    return _filled_in(it, node, owner, (), lambda name: subscript(it, given[0], [name], node))


def _filled_in(
    it: Interpreter, node: Node, text: str, args: tuple[Any, ...], named: Callable[[str], Any]
) -> Any:
    def part(v: Any, is_attribute: bool, key: Any) -> Any:
        return it.attribute(v, key, node) if is_attribute else subscript(it, v, [key], node)

    try:
        template, values = filled_in(text, args, named, part, partial(in_field, it, node))
    except (LookupError, ValueError, TypeError) as e:
        it.fails(e, node)
    return made_of(template, values)


@method("str", "join")
def join_(it: Interpreter, node: Node, owner: str, items: Any) -> Any:
    parts = it.static_items(items, node)
    if not all(isinstance(p, str | Formatted) for p in parts):
        it.refuse(node, "join() takes strings, as many as are known at compile time")
    if all(isinstance(p, str) for p in parts):
        return owner.join(parts)
    texts, values = zip(*map(shown, parts), strict=True)
    return Formatted(literal(owner).join(texts), [v for own in values for v in own])


def _static_str(name: str) -> None:
    def handler(it: Interpreter, node: Node, owner: str, *args: Any) -> Any:
        if any(isinstance(a, Var) for a in args):
            it.refuse(node, f"str.{name} of run-time values")
        try:
            made = getattr(owner, name)(*args)
            return it.tracked_list(made, node) if isinstance(made, list) else made
        except (TypeError, ValueError, IndexError) as e:
            it.fails(e, node)

    method("str", name)(handler)


for _n in (
    "capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find",
    "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower",
    "isnumeric", "isprintable", "isspace", "istitle", "isupper", "ljust", "lower",
    "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase",
    "title", "upper", "zfill",
):  # fmt: skip
    _static_str(_n)


@implements(ord)
def ord_(it: Interpreter, node: Node, c: Any) -> Any:
    try:
        return ord(it.known_text(c, node))
    except TypeError as e:
        it.fails(e, node)


@implements(chr)
def chr_(it: Interpreter, node: Node, k: Any) -> Any:
    try:
        return chr(it.static_int(k, node, "the number of a letter"))
    except ValueError as e:
        it.fails(e, node)


@implements(tree.mapped)
def mapped(it: Interpreter, node: Node, value: Any, at: Any) -> Any:
    """A structure with the results of a function in place of its leaves."""
    return tree.mapped(value, lambda leaf: it.call(at, [leaf], {}, node))


@implements(tree.map)
def map_leaves(it: Interpreter, node: Node, f: Any, tree_: Any, *others: Any) -> Any:
    first, *rest = (opened(it, v, node) for v in (tree_, *others))
    rows = tree.columns(first, rest)
    return entered(it, first, node, lambda leaf: it.call(f, list(next(rows)), {}, node))


@implements(tree.leaves)
def leaves(it: Interpreter, node: Node, value: Any) -> Any:
    return it.tracked_list(tree.leaves(opened(it, value, node)), node)


@implements(tree.structure)
def structure(it: Interpreter, node: Node, value: Any) -> Any:
    return tree.structure(opened(it, value, node))


@implements(tree.flatten)
def flatten(it: Interpreter, node: Node, value: Any) -> Any:
    return leaves(it, node, value), structure(it, node, value)


@implements(tree.unflatten)
def unflatten(it: Interpreter, node: Node, structure: Any, leaves: Any) -> Any:
    if not isinstance(structure, tree.Structure):
        it.refuse(node, f"unflatten() takes a structure, not {describe(structure)}", like=TypeError)
    items = structure.fitting(it.static_items(leaves, node))
    return entered(it, structure.template, node, lambda leaf: items[leaf.k])
