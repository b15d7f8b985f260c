"""Specializes a program on the lengths of a call being equal, where its checks compare them.

The first call decides: lengths that are equal in it have one name in its program, those that are
equal to a constant are constant, and the checks of them go. Calls with others share a second
program, which assumes nothing; there is never a third. A program in which another check would then
always fail treats no length as a constant: its branches are for different lengths. The program
inlined into another one is that for all lengths.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.ir.nodes import Function
from srcgrad.passes import run as run_passes
from srcgrad.passes.compared_lengths import compared, with_equal
from srcgrad.passes.length_tests import Test, length_tests, outcome, renamed, with_tests
from srcgrad.passes.unify_lengths import never_holds, shape_checks
from srcgrad.records import record
from srcgrad.transforms.call_lengths import Lengths
from srcgrad.transforms.program import Program
from srcgrad.transforms.stage_cache import kept
from srcgrad.transforms.stages import staged
from srcgrad.tree import paths


@record(frozen=True)
class OfCall:
    """Specializes a program for a call; `known`: the lengths of one for other lengths."""

    known: Lengths | None = None

    def specialised(self, p: Program, arguments: dict[str, Any]) -> Program:
        given = [pair for n, v in arguments.items() for pair in paths(v, (n,))]
        now = {**dict(given), **{k: h.path.fetch() for k, h in enumerate(p.hidden)}}
        places = [*p.inputs, *range(len(p.hidden))]
        lengths = self.known
        if lengths is None or not lengths.of <= {*places}:
            lengths = _compared(p, places, [now[w] for w in places])
            lengths = replace(lengths, tests=_tested(p, places, now))
        for equal in (replace(lengths, equal=True), replace(lengths.variable, equal=True)):
            if not (equal.pairs or equal.tests):
                break
            if not equal.passes(now):
                return replace(p, lengths=replace(equal, equal=False))
            function = _with_equal(p.function, equal, places)
            if not any(map(never_holds, shape_checks(function))):
                return replace(p, function=function, lengths=equal)
        return p


def _with_equal(function: Function, lengths: Lengths, places: list[Any]) -> Function:
    position = {w: k for k, w in enumerate(places)}
    pairs = _renamed(lengths.pairs, position)
    tests = tuple([(renamed(t, position), v) for t, v in lengths.tests])
    return staged("equal lengths", lambda: kept(_specialised, function, pairs, tests))


def _specialised(function: Function, pairs: Any, tests: Any) -> Function:
    return run_passes(with_equal(with_tests(function, tests) if tests else function, pairs))


def _tested(p: Program, places: list[Any], now: Any) -> tuple[tuple[Test, bool], ...]:
    """The outcomes in a call of tests that choose between a product of matrices and loops."""
    tests = [renamed(t, places) for t in length_tests(p.function)]
    return tuple([(t, bool(outcome(t, lambda what, k: now[what].shape[k]))) for t in tests])


def _compared(p: Program, places: list[Any], values: list[Any]) -> Lengths:
    """The compared lengths that are equal in a call; if none are, all that are compared."""

    def value(length: Any) -> int:
        return length if isinstance(length, int) else values[length[0]].shape[length[1]]

    pairs = compared(p.function, lambda m, n: 1 < value(m) == value(n))
    pairs = pairs or compared(p.function, lambda m, n: True)
    return Lengths(_renamed(pairs, places), True)


def _renamed(pairs: Any, to: Any) -> Any:
    """Pairs of lengths, by positions of parameters or by the sources of these."""

    def at(place: Any) -> Any:
        return to[place[0]], place[1]

    return tuple([(at(m), n if isinstance(n, int) else at(n)) for m, n in pairs])
