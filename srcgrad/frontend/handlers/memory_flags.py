"""Flags of arrays: which are known, and arrays that are made read-only."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.attributes import is_contiguous
from srcgrad.frontend.formulas.flags import lies_in_c_order
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.read_only import Marked
from srcgrad.frontend.values import Known, is_array


@implements(lies_in_c_order)
def in_c_order(it: Interpreter, node: Node, x: Any) -> bool:
    return is_contiguous(it, x)


@method("array", "setflags")
def setflags(
    it: Interpreter, node: Node, x: Any, write: Known = None, align: Known = None, uic: Known = None
) -> None:
    if align is not None or uic is not None:
        it.refuse(node, "setflags() sets whether an array may be stored to: write= alone")
    if not is_array(x) or not x.type.dims:
        it.refuse(node, "setflags() of a number is not supported", "leave it out")
    if write is not None:
        mark = it.b.view(x, spec=(":",) * x.type.ndim)
        place = it.frame.source.location(node)
        it.snapshots.append(Marked(mark, x, bool(write), place))
