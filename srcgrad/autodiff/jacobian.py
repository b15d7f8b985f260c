"""Builds Jacobians: one block for each pair of a result and a parameter.

The reverse (or tangent) sweep runs once on a batch of unit seeds (`batch`). Where it cannot be
batched, the whole program runs in a loop over the seeds. Never derives anything itself: gradients
and tangents come from `reverse` and `forward`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.autodiff.batch import Emitter, Varying
from srcgrad.autodiff.batch_rules import Unbatched
from srcgrad.autodiff.seeds import Derivative, Line, dims_of, gradients, seeds, shaped, tangents
from srcgrad.autodiff.splice import splice
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, Stmt, Var, atom, type_vars
from srcgrad.ir.types import INT, Array, Dims, Scalar, is_complex
from srcgrad.ir.walk import defined, map_atoms, rename, walk
from srcgrad.primitives import messages
from srcgrad.records import record


def jacobian(
    function: Function, wrt: Sequence[int], of: Sequence[int], table: Mapping[str, Any],
    forward: bool,
) -> Function:  # fmt: skip
    """A function that returns the results, then for each result in `of` a block for each `wrt`.

    A block has the dims of the result followed by those of the parameter. For a complex result or
    parameter, whose partner must be real, the two real derivatives a and b are stored as a + ib.
    """
    derivative = (tangents if forward else gradients)(function, wrt, of, table)
    try:
        made = _on_batch(function, of, derivative, table)
    except Unbatched:
        f = clone(function)
        inputs, results = [f.params[k] for k in wrt], [f.returns[k] for k in of]
        seeded, others = (inputs, results) if forward else (results, inputs)
        made = _in_loop(f, derivative, seeded, others, table)
    return made.function(f"{function.name}_jacobian", forward)


@record(frozen=True)
class _Made:
    """A program under construction: results, and derivatives with a trailing axis for the seeds."""

    b: Builder
    params: tuple[Var, ...]
    results: tuple[Atom, ...]
    line: Line
    of_one: Sequence[Atom]  # the derivatives for one seed
    values: Sequence[Any]

    def function(self, name: str, forward: bool) -> Function:
        """The finished function: results, then the blocks, grouped by result."""
        b, pairs = self.b, [*zip(self.of_one, self.values, strict=True)]
        every = range(len(self.line.types))
        if forward:
            made = [_block(b, self.line, k, a, v) for a, v in pairs for k in every]
        else:
            made = [
                _turned(b, _block(b, self.line, k, a, v), dims_of(a.type))
                for k in every for a, v in pairs
            ]  # fmt: skip
        return Function(name, self.params, tuple(b.out), (*self.results, *made))


# ---- all seeds together ----
def _on_batch(f: Function, of: Sequence[int], d: Derivative, table: Mapping[str, Any]) -> _Made:
    varies = Varying(d.function, d.seeds)
    start = next((k for k, s in enumerate(d.before) if varies.within(s)), len(d.before))
    b = _begun(d.before[:start], table)
    line = _line_of(b, f, of, d, d.before[:start])
    places = b.iota(line.total)
    one = b.eq(b.view(places, spec=(":", "n")), b.view(places, spec=("n", ":")))
    emitter = Emitter(b, line.total, varies)
    emitter.block(d.before[start:])
    emitter.batch.new |= seeds(b, line, d, b.cast(one, Scalar("f64")), line.total)
    emitter.batch.diagonals |= _ones(b, line, d, varies)
    emitter.block(d.after)
    values = [emitter.batch.lifted(a) for a in d.values]
    return _Made(b, d.params, d.results, line, d.values, values)


def _ones(b: Builder, line: Line, d: Derivative, varies: Varying) -> dict[Atom, Any]:
    """The known diagonal of the batch of seeds (ones) if the only seed is a real vector."""
    t = line.types[0]
    single = len(line.types) == 1 and isinstance(t, Array) and len(t.dims) == 1
    if not single or is_complex(t.dtype) or not varies.classes.is_pure(d.seeds[0]):
        return {}
    one = b.cast(1.0, Scalar(t.dtype))
    return {d.seeds[0]: b.broadcast_to(one, *d.seeds[0].type.dims)}


def _line_of(b: Builder, f: Function, of: Sequence[int], d: Derivative, before: Block) -> Line:
    """The line of the seeds; runs the function once more if their lengths are not known yet."""
    known = {*d.params, *defined(before)}
    if all(v in known for p in d.seeds for v in type_vars(p.type)):
        return Line.of(b, [p.type for p in d.seeds])
    returns = splice(b, _silent(f), d.params)
    return Line.of(b, [returns[k].type for k in of])


def _silent(f: Function) -> Function:
    """The function without its output messages, for a second run."""

    def quiet(block: Block) -> Block:
        kept = (s for s in block if not (isinstance(s, Def) and s.op in messages.WRITTEN))
        return tuple(map_atoms(s, lambda a: a, quiet) for s in kept)

    return f.with_body(quiet(f.body))


def _begun(block: Block, table: Mapping[str, Any]) -> Builder:
    b = Builder(table)
    b.out += block
    b.definition.update({s.var: s for s in walk(block) if isinstance(s, Def) and s.var is not None})
    return b


# ---- one seed after the other ----
def _in_loop(
    f: Function, d: Derivative, seeded: Sequence[Atom], like: Sequence[Any],
    table: Mapping[str, Any],
) -> _Made:  # fmt: skip
    """Runs the whole program for each seed, so that each reverse sweep finds fresh memory."""
    b = _begun(f.body, table)
    line = Line.of(b, [a.type for a in seeded])
    slabs = [b.empty(*dims_of(a.type), line.total, dtype=a.type.dtype) for a in like]
    index = Var("k", INT)
    head: list[Stmt] = []
    with b.block() as body:
        values = splice(b, _of_one(d, table), (*f.params, index), head)
        for slab, v in zip(slabs, values, strict=True):
            place = b.view(slab, index, spec=(*":" * (slab.type.ndim - 1), "i"))
            if dims_of(v.type):
                b.assign(place, v)
            else:
                b.store(place, b.value(v))
    b.out += head
    b.append(For(index, atom(0), atom(line.total), (), (), tuple(body), (), ()))
    return _Made(b, f.params, f.returns, line, like, slabs)


def _of_one(d: Derivative, table: Mapping[str, Any]) -> Function:
    """The derivative for one unit seed, whose position is the last parameter."""
    b, place = _begun(d.before, table), Var("k", INT)
    line = Line.of(b, [p.type for p in d.seeds])
    one = b.cast(b.eq(b.iota(line.total), place), Scalar("f64"))
    given = seeds(b, line, d, one)
    made = Function(d.function.name, (*d.params, place), (*b.out, *d.after), d.values)
    return _silent(rename(made, given))


# ---- blocks ----
def _block(b: Builder, line: Line, k: int, of_one: Atom, value: Any) -> Any:
    """The block of a derivative for the k-th seed, with the dims of the seed last."""
    part, t = line.part(b, value, k, value.type.ndim - 1), line.types[k]
    if isinstance(t, Scalar) and isinstance(of_one.type, Scalar):
        return b.retyped(b.load(part, 0), Scalar(part.type.dtype, of_one.type.weak))
    own = b.copy(part) if part.type.layout == "S" else part
    return shaped(b, own, *dims_of(of_one.type), *dims_of(t))


def _turned(b: Builder, block: Any, first: Dims) -> Any:
    """A block with its leading dims moved to the end."""
    n = len(dims_of(block.type))
    order = (*range(len(first), n), *range(len(first)))
    return b.transpose(block, perm=order) if order != tuple(range(n)) else block
