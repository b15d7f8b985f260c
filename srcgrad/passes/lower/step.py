"""Array operations as steps of a nest's body: what they read, write and accumulate.

`step_of` knows every operation that can be a step; the others are expanded (`expand.py`), stay
whole, or are scalar already. Never emits more than flags (the operands that may be 1 long).
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Def, Var
from srcgrad.ir.types import Array, Dims, same_dims
from srcgrad.passes.lower.access import Access, Place, aligned, identity, place
from srcgrad.primitives import Primitive, arrays, elementwise, memory, reductions, scans
from srcgrad.primitives.memory import gather_dims
from srcgrad.records import record

# the operation that combines two values of a reduction
REDUCTIONS = {
    reductions.sum: elementwise.add,
    reductions.sum_to: elementwise.add,
    scans.product: elementwise.mul,
    reductions.count_nonzero: elementwise.add,
    reductions.max: elementwise.maximum,
    reductions.min: elementwise.minimum,
    reductions.any: elementwise.logical_or,
    reductions.all: elementwise.logical_and,
}
MOVES = {reductions.broadcast_to, memory.copy, arrays.iota, memory.gather, memory.indices}
STORES = {memory.assign, memory.add_to, memory.scatter, memory.scatter_add}  # of whole arrays


@record(frozen=True, eq=False)
class Reduction:
    """Axes that vanish, and where in the result a nest's element goes (None: a scalar)."""

    axes: frozenset[int]
    access: Access | None


@record(frozen=True, eq=False)
class Step:
    """One step: `reads` pairs each array operand with its access, in order of the operands."""

    statement: Def
    dims: Dims
    reads: tuple[tuple[Var, Access], ...] = ()
    target: tuple[Var, Access] | None = None  # the target of a store
    reduction: Reduction | None = None
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def op(self) -> Primitive:
        return self.statement.op

    @property
    def stored(self) -> tuple[Var, Access]:
        """The target of a store."""
        assert self.target is not None
        return self.target

    @property
    def is_map(self) -> bool:
        """Whether it defines an array, element by element."""
        return self.target is None and self.reduction is None


def step_of(b: Builder, s: Def) -> Step | None:
    """The operation as a step of a nest over its dims; None if it cannot be one."""
    op = s.op
    if op in STORES:
        return _scatter(b, s) if "spec" in s.params else _store(b, s)
    if s.var is None:
        return None
    if op in REDUCTIONS:
        x = s.args[0]
        assert isinstance(x, Var)
        return _sum_to(b, s, x) if op is reductions.sum_to else _reduction(s, x)
    if not isinstance(s.var.type, Array):
        return None
    dims = s.var.type.dims
    if op is memory.gather:
        source, places = _fancy(b, s.args[0], s.args[1:], s.params["spec"], dims)
        return Step(s, dims, places, extra={"source": source})
    if s.op.elementwise or op in MOVES:
        operands = s.args if s.op.elementwise else s.args[:1]
        return Step(s, dims, _operands(b, operands, dims))
    return None


def _operands(b: Builder, atoms: tuple[Atom, ...], dims: Dims) -> tuple[tuple[Var, Access], ...]:
    return tuple(
        (a, aligned(b, a.type.dims, dims))
        for a in atoms
        if isinstance(a, Var) and isinstance(a.type, Array)
    )


def _store(b: Builder, s: Def) -> Step:
    target, value = s.args
    assert isinstance(target, Var)
    dims = target.type.dims
    reads = _operands(b, (value,), dims)
    return Step(s, dims, reads, target=(target, identity(len(dims))))


def _reduction(s: Def, x: Var) -> Step:
    dims = x.type.dims
    axes = frozenset(s.params.get("axes", range(len(dims))))
    kept = tuple(Place(k) for k in range(len(dims)) if k not in axes)
    scalar = not isinstance(s.var.type, Array)  # type: ignore[union-attr]  (it has a result)
    reads = ((x, identity(len(dims))),)
    return Step(s, dims, reads, reduction=Reduction(axes, None if scalar else kept))


def _sum_to(b: Builder, s: Def, x: Var) -> Step:
    dims, wanted = x.type.dims, s.var.type.dims if isinstance(s.var.type, Array) else ()  # type: ignore[union-attr]  (it has a result)
    reads = ((x, identity(len(dims))),)
    if same_dims(dims, wanted):
        return Step(s, dims, reads)
    lead = len(dims) - len(wanted)
    access = tuple(place(b, d, dims[k + lead], k + lead) for k, d in enumerate(wanted))
    kept = {p.axis for p in access}
    axes = frozenset(k for k in range(len(dims)) if k not in kept)
    return Step(s, dims, reads, reduction=Reduction(axes, access if wanted else None))


def _scatter(b: Builder, s: Def) -> Step:
    target, value = s.args[0], s.args[-1]
    idx: tuple[Any, ...] = s.args[1:-1]
    assert isinstance(target, Var)
    dims = gather_dims(target.type.dims, idx[0].type.dims, s.params["spec"])
    source, places = _fancy(b, target, idx, s.params["spec"], dims)
    reads = (*places, *_operands(b, (value,), dims))
    return Step(s, dims, reads, target=(target, ()), extra={"source": source})


def _fancy(
    b: Builder, x: Atom, idx: tuple[Any, ...], spec: tuple[str, ...], dims: Dims
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[Var, Access], ...]]:
    """Per axis of `x` the number of an index array or a nest's axis; the index arrays' accesses."""
    places = [k for k, code in enumerate(spec) if code == "a"]
    adjacent = places == list(range(places[0], places[0] + len(places)))
    first = places[0] if adjacent else 0
    width = len(idx[0].type.dims)
    source: list[tuple[str, int]] = []
    arrays, whole = 0, 0
    for code in spec:
        if code == "a":
            source.append(("array", arrays))
            arrays += 1
        else:
            source.append(("axis", whole if whole < first else whole + width))
            whole += 1
    middle = dims[first : first + width]
    reads = tuple((i, aligned(b, i.type.dims, middle, first)) for i in idx)
    return tuple(source), reads
