"""Names of variables: those that are never live together share one, as in the user's program.

The variables that a loop carries and its results always share one name; their initial values and
yields, and the values of a branch, share it where no two are needed at the same time. Any other
variable may then have the name it wishes, unless that name is still needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.text import identifier
from srcgrad.printing.fold import GENERATED, Folds
from srcgrad.records import record

Interval = tuple[float, float]  # from the definition to the last read, as positions in the text


@record(eq=False)
class Shared:
    """Variables that go by one name, and when that name is in use."""

    vars: list[Var]
    intervals: list[Interval]

    def clashes(self, other: Shared) -> bool:
        return any(a < d and c < b for a, b in self.intervals for c, d in other.intervals)


@record()
class Lives:
    """The lifetimes of variables, and the pairs that must or may share a name."""

    folds: Folds
    place: float = 0.0
    bound: dict[Var, float] = field(default_factory=dict[Var, float])
    readings: list[tuple[Var, float, tuple[Loop, ...]]] = field(default_factory=lambda: [])
    loops: tuple[Loop, ...] = ()
    must: list[tuple[Var, Var]] = field(default_factory=list[tuple[Var, Var]])
    may: list[tuple[Var, Var]] = field(default_factory=list[tuple[Var, Var]])
    nameless: set[Var] = field(default_factory=set[Var])  # called after their primitive
    parts: dict[Var, Atom] = field(
        default_factory=dict[Var, Atom]
    )  # views, named after the array they view

    def function(self, f: Function) -> None:
        self.bound.update((p, 0.0) for p in f.params)
        self.block(f.body)
        self.place += 1
        self.read(f.returns)

    def read(self, atoms: Iterable[Atom]) -> None:
        for v in self.folds.leaves(*atoms):
            self.readings.append((v, self.place, self.loops))

    def bind(self, *vars: Var) -> None:
        self.bound.update((v, self.place + 0.5) for v in vars)

    def block(self, block: Block) -> None:
        for s in block:
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        match s:
            case Def(var=Var() as v) if v in self.folds.folded:
                return
            case Def():
                self.place += 1
                self.read(s.args)
                if s.var is not None:
                    self.bind(s.var)
                    if s.op.view and s.var.name.removesuffix("_bar") == s.op.name:
                        self.parts[s.var] = s.args[0]
                    elif s.var.name == s.op.name:
                        self.nameless.add(s.var)
            case For():
                self.place += 1
                self.read(s.inits)
                loop = Loop(self.place)
                self.bind(*s.params)  # before the bounds are read
                self.place += 1
                self.read((s.start, s.stop))
                self.loops = (*self.loops, loop)
                self.bind(s.index)
                self.block(s.body)
                self.leave(loop, s)
            case While():
                self.place += 1
                self.read(s.inits)
                loop = Loop(self.place)
                self.loops = (*self.loops, loop)
                self.bind(*s.params)
                self.block(s.test)
                self.place += 1
                self.read((s.cond, *s.params))
                self.block(s.body)
                self.leave(loop, s)
            case If():
                self.place += 1
                self.read((s.cond,))
                for block, yields in ((s.then, s.then_yields), (s.orelse, s.else_yields)):
                    self.block(block)
                    self.place += 1
                    self.read(yields)
                    self.wish(s.results, yields)
                self.bind(*s.results)

    def leave(self, loop: Loop, s: For | While) -> None:
        self.place += 1
        self.read(s.yields)
        loop.end = self.place
        self.loops = self.loops[:-1]
        self.must += zip(s.params, s.results, strict=True)
        self.wish(s.params, s.yields)
        self.wish(s.params, s.inits)
        self.bind(*s.results)

    def wish(self, names: tuple[Var, ...], atoms: tuple[Atom, ...]) -> None:
        for name, a in zip(names, atoms, strict=True):
            if isinstance(a, Var) and a not in self.folds.folded:
                self.may.append((name, a))

    def intervals(self) -> dict[Var, Interval]:
        last = {v: b + 0.25 for v, b in self.bound.items()}
        for v, place, loops in self.readings:
            for loop in loops:
                if self.bound[v] < loop.start + 0.25:  # bound outside: needed in every trip
                    place = max(place, loop.end)
                    break
            last[v] = max(last[v], place)
        return {v: (b, last[v]) for v, b in self.bound.items()}


@record(eq=False)
class Loop:
    start: float
    end: float = 0.0


def names_of(
    function: Function, folds: Folds, taken: set[str], given: Mapping[Var, str]
) -> dict[Var, str]:
    """A printable name for each variable that is not folded away; some are `given`."""
    lives = Lives(folds)
    lives.function(function)
    groups = {v: Shared([v], [i]) for v, i in lives.intervals().items()}
    for a, b in lives.must:
        _merge(groups, a, b)
    for a, b in lives.may:
        one, other = groups[a], groups[b]
        both = any(v in given for v in one.vars) and any(v in given for v in other.vars)
        if one is not other and not both and not one.clashes(other):
            _merge(groups, a, b)
    return _named(dict.fromkeys(groups.values()), lives, taken, given)


def _merge(groups: dict[Var, Shared], a: Var, b: Var) -> None:
    one, other = groups[a], groups[b]
    if one is other:
        return
    one.vars += other.vars
    one.intervals += other.intervals
    groups.update((v, one) for v in other.vars)


def _named(
    groups: Iterable[Shared], lives: Lives, taken: set[str], given: Mapping[Var, str]
) -> dict[Var, str]:
    order = sorted(groups, key=lambda g: min(a for a, _ in g.intervals))
    used: dict[str, list[Shared]] = {}
    names: dict[Var, str] = {}
    for group in order:
        found = next((given[v] for v in group.vars if v in given), "") or _wish(group, lives)
        wish = base = identifier(found or "t")
        k = 0
        while wish in taken or any(not found or group.clashes(g) for g in used.get(wish, ())):
            k += 1
            wish = f"{base}{k}"
        used.setdefault(wish, []).append(group)
        names.update((v, wish) for v in group.vars)
    return names


def _wish(group: Shared, lives: Lives) -> str:
    """The first name of the group that is not a generated one, if there is one."""
    names = [_own(v, lives) for v in group.vars if v not in lives.nameless]
    telling = [name for name in names if name not in GENERATED]
    return (telling or names or [""])[0]


def _own(v: Var, lives: Lives) -> str:
    while v in lives.parts:
        base = lives.parts[v]
        assert isinstance(base, Var)
        v = base
    return v.name
