"""Captured sequences of many constants: one guard for all of them, the bytes of what they hold.

Tables of coefficients have thousands of numbers. A guard for each takes longer to make than the
program, and each call looks at all of them.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from srcgrad.frontend.guards import Guard, Path, Step, Unchanged, is_changing
from srcgrad.frontend.requirements import Requirements

LEAST, DEEPEST = 64, 4  # items; sequences within one another
CONSTANTS = Step(("constants",), lambda v: marshal.dumps(v, 2))  # tells types, and -0.0 from 0.0
PLAIN = (float, int, bool, str)


def is_constant(captures: Any, path: Path, value: Any) -> bool:
    """Whether a list or tuple of a module, or of a default, holds many constants and nothing else.

    No list among them may be one that the function changes, or reaches in another way.
    """
    if path.key[0] not in ("global", "default") or path.key in captures.required.itemized:
        return False
    count = _count(captures, value, DEEPEST)
    return count is not None and count >= LEAST


def _count(captures: Any, value: Any, depth: int) -> int | None:
    """How many constants there are; None if there is anything else."""
    if type(value) in PLAIN:
        return 1
    known = id(value) in captures.changed or ("object", id(value)) in captures.containers
    if type(value) not in (list, tuple) or known or depth == 0:
        return None
    total = 0
    for v in value:
        if type(v) in PLAIN:
            total += 1
        elif (inner := _count(captures, v, depth - 1)) is None:
            return None
        else:
            total += inner
    return total


def promote_to_inputs(guards: Iterable[Guard[Unchanged]], required: Requirements) -> None:
    """Turns captured numbers that have changed into inputs: no new code for each value.

    Constants among which one has changed are captured one by one from then on.
    """
    for guard in guards:
        steps = guard.path.steps
        constants = bool(steps) and steps[-1] is CONSTANTS
        if not (constants or is_changing(guard.test.value)) or guard.holds():
            continue
        if constants:
            required.itemized.add(replace(guard.path, steps=steps[:-1]).key)
        else:
            required.inputs.add(guard.path.key)
