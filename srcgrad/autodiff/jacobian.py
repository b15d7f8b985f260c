"""Builds Jacobians: one block for each pair of a result and a parameter.

The gradient or tangent of a program is linear in its seeds. A Jacobian is that derivative for every
unit seed: computed for all of them at once, on arrays with one more axis (`batch`), or, where that
is not possible, in a loop that runs the whole program for each seed. Never derives anything itself:
gradients and tangents come from `reverse` and `forward`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.autodiff.batch import Emitter, Varying
from srcgrad.autodiff.batch_rules import Unbatched
from srcgrad.autodiff.repeated_draws import draws_once
from srcgrad.autodiff.seeds import (
    Derivative,
    SeedAxis,
    builder_after,
    dims_of,
    gradients,
    seeds,
    shaped,
    tangents,
)
from srcgrad.autodiff.splice import splice
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, Stmt, Var, atom, type_vars
from srcgrad.ir.types import INT, Array, Dims, Scalar, is_complex
from srcgrad.ir.walk import defined, map_atoms, rename
from srcgrad.primitives import memory, messages
from srcgrad.records import record

ROWS = "the matrix of seeds has {} rows, there are {} floats"


@draws_once
def jacobian(
    function: Function, wrt: Sequence[int], outputs: Sequence[int], table: Mapping[str, Any],
    forward: bool,
) -> Function:  # fmt: skip
    """Builds a function that returns the results, then the blocks: for each output one per `wrt`.

    `outputs` has positions of results, `wrt` those of parameters. A block has the dims of the
    result followed by those of the parameter. If one of the two is complex, the other must be real,
    and the derivatives a and b of its real and imaginary part (or by these) are stored as a + ib.
    """
    derivative = (tangents if forward else gradients)(function, wrt, outputs, table)
    try:
        unfinished = _on_batch(function, outputs, derivative, table)
    except Unbatched:
        f = clone(function)
        inputs, results = [f.params[k] for k in wrt], [f.returns[k] for k in outputs]
        seeded, others = (inputs, results) if forward else (results, inputs)
        unfinished = _in_loop(f, derivative, seeded, others, table)
    return unfinished.function(f"{function.name}_jacobian", forward)


@draws_once
def compressed(
    function: Function, wrt: Sequence[int], outputs: Sequence[int], table: Mapping[str, Any],
    forward: bool, columns: int | None = None,
) -> Function:  # fmt: skip
    """Builds a function that returns products of the Jacobian with the columns of a matrix.

    Its last parameter is the matrix: a row for each element of the seeds (the parameters at `wrt`
    in forward mode, the results at `outputs` in reverse mode), and `columns`, if they are known
    when compiling. The derivatives for a column are along the last axis of what it returns: one
    array for each output, or for each `wrt`.
    """
    derivative = (tangents if forward else gradients)(function, wrt, outputs, table)
    rows, size = Var("rows", INT), Var("columns", INT) if columns is None else columns
    matrix = Var("matrix", Array("f64", (rows, size), "C"))
    try:
        made = _on_batch(function, outputs, derivative, table, matrix)
    except Unbatched:
        f = clone(function)
        inputs, results = [f.params[k] for k in wrt], [f.returns[k] for k in outputs]
        seeded, others = (inputs, results) if forward else (results, inputs)
        made = _in_loop(f, derivative, seeded, others, table, matrix)
    lengths = [
        Def(v, memory.dim, (matrix,), {"axis": k})
        for k, v in enumerate((rows, size)) if isinstance(v, Var)
    ]  # fmt: skip
    name = f"{function.name}_compressed"
    return Function(name, (*made.params, matrix), (*lengths, *made.b.out), tuple(made.values))


@record(frozen=True)
class _Unfinished:
    """A program that computes the derivatives for all seeds, not yet cut into blocks."""

    b: Builder
    params: tuple[Var, ...]
    results: tuple[Atom, ...]
    axis: SeedAxis
    for_unit_seed: Sequence[Atom]  # atoms with the types of the derivatives for one seed
    values: Sequence[Any]  # the derivatives for all seeds: `axis` is their last one

    def function(self, name: str, forward: bool) -> Function:
        """The finished function: results, then the blocks, grouped by result."""
        b, pairs = self.b, [*zip(self.for_unit_seed, self.values, strict=True)]
        every = range(len(self.axis.types))
        if forward:
            blocks = [_block(b, self.axis, k, a, v) for a, v in pairs for k in every]
        else:
            blocks = [
                _with_leading_last(b, _block(b, self.axis, k, a, v), dims_of(a.type))
                for k in every for a, v in pairs
            ]  # fmt: skip
        return Function(name, self.params, tuple(b.out), (*self.results, *blocks))


# ---- all seeds together ----
def _on_batch(
    f: Function, outputs: Sequence[int], d: Derivative, table: Any, matrix: Any = None
) -> _Unfinished:
    """The derivatives for all unit seeds, or for those in the columns of a matrix."""
    varies = Varying(d.function, d.seeds)
    b, rest = _still(d, varies, table)
    axis = _seed_axis(b, f, outputs, d)
    if matrix is not None:
        emitter = Emitter(b, matrix.type.dims[1], varies)
        emitter.block(rest)
        b.check_equal(matrix.type.dims[0], axis.total, message=ROWS)
        values = _seeded(emitter, d, axis, matrix)
    else:
        values = _for_units(Emitter(b, axis.total, varies), d, axis, rest)
    return _Unfinished(b, d.params, d.results, axis, d.values, values)


def for_unit_seeds(d: Derivative, table: Mapping[str, Any], size: Any) -> Function:
    """The derivatives for `size` unit seeds; a parameter says from where on.

    If the size is a variable, it is the last parameter.
    """
    varies, first = Varying(d.function, d.seeds), Var("first", INT)
    b, rest = _still(d, varies, table)
    axis = SeedAxis.of(b, [p.type for p in d.seeds])
    values = _for_units(Emitter(b, size, varies), d, axis, rest, first)
    params = (*d.params, first, size) if isinstance(size, Var) else (*d.params, first)
    return _silent(Function(d.function.name, params, tuple(b.out), tuple(values)))


def _still(d: Derivative, varies: Varying, table: Any) -> tuple[Builder, Block]:
    """A builder that has emitted what precedes all that varies, and the other statements."""
    start = next((k for k, s in enumerate(d.before) if varies.within(s)), len(d.before))
    return builder_after(d.before[:start], table), d.before[start:]


def _for_units(
    emitter: Emitter, d: Derivative, axis: SeedAxis, rest: Block, first: Any = None
) -> list[Any]:
    """Emits the derivatives for unit seeds, from `first` on if that is given."""
    b, batch = emitter.b, emitter.batch
    rows = b.iota(axis.total)
    columns = rows if first is None else b.add(b.iota(batch.size), first)
    units = b.eq(b.view(rows, spec=(":", "n")), b.view(columns, spec=("n", ":")))
    batch.first = first
    emitter.block(rest)
    batch.diagonals |= _diagonal(b, axis, d, batch.pure)
    return _seeded(emitter, d, axis, b.cast(units, Scalar("f64")))


def _seeded(emitter: Emitter, d: Derivative, axis: SeedAxis, matrix: Any) -> list[Any]:
    """Emits the derivatives for the seeds in the columns of a matrix."""
    emitter.batch.new |= seeds(emitter.b, axis, d, matrix, emitter.batch.size)
    emitter.block(d.after)
    return [emitter.batch.lifted(a) for a in d.values]


def _diagonal(b: Builder, axis: SeedAxis, d: Derivative, pure: Any) -> dict[Atom, Any]:
    """The diagonal of the batch of seeds if that is one diagonal matrix: the seed a real vector."""
    t = axis.types[0]
    single = len(axis.types) == 1 and isinstance(t, Array) and len(t.dims) == 1
    if not single or is_complex(t.dtype) or not pure(d.seeds[0]):
        return {}
    one = b.cast(1.0, Scalar(t.dtype))
    return {d.seeds[0]: b.broadcast_to(one, *d.seeds[0].type.dims)}


def _seed_axis(b: Builder, f: Function, outputs: Sequence[int], d: Derivative) -> SeedAxis:
    """The axis of the seeds; runs the function once more if their lengths are not known yet."""
    known = {*d.params, *defined(tuple(b.out))}
    if all(v in known for p in d.seeds for v in type_vars(p.type)):
        return SeedAxis.of(b, [p.type for p in d.seeds])
    returns = splice(b, _silent(f), d.params)
    return SeedAxis.of(b, [returns[k].type for k in outputs])


def _silent(f: Function) -> Function:
    """The function without what it prints, for a second run."""

    def quiet(block: Block) -> Block:
        kept = (s for s in block if not (isinstance(s, Def) and s.op in messages.WRITTEN))
        return tuple(map_atoms(s, lambda a: a, quiet) for s in kept)

    return f.with_body(quiet(f.body))


# ---- one seed after the other ----
def _in_loop(
    f: Function, d: Derivative, seeded: Sequence[Atom], others: Sequence[Any],
    table: Mapping[str, Any], matrix: Any = None,
) -> _Unfinished:  # fmt: skip
    """Runs the whole program once per seed: a reverse sweep changes what it reads.

    Seeds have the types of `seeded` (results or parameters), derivatives those of `others`.
    """
    b = builder_after(f.body, table)
    axis = SeedAxis.of(b, [a.type for a in seeded])
    if matrix is not None:
        b.check_equal(matrix.type.dims[0], axis.total, message=ROWS)
    size = axis.total if matrix is None else matrix.type.dims[1]
    slabs = [b.empty(*dims_of(a.type), size, dtype=a.type.dtype) for a in others]
    index = Var("k", INT)
    head: list[Stmt] = []
    with b.block() as body:
        given = index if matrix is None else b.view(matrix, index, spec=(":", "i"))
        values = splice(b, for_seed(d, table, given), (*f.params, given), head)
        for slab, v in zip(slabs, values, strict=True):
            place = b.view(slab, index, spec=(*":" * (slab.type.ndim - 1), "i"))
            if dims_of(v.type):
                b.assign(place, v)
            else:
                b.store(place, b.value(v))
    b.out += head
    b.append(For(index, atom(0), atom(size), (), (), tuple(body), (), ()))
    return _Unfinished(b, f.params, f.returns, axis, others, slabs)


def for_seed(d: Derivative, table: Mapping[str, Any], given: Any) -> Function:
    """The derivative for one seed; the last parameter is the seed, or where it has its 1."""
    b, last = builder_after(d.before, table), Var("seed", given.type)
    axis = SeedAxis.of(b, [p.type for p in d.seeds])
    of_unit = isinstance(given.type, Scalar)
    seed = b.cast(b.eq(b.iota(axis.total), last), Scalar("f64")) if of_unit else last
    seed_values = seeds(b, axis, d, seed)
    seeded = Function(d.function.name, (*d.params, last), (*b.out, *d.after), d.values)
    return _silent(rename(seeded, seed_values))


# ---- blocks ----
def _block(b: Builder, axis: SeedAxis, k: int, for_unit_seed: Atom, value: Any) -> Any:
    """The block of a derivative by the k-th seed; the dims of the seed come last."""
    part, t = axis.part(b, value, k, value.type.ndim - 1), axis.types[k]
    if isinstance(t, Scalar) and isinstance(for_unit_seed.type, Scalar):
        return b.retyped(b.load(part, 0), Scalar(part.type.dtype, for_unit_seed.type.weak))
    own = b.copy(part) if part.type.layout == "S" else part
    return shaped(b, own, *dims_of(for_unit_seed.type), *dims_of(t))


def _with_leading_last(b: Builder, block: Any, leading: Dims) -> Any:
    """A block with its leading dims moved to the end."""
    n = len(dims_of(block.type))
    order = (*range(len(leading), n), *range(len(leading)))
    return b.transpose(block, perm=order) if order != tuple(range(n)) else block
