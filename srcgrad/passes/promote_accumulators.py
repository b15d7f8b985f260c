"""Sums an element that every trip adds to in a local, and adds it once, after the loop.

>>> show(promote_accumulators(parse('''
... def f(x: f64[n], g: f64[2]):
...     n: int = dim(x, axis=0)
...     for i in range(0, n):
...         v: f64 = load(x, i)
...         add_at(g, 1, v)
...     return ()
... ''')))
def f(x: f64[n], g: f64[2]):
    n: int = dim(x, axis=0)
    total: f64 = f64(0.0)
    for i in range(0, n):
        v: f64 = load(x, i)
        total1: f64 = add(total, v)
        total = total1
    add_at(g, 1, total)
    return ()

In memory such a sum costs a load and a store per trip, which wait for each other; and a store that
may touch what the loop reads keeps LLVM from moving those reads out of it. The loop may only add
to the class, so that the order does not matter. Where it may have no trips, the place need not
exist: the addition is then guarded. Never moves what a branch guards, nor past what may raise if
the caller could see it.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While, altered, atom
from srcgrad.ir.types import BOOL, Array, Scalar, is_reference, np_dtype
from srcgrad.ir.walk import defined, inner_definitions, uses, walk
from srcgrad.passes.effects import classes_read, is_write, observable_within
from srcgrad.passes.ranged import Ranged
from srcgrad.primitives import REGISTRY, memory


def promote_accumulators(function: Function) -> Function:
    if memory.add_at not in contents(function).operations:
        return function
    return _PromoteAccumulators(function, alias_classes(function)).function(function)


class _PromoteAccumulators(Ranged):
    def __init__(self, function: Function, classes: AliasClasses):
        super().__init__(function)
        self.classes = classes
        self.visible = {classes.of(p) for p in function.params if is_reference(p.type)}

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        if not isinstance(new, For):
            yield new
            return
        groups = self.groups(new)
        if not groups:
            yield new
            return
        yield from self.summed(new, groups)

    def groups(self, s: For) -> dict[tuple[Atom, ...], list[Def]]:
        """The additions of each trip to one place: by the array and its indices."""
        sums = self.only_summed(s)
        inner = defined(s.body) | set(inner_definitions(s))
        out: dict[tuple[Atom, ...], list[Def]] = {}
        for t in s.body:
            if not (isinstance(t, Def) and t.op is memory.add_at):
                continue
            place = t.args[:-1]
            fixed = not any(v in inner for v in place if isinstance(v, Var))
            same = t.args[-1].type.dtype == place[0].type.dtype
            if fixed and same and self.classes.of(place[0]) in sums:
                out.setdefault(place, []).append(t)
        return out

    def only_summed(self, s: For) -> set[Var]:
        """The classes that a loop adds to and does not use otherwise."""
        sums: set[Var] = set()
        others: set[Var] = set()
        for t in walk(s.body):
            if not isinstance(t, Def):
                others |= {self.classes.of(v) for v in uses(t) if is_reference(v.type)}
                continue
            if t.op is memory.add_at:
                sums.add(self.classes.of(t.args[0]))
            elif is_write(t):
                others.add(self.classes.of(t.args[0]))
            others |= classes_read(t, self.classes)
        if any(observable_within(t) for t in s.body):
            others |= self.visible
        return sums - others

    def summed(self, s: For, groups: dict[tuple[Atom, ...], list[Def]]) -> Iterable[Stmt]:
        place_of = {t: place for place, ts in groups.items() for t in ts}
        params = {p: Var("total", _scalar(p[0])) for p in groups}
        now: dict[tuple[Atom, ...], Atom] = dict(params)
        body: list[Stmt] = []
        for t in s.body:
            place = place_of.get(t) if isinstance(t, Def) else None
            if place is None:
                body.append(t)
                continue
            total = Var("total", _scalar(place[0]))
            assert isinstance(t, Def)
            body.append(Def(total, REGISTRY["add"], (now[place], t.args[-1]), {}, t.loc))
            now[place] = total
        results = {p: Var("total", _scalar(p[0])) for p in groups}
        yield altered(
            s, body=tuple(body), params=(*s.params, *params.values()),
            inits=(*s.inits, *(_zero(p[0]) for p in groups)),
            yields=(*s.yields, *now.values()), results=(*s.results, *results.values()),
        )  # fmt: skip
        for place, ts in groups.items():
            added = Def(None, REGISTRY["add_at"], (*place, results[place]), {}, ts[-1].loc)
            yield from self.guarded(added, s)

    def guarded(self, added: Def, s: For) -> Iterable[Stmt]:
        """The addition, if the loop had a trip or the place is sure to exist."""
        x, *indices, _ = added.args
        dims = x.type.dims if isinstance(x.type, Array) else ()
        sure = self.ranges.at_most(s.start, s.stop, -1) or (
            bool(dims)
            and all(self.ranges.contains(i, atom(n)) for i, n in zip(indices, dims, strict=True))
        )
        if sure:
            yield added
            return
        runs = Var("runs", BOOL)
        yield Def(runs, REGISTRY["lt"], (s.start, s.stop), {}, added.loc)
        yield If(runs, (added,), (), (), (), (), added.loc)


def _scalar(x: Atom) -> Scalar:
    return Scalar(x.type.dtype)


def _zero(x: Atom) -> Const:
    return Const(np_dtype(x.type.dtype).type(0).item(), _scalar(x))
