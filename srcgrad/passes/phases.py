"""Divides the body of a loop around loops into phases, each of which runs for a block of trips.

Phases with loops alternate with those whose functions have vector forms. What trips carry, and
memory at which they meet, stays in one phase, where the trips keep their order; elements that no
other trip touches, and numbers, are handed on. Indices and elements that no trip changes are found
again where they are read. Nothing in the trips may raise or make memory. Never changes a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from srcgrad.ir.nodes import Atom, Block, Def, For, Stmt, Var, While
from srcgrad.ir.types import Scalar, is_complex, is_float, is_reference
from srcgrad.ir.walk import defined, inner_definitions, results, uses, walk
from srcgrad.passes.ahead import SerialLoops, is_function
from srcgrad.passes.combining import COMBINING, chain
from srcgrad.passes.dependence import touched
from srcgrad.passes.effects import classes_written, is_scalar_operation, may_raise
from srcgrad.passes.loops_in_chunks import VECTORISED
from srcgrad.passes.places import ELEMENTS
from srcgrad.passes.strips.candidates import INLINE, is_unrolled
from srcgrad.primitives import memory
from srcgrad.records import record

Part = tuple[int, ...]  # numbers of statements that reach each other
MOST = 200  # statements of a trip, loops and branches counted as one


@record(frozen=True)
class Phase:
    """Statements of a trip, and the positions of what they carry from trip to trip."""

    statements: Block
    carried: tuple[int, ...] = ()
    in_any_order: bool = False  # whether its trips may run upwards, whatever the loop does


def phases(loop: For, serial: SerialLoops, in_order: bool) -> list[Phase]:
    """The phases of a loop; none if it is not worth it, or may not be divided."""
    if loop.promised or len(loop.body) > MOST or not _may_pay(loop.body):
        return []
    if not all(map(is_plain, walk(loop.body))):
        return []
    found = _Phases(loop, serial, in_order)
    return found.phases() if found.may_divide() else []


def _may_pay(block: Block) -> bool:
    """Whether there are functions, and the loops beside them are not all unrolled."""
    inner = [s for s in block if isinstance(s, For | While)]
    if inner and all(isinstance(s, For) and is_unrolled(s) for s in inner):
        return False
    return any(map(has_function, block))


def is_plain(s: Stmt) -> bool:
    """Whether a statement computes numbers or touches elements, and cannot raise."""
    if any(is_reference(v.type) for v in (*results(s), *inner_definitions(s))):
        return False
    if not isinstance(s, Def):
        return True
    return not may_raise(s) and (s.op in ELEMENTS or is_scalar_operation(s))


def has_function(s: Stmt) -> bool:
    """Whether a statement calls functions, and runs no loop."""
    inside = walk((s,))
    if any(isinstance(t, For | While) for t in inside):
        return False
    return any(isinstance(t, Def) and is_function(t) for t in inside)


class _Phases:
    """The statements of a trip as a graph of what must not run before what."""

    def __init__(self, loop: For, serial: SerialLoops, in_order: bool):
        self.loop, self.serial, self.in_order = loop, serial, in_order
        self.inside = defined(loop.body) | {*loop.params}
        self.written = classes_written(loop.body, serial.classes)
        self.again: dict[Var, Def] = {}  # numbers that each phase finds for itself
        for s in loop.body:
            if isinstance(s, Def) and s.var is not None and self.is_found_again(s):
                self.again[s.var] = s
        gone = {*self.again.values()}
        self.body = [s for s in loop.body if s not in gone]
        self.reads = [{*_uses(s)} for s in self.body]
        self.maker = {v: k for k, s in enumerate(self.body) for v in results(s)}
        self.apart: dict[Var, bool] = {}

    def is_found_again(self, s: Def) -> bool:
        """Whether a number is exact, and made of indices and of memory that no trip changes."""
        assert s.var is not None
        if not all(a not in self.inside or a in self.again for a in s.args):
            return False
        if s.op is memory.load:
            return self.serial.classes.of(s.array) not in self.written
        dtype = s.var.type.dtype
        return is_scalar_operation(s) and not (is_float(dtype) or is_complex(dtype))

    def may_divide(self) -> bool:
        """Whether each carried value is a number that a trip makes, or never changes."""
        for p, y in zip(self.loop.params, self.loop.yields, strict=True):
            known = y is p or y in self.maker or y in self.again
            if not known or not isinstance(p.type, Scalar):
                return False
        return True

    # ---- what has to stay together, and what comes before what ----
    def groups(self) -> list[list[int]]:
        """Statements that see what another trip of one of them has left."""
        out = [self.group(p, y) for p, y in zip(self.loop.params, self.loop.yields, strict=True)]
        for cls, members in self.members().items():
            if len(members) > 1 and not self.is_apart(cls):
                out.append(members)
        return [g for g in out if g]

    def group(self, p: Var, y: Atom) -> list[int]:
        """The statements that read or make a carried value."""
        readers = [k for k, read in enumerate(self.reads) if p in read]
        makers = [self.maker[y]] if isinstance(y, Var) and y in self.maker else []
        return [*dict.fromkeys((*readers, *makers))]

    def members(self) -> dict[Var, list[int]]:
        """The statements that touch each class of memory to which the trips store."""
        out: dict[Var, list[int]] = {cls: [] for cls in self.written}
        for k, s in enumerate(self.body):
            for cls in self.touched(s) & self.written:
                out[cls].append(k)
        return out

    def touched(self, s: Stmt) -> set[Var]:
        of = self.serial.classes.of
        return {of(x) for t in walk((s,)) if isinstance(t, Def) for x in touched(t)}

    def is_apart(self, cls: Var) -> bool:
        """Whether no trip touches an element of a class that another one changes."""
        if cls not in self.apart:
            self.apart[cls] = self.serial.facts.keeps_apart(self.loop, cls)
        return self.apart[cls]

    def edges(self) -> Iterator[tuple[int, int]]:
        """The pairs of statements of which the second must not run before the first."""
        for k, read in enumerate(self.reads):
            yield from ((self.maker[v], k) for v in read if v in self.maker)
        for members in self.members().values():
            yield from pairwise(members)
        for group in self.groups():
            yield from zip(group, (*group[1:], group[0]), strict=True)

    # ---- the phases ----
    def phases(self) -> list[Phase]:
        before = _closure(len(self.body), self.edges())
        parts = _components(before)
        kinds = {part: self.kind(part) for part in parts}
        if not {True, False} <= {*kinds.values()}:
            return []
        number = _numbered(kinds, before)
        wanted = sorted({number[part] for part in parts if kinds[part] is not None})
        for part in sorted(parts, key=_rank(before), reverse=True):
            if kinds[part] is None:
                self.postpone(part, number, before, wanted)
        return [
            self.phase({k for part in parts if number[part] == n for k in part}, n == wanted[0])
            for n in wanted
        ]

    def postpone(
        self, part: Part, number: dict[Part, int], before: list[set[int]], wanted: list[int]
    ) -> None:
        """Moves quick statements to a later phase unless more numbers were handed on then."""
        own = number[part] if number[part] in wanted else wanted[0]
        later = [number[c] for c in number if c is not part and _precedes(part, c, before)]
        last = min(later, default=own)
        counts: list[int] = []
        for n in (own, last):
            number[part] = n
            counts.append(self.handed_on(part, {k: number[c] for c in number for k in c}))
        number[part] = last if counts[1] < counts[0] + (own % 2 == 0) else own

    def handed_on(self, part: Part, phase: dict[int, int]) -> int:
        """How many numbers that statements read or make are read in a later phase."""
        seen = {v for k in part for v in (*self.reads[k], *results(self.body[k]))} & {*self.maker}
        return sum(
            any(v in read and phase[k] > phase[self.maker[v]] for k, read in enumerate(self.reads))
            for v in seen
        )

    def kind(self, part: Part) -> bool | None:
        """Whether statements are better vectorised; None: they are quick anywhere."""
        if not all(self.has_vector_form(self.body[k]) for k in part):
            return False
        made = {v for k in part for v in results(self.body[k])}
        for p, y in zip(self.loop.params, self.loop.yields, strict=True):
            if y in made and not self.is_combined(p, y):
                return False
        return True if any(has_function(self.body[k]) for k in part) else None

    def is_combined(self, p: Var, y: Atom) -> bool:
        """Whether a value is carried by an operation whose order does not matter."""
        ops = chain(self.loop.body, p, self.loop.yields, y, self.serial.reads)
        if ops is None or len(ops) != 1 or not ops <= {*COMBINING}:
            return False
        return not (self.in_order and _is_rounded(p))

    def has_vector_form(self, s: Stmt) -> bool:
        """Whether a vectorised loop may contain a statement."""
        for t in walk((s,)):
            if isinstance(t, For | While):
                return False
            if isinstance(t, Def) and t.op in (memory.store, memory.add_at):
                if not self.is_apart(self.serial.classes.of(t.array)):
                    return False
            elif isinstance(t, Def) and t.op is not memory.load:
                if t.op not in INLINE and t.op not in VECTORISED:
                    return False
                if any(is_complex(a.type.dtype) for a in (*t.args, *results(t))):
                    return False
        return True

    def phase(self, members: set[int], first: bool) -> Phase:
        """The phase of some statements, with the numbers that it finds again."""
        own = {self.body[k] for k in members}
        carried: list[int] = []
        for k, (p, y) in enumerate(zip(self.loop.params, self.loop.yields, strict=True)):
            group = self.group(p, y)
            if group[0] in members if group else first:
                carried.append(k)
        needed: set[Atom] = {self.loop.yields[k] for k in carried}
        for s in own:
            needed.update(_uses(s))
        statements: list[Stmt] = []
        for s in reversed(self.loop.body):
            if s in own:
                statements.append(s)
            elif isinstance(s, Def) and s.var in self.again and s.var in needed:
                needed.update(s.args)
                statements.append(s)
        free = not carried and all(map(self.has_vector_form, own))
        return Phase(tuple(statements[::-1]), tuple(carried), free)


def _uses(s: Stmt) -> Iterator[Var]:
    return (v for t in walk((s,)) for v in uses(t))


def _is_rounded(v: Var) -> bool:
    assert isinstance(v.type, Scalar)
    return is_float(v.type.dtype) or is_complex(v.type.dtype)


# ---- graphs, as the predecessors of each of the nodes below n ----
def _closure(n: int, edges: Iterable[tuple[int, int]]) -> list[set[int]]:
    """The predecessors of each node, direct or not: the transitive closure."""
    before: list[set[int]] = [set() for _ in range(n)]
    for a, b in edges:
        before[b].add(a)
    for k in range(n):
        for found in before:
            if k in found:
                found |= before[k]
    return before


def _components(before: list[set[int]]) -> list[Part]:
    """The strongly connected components."""
    out = dict[Part, None]()
    for k, found in enumerate(before):
        out[tuple(sorted({k, *(j for j in found if k in before[j])}))] = None
    return [*out]


def _precedes(first: Part, second: Part, before: list[set[int]]) -> bool:
    return first is second or first[0] in before[second[0]]


def _rank(before: list[set[int]]) -> Callable[[Part], int]:
    """The key of a topological order of the components."""
    return lambda part: len(before[part[0]] | {*part})


def _numbered(kinds: Mapping[Part, bool | None], before: list[set[int]]) -> dict[Part, int]:
    """The phases: even ones of what is not vectorised, odd ones of what is, as early as may be."""
    number = dict.fromkeys(kinds, 0)
    for part in sorted(kinds, key=_rank(before)):
        earliest = max(number[c] for c in kinds if _precedes(c, part, before))
        kind = kinds[part]
        number[part] = earliest + (kind is not None and earliest % 2 != kind)
    return number
