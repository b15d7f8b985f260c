"""Finds inputs that influence the outputs only through steps without a derivative.

An input is blocked if values flow from it to the outputs, but every such path passes a step
without a derivative: a rounding, a cast to an integer, a comparison, an index, the condition of a
branch or a loop. Cuts by `stop_gradient` and by user-defined rules are deliberate and do not count,
nor do statements that a transform has added. Array lengths are not values. An array that is stored
to counts as one value, even where it is overwritten, so some paths are found that do not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from srcgrad.autodiff.activity import Activity, carries, flows
from srcgrad.ir.alias import AliasClasses, alias_classes
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
    blocked: dict[int, Def]  # by position, a step on the path that is blocked least often


def paths(function: Function, wrt: Sequence[int], outputs: Iterable[Atom]) -> Paths:
    """Classifies the parameters at the positions `wrt`; neither has one that reaches no output."""
    outputs, classes = tuple(outputs), alias_classes(function)
    params = function.params
    active = Activity(function, [params[k] for k in wrt], outputs)
    opened = frozenset(k for k in wrt if active(params[k]))
    if len(opened) == len(wrt):
        return Paths(opened, {})
    flow = ValueFlow(function.body, classes)
    blocked: dict[int, Def] = {}
    for k in sorted(set(wrt) - opened):
        varied = Activity(function, [params[k]])
        step = next(flow.leaving(varied, outputs), None)
        if step is not None:
            blocked[k] = step
    return Paths(opened, blocked)


@record(frozen=True)
class Edge:
    source: Var
    target: Var
    step: Stmt
    blocked: bool = False  # a float loses its derivative, or a decision has its effect


class ValueFlow:
    """The value-flow graph, with or without derivatives: edges in program order."""

    def __init__(self, block: Block, classes: AliasClasses):
        self.classes = classes
        self.edges = [*self._block(block, ())]

    def key(self, v: Var) -> Var:
        return self.classes.of(v) if is_reference(v.type) else v

    def leaving(self, varied: Activity, outputs: Iterable[Atom]) -> Iterator[Def]:
        """The steps at which the derivative is lost, those on the least blocked path first."""
        after, found = self._blocked_before(outputs), list[tuple[int, Def]]()
        for e in self.edges:
            many = after.get(self.key(e.target))
            if many is not None and varied.varies(e.source) and not varied.varies(e.target):
                assert isinstance(e.step, Def)  # only definitions lose a derivative
                found.append((many, e.step))
        return (step for _, step in sorted(found, key=lambda each: each[0]))

    def _blocked_before(self, outputs: Iterable[Atom]) -> dict[Var, int]:
        """The least number of blocked steps on a path to the outputs, from each variable."""
        into: dict[Var, list[Edge]] = {}
        for e in self.edges:
            into.setdefault(self.key(e.target), []).append(e)
        found: dict[Var, int] = {}
        now, many = [self.key(a) for a in outputs if isinstance(a, Var)], 0
        while now:
            later: list[Var] = []
            while now:
                v = now.pop()
                if v not in found:
                    found[v] = many
                    for e in into.get(v, ()):
                        (later if e.blocked else now).append(self.key(e.source))
            now, many = later, many + 1
        return found

    def _block(self, block: Block, tests: tuple[Atom, ...]) -> Iterator[Edge]:
        """The edges of a block, whose stores are control-dependent on `tests`."""
        for s in block:
            written = s.loc is not None and s.loc.role != ""  # by a transform
            yield from (Edge(a, v, s) for a, v in flows(s))
            decided: list[tuple[Atom, Var]] = []
            if isinstance(s, Def):
                others = [] if written else _others(s)
                into = _stored_to(s)
                if into is not None and not written:
                    decided = [(a, into) for a in tests]
            else:
                deciding = () if written else _deciding(s)
                for inner in blocks(s):
                    yield from self._block(inner, (*tests, *deciding))
                bound = (*s.results, *([s.index] if isinstance(s, For) else ()))
                decided = [(a, v) for a in deciding for v in bound]
                others = _carried(s)
            yield from (Edge(a, v, s, carries(a.type)) for a, v in others if isinstance(a, Var))
            yield from (Edge(a, v, s, True) for a, v in decided if isinstance(a, Var))


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


def _others(s: Def) -> list[tuple[Atom, Var]]:
    """The edges of a definition, regardless of derivatives."""
    if s.var is None:
        into = _stored_to(s)
        return [] if into is None else [(a, into) for a in s.args[1:]]
    if s.op is attached.attached and s.params["rule"].found:
        return [(a, s.var) for a in s.args]
    return [] if s.op in DELIBERATE | LENGTHS else [(a, s.var) for a in s.args]


def _stored_to(s: Def) -> Var | None:
    """The array that a statement stores to."""
    into = s.args[0] if s.var is None and s.op.writes else None
    return into if isinstance(into, Var) and isinstance(into.type, Array) else None
