"""The memory that tapes may take: `SRCGRAD_MEMORY_LIMIT`, by default half of what is free.

Read when a large tape is about to be allocated, so that a program stops with an error of its own
before the machine runs out. Where the system does not tell what is free there is no limit.
"""

from __future__ import annotations

import os
import re
import warnings
from functools import lru_cache
from typing import Any

from srcgrad.errors import ArgumentTypeError, ArgumentValueError

NOTICED = 1 << 26  # bytes: what takes less is always allowed
VARIABLE = "SRCGRAD_MEMORY_LIMIT"
SIZE = re.compile(r"(\d+\.?\d*)\s*([kKMGT]?)(i?)B")
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_FREE = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)


def bytes_of(memory: Any) -> int:
    """The number of bytes that is given, or that a text says.

    >>> bytes_of("2GB"), bytes_of("1.5 MiB")
    (2000000000, 1572864)
    """
    if isinstance(memory, str):
        found = SIZE.fullmatch(memory.strip())
        if found is None:
            raise ArgumentValueError(
                f"{memory!r} is no size of memory", None, 'write a number of bytes, or "2GB"'
            )
        unit = 1024 if found[3] else 1000
        memory = int(float(found[1]) * unit ** " kmgt".index(found[2].lower() or " "))
    if isinstance(memory, bool) or not hasattr(type(memory), "__index__"):
        raise ArgumentTypeError(f"memory is a number of bytes, not {type(memory).__name__}")
    if memory < 1:
        raise ArgumentValueError(f"memory={memory}: a number of bytes is positive")
    return int(memory)


def size_text(n: float) -> str:
    """A number of bytes as NumPy's errors say it.

    >>> size_text(3 << 29)
    '1.50 GiB'
    """
    unit = 0
    while n >= 1024 and unit < len(UNITS) - 1:
        n, unit = n / 1024, unit + 1
    return f"{n:#.3g} {UNITS[unit]}"


def above_limit(taken: int) -> str:
    """Why tapes may not take so many bytes; empty if they may."""
    if taken <= NOTICED:
        return ""
    set_ = _limit_of(os.environ.get(VARIABLE, ""))
    if set_ is not None:
        limit, most = set_, f"the {size_text(set_)} that {VARIABLE} allows"
    else:
        limit, most = _free() // 2, f"half of the free memory ({VARIABLE} sets another limit)"
    if not limit or taken <= limit:
        return ""
    return f"tapes would take {size_text(taken)}, more than {most}"


@lru_cache(maxsize=8)
def _limit_of(text: str) -> int | None:
    """The limit that a text states, 0 for none; None if it states nothing."""
    if text.strip() in ("0", "off"):
        return 0
    try:
        return bytes_of(int(text) if text.isdecimal() else text) if text else None
    except ArgumentValueError as e:
        warnings.warn(f"{VARIABLE}: {e.reason}; {e.way_out}", RuntimeWarning, stacklevel=2)
        return None


def _free() -> int:
    """The bytes that programs may still take; 0 if the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            found = _FREE.search(file.read())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found is not None else 0
