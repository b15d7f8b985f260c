"""Batches a linear sweep over many seeds: every value that depends on a seed gets a trailing axis.

Derivatives are linear in their seeds, so control flow does not depend on them: primal values are
recovered and rewound once for all seeds, and a scalar of the reverse sweep becomes a vector. Raises
`Unbatched` where a user-defined rule branches on its seed or returns several values. The
batched form of each operation is in `batch_rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from srcgrad.autodiff.activity import reachable
from srcgrad.autodiff.batch_rules import EFFECTS, RULES, Batch, Unbatched, along
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import blocks, results, uses, walk
from srcgrad.primitives import memory, tapes


class Varying:
    """The values that depend on the seeds; memory that is stored to counts by alias class."""

    def __init__(self, function: Function, seeds: Sequence[Var]):
        self.classes = alias_classes(function)
        flows = [edge for s in walk(function.body) for edge in _flows(s)]
        edges = [(self._key(a), self._key(b)) for a, b in flows if isinstance(a, Var)]
        self.found = reachable(map(self._key, seeds), edges)
        if any(self(p) for p in function.params if p not in seeds):
            raise Unbatched("a parameter shares memory with what varies")

    def within(self, s: Stmt) -> bool:
        """Whether a statement, or one nested in it, reads or defines a varying value."""
        own = any(map(self, (*uses(s), *results(s))))
        return own or any(self.within(t) for b in blocks(s) for t in b)

    def _key(self, v: Var) -> Var:
        impure = is_reference(v.type) and not self.classes.is_pure(v)
        return self.classes.of(v) if impure else v

    def __call__(self, a: Atom) -> bool:
        return isinstance(a, Var) and self._key(a) in self.found


def _flows(s: Stmt) -> Iterator[tuple[Atom, Var]]:
    match s:
        case Def(var=None):
            target = s.args[0] if s.op.writes else None
            if isinstance(target, Var):
                yield from ((a, target) for a in s.args[1:])
        case Def(var=Var() as v) if s.op not in (memory.dim, tapes.slots):
            yield from ((a, v) for a in s.args)
        case For() | While():
            for p, init, new, r in zip(s.params, s.inits, s.yields, s.results, strict=True):
                yield from ((init, p), (new, p), (p, r))
        case If():
            for r, a, b in zip(s.results, s.then_yields, s.else_yields, strict=True):
                yield from ((a, r), (b, r))
        case _:
            pass


class Emitter:
    """Emits the batched form of a function's statements."""

    def __init__(self, b: Builder, size: Any, varies: Varying):
        self.b, self.batch = b, Batch(b, size, varies, varies.classes.is_pure)

    def block(self, block: Block) -> None:
        for s in block:
            self.b.loc = s.loc
            match s:
                case Def():
                    self.definition(s)
                case For():
                    self.for_loop(s)
                case While():
                    self.while_loop(s)
                case If():
                    self.branch(s)

    def definition(self, s: Def) -> None:
        batch = self.batch
        if s.var is None and s.op in EFFECTS and batch.varies(s.args[0]):
            EFFECTS[s.op](batch, s)
        elif s.var is None:
            batch.require_still(s.args)
            self.keep(s)
        elif not batch.varies(s.var):
            self.keep(s)
        elif not s.op.fresh and not any(map(batch.varies, s.args)):
            self.spread(s, s.var)
        else:
            batch.new[s.var] = made = self.rule(s)(batch, s)
            last = self.b.out[-1] if self.b.out else None
            if isinstance(last, Def) and last.var is made:
                made.name = s.var.name

    @staticmethod
    def rule(s: Def) -> Callable[[Batch, Def], Any]:
        if s.op.elementwise:
            return Batch.elementwise
        return RULES.get(s.op, along if s.op.along and s.op.kind == "linear" else Batch.each)

    def spread(self, s: Def, v: Var) -> None:
        """Broadcasts a new buffer that will hold varying values: at first all seeds are equal."""
        still = Var(v.name, v.type)
        self.b.append(altered(s, var=still))
        self.batch.new[v] = self.batch.lifted(still)

    def keep(self, s: Stmt) -> None:
        if isinstance(s, Def) and any(v in self.batch.new for v in uses(s)):
            s = self.batch.lengths(s)
        self.b.append(s)
        if isinstance(s, Def) and s.var is not None:
            self.b.definition[s.var] = s

    # ---- control flow ----
    def bound(self, vs: tuple[Var, ...]) -> tuple[Var, ...]:
        """The variables that a loop or branch binds, batched where they vary."""
        out: list[Var] = []
        for v in vs:
            if self.batch.varies(v):
                self.batch.new[v] = Var(v.name, self.batch.type(v.type))
            out.append(self.batch.new.get(v, v))
        return tuple(out)

    def joined(self, atoms: tuple[Atom, ...], vs: tuple[Var, ...]) -> tuple[Atom, ...]:
        """The values that `vs` are bound to, batched where `vs` are."""
        pairs = zip(atoms, vs, strict=True)
        return tuple(self.batch.joined(a, v) if self.batch.varies(v) else a for a, v in pairs)

    def inner(
        self, block: Block, yields: tuple[Atom, ...], vs: tuple[Var, ...]
    ) -> tuple[Block, tuple[Atom, ...]]:
        with self.b.block() as out:
            self.block(block)
            new = self.joined(yields, vs)
        return tuple(out), new

    def for_loop(self, s: For) -> None:
        self.batch.require_still((s.start, s.stop))
        inits = self.joined(s.inits, s.params)
        params = self.bound(s.params)
        body, yields = self.inner(s.body, s.yields, s.params)
        results = self.bound(s.results)
        self.b.append(
            For(s.index, s.start, s.stop, params, inits, body, yields, results, s.reverse, s.loc,
                promised=s.promised)
        )  # fmt: skip

    def while_loop(self, s: While) -> None:
        self.batch.require_still((s.cond,))
        inits = self.joined(s.inits, s.params)
        params = self.bound(s.params)
        test, _ = self.inner(s.test, (), ())
        body, yields = self.inner(s.body, s.yields, s.params)
        results = self.bound(s.results)
        self.b.append(While(test, s.cond, params, inits, body, yields, results, s.limit, s.loc))

    def branch(self, s: If) -> None:
        self.batch.require_still((s.cond,))
        then, then_yields = self.inner(s.then, s.then_yields, s.results)
        orelse, else_yields = self.inner(s.orelse, s.else_yields, s.results)
        results = self.bound(s.results)
        self.b.append(If(s.cond, then, orelse, then_yields, else_yields, results, s.loc))
