"""Results that are copies: returns a buffer itself if nothing needs it afterwards.

>>> show(elide_copies(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     y: f64[n] = zeros(n, dtype='f64')
...     add_to(y, x)
...     r: f64[n] = copy(y)
...     return (r,)
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    y: f64[n] = zeros(n, dtype='f64')
    add_to(y, x)
    return (y,)

The reverse sweep returns copies of shadows. A copy of the whole of a local buffer, in its shape or
another, is the buffer itself if neither is stored to afterwards and no other returned value shares
its memory; a result may be a view of the copy. Never hands out the memory of a parameter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Def, Function, Var
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import map_atoms, uses, walk
from srcgrad.passes.effects import classes_written, makes_buffer
from srcgrad.primitives import memory


def elide_copies(function: Function) -> Function:
    if memory.copy not in contents(function).operations:
        return function
    classes = alias_classes(function)
    made = {s.var: s for s in function.body if isinstance(s, Def) and s.var is not None}
    seen = Counter(classes.of(v) for v in _references((*function.params, *function.returns)))
    read = Counter(u for s in walk(function.body) for u in uses(s))
    new: dict[Atom, Var] = {}
    for r in _references(function.returns):
        d = _seen_through(r, made, read)
        if d is None or d.op is not memory.copy or not _is_whole(d.array, d.var, made):
            continue
        x = d.array
        assert d.var is not None
        after = classes_written(_following(function.body, d), classes)
        if not seen[classes.of(x)] and seen[classes.of(r)] == 1 and classes.of(x) not in after:
            seen[classes.of(x)] += 1
            new[d.var] = x
    if not new:
        return function
    body = tuple(
        map_atoms(s, lambda a: new.get(a, a), lambda block: block)
        for s in function.body
        if not (isinstance(s, Def) and s.var in new)
    )
    return function.with_body(body, tuple(new.get(a, a) for a in function.returns))


def _seen_through(r: Var, made: Mapping[Var, Def], read: Mapping[Var, int]) -> Def | None:
    """The definition of a result, or of what it is a view of, if nothing else reads that."""
    d = made.get(r)
    if read[r]:
        return None
    while d is not None and d.op.view and isinstance(x := d.args[0], Var):
        if read[x] > 1:
            return None
        d = made.get(x)
    return d


def _references(atoms: Iterable[Atom]) -> list[Var]:
    return [a for a in atoms if isinstance(a, Var) and is_reference(a.type)]


def _is_whole(x: Var, r: Var | None, made: Mapping[Var, Def]) -> bool:
    """Whether `x` is a buffer made here, or its elements in another shape, of the type of `r`."""
    d = made.get(x)
    while d is not None and d.op is memory.reshape:
        d = made.get(d.array)
    same = r is not None and isinstance(x.type, Array) and x.type == r.type
    return same and d is not None and makes_buffer(d)


def _following(block: Block, s: Def) -> Block:
    return block[block.index(s) + 1 :]
