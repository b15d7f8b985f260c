"""Assignments to several names, `a, *b = value`."""

from __future__ import annotations

import collections
from typing import Any

import gast

from srcgrad.frontend.derived_instances import run_over
from srcgrad.frontend.dict_values import refuse_whole
from srcgrad.frontend.formulas.registry import class_represented
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.iteration import of_arguments
from srcgrad.frontend.maybe_none import present
from srcgrad.frontend.narrowing import by_kind
from srcgrad.frontend.special_methods import asked
from srcgrad.frontend.values import GrownList, Record, Slice, is_array, plain
from srcgrad.ir.nodes import Var


@by_kind
def unpack(it: Interpreter, target: Any, value: Any) -> None:
    value = present(it, value, lambda: "cannot unpack non-iterable NoneType object")
    value = run_over(it, value)
    if isinstance(value, dict):
        refuse_whole(it, value, target)
        value = list(value)
    if is_array(value) and value.type.dims and not of_arguments(it, value.type.dims[0]):
        value = _of_length(it, target, value)
    if isinstance(value, Record) and class_represented(value.cls) in (tuple, collections.deque):
        value = value.fields["items"]
    if isinstance(value, GrownList):
        _unpack_grown(it, target, value)
        return
    stars = [k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)]
    items = it.static_items(value, target)
    if not stars:
        if len(items) != len(target.elts):
            said = f"{len(items)} values cannot be unpacked into {len(target.elts)} names"
            it.wrong(target, said, ValueError)
        for t, v in zip(target.elts, items, strict=True):
            it.assign(t, v)
        return
    k, extra = stars[0], len(items) - len(target.elts) + 1
    if extra < 0:
        it.wrong(target, f"too few values to unpack: {len(items)}", ValueError)
    starred = it.tracked_list(items[k : k + extra], target)
    parts = [*items[:k], starred, *items[k + extra :]]
    for t, v in zip(target.elts, parts, strict=True):
        it.assign(t.value if isinstance(t, gast.Starred) else t, v)


def _of_length(it: Interpreter, target: Any, value: Var) -> Any:
    """An array of run-time length, checked to be the number of names."""
    if any(isinstance(t, gast.Starred) for t in target.elts):
        return value
    n, length = len(target.elts), value.type.dims[0]
    _check_length(it, length, n)
    spec = ("s", *[":"] * (value.type.ndim - 1))
    return it.b.view(value, 0, n, 1, spec=spec)


def _check_length(it: Interpreter, length: Any, n: int) -> None:
    """Raises unless as many values as names are unpacked."""
    more = f"too many values to unpack (expected {n})"
    it.fail_if(plain(it.b.gt(length, n)), "ValueError", more)
    fewer = f"not enough values to unpack (expected {n}, got {{}})"
    it.b.check_equal(length, n, message=fewer)


def _unpack_grown(it: Interpreter, target: Any, value: GrownList) -> None:
    """Unpacks a list whose length only the run tells."""
    length, elts = it.grown_length(value), target.elts
    k = next((k for k, t in enumerate(elts) if isinstance(t, gast.Starred)), None)
    last = 0 if k is None else len(elts) - 1 - k
    if k is None:
        _check_length(it, length, len(elts))
        items = [it.grown_item(value, j, target) for j in range(len(elts))]
    else:
        fewer = f"not enough values to unpack (expected at least {k + last}, got {{}})"
        it.b.check_equal(length, it.b.maximum(length, k + last), message=fewer)
        starred = it.grown_slice(value, Slice(k, it.b.sub(length, last), None), target)
        first = [it.grown_item(value, j, target) for j in range(k)]
        items = [*first, starred, *(it.grown_item(value, j, target) for j in range(-last, 0))]
    for t, v in zip(elts, items, strict=True):
        it.assign(t.value if isinstance(t, gast.Starred) else t, v)


def items_of_mapping(it: Interpreter, v: Any, node: Node) -> Any:
    """The pairs of an instance by its `keys()` and `[...]`; NotImplemented if it has no keys."""
    keys = asked(it, v, "keys", [], node)
    if keys is NotImplemented:
        return keys
    return [(k, asked(it, v, "__getitem__", [k], node)) for k in it.static_items(keys, node)]
