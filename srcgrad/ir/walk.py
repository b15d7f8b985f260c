"""Queries on statements that every pass needs: uses, definitions, sub-blocks, substitution.

Never changes a node: `rename` builds new ones (the types of variables it renames in place).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from srcgrad.ir.nodes import (
    Atom,
    Block,
    Def,
    For,
    Function,
    If,
    Stmt,
    Var,
    While,
    altered,
    changed,
    kept_tuple,
    type_vars,
)
from srcgrad.ir.types import Array, Dim, Scalar, Tuple, Type, same_dims


def blocks(s: Stmt) -> tuple[Block, ...]:
    if s.__class__ is Def:
        return ()
    match s:
        case For():
            return (s.body,)
        case While():
            return (s.test, s.body)
        case If():
            return (s.then, s.orelse)
        case _:
            return ()


def walk(block: Sequence[Stmt]) -> list[Stmt]:
    """Every statement, outer before inner."""
    out: list[Stmt] = []
    rest = [iter(block)]
    while rest:
        for s in rest[-1]:
            out.append(s)
            if s.__class__ is not Def:
                rest += [iter(b) for b in reversed(blocks(s))]
                break
        else:
            rest.pop()
    return out


def results(s: Stmt) -> tuple[Var, ...]:
    """The variables a statement defines for what follows it."""
    if isinstance(s, Def):
        return () if s.var is None else (s.var,)
    return s.results


def inner_definitions(s: Stmt) -> tuple[Var, ...]:
    """The variables a statement binds for its own blocks."""
    match s:
        case For():
            return (s.index, *s.params)
        case While():
            return s.params
        case _:
            return ()


def atoms(s: Stmt) -> tuple[Atom, ...]:
    """The atoms that a statement itself reads, without those of nested statements."""
    match s:
        case Def():
            return s.args
        case For():
            return (s.start, s.stop, *s.inits, *s.yields)
        case While():
            limit = () if s.limit is None else (s.limit,)
            return (*limit, *s.inits, s.cond, *s.yields)
        case If():
            return (s.cond, *s.then_yields, *s.else_yields)


def dims_of(s: Stmt) -> list[Var]:
    """The variables that the types of a statement's own variables mention."""
    if isinstance(s, Def):
        return [] if s.var is None else type_vars(s.var.type)
    return [d for v in (*results(s), *inner_definitions(s)) for d in type_vars(v.type)]


def uses(s: Stmt) -> list[Var]:
    """The variables that a statement reads itself, those in the types of what it binds included."""
    return [*[a for a in atoms(s) if isinstance(a, Var)], *dims_of(s)]


def defined(block: Block) -> set[Var]:
    """Every variable bound anywhere in a block."""
    out: set[Var] = set()
    for s in walk(block):
        if not isinstance(s, Def):
            out.update(s.results, inner_definitions(s))
        elif s.var is not None:
            out.add(s.var)
    return out


def free_variables(block: Block, extra: Iterable[Atom] = ()) -> list[Var]:
    """Variables read in a block (or in `extra`) and bound outside it, in order of first use."""
    inside = defined(block)
    seen: dict[Var, None] = {}
    for s in walk(block):
        for v in uses(s):
            if v not in inside:
                seen.setdefault(v)
    for a in extra:
        if isinstance(a, Var) and a not in inside:
            seen.setdefault(a)
    return list(seen)


def after_checks(block: Block) -> int:
    """The number of leading statements, those that define and check lengths."""
    return next((k for k, s in enumerate(block) if not _is_of_lengths(s)), len(block))


def _is_of_lengths(s: Stmt) -> bool:
    if not isinstance(s, Def):
        return False
    if s.var is None:
        return s.op.raises and all(isinstance(a.type, Scalar) for a in s.args)
    return s.op.cheap == "scalars" and isinstance(s.var.type, Scalar)


def map_type(type: Type, f: Callable[[Atom], Atom]) -> Type:
    """The type with its dims renamed by `f` (which may turn a dim into a constant)."""

    if isinstance(type, Array):
        dims = kept_tuple(type.dims, [_renamed(d, f) for d in type.dims])
        return type if same_dims(dims, type.dims) else altered(type, dims=dims)
    if isinstance(type, Tuple):
        return Tuple(tuple(map_type(t, f) for t in type.items))
    return type


def _renamed(d: Dim, f: Callable[[Atom], Atom]) -> Dim:
    if not isinstance(d, Var):
        return d
    new = f(d)
    return new if isinstance(new, Var) else int(new.value)


def map_atoms(s: Stmt, f: Callable[[Atom], Atom], inner: Callable[[Block], Block]) -> Stmt:
    """The statement with `f` applied to each atom it reads and `inner` to each of its blocks.

    The statement itself if nothing changes. A loop is no longer marked independent.
    """

    def many(xs: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return kept_tuple(xs, [f(x) for x in xs])

    match s:
        case Def():
            return changed(s, args=many(s.args))
        case For():
            start, stop, inits = f(s.start), f(s.stop), many(s.inits)
            body = inner(s.body)
            return changed(
                s, start=start, stop=stop, inits=inits, body=body, yields=many(s.yields),
                independent=False,
            )  # fmt: skip
        case While():
            limit, inits = None if s.limit is None else f(s.limit), many(s.inits)
            test = inner(s.test)
            cond, body = f(s.cond), inner(s.body)
            return changed(
                s, limit=limit, inits=inits, test=test, cond=cond, body=body, yields=many(s.yields)
            )
        case If():
            cond = f(s.cond)
            then, orelse = inner(s.then), inner(s.orelse)
            return changed(
                s, cond=cond, then=then, orelse=orelse,
                then_yields=many(s.then_yields), else_yields=many(s.else_yields),
            )  # fmt: skip


def refresh_types(s: Stmt, f: Callable[[Atom], Atom]) -> None:
    """Renames, in place, the dims in the types of the variables that a statement binds."""
    if isinstance(s, Def) and (s.var is None or isinstance(s.var.type, Scalar)):
        return
    for v in (*results(s), *inner_definitions(s)):
        if not isinstance(v.type, Scalar):
            v.type = map_type(v.type, f)


def replaced_by(mapping: Mapping[Var, Atom]) -> Callable[[Atom], Atom]:
    """A substitution: each atom's replacement; constants and variables without one unchanged."""
    return lambda a: mapping.get(a, a) if isinstance(a, Var) else a


def rename(function: Function, mapping: dict[Var, Atom]) -> Function:
    """The function with variables replaced throughout, chains of replacements followed."""
    if not mapping:
        return function

    def f(a: Atom) -> Atom:
        while isinstance(a, Var) and a in mapping:
            a = mapping[a]
        return a

    def go(block: Block) -> Block:
        out: list[Stmt] = []
        for s in block:
            refresh_types(s, f)
            out.append(map_atoms(s, f, go))
        return tuple(out)

    for p in function.params:
        p.type = map_type(p.type, f)
    return function.with_body(go(function.body), tuple(f(a) for a in function.returns))
