"""Times the nests of a lowered program while its target runs it.

The program calls back at the beginning of each statement that does more than compute a number, and
of those in the user's loops around nests. Code between two calls is compiled as ever; what a call
itself takes is measured and left out. Times that do not add up to that of the program without
calls are not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import perf_counter, perf_counter_ns
from typing import Any

from srcgrad.backends.backend import Backend, BuildOptions
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Block, Def, For, Function, If, Stmt, While, altered
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import walk
from srcgrad.primitives import REGISTRY, memory
from srcgrad.primitives.callbacks import Callback
from srcgrad.records import record

REPEATS = 9
MOST_MARKS = 20_000  # in one run
TOO_MUCH = 1.25  # times that of a call
LEAST = 0.5  # times that of a mark: a shorter time is not significant
Inputs = Callable[[], Sequence[Any]]


@record(frozen=True)
class NestTimes:
    """The seconds of statements of a lowered program in one run, and how often each runs."""

    seconds: dict[Stmt, float]
    runs: dict[Stmt, int]


def call_time(run: Callable[..., Any], inputs: Inputs, most: float) -> float:
    """The shortest time of several calls, the first of which is not counted."""
    run(*inputs())
    times: list[float] = []
    end = perf_counter() + most
    while len(times) < REPEATS and (not times or perf_counter() < end):
        given = inputs()
        start = perf_counter()
        run(*given)
        times.append(perf_counter() - start)
    return min(times)


def nest_times(
    function: Function, backend: Backend, options: BuildOptions, inputs: Inputs,
    trips: Callable[[For], int | None], whole: float, most: float,
) -> NestTimes | None:  # fmt: skip
    """The times of the nests of a function that is lowered for a backend.

    `trips` gives the number of trips of a loop in which nests are to be told apart, None if they
    are not; `whole` is the time of a call. None if the times are too many to be those of a call.
    """
    for opening in (trips, lambda s: None):
        marks = _Marks(opening)
        marked = function.with_body(marks.body(function.body))
        run = backend.build(marked, replace(options, cache=False)).run
        call_time(marks.around(run), inputs, most)
        found = marks.found()
        if sum(found.seconds.values()) <= TOO_MUCH * whole:
            return found
    return None


class _Marks:
    """The marks of a program and the times between them."""

    def __init__(self, trips: Callable[[For], int | None]):
        self.trips = trips
        self.statements: list[Stmt] = []
        self.back = Callback("mark", self.at, (0,))
        self.least: list[int] = []  # ns between a mark and the next one, by the number of the mark
        self.now: list[int] = []
        self.runs: list[int] = []
        self.last, self.since = 0, 0

    # ---- the program ----
    def body(self, block: Block) -> Block:
        """The statements with marks; two at the beginning tell what a mark takes."""
        return (*self.mark(None), *self.mark(None), *self.within(block, 1), *self.mark(None))

    def within(self, block: Block, times: int) -> Block:
        out: list[Stmt] = []
        for s in block:
            inner = self.opened(s, times)
            if inner is not None and isinstance(s, For):
                out.append(altered(s, body=self.within(s.body, inner)))
                out += self.mark(None)  # what follows is no part of the last trip
                continue
            if _counts(s):
                out += self.mark(s)
            out.append(s)
        return tuple(out)

    def opened(self, s: Stmt, times: int) -> int | None:
        """How often the body of a loop runs, if the statements in it are marked."""
        if not isinstance(s, For) or s.independent or s.loc is None:
            return None
        if not any(isinstance(t, For | While) for t in walk(s.body)):
            return None
        trips = self.trips(s)
        if trips is None or trips * times * sum(map(_counts, s.body)) > MOST_MARKS:
            return None
        return trips * times

    def mark(self, s: Stmt | None) -> Iterator[Stmt]:
        b = Builder(REGISTRY)
        b.call_back(1, len(self.statements), back=self.back, dtype="f64", name="mark")
        self.statements.append(s)  # type: ignore[arg-type]  (None: no statement's)
        yield from b.out

    # ---- a run ----
    def around(self, run: Callable[..., Any]) -> Callable[..., None]:
        """A run from whose marks the shortest times are taken."""

        def timed(*args: Any) -> None:
            many = len(self.statements)
            self.now, self.runs, self.since = [0] * many, [0] * many, 0
            run(*args)
            self.least = [min(pair) for pair in zip(self.least or self.now, self.now, strict=True)]

        return timed

    def at(self, given: Sequence[Any]) -> list[Any]:
        """Ends the mark that was last, begins another one."""
        now = perf_counter_ns()
        if self.since:
            self.now[self.last] += now - self.since
        self.last = int(given[0])
        self.runs[self.last] += 1
        self.since = perf_counter_ns()
        return [0.0]

    def found(self) -> NestTimes:
        each = self.least[0]  # from the first mark to the second: nothing lies between
        seconds: dict[Stmt, float] = {}
        runs: dict[Stmt, int] = {}
        for s, t, n in zip(self.statements, self.least, self.runs, strict=True):
            if s is not None:
                own = t - n * each
                seconds[s] = 1e-9 * own if own > LEAST * n * each else 0.0
                runs[s] = n
        return NestTimes(seconds, runs)


def _counts(s: Stmt) -> bool:
    """Whether a statement does more than compute a number, or name a part of an array."""
    if isinstance(s, For | While | If):
        return True
    assert isinstance(s, Def)
    if s.op.view or s.op in (memory.dim, memory.empty) or s.op.name.startswith("check_"):
        return False
    arrays = any(not isinstance(a.type, Scalar) for a in s.args)
    made = s.var is not None and not isinstance(s.var.type, Scalar)
    return (arrays or made) and s.op not in (memory.load, memory.store, memory.add_at)
