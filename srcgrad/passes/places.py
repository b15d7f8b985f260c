"""Locates accesses: their buffer, and coordinates as polynomials in indices and lengths.

A *polynomial* is a dict from monomials, sorted tuples of variables, to integers. A coordinate such
as `p * trips + k`, by which a tape is addressed, stays exact. Views are followed down to the buffer
that they are views of, its *root*. Never changes a statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import count
from weakref import WeakKeyDictionary

from srcgrad.ir.build import Builder
from srcgrad.ir.facts import definitions
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Var, While, atom
from srcgrad.ir.types import INT, Array, Dim
from srcgrad.ir.walk import blocks, inner_definitions, results, walk
from srcgrad.passes.bounds import is_int64
from srcgrad.passes.effects import makes_buffer
from srcgrad.primitives import elementwise, memory, tapes
from srcgrad.records import record

Poly = dict[tuple[Var, ...], int]
ELEMENTS = frozenset((memory.load, memory.store, memory.add_at))
Place = tuple[Poly | None, ...]  # a coordinate per axis of the root; None: any


# ---- polynomials ----
def constant(c: int) -> Poly:
    return {(): c} if c else {}


def plus(a: Poly, b: Poly, k: int = 1) -> Poly:
    """a + k * b"""
    out = dict(a)
    for m, c in b.items():
        out[m] = out.get(m, 0) + k * c
    return {m: c for m, c in out.items() if c}


def times(a: Poly, b: Poly) -> Poly:
    out: Poly = {}
    for m, c in a.items():
        for n, d in b.items():
            key = tuple(sorted((*m, *n), key=_met_at))
            out[key] = out.get(key, 0) + c * d
    return {m: c for m, c in out.items() if c}


_met: WeakKeyDictionary[Var, int] = WeakKeyDictionary()
_count = count()


def _met_at(v: Var) -> int:
    """The place of a variable among those that products met: addresses differ between processes."""
    if v not in _met:
        _met[v] = next(_count)
    return _met[v]


def variables(p: Poly) -> set[Var]:
    return {v for m in p for v in m}


def linear(p: Poly, i: Var) -> tuple[Poly, Poly] | None:
    """(c, r) with p = c * i + r, both free of i; None if there are none."""
    step: Poly = {}
    rest: Poly = {}
    for m, c in p.items():
        if m.count(i) > 1:
            return None
        if i in m:
            step[tuple(v for v in m if v is not i)] = c
        else:
            rest[m] = c
    return step, rest


def evaluated(b: Builder, p: Poly, name: str = "") -> Atom:
    """Emits the computation of a polynomial."""
    terms = [
        reduce(lambda x, y: b.mul(x, y, name=name), (*(b.retyped(v, INT) for v in m), c))
        for m, c in p.items()
    ]
    return reduce(lambda x, y: b.add(x, y, name=name), terms, Const(0, INT))


# ---- accesses ----
@record(frozen=True)
class Access:
    """An access of one statement to a buffer in a trip; in `loops`, outer first."""

    statement: Def
    root: Var
    place: Place
    writes: bool
    loops: tuple[For, ...]
    row: tuple[Poly, Poly] | None = None  # the ends of the row of a tape of which it is an element

    @property
    def adds(self) -> bool:
        return self.statement.op is memory.add_at


class Places:
    """The definitions of a function, and what follows from them for indices."""

    def __init__(self, function: Function):
        self.definition = dict(definitions(function))
        self.joined = _joined(function.body)
        self.known: dict[Var, Poly] = {}
        self.bound = _order(function)

    def poly(self, a: Atom | int) -> Poly:
        """An int64 as a polynomial of variables that are not sums or products."""
        if isinstance(a, int):
            return constant(a)
        if isinstance(a, Const):
            return constant(int(a.value))
        if a not in self.known:
            self.known[a] = self._poly(a)
        return self.known[a]

    def _poly(self, a: Var) -> Poly:
        d = self.definition.get(a)
        if d is None or not all(map(is_int64, (a, *d.args))):
            return {(a,): 1}
        match d.op:
            case elementwise.add | elementwise.sub:
                x, y = map(self.poly, d.args)
                return plus(x, y, 1 if d.op is elementwise.add else -1)
            case elementwise.mul:
                x, y = map(self.poly, d.args)
                return times(x, y)
            case elementwise.cast:
                return self.poly(d.args[0])
            case _:
                return {(a,): 1}

    def trips(self, s: For) -> Poly:
        """stop - start: the trip count of a loop that runs."""
        return plus(self.poly(s.stop), self.poly(s.start), -1)

    def trips_before(self, s: For) -> Poly:
        """The number of trips of an upwards loop before the one with its index."""
        return plus(self.poly(s.index), self.poly(s.start), -1)

    def inside(self, p: Poly, loops: Sequence[For]) -> Poly:
        """A polynomial as it reads inside loops: where one over n runs, max(n, 0) is n."""
        for v in dict.fromkeys(v for m in p for v in m):  # in order
            d = self.definition.get(v)
            if d is not None and d.op is elementwise.maximum and is_int64(v):
                a, b = map(self.poly, d.args)
                if not b and self.is_trip_count(a, loops):
                    p = replaced(p, v, a)
        return p

    def is_trip_count(self, p: Poly, loops: Sequence[For]) -> bool:
        return any(p == self.trips(s) for s in loops)

    def extreme(self, p: Poly, loops: Sequence[For], side: int) -> Poly | None:
        """The least (-1) or the largest (1) value over the trips of loops, outer first, that run.

        It has the indices of other loops, and of these only where a bound that is substituted has.
        """
        for s in reversed(loops):
            parts = linear(p, s.index)
            if parts is None:
                return None
            step, rest = parts
            up = self.is_nonnegative(step, loops)
            if not up and not self.is_nonnegative(times({(): -1}, step), loops):
                return None
            start, stop = self.poly(s.start), plus(self.poly(s.stop), {(): 1}, -1)
            p = plus(rest, times(step, stop if up == (side > 0) else start))
            p = self.inside(p, loops)
        return p

    def is_nonnegative(self, p: Poly, loops: Sequence[For]) -> bool:
        """Whether a polynomial in lengths and in trip counts of loops that run is not negative."""
        return all(c > 0 for c in p.values()) and all(
            ((d := self.definition.get(v)) is not None and d.op is memory.dim)
            or self.is_trip_count({(v,): 1}, loops)
            for v in variables(p)
        )

    def place(self, x: Var, place: Place) -> tuple[Var, Place]:
        """The root below a reference, and the coordinates there."""
        while (d := self.definition.get(x)) is not None and d.op.view:
            below = d.args[0]
            match d.op:
                case memory.view:
                    place = self._through(d, place)
                case memory.transpose:
                    perm: tuple[int, ...] = d.params["perm"]
                    place = tuple(place[perm.index(k)] for k in range(len(perm)))
                case tapes.tape_view:
                    place = (self._in_tape(d, place),)
                case _:  # a root as well: two of one class are not compared
                    break
            x = below  # type: ignore[assignment]  (a view is of a variable)
        return x, place

    def _through(self, d: Def, place: Place) -> Place:
        """Coordinates in the base of a view."""
        atoms, rest = list(d.args[1:]), list(place)
        out: list[Poly | None] = []
        for code in d.params["spec"]:
            match code:
                case "n":
                    rest.pop(0)
                case "i":
                    out.append(self.poly(atoms.pop(0)))
                case "s":
                    start, _, step = (self.poly(atoms.pop(0)) for _ in range(3))
                    p = rest.pop(0)
                    out.append(None if p is None else plus(start, times(step, p)))
                case _:
                    out.append(rest.pop(0))
        return (*out, *rest)

    def _in_tape(self, d: Def, place: Place) -> Poly | None:
        """The position in a flat tape of an element of a view of it."""
        _, start, *dims = d.args
        total, step = self.poly(start), constant(1)
        for p, n in zip(reversed(place), reversed(dims), strict=True):
            if p is None:
                return None
            total, step = plus(total, times(step, p)), times(step, self.poly(n))
        return total

    def are_apart(self, x: Var, y: Var) -> bool:
        """Whether two references are views of distinct rows, or columns, of one buffer."""
        (a, first), (b, other) = (self.place(v, self._anywhere(v)) for v in (x, y))
        if a is not b:
            return False
        pairs = [
            (p, q) for p, q in zip(first, other, strict=True) if p is not None and q is not None
        ]
        gaps = [plus(p, q, -1) for p, q in pairs]
        return any(set(g) == {()} for g in gaps)

    def _anywhere(self, x: Var) -> Place:
        return (None,) * (len(x.type.dims) if isinstance(x.type, Array) else 1)

    def are_distinct(self, x: Var, y: Var) -> bool:
        """Whether two roots are distinct memory: one was made when the other existed."""
        first, second = sorted((x, y), key=self.bound.__getitem__)
        d = self.definition.get(second)
        return first is not second and d is not None and makes_buffer(d)

    def access(self, s: Def, x: Var, loops: tuple[For, ...]) -> Access:
        """The access of a statement to one reference that it reads or stores to."""
        if s.op in ELEMENTS:
            last = len(s.args) - (s.op is not memory.load)
            given: Place = tuple(self.poly(a) if is_int64(a) else None for a in s.args[1:last])
        else:  # all of it, as by loops over its elements
            is_array = isinstance(x.type, Array)
            over = tuple(_loop(n) for n in x.type.dims) if is_array else ()
            loops = (*loops, *over)
            given = tuple(self.poly(t.index) for t in over) if is_array else (None,)
        root, place = self.place(x, given)
        place = tuple(None if p is None else self.inside(p, loops) for p in place)
        return Access(s, root, place, s.op.writes and x is s.args[0], loops, self._row(x))

    def _row(self, x: Var) -> tuple[Poly, Poly] | None:
        d = self.definition.get(x)
        if d is None or d.op is not tapes.tape_view:
            return None
        _, start, *dims = d.args
        first, size = self.poly(start), reduce(times, map(self.poly, dims), constant(1))
        return first, plus(plus(first, size), constant(1), -1)


def replaced(p: Poly, v: Var, by: Poly) -> Poly:
    """A polynomial with another one for a variable."""
    out: Poly = {}
    for m, c in p.items():
        term = {tuple(x for x in m if x is not v): c}
        for _ in range(m.count(v)):
            term = times(term, by)
        out = plus(out, term)
    return out


def _joined(block: Block) -> dict[Var, tuple[Atom, Atom]]:
    """The two possible values of each variable that a loop carries or a branch joins."""
    found: dict[Var, tuple[Atom, Atom]] = {}
    for s in walk(block):
        if isinstance(s, For | While):
            either = list(zip(s.inits, s.yields, strict=True))
            found.update(zip((*s.params, *s.results), either * 2, strict=True))
        elif isinstance(s, If):
            either = list(zip(s.then_yields, s.else_yields, strict=True))
            found.update(zip(s.results, either, strict=True))
    return found


def _order(function: Function) -> dict[Var, int]:
    """The order in which variables are bound: carried ones before the body of their loop."""
    found: list[Var] = list(function.params)

    def go(block: Block) -> None:
        for s in block:
            found.extend(inner_definitions(s))
            for b in blocks(s):
                go(b)
            found.extend(results(s))

    go(function.body)
    return {v: k for k, v in enumerate(found)}


def _loop(n: Dim) -> For:
    return For(Var("k", INT), Const(0, INT), atom(n), (), (), (), (), ())
