"""Builds the joint function: the augmented forward sweep followed by the reverse sweep.

Both sweeps are built twice. The first run finds the buffers whose contents the reverse sweep reads,
and where it reads them; the second saves what these reads need and nothing else. As long as a run
reads more than was found before it, another one follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from srcgrad.autodiff.activity import Activity
from srcgrad.autodiff.reverse.adjoints import Adjoints
from srcgrad.autodiff.reverse.conditions import plain_tests
from srcgrad.autodiff.reverse.independent_loops import without_invalid_promises
from srcgrad.autodiff.reverse.insertions import Insertions
from srcgrad.autodiff.reverse.nested import Nested
from srcgrad.autodiff.reverse.program import TOP, Point, Program
from srcgrad.autodiff.reverse.references import References
from srcgrad.autodiff.reverse.tapes import Tapes
from srcgrad.autodiff.reverse.values import ValueRecovery
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, Function, Var
from srcgrad.ir.types import Array, Scalar, float_type, is_complex
from srcgrad.ir.walk import walk
from srcgrad.records import record


def vjp(
    function: Function,
    wrt: Sequence[int],
    table: Mapping[str, Any],
    seeds: Sequence[str | None] | None = None,
) -> Function:
    """Builds a function of parameters and seeds that returns the results and the gradients.

    `wrt` has the positions of the parameters to differentiate by, which are floats. `seeds` has for
    each result the source of its adjoint: "given" (a further parameter, the default for floats),
    "ones", or None (the result has no adjoint). The gradient of an array has the array's shape. The
    joint function stores to its parameters as the original does. It can be differentiated again:
    every operation in it has a derivative rule.
    """
    if seeds is None:
        seeds = ["given" if float_type(a.type) else None for a in function.returns]
    function = without_invalid_promises(plain_tests(function))
    first = _JointBuilder(function, wrt, table, None, seeds)
    first.build()
    findings = first.findings()
    while True:
        again = _JointBuilder(function, wrt, table, findings, seeds)
        joint, more = again.build(), findings.joined(again.findings())
        if more.decisive() == findings.decisive():
            return joint
        findings = more


@record(frozen=True)
class Findings:
    """The findings of one run, by which the next one decides what the forward sweep saves."""

    read: frozenset[tuple[Var, Point]]  # alias classes that the reverse sweep reads, and where
    threaded: frozenset[Var]  # alias classes whose shadows the forward sweep makes and joins
    snapshots: frozenset[Var]  # buffers that the reverse sweep recreates with their contents
    taped: frozenset[Var]  # values that are saved on tapes

    def joined(self, other: Findings) -> Findings:
        return Findings(*(getattr(self, f.name) | getattr(other, f.name) for f in fields(self)))

    def decisive(self) -> tuple[frozenset[Any], ...]:
        """The findings that a run must have from the start: one that adds to them is repeated."""
        return self.read, self.threaded, self.snapshots


class _JointBuilder:
    """One run: builds both sweeps by the findings of the runs before, None for the first."""

    def __init__(
        self, function: Function, wrt: Sequence[int], table: Any,
        findings: Findings | None, seeds: Any,
    ):  # fmt: skip
        self.original, self.wrt = function, [function.params[i] for i in wrt]
        self.seeds = seeds
        program = Program(function)
        self.b = Builder(table)
        self.b.definition.update(
            {s.var: s for s in walk(function.body) if isinstance(s, Def) and s.var is not None}
        )
        self.insertions = Insertions(self.b)
        self.values = ValueRecovery(program, self.insertions, Tapes(program, self.insertions))
        if findings is not None:
            self.values.expected = findings.taped
        self.references = References(
            self.values,
            frozenset() if findings is None else findings.threaded,
            None if findings is None else findings.snapshots,
        )
        active = Activity(function, self.wrt, program.classes, function.returns)
        self.adjoints = Adjoints(self.values, self.references, active)
        self.sweep = Nested(self.adjoints, None if findings is None else findings.read)
        self.program = program

    def findings(self) -> Findings:
        of = self.program.classes.of
        return Findings(
            frozenset(self.values.read),
            frozenset(of(v) for v in self.references.found_threaded()),
            frozenset(self.references.used_snapshots),
            frozenset(self.values.taped),
        )

    def build(self) -> Function:
        function = self.original
        returns = tuple(self._result(a) for a in function.returns)
        self._parameter_shadows()
        seeds = [
            (a, _seed_parameter(a) if kind == "given" else self._ones(a))
            for a, kind in zip(function.returns, self.seeds, strict=True)
            if kind is not None
        ]
        self.sweep.open(function.body, TOP)
        self._seed(seeds)
        self.sweep.block(function.body, TOP)
        self.b.loc = None
        gradients = tuple(self._gradient(p) for p in self.wrt)
        ins = self.insertions
        body = (*ins.head, *ins.woven(function.body), *self.references.tape_shadows, *self.b.out)
        kinds = [kind for kind in self.seeds if kind is not None]
        given: list[Any] = [g for (_, g), kind in zip(seeds, kinds, strict=True) if kind == "given"]
        params = (*function.params, *given)
        return Function(f"{function.name}_vjp", params, body, (*returns, *gradients))

    def _result(self, a: Atom) -> Atom:
        """A result; an array that is stored to is copied: the reverse sweep undoes the stores."""
        if not isinstance(a, Var) or not isinstance(a.type, Array):
            return a
        return a if self.program.classes.is_pure(a) else self.b.copy(a, name=a.name)

    def _parameter_shadows(self) -> None:
        """Makes the shadows of parameters that the function stores to."""
        adj = self.adjoints
        for p in self.original.params:
            if not isinstance(p.type, Array) or not adj.active(p) or adj.is_value(p):
                continue
            if not self.references.is_threaded(p):
                self.values.remember(("shadow", p), adj.zeros(p))

    def _ones(self, a: Atom) -> Atom:
        one = Const(1.0, Scalar(a.type.dtype, getattr(a.type, "weak", False)))
        return self.b.broadcast_to(one, *a.type.dims) if isinstance(a.type, Array) else one

    def _seed(self, seeds: list[tuple[Atom, Any]]) -> None:
        self.values.now = ((TOP, len(self.original.body)),)
        for a, g in seeds:
            self.adjoints.add(a, self._conjugate(g))

    def _conjugate(self, g: Atom) -> Atom:
        """Converts an adjoint from the users' form, dL/dRe + i dL/dIm, to the rules', or back."""
        zero = isinstance(g, Const) and g.value == 0
        return self.b.conj(g) if is_complex(g.type.dtype) and not zero else g

    def _gradient(self, p: Var) -> Atom:
        return self._conjugate(self._adjoint(p))

    def _adjoint(self, p: Var) -> Atom:
        adj = self.adjoints
        if isinstance(p.type, Array) and not adj.is_value(p):
            if not adj.active(p):
                return adj.zeros(p)
            return self.references.shadow(p)
        g = adj.take_value(p)
        if g is None:
            return adj.zero(p)
        return self.b.retyped(g, p.type) if isinstance(p.type, Scalar) else g


def _seed_parameter(a: Atom) -> Var:
    """The parameter for the adjoint of a result."""
    name = a.name if isinstance(a, Var) else "y"
    return Var(f"{name}_bar", a.type)
