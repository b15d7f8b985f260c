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
from srcgrad.autodiff.attached import refuse_unexchanged
from srcgrad.autodiff.repeated_draws import draws_once
from srcgrad.autodiff.reverse.adjoints import Adjoints
from srcgrad.autodiff.reverse.conditions import plain_tests
from srcgrad.autodiff.reverse.independent_loops import without_invalid_promises
from srcgrad.autodiff.reverse.insertions import Insertions
from srcgrad.autodiff.reverse.program import TOP, Point, Program
from srcgrad.autodiff.reverse.references import References
from srcgrad.autodiff.reverse.segments import by_segments, without_marks
from srcgrad.autodiff.reverse.slots import WithSchedules
from srcgrad.autodiff.reverse.tapes import Tapes
from srcgrad.autodiff.reverse.values import Analyses, ValueRecovery
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, Function, Var, type_vars
from srcgrad.ir.types import INT, Array, Scalar, atom_dims, float_type, is_complex, is_reference
from srcgrad.ir.walk import map_type, replaced_by, walk
from srcgrad.records import record


@draws_once
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
    return _joint(function, wrt, table, seeds, None)


def of_part(
    function: Function, wrt: Sequence[int], table: Mapping[str, Any],
    seeds: Sequence[str | None], added: Sequence[int],
) -> Function:  # fmt: skip
    """The joint function of a part of a program that is being differentiated.

    Adjoints are those of rules, not the users'. Further parameters after the seeds are the adjoints
    of the parameters at `added` so far. It adds to those of arrays; of an array that is stored to,
    the adjoint of its last contents becomes that of its first. Sums for scalars are further
    results. The lengths of a seed that are no parameters of the function come before it.
    """
    return _joint(function, wrt, table, seeds, added)


def _joint(function: Function, wrt: Any, table: Any, seeds: Any, added: Any) -> Function:
    function = without_invalid_promises(plain_tests(function))
    split = by_segments(function, table)
    trips: dict[Any, Any] = {}
    analyses = Analyses(split)
    first = _JointBuilder(split, wrt, table, None, seeds, added, trips, analyses)
    first.build()
    findings = first.findings()
    while True:
        again = _JointBuilder(split, wrt, table, findings, seeds, added, trips, analyses)
        joint, more = again.build(), findings.joined(again.findings())
        if more.decisive() == findings.decisive():
            return joint if split is function else without_marks(joint)
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
        findings: Findings | None, seeds: Any, added: Sequence[int] | None, trips: dict[Any, Any],
        analyses: Analyses,
    ):  # fmt: skip
        self.original, self.wrt = function, [function.params[i] for i in wrt]
        self.seeds, self.is_part = seeds, added is not None
        # of parameters: what their adjoints are added to
        self.added = {p: _adjoint_parameter(p) for p in (function.params[i] for i in added or ())}
        program = Program(function)
        self.b = Builder(table)
        self.b.definition.update(
            {s.var: s for s in walk(function.body) if isinstance(s, Def) and s.var is not None}
        )
        self.insertions = Insertions(self.b)
        tapes = Tapes(program, self.insertions)
        self.values = ValueRecovery(program, self.insertions, tapes, analyses)
        if findings is not None:
            self.values.expected = findings.taped
        self.references = References(
            self.values,
            frozenset() if findings is None else findings.threaded,
            None if findings is None else findings.snapshots,
        )
        self.references.given = self.added
        stored = [p for p in self.added if is_reference(p.type) and not program.classes.is_pure(p)]
        outputs = [*function.returns, *stored]
        active = Activity(function, [*self.wrt, *self.added], outputs)
        refuse_unexchanged(function, active)
        self.adjoints = Adjoints(self.values, self.references, active)
        known = None if findings is None else findings.read
        self.sweep = WithSchedules(self.adjoints, known, of_part, trips)
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
            (a, self._seed_parameter(a) if kind == "given" else self._ones(a))
            for a, kind in zip(function.returns, self.seeds, strict=True)
            if kind is not None
        ]
        self.sweep.open(function.body, TOP)
        self._seed(seeds)
        self.sweep.block(function.body, TOP)
        self.b.loc = None
        sums = [p for p in self.added if isinstance(p.type, Scalar)]
        gradients = tuple(self._gradient(p) for p in (*self.wrt, *sums))
        self._add_whole()
        ins = self.insertions
        body = (*ins.head, *ins.woven(function.body), *self.references.tape_shadows, *self.b.out)
        kinds = [kind for kind in self.seeds if kind is not None]
        given: list[Any] = [g for (_, g), kind in zip(seeds, kinds, strict=True) if kind == "given"]
        seeded = [v for g in given for v in (*self._lengths(g), g)]
        params = (*function.params, *seeded, *self.added.values())
        return Function(f"{function.name}_vjp", params, body, (*returns, *gradients))

    def _result(self, a: Atom) -> Atom:
        """A result; an array that is stored to is copied: the reverse sweep undoes the stores."""
        if not isinstance(a, Var) or not isinstance(a.type, Array):
            return a
        return a if self.program.classes.is_pure(a) else self.b.copy(a, name=a.name)

    def _parameter_shadows(self) -> None:
        """Makes the shadows of parameters that the function stores to."""
        adj = self.adjoints
        for p, bar in self.added.items():
            if isinstance(p.type, Scalar):
                adj.scalars[p] = bar
            elif adj.is_value(p):
                adj.parts[p] = bar
            else:
                self.values.remember(("shadow", p), bar)
        for p in self.original.params:
            if not isinstance(p.type, Array) or not adj.active(p) or adj.is_value(p):
                continue
            if p not in self.added and not self.references.is_threaded(p):
                self.values.remember(("shadow", p), adj.zeros(p))

    def _ones(self, a: Atom) -> Atom:
        one = Const(1.0, Scalar(a.type.dtype, getattr(a.type, "weak", False)))
        return self.b.broadcast_to(one, *a.type.dims) if isinstance(a.type, Array) else one

    def _seed(self, seeds: list[tuple[Atom, Any]]) -> None:
        self.values.now = ((TOP, len(self.original.body)),)
        for a, g in seeds:
            if self._lengths(g):
                g = self.b.reshape(g, *atom_dims(a))
            self.adjoints.add(a, self._conjugate(g))

    def _conjugate(self, g: Atom) -> Atom:
        """Converts an adjoint from the users' form, dL/dRe + i dL/dIm, to the rules', or back."""
        zero = isinstance(g, Const) and g.value == 0
        turned = is_complex(g.type.dtype) and not zero and not self.is_part
        return self.b.conj(g) if turned else g

    def _seed_parameter(self, a: Atom) -> Var:
        """The parameter for the adjoint of a result, with its lengths if these are computed."""
        t = a.type
        if self.is_part:
            known = set(self.original.params)
            lengths = {d: Var("n", INT) for d in type_vars(t) if d not in known}
            t = map_type(t, replaced_by({**lengths}))
        return Var(f"{a.name if isinstance(a, Var) else 'y'}_bar", t)

    def _lengths(self, g: Any) -> list[Var]:
        """The lengths of a seed that are parameters of their own."""
        known = {*self.original.params, *self.program.defined}
        return [d for d in type_vars(g.type) if self.is_part and d not in known]

    def _add_whole(self) -> None:
        """Adds what has been added up of an array's adjoint as a value to where it belongs."""
        for p, bar in self.added.items():
            g = self.adjoints.whole.pop(p, None)  # none of a scalar
            if g is not None:
                self.b.add_to(bar, g)

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


def _adjoint_parameter(p: Var) -> Var:
    return Var(f"{p.name}_bar", p.type)
