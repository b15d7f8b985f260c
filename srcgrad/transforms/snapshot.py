"""Snapshots of captured values: a later call that continues the first is refused if they changed.

Arguments are copied by the code that stores them; captured values belong to the caller, so they
are watched. Never changes one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import AutogradError
from srcgrad.frontend.guards import Guard, Unchanged
from srcgrad.records import record
from srcgrad.tree import paths


class Moment:
    """The captured values of a compiled function for some arguments, as they are now."""

    def __init__(self, compiled: Any, arguments: dict[str, Any], taken_by: str = "vjp"):
        self.taken_by = taken_by
        given = [pair for n, v in arguments.items() for pair in paths(v, (n,))]
        self.entry, captured = compiled._entry_for(arguments, given)
        inputs = zip(self.entry.inputs, captured, strict=True)
        same = [Guard(g.path, SameContents(_copied(v)), g.name) for g, v in inputs]
        self.guards = [*self.entry.program.guards, *same]

    def check(self) -> None:
        """Raises AutogradError if a captured value has changed."""
        for guard in self.guards:
            if not guard.holds():
                raise changed(guard.shown, self.taken_by)


def changed(name: str, taken_by: str = "vjp") -> AutogradError:
    """The error for a captured value or a Parameter that has changed."""
    return AutogradError(
        f"'{name}' has changed since {taken_by}() was called: the derivative would be that of "
        "another function",
        None,
        f"call {taken_by}() again, or pass it as an argument (arguments are copied)",
    )


@record()
class SameContents(Unchanged):
    """Tests that a captured input has the contents of a copy."""

    def passes(self, now: Any) -> bool:
        old = self.value
        if not isinstance(old, np.ndarray):
            return old is now or (type(old) is type(now) and repr(old) == repr(now))
        if not isinstance(now, np.ndarray) or (old.dtype, old.shape) != (now.dtype, now.shape):
            return False
        return np.array_equal(old, now, equal_nan=old.dtype.kind in "fc")


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value
