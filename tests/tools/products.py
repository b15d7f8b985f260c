"""Products of any size, so that short loops become products of matrices as long ones do."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from srcgrad.passes.contractions import guards
from srcgrad.transforms import reuse


@contextmanager
def small_products() -> Iterator[None]:
    """Compile in the body with products of one row, column and sum or more."""
    reuse.forget()
    with patch.object(guards, "FEW", 1), patch.object(guards, "MULTIPLICATIONS", 1):
        yield
    reuse.forget()
