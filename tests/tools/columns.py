"""Sums over a few columns, so that loops over short arrays are interchanged as over long ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from srcgrad.passes import interchange
from srcgrad.transforms import reuse


@contextmanager
def few_columns() -> Iterator[None]:
    """Compile in the body with loops of any length interchanged."""
    reuse.forget()
    with patch.object(interchange, "SHORT", 0):
        yield
    reuse.forget()
