"""Chooses loops that become kernels, and their layout: a thread runs trips of a flattened grid.

The outermost loops that are marked as independent are launched. A loop inside that is the whole
trip joins the grid: a thread then runs trips of both. Carried values are combined by a tree in each
block and one partial result per block; additions that trips share are atomic. `spread` has the
other layout, of a trip that is a block's. Never looks at a device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from srcgrad.backends.cuda.additions import Additions
from srcgrad.backends.cuda.checks import may_fail
from srcgrad.backends.cuda.ordered import Addition, additions
from srcgrad.errors import Location
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var
from srcgrad.ir.types import is_complex, is_reference
from srcgrad.ir.walk import blocks, defined, dims_of, walk
from srcgrad.operation import Primitive
from srcgrad.passes.combining import NEUTRAL
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.effects import classes_read, classes_written, makes_buffer, may_raise
from srcgrad.passes.places import ELEMENTS
from srcgrad.passes.verdicts import Independent
from srcgrad.primitives import memory

# numbers that threads can add to atomically: a complex number is two such numbers
ATOMIC = ("i32", "i64", "u32", "u64", "f32", "f64", "c64", "c128")


@dataclass(frozen=True)
class Carried:
    """A value that the trips of a launch combine by `op`, or leave unchanged (None)."""

    param: Var
    init: Atom
    end: Atom
    result: Var
    op: Primitive | None

    @property
    def first(self) -> int | None:
        """The initial value of a thread; None: `init`, which may be seen many times."""
        return None if self.op is None else NEUTRAL.get(self.op)


@dataclass(frozen=True, eq=False)
class Launch:
    """A nest as one kernel: a thread runs `body` for each trip of the `grid`."""

    loop: For
    grid: tuple[For, ...]
    body: Block
    carried: tuple[Carried, ...]
    atomic: frozenset[Def]  # the additions that trips share
    numbers: tuple[Var, ...] = ()  # results of the body of a single trip for later statements
    ordered: tuple[Addition, ...] = ()  # the additions that are made after it, in a fixed order

    @property
    def made(self) -> list[Var]:
        """The arrays that a trip makes for itself."""
        found = [s for s in walk(self.body) if isinstance(s, Def) and makes_buffer(s)]
        return [s.var for s in found if s.var is not None]

    @property
    def raises(self) -> bool:
        return any(isinstance(s, Def) and may_fail(s) for s in walk(self.body))


@dataclass(frozen=True)
class Obstacle:
    """The reason why a loop is not a kernel."""

    reason: str
    loc: Location | None
    lacking: bool = False  # its trips are independent, but kernels lack an operation


class Schedule:
    """The launches of a lowered program, and the reasons why its other loops are not launched.

    `is_written` tells whether a kernel can have a scalar operation or a check. With `in_order` no
    addition is atomic.
    """

    def __init__(
        self, function: Function, is_written: Callable[[Def], bool], in_order: bool = False
    ):
        self.in_order = in_order
        self.facts, self.is_written = Dependence(function), is_written
        self.classes = alias_classes(function)
        self.launches: dict[For, Launch] = {}
        self.obstacles: dict[For, Obstacle] = {}
        self._block(function.body)

    def _block(self, block: Block) -> None:
        for s in block:
            if isinstance(s, For) and self._launched(s):
                continue
            for b in blocks(s):
                self._block(b)

    def _launched(self, s: For) -> bool:
        found = self.obstacle(s)
        launch = self._ordered(self._laid_out(s)) if found is None else found
        if isinstance(launch, Launch):
            self.launches[s] = launch
        else:
            self.obstacles[s] = launch
        return isinstance(launch, Launch)

    def _ordered(self, launch: Launch) -> Launch | Obstacle:
        """The launch with its additions in order, if requested."""
        found = additions(launch.body, launch.atomic) if self.in_order else []
        if isinstance(found, Def):
            reason = f"deterministic=True: how often a trip adds to '{found.array.name}'"
            return Obstacle(f"{reason} is known only when it runs", found.loc, lacking=True)
        atomic = launch.atomic - {a.statement for a in found}
        return replace(launch, atomic=atomic, ordered=tuple(found))

    # ---- the contents of a kernel ----
    def obstacle(self, s: For) -> Obstacle | None:
        found = self.facts.of(s)
        if not isinstance(found, Independent):
            return Obstacle(found.reason, found.loc or s.loc)
        if any(is_reference(p.type) for p in s.params):
            return Obstacle("each trip hands an array on", s.loc)
        if not s.independent:
            return Obstacle("fastmath=False: its sums keep the order of the trips", s.loc)
        if (x := not_atomic(found)) is not None:
            reason = f"trips add to the same elements of '{x.name}', and kernels have no atomic"
            return Obstacle(f"{reason} addition of {x.type.dtype}", s.loc, lacking=True)
        inside = defined((s,))
        return next(filter(None, (self._statement(t, inside) for t in walk((s,)))), None)

    def _statement(self, s: Stmt, inside: set[Var]) -> Obstacle | None:
        if not isinstance(s, Def):
            return None
        if makes_buffer(s):
            if s.op not in (memory.empty, memory.zeros):
                return Obstacle(f"each trip calls '{s.op.name}'", s.loc)
            if any(v in inside for v in dims_of(s)):
                return Obstacle(f"the length of '{s.var}' differs from trip to trip", s.loc)
            return None
        if s.op is memory.view and not _goes_up(s):
            return Obstacle("each trip slices with a step that may be negative", s.loc)
        if s.op in ELEMENTS or s.op is memory.dim or s.op.view or self.is_written(s):
            return None
        dtype = " of complex numbers" if any(is_complex(_dtype(a)) for a in s.args) else ""
        return Obstacle(f"kernels have no '{s.op.name}'{dtype}", s.loc, lacking=True)

    # ---- the layout ----
    def _laid_out(self, s: For) -> Launch:
        grid, before = [s], list[Stmt]()
        while (inner := self._joining(grid, before)) is not None:
            before += grid[-1].body[:-1]
            grid.append(inner)
        last = grid[-1]
        shared = {x for g in grid for x in shared_by(self.independent(g))}
        body, atomic = Additions(self.facts.places, shared).block((*before, *last.body))
        return Launch(s, tuple(grid), body, tuple(self._carried(grid)), frozenset(atomic))

    def independent(self, s: For) -> Independent:
        found = self.facts.of(s)
        assert isinstance(found, Independent)
        return found

    def _joining(self, grid: list[For], before: list[Stmt]) -> For | None:
        """The loop inside the last one that joins the grid; earlier statements may be repeated."""
        outer = grid[-1]
        inner = outer.body[-1] if outer.body else None
        found = self.facts.of(inner) if isinstance(inner, For) else None
        if not isinstance(found, Independent) or not_atomic(found) is not None:
            return None
        assert isinstance(inner, For)
        if not inner.independent:
            return None  # fastmath=False: a thread adds in the order of its trips
        inside = {v for g in grid for v in (g.index, *g.params)} | defined(
            (*before, *outer.body[:-1])
        )
        written = classes_written(inner.body, self.classes)
        again = all(self._may_be_done_again(s, written) for s in outer.body[:-1])
        bounds = {v for v in (inner.start, inner.stop) if isinstance(v, Var)}
        return inner if again and not bounds & inside and _hands_on(outer, inner) else None

    def _may_be_done_again(self, s: Stmt, written: set[Var]) -> bool:
        if not isinstance(s, Def) or s.op.effect or may_raise(s) or makes_buffer(s):
            return False
        return not classes_read(s, self.classes) & written

    def _carried(self, grid: list[For]) -> Iterator[Carried]:
        first, last = grid[0], grid[-1]
        for k, op in enumerate(self.independent(last).combined):
            j = _handed(first, grid[1:], last.params[k])
            yield Carried(last.params[k], first.inits[j], last.yields[k], first.results[j], op)


def shared_by(found: Independent) -> tuple[Var, ...]:
    """The arrays to whose elements several trips add."""
    return found.shared + found.near


def not_atomic(found: Independent) -> Var | None:
    """An array that trips share, to which threads cannot add atomically."""
    return next((x for x in shared_by(found) if x.type.dtype not in ATOMIC), None)


def _dtype(a: Atom) -> str:
    return getattr(a.type, "dtype", "")


def _goes_up(view: Def) -> bool:
    """Whether the steps of a view's slices are known to be positive."""
    atoms = iter(view.args[1:])
    for code in view.params["spec"]:
        span = [next(atoms) for _ in range({"i": 1, "s": 3}.get(code, 0))]
        if code == "s" and not (isinstance(span[2], Const) and span[2].value > 0):
            return False
    return True


def _hands_on(outer: For, inner: For) -> bool:
    """Whether a loop carries exactly the values that the one inside it carries."""
    if len(outer.params) != len(inner.params) or set(outer.params) != set(inner.inits):
        return False
    pairs = zip(inner.inits, inner.results, strict=True)
    return all(outer.yields[outer.params.index(p)] is r for p, r in pairs)


def _handed(outer: For, inner: list[For], param: Var) -> int:
    """The position, among the values that `outer` carries, of one of the innermost loop's."""
    for s in reversed(inner):
        init = s.inits[s.params.index(param)]
        assert isinstance(init, Var)
        param = init
    return outer.params.index(param)
