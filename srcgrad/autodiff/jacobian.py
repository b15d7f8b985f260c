"""Jacobians: the derivative of results by parameters, a block for each pair of them.

The reverse sweep is run once for each element of the results (a row), the tangents once for each
element of the parameters (a column), in one loop of the program: a unit seed in, a line of each
slab out. Blocks are parts of slabs. Never writes a derivative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.autodiff.clone import clone
from srcgrad.autodiff.forward import jvp
from srcgrad.autodiff.reverse import vjp
from srcgrad.autodiff.splice import splice
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Def, For, Function, Stmt, Var, atom
from srcgrad.ir.types import INT, Array, Scalar, Type, float_type, is_complex
from srcgrad.ir.walk import blocks, rename, uses, walk


def jacobian(
    function: Function, wrt: Sequence[int], of: Sequence[int], table: Mapping[str, Any],
    forward: bool,
) -> Function:  # fmt: skip
    """The function with its Jacobian: its results, then for each of the results `of` a block for
    each of the parameters `wrt`.

    A block has the dims of the result, then those of the parameter. Next to real numbers complex
    ones count as two: what varies with both parts, or has two, is a + ib of the derivatives.
    """
    f, b = clone(function), Builder(table)
    for s in f.body:
        b.append(s)
    b.definition.update({s.var: s for s in walk(f.body) if isinstance(s, Def) and s.var})
    inputs, results = [f.params[k] for k in wrt], [f.returns[k] for k in of]
    seeded, others = (inputs, results) if forward else (results, inputs)
    derive = _tangents if forward else _gradients
    line = Line.of(b, [a.type for a in seeded])
    slabs = _filled(b, _of_one(*derive(function, wrt, of, table), table), f.params, line, others)
    made = [[_block(b, line, k, slab, other) for other, slab in zip(others, slabs, strict=True)]
            for k in range(len(seeded))]  # fmt: skip
    if forward:
        made = [[_turned(b, row[j], dims_of(a.type)) for row, a in zip(made, inputs, strict=True)]
                for j in range(len(results))]  # fmt: skip
    every = tuple(a for row in made for a in row)
    return Function(f"{f.name}_jacobian", f.params, tuple(b.out), (*f.returns, *every))


# ---- seeds ----
@dataclass(frozen=True)
class Line:
    """Values laid out one after another; of a complex one the two parts."""

    types: tuple[Any, ...]
    starts: tuple[Any, ...]
    lengths: tuple[Any, ...]  # of one part
    total: Any

    @staticmethod
    def of(b: Builder, types: Sequence[Any]) -> Line:
        starts, lengths, total = [], [], 0
        for t in types:
            n = b.size(dims_of(t))
            starts.append(total)
            lengths.append(n)
            total = b.total([total, n, n] if is_complex(t.dtype) else [total, n])
        return Line(tuple(types), tuple(starts), tuple(lengths), total)

    def part(self, b: Builder, lines: Any, k: int) -> Any:
        """Of an array with a place for each element on its first axis those of the k-th value."""
        start, n = self.starts[k], self.lengths[k]

        def piece(start: Any) -> Any:
            return b("view", lines, start, n, 1, spec=("s", *":" * (lines.type.ndim - 1)))

        if not is_complex(self.types[k].dtype):
            return piece(start)
        return b("to_complex", piece(start), piece(b("add", start, n)))


def dims_of(t: Type) -> tuple:
    return t.dims if isinstance(t, Array) else ()


def _seed(b: Builder, line: Line, one: Any, k: int) -> Atom:
    """The k-th value of a line of numbers."""
    t = line.types[k]
    part = b.cast(line.part(b, one, k), Scalar(t.dtype))
    if isinstance(t, Scalar):
        return b("load", part, 0)
    if t.dims:
        return b("reshape", part, *t.dims)
    held = b("zeros", dtype=t.dtype)
    b("store", held, b("load", part, 0))
    return held


def _gradients(
    function: Function, wrt: Sequence[int], of: Sequence[int], table: Mapping[str, Any]
) -> tuple[Function, int]:
    """The gradients for given adjoints of the results, and the number of these."""
    kinds = ["given" if k in of else None for k in range(len(function.returns))]
    joint = vjp(function, wrt, table, kinds)
    return joint.with_body(joint.body, joint.returns[len(function.returns) :]), len(of)


def _tangents(
    function: Function, wrt: Sequence[int], of: Sequence[int], table: Mapping[str, Any]
) -> tuple[Function, int]:
    """The tangents of the results for given ones of the parameters, and the number of these."""
    made = jvp(function, wrt, table)
    floats = [k for k, a in enumerate(function.returns) if float_type(a.type)]
    dots = made.returns[len(function.returns) :]
    return made.with_body(made.body, tuple(dots[floats.index(k)] for k in of)), len(wrt)


def _of_one(derivative: Function, count: int, table: Mapping[str, Any]) -> Function:
    """The derivative with unit seeds: its last parameter is the place of the one."""
    params, seeds = derivative.params[:-count], derivative.params[-count:]
    lengths = [s for s in derivative.body if _is_length(s, derivative.params)]
    rest = [s for s in derivative.body if s not in lengths]
    at = next((k for k, s in enumerate(rest) if _reads(s, seeds)), len(rest))
    b, place = Builder(table), Var("k", INT)
    b.out += [*lengths, *rest[:at]]
    line = Line.of(b, [p.type for p in seeds])
    one = b.cast(b("eq", b("iota", line.total), place), Scalar("f64"))
    given: dict[Var, Atom] = {p: _seed(b, line, one, k) for k, p in enumerate(seeds)}
    made = Function(derivative.name, (*params, place), (*b.out, *rest[at:]), derivative.returns)
    return rename(made, given)


def _is_length(s: Stmt, params: tuple[Var, ...]) -> bool:
    return isinstance(s, Def) and s.op.name == "dim" and s.args[0] in params


def _reads(s: Stmt, vs: tuple[Var, ...]) -> bool:
    return any(v in vs for v in uses(s)) or any(_reads(t, vs) for b in blocks(s) for t in b)


# ---- lines ----
def _filled(
    b: Builder, derivative: Function, params: tuple[Var, ...], line: Line, like: Sequence[Atom]
) -> list[Var]:
    """A slab for each value of the derivative, whose lines are those for each unit seed."""
    slabs = [b("empty", line.total, *dims_of(a.type), dtype=a.type.dtype) for a in like]  # type: ignore[union-attr]
    index, head = Var("k", INT), []
    with b.block() as body:
        values = splice(b, derivative, (*params, index), head)
        for slab, v in zip(slabs, values, strict=True):
            if dims_of(v.type):
                row = b("view", slab, index, spec=("i", *":" * (slab.type.ndim - 1)))
                b("assign", row, v)
            else:
                b("store", slab, index, b.value(v))
    b.out += head
    b.append(For(index, atom(0), atom(line.total), (), (), tuple(body), (), ()))
    return slabs


def _block(b: Builder, line: Line, k: int, slab: Var, other: Atom) -> Any:
    """The block of the k-th seeded value and another, the dims of the seeded one first."""
    part, t = line.part(b, slab, k), line.types[k]
    if isinstance(t, Scalar) and isinstance(other.type, Scalar):
        return b.retyped(b("load", part, 0), Scalar(part.type.dtype, other.type.weak))
    own = part if len(line.types) == 1 or is_complex(t.dtype) else b("copy", part)
    return b("reshape", own, *dims_of(t), *dims_of(other.type))


def _turned(b: Builder, block: Any, first: tuple) -> Any:
    """A block with its first dims behind the others."""
    n = len(dims_of(block.type))
    order = (*range(len(first), n), *range(len(first)))
    return b("transpose", block, perm=order) if order != tuple(range(n)) else block
