"""How a loop makes what it carries: values of its trips, put together by one operation.

A value that is carried is a sum, a product or an extremum if one operation leads from it to its
next value and nothing else reads what is between. Never looks at memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.nodes import Atom, Block, Def, For, If, Stmt, Var, While
from srcgrad.ir.walk import uses, walk
from srcgrad.operation import Primitive
from srcgrad.primitives import elementwise

# operations by which values of trips are put together, in any order
COMBINING = (
    elementwise.add, elementwise.mul, elementwise.maximum, elementwise.minimum,
    elementwise.logical_and, elementwise.logical_or,
)  # fmt: skip
# what some of them begin with; the others may see the value before the loop many times
NEUTRAL = {elementwise.add: 0, elementwise.mul: 1}


def chain(block: Block, p: Var, yields: Sequence[Atom], y: Atom) -> set[Primitive] | None:
    """The operations by which a block makes `y` of `p`, if nothing else reads what is between."""
    ops: set[Primitive] = set()
    here: Atom = p
    made: set[Atom] = {p}
    for s in block:
        read = made & {v for t in walk((s,)) for v in uses(t)}
        if not read:
            continue
        step = _choice(s, made) if here in read else None
        if step is None and read == {here}:
            step = _step(s, here)
        if step is None:
            return None
        here = step[0]
        made.add(here)
        ops |= step[1]
    return ops if here is y and sum(a in made for a in yields) == 1 else None


def _choice(s: Stmt, made: set[Atom]) -> tuple[Var, set[Primitive]] | None:
    """A choice between what there was and what there is, by something else."""
    if not isinstance(s, Def) or s.op is not elementwise.where or s.var is None:
        return None
    cond, a, b = s.args
    return (s.var, set()) if a in made and b in made and cond not in made else None


def _step(s: Stmt, here: Atom) -> tuple[Var, set[Primitive]] | None:
    """What a statement makes of a value that it alone reads, and by which operations."""
    read = sum(v is here for t in walk((s,)) for v in uses(t))
    match s:
        case Def() if s.op in COMBINING and read == 1 and s.var is not None:
            return s.var, {s.op}
        case Def() if s.op is elementwise.sub and read == 1 and s.args[0] is here:
            return None if s.var is None else (s.var, {elementwise.add})
        case For() | While() if here in s.inits and read == 1:
            k = s.inits.index(here)
            before, others = (s.test, (s.cond,)) if isinstance(s, While) else ((), ())
            ops = chain(before + s.body, s.params[k], s.yields + others, s.yields[k])
            return None if ops is None else (s.results[k], ops)
        case If() if here is not s.cond:
            return _through_branches(s, here)
        case _:
            return None


def _through_branches(s: If, here: Atom) -> tuple[Var, set[Primitive]] | None:
    assert isinstance(here, Var)
    for k, r in enumerate(s.results):
        then = chain(s.then, here, s.then_yields, s.then_yields[k])
        other = chain(s.orelse, here, s.else_yields, s.else_yields[k])
        if then is not None and other is not None:
            return r, then | other
    return None
