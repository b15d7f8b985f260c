"""Strips and diagonals of a few trips: short loops are rewritten as long ones are."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from srcgrad.ir.nodes import For, Function
from srcgrad.ir.walk import walk
from srcgrad.passes import wavefronts
from srcgrad.passes.strips import sizes
from srcgrad.transforms import reuse

SMALL = {"LANES": 3, "TILE": 2, "FEW": 1, "SHORT": 0}


@contextmanager
def small_strips() -> Iterator[None]:
    """Compile in the body with strips and diagonals of three trips, and tiles of two."""
    reuse.forget()
    with ExitStack() as stack:
        for name, value in SMALL.items():
            stack.enter_context(patch.object(sizes, name, value))
        stack.enter_context(patch.object(wavefronts.sizes, "LANES", SMALL["LANES"]))
        yield
    reuse.forget()


def loops_over_lanes(f: Function) -> int:
    """How many loops over lanes a function has."""
    return sum(isinstance(s, For) and s.index.name == "lane" for s in walk(f.body))
