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
    with patch.object(loop_distribution, "BLOCK", 3), patch.object(loop_distribution, "SHORT", 0):
        yield
    reuse.forget()
