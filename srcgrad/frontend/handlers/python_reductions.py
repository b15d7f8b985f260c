"""Python's folds and arithmetic builtins: sum, max, any, reduce, abs, divmod, pow."""

from __future__ import annotations

import builtins
import functools
import math
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.casts import widened
from srcgrad.frontend.comprehensions import is_long, list_of, run_text
from srcgrad.frontend.control_flow import both, either, python_bool
from srcgrad.frontend.derived_instances import as_operands
from srcgrad.frontend.expressions import binary
from srcgrad.frontend.formulas.integers import modular_power
from srcgrad.frontend.generators import Generated
from srcgrad.frontend.grown_lists import GrownTable, Ragged
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import items_in_turn
from srcgrad.frontend.lists_of_rows import stacked_rows
from srcgrad.frontend.number_classes import is_either, is_mixed, of_operands, unlike
from srcgrad.frontend.special_methods import asked, operated
from srcgrad.frontend.trees import EVERY, ITSELF, LARGEST, SMALLEST, SOME, function_at
from srcgrad.frontend.values import (
    Closure,
    GrownList,
    Iterated,
    Record,
    Slice,
    describe,
    is_array,
    is_integer,
    is_number,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import INT, Scalar, is_float, join_scalars, np_dtype

TOTAL = """\
def total(items, start):
    start = start + items[0]
    for k in range(1, len(items)):
        start = start + items[k]
    return start
"""
FOLDED = """\
def folded(f, items, result):
    for v in items:
        result = f(result, v)
    return result
"""
REDUCED = """\
def reduced(f, items):
    result = items[0]
    for k in range(1, len(items)):
        result = f(result, items[k])
    return result
"""


@implements(functools.reduce)
def reduce_(it: Interpreter, node: Node, f: Any, x: Any, *start: Any) -> Any:
    x = it.collected(x)
    if isinstance(x, GrownList) or is_long(it, x, node):
        return _reduced_in_loop(it, node, f, x, start)
    items = [*start, *it.static_items(x, node)]
    if not items:
        it.fail("TypeError", "reduce() of empty iterable with no initial value")
    result = items[0]
    for v in items[1:]:
        result = it.call(f, [result, v], {}, node)
    return result


def _reduced_in_loop(it: Interpreter, node: Node, f: Any, x: Any, start: tuple[Any, ...]) -> Any:
    """The fold of items of which only the run tells how many there are."""
    items = x if isinstance(x, GrownList) else list_of(it, x, node)
    if start:
        return run_text(it, FOLDED, [f, items, *start], node)
    nothing = plain(it.b.eq(it.call(len, [items], {}, node), 0))
    it.fail_if(nothing, "TypeError", "reduce() of empty iterable with no initial value")
    return run_text(it, REDUCED, [f, items], node)


@implements(abs)
def abs_(it: Interpreter, node: Node, x: Any) -> Any:
    if is_number(x):
        return abs(x)
    own = asked(it, x, "__abs__", [], node)
    if own is not NotImplemented:
        return own
    if not is_value(x):
        it.refuse(node, f"bad operand type for abs(): {describe(x)}", like=TypeError)
    return of_operands(it, it.emit(node, "abs", widened(it, x)), x)


@implements(builtins.sum)
def sum_(it: Interpreter, node: Node, x: Any, start: Any = 0) -> Any:
    x = it.collected(x)
    x = list_of(it, x, node) if isinstance(x, Iterated) and is_long(it, x, node) else x
    if is_array(x) and x.type.dims:
        if is_scalar(start):  # it comes first, and decides the dtype of the sum
            x = it.b.cast(x, Scalar(join_scalars(atom(start).type, Scalar(x.type.dtype)).dtype))
        kind = {"dtype": np_dtype(x.type.dtype)}
        if x.type.ndim == 1:
            total = it.call_numpy(np.sum, [x], kind, node)
            it.captures.classes.either.add(total)  # without items it is the start
        else:
            text = "sum() of no rows is the number 0, not an array"
            it.refuse_where(plain(it.b.eq(x.type.dims[0], 0)), node, text, "use np.sum with axis=0")
            total = it.call_numpy(np.sum, [x], {"axis": 0, **kind}, node)
        return (
            total if is_number(start) and start == 0 else binary(it, gast.Add(), start, total, node)
        )
    if isinstance(x, Ragged):
        text = "sum() of no arrays is the start, not an array"
        it.refuse_where(plain(it.b.eq(it.grown_length(x), 0)), node, text, "test its length before")
        return run_text(it, TOTAL, [x, start], node)
    if isinstance(x, GrownTable):
        it.wrong(node, f"sum() adds numbers: an item is {describe(x.template)}", TypeError)
    if isinstance(x, GrownList) and not x.of_numbers:
        rows = stacked_rows(it, x, node)
        held = Scalar(rows.type.dtype)
        if is_value(start):
            of_start = atom(start).type
            first = of_start if is_scalar(start) else Scalar(of_start.dtype)
            held = join_scalars(first, held)
        total = it.call_numpy(np.sum, [rows], {"axis": 0, "dtype": np_dtype(held.dtype)}, node)
        return binary(it, gast.Add(), start, total, node)
    if isinstance(x, GrownList):
        kind = x.dtype  # the start comes first: from 0 on truth values are counted
        if is_scalar(start):
            kind = join_scalars(atom(start).type, kind)
        kind = INT if kind.weak and kind.dtype == "bool" else kind
        total = it.call_numpy(np.sum, [x], {"dtype": np_dtype(kind.dtype)}, node)
        return binary(it, gast.Add(), start, it.b.retyped(total, kind), node)
    for item in it.static_items(x, node):
        start = binary(it, gast.Add(), start, item, node)
    return start


def _extreme(name: str, primitive: RowName, first: RowName, whole: Any) -> Any:
    def handler(
        it: Interpreter, node: Node, *given: Any, key: Any = None, default: Any = _NOTHING
    ) -> Any:
        xs: list[Any] = [it.collected(x) for x in given]
        if not xs:
            it.fail("TypeError", f"{name} expected at least 1 argument, got 0")
        numbers = is_array(xs[0]) or (
            isinstance(xs[0], GrownList) and not isinstance(xs[0], GrownTable)
        )
        if key is None and len(xs) == 1 and numbers:
            return _extreme_of_array(it, node, xs[0], name, whole, default)
        if len(xs) == 1 and (isinstance(xs[0], GrownList) or is_long(it, xs[0], node)):
            items = xs[0] if isinstance(xs[0], GrownList) else list_of(it, xs[0], node)
            return _of_grown(it, node, items, name, key, default)
        items = list(xs) if len(xs) > 1 else it.static_items(xs[0], node)
        if not items:
            if default is not _NOTHING:
                return default
            it.wrong(node, f"{name}() of an empty sequence", ValueError)
        if (
            key is not None
            or all(isinstance(v, tuple) for v in items)
            or any(isinstance(v, Record) for v in items)
        ):
            return _chosen(it, node, gast.Gt() if name == "max" else gast.Lt(), items, key)
        if all(is_number(v) for v in items):
            return getattr(builtins, name)(items)
        best = items[0]
        for v in items[1:]:
            if not (is_scalar(best) and is_scalar(v)):
                it.refuse(
                    node, f"{name}() takes numbers; use np.{primitive} for arrays", like=ValueError
                )
            one, other = atom(best).type, atom(v).type
            mixed = unlike(one, other) or is_mixed(it, best) or is_mixed(it, v)
            unsure = one.weak != other.weak or is_either(it, best) or is_either(it, v)
            floats = is_float(atom(best).type.dtype) or is_float(atom(v).type.dtype)
            best = it.emit(node, first, v, best) if floats else it.emit(node, primitive, best, v)
            if mixed:
                it.captures.classes.mixed.add(best)
            if unsure:
                it.captures.classes.either.add(best)
        return best

    return handler


def _extreme_of_array(
    it: Interpreter, node: Node, x: Any, name: str, whole: Any, default: Any
) -> Any:
    matrix = is_array(x) and x.type.ndim > 1
    if matrix or getattr(x, "shape", None) is not None:
        it.refuse(node, f"{name}() takes numbers; use np.{name} for arrays", like=ValueError)

    def best() -> Any:
        found = it.call_numpy(whole, [_comparable(it, node, x)], {}, node)
        return it.b.retyped(found, x.dtype) if isinstance(x, GrownList) else found

    if default is _NOTHING:
        return best()
    nothing = plain(it.b.eq(it.call(len, [x], {}, node), 0))
    return it.branch(nothing, lambda: default, best, node, live_rest=True)


def _of_grown(it: Interpreter, node: Node, items: Any, name: str, key: Any, default: Any) -> Any:
    """The first of the items of a list that grows whose key is best, or that is best itself."""
    if key is None:
        key = Closure(function_at(node, ITSELF), it.env, [], [], it.frame, "key")
    chosen = LARGEST if name == "max" else SMALLEST
    best = lambda: run_text(it, chosen, [key, items], node)
    if default is _NOTHING:
        return best()
    some = it.truth(it.call(len, [items], {}, node), node)
    return it.branch(some, best, lambda: default, node, live_rest=True, several=True)


def _comparable(it: Interpreter, node: Node, x: Any) -> Any:
    """The items with the first in place of each NaN, which is neither greater nor less."""
    if not (is_array(x) and is_float(x.type.dtype)):
        return x
    first = it.read(x, [Slice(None, 1, None)], node)
    return it.emit(node, "where", it.b.isnan(x), first, x)


def _chosen(it: Interpreter, node: Node, better: Any, items: list[Any], key: Any) -> Any:
    """The first of the items whose key is best, or that is best itself."""
    of = lambda v: v if key is None else it.call(key, [v], {}, node)
    best, high = items[0], of(items[0])
    for v in items[1:]:
        mine = of(v)
        test = it.truth(it.compare(better, mine, high, node), node)
        best, high = it.branch(
            test, lambda new=(v, mine): new, lambda old=(best, high): old, node, live_rest=True
        )
    return best


_NOTHING = object()
implements(builtins.max)(_extreme("max", "maximum", "larger", np.max))
implements(builtins.min)(_extreme("min", "minimum", "smaller", np.min))


@implements(builtins.any)
def any_(it: Interpreter, node: Node, x: Any) -> Any:
    return _quantified(it, node, x, np.any, lambda a, c: either(it, a, c), False)


@implements(builtins.all)
def all_(it: Interpreter, node: Node, x: Any) -> Any:
    return _quantified(it, node, x, np.all, lambda a, c: both(it, a, c), True)


def _quantified(it: Interpreter, node: Node, x: Any, whole: Any, join: Any, start: bool) -> Any:
    if isinstance(x, Iterated) and x.until is not None:
        x.spent |= not isinstance(x, Generated)  # which notes it where it is run over
        return x.until(not start)
    x = it.collected(x)
    if is_array(x) and not x.type.dims:
        it.wrong(node, "iteration over a 0-d array", TypeError)
    if is_array(x) and x.type.ndim > 1:
        it.refuse(
            node,
            f"{whole.__name__}() takes numbers; use np.{whole.__name__} for arrays",
            like=ValueError,
        )
    if isinstance(x, GrownList) and not x.of_numbers:  # a tuple is true by its length
        return python_bool(it, it.truth(run_text(it, EVERY if start else SOME, [x], node), node))
    if is_array(x) or isinstance(x, GrownList):
        return python_bool(it, it.call_numpy(whole, [x], {}, node))
    result: Any = start
    for item in items_in_turn(it, x, node):
        result = plain(join(result, it.truth(item, node)))
    return result


@implements(divmod)
def divmod_(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
    a, c = as_operands(it, a, c, ("__divmod__", "__rdivmod__"), node)
    own = operated(it, "divmod", a, c, node)
    if own is not NotImplemented:
        return own
    return binary(it, gast.FloorDiv(), a, c, node), binary(it, gast.Mod(), a, c, node)


@implements(pow)
def pow_(it: Interpreter, node: Node, base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return binary(it, gast.Pow(), base, exp, node)
    given = (base, exp, mod)
    if not all(map(is_integer, given)):
        said = "pow() 3rd argument not allowed unless all arguments are integers"
        it.refuse(node, said, like=TypeError)
    if any(isinstance(v, Var) for v in given):
        return it.call(modular_power, list(given), {}, node)
    try:
        return pow(*given)
    except ValueError as e:
        it.fails(e, node)


@implements(math.prod)
def prod(it: Interpreter, node: Node, x: Any, *, start: Any = 1) -> Any:
    result = start
    for item in it.static_items(x, node):
        result = binary(it, gast.Mult(), result, item, node)
    return result
