"""Programs with their loops in chunks: in every order of the chunks, watched, and on threads.

On the target `loops` chunks run one after another, in an order that is set from outside. A race
shows as other bits in another order, or as an element that one chunk stores to and another one
touches. No program is large enough for the threshold of work, which is lowered here.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from srcgrad.backends import python
from srcgrad.backends.cpu.threads import at_most
from srcgrad.passes import loops_in_chunks
from srcgrad.primitives import REGISTRY, memory
from tests.fuzz.inputs import Values
from tests.fuzz.routes import agree, value_and_gradient
from tests.fuzz.stages import Mismatch, demand
from tests.fuzz.subject import Subject
from tests.fuzz.trial import Trial

Order = Callable[[list[int]], Iterator[int]]


# ---- orders ----
def reverse(trips: list[int]) -> Iterator[int]:
    return reversed(trips)


def shuffled(trips: list[int]) -> Iterator[int]:
    trips = list(trips)
    random.Random(0).shuffle(trips)
    return iter(trips)


def in_halves(trips: list[int]) -> Iterator[int]:
    """As two threads would: one trip of the first half, one of the second."""
    half = len(trips) // 2
    pairs = zip(trips[:half], trips[half:], strict=False)
    return iter([*(t for pair in pairs for t in pair), *trips[2 * half :]])


ORDERS: tuple[Order, ...] = (iter, reverse, shuffled, in_halves)


class Chunks:
    """What runs the trips of marked loops: sets their order, and watches what they touch."""

    def __init__(self) -> None:
        self.order: Order = iter
        self.ran = 0  # loops of more than one trip
        self.watched: list[_Watched] = []  # of the loops that run, outer first
        self.races: list[str] = []

    def trips(self, trips: range) -> Iterator[int]:
        every = list(trips)
        self.ran += len(every) > 1
        watched = _Watched()
        self.watched.append(watched)
        try:
            for watched.trip in self.order(every):
                yield watched.trip
        finally:
            self.watched.remove(watched)
            self.races += watched.races

    def namespace(self, plain: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a text needs in scope, its operations watched."""
        scope = plain()
        for name in REGISTRY:
            scope[name] = self.seen(name, scope[name])
        return scope | {"independent": self.trips}

    def seen(self, name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        op = REGISTRY[name]
        if op.view or op is memory.dim:
            return run

        def watched(*args: Any, **params: Any) -> Any:
            for each in self.watched:
                each.touch(args, op in ELEMENTS, op.writes)
            return run(*args, **params)

        return watched


ELEMENTS = (memory.load, memory.store, memory.add_at)


class _Watched:
    """Who touched which element, during one loop."""

    def __init__(self) -> None:
        self.trip = -1
        self.by: dict[int, int] = {}  # the last trip that touched an address
        self.stored: set[int] = set()
        self.races: list[str] = []
        self.kept: list[np.ndarray] = []  # no memory is freed, and made again by another trip

    def touch(self, args: tuple[Any, ...], one: bool, writes: bool) -> None:
        for k, x in enumerate(args):
            if isinstance(x, np.ndarray):
                self.kept.append(x)
                stores = writes and k == 0
                for place in _element(x, args) if one and k == 0 else _elements(x):
                    self.meet(place, stores)

    def meet(self, place: int, stores: bool) -> None:
        other = self.by.setdefault(place, self.trip)
        if other != self.trip and (stores or place in self.stored):
            self.races.append(f"{other} and {self.trip}")
        self.by[place] = self.trip
        if stores:
            self.stored.add(place)


def _element(x: np.ndarray, args: tuple[Any, ...]) -> list[int]:
    places = zip(args[1:], x.strides, x.shape, strict=False)
    return [x.ctypes.data + sum(int(i) % n * step for i, step, n in places)]


def _elements(x: np.ndarray) -> list[int]:
    out = np.full((1,) * x.ndim, x.ctypes.data, dtype=np.int64)
    for axis, (n, step) in enumerate(zip(x.shape, x.strides, strict=True)):
        along = np.arange(n) * step
        out = out + along.reshape([-1 if k == axis else 1 for k in range(x.ndim)])
    return [int(p) for p in out.ravel()]


@contextmanager
def chunked(many: int = 64, copies: int = 16) -> Iterator[Chunks]:
    """Compile in the body with every loop split that may be: into so many chunks."""
    chunks, plain = Chunks(), python.namespace
    with ExitStack() as stack:
        for name, value in (("ENOUGH", 1), ("MANY", many), ("COPIES", copies)):
            stack.enter_context(patch.object(loops_in_chunks, name, value))
        stack.enter_context(patch.object(python, "namespace", lambda: chunks.namespace(plain)))
        yield chunks


# ---- the bits of a result ----
def bits(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [bits(v) for v in value]
    if isinstance(value, dict):
        return {k: bits(v) for k, v in value.items()}
    return np.asarray(value).tobytes() if isinstance(value, np.ndarray | float) else repr(value)


def same_in_every_order(chunks: Chunks, run: Callable[[], Any]) -> Any:
    """What `run` gives; raises Mismatch where another order gives other bits."""
    chunks.order = iter
    chunks.races.clear()
    first = run()
    for order in ORDERS[1:]:
        chunks.order = order
        again = run()
        demand(bits(again) == bits(first), f"bits, {order.__name__}", again, first)
    demand(not chunks.races, "chunks that touch one element", chunks.races[:3], "none")
    return first


# ---- one program ----
SIZES = ((64, 16), (4, 3), (2, 2))  # chunks, and chunks with copies: a trip each, or several


def in_chunks(gradient: Values, trial: Trial, subject: Subject, threads: bool) -> None:
    """Raise Mismatch where a program in chunks is refused, or gives something else."""
    many, copies = SIZES[trial.program.seed % len(SIZES)]
    with chunked(many, copies) as chunks:
        try:
            run = compiled(trial, subject, "loops")
        except subject.fault:
            raise
        except subject.refusal as error:
            raise Mismatch("refused in chunks", error, "what there is without") from error
        value, slopes = same_in_every_order(chunks, run)
        agree(value, slopes, gradient, trial, "in chunks")
        if threads:
            value, slopes = on_threads(compiled(trial, subject, "cpu"))
            agree(value, slopes, gradient, trial, "on threads")


def compiled(trial: Trial, subject: Subject, target: str) -> Callable[[], Any]:
    """What gives value and gradient; it has been called once."""
    fn = subject.compile(trial.fn, target=target, parallel=True)
    run = partial(value_and_gradient, fn, trial, subject)
    run()
    return run


def on_threads(run: Callable[[], Any]) -> Any:
    """What `run` gives by one thread; raises Mismatch where more give other bits."""
    found = []
    for count in (1, 2, 3):
        with at_most(count):
            found.append(run())
        demand(bits(found[-1]) == bits(found[0]), f"bits, {count} threads", found[-1], found[0])
    return found[0]
