"""Inputs that a program stores to, tested to share no memory with others, also in training steps.

Every `ir.nodes.Function` assumes this. The Parameters of a step are the same arrays at
each call: they are compared once. Never writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.backends.gpu_arrays import is_on_device, may_share
from srcgrad.frontend.guards import Writer


class NoOverlap:
    """Tests that the inputs which a program stores to share no memory with others.

    The first `given` inputs are arguments, the others captured.

    >>> a = np.zeros(4)
    >>> test = NoOverlap(1, frozenset({0}))
    >>> test.passes([a, np.ones(4)]), test.passes([a, a[1:]])
    (True, False)
    """

    def __init__(self, given: int, stored: frozenset[int]):
        self.given, self.stored = given, stored
        self.known: list[Any] = []  # captured arrays that do not overlap

    def write(self, w: Writer, p: str) -> None:
        w.unless(f"{w.name(self.passes)}({p})")

    def passes(self, inputs: Sequence[Any]) -> bool:
        arrays = [getattr(x, "_a", x) for x in inputs]
        captured = arrays[self.given :]
        if len(captured) != len(self.known) or not all(
            [a is b for a, b in zip(self.known, captured, strict=True) if a is not None]
        ):
            if not self._apart(arrays, range(self.given, len(arrays))):
                return False
            self.known = [a if isinstance(a, np.ndarray) else None for a in captured]
        return self._apart(arrays, range(self.given))

    def _apart(self, arrays: list[Any], places: range) -> bool:
        for j in places:
            others = range(len(arrays)) if j in self.stored else self.stored
            if any(k != j and _share(arrays[j], arrays[k]) for k in others):
                return False
        return True


def _share(a: Any, b: Any) -> bool:
    """Whether two inputs are arrays with memory in common."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.may_share_memory(a, b) and np.shares_memory(a, b)
    return is_on_device(a) and is_on_device(b) and may_share(a, b)
