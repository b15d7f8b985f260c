"""Scalar replacement: an element that a loop keeps is a variable while the loop runs.

>>> show(scalar_replacement(parse('''
... def f(x: f64[n], a: f64):
...     n: int = dim(x, axis=0)
...     for i in range(0, n):
...         for j in range(0, i):
...             v: f64 = load(x, j)
...             t: f64 = mul(v, a)
...             add_at(x, i, t)
...     return ()
... ''')))
def f(x: f64[n], a: f64):
    n: int = dim(x, axis=0)
    for i in range(0, n):
        x1: f64 = load(x, i)
        x2: f64 = x1
        for j in range(0, i):
            v: f64 = load(x, j)
            t: f64 = mul(v, a)
            x3: f64 = add(x2, t)
            x2 = x3
        store(x, i, x2)
    return ()

Reverse mode then has no old element to save and to restore in each trip, and the compiler no store
that the next trip waits for. The place must be the same in all trips and be certain to exist; every
other access of the loop to that memory must be to another element, by the ranges of the indices
there. An element that the loop only reads is read before it. A sum keeps its order; one that no
loop around it reads is left to `promote_accumulators`. Never applies where the loop uses an array
of the memory as a whole, nor to what a trip shows to the caller before it may raise, and never
changes what trips of a promised loop share.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.clone import anew
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.nodes import atom as as_atom
from srcgrad.ir.types import INT, Array, Scalar, is_float, is_reference, np_dtype
from srcgrad.ir.walk import defined, inner_definitions, walk
from srcgrad.passes.bounds import is_int64
from srcgrad.passes.effects import classes_read, classes_written, is_write, observable_within, reads
from srcgrad.passes.places import ELEMENTS
from srcgrad.passes.ranged import Ranged
from srcgrad.passes.ranges import Ranges
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory
from srcgrad.records import record

Coordinate = tuple[Atom, int]  # an index and what slices add to it
# a buffer, and an atom and an offset for each of its axes
Key = tuple[Var, tuple[tuple[Atom, int], ...]]
ORIGIN = Const(0, INT)


def scalar_replacement(function: Function) -> Function:
    inside = contents(function)
    if not inside.depth or inside.operations.isdisjoint(ELEMENTS):
        return function
    return _ScalarReplacement(function).function(function)


# ---- elements ----
@record(frozen=True)
class Element:
    """An element of a buffer: a coordinate for each of its axes, None where it is unknown."""

    root: Var
    place: tuple[Coordinate | None, ...]

    def key(self, ranges: Ranges) -> Key | None:
        """The place that accesses to one element share, None if it is unknown."""
        found: list[tuple[Atom, int]] = []
        for at in self.place:
            if at is None:
                return None
            base, offset = ranges.form(at[0])
            found.append((ORIGIN if base is None else base, offset + at[1]))
        return self.root, tuple(found)

    def is_apart(self, other: Element, ranges: Ranges) -> bool:
        """Whether two elements certainly differ, by what is known of their indices here."""
        pairs = zip(self.place, other.place, strict=True) if self.root is other.root else ()
        return any(_differ(p, q, ranges) for p, q in pairs)


def _differ(one: Coordinate | None, other: Coordinate | None, ranges: Ranges) -> bool:
    if one is None or other is None:
        return False
    (a, j), (b, k) = one, other
    return ranges.at_most(a, b, k - j - 1) or ranges.at_most(b, a, j - k - 1)


def element(s: Def, ranges: Ranges) -> Element:
    """The element that a load, a store or an addition accesses, below views by integers."""
    x: Var = s.array
    place: list[Coordinate | None] = [(a, 0) if is_int64(a) else None for a in _indices(s)]
    while (d := ranges.definition.get(x)) is not None:
        if d.op is memory.transpose:
            perm = d.params["perm"]
            place = [place[perm.index(k)] for k in range(len(perm))]
        elif d.op is memory.view and (below := _below(d, place)) is not None:
            place = below
        else:
            break
        x = d.array
    return Element(x, tuple(place))


def _below(d: Def, place: list[Coordinate | None]) -> list[Coordinate | None] | None:
    """Coordinates in the array that a view is of; None if a slice moves them by a variable."""
    atoms, rest = list(d.args[1:]), list(place)
    out: list[Coordinate | None] = []
    for code in d.params["spec"]:
        if code == "n":
            rest.pop(0)
        elif code == "i":
            at = atoms.pop(0)
            out.append((at, 0) if is_int64(at) else None)
        elif code == ":":
            out.append(rest.pop(0))
        else:
            start, _, step = (atoms.pop(0) for _ in range(3))
            at = rest.pop(0)
            if not (isinstance(start, Const) and isinstance(step, Const) and step.value == 1):
                return None
            out.append(None if at is None else (at[0], at[1] + start.value))
    return out


def _indices(s: Def) -> tuple[Atom, ...]:
    return s.args[1:] if s.op is memory.load else s.args[1:-1]


# ---- which elements a loop keeps ----
@record()
class Kept:
    """An element that a loop keeps, by an access with operands from before the loop."""

    access: Def
    element: Element
    stored: Def | None = None  # the last store to it
    only_adds: bool = True

    @property
    def stores(self) -> bool:
        return self.stored is not None

    @property
    def type(self) -> Scalar:
        return Scalar(self.access.array.type.dtype)

    @property
    def operands(self) -> tuple[Atom, ...]:
        return (self.access.array, *_indices(self.access))


class _Accesses:
    """Finds the elements that a loop keeps: each other access to their memory is elsewhere."""

    def __init__(self, loop: For, ranges: Ranges, classes: AliasClasses, shown: set[Var]):
        """`shown`: classes whose contents the caller sees when a trip raises."""
        self.loop, self.ranges, self.classes = loop, ranges, classes
        self.inner = defined(loop.body) | set(inner_definitions(loop))
        self.found = self.candidates()
        for key in [k for k, kept in self.found.items() if kept.stores]:
            if loop.promised or classes.of(key[0]) in shown:
                del self.found[key]
        if self.found:
            with ranges.scope():
                ranges.enter(loop)
                self.block(loop.body, direct=True)

    def candidates(self) -> dict[Key, Kept]:
        """Elements that are fixed and sure to exist, accessed outside of inner loops."""
        found: dict[Key, Kept] = {}
        unsuitable: set[Key] = set()
        written = classes_written(self.loop.body, self.classes)
        for s in _outside_loops(self.loop.body):
            x = s.array
            if not isinstance(x.type, Array) or self.classes.of(x) not in written:
                continue
            at = element(s, self.ranges)
            key = at.key(self.ranges)
            if key is None or not self.is_fixed(at.root, *(v for v, _ in key[1])):
                continue
            if not _fits(s):
                unsuitable.add(key)
            elif self.is_fixed(x, *_indices(s)):
                kept = found.setdefault(key, Kept(s, at))
                kept.stored = s if is_write(s) else kept.stored
                kept.only_adds &= s.op is memory.add_at
            else:
                unsuitable.add(key)
        return {k: v for k, v in found.items() if k not in unsuitable and self.exists(v.access)}

    def is_fixed(self, *atoms: Atom) -> bool:
        return not any(a in self.inner for a in atoms if isinstance(a, Var))

    def exists(self, s: Def) -> bool:
        """Whether an element exists even if the loop has no trips."""
        dims = s.array.type.dims if isinstance(s.array.type, Array) else ()
        pairs = zip(_indices(s), dims, strict=True)
        return all(self.ranges.contains(i, as_atom(n)) for i, n in pairs)

    # ---- the other accesses ----
    def block(self, block: Block, direct: bool) -> None:
        with self.ranges.scope():
            for s in block:
                self.statement(s, direct)
                self.ranges.learn(s)

    def statement(self, s: Stmt, direct: bool) -> None:
        match s:
            case Def():
                self.definition(s, direct)
            case If():
                for block, holds in ((s.then, True), (s.orelse, False)):
                    with self.ranges.scope():
                        self.ranges.assume(s.cond, holds)
                        self.block(block, direct)
            case For():
                with self.ranges.scope():
                    self.ranges.enter(s)
                    self.block(s.body, False)
            case While():
                with self.ranges.scope():
                    self.ranges.enter(s)
                    self.block(s.test, False)
                    self.ranges.assume(s.cond, True)
                    self.block(s.body, False)

    def definition(self, s: Def, direct: bool) -> None:
        """Drops the candidates that a statement outside of inner loops, or inside, may access."""
        if not self.found:
            return
        touched = {self.classes.of(v) for v in (*reads(s), *(s.args[:1] if is_write(s) else ()))}
        here = [k for k in self.found if self.classes.of(k[0]) in touched]
        if not here:
            return
        at = element(s, self.ranges) if s.op in ELEMENTS else None
        mine = None if at is None else at.key(self.ranges)
        for key in here:
            kept = self.found[key]
            if mine == key and (direct or (not kept.stores and s.op is memory.load and _fits(s))):
                continue
            if at is None or mine == key or not at.is_apart(kept.element, self.ranges):
                del self.found[key]


def _outside_loops(block: Block) -> list[Def]:
    """The accesses to elements in a block and its branches, not in its loops."""
    out: list[Def] = []
    for s in block:
        if isinstance(s, Def) and s.op in ELEMENTS:
            out.append(s)
        elif isinstance(s, If):
            out += _outside_loops(s.then + s.orelse)
    return out


def _fits(s: Def) -> bool:
    """Whether an access to a float moves it as it is."""
    moved = s.var if s.op is memory.load else s.args[-1]
    dtype = s.array.type.dtype
    if moved is None or moved.type.dtype != dtype or not is_float(dtype):
        return False
    return s.op is not memory.load or moved.type == Scalar(dtype)


# ---- the rewriting ----
class _ScalarReplacement(Ranged):
    def __init__(self, function: Function):
        super().__init__(function)
        self.classes = alias_classes(function)
        self.visible = {self.classes.of(p) for p in function.params if is_reference(p.type)}
        self.read: set[Var] | None = None  # the classes that the outermost loop reads

    def loop(self, s: For | While) -> Iterable[Stmt]:
        outermost = self.read is None
        if outermost:
            inside = (t for t in walk((s,)) if isinstance(t, Def))
            self.read = set[Var]().union(*(classes_read(t, self.classes) for t in inside))
        new = self.rebuilt(s)
        found: dict[Key, Kept] = {}
        if isinstance(new, For):
            shown = self.visible if any(map(observable_within, new.body)) else set[Var]()
            found = _Accesses(new, self.ranges, self.classes, shown).found
            found = {k: kept for k, kept in found.items() if not self.is_sum(kept)}
        if outermost:
            self.read = None
        if isinstance(new, For) and found:
            yield from self.kept(new, found)
        else:
            yield new

    def is_sum(self, kept: Kept) -> bool:
        """Whether no loop around an element's additions reads it: none of them is undone."""
        assert self.read is not None
        return kept.only_adds and self.classes.of(kept.element.root) not in self.read

    def kept(self, s: For, found: dict[Key, Kept]) -> Iterable[Stmt]:
        """The loop with elements as variables, between their loads and their stores."""
        values: dict[Key, Atom] = {}
        for key, kept in found.items():
            first = values[key] = Var(kept.access.array.name, kept.type)
            yield Def(first, memory.load, kept.operands, {}, kept.access.loc)
        stored = {key: kept for key, kept in found.items() if kept.stores}
        inits = [values[key] for key in stored]
        params = [Var(kept.access.array.name, kept.type) for kept in stored.values()]
        values |= zip(stored, params, strict=True)
        trip = _Trip(self.ranges, values)
        body = trip.block(s.body)
        yields = [trip.atom(a) for a in s.yields] + [trip.values[key] for key in stored]
        results = anew(params)
        yield altered(
            s, body=body, params=(*s.params, *params), inits=(*s.inits, *inits),
            yields=tuple(yields), results=(*s.results, *results),
        )  # fmt: skip
        for kept, last in zip(stored.values(), results, strict=True):
            assert kept.stored is not None
            yield Def(None, memory.store, (*kept.operands, last), {}, kept.stored.loc)


class _Trip(Rewriter):
    """Rewrites a trip: `values` has what the elements that are kept hold at a statement."""

    def __init__(self, ranges: Ranges, values: dict[Key, Atom]):
        super().__init__()
        self.ranges, self.values = ranges, values

    def definition(self, s: Def) -> Iterable[Stmt]:
        key = element(s, self.ranges).key(self.ranges) if s.op in ELEMENTS else None
        if key not in self.values:
            yield s
            return
        assert key is not None
        name, type_ = s.array.name, Scalar(s.array.type.dtype)
        if s.op is memory.load:
            assert s.var is not None
            self.new[s.var] = self.values[key]
        elif s.op is memory.add_at:
            total = Var(name, type_)
            yield Def(total, REGISTRY["add"], (self.values[key], s.args[-1]), {}, s.loc)
            self.values[key] = total
        elif isinstance(value := s.args[-1], Const):
            self.values[key] = Const(np_dtype(type_.dtype).type(value.value).item(), type_)
        elif value.type == type_:
            self.values[key] = value
        else:  # a Python number
            strong = self.values[key] = Var(name, type_)
            yield Def(strong, REGISTRY["cast"], (value,), {"dtype": type_.dtype}, s.loc)

    def branch(self, s: If) -> Iterable[Stmt]:
        before, ends = self.values, list[dict[Key, Atom]]()

        def inner(block: Block) -> Block:
            self.values = dict(before)
            out = self.block(block)
            ends.append(self.values)
            return out

        new = self.mapped(s, inner)
        assert isinstance(new, If)
        then, orelse = ends
        changed = [k for k in before if then[k] is not before[k] or orelse[k] is not before[k]]
        joined = [Var(k[0].name, Scalar(k[0].type.dtype)) for k in changed]
        self.values = before | dict(zip(changed, joined, strict=True))
        yield altered(
            new, then_yields=(*new.then_yields, *(then[k] for k in changed)),
            else_yields=(*new.else_yields, *(orelse[k] for k in changed)),
            results=(*new.results, *joined),
        )  # fmt: skip
