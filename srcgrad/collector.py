"""The cyclic garbage collector waits while code is imported or built.

What is made then stays alive, so its passes find nothing; each full one goes through all that Numba
has made. Measured on a first call: 110 ms of 1.3 s with a collector at work, 30 ms with one that
waits. What was made counts as old afterwards, or the first pass behind would go through all of it
(41 ms behind the imports). Never turns a collector on that was off.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
        if not gc.get_freeze_count():  # or the caller's frozen objects would thaw
            gc.freeze()
            gc.unfreeze()
        gc.enable()
