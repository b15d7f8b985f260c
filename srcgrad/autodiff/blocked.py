"""Which inputs change the results and yet have no derivative, and the step where it is lost.

An input is blocked if values flow from it to the results, but every such path passes a step
without a derivative: a rounding, a cast to an integer, a comparison, an index, a test of a branch
or of a loop. What `stop_gradient` and the user's own rules cut is meant, and what a transform wrote
is no step of the program: through both, only derivatives flow. Lengths of arrays are no values. An
array that is stored to is one value, whatever is overwritten: it may count as a path too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from srcgrad.autodiff.activity import STORES, Activity, flows
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import blocks

MEANT = frozenset(("stop_gradient", "attached", "part"))
LENGTHS = frozenset(("dim", "slots", "broadcast_dim", "tape_like"))


@dataclass(frozen=True)
class Paths:
    """Of the differentiated positions: which have a derivative, and which are blocked where."""

    open: frozenset[int]
    blocked: dict[int, Def]  # by position, the first step without a derivative


def paths(function: Function, wrt: Sequence[int], outputs: Iterable[Atom]) -> Paths:
    """How the parameters at the positions `wrt` reach the outputs; some do not at all."""
    outputs, classes = tuple(outputs), AliasClasses(function)
    params = function.params
    active = Activity(function, [params[k] for k in wrt], classes, outputs)
    opened = frozenset(k for k in wrt if active(params[k]))
    if len(opened) == len(wrt):
        return Paths(opened, {})
    flow = _ValueFlow(function, classes)
    useful = flow.leading_to(outputs)
    blocked = {}
    for k in sorted(set(wrt) - opened):
        varied = Activity(function, [params[k]], classes)
        for e in flow.edges:
            leaves = varied.varies(e.source) and not varied.varies(e.target)
            if leaves and {flow.key(e.source), flow.key(e.target)} <= useful:
                assert isinstance(e.step, Def)  # from a float to what has no derivative
                blocked[k] = e.step
                break
    return Paths(opened, blocked)


@dataclass(frozen=True)
class _Edge:
    source: Var
    target: Var
    step: Stmt


class _ValueFlow:
    """Between which variables values flow, with a derivative or without, in program order."""

    def __init__(self, function: Function, classes: AliasClasses):
        self.classes = classes
        self.edges = [*self._block(function.body, ())]

    def key(self, v: Var) -> Var:
        return self.classes.of(v) if is_reference(v.type) else v

    def leading_to(self, outputs: Iterable[Atom]) -> set[Var]:
        """Everything whose value flows into the outputs."""
        sources: dict[Var, list[Var]] = {}
        for e in self.edges:
            sources.setdefault(self.key(e.target), []).append(self.key(e.source))
        todo = [self.key(a) for a in outputs if isinstance(a, Var)]
        found = set(todo)
        while todo:
            for source in sources.get(todo.pop(), ()):
                if source not in found:
                    found.add(source)
                    todo.append(source)
        return found

    def _block(self, block: Block, tests: tuple[Atom, ...]) -> Iterator[_Edge]:
        """The flows of a block; which of its stores are made depends on `tests`."""
        for s in block:
            written = s.loc is not None and s.loc.role != ""  # by a transform
            yield from (_Edge(a, v, s) for a, v in flows(s))
            if isinstance(s, Def):
                others = () if written else _others(s, tests)
            else:
                deciding = () if written else _deciding(s)
                for inner in blocks(s):
                    yield from self._block(inner, (*tests, *deciding))
                bound = (*s.results, *([s.index] if isinstance(s, For) else ()))
                others = [(a, v) for a in deciding for v in bound]
                others += _carried(s)
            yield from (_Edge(a, v, s) for a, v in others if isinstance(a, Var))


def _deciding(s: For | While | If) -> tuple[Atom, ...]:
    """What decides how often a block runs, or whether."""
    return (s.start, s.stop) if isinstance(s, For) else (s.cond,)


def _carried(s: For | While | If) -> list[tuple[Atom, Var]]:
    """The flows into and out of blocks, of integers too."""
    if isinstance(s, If):
        joined = zip(s.results, s.then_yields, s.else_yields, strict=True)
        return [(a, r) for r, *both in joined for a in both]
    carried = zip(s.params, s.inits, s.yields, s.results, strict=True)
    return [pair for p, init, new, r in carried for pair in ((init, p), (new, p), (p, r))]


def _others(s: Def, tests: tuple[Atom, ...]) -> list[tuple[Atom, Var]]:
    """The flows of a definition, a derivative or not."""
    if s.var is None:
        into = s.args[0] if s.op.name in STORES else None
        return [(a, into) for a in (*s.args[1:], *tests)] if isinstance(into, Var) else []
    return [] if s.op.name in MEANT | LENGTHS else [(a, s.var) for a in s.args]
