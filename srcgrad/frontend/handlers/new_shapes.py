"""The shape that `reshape` is given, as lengths; the run may decide that one of them is -1."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import describe, is_array, is_integer, is_number
from srcgrad.ir.nodes import Const, Var
from srcgrad.ir.types import INT

NO_QUOTIENT = "cannot reshape an array into a shape with a length of 0 and one that is not known"
SEVERAL = "can only specify one unknown dimension"
_OF_LENGTHS = ("add", "mul", "floordiv", "mod", "minimum", "maximum", "where", "broadcast_dim")


def lengths_of(it: Interpreter, node: Node, size: Any, shape: Any) -> list[Any]:
    """The lengths of a shape for an array of so many elements."""
    shape = it.static_items(shape, node) if is_array(shape) and shape.type.dims else shape
    dims = list(shape) if isinstance(shape, tuple | list) else [shape]
    for d in dims:
        if not is_integer(d):
            it.refuse(node, f"a shape is made of integers, not {describe(d)}", like=TypeError)
    b = it.b
    unknown = [k for k, d in enumerate(dims) if is_number(d) and d == -1]
    if len(unknown) > 1:
        it.refuse(node, SEVERAL, like=ValueError)
    of_run = [k for k, d in enumerate(dims) if not is_number(d) and _may_be_negative(it, d)]
    if of_run:
        return _decided_by_the_run(it, size, dims, of_run)
    if unknown:
        others = b.size([d for k, d in enumerate(dims) if k != unknown[0]])
        if not is_number(others) or others == 0:
            b.check_equal(b.eq(others, 0), False, message=NO_QUOTIENT)
        dims[unknown[0]] = _quotient(it, size, others)
    return dims


def _may_be_negative(it: Interpreter, d: Any) -> bool:
    """Whether an integer is not certainly made of lengths of axes."""
    if not isinstance(d, Var):
        return (d.value if isinstance(d, Const) else d) < 0
    made = it.definition(d)
    if made is None or made.op.name == "dim":
        return made is None
    return made.op.name not in _OF_LENGTHS or any(_may_be_negative(it, a) for a in made.args)


def _decided_by_the_run(
    it: Interpreter, size: Any, dims: list[Any], of_run: list[int]
) -> list[Any]:
    b = it.b
    negative = {k: b.lt(dims[k], 0) for k in of_run}
    known = [
        b.where(negative[k], 1, d) if k in negative else 1 if is_number(d) and d < 0 else d
        for k, d in enumerate(dims)
    ]
    others = b.size(map(b.dim, known))
    unknown: Any = sum(is_number(d) and d < 0 for d in dims)
    for flag in negative.values():
        unknown = b.add(unknown, b.cast(flag, INT))
    it.fail_if(b.gt(unknown, 1), "ValueError", SEVERAL)
    lost = b.logical_and(b.eq(unknown, 1), b.eq(others, 0))
    it.fail_if(lost, "ValueError", NO_QUOTIENT)
    quotient = b.floordiv(size, b.maximum(others, 1))
    return [
        b.dim(b.where(negative[k], quotient, d)) if k in negative else
        b.dim(quotient) if is_number(d) and d < 0 else d
        for k, d in enumerate(dims)
    ]  # fmt: skip


def _quotient(it: Interpreter, size: Any, others: Any) -> Any:
    """size // others, the exact factor where it is visible."""
    if is_number(others) and others == 1:
        return size
    definition = it.definition(size)
    if definition is not None and definition.op.name == "mul":
        a, c = (it.b.dim(x) for x in definition.args)
        if c is others or (is_number(c) and is_number(others) and c == others):
            return a
        if a is others or (is_number(a) and is_number(others) and a == others):
            return c
    if is_number(size) and is_number(others):
        return size // others if others else 0
    return it.b.dim(it.b.floordiv(size, it.b.maximum(others, 1)))
