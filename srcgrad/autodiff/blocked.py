"""Finds inputs that influence the outputs only through steps without a derivative.

An input is blocked if values flow from it to the outputs, but every such path passes a step
without a derivative: a rounding, a cast to an integer, a comparison, an index, the condition of a
branch or a loop. Cuts by `stop_gradient` and by user-defined rules are deliberate and do not count,
nor do statements that a transform has added. Array lengths are not values. An array that is stored
to counts as one value, even where it is overwritten, so some paths are found that do not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from srcgrad.autodiff.activity import Activity, flows, reachable
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import blocks
from srcgrad.primitives import attached, elementwise, memory, tapes
from srcgrad.records import record

DELIBERATE = frozenset((elementwise.stop_gradient, attached.attached, attached.part))
LENGTHS = frozenset((memory.dim, tapes.slots, memory.broadcast_dim, tapes.tape_like))


@record(frozen=True)
class Paths:
    """Differentiated positions with a path that has a derivative, and the blocked ones."""

    open: frozenset[int]
    blocked: dict[int, Def]  # by position, the first step without a derivative


def paths(function: Function, wrt: Sequence[int], outputs: Iterable[Atom]) -> Paths:
    """Classify the parameters at the positions `wrt`; one that reaches no output is in neither."""
    outputs, classes = tuple(outputs), AliasClasses(function)
    params = function.params
    active = Activity(function, [params[k] for k in wrt], classes, outputs)
    opened = frozenset(k for k in wrt if active(params[k]))
    if len(opened) == len(wrt):
        return Paths(opened, {})
    flow = ValueFlow(function.body, classes)
    useful = flow.leading_to(outputs)
    blocked: dict[int, Def] = {}
    for k in sorted(set(wrt) - opened):
        varied = Activity(function, [params[k]], classes)
        for e in flow.edges:
            leaves = varied.varies(e.source) and not varied.varies(e.target)
            if leaves and {flow.key(e.source), flow.key(e.target)} <= useful:
                assert isinstance(e.step, Def)  # only definitions lose a derivative
                blocked[k] = e.step
                break
    return Paths(opened, blocked)


@record(frozen=True)
class Edge:
    source: Var
    target: Var
    step: Stmt


class ValueFlow:
    """The value-flow graph, with or without derivatives: edges in program order."""

    def __init__(self, block: Block, classes: AliasClasses):
        self.classes = classes
        self.edges = [*self._block(block, ())]

    def key(self, v: Var) -> Var:
        return self.classes.of(v) if is_reference(v.type) else v

    def leading_to(self, outputs: Iterable[Atom]) -> set[Var]:
        """All variables from which values flow into the outputs."""
        backwards = [(self.key(e.target), self.key(e.source)) for e in self.edges]
        return reachable([self.key(a) for a in outputs if isinstance(a, Var)], backwards)

    def _block(self, block: Block, tests: tuple[Atom, ...]) -> Iterator[Edge]:
        """The edges of a block, whose stores are control-dependent on `tests`."""
        for s in block:
            written = s.loc is not None and s.loc.role != ""  # by a transform
            yield from (Edge(a, v, s) for a, v in flows(s))
            if isinstance(s, Def):
                others = () if written else _others(s, tests)
            else:
                deciding = () if written else _deciding(s)
                for inner in blocks(s):
                    yield from self._block(inner, (*tests, *deciding))
                bound = (*s.results, *([s.index] if isinstance(s, For) else ()))
                others = [(a, v) for a in deciding for v in bound]
                others += _carried(s)
            yield from (Edge(a, v, s) for a, v in others if isinstance(a, Var))


def _deciding(s: For | While | If) -> tuple[Atom, ...]:
    """The operands that determine how often, or whether, the inner blocks run."""
    return (s.start, s.stop) if isinstance(s, For) else (s.cond,)


def _carried(s: For | While | If) -> list[tuple[Atom, Var]]:
    """The edges through phis, integers included."""
    if isinstance(s, If):
        joined = zip(s.results, s.then_yields, s.else_yields, strict=True)
        return [(a, r) for r, *both in joined for a in both]
    carried = zip(s.params, s.inits, s.yields, s.results, strict=True)
    return [pair for p, init, new, r in carried for pair in ((init, p), (new, p), (p, r))]


def _others(s: Def, tests: tuple[Atom, ...]) -> list[tuple[Atom, Var]]:
    """The edges of a definition, regardless of derivatives."""
    if s.var is None:
        into = s.args[0] if s.op.writes and isinstance(s.args[0].type, Array) else None
        return [(a, into) for a in (*s.args[1:], *tests)] if isinstance(into, Var) else []
    return [] if s.op in DELIBERATE | LENGTHS else [(a, s.var) for a in s.args]
