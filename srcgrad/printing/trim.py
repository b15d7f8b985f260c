"""Leaves out checks, which a reader does not look for, and definitions that only they used.

Never leaves out a statement that has another effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import atoms, uses, walk

CHECKS = frozenset(("check_range", "check_broadcast", "check_assign", "check_equal"))

Uses = Counter[Var]


def trimmed(function: Function) -> tuple[Function, Uses]:
    """The function without its checks, and how often each variable is then read."""
    function = _without_last_copies(function)
    uses: Uses = Counter()
    _read(uses, function.returns)
    body = _block(function.body, uses)
    return function.with_body(body), uses


def _without_last_copies(function: Function) -> Function:
    """Returns an array of the function itself where a copy of it is returned that ends its use."""
    aliases = alias_classes(function)
    given = {aliases.of(p) for p in function.params if is_reference(p.type)}
    returned = Counter(aliases.of(a) for a in function.returns if is_reference(a.type))
    read = {v for s in walk(function.body) for v in uses(s)}
    copies: dict[Var, Var] = {}
    for s in reversed(function.body):
        match s:
            case Def(var=Var() as made, args=(Var() as copied,)) if (
                s.op.name == "copy" and made in function.returns and made not in read
            ):
                home = aliases.of(copied)
                if home not in given and not returned[home]:
                    copies[made] = copied
                    returned[home] += 1
            case Def() if not s.op.effect:
                pass
            case _:
                break
    body = tuple(s for s in function.body if not (isinstance(s, Def) and s.var in copies))
    returns = tuple(copies.get(a, a) if isinstance(a, Var) else a for a in function.returns)
    return replace(function, body=body, returns=returns)


def _read(uses: Uses, read: Iterable[Atom]) -> None:
    uses.update(a for a in read if isinstance(a, Var))


def _block(block: Block, uses: Uses) -> Block:
    """Trims from the last statement backwards: all readers of a value are known before it."""
    kept: list[Stmt] = []
    for s in reversed(block):
        new = _statement(s, uses)
        if new is not None:
            kept.append(new)
    return tuple(reversed(kept))


def _statement(s: Stmt, uses: Uses) -> Stmt | None:
    match s:
        case Def():
            if s.op.name in CHECKS if s.var is None else not uses[s.var]:
                return None
        case For():
            _read(uses, s.yields)
            s = replace(s, body=_block(s.body, uses))
            if not s.body and not s.params:
                return None
            _read(uses, (s.start, s.stop, *s.inits))
            return s
        case While():
            _read(uses, (*s.yields, s.cond))
            body = _block(s.body, uses)
            s = replace(s, body=body, test=_block(s.test, uses))
            _read(uses, s.inits)
            return s
        case If():
            _read(uses, (*s.then_yields, *s.else_yields))
            s = replace(s, then=_block(s.then, uses), orelse=_block(s.orelse, uses))
            if not s.then and not s.orelse and not s.results:
                return None
            _read(uses, (s.cond,))
            return s
    _read(uses, atoms(s))
    return s
