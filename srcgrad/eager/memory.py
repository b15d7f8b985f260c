"""Keeps the memory of freed arrays in the process, for later ones.

The C library returns it to the system as soon as a few arrays are free at the end of the heap,
and fetching its pages again takes several times as long as computing their contents.
"""

import ctypes
import os
import sys

KEPT = 1 << 29  # bytes at the end of the heap that are not returned
_LARGEST = 1 << 25  # bytes of the largest block on the heap: glibc accepts no more
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of <malloc.h>
_USERS = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


def keep_freed() -> bool:
    """Tells glibc to keep freed memory; False under another C library, or if the user decides."""
    if sys.platform != "linux" or any(name in os.environ for name in _USERS):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    # the second is set because setting the first alone would keep it at 128 KiB
    return bool(mallopt(_TRIM_THRESHOLD, KEPT) and mallopt(_MMAP_THRESHOLD, _LARGEST))
