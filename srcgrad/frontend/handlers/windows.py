"""Windows as arrays: NumPy's views of one memory, computed as copies that are only read."""

from __future__ import annotations

from typing import Any

from numpy.lib.stride_tricks import sliding_window_view

from srcgrad.frontend.formulas.windows import windows
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import vector
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node


@implements(sliding_window_view)
def sliding_windows(
    it: Interpreter, node: Node, x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False,
    writeable: Any = False,
) -> Any:  # fmt: skip
    if writeable:
        it.refuse(node, "windows with writeable=True are not supported", "store to the array")
    (x,) = operands(it, node, (x,), "sliding_window_view")
    made = it.call(windows, [vector(it, x), window_shape, axis], {}, node)
    it.stands_for_view(made, x, "an array of windows", node)
    return made
