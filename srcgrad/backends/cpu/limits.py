"""The function by which emitted code asks whether tapes may take so many bytes.

It is Python's, and takes the GIL: it is called for large tapes only, once for each.
"""

from __future__ import annotations

import ctypes
from functools import cache

from srcgrad.memory_limit import above_limit


def _crowded(taken: int) -> int:
    return above_limit(taken) != ""


@cache
def name_crowded() -> None:
    """Gives the function its symbol, before code that names it is loaded."""
    from srcgrad.backends.cpu import loading

    function = ctypes.CFUNCTYPE(ctypes.c_uint8, ctypes.c_int64)(_crowded)
    loading.for_good(function)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    loading.name_address("srcgrad_crowded", address)
