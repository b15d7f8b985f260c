"""Recognizes nests of two loops whose inner trips wait for one another and compute much.

A nest is a loop whose trips are an inner loop over one range, with definitions before and after it.
Nothing in it raises, makes memory or branches around an access. Refuses when in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.ir.nodes import Atom, Block, Def, For, If, Stmt, Var, While
from srcgrad.ir.types import is_complex, is_reference
from srcgrad.ir.walk import defined, free_variables, inner_definitions, results, walk
from srcgrad.passes.effects import is_scalar_operation, may_raise
from srcgrad.passes.loops_in_chunks import VECTORISED
from srcgrad.passes.places import ELEMENTS
from srcgrad.passes.strips.candidates import has_vector_form
from srcgrad.passes.strips.transposed import is_affine
from srcgrad.primitives import memory
from srcgrad.records import record

STORES = (memory.store, memory.add_at)


@record(frozen=True)
class Nest:
    """Two loops, and the statements of a trip in the parts that run for one lane after the other.

    `loads`, `computes` and `stores` are those of the inner loop, `before` and `after` those around
    it; `positions` has the integers that are computed from the indices alone.
    """

    outer: For
    inner: For
    before: Block
    loads: Block
    computes: Block
    stores: Block
    after: Block
    positions: dict[Var, Def]

    @property
    def parts(self) -> tuple[Block, ...]:
        return self.before, self.loads, self.computes, self.stores, self.after

    def phase(self, s: Stmt) -> int:
        """0 for a statement before the inner loop, 1 for one in it, 2 for one after it."""
        return 0 if s in self.before else 2 if s in self.after else 1


def nest_of(s: For) -> Nest | None:
    """The nest that a loop is, if its trips are worth vectors; None for any other loop."""
    loops = [k for k, t in enumerate(s.body) if isinstance(t, For)]
    if s.params or s.promised or len(loops) != 1:
        return None
    (k,) = loops
    inner, before, after = s.body[k], s.body[:k], s.body[k + 1 :]
    assert isinstance(inner, For)
    if inner.promised or not {inner.start, inner.stop}.isdisjoint({s.index, *defined(s.body)}):
        return None
    if not all(map(_is_plain, (*before, *inner.body, *after))):
        return None
    positions = _positions(s, inner)
    loads = _loads(s, inner, before, positions)
    stores = tuple(t for t in inner.body if isinstance(t, Def) and t.op in STORES)
    computes = tuple(t for t in inner.body if t not in {*loads, *stores})
    if not all(map(has_vector_form, walk(computes))) or any(isinstance(t, For) for t in computes):
        return None
    known = {s.index, inner.index, *positions}
    inside = defined(s.body) | {s.index}
    if any(a in inside and a not in known for t in _accesses(s, inner) for a in _place(t)):
        return None
    if not any(isinstance(t, Def) and t.op in VECTORISED for t in walk(computes)):
        return None
    return Nest(s, inner, before, loads, computes, stores, after, positions)


def _positions(outer: For, inner: For) -> dict[Var, Def]:
    inside = defined(outer.body) | {outer.index}
    known: set[Atom] = {outer.index, inner.index}
    out: dict[Var, Def] = {}
    for s in (*outer.body, *inner.body):
        if not isinstance(s, Def) or s.var is None or not is_affine(s):
            continue
        if all(a in known or a not in inside for a in s.args):
            known.add(s.var)
            out[s.var] = s
    return out


def _loads(outer: For, inner: For, before: Block, positions: dict[Var, Def]) -> Block:
    """The loads of an inner trip, and its loops that read no more than these and what is before."""
    inside = defined(outer.body) | {outer.index}
    known = {outer.index, inner.index, *positions, *(v for s in before for v in results(s))}
    out: list[Stmt] = []
    for s in inner.body:
        if not isinstance(s, For) and not (isinstance(s, Def) and s.op is memory.load):
            continue
        if all(v in known or v not in inside for v in free_variables((s,))):
            out.append(s)
            known.update(results(s))
    return tuple(out)


def _place(s: Def) -> tuple[Atom, ...]:
    """The coordinates of an access."""
    return s.args[1:] if s.op is memory.load else s.args[1:-1]


def _accesses(outer: For, inner: For) -> Iterator[Def]:
    """The accesses of a nest outside of loops that only read."""
    statements = (*outer.body, *inner.body)
    return (s for s in statements if isinstance(s, Def) and s.op in ELEMENTS)


def _is_plain(s: Stmt) -> bool:
    """Whether a statement computes numbers or touches an element, and never raises."""
    made = (*results(s), *inner_definitions(s))
    if any(is_reference(v.type) or is_complex(v.type.dtype) for v in made):
        return False
    match s:
        case Def():
            return not may_raise(s) and (s.op in ELEMENTS or is_scalar_operation(s))
        case If():
            return not any(
                isinstance(t, For | While)
                or (isinstance(t, Def) and t.op in ELEMENTS)
                or not _is_plain(t)
                for t in walk(s.then + s.orelse)
            )
        case For():
            return not any(
                (isinstance(t, Def) and t.op in STORES) or not _is_plain(t) for t in walk(s.body)
            )
        case _:
            return False
