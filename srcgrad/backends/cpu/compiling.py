"""Compiling a dispatcher of Numba's once, with its file in the cache sealed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from srcgrad.backends import cache as files


@contextmanager
def compiling(made: Any, name: str, backed: bool) -> Iterator[None]:
    """Around `made.compile(types)`: no warnings, a file that is trusted, no later compilation."""
    from numba.core.errors import NumbaWarning

    folder = Path(made.stats.cache_path) if backed else None
    if folder is not None:
        files.distrust(folder, name)
    with warnings.catch_warnings():
        # strided operands of a product are copied, printing holds the GIL: it is meant so
        warnings.simplefilter("ignore", NumbaWarning)
        yield
    made.disable_compile()
    if folder is not None and not made.stats.cache_hits:
        files.seal(folder, name)
