"""Draws of integers, of items and of orders by NumPy's generators. Imported when one is met."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator, RandomState

from srcgrad.frontend.handlers import random_of_numpy  # noqa: F401 (registers its handlers)
from srcgrad.frontend.handlers.draws import dims_with, drawn, method, operand, size_of
from srcgrad.frontend.handlers.elementwise import scalar_type
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import describe, is_array, is_integer, is_value
from srcgrad.ir.types import np_dtype


def _integers(
    it: Interpreter, node: Node, owner: Any, method: str, low: Any, high: Any, size: Any,
    dtype: Any, *named: Any,
) -> Any:  # fmt: skip
    kind = scalar_type(it, node, dtype).dtype
    given = [low] if high is None else [low, high]
    values = [operand(it, node, v, "a bound") for v in given]
    dims = dims_with(it, node, size, *values)
    words = ("called", method, "dtype", np_dtype(kind).name, *named)
    weak = method == "randint" and dtype is int
    return drawn(it, owner, words, dims, *values, dtype=kind, weak=weak)


@method(Generator.integers)
def integers(
    it: Interpreter, node: Node, self: Any, low: Any, high: Any = None, size: Any = None,
    dtype: Any = np.int64, endpoint: Any = False,
) -> Any:  # fmt: skip
    ends = bool(it.static_number(endpoint, node, "endpoint"))
    return _integers(it, node, self, "integers", low, high, size, dtype, "endpoint", ends)


@method(RandomState.randint)
def randint(
    it: Interpreter, node: Node, self: Any, low: Any, high: Any = None, size: Any = None,
    dtype: Any = int,
) -> Any:  # fmt: skip
    return _integers(it, node, self, "randint", low, high, size, dtype)


def _items(it: Interpreter, node: Node, a: Any) -> tuple[Any, Any]:
    """The items to draw from, None for the numbers below one, and how many there are."""
    if is_value(a) and not (is_array(a) and a.type.dims):
        if not is_integer(a):
            it.refuse(node, f"what is drawn from is {describe(a)}", like=ValueError)
        return None, a
    items = it.call(np.asarray, [a], {}, node)
    return items, items.type.dims[0]


def _choice(
    it: Interpreter, node: Node, owner: Any, a: Any, size: Any, replace: Any, p: Any, *shuffle: bool
) -> Any:
    items, n = _items(it, node, a)
    dims = size_of(it, node, size)
    again = bool(it.static_number(replace, node, "replace"))
    values = [n] if p is None else [n, operand(it, node, p, "p")]
    words = ("chosen", again, *shuffle)
    places = drawn(it, owner, words, dims, *values, dtype="i64", weak=items is None)
    return places if items is None else _taken(it, node, items, places)


def _taken(it: Interpreter, node: Node, items: Any, places: Any) -> Any:
    return it.call_numpy(np.take, [items, places], {"axis": 0}, node)


@method(Generator.choice)
def choice(
    it: Interpreter, node: Node, self: Any, a: Any, size: Any = None, replace: Any = True,
    p: Any = None, axis: Any = 0, shuffle: Any = True,
) -> Any:  # fmt: skip
    _refuse_axis(it, node, axis)
    mixed = bool(it.static_number(shuffle, node, "shuffle"))
    return _choice(it, node, self, a, size, replace, p, mixed)


@method(RandomState.choice)
def _choice_of_state(
    it: Interpreter, node: Node, self: Any, a: Any, size: Any = None, replace: Any = True,
    p: Any = None,
) -> Any:  # fmt: skip
    return _choice(it, node, self, a, size, replace, p)


def _refuse_axis(it: Interpreter, node: Node, axis: Any) -> None:
    if it.static_int(axis, node, "axis") != 0:
        it.refuse(node, "only items along the first axis are drawn", "np.moveaxis before and after")


def _permutation(it: Interpreter, node: Node, owner: Any, x: Any) -> Any:
    items, n = _items(it, node, x)
    places = drawn(it, owner, ("permuted",), size_of(it, node, n), dtype="i64")
    return places if items is None else _taken(it, node, items, places)


@method(Generator.permutation)
def permutation(it: Interpreter, node: Node, self: Any, x: Any, axis: Any = 0) -> Any:
    _refuse_axis(it, node, axis)
    return _permutation(it, node, self, x)


@method(RandomState.permutation)
def _permutation_of_state(it: Interpreter, node: Node, self: Any, x: Any) -> Any:
    return _permutation(it, node, self, x)


def _shuffle(it: Interpreter, node: Node, owner: Any, x: Any) -> None:
    if not is_array(x) or not x.type.dims:
        it.refuse(node, f"shuffle() takes an array, not {describe(x)}", "use rng.permutation(x)")
    it.call_numpy(np.copyto, [x, _permutation(it, node, owner, x)], {}, node)


@method(Generator.shuffle)
def shuffle(it: Interpreter, node: Node, self: Any, x: Any, axis: Any = 0) -> None:
    _refuse_axis(it, node, axis)
    _shuffle(it, node, self, x)


@method(RandomState.shuffle)
def _shuffle_of_state(it: Interpreter, node: Node, self: Any, x: Any) -> None:
    _shuffle(it, node, self, x)
