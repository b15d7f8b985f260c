"""Copies functions with fresh variables, so that a pass may rename types of the copy alone.

Never changes a statement otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import defined, map_atoms, map_type, replaced_by


def clone(function: Function) -> Function:
    """The same program over fresh variables; names and locations stay."""
    params = tuple([Var(p.name, p.type) for p in function.params])
    body, new = copied(function.body, dict(zip(function.params, params, strict=True)))
    f = replaced_by(new)
    for p in params:
        p.type = map_type(p.type, f)
    return Function(function.name, params, body, tuple([f(a) for a in function.returns]))


def anew(variables: Iterable[Var]) -> tuple[Var, ...]:
    """Fresh variables for those of a loop, whose types have lengths among the fresh ones."""
    new = {v: Var(v.name, v.type) for v in variables}
    f = replaced_by({**new})
    for v in new.values():
        v.type = map_type(v.type, f)
    return tuple(new.values())


def copied(block: Block, known: dict[Var, Atom]) -> tuple[Block, dict[Var, Atom]]:
    """A block over fresh variables, and each variable's replacement, `known` for free ones."""
    fresh = {v: Var(v.name, v.type) for v in defined(block)}
    new: dict[Var, Atom] = {**known, **fresh}
    f = replaced_by(new)

    def many(vs: tuple[Var, ...]) -> tuple[Var, ...]:
        return tuple([fresh[v] for v in vs])

    def copy(s: Stmt) -> Stmt:
        match s:
            case Def():
                return altered(
                    s, args=tuple(map(f, s.args)), var=None if s.var is None else fresh[s.var]
                )
            case For():
                params, results = many(s.params), many(s.results)
                s = altered(s, index=fresh[s.index], params=params, results=results)
            case While():
                s = altered(s, params=many(s.params), results=many(s.results))
            case If():
                s = altered(s, results=many(s.results))
        return map_atoms(s, f, go)

    def go(block: Block) -> Block:
        return tuple([copy(s) for s in block])

    for v in fresh.values():
        if v.type.__class__ is not Scalar:
            v.type = map_type(v.type, f)
    return go(block), new
