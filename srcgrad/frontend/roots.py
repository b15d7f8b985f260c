"""The values that a number is computed from by operations on scalars."""

from __future__ import annotations

from typing import Any

from srcgrad.ir.nodes import Var
from srcgrad.primitives import memory


def roots(it: Any, v: Var) -> set[Var]:
    """The variables that no scalar operation defines, below `v`."""
    out, todo, seen = set(), [v], set()
    while todo:
        x = todo.pop()
        if x in seen:
            continue
        seen.add(x)
        definition = it.b.definition.get(x)
        if x in it.captures.met:
            todo += [a for a in it.captures.met[x] if isinstance(a, Var)]
        elif definition is None or definition.op in (memory.dim, memory.load):
            out.add(x)
        else:
            todo += [a for a in definition.args if isinstance(a, Var)]
    return out
