"""Builds the diagonals of Jacobians: the derivative of each element by its own parameter.

One parameter after the other; for each, forward mode runs for some seeds at a time, of whose
results one element each is read. Memory is that of so many runs, however long the parameter is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.autodiff.batch_rules import Unbatched
from srcgrad.autodiff.jacobian import for_seed, for_unit_seeds
from srcgrad.autodiff.repeated_draws import draws_once
from srcgrad.autodiff.seeds import Derivative, builder_after, dims_of, shaped, tangents
from srcgrad.autodiff.splice import splice
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import For, Function, Stmt, Var, atom
from srcgrad.ir.types import INT

SEEDS = 32  # at a time


@draws_once
def diagonals(
    function: Function, wrt: Sequence[int], of: Sequence[int], table: Mapping[str, Any],
    total: bool,
) -> Function:  # fmt: skip
    """Builds a function that returns the results, then the diagonal for each pair of positions.

    `wrt` are positions of parameters, `of` those of results of the same shapes. With `total` the
    sum of all diagonals is returned instead of these.
    """
    f = clone(function)
    b = builder_after(f.body, table)
    made = [_diagonal(b, f, k, n, table) for k, n in zip(wrt, of, strict=True)]
    if total:
        sums = [b.sum(d, axes=tuple(range(d.type.ndim))) if dims_of(d.type) else d for d in made]
        made = [_added(b, sums)]
    return Function(f"{f.name}_diagonal", f.params, tuple(b.out), (*f.returns, *made))


def _added(b: Builder, values: list[Any]) -> Any:
    total = values[0]
    for v in values[1:]:
        total = b.add(total, v)
    return total


def _diagonal(b: Builder, f: Function, k: int, n: int, table: Mapping[str, Any]) -> Any:
    """The diagonal for a parameter and a result of its shape."""
    d, t = tangents(f, [k], [n], table), f.params[k].type
    if not dims_of(t):
        return splice(b, for_seed(d, table, atom(0)), (*f.params, atom(0)))[0]
    length = b.size(dims_of(t))
    slab = b.empty(length, dtype=t.dtype)
    try:
        size = Var("size", INT) if isinstance(length, Var) else min(length, SEEDS)
        _in_batches(b, f, for_unit_seeds(d, table, size), slab, length)
    except Unbatched:
        _one_by_one(b, f, d, table, slab, length)
    return shaped(b, slab, *dims_of(t))


def _in_batches(b: Builder, f: Function, batch: Function, slab: Any, length: Any) -> None:
    """Emits a loop over batches of seeds; the last one ends with the last element."""
    size = b.dim(b.minimum(length, SEEDS))
    count = b.floordiv(b.add(length, SEEDS - 1), SEEDS)
    number, place, head = Var("batch", INT), Var("k", INT), list[Stmt]()
    with b.block() as body:
        first = b.minimum(b.mul(number, SEEDS), b.sub(length, size))
        given = (first, atom(size))[: len(batch.params) - len(f.params)]
        (value,) = splice(b, batch, (*f.params, *given), head)
        value = shaped(b, value, length, size)
        with b.block() as inner:
            at = b.add(first, place)
            b.store(slab, at, b.load(value, at, place))
        b.append(_loop(place, size, inner))
    b.out += head
    b.append(_loop(number, count, body))


def _one_by_one(
    b: Builder, f: Function, d: Derivative, table: Mapping[str, Any], slab: Any, length: Any
) -> None:
    """Emits a loop over the seeds: the program cannot be batched."""
    place, head = Var("k", INT), list[Stmt]()
    with b.block() as body:
        (value,) = splice(b, for_seed(d, table, place), (*f.params, place), head)
        b.store(slab, place, b.load(shaped(b, value, length), place))
    b.out += head
    b.append(_loop(place, length, body))


def _loop(index: Var, stop: Any, body: list[Stmt]) -> For:
    return For(index, atom(0), atom(stop), (), (), tuple(body), (), ())
