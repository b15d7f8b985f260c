"""Refuses arrays passed to a transform inside a compiled function that may share stored-to memory.

A transform stores to copies, so arrays that share memory with them would not change as in NumPy:
such a call is refused. Two arguments of the compiled function are compared when it is called.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.ir.nodes import Atom, Var
from srcgrad.ir.types import Array


def refuse_overlap(it: Interpreter, given: list[Atom], stored: frozenset[int], node: Node) -> None:
    """Refuses a call in which an array that is stored to may overlap with another one."""
    arrays = {k: v for k, v in enumerate(given) if isinstance(v.type, Array)}
    for k in sorted(stored.intersection(arrays)):
        mine = _root(it, arrays[k])
        for v in (v for j, v in arrays.items() if j != k):
            other = _root(it, v)
            if mine is None or other is None or mine is other:
                it.refuse(
                    node, "an argument that is stored to may share memory with what else the "
                    "differentiated function reads", "pass a copy: x.copy()",
                )  # fmt: skip
            if _is_input(it, mine) and _is_input(it, other):
                it.captures.stored.add(mine)


def _root(it: Interpreter, v: Any) -> Var | None:
    """The array that owns the memory: an input, or one made here; None if that is not known."""
    while True:
        v = it.captures.stands_for.get(v, v)
        made = it.b.definition.get(v)
        if made is None:
            return v if _is_input(it, v) else None
        if not made.op.view:
            return v
        v = made.args[0]


def _is_input(it: Interpreter, v: Var | None) -> bool:
    return v in it.captures.given
