"""Which elements of the results may depend on which elements of the inputs, for all their values.

Forward mode with every partial derivative replaced by one: a float has a count, the number of ways
in which it depends on the seeds, and a result depends on them where its count is not zero. Counts
are not negative, so nothing cancels, and sums, copies and products with ones are what they are in
forward mode; any other operation makes each element of its result depend on all of its operands.

What the inputs determine is unknown, and left out of the program: floats, but integers as well, and
which branch is taken. Both branches of an unknown condition run, and what they store is added to
what was there. A loop whose number of trips is unknown makes what it writes depend on all that it
reads. An unknown index may be any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.autodiff.counts import Counts
from srcgrad.autodiff.traced import scalar_of
from srcgrad.autodiff.unknown import Unknown, written
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Def,
    For,
    Function,
    If,
    Loop,
    Stmt,
    Var,
    While,
    atom,
    type_vars,
)
from srcgrad.ir.rule import operands
from srcgrad.ir.types import (
    Array,
    RefTape,
    Scalar,
    Tape,
    Type,
    float_type,
    is_int,
    is_reference,
)
from srcgrad.ir.walk import defined, rename, results, uses, walk
from srcgrad.primitives import attached as rows
from srcgrad.primitives import (
    callbacks,
    memory,
    messages,
    tapes,
)

ADDING = {
    memory.store: memory.add_at, memory.assign: memory.add_to, memory.scatter: memory.scatter_add,
}  # fmt: skip


def is_int_scalar(a: Atom) -> bool:
    return isinstance(a.type, Scalar) and is_int(a.type.dtype)


def dependence(function: Function, wrt: Sequence[int], table: Mapping[str, Any]) -> Function:
    """The function of the parameters, then one count per position in `wrt`, that returns the count
    of each float return.
    """
    return _Dependence(function, wrt, table).run()


class _Dependence:
    def __init__(self, function: Function, wrt: Sequence[int], table: Mapping[str, Any]):
        self.function = function
        self.b = Builder(table)
        self.classes = alias_classes(function)
        self.inputs = [function.params[k] for k in wrt]
        self.unknown = Unknown(function, self.inputs, self.classes)
        self.counts = Counts(self.b, self.unknown, self.classes)
        self.totals: dict[Atom, Atom | None] = {}  # of values with rules of their own
        self.same: dict[Var, Atom] = {}  # lengths
        self.waiting: dict[Var, set[Var | None]] = {}
        self.whiles = 0  # loops around a statement, within such a branch
        self.both = False  # within a branch that may not be taken

    def run(self) -> Function:
        f = self.function
        new = [Var(f"{p.name}_count", p.type) for p in self.inputs]
        self.counts.count.update(zip(self.inputs, new, strict=True))
        joined = [p for p in f.params if p not in self.counts.count and self.counts.is_buffer(p)]
        self.waiting = {p: set(type_vars(p.type)) for p in joined}
        self._buffers_of_parameters(None)
        self.block(f.body)
        out = tuple(
            self.counts.explicit(self.counts.of(a), a.type) for a in f.returns if float_type(a.type)
        )
        made = Function(f"{f.name}_dependence", (*f.params, *new), tuple(self.b.out), out)
        return rename(made, self.same)

    def _buffers_of_parameters(self, bound: Var | None) -> None:
        """Zeros for parameters that are stored to, as soon as their lengths are known."""
        for p, missing in list(self.waiting.items()):
            missing.discard(bound)
            if not missing:
                del self.waiting[p]
                self.counts.count[p] = self.counts.explicit(None, p.type)

    # ---- counts ----
    # ---- statements ----
    def block(self, block: Block) -> None:
        for s in block:
            self.b.loc = s.loc
            match s:
                case Def(var=None):
                    self.effect(s)
                case Def(var=Var() as v):
                    self.definition(s, v)
                case If():
                    self.branch(s)
                case For() if any(map(self.unknown, (s.start, s.stop))):
                    self.some_trips(s)
                case While() if self.unknown(s.cond):
                    self.some_trips(s)
                case For() | While():
                    self.loop(s)
                case _:
                    pass

    def definition(self, s: Def, v: Var) -> None:
        if s.op.draws:
            raise self.counts.refused("random numbers are drawn")
        if s.op is memory.dim and s.array.type.dims[s.params["axis"]] is not v:
            self.same[v] = atom(s.array.type.dims[s.params["axis"]])
        elif self.unknown(v):
            if s.op in (rows.attached, rows.part):
                self.by_own_rule(s, v)
            elif s.op is callbacks.call_back:
                raise self.counts.refused("an opaque function is called")
            elif s.op is memory.empty or isinstance(v.type, Tape | RefTape) or float_type(v.type):
                self.float(s, v)
            elif s.op.cheap and not s.op.raises and all(map(is_int_scalar, (v, *s.args))):
                self.length(s, v)
        else:  # of what is unknown only lengths are
            known = [self.of_length(a) if self.unknown(a) else a for a in s.args]
            made = Def(v, s.op, tuple(known), s.params, s.loc)
            self.b.append(made)
            self.b.definition[v] = made
        self._buffers_of_parameters(v)

    def length(self, s: Def, v: Var) -> None:
        """An integer that is known if what it is made of is."""
        pairs = self.counts.equalities(*s.args)
        if pairs is not None:
            self.counts.equal[v] = pairs
            self.b.append(s)

    def of_length(self, a: Atom) -> Atom:
        """The reference whose length is the one of an unknown one."""
        if a in self.function.params or a not in self.counts.count:
            return a
        return self.counts.count[a]

    def float(self, s: Def, v: Var) -> None:
        t = self.counts.derived(s, v)
        if isinstance(v.type, Array) and not s.op.view and not s.op.fresh:
            values = [a for a in s.args if is_reference(a.type)]
            if self.counts.is_buffer(v):
                t = self.counts.explicit(t, v.type)
            shared = any(t is self.counts.count.get(a) for a in values)
            if shared and not all(map(self.classes.is_pure, (v, *values))):
                t = self.b.copy(t)
        if t is not None:
            self.counts.count[v] = t

    def by_own_rule(self, s: Def, v: Var) -> None:
        """Values whose derivative the user states depend on all inputs of the rule."""
        if s.op is rows.part:
            t = self.counts.spread(self.totals[s.args[0]], v.type)
            if t is not None or self.counts.is_buffer(v):
                self.counts.count[v] = self.counts.explicit(t, v.type)
            return
        given = operands(s)
        self.totals[v] = self.counts.total(*map(self.counts.of, (*given.inputs, *given.foreign)))

    # ---- effects ----
    def effect(self, s: Def) -> None:
        if s.args and s.op.writes and self.unknown(s.args[0]):
            if self._is_number_memory(s.array):
                self.store(s)
        elif self.both and s.op is memory.fail:
            if self.whiles:
                raise self.counts.refused("a loop in a branch that may not be taken may not end")
        elif s.op in messages.WRITTEN:
            pass
        elif not any(map(self.unknown, s.args)):
            self.b.append(s)

    @staticmethod
    def _is_number_memory(v: Var) -> bool:
        return not isinstance(v.type, Array) or float_type(v.type)

    def store(self, s: Def) -> None:
        target, places, value = s.array, s.args[1:-1], s.args[-1]
        if isinstance(target.type, Tape | RefTape):
            return self.grow(s)
        t = self.counts.of(value)
        if target in self.counts.anywhere or any(map(self.unknown, places)):
            if t is not None:
                whole = self.counts.anywhere.get(target, target)
                self.b.add_to(
                    self.counts.count[whole],
                    self.counts.spread(self.counts.total(t), Scalar(s.array.type.dtype)),
                )
            return None
        adds = s.op.adds or self.both
        if t is None and adds:
            return None
        if t is None:
            part = s.op is memory.scatter and isinstance(value.type, Array)
            t = self.counts.explicit(None, value.type if part else Scalar(target.type.dtype))
        op = ADDING.get(s.op, s.op) if adds else s.op
        return self.b(op, self.counts.count[target], *places, t, **s.params)

    def grow(self, s: Def) -> None:
        if self.both or any(map(self.unknown, s.args[1:-1])):
            raise self.counts.refused("what a list holds depends on the inputs")
        last = s.args[-1]
        if s.op is not tapes.reserve:
            last = self._passed_on(last, last.type)
        self.b(s.op, self.counts.count[s.array], *s.args[1:-1], last, **s.params)

    def _passed_on(self, a: Atom, like: Type) -> Atom:
        """The count of an atom that gets another name, and with it the same memory."""
        if isinstance(like, Scalar):
            made = self.counts.explicit(self.counts.of(a), like)
            return self.b.cast(made, scalar_of(like))
        if a in self.counts.anywhere and not self.classes.is_pure(a):
            raise self.counts.refused("which part of an array is stored to depends on the inputs")
        return self.counts.explicit(self.counts.of(a), a.type)

    # ---- control flow ----
    def _carried(self, vs: Sequence[Var]) -> tuple[list[int], list[int]]:
        """The positions of known variables, and of those that have counts."""
        known = [k for k, v in enumerate(vs) if not self.unknown(v)]
        counted = [k for k, v in enumerate(vs) if self.unknown(v) and self._has_count(v)]
        return known, counted

    def _has_count(self, v: Var) -> bool:
        return float_type(v.type) or isinstance(v.type, Tape | RefTape)

    def _bound(self, vs: Sequence[Var], which: tuple[list[int], list[int]]) -> tuple[Var, ...]:
        known, counted = which
        for k in counted:
            self.counts.check_lengths(vs[k].type)
        new = [Var(f"{vs[k].name}_count", vs[k].type) for k in counted]
        self.counts.count.update(zip((vs[k] for k in counted), new, strict=True))
        return (*(vs[k] for k in known), *new)

    def _given(
        self, atoms: Sequence[Atom], which: tuple[list[int], list[int]], like: Sequence[Var]
    ) -> tuple[Atom, ...]:
        known, counted = which
        made = (self._passed_on(atoms[k], like[k].type) for k in counted)
        return (*(atoms[k] for k in known), *made)

    def loop(self, s: Loop) -> None:
        which = self._carried(s.params)
        inits = self._given(s.inits, which, s.params)
        params = self._bound(s.params, which)
        test: list[Stmt] = []
        self.whiles += isinstance(s, While)
        if isinstance(s, While):
            with self.b.block() as test:
                self.block(s.test)
        with self.b.block() as body:
            self.block(s.body)
            yields = self._given(s.yields, which, s.params)
        self.whiles -= isinstance(s, While)
        after = self._bound(s.results, which)
        if isinstance(s, While):
            made: Stmt = While(
                tuple(test), s.cond, params, inits, tuple(body), yields, after, s.limit, s.loc
            )
        else:
            made = For(
                s.index, s.start, s.stop, params, inits, tuple(body), yields, after, s.reverse,
                loc=s.loc, promised=s.promised,
            )  # fmt: skip
        self.b.append(made)

    def branch(self, s: If) -> None:
        if self.unknown(s.cond):
            return self.either(s)
        which = self._carried(s.results)
        sides: list[tuple[Block, tuple[Atom, ...]]] = []
        for block, yields in ((s.then, s.then_yields), (s.orelse, s.else_yields)):
            with self.b.block() as out:
                self.block(block)
                new = self._given(yields, which, s.results)
            sides.append((tuple(out), new))
        (then, then_yields), (orelse, else_yields) = sides
        after = self._bound(s.results, which)
        self.b.append(If(s.cond, then, orelse, then_yields, else_yields, after, s.loc))
        return None

    def either(self, s: If) -> None:
        """Both branches, one after the other: what either stores is added."""
        outer, self.both, self.whiles = (self.both, self.whiles), True, 0
        self.block(s.then)
        self.block(s.orelse)
        self.both, self.whiles = outer
        for r, a, b in zip(s.results, s.then_yields, s.else_yields, strict=True):
            if is_int_scalar(r):
                self._equal(r, a, b)
        for r, a, b in zip(s.results, s.then_yields, s.else_yields, strict=True):
            if self._has_count(r):
                self._one_of(r, [self.counts.of(a), self.counts.of(b)])

    def _equal(self, r: Var, a: Atom, b: Atom) -> None:
        """An integer after an unknown branch: known where both leave the same one."""
        pairs = self.counts.equalities(a, b)
        if pairs is not None:
            self.counts.equal[r] = pairs if a == b else [*pairs, (a, b)]
            self.same[r] = a

    def _one_of(self, r: Var, counts: list[Atom | None]) -> None:
        if is_reference(r.type) and not self.classes.is_pure(r):
            raise self.counts.refused("which array is stored to depends on the inputs")
        t = self.counts.together(counts, r.type)
        if t is not None:
            self.counts.count[r] = t

    def some_trips(self, s: Loop) -> None:
        """A loop whose number of trips is unknown: what it writes depends on all that it reads."""
        inside = defined((s,))
        read = dict.fromkeys(
            v for inner in walk((s,)) for v in uses(inner)
            if v not in inside and self.unknown(v) and self._has_count(v)
        )  # fmt: skip
        if any(isinstance(v.type, Tape | RefTape) for v in read):
            raise self.counts.refused("what a list holds depends on the inputs")
        total = self.counts.total(*map(self.counts.of, read))
        if total is None:
            return
        stored = {self.classes.of(v) for v in written(s)}
        for v in read:
            if is_reference(v.type) and self.classes.of(v) in stored:
                whole = self.counts.anywhere.get(v, v)
                self.b.add_to(self.counts.count[whole], self.b.cast(total, Scalar(v.type.dtype)))
        for r in results(s):
            if self._has_count(r):
                self._one_of(r, [self.counts.spread(total, r.type)])
