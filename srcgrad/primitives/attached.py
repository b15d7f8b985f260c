"""Values that carry a user-defined derivative: `attached`, and `part`, one of its results.

`attached(*values, *inputs, *foreign, *rest, rule=r)` returns the values; the rule states their
derivative with respect to the inputs. Both primitives are removed before code is generated, see
`passes.strip_custom_rules`. Only the differentiators know how a rule is run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.registry import nondiff


def _values(*args: Any, rule: Any) -> tuple[Any, ...]:
    return tuple(np.array(a)[()] for a in args[: rule.outputs])


def _types(b: Any, *args: Any, rule: Any) -> list[Stated]:
    """The types of the values; the result for an array is a new buffer."""
    return [
        (a.type.dtype, a.type.dims, "C") if hasattr(a.type, "dims") else (a.type.dtype, ())
        for a in args[: rule.outputs]
    ]


def _part_type(b: Any, t: Any, k: int) -> Stated:
    of = t.type.items[k]
    return (of.dtype, of.dims, of.layout) if hasattr(of, "dims") else (of.dtype, ())


# their derivative is not in this table: the user states it
attached = nondiff("attached", _values, typing=_types)
part = nondiff("part", lambda t, k: t[k], typing=_part_type, nonfinite=True)
