"""Copies small arrays where they enter and leave a program, so that the rest may become numbers.

Callers pass and receive buffers, so a loop that carries an argument, or whose result is
returned, would keep its class in memory. For a class that no statement stores to, a copy is as good
as the array. A class that has an argument and a result, or two results, keeps its buffer: the
caller could tell. For the same reason a copy that leaves stays, even if it is not made of numbers,
if other passes have given its array to two results, or to an argument and a result.
"""

from __future__ import annotations

from collections import Counter

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Def, Function, Var
from srcgrad.ir.types import Array, atom_dims, is_reference
from srcgrad.ir.walk import after_checks, rename
from srcgrad.passes.small.elements import is_small
from srcgrad.primitives import memory


def with_edges(function: Function) -> tuple[Function, frozenset[Var]]:
    """The function in which small arguments and results are copied, and these copies."""
    classes = alias_classes(function)

    def classes_of(atoms: tuple[Atom, ...]) -> Counter[Var]:
        return Counter(classes.of(a) for a in atoms if is_reference(a.type))

    given, taken = classes_of(function.params), classes_of(function.returns)

    def copies(atoms: tuple[Atom, ...], others: Counter[Var]) -> dict[Var, Var]:
        pure = [a for a in atoms if isinstance(a, Var) and is_small(a.type) and classes.is_pure(a)]
        free = [a for a in pure if atom_dims(a) and not others[classes.of(a)]]
        return {a: Var(a.name, Array(a.type.dtype, a.type.dims)) for a in free}

    entering = copies(function.params, taken)
    leaving = copies(function.returns, given + Counter([c for c, n in taken.items() if n > 1]))
    return _copied(function, entering, leaving), frozenset((*entering.values(), *leaving.values()))


def idle_edges(function: Function, edges: frozenset[Var]) -> frozenset[Var]:
    """The copies that a caller cannot tell from the copied array: of its type, seen once."""
    classes = alias_classes(function)
    copies = [(s.var, s.args[0]) for s in function.body if isinstance(s, Def) and s.var in edges]
    returned = {a for a in function.returns if isinstance(a, Var) and is_reference(a.type)}
    entering = {v for v, _ in copies if v is not None} - returned
    seen = {classes.of(a) for a in (*function.params, *entering, *returned) if is_reference(a.type)}
    idle: set[Var] = set()
    for v, x in copies:
        if v is None or v.type != x.type:
            continue
        if v in entering:
            idle.add(v)
        elif classes.of(x) not in seen:
            idle.add(v)
            seen.add(classes.of(x))
    return frozenset(idle)


def _copied(function: Function, entering: dict[Var, Var], leaving: dict[Var, Var]) -> Function:
    k = after_checks(function.body)
    inner = rename(function.with_body(function.body[k:]), dict(entering))
    front = [Def(new, memory.copy, (old,)) for old, new in entering.items()]
    back = [Def(new, memory.copy, (old,)) for old, new in leaving.items()]
    returns = tuple([leaving.get(a, a) if isinstance(a, Var) else a for a in inner.returns])
    return function.with_body((*function.body[:k], *front, *inner.body, *back), returns)
