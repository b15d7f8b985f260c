"""Comparisons of lists, tuples, dicts, ranges and slices: item by item."""

from __future__ import annotations

import operator
from collections import OrderedDict
from typing import Any

import gast

from srcgrad.frontend import tracked_dicts
from srcgrad.frontend.comprehensions import run_text
from srcgrad.frontend.control_flow import both, negate, python_bool
from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.special_methods import COMPARISONS, SIGNS, type_name
from srcgrad.frontend.trees import SAME
from srcgrad.frontend.values import GrownList, Range, Slice

STATIC = {
    "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge,
    "Eq": operator.eq, "NotEq": operator.ne,
}  # fmt: skip
SAME_RANGES = """\
def same(a, b):
    if len(a) != len(b) or len(a) == 0:
        return len(a) == len(b)
    return a[0] == b[0] and a[-1] == b[-1]
"""
ORDER = """\
def order(a, b):
    for k, v in enumerate(b):
        if k == len(a):
            return len(a) < len(b)
        if a[k] != v:
            return a[k] < v
    return len(a) < len(b)
"""
TURNED = ORDER.replace("len(a) < len(b)", "len(b) < len(a)").replace("a[k] < v", "v < a[k]")


def same_item(it: Interpreter, a: Any, c: Any, node: Node) -> Any:
    """Whether two items are the same to containers: one object, or equal."""
    return True if a is c else it.truth(it.compare(gast.Eq(), a, c, node), node)


def compare_sequences(it: Interpreter, op: Any, a: Any, c: Any, node: Node) -> Any:
    """`==` of lists, tuples, dicts: item by item, as far as run-time values are inside."""
    name = type(op).__name__
    if a is c and isinstance(a, list | GrownList):
        return STATIC[name](0, 0)
    if isinstance(a, GrownList) or isinstance(c, GrownList):
        return _compare_grown(it, name, a, c, node)
    if name not in ("Eq", "NotEq"):
        return _ordered(it, op, a, c, 0, node)
    tracked_dicts.refuse_counters(it, node, a, c)
    if in_order(a) and in_order(c) and list(a) != list(c):
        return name == "NotEq"
    if (a.keys() != c.keys()) if isinstance(a, dict) else len(a) != len(c):
        return name == "NotEq"
    same: Any = True
    for k in a if isinstance(a, dict) else range(len(a)):
        here = same_item(it, a[k], c[k], node)
        if here is False:
            return name == "NotEq"
        same = here if same is True else same if here is True else both(it, same, here)
    return python_bool(it, same) if name == "Eq" else negate(it, same)


def in_order(v: Any) -> bool:
    """Whether a dict is compared with its like in the order of the keys."""
    return isinstance(v, TrackedDict) and v.cls is OrderedDict


def _compare_grown(it: Interpreter, name: str, a: Any, c: Any, node: Node) -> Any:
    if name not in ("Eq", "NotEq"):
        text = ORDER if isinstance(a, GrownList) else TURNED
        pair = [a, c] if isinstance(a, GrownList) else [c, a]
        return run_text(it, text.replace("<", SIGNS[COMPARISONS[name]]), pair, node)
    a, c = (a, c) if isinstance(a, GrownList) else (c, a)
    same = run_text(it, SAME, [a, c], node)
    return same if name == "Eq" else negate(it, same)


def _ordered(it: Interpreter, op: Any, a: Any, c: Any, k: int, node: Node) -> Any:
    """The order of lists or tuples: that of the first items that differ, from the k-th on."""
    if isinstance(a, dict):
        return STATIC[type(op).__name__](a, c)
    if k == min(len(a), len(c)):
        return STATIC[type(op).__name__](len(a), len(c))
    return it.branch(
        same_item(it, a[k], c[k], node), lambda: _ordered(it, op, a, c, k + 1, node),
        lambda: it.compare(op, a[k], c[k], node), node, live_rest=True,
    )  # fmt: skip


def compare_ranges(it: Interpreter, op: Any, a: Any, c: Any, node: Node) -> Any:
    """Comparisons of ranges, slices and lists that grow, with one another and with other values."""
    name = type(op).__name__
    if isinstance(a, Slice) and isinstance(c, Slice):
        return it.compare(op, (a.lower, a.upper, a.step), (c.lower, c.upper, c.step), node)
    if name not in ("Eq", "NotEq"):
        kinds = " and ".join(f"'{type_name(v)}'" for v in (a, c))
        said = f"'{SIGNS[COMPARISONS[name]]}' not supported between instances of {kinds}"
        it.wrong(node, said, TypeError)
    if not isinstance(a, Range) or not isinstance(c, Range):
        return name == "NotEq"
    same = run_text(it, SAME_RANGES, [a, c], node)
    return same if name == "Eq" else negate(it, same)
