"""Threads for chunks of loops: the functions by which emitted code starts them, and their number.

A thread is started for each launch and ends with it, so that there is no pool that a fork could
break or that two callers could share. Python's own C interface starts threads and makes locks
without the GIL, on every platform. `NUMBA_NUM_THREADS` sets how many threads run in all: helpers
that are in use are not idle any more, so callers on several threads share them.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

# how many threads may still be started; emitted code counts it down and up
_idle = ctypes.c_int64(0)

FUNCTIONS = {
    "srcgrad_thread_start": "PyThread_start_new_thread",
    "srcgrad_lock_new": "PyThread_allocate_lock",
    "srcgrad_lock_take": "PyThread_acquire_lock",
    "srcgrad_lock_wait": "PyThread_acquire_lock_timed",
    "srcgrad_lock_give": "PyThread_release_lock",
    "srcgrad_lock_free": "PyThread_free_lock",
}


@cache
def name_threads() -> None:
    """Gives symbols to functions that `spread.py` calls, before code that names them is loaded."""
    import llvmlite.binding as llvm

    for symbol, name in FUNCTIONS.items():
        address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        llvm.add_symbol(symbol, address)
    llvm.add_symbol("srcgrad_idle", ctypes.addressof(_idle))
    _all_idle()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_all_idle)


def _all_idle() -> None:
    from numba import config

    _idle.value = config.NUMBA_NUM_THREADS - 1  # type: ignore[attr-defined]  (set when it is loaded)


@contextmanager
def at_most(threads: int) -> Generator[None]:
    """Limits the threads within the block; no code may be running when it begins or ends."""
    name_threads()
    before, _idle.value = _idle.value, threads - 1
    try:
        yield
    finally:
        _idle.value = before
