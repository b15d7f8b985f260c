"""Blocks of a few trips, so that loops over short arrays are distributed as over long ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from srcgrad.passes import loop_distribution
from srcgrad.transforms import reuse


@contextmanager
def small_blocks() -> Iterator[None]:
    """Compile in the body with blocks of three trips."""
    reuse.forget()
    with patch.multiple(loop_distribution, BLOCK=3, ROWS=3, FEW=2, INNER=90, SHORT=0):
        yield
    reuse.forget()
