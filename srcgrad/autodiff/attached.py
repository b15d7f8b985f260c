"""User-defined rules in the two sweeps: inlines their bodies where a derivative is needed.

The inlined code is ordinary IR, so it has derivatives itself. Never looks inside a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from srcgrad.autodiff.splice import emit
from srcgrad.errors import Location, UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Block, Def, Function, Stmt, Var, altered
from srcgrad.ir.rule import Direction, Rule, operands
from srcgrad.ir.types import Array, Scalar, Type
from srcgrad.ir.walk import free_variables, map_atoms, rename, walk
from srcgrad.primitives.attached import attached

Own = Callable[[int], Atom]  # the k-th value, as a result with its derivative


def refuse_foreign(s: Def, varies: Callable[[Atom], bool]) -> None:
    """Refuses values that depend on a varying operand without a derivative in the rule."""
    found = next((a for a in operands(s).foreign if varies(a)), None)
    if found is not None:
        name = s.params["rule"].name
        raise UnsupportedError(
            f"{name}() depends on '{found}', by which a derivative is taken, and its rule gives "
            "none by it",
            s.loc,
            "pass it as an argument that the rule gives a derivative by",
        )


def refuse_unexchanged(function: Function, active: Callable[[Atom], bool]) -> None:
    """Refuses a rule that another process takes part in, where this one would not run it."""
    for s in walk(function.body):
        if isinstance(s, Def) and s.op is attached and s.params["rule"].exchanged:
            assert s.var is not None
            if not active(s.var):
                raise UnsupportedError(
                    f"{s.params['rule'].name}() exchanges its derivative with another rank, and "
                    "here its argument does not vary with what is differentiated, or its value is "
                    "not used",
                    s.loc,
                    "compute the argument from what is differentiated, and the result from the "
                    "value; what has no derivative is exchanged outside of the function",
                )


def run(
    b: Builder, s: Def, direction: Direction, given: Sequence[Atom], own: Own,
    contents: Callable[[Atom], Atom], head: list[Stmt],
) -> list[Atom | None]:  # fmt: skip
    """Inlines one direction; `given` are the adjoints or the tangents. One entry for each result.

    Its tapes are allocated in `head`, since it may run in a loop: see `splice`.
    """
    rule: Rule = s.params["rule"]
    of = operands(s)
    params = direction.function.params
    first, last = len(given), len(given) + rule.outputs
    read = set(free_variables(direction.function.body, direction.function.returns))
    rest = [contents(a) if p in read else a for p, a in zip(params[last:], of.rest, strict=True)]
    mine = [own(k) if p in read else of.values[k] for k, p in enumerate(params[first:last])]
    made = _inlined(b, direction.function, [*given, *mine, *rest], read, head)
    return [None if k is None else made[k] for k in direction.gives]


def _inlined(
    b: Builder, function: Function, args: list[Atom], read: set[Var], head: list[Stmt]
) -> tuple[Atom, ...]:
    fn = clone(function)
    mapping: dict[Var, Atom] = {}
    for old, p, a in zip(function.params, fn.params, args, strict=True):
        mapping[p] = _fitting(b, p.type, a) if old in read else a
    fn = rename(fn.with_body(_derived(fn.body, b.loc)), mapping)
    emit(b, fn.body, head)
    return fn.returns


def _fitting(b: Builder, type: Type, a: Atom) -> Atom:
    if isinstance(type, Scalar):
        return b.cast(a, type)
    have = a.type
    strided = isinstance(have, Array) and have.layout != "C"
    return b.copy(a) if strided and getattr(type, "layout", "") == "C" else a


def _derived(body: Block, loc: Location | None) -> Block:
    """Statements of a rule, located as part of a derivative where they are run for one."""
    role = "" if loc is None else loc.role

    def here(s: Stmt) -> Stmt:
        s = map_atoms(s, lambda a: a, lambda inner: tuple(here(t) for t in inner))
        at = s.loc
        return s if at is None or at.role or not role else altered(s, loc=replace(at, role=role))

    return tuple(here(s) for s in body)
