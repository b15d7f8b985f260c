"""Puts the two sweeps together: a function of the arguments and the seeds.

The differentiator runs twice: the first run finds which contents are read again and where, the
second saves only what such a read needs. If that run reads more, it is repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from srcgrad.autodiff.activity import Activity
from srcgrad.autodiff.reverse.adjoints import Adjoints
from srcgrad.autodiff.reverse.conditions import plain_tests
from srcgrad.autodiff.reverse.independent_loops import with_promises_kept
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
    """The joint function: parameters, then seeds; results, then gradients.

    `wrt` are positions of floating parameters. `seeds` gives for each result the source of its
    adjoint: "given" (a further parameter, the default for floats), "ones", or None (not used). The
    gradient of an array has its shape; stores to the parameters are made as in the original.
    Everything emitted has rules itself.
    """
    if seeds is None:
        seeds = ["given" if float_type(a.type) else None for a in function.returns]
    function = with_promises_kept(plain_tests(function))
    first = _Joint(function, wrt, table, None, seeds)
    first.build()
    required = first.required()
    while True:
        again = _Joint(function, wrt, table, required, seeds)
        joint, more = again.build(), required.joined(again.required())
        if more.needs() == required.needs():
            return joint
        required = more


@record(frozen=True)
class Requirements:
    """Findings of one run of the differentiator that the next one builds on."""

    read: frozenset[tuple[Var, Point]]  # contents read again: a reference's class, and where
    threaded: frozenset[Var]  # classes whose shadows are references of the forward sweep
    wanted: frozenset[Var]  # buffers of which a copy with the contents is needed
    taped: frozenset[Var]  # values that are saved on tapes

    def joined(self, other: Requirements) -> Requirements:
        return Requirements(*(getattr(self, f.name) | getattr(other, f.name) for f in fields(self)))

    def needs(self) -> tuple[frozenset[Any], ...]:
        """The findings that decide what the forward sweep saves and makes."""
        return self.read, self.threaded, self.wanted


class _Joint:
    def __init__(
        self, function: Function, wrt: Sequence[int], table: Any,
        required: Requirements | None, seeds: Any,
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
        if required is not None:
            self.values.expected = required.taped
        self.references = References(
            self.values,
            frozenset() if required is None else required.threaded,
            None if required is None else required.wanted,
        )
        active = Activity(function, self.wrt, program.classes, function.returns)
        self.adjoints = Adjoints(self.values, self.references, active)
        self.sweep = Nested(self.adjoints, None if required is None else required.read)
        self.program = program

    def required(self) -> Requirements:
        of = self.program.classes.of
        return Requirements(
            frozenset(self.values.read),
            frozenset(of(v) for v in self.references.found_threaded()),
            frozenset(self.references.asked),
            frozenset(self.values.taped),
        )

    def build(self) -> Function:
        function = self.original
        returns = tuple(self._kept(a) for a in function.returns)
        self._parameter_shadows()
        seeds = [
            (a, _given(a) if kind == "given" else self._ones(a))
            for a, kind in zip(function.returns, self.seeds, strict=True)
            if kind is not None
        ]
        self.sweep.open(function.body, TOP)
        self._seed(seeds)
        self.sweep.block(function.body, TOP)
        self.b.loc = None
        gradients = tuple(self._gradient(p) for p in self.wrt)
        ins = self.insertions
        body = (*ins.head, *ins.woven(function.body), *self.references.late, *self.b.out)
        kinds = [kind for kind in self.seeds if kind is not None]
        given: list[Any] = [g for (_, g), kind in zip(seeds, kinds, strict=True) if kind == "given"]
        params = (*function.params, *given)
        return Function(f"{function.name}_vjp", params, body, (*returns, *gradients))

    def _kept(self, a: Atom) -> Atom:
        """A result as the forward sweep left it: the reverse sweep rewinds stores."""
        if not isinstance(a, Var) or not isinstance(a.type, Array):
            return a
        return a if self.program.classes.is_pure(a) else self.b.copy(a, name=a.name)

    def _parameter_shadows(self) -> None:
        """Makes shadows of parameters that the function stores to."""
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
        """Converts an adjoint between the users' form, dL/dRe + i dL/dIm, and that of the rules."""
        zero = isinstance(g, Const) and g.value == 0
        # adjoints are numbers or arrays: their types have a dtype
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


def _given(a: Atom) -> Var:
    name = a.name if isinstance(a, Var) else "y"
    return Var(f"{name}_bar", a.type)
