"""Comparisons and logic: `a < b < c`, `is`, `in`, `and`, `or`, truth values.

Known values are decided at once; a run-time test of a chain or of `and` branches, so that operands
that Python would not evaluate are not evaluated.
"""

from __future__ import annotations

import enum
from typing import Any

import gast
import numpy as np

from srcgrad.frontend import tracked_dicts
from srcgrad.frontend.compared_sequences import (
    STATIC,
    compare_ranges,
    compare_sequences,
    same_item,
)
from srcgrad.frontend.comprehensions import run_text
from srcgrad.frontend.control_flow import either, negate, python_bool
from srcgrad.frontend.derived_instances import as_operands
from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.expressions import arithmetic, in_arrays, makes_array
from srcgrad.frontend.grown_lists import items_of
from srcgrad.frontend.handlers.registry import METHODS
from srcgrad.frontend.identity import identical
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import iterated, length_of
from srcgrad.frontend.list_tails import Tail
from srcgrad.frontend.maybe_none import present
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.special_methods import (
    COMPARISONS,
    MIRRORED,
    SIGNS,
    asked,
    compared,
    truth_of_instance,
    type_name,
)
from srcgrad.frontend.texts import holds
from srcgrad.frontend.trees import CONTAINS
from srcgrad.frontend.values import (
    RUNNING,
    Formatted,
    GrownList,
    Iterated,
    MaybeNone,
    MaybeUnbound,
    Range,
    Record,
    Slice,
    View,
    is_array,
    is_number,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import BOOL
from srcgrad.primitives import memory

# what NumPy says of the truth of an array
OF_MANY = (
    "The truth value of an array with more than one element is ambiguous. "
    "Use a.any() or a.all()"
)  # fmt: skip
OF_NONE = (
    "The truth value of an empty array is ambiguous. "
    "Use `array.size > 0` to check that an array is not empty."
)


def of_compare(it: Interpreter, node: gast.Compare) -> Any:
    left = it.operand(node.left)
    result: Any = True

    def rest(k: int, left: Any) -> Any:
        right = it.operand(node.comparators[k])
        here = it.compare(node.ops[k], left, right, node)
        if k + 1 == len(node.ops):
            return here
        test = it.truth(here, node)
        return it.branch(test, lambda: rest(k + 1, right), lambda: here, node, live_rest=True)

    result = rest(0, left)
    return result


def compare(it: Interpreter, op: Any, a: Any, c: Any, node: Node) -> Any:
    held = c.get(a) if isinstance(a, str) and isinstance(c, TrackedDict) else None
    if isinstance(held, MaybeUnbound) and isinstance(op, gast.In | gast.NotIn):
        return held.flag if isinstance(op, gast.In) else negate(it, held.flag)
    return _compare(it, op, a, c, node)


def _is_new_view(it: Interpreter, v: Any) -> bool:
    """Whether a value is a view made by an index: each evaluation makes a new one."""
    made = it.definition(v)
    return made is not None and made.op is memory.view and "i" in made.params["spec"]


@by_kind
def _compare(it: Interpreter, op: Any, a: Any, c: Any, node: Node) -> Any:
    name = type(op).__name__
    if name in ("Is", "IsNot"):
        if a is not c and is_array(a) and is_array(c):
            if _is_new_view(it, a) and _is_new_view(it, c):
                return name == "IsNot"
            it.refuse(
                node, "whether two arrays are one object is not known", "compare their values"
            )
        for v, other in ((a, c), (c, a)):
            if isinstance(v, MaybeNone) and other is None:
                return v.flag if name == "IsNot" else negate(it, v.flag)
        if isinstance(a, MaybeNone) or isinstance(c, MaybeNone):
            it.refuse(
                node, "'is' between values that may be None",
                "test 'is None' of each, and compare their values",
            )  # fmt: skip
        if isinstance(a, MaybeUnbound) or isinstance(c, MaybeUnbound):
            it.refuse(node, "'is' between values that may be unbound")
        if is_number(a) and is_number(c):
            return (a is c or (type(a) is type(c) and a == c)) == (name == "Is")
        for v, other in ((a, c), (c, a)):
            truth_value = isinstance(v, Var) and is_scalar(v) and v.type.dtype == "bool"
            if truth_value and isinstance(other, bool):
                same = _is_bool(it, v, other, node)
                return same if name == "Is" else negate(it, same)
        if is_scalar(a) and is_scalar(c):
            it.refuse(node, "'is' between numbers is not supported", "use ==")
        return identical(it, a, c, node) == (name == "Is")
    if name in ("In", "NotIn"):
        return _contains(it, a, c, name == "NotIn", node)
    if isinstance(a, MaybeNone) or isinstance(c, MaybeNone):
        return _compare_maybe_none(it, op, a, c, node)
    op_name = COMPARISONS[name]
    methods = f"__{op_name}__", f"__{op_name.translate(MIRRORED)}__"
    a, c = as_operands(it, a, c, methods, node)
    out = compared(it, op_name, a, c, node)
    if out is not NotImplemented:
        return out
    if isinstance(a, list | tuple | dict | GrownList) and type_of(a) is type_of(c):
        return compare_sequences(it, op, a, c, node)
    if makes_array(name, a, c):
        a, c = in_arrays(it, a, c, node)
    if isinstance(a, Var) or isinstance(c, Var):
        if name in ("Eq", "NotEq") and not (is_value(a) and is_value(c)):
            array = next((v for v in (a, c) if is_array(v)), None)
            unlike = name == "NotEq"
            return unlike if array is None else it.b.broadcast_to(unlike, *array.type.dims)
        arithmetic(it, a, node)
        arithmetic(it, c, node)
        return it.emit(node, COMPARISONS[name], a, c)
    if isinstance(a, View) or isinstance(c, View):
        a, c = (tracked_dicts.as_set(it, v, node) for v in (a, c))
    a, c = it.known_text(a, node), it.known_text(c, node)
    if any(isinstance(v, Range | Slice | GrownList) for v in (a, c)):
        return compare_ranges(it, op, a, c, node)
    try:
        return STATIC[name](a, c)
    except TypeError as e:
        it.wrong(node, str(e), TypeError)


def _compare_maybe_none(it: Interpreter, op: Any, a: Any, c: Any, node: Node) -> Any:
    name = COMPARISONS[type(op).__name__]
    if name in ("eq", "ne"):
        v, other = (a, c) if isinstance(a, MaybeNone) else (c, a)
        return it.branch(
            v.flag, lambda: it.compare(op, v.value, other, node),
            lambda: it.compare(op, None, other, node), node, live_rest=True,
        )  # fmt: skip
    names = [type_name(None if isinstance(v, MaybeNone) else v) for v in (a, c)]
    kinds = " and ".join(f"'{n}'" for n in names)
    said = f"'{SIGNS[name]}' not supported between instances of {kinds}"
    a, c = (present(it, v, lambda: said) for v in (a, c))
    return it.compare(op, a, c, node)


def _is_bool(it: Interpreter, v: Var, wanted: bool, node: Node) -> Any:
    """`v is True` or `v is False`: Python's bools are these two objects, NumPy's are others."""
    if v.type == BOOL:
        return v if wanted else negate(it, v)
    if v not in it.captures.leaves and it.definition(v) is None:
        it.refuse(node, "whether this is a bool of Python's is not known", "use ==, or no 'is'")
    return False


def known_text(it: Interpreter, v: Any, node: Node) -> Any:
    """Makes the integers in a formatted string static; other values are returned unchanged."""
    if not isinstance(v, Formatted):
        return v
    for each in v.values:
        if isinstance(each, Var) and atom(each).type.dtype[0] in "iub":
            it.static_int(each, node, "a number in a string")
        if isinstance(each, Var):
            it.refuse(
                node, "a string with a number of the run in it is not known",
                "use the number itself: for eval(f'{x} * 2.0') write x * 2.0",
            )  # fmt: skip
    return v.template.format(*v.values)


def _contains(it: Interpreter, a: Any, c: Any, negated: bool, node: Node) -> Any:
    if isinstance(c, Formatted) and isinstance(a, str) and not any(map(is_array, c.values)):
        known = holds(c.template, a)
        if known is not None:
            return known is not negated
    c = it.known_text(c, node)
    own = asked(it, c, "__contains__", [a], node)
    if own is not NotImplemented:
        found = it.truth(own, node)
    elif isinstance(c, View) and c.name == "keys":
        found = _contains(it, a, c.owner, False, node)
    elif isinstance(c, dict | str | set | frozenset):
        a = it.known_text(a, node)
        if isinstance(c, str) and isinstance(a, Var):
            it.refuse(node, "a number is looked for in a string", like=TypeError)
        found = a in c if isinstance(c, str) else tracked_dicts.contains(it, c, a, node)
    elif isinstance(c, enum.Flag) and isinstance(a, enum.Flag):
        found = a in c
    elif handler := METHODS.get((type(c).__name__, "__contains__")):
        found = handler(it, node, c, a)
    elif is_array(c):  # NumPy's: whether any element is equal
        found = it.truth(it.call_numpy(np.any, [it.compare(gast.Eq(), c, a, node)], {}, node), node)
    else:
        found = _is_item(it, a, c, node)
    return negate(it, found) if negated else found


def _is_item(it: Interpreter, a: Any, c: Any, node: Node) -> Any:
    """Whether an item is `a` itself or equal to it; items after such a one do not matter."""
    found: Any = False
    if isinstance(c, Iterated) and c.until is not None:
        it.refuse(
            node, "'in' takes items up to the first that is equal, and computing them may "
            "change something", "make a list of them",
        )  # fmt: skip
    if isinstance(c, GrownList) and c.of_numbers and is_scalar(a):
        return it.call(any, [it.compare(gast.Eq(), items_of(it.b, c), a, node)], {}, node)
    if isinstance(c, GrownList):
        return run_text(it, CONTAINS, [a, c], node)
    for item in it.static_items(c, node):
        hit = same_item(it, item, a, node)
        if hit is True:
            return True
        found = hit if found is False else found if hit is False else either(it, found, hit)
    return python_bool(it, found)


def _only_element(it: Interpreter, v: Any, node: Node) -> Any:
    """The element of an array of one; what has more, or maybe more, raises ValueError."""
    sizes = [it.captures.known_now(it, d) for d in v.type.dims]
    fixed = [n for n, d in zip(sizes, v.type.dims, strict=True) if not isinstance(d, Var)]
    surely = [n for n in (fixed if it.is_in_flow else sizes) if n is not None]
    if any(n != 1 for n in surely):
        it.refuse(
            node, "the truth value of an array with more than one element is ambiguous",
            "use np.any(...) or np.all(...)", like=ValueError,
        )  # fmt: skip
    if any(isinstance(d, Var) for d in v.type.dims):
        it.locate(node)
        size = it.b.size(v.type.dims)
        it.fail_if(it.b.eq(size, 0), "ValueError", OF_NONE)
        it.fail_if(it.b.ne(size, 1), "ValueError", OF_MANY)
    return it.b.load(v, *([0] * v.type.ndim))


@by_kind
def truth(it: Interpreter, v: Any, node: Node) -> Any:
    """The truth of a value: a bool now, or a run-time one."""
    out = truth_of_instance(it, v, node)
    if out is not NotImplemented:
        return out
    if is_array(v):
        v = _only_element(it, v, node)
    if isinstance(v, MaybeNone):
        given = v.value
        return it.branch(v.flag, lambda: it.truth(given, node), lambda: False, node, live_rest=True)
    if isinstance(v, Var) and is_value(v):
        if v.type.dtype == "bool":
            return v
        return plain(it.b.ne(v, 0, weak=True))
    if isinstance(v, GrownList):
        return plain(it.b.ne(it.grown_length(v), 0))
    if isinstance(v, Tail):
        return it.truth(it.call(len, [v], {}, node), node)
    v = it.known_text(v, node)
    if isinstance(v, Range):
        v = length_of(it, iterated(it, v, node))
        return plain(it.b.gt(v, 0))
    if isinstance(v, View):
        return bool(v.owner)
    if isinstance(v, RUNNING | Slice | Iterated | Record):
        return True
    try:
        return bool(v)
    except (ValueError, TypeError) as e:
        it.fails(e, node)


def condition(it: Interpreter, node: Any) -> Any:
    """The truth of an expression; the operands of `and` and `or` need not be of one kind."""
    match node:
        case gast.UnaryOp(op=gast.Not()):
            return negate(it, it.condition(node.operand))
        case gast.BoolOp(values=values):
            return _all_or_any(it, node, values)
    return it.truth(it.operand(node), node)


def _all_or_any(it: Interpreter, node: gast.BoolOp, values: list[Any]) -> Any:
    test = it.condition(values[0])
    if len(values) == 1:
        return test
    rest = lambda: _all_or_any(it, node, values[1:])
    if isinstance(node.op, gast.And):
        return it.branch(test, rest, lambda: False, node, live_rest=True)
    return it.branch(test, lambda: True, rest, node, live_rest=True)


def of_bool_op(it: Interpreter, node: gast.BoolOp) -> Any:
    is_and = isinstance(node.op, gast.And)

    def go(values: list[Any]) -> Any:
        v = it.operand(values[0])
        if len(values) == 1:
            return v
        test = it.truth(v, values[0])
        if not isinstance(test, Var):
            return go(values[1:]) if test == is_and else v
        if is_and:
            return it.branch(
                test, lambda: go(values[1:]), lambda: v, node, live_rest=True, several=True
            )
        true = v.value if isinstance(v, MaybeNone) else v
        return it.branch(
            test, lambda: true, lambda: go(values[1:]), node, live_rest=True, several=True
        )

    return go(node.values)


def type_of(v: Any) -> type:
    kinds = {list: list | GrownList, tuple: tuple, dict: dict}
    return next((t for t, kind in kinds.items() if isinstance(v, kind)), type(v))
