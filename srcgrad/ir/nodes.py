"""The nodes: five statement forms over atoms, in structured SSA.

`Def` defines a variable by a primitive (or has an effect and defines none), `For` and
`While` carry variables through their trips, `If` joins variables of its branches, and a
`Function` returns atoms. No jumps. Nodes are frozen and compared by identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from srcgrad.errors import Location
from srcgrad.ir.types import Scalar, Type, constant_type
from srcgrad.operation import Primitive


class Unknown(AssertionError):
    """Compiler code took the truth value of a run-time value, or compared it with a constant."""


@dataclass(eq=False)
class Var:
    """A name bound once. `name` is a wish; the printer makes it unique."""

    name: str
    type: Any

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise Unknown(f"the truth of '{self.name}' is not known when compiling")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Var | Const):
            raise Unknown(f"'{self.name}' == {other!r} is not known when compiling")
        return self is other


@dataclass(frozen=True)
class Const:
    value: Any
    type: Scalar

    def __hash__(self) -> int:
        return hash((self.type, repr(self.value)))

    def __bool__(self) -> bool:
        raise Unknown(f"{self} is an atom of the IR: its truth is that of its value")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Var | Const):
            raise Unknown(f"{self} == {other!r} compares an atom of the IR with what is none")
        return (
            isinstance(other, Const)
            and self.type == other.type
            and repr(self.value) == repr(other.value)
        )


Atom = Var | Const


def atom(value: Any) -> Atom:
    """A variable as it is, anything else as a constant."""
    if isinstance(value, Var | Const):
        return value
    return Const(value, constant_type(value))


@dataclass(frozen=True, eq=False)
class Def:
    var: Var | None
    op: Primitive
    args: tuple[Atom, ...]
    params: dict[str, Any] = field(default_factory=dict)
    loc: Location | None = None


@dataclass(frozen=True, eq=False)
class For:
    """`index` runs over range(start, stop), downwards if `reverse`."""

    index: Var
    start: Atom
    stop: Atom
    params: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: tuple[Stmt, ...]
    yields: tuple[Atom, ...]
    results: tuple[Var, ...]
    reverse: bool = False
    loc: Location | None = None


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
class Function:
    """A program. A parameter that its body stores to shares memory with no other parameter.

    Nothing in a program marks it, and every alias class, nest and generated module relies on it:
    whoever calls one compares the arrays first, if one of them is stored to.
    """

    name: str
    params: tuple[Var, ...]
    body: Block
    returns: tuple[Atom, ...]

    def with_body(self, body: Block, returns: tuple[Atom, ...] | None = None) -> Function:
        return altered(self, body=body, returns=self.returns if returns is None else returns)


T = TypeVar("T")


def altered(node: T, **fields: Any) -> T:
    """A copy of a node with other values in some fields: `replace`, ten times as fast."""
    new = object.__new__(type(node))
    new.__dict__.update(node.__dict__, **fields)
    return new


def type_vars(type: Type) -> Iterator[Var]:
    """The variables a type mentions: its dims."""
    for d in getattr(type, "dims", ()):
        if isinstance(d, Var):
            yield d
    for t in getattr(type, "items", ()):
        yield from type_vars(t)
