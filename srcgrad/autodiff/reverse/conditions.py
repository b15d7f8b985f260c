"""Moves tests of `while` loops that store to memory, or compute values that the body reads.

The reverse sweep reverses bodies only, so such a test runs once before the loop and again at the
end of each trip, and its outcome is carried. Never touches other loops.
"""

from __future__ import annotations

from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Atom, Block, Def, Function, Stmt, Var, While, altered, type_vars
from srcgrad.ir.types import BOOL
from srcgrad.ir.walk import defined, free_variables, map_atoms, map_type, walk


def plain_tests(function: Function) -> Function:
    """The same program, in which tests of loops only compute their outcome."""
    return function.with_body(_block(function.body))


def _block(block: Block) -> Block:
    out: list[Stmt] = []
    for s in block:
        s = map_atoms(s, lambda a: a, _block)
        if isinstance(s, While) and (_stores(s.test) or _read_by_body(s)):
            out += _moved(s)
        else:
            out.append(s)
    return tuple(out)


def _stores(block: Block) -> bool:
    return any(isinstance(s, Def) and s.op.writes for s in walk(block))


def _read_by_body(s: While) -> list[Var]:
    """The variables that the test defines and the body reads, dims of its types first."""
    inside = defined(s.test)
    found: dict[Var, None] = {}
    todo = [v for v in free_variables(s.body, s.yields) if v in inside]
    for v in todo:
        todo += [d for d in type_vars(v.type) if d in inside and d not in todo]
    for v in reversed(todo):
        found[v] = None
    return list(found)


def _moved(s: While) -> tuple[Stmt, ...]:
    own, cond = _read_by_body(s), Var("more", BOOL)

    def tested(values: tuple[Atom, ...]) -> tuple[Block, tuple[Atom, ...]]:
        """The test for these carried values; its outcome and the values that the body reads."""
        block, new = copied(s.test, dict(zip(s.params, values, strict=True)))
        return block, tuple(new.get(v, v) if isinstance(v, Var) else v for v in (s.cond, *own))

    before, first = tested(s.inits)
    after, next_ = tested(s.yields)
    results = {v: Var(v.name, v.type) for v in own}
    for r in results.values():
        r.type = map_type(r.type, lambda d: results.get(d, d))  # type: ignore[arg-type]  (dims map to dims)
    loop = altered(
        s,
        test=(),
        cond=cond,
        params=(*s.params, cond, *own),
        inits=(*s.inits, *first),
        body=(*s.body, *after),
        yields=(*s.yields, *next_),
        results=(*s.results, Var("more", BOOL), *results.values()),
    )
    return (*before, loop)
