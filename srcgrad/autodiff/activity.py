"""Activity: which values vary with the differentiated inputs and may reach the outputs.

A scalar is active by itself; a reference is active with its whole alias class, so that a buffer
and its views are treated the same wherever they are written. Never looks at statement order: a
class that varies anywhere varies everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from srcgrad.autodiff.rules import depends
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import fact
from srcgrad.ir.nodes import Atom, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.rule import operands
from srcgrad.ir.types import Tuple, Type, float_type, is_reference
from srcgrad.ir.walk import walk
from srcgrad.primitives import attached

Edges = dict[Var, list[Var]]  # from a value, or an alias class, to others


class Activity:
    """The active scalars and alias classes: `activity(atom)` answers for one atom.

    `inputs` are the variables to differentiate with respect to. With `outputs` a value must also be
    able to reach one of them; without, everything that varies is active. No path leads through what
    is `held`.
    """

    def __init__(
        self,
        function: Function,
        inputs: Iterable[Var],
        outputs: Iterable[Atom] | None = None,
        held: Sequence[Var] = (),
    ):
        self.classes = alias_classes(function)
        forth, back = edges(function)
        kept = {self._key(v) for v in held}
        self.varied = self._closure(inputs, forth, kept)
        self.useful: set[Var] | None = None
        if outputs is not None:
            self.useful = self._closure(outputs, back, kept)

    def __call__(self, a: Atom) -> bool:
        """Whether a value varies with the inputs (and may reach the outputs)."""
        if not isinstance(a, Var):
            return False
        key = self._key(a)
        return key in self.varied and (self.useful is None or key in self.useful)

    def varies(self, a: Atom) -> bool:
        return isinstance(a, Var) and self._key(a) in self.varied

    def reaches(self, a: Atom) -> bool:
        """Whether a value may reach an output (True for all if no outputs were given)."""
        return isinstance(a, Var) and (self.useful is None or self._key(a) in self.useful)

    def _key(self, v: Var) -> Var:
        return self.classes.of(v) if is_reference(v.type) else v

    def _closure(self, seeds: Iterable[Atom], edges: Edges, held: Collection[Var]) -> set[Var]:
        """The variables that floats among the seeds reach along the edges."""
        floats = [self._key(v) for v in seeds if isinstance(v, Var) and float_type(v.type)]
        return followed([v for v in floats if v not in held], edges, held)


@fact
def edges(function: Function) -> tuple[Edges, Edges]:
    """The edges from each value to others, with their derivatives, and back; classes of arrays."""
    classes = alias_classes(function)
    forth, back = Edges(), Edges()
    for s in walk(function.body):
        for source, target in flows(s):
            a, b = (classes.of(v) if is_reference(v.type) else v for v in (source, target))
            forth.setdefault(a, []).append(b)
            back.setdefault(b, []).append(a)
    return forth, back


def reachable(seeds: Iterable[Var], pairs: Iterable[tuple[Var, Var]]) -> set[Var]:
    """The variables that pairs (source, target) lead to from the seeds, seeds included."""
    edges = Edges()
    for source, target in pairs:
        edges.setdefault(source, []).append(target)
    return followed(seeds, edges)


def followed(seeds: Iterable[Var], edges: Edges, held: Collection[Var] = ()) -> set[Var]:
    """The variables that edges lead to from the seeds, seeds included, but to none that is held."""
    todo = list(seeds)
    found = set(todo)
    while todo:
        for target in edges.get(todo.pop(), ()):
            if target not in found and target not in held:
                found.add(target)
                todo.append(target)
    return found


def flows(s: Stmt) -> Iterator[tuple[Var, Var]]:
    """The pairs (source, target) of variables between which a statement carries a derivative."""
    match s:
        case Def(var=None) if s.op.writes:
            yield from _float_pairs((s.args[-1], s.args[0]))
        case Def(var=Var() as v) if s.op is attached.attached:
            of = operands(s)  # a derivative with respect to `foreign` is refused, not left out
            yield from _float_pairs(*((a, v) for a in (*of.inputs, *of.foreign)))
        case Def(var=Var() as v) if s.op is attached.part:
            yield from _float_pairs((s.args[0], v))
        case Def(var=Var() as v):
            for k, a in enumerate(s.args):
                if isinstance(a, Var) and ((s.op.view and k == 0) or depends(s, k)):
                    yield from _float_pairs((a, v))
        case For() | While():
            for p, init, new, r in zip(s.params, s.inits, s.yields, s.results, strict=True):
                yield from _float_pairs((init, p), (new, p), (p, r))
        case If():
            for r, a, b in zip(s.results, s.then_yields, s.else_yields, strict=True):
                yield from _float_pairs((a, r), (b, r))
        case _:
            pass


def _float_pairs(*pairs: tuple[Atom, Atom]) -> Iterator[tuple[Var, Var]]:
    for a, b in pairs:
        if isinstance(a, Var) and isinstance(b, Var) and carries(a.type) and carries(b.type):
            yield a, b


def carries(type: Type) -> bool:
    """Whether values of a type may vary: floats, and several results that have a rule."""
    return float_type(type) or isinstance(type, Tuple)
