"""The cyclic garbage collector waits while code is imported or built.

What is made then stays alive, so its passes find nothing; each full one goes through all that Numba
has made. Measured on a first call: 110 ms of 1.3 s with a collector at work, 30 ms with one that
waits. What was made counts as old afterwards, or the first pass behind would go through all of it
(41 ms behind the imports). Python counts its passes anew then: where builds follow one another, and
what they made is dropped, it would never come to a full pass, so one is made here, every so many
objects. Never turns a collector on that was off.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 10_000  # objects that are worth to be moved
FEW = 1000  # frozen objects: Python 3.12 freezes 375 as it starts, a caller all that there are
MOST = 500_000  # that are moved before a full pass: some ten builds

_moved = 0
_freezes = False  # whether the caller was found to freeze objects


@contextmanager
def waiting() -> Iterator[None]:
    """No collection inside, if there were any before; what is made inside is old at once."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        made = gc.get_count()[0]
        if made >= MANY and not _caller_freezes():  # or the caller's would thaw
            _grow_old(made)
        gc.enable()


def _caller_freezes() -> bool:
    """Whether objects are frozen; not looked up again once some are: Python counts one by one."""
    global _freezes
    _freezes = _freezes or gc.get_freeze_count() >= FEW
    return _freezes


def _grow_old(made: int) -> None:
    global _moved
    _moved += made
    if _moved > MOST:
        _moved = 0
        gc.collect()
    else:
        gc.freeze()
        gc.unfreeze()
