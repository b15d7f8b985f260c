"""The nodes: five statement forms over atoms, in structured SSA.

`Def` defines a variable by a primitive (or has an effect and defines none), `For` and
`While` carry variables through their trips, `If` joins variables of its branches, and a
`Function` returns atoms. No jumps. Nodes are frozen and compared by identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from operator import is_
from typing import Any, TypeVar

from srcgrad.errors import Location
from srcgrad.ir.types import Array, Atom, Const, Tuple, Type, Unknown, Var, atom
from srcgrad.operation import Params, Primitive
from srcgrad.records import record


@record(frozen=True, eq=False)
class Def:
    var: Var | None
    op: Primitive
    args: tuple[Atom, ...]
    params: Params = field(default_factory=dict[str, Any])
    loc: Location | None = None

    @property
    def array(self) -> Var:
        """The array that a view, a load or an effect works on: its first argument."""
        return self.args[0]  # type: ignore[return-value]  (no constant is an array)


@record(frozen=True, eq=False)
class For:
    """`index` runs over range(start, stop), downwards if `reverse`.

    The iterations of an `independent` loop may run in any order, or concurrently: no two touch one
    element of memory that either stores to, and carried values are sums. The last passes of a
    pipeline find that; copies of a program drop the mark. A `promised` loop is independent by the
    user's word, or is the reverse of one that is; copies keep that mark.
    """

    index: Var
    start: Atom
    stop: Atom
    params: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: tuple[Stmt, ...]
    yields: tuple[Atom, ...]
    results: tuple[Var, ...]
    reverse: bool = False
    independent: bool = field(default=False, kw_only=True)
    promised: bool = field(default=False, kw_only=True)
    loc: Location | None = None


@record(frozen=True, eq=False)
class While:
    """`test` is evaluated before each trip; `limit`, if known, bounds the number of trips."""

    test: tuple[Stmt, ...]
    cond: Atom
    params: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: tuple[Stmt, ...]
    yields: tuple[Atom, ...]
    results: tuple[Var, ...]
    limit: Atom | None = None
    loc: Location | None = None


@record(frozen=True, eq=False)
class If:
    cond: Atom
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    then_yields: tuple[Atom, ...]
    else_yields: tuple[Atom, ...]
    results: tuple[Var, ...]
    loc: Location | None = None


Stmt = Def | For | While | If
Loop = For | While
Block = tuple[Stmt, ...]


@record(frozen=True, eq=False)
class Function:
    """A program. A parameter that its body stores to shares memory with no other parameter.

    No node records this, and every alias class, nest and generated module relies on it: callers
    compare the arrays first if one of them is stored to.

    Types of parameters may share lengths that checks at the entry found equal: statements inserted
    at the front go after these checks (`walk.after_checks`).
    """

    name: str
    params: tuple[Var, ...]
    body: Block
    returns: tuple[Atom, ...]

    def with_body(self, body: Block, returns: tuple[Atom, ...] | None = None) -> Function:
        return changed(self, body=body, returns=self.returns if returns is None else returns)


T = TypeVar("T")


def altered(node: T, **fields: Any) -> T:
    """A copy of a node with other values in some fields: `replace`, ten times as fast."""
    new = object.__new__(type(node))
    new.__dict__.update(node.__dict__, **fields)
    return new


def changed(node: T, **fields: Any) -> T:
    """The node itself where its fields have these very values, else an altered copy."""
    own = node.__dict__
    for name, value in fields.items():
        if own[name] is not value:
            return altered(node, **fields)
    return node


def kept_tuple(old: tuple[T, ...], new: Sequence[T]) -> tuple[T, ...]:
    """The old tuple where the new items are its own, else a new tuple."""
    return old if len(old) == len(new) and all(map(is_, old, new)) else tuple(new)


def type_vars(type: Type) -> list[Var]:
    """The variables a type mentions: its dims."""
    if isinstance(type, Tuple):
        return [d for t in type.items for d in type_vars(t)]
    return [d for d in type.dims if isinstance(d, Var)] if isinstance(type, Array) else []


__all__ = [
    "Atom", "Block", "Const", "Def", "For", "Function", "If", "Loop", "Stmt", "Unknown", "Var",
    "While", "altered", "atom", "changed", "kept_tuple", "type_vars",
]  # fmt: skip
