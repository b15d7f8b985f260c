"""Finds accesses that walk along memory in a trip, so that lanes touch it at a distance.

Such elements, as `Z[i, t]` in a loop over t in trip i, cannot be loaded into a vector together, nor
stored from one. They move through a *tile*, which has the lanes side by side: loaded before some
trips of the inner loop, or stored after them. An access moves if nothing else in the loop touches
what it stores to, or if nothing stores to what it loads; and if it happens in each trip.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.ir.nodes import Atom, Def, For, Var
from srcgrad.ir.walk import defined
from srcgrad.passes.bounds import is_int64
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.places import ELEMENTS, Poly, linear
from srcgrad.passes.strips.uniform import Uniform
from srcgrad.primitives import elementwise, memory
from srcgrad.records import record

AFFINE = frozenset({elementwise.add, elementwise.sub, elementwise.mul, elementwise.cast})


@record(frozen=True)
class Transposed:
    access: Def
    loads: bool


def is_affine(s: Def) -> bool:
    """Whether a definition is a position computed from others."""
    return s.op in AFFINE and s.var is not None and all(map(is_int64, (s.var, *s.args)))


def transposed(inner: For, outer: For, uniform: Uniform, facts: Dependence) -> list[Transposed]:
    """The accesses among the statements of `inner`, a loop of each trip of `outer`, that move."""
    return list(_found(inner, outer, uniform, facts))


def _found(inner: For, outer: For, uniform: Uniform, facts: Dependence) -> Iterator[Transposed]:
    inside = defined(inner.body) | {*inner.params}
    for s in inner.body:
        if not isinstance(s, Def) or s.op not in ELEMENTS:
            continue
        loads = s.op is memory.load
        own = facts.classes.of(s.args[0])
        if loads and (own in uniform.stored or not uniform.varies(s.args)):
            continue
        if not loads and facts.of_classes(outer.body)[own] != 1:
            continue
        place = s.args[1:] if loads else s.args[1:-1]
        if place and _walks(place, inner.index, outer.index, facts) and all(
            _is_known(a, inner, inside, facts) for a in place
        ):  # fmt: skip
            yield Transposed(s, loads)


def _walks(place: tuple[Atom, ...], along: Var, across: Var, facts: Dependence) -> bool:
    """Whether the last coordinate moves by one with one index, and not so with the other."""
    if not all(map(is_int64, place)):
        return False
    steps = [_step(facts.places.poly(a), across) for a in place]
    last = _step(facts.places.poly(place[-1]), along)
    return last in ({(): 1}, {(): -1}) and any(s != {} for s in steps) and steps[-1] != {(): 1}


def _step(p: Poly, i: Var) -> Poly | None:
    parts = linear(p, i)
    return None if parts is None else parts[0]


def _is_known(a: Atom, inner: For, inside: set[Var], facts: Dependence) -> bool:
    """Whether a coordinate can be computed outside the inner loop, for any of its trips."""
    if a not in inside or a is inner.index:
        return True
    d = facts.places.definition.get(a)  # type: ignore[call-overload]  (a variable)
    return (
        d is not None and is_affine(d) and all(_is_known(x, inner, inside, facts) for x in d.args)
    )
