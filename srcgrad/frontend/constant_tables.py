"""Long constant sequences of floats, or of rows of floats: loops over them run.

The numbers are an array. Loops over shorter sequences, and over items of other kinds, are unrolled;
so are these if the program is refused with them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.requirements import UNROLLED
from srcgrad.frontend.roots import roots
from srcgrad.frontend.values import Iterated, TrackedList
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Scalar


def is_table(it: Interpreter, x: list | tuple, least: int = UNROLLED + 1) -> bool:
    """Whether a sequence is long, constant, and holds floats or rows of as many floats."""
    if len(x) < least or it.attempts or not _is_unchanging(it, x):
        return False
    key = ("is table", id(x))
    if key not in it.captures.containers:
        it.captures.inlined.append(x)  # keeps it alive, and so its id
        kinds = {(type(row), len(row)) for row in x if _is_unchanging(it, row)}
        rows = len(kinds) == 1 and all(_is_unchanging(it, row) and row for row in x)
        numbers = [v for row in x for v in row] if rows else x
        it.captures.containers[key] = all(type(v) is float and math.isfinite(v) for v in numbers)
    return it.captures.containers[key]


def _is_unchanging(it: Interpreter, x: Any) -> bool:
    return type(x) is tuple or (isinstance(x, TrackedList) and id(x) in it.captures.immutable)


def in_rows(it: Interpreter, x: list | tuple) -> Iterated:
    """The items of a table, at a number of the run too."""

    def item(k: Any) -> Any:
        return _at(it, x, lambda *places: it.b.load(_array(it, x), k, *places))

    of_the_run = lambda k: item(k) if isinstance(k, Var) else x[k]
    return Iterated(len(x), of_the_run, sources=(x,))


def runs(it: Interpreter, loops: set[tuple[Any, ...]]) -> None:
    """Notes loops that run for a table: they are unrolled if the program is refused."""
    it.looped |= loops
    it.over_tables |= loops


def item_in_loop(it: Interpreter, x: Any, k: Var, node: Node) -> Any:
    """`x[k]` of a table where k depends on the numbers of long loops; None for others.

    A loop that ran for one table runs for short ones as well.
    """
    loops = [it.captures.loops[r] for r in roots(it, k) if r in it.captures.loops]
    places = {loop[:2] for loop in loops}
    ran = bool(places) and places <= it.over_tables
    short = all(not isinstance(n, Var) and n <= UNROLLED for _, _, n in loops)
    if (short and not ran) or places & it.unrolled:
        return None
    if not (is_table(it, x, 1) if ran else is_table(it, x)):
        return None
    runs(it, places)
    n = len(x)
    outside = it.b.logical_or(it.b.lt(k, -n), it.b.ge(k, n))
    kind = "list" if isinstance(x, list) else "tuple"
    it.fail_if(outside, "IndexError", f"{kind} index out of range")
    return _at(it, x, lambda *places: it.read(_array(it, x), [k, *places], node))


def _at(it: Interpreter, x: Any, load: Any) -> Any:
    """An item of a table. Its rows are made anew: which object one is remains open."""

    def number(*places: Any) -> Any:
        return it.b.retyped(load(*places), Scalar("f64", weak=True))

    if isinstance(x[0], float):
        return number()
    numbers = [number(j) for j in range(len(x[0]))]
    row = tuple(numbers) if isinstance(x[0], tuple) else TrackedList(numbers)
    it.frozen[id(row)] = row
    return row


def _array(it: Interpreter, x: Any, node: Any = None) -> Var:
    """The array of the numbers of a table, made once."""
    key = ("table", id(x))
    if key not in it.captures.containers:
        rows = [v if isinstance(v, float) else list(v) for v in x]
        with it.b.block() as block:
            made = it.call_numpy(np.array, [rows], {}, node)
        it.heads[0][1].extend(block)
        it.captures.containers[key] = made
    return it.captures.containers[key]
