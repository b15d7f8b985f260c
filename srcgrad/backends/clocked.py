"""Runs a program as the reference backend does, with a clock between its statements.

Times are those of Python and NumPy, an operation at a time: where loops are over numbers, the
interpreter has the larger share. What the clock itself takes is left out as far as it can see it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter_ns
from typing import Any

from srcgrad.backends.python import namespace, running
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, Stmt, Var, While
from srcgrad.ir.text import OURS, Printer
from srcgrad.ir.types import RefTape, Tape
from srcgrad.ir.walk import walk
from srcgrad.primitives import REGISTRY
from srcgrad.records import record

AT, TRIP, MADE = f"{OURS}at", f"{OURS}trip", f"{OURS}made"

REPEATS = 5


class OverTime(BaseException):
    """Ends a run that takes too long; no handler of errors of programs sees it."""


@record(frozen=True)
class Timing:
    """The runs of each statement in one call, and its own time in seconds."""

    runs: dict[Stmt, int]
    trips: dict[Stmt, int]  # of loops, all runs of a loop together
    seconds: dict[Stmt, float]
    bytes: dict[Var, int]  # of tapes, where several have been made the largest

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


def timing(
    function: Function, inputs: Callable[[], Sequence[Any]], most: float, repeats: int = REPEATS
) -> Timing | None:
    """The timing of a call; None if it takes more than `most` seconds.

    The program runs several times if there is time for it, each time on new `inputs`, since it may
    store to them. Of each statement the shortest time counts: others run on the machine as well.
    """
    found: list[Timing] = []
    spent = 0.0
    while len(found) < repeats and spent * (len(found) + 1) <= most * max(len(found), 1):
        start = perf_counter_ns()
        made = _once(function, inputs(), most)
        if made is None:
            return None
        found.append(made)
        spent += 1e-9 * (perf_counter_ns() - start)
    least = {s: min(t.seconds[s] for t in found) for s in found[0].seconds}
    return replace(found[0], seconds=least)


def _once(function: Function, inputs: Sequence[Any], most: float) -> Timing | None:
    statements = walk(function.body)
    clock = _Clock(len(statements), most)
    numbers = {s: k for k, s in enumerate(statements)}
    tapes: list[Var] = []
    used = {s.op.name for s in statements if isinstance(s, Def)}
    text = _Printer(used | set(REGISTRY), numbers, tapes).printed(function)
    scope = namespace() | {AT: clock.at, TRIP: clock.trip, MADE: clock.made}
    run = running(function, text, scope)
    try:
        clock.start()
        run(*inputs)
    except OverTime:
        return None
    clock.at(0)
    runs, trips = clock.runs, clock.trips
    runs[0] -= 1
    return Timing(
        dict(zip(statements, runs, strict=False)),
        {s: trips[k] for s, k in numbers.items() if isinstance(s, For | While)},
        {s: 1e-9 * t for s, t in zip(statements, clock.spent, strict=False)},
        {v: max(map(_size, clock.tapes[k])) for k, v in enumerate(tapes) if clock.tapes.get(k)},
    )


class _Clock:
    def __init__(self, count: int, most: float):
        self.runs, self.trips, self.spent = ([0] * (count + 1) for _ in range(3))
        self.most = most
        self.tapes: dict[int, list[Any]] = {}
        self.last = count  # before the first statement: what the call itself takes
        self.since = self.end = 0

    def start(self) -> None:
        self.since = perf_counter_ns()
        self.end = self.since + int(1e9 * self.most)

    def at(self, k: int) -> None:
        """Ends the statement that ran last, begins the one with this number."""
        now = perf_counter_ns()
        self.spent[self.last] += now - self.since
        self.runs[k] += 1
        self.last = k
        if now > self.end:
            raise OverTime
        self.since = perf_counter_ns()

    def trip(self, k: int) -> None:
        """The end of a trip of a loop, to which the way to the next one counts."""
        self.at(k)
        self.runs[k] -= 1
        self.trips[k] += 1

    def made(self, k: int, tape: Any) -> None:
        """A tape has been made; of several only the largest one stays."""
        found = self.tapes.setdefault(k, [])
        found.append(tape)
        found[:] = [max(found[:-1], key=_size, default=tape), tape][-len(found) :]


def _size(tape: Any) -> int:
    if isinstance(tape, list):  # of references
        return sum(getattr(a, "nbytes", 0) for a in tape)
    return tape.data.nbytes


class _Printer(Printer):
    def __init__(self, taken: set[str], numbers: dict[Stmt, int], tapes: list[Var]):
        super().__init__(taken, notes=False)
        self.numbers, self.tapes = numbers, tapes

    def statement(self, s: Stmt, depth: int) -> None:
        self.line(depth, f"{AT}({self.numbers[s]})", s)
        super().statement(s, depth)
        if isinstance(s, Def) and s.var is not None and isinstance(s.var.type, Tape | RefTape):
            self.line(depth, f"{MADE}({len(self.tapes)}, {self.names[s.var]})", s)
            self.tapes.append(s.var)

    def body(
        self, s: Stmt, block: Block, names: tuple[Var, ...], values: tuple[Atom, ...], depth: int
    ) -> None:
        super().body(s, block, names, values, depth)
        if isinstance(s, For | While):
            self.line(depth, f"{TRIP}({self.numbers[s]})", s)
