"""Decides whether the trips of a loop are independent, and what they share if they are.

Trips are independent if none needs the work of another: carried values are sums and extrema that
no trip reads, and no element that one trip stores to is touched by another. Memory that a trip
makes is its own. Additions commute: trips may also add to neighbouring elements, or anywhere in an
array, which they then share. Refuses when in doubt, and says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property, reduce
from itertools import combinations

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import defined, uses, walk
from srcgrad.operation import Primitive
from srcgrad.passes.combining import chain, chosen, reads_of_statements
from srcgrad.passes.effects import is_write, makes_buffer, reads
from srcgrad.passes.places import ELEMENTS, Access, Places, Poly, linear, plus, times, variables
from srcgrad.passes.verdicts import Dependent, Independent
from srcgrad.primitives import callbacks, draws, elementwise, memory, messages, tapes

KEEPS = "each trip makes storage for what its gradient needs"
REBINDS = "each trip needs an array to which a loop around it has bound a name anew"
CALLS_PYTHON = "each trip calls Python"
# operations on memory of the program, not of a trip
OUTSIDE = {
    tapes.tape: KEEPS, tapes.tape_like: KEEPS, tapes.reftape: KEEPS, tapes.ref_get: REBINDS,
    tapes.ref_put: REBINDS, callbacks.call_back: CALLS_PYTHON, draws.draw: CALLS_PYTHON,
    messages.report: CALLS_PYTHON,
}  # fmt: skip
GROWS = "each trip keeps a number of values that only its run tells"
NEAR = 8  # the largest distance of neighbours


class Dependence:
    """Facts about a function that decide about its loops."""

    def __init__(self, function: Function, in_chunks: bool = False):
        """`in_chunks`: chunks have their own scratch tapes, and are combined in order."""
        self.classes, self.places = alias_classes(function), Places(function)
        self.in_chunks, self.body = in_chunks, function.body
        self.reads = reads_of_statements()

    @cached_property
    def uses(self) -> Counter[Var]:
        """The number of times that the function names each alias class."""
        return self.of_classes(self.body)

    def of_classes(self, block: Block) -> Counter[Var]:
        """The number of times that statements name each alias class."""
        named = (v for s in walk(block) for v in uses(s) if is_reference(v.type))
        return Counter(map(self.classes.of, named))

    def of(self, loop: For) -> Independent | Dependent:
        return _Trips(loop, self).verdict()

    def of_joined(
        self, loop: For, first: Independent, second: Independent, both: Set[Var]
    ) -> Independent | Dependent:
        """The verdict on a loop made of two, from what was found for each.

        `both`: the alias classes that both name and one changes; these are looked at again.
        """
        found = _Trips(loop, self, both).memory()
        if isinstance(found, Dependent):
            return found
        alone = (part.without(lambda v: self.classes.of(v) in both) for part in (first, second))
        return reduce(Independent.__or__, (*alone, found))

    def keeps_apart(self, loop: For, cls: Var) -> bool:
        """Whether no trip touches an element of an alias class that another one changes."""
        found = _Trips(altered(loop, promised=False), self, {cls}).memory()
        return isinstance(found, Independent) and not (found.shared or found.near or found.scratch)

    def accesses(self, loop: For) -> list[Access]:
        """The accesses to memory in the trips of a loop, to their own memory included."""
        return list(_Trips(loop, self).accesses(loop.body, (loop,)))

    def extreme(self, loop: For, p: Poly, inner: Sequence[For], side: int) -> Poly | None:
        """The least (-1) or the largest (1) value of a polynomial in a trip, over its loops."""
        return _Trips(loop, self).end(p, inner, side)


class _Trips:
    def __init__(self, loop: For, facts: Dependence, only: Set[Var] | None = None):
        """`only`: the alias classes whose memory is looked at; None: all."""
        self.loop, self.facts, self.only = loop, facts, only
        self.statements = walk(loop.body)
        self.inside = defined(loop.body) | {*loop.params, loop.index}

    def verdict(self) -> Independent | Dependent:
        for s in self.statements:
            if isinstance(s, Def) and not _is_local(s):
                return Dependent(OUTSIDE.get(s.op, f"each trip runs '{s.op.name}'"), s.loc)
        combined: list[Primitive | None] = []
        better = chosen(self.loop) if self.facts.in_chunks else {}
        for k, (p, y) in enumerate(zip(self.loop.params, self.loop.yields, strict=True)):
            how = better[k][0] if k in better else self.carried(p, y)
            if isinstance(how, Dependent):
                return self.growing() or how
            combined.append(how)
        found = self.memory()
        if isinstance(found, Dependent):
            return found
        leaders = {k: leader for k, (_, leader) in better.items()}
        return replace(found, combined=tuple(combined), leaders=leaders)

    def memory(self) -> Independent | Dependent:
        """The verdict by what trips touch alone, whatever they carry."""
        shared: list[Var] = []
        near: list[Var] = []
        scratch: list[Var] = []
        distance = 0
        for accesses in self.by_class():
            if self.is_scratch(accesses):
                scratch.append(accesses[0].root)
                continue
            found = self.apart(accesses)
            if isinstance(found, Dependent):
                return found
            if isinstance(found, Var):
                shared.append(found)
            elif found:
                near.append(accesses[0].root)
                distance = max(distance, found)
        return Independent((), tuple(shared), tuple(scratch), tuple(near), distance)

    def growing(self) -> Dependent | None:
        """The refusal of a loop that grows a tape by counts that only its trips know."""
        for s in self.statements:
            if isinstance(s, Def) and s.op is tapes.reserve and not self.is_own(s.args[0], set()):
                return Dependent(GROWS, s.loc)
        return None

    # ---- carried values ----
    def carried(self, p: Var, y: Atom) -> Primitive | Dependent | None:
        """The operation that combines a carried value over the trips; None if it never changes."""
        if y is p or self.is_plus_zero(y, p):
            return None
        ops = None if is_reference(p.type) else self.chain(p, y)
        if ops is None or len(ops) != 1:
            return Dependent(
                f"each trip needs '{p.name}' of the one before it", self.loop.loc, True
            )
        return ops.pop()

    def chain(self, p: Var, y: Atom) -> set[Primitive] | None:
        return chain(self.loop.body, p, self.loop.yields, y, self.facts.reads)

    def is_plus_zero(self, y: Atom, p: Var) -> bool:
        """Whether `y` is 0 + p: an adjoint that a trip passes on."""
        d = self.facts.places.definition.get(y) if isinstance(y, Var) else None
        if d is None or d.op is not elementwise.add or p not in d.args:
            return False
        return any(isinstance(a, Const) and a.value == 0 for a in d.args)

    # ---- memory ----
    def accesses(self, block: Block, loops: tuple[For, ...]) -> Iterator[Access]:
        for s in block:
            match s:
                case Def():
                    for x in touched(s):
                        if self.only is None or self.facts.classes.of(x) in self.only:
                            yield self.facts.places.access(s, x, loops)
                case For():
                    yield from self.accesses(s.body, (*loops, s))
                case While():
                    yield from self.accesses(s.test + s.body, loops)
                case If():
                    yield from self.accesses(s.then + s.orelse, loops)

    def by_class(self) -> list[list[Access]]:
        """The accesses to memory that is stored to, unless the trip made it, by class."""
        of = self.facts.classes.of
        found: dict[Var, list[Access]] = {}
        for a in self.accesses(self.loop.body, (self.loop,)):
            if not self.is_own(a.root, set()):
                found.setdefault(of(a.root), []).append(a)
        parts = [part for each in found.values() for part in self.by_root(each)]
        return [each for each in parts if any(a.writes for a in each)]

    def by_root(self, accesses: list[Access]) -> list[list[Access]]:
        """The accesses to one class, separated by roots that are distinct memory."""
        roots = list(dict.fromkeys(a.root for a in accesses))
        if any(x in self.inside for x in roots) or not all(
            self.facts.places.are_distinct(x, y) for x, y in combinations(roots, 2)
        ):
            return [accesses]
        return [[a for a in accesses if a.root is x] for x in roots]

    def is_own(self, x: Atom, seen: set[Atom]) -> bool:
        """Whether a reference leads to memory that the trip itself has made."""
        places = self.facts.places
        if x in seen:
            return True  # decided by its other possible values
        seen.add(x)
        if not isinstance(x, Var) or x not in self.inside or x in self.loop.params:
            return False
        d = places.definition.get(x)
        if d is not None:
            return self.is_own(d.args[0], seen) if d.op.view else makes_buffer(d)
        return all(self.is_own(y, seen) for y in places.joined[x])

    def is_scratch(self, accesses: list[Access]) -> bool:
        """Whether these accesses are to a tape that only the trips name, each for itself."""
        root = accesses[0].root
        d = self.facts.places.definition.get(root)
        if not self.facts.in_chunks or d is None or not d.params.get("scratch"):
            return False
        cls = self.facts.classes.of(root)
        alone = self.facts.uses[cls] == self.facts.of_classes(self.loop.body)[cls]
        return alone and self.is_one_name(root) and all(a.root is root for a in accesses)

    def apart(self, accesses: list[Access]) -> int | Var | Dependent:
        """The distance at which trips may meet (0: nowhere), or the array that all add to."""
        root = accesses[0].root
        first = next(a.statement for a in accesses if a.writes)
        if any(a.statement.op is tapes.reserve for a in accesses):
            return Dependent(GROWS, first.loc)
        if any(a.root is not root for a in accesses) or root in self.inside:
            return Dependent("trips may reach one array by several names", first.loc)
        axes = list(zip(*(a.place for a in accesses), strict=True))
        if any(self.moves_apart(places, accesses) for places in axes):
            return 0
        if not self.only_adds(accesses):
            if self.meet(accesses):
                return Dependent(f"trips touch one element of '{root.name}'", first.loc, True)
            if self.loop.promised and all(self.is_by_data(a) for a in accesses if a.writes):
                return 0  # the compiler's own buffers are never stored to at such places
            return Dependent(f"trips may touch one element of '{root.name}'", first.loc)
        near = [d for places in axes if (d := self.distance(places)) is not None]
        if near and min(near) <= NEAR:
            return min(near)
        if isinstance(root.type, Array) and self.is_one_name(root):
            return root
        return Dependent(f"trips may add to one element of '{root.name}'", first.loc)

    def is_by_data(self, a: Access) -> bool:
        """Whether a place depends on data of the trip, not on indices alone."""
        indices = {self.loop.index, *(s.index for s in a.loops)}
        return any(p is None or variables(p) & self.inside - indices for p in a.place)

    def meet(self, accesses: list[Access]) -> bool:
        """Whether two trips certainly touch one element that one of them stores to."""
        always = [a for a in accesses if any(a.statement is s for s in _always(self.loop.body))]
        stores = [a for a in always if a.statement.op in (memory.store, memory.add_at)]
        return any(
            self.at_distance(a, b) for a in stores for b in always if not (a.adds and b.adds)
        )

    def at_distance(self, a: Access, b: Access) -> bool:
        """Whether `a` in some trip touches the element that `b` touches in another."""
        gaps: set[int] = set()
        for p, q in zip(a.place, b.place, strict=True):
            x, y = self.form(p), self.form(q)
            if x is None or y is None or x[0] != y[0] or set(x[0]) - {()}:
                return False
            if not (variables(x[1]) | variables(y[1])) & self.inside <= self.repeated(a, b):
                return False
            gap, step = plus(x[1], y[1], -1), x[0].get((), 0)
            away = gap.get((), 0)
            if set(gap) - {()} or (away % step if step else away):
                return False
            if step:
                gaps.add(away // step)
        return not gaps or (len(gaps) == 1 and 0 < abs(gaps.pop()) <= NEAR)

    def repeated(self, *accesses: Access) -> set[Var]:
        """The indices of inner loops with the same range in each trip."""
        loops = [s for a in accesses for s in a.loops[1:]]
        return {s.index for s in loops if s.start not in self.inside and s.stop not in self.inside}

    def is_one_name(self, root: Var) -> bool:
        """Whether the trips reach a buffer from outside by one name."""
        of = self.facts.classes.of
        read = {v for s in self.statements for v in uses(s) if is_reference(v.type)}
        return all(v is root or v in self.inside for v in read if of(v) is of(root))

    def only_adds(self, accesses: list[Access]) -> bool:
        """Whether trips only add to a class: by `add_at`, or by a load, a sum and a store."""
        found = [a.statement for a in accesses]
        loads: dict[Atom | None, Def] = {s.var: s for s in found if s.op is memory.load}
        read = Counter(v for s in self.statements for v in uses(s))
        for s in found:
            if s.op is memory.store:
                d = self.facts.places.definition.get(s.args[-1])  # type: ignore[arg-type]  (a constant has no definition)
                if d is None or d.op is not elementwise.add:
                    return False
                old = [loads.pop(x) for x in d.args if x in loads]
                if len(old) != 1 or old[0].args != s.args[:-1]:
                    return False
                if any(v is None or read[v] != 1 for v in (d.var, old[0].var)):
                    return False
            elif s.op not in (memory.load, memory.add_at):
                return False
        return not loads

    def moves_apart(self, places: Sequence[Poly | None], accesses: list[Access]) -> bool:
        """Whether coordinates differ whenever their trips do: they stay within one step."""
        forms = [f for p in places if (f := self.form(p)) is not None]
        step = forms[0][0] if forms else {}
        if not step or len(forms) < len(places) or any(f[0] != step for f in forms):
            return False
        rests = [f[1] for f in forms]
        if all(r == rests[0] for r in rests) and not variables(rests[0]) & self.inside:
            return set(step) == {()}  # a step that is a variable may be 0
        if set(step) == {()} and self.never_meet(step[()], rests):
            return True
        size = step if all(c > 0 for c in step.values()) else times({(): -1}, step)
        of_elements = [(r, r) for r in rests]
        of_rows = [self.row(a, step) or (r, r) for a, r in zip(accesses, rests, strict=True)]
        return any(self.span_less(ends, accesses, size) for ends in (of_elements, of_rows))

    def row(self, a: Access, step: Poly) -> tuple[Poly, Poly] | None:
        """The ends of the row of a tape within which an access stays, without the loop's index."""
        forms = [f for p in a.row or () if (f := self.form(p)) is not None and f[0] == step]
        return (forms[0][1], forms[1][1]) if len(forms) == 2 else None

    def span_less(self, ends: list[tuple[Poly, Poly]], accesses: list[Access], size: Poly) -> bool:
        """Whether what accesses of a trip may reach, each between two ends, is within a step."""
        loops = [a.loops[1:] for a in accesses]
        low = [self.end(p, inner, -1) for (p, _), inner in zip(ends, loops, strict=True)]
        high = [self.end(p, inner, 1) for (_, p), inner in zip(ends, loops, strict=True)]
        return all(_spans_less(a, b, size) for a in low for b in high)

    def never_meet(self, step: int, rests: list[Poly]) -> bool:
        """Whether the difference of offsets is not a multiple of the step."""
        gaps = [plus(r, rests[0], -1) for r in rests]
        if any(set(g) - {()} for g in gaps) or variables(rests[0]) & self.inside:
            return False
        numbers = {g.get((), 0) for g in gaps}
        return all((a - b) % step for a in numbers for b in numbers if a != b)

    def distance(self, places: Sequence[Poly | None]) -> int | None:
        """The largest distance of coordinates that move by one per trip."""
        rests: list[Poly] = []
        for p in places:
            form = self.form(p)
            if form is None or form[0] != {(): 1} or variables(form[1]) & self.inside:
                return None
            rests.append(form[1])
        gaps = [plus(r, rests[0], -1) for r in rests]
        if any(set(g) - {()} for g in gaps):
            return None
        numbers = [g.get((), 0) for g in gaps]
        return max(numbers) - min(numbers)

    def form(self, p: Poly | None) -> tuple[Poly, Poly] | None:
        """A coordinate as step * index + rest, with a step that no trip changes."""
        parts = None if p is None else linear(p, self.loop.index)
        return None if parts is None or variables(parts[0]) & self.inside else parts

    def end(self, p: Poly, loops: Sequence[For], side: int) -> Poly | None:
        """The least (-1) or the largest (1) value over the trips of inner loops."""
        found = self.facts.places.extreme(p, loops, side)
        return None if found is None or variables(found) & self.inside else found


def touched(s: Def) -> list[Var]:
    """The references whose elements a statement reads or stores to."""
    if s.op.view or s.op is tapes.slots:
        return []
    found = [s.args[0], *reads(s)] if is_write(s) else reads(s)
    return [x for x in dict.fromkeys(found) if isinstance(x, Var)]


def _spans_less(low: Poly | None, high: Poly | None, size: Poly) -> bool:
    """Whether high - low < size."""
    if low is None or high is None:
        return False
    gap = plus(size, plus(high, low, -1), -1)
    return set(gap) == {()} and gap[()] >= 1


def _always(block: Block) -> list[Stmt]:
    """The statements that run in each trip, provided that inner loops run."""
    out = list(block)
    for s in block:
        if isinstance(s, For):
            out += _always(s.body)
    return out


def _is_local(s: Def) -> bool:
    """Whether a statement only computes, and touches memory only through its operands."""
    if s.op.effect:
        return s.op in ELEMENTS or s.op is tapes.reserve or (s.op.raises and not s.op.writes)
    return s.op not in OUTSIDE
