"""Functions that the text of a program calls besides operators: checks, lengths, buffers, library.

Except those that grow a buffer they are the primitives' own implementations, by their names.
"""

from __future__ import annotations

import numpy as np

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.primitives import REGISTRY, callbacks, draws, memory, messages
from srcgrad.primitives.special import SPECIAL

BY_NAME = (
    memory.index, memory.wrap, memory.slice_start, memory.slice_stop, memory.trips,
    memory.broadcast_dim, memory.check_broadcast, memory.check_assign, memory.check_equal,
    memory.check_range, memory.fail, *messages.WRITTEN, callbacks.call_back, draws.draw, *CALLS,
    *map(REGISTRY.__getitem__, SPECIAL),
)  # fmt: skip
globals().update({op.name: op.impl for op in BY_NAME}, span=memory.span)


def grow(tape: np.ndarray, size: int) -> np.ndarray:
    """A tape with room for `size` items."""
    new = np.zeros(max(size, tape.size * 3 // 2), tape.dtype)
    new[: tape.size] = tape
    return new


def ref_put(references: list[np.ndarray], position: int, reference: np.ndarray) -> None:
    """Puts an item into a list; slots that no path fills hold anything."""
    while len(references) <= position:
        references.append(reference)
    references[position] = reference
