"""Creates the unit seeds of a Jacobian and splits a derivative where it first reads a seed.

A seed has the type of a result (reverse mode) or of a parameter (forward mode). The elements of all
seeds are numbered consecutively along one axis (`SeedAxis`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.autodiff.forward import jvp
from srcgrad.autodiff.reverse import vjp
from srcgrad.autodiff.rules import same_dims
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Block, Def, Function, Stmt, Var
from srcgrad.ir.types import Array, Dim, Dims, Scalar, Type, is_complex
from srcgrad.ir.walk import blocks, uses, walk
from srcgrad.primitives import memory
from srcgrad.records import record


@record(frozen=True)
class Derivative:
    """A derivative as a function of parameters and seeds, split where it first reads a seed."""

    function: Function
    params: tuple[Var, ...]
    seeds: tuple[Var, ...]
    before: Block
    after: Block
    results: tuple[Atom, ...]
    values: tuple[Atom, ...]

    @staticmethod
    def of(f: Function, count: int, results: int) -> Derivative:
        params, seeds = f.params[:-count], f.params[-count:]
        lengths = [s for s in f.body if _is_length(s, f.params)]
        rest = [s for s in f.body if s not in lengths]
        at = next((k for k, s in enumerate(rest) if _reads(s, seeds)), len(rest))
        before, after = (*lengths, *rest[:at]), tuple(rest[at:])
        return Derivative(f, params, seeds, before, after, f.returns[:results], f.returns[results:])


def _is_length(s: Stmt, params: tuple[Var, ...]) -> bool:
    return isinstance(s, Def) and s.op is memory.dim and s.args[0] in params


def _reads(s: Stmt, vs: tuple[Var, ...]) -> bool:
    return any(v in vs for v in uses(s)) or any(_reads(t, vs) for b in blocks(s) for t in b)


def gradients(
    function: Function, wrt: Sequence[int], outputs: Sequence[int], table: Mapping[str, Any]
) -> Derivative:
    """The function that returns results and gradients, seeded with adjoints of the results."""
    kinds = ["given" if k in outputs else None for k in range(len(function.returns))]
    return Derivative.of(vjp(function, wrt, table, kinds), len(outputs), len(function.returns))


def tangents(
    function: Function, wrt: Sequence[int], outputs: Sequence[int], table: Mapping[str, Any]
) -> Derivative:
    """The function that returns results and tangents, seeded with tangents of the parameters."""
    return Derivative.of(jvp(function, wrt, table, outputs), len(wrt), len(function.returns))


def builder_after(block: Block, table: Mapping[str, Any]) -> Builder:
    """A builder that has emitted a block already."""
    b = Builder(table)
    b.out += block
    b.definition.update({s.var: s for s in walk(block) if isinstance(s, Def) and s.var is not None})
    return b


# ---- seeds ----
@record(frozen=True)
class SeedAxis:
    """The axis that holds the elements of all seeds, one seed after the other.

    A complex seed takes two parts: its real elements, then its imaginary ones.
    """

    types: tuple[Any, ...]  # of the seeds
    starts: Dims  # where each seed begins
    lengths: Dims  # of each seed, or of one part of it
    total: Dim

    @staticmethod
    def of(b: Builder, types: Sequence[Any]) -> SeedAxis:
        starts: list[Dim] = []
        lengths: list[Dim] = []
        total: Dim = 0
        for t in types:
            n = b.size(dims_of(t))
            starts.append(total)
            lengths.append(n)
            total = b.total([total, n, n] if is_complex(t.dtype) else [total, n])
        return SeedAxis(tuple(types), tuple(starts), tuple(lengths), total)

    def part(self, b: Builder, x: Any, k: int, axis: int) -> Any:
        """The part of an array that belongs to the k-th seed; `axis` is the array's seed axis."""
        start, n = self.starts[k], self.lengths[k]
        spec = tuple("s" if a == axis else ":" for a in range(x.type.ndim))
        first = b.view(x, start, n, 1, spec=spec)
        if not is_complex(self.types[k].dtype):
            return first if len(self.types) > 1 else x
        return b.to_complex(first, b.view(x, b.add(start, n), n, 1, spec=spec))


def dims_of(t: Type) -> Dims:
    return t.dims if isinstance(t, Array) else ()


def shaped(b: Builder, x: Any, *dims: Any) -> Any:
    """Reshapes an array to `dims`, which may be empty; the array itself if it has them."""
    return x if same_dims(x.type.dims, dims) else b.reshape(x, *dims)


def seeds(b: Builder, axis: SeedAxis, d: Derivative, ones: Any, *size: Any) -> dict[Var, Any]:
    """The seeds as slices of `ones`, an array of unit vectors along the seed axis."""
    made: dict[Var, Any] = {}
    for k, p in enumerate(d.seeds):
        part = b.cast(axis.part(b, ones, k, 0), Scalar(axis.types[k].dtype))
        number = isinstance(p.type, Scalar) and not size
        made[p] = b.load(part, 0) if number else shaped(b, part, *dims_of(p.type), *size)
    return made
