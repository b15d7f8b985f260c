"""Large functions in parts: runs of statements that become compiled functions of their own.

What Numba and LLVM take for a function grows faster than its length. A part is a run of whole
statements of one block with a loop among them, so that no call stands where only scalars are
computed. It takes what it reads and returns what is read after it; arrays it changes in place.
Never moves a statement, never cuts a function that is small enough as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Var, While, altered, type_vars
from srcgrad.ir.types import Array, Tape
from srcgrad.ir.walk import atoms, blocks, inner_definitions, results
from srcgrad.primitives.tapes import reserve

LARGEST = 150  # statements of one compiled function


@dataclass(frozen=True, eq=False)
class Part:
    """A run of statements, the variables it reads, and those that it binds for what follows."""

    body: tuple[Any, ...]
    reads: tuple[Var, ...]
    leaves: tuple[Var, ...]


def outlined(function: Function, kept: Iterable[Var] = ()) -> Function:
    """The function with parts among its statements; `kept` is read at its end besides."""
    if size(function.body) <= LARGEST:
        return function
    after = {*variables(function.returns), *kept}
    return function.with_body(_cut(function.body, after))


def size(block: Block) -> int:
    """How many statements a block holds, at any depth; a call costs as its arguments do."""
    return sum(
        1 + (len(s.reads) // 4 if isinstance(s, Part) else sum(map(size, blocks(s)))) for s in block
    )


def variables(found: Iterable[Atom]) -> Iterator[Var]:
    return (a for a in found if isinstance(a, Var))


def _cut(block: Block, after: set[Var]) -> Block:
    """A block in parts: the largest statements inside, then what stands side by side."""
    if size(block) <= LARGEST:
        return block
    later, followed = set(after), []
    for s in reversed(block):
        followed.append(frozenset(later))
        later.update(_mentioned(s))
    followed.reverse()
    block = tuple(_inside(s) for s in block)
    if size(block) <= LARGEST:
        return block
    out: list[Any] = []
    start = 0
    while start < len(block):
        stop = _run(block, start)
        run = block[start:stop]
        first, last = _trimmed(run)
        out += run[:first]
        if first < last:
            out.append(_part(run[first:last], followed[start + last - 1]))
        out += run[last:]
        start = stop
    return tuple(out)


def _inside(s: Any) -> Any:
    """A statement with its blocks in parts, where they are too large."""
    match s:
        case For():
            return altered(s, body=_cut(s.body, set(variables(s.yields))))
        case While():
            return altered(s, body=_cut(s.body, set(variables(s.yields))))
        case If():
            then = _cut(s.then, set(variables(s.then_yields)))
            return altered(s, then=then, orelse=_cut(s.orelse, set(variables(s.else_yields))))
    return s


def _run(block: Block, start: int) -> int:
    """Where the run from `start` on ends: before it is too large."""
    total, stop = 0, start
    while stop < len(block):
        total += size((block[stop],))
        if total > LARGEST and stop > start:
            break
        stop += 1
    return stop


def _trimmed(run: Block) -> tuple[int, int]:
    """From the first loop of a run to its last; an empty range if it is not worth a call."""
    loops = [k for k, s in enumerate(run) if not isinstance(s, Def | Part)]
    if not loops or size(run[loops[0] : loops[-1] + 1]) <= LARGEST // 8:
        return 0, 0
    return loops[0], loops[-1] + 1


def _part(body: Block, later: frozenset[Var]) -> Part:
    bound = [v for s in body for v in _bound(s)]
    inside = {v for s in body for v in _all_bound(s)}
    rebound = [v for s in body for v in _rebound(s)]
    reads = dict.fromkeys(v for s in body for v in _mentioned(s) if v not in inside)
    leaves = dict.fromkeys(v for v in bound if v in later)
    leaves |= dict.fromkeys(v for v in rebound if v not in inside or v in later)
    return Part(body, tuple(reads), tuple(leaves))


def _bound(s: Any) -> tuple[Var, ...]:
    return s.leaves if isinstance(s, Part) else results(s)


def _all_bound(s: Any) -> Iterator[Var]:
    """What a statement binds, inside it as well; a tape that a part hands back grew in it only."""
    if isinstance(s, Part):
        yield from (v for v in s.leaves if v not in s.reads)
        return
    yield from results(s)
    yield from inner_definitions(s)
    for b in blocks(s):
        for inner in b:
            yield from _all_bound(inner)


def _rebound(s: Any) -> Iterator[Var]:
    """The tapes that a statement may replace by larger ones."""
    if isinstance(s, Part):
        yield from (v for v in s.leaves if isinstance(v.type, Tape))
    elif isinstance(s, Def) and s.op is reserve:
        yield from variables(s.args[:1])
    for b in () if isinstance(s, Part) else blocks(s):
        for inner in b:
            yield from _rebound(inner)


def _mentioned(s: Any) -> Iterator[Var]:
    """The variables that the text of a statement mentions, inside it as well."""
    if isinstance(s, Part):
        yield from s.reads
        return
    yield from variables(atoms(s))
    if isinstance(s, Def) and s.var is not None and isinstance(s.var.type, Array):
        yield from type_vars(s.var.type)
    for b in blocks(s):
        for inner in b:
            yield from _mentioned(inner)
