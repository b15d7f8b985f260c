"""Marks of loops whose reverse computes trips again: effects in their bodies that do nothing.

`scheduled` is the user's: `by` says what its operand limits. `recomputed` is that of a loop each of
whose trips reverse mode keeps the beginning of, or of as many at a time as it has slots.
`split` tells `explain` how many segments there are, of how many trips, and with how many slots.
`trip_bytes` is what a trip puts on tapes: reverse mode replaces it by that number. No backend sees
them: `passes.strip_custom_rules`.
"""

from __future__ import annotations

from typing import Any

from srcgrad.primitives.memory import whole
from srcgrad.primitives.registry import nondiff


def _nothing(*args: Any, **params: Any) -> None:
    return None


scheduled = nondiff("scheduled", _nothing, effect=True)
recomputed = nondiff("recomputed", _nothing, effect=True)
split = nondiff("split", _nothing, effect=True)
OF_LOOPS = (scheduled, recomputed)
MARKS = (*OF_LOOPS, split)
trip_bytes = nondiff("trip_bytes", lambda: 1, typing=whole)
