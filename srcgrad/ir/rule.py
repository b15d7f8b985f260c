"""User-defined rules in the IR: functions that carry derivatives through some values.

A definition by `attached` names its `Rule`. Its operands are the values, the inputs with respect
to which the rule gives derivatives, floats that the values depend on otherwise (`foreign`), and
the values that the rule itself reads (`rest`). Never runs a rule.
"""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.errors import LocatedWarning, Location, SrcgradError
from srcgrad.ir.nodes import Atom, Def, Function
from srcgrad.records import record


@record(frozen=True, eq=False)
class Direction:
    """One direction of a rule, linear in its first parameters: adjoints or tangents.

    The parameters are these, then the values as results, then the rest. `gives` lists, for each
    input (or value), which return is its adjoint (or tangent); None for zero.
    """

    function: Function
    gives: tuple[int | None, ...]


Turned = Callable[["Rule", Direction, int], Direction]


@record(eq=False)
class Rule:
    """The derivative that the user states for some values: one direction, which gives the other."""

    name: str
    outputs: int
    inputs: int
    foreign: int
    turned: Turned  # the transpose of a direction
    pull: Direction | None = None
    push: Direction | None = None
    loc: Location | None = None
    refused: SrcgradError | None = None  # raised when a derivative is requested
    partial: LocatedWarning | None = None  # issued then
    exchanged: bool = False  # with another process, which waits for it: it has to be taken
    found: bool = False  # by the compiler, which states no derivative for what it leaves out

    def __repr__(self) -> str:
        return repr(self.name)

    def reverse(self) -> Direction:
        """The direction from adjoints of the values to those of the inputs."""
        if self.refused is not None:
            raise self.refused
        if self.pull is None:
            assert self.push is not None
            self.pull = self.turned(self, self.push, self.inputs)
        return self.pull

    def forward(self) -> Direction:
        """The direction from tangents of the inputs to those of the values."""
        if self.refused is not None:
            raise self.refused
        if self.push is None:
            assert self.pull is not None
            self.push = self.turned(self, self.pull, self.outputs)
        return self.push


@record(frozen=True)
class Operands:
    """The operands of a definition by `attached`."""

    values: tuple[Atom, ...]
    inputs: tuple[Atom, ...]
    foreign: tuple[Atom, ...]
    rest: tuple[Atom, ...]


def operands(s: Def) -> Operands:
    rule: Rule = s.params["rule"]
    m, n = rule.outputs, rule.outputs + rule.inputs
    p = n + rule.foreign
    return Operands(s.args[:m], s.args[m:n], s.args[n:p], s.args[p:])
