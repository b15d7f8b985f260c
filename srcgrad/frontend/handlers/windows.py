"""Windows as arrays: NumPy's views of one memory, computed as copies that are only read."""

from __future__ import annotations

from typing import Any

from numpy.lib.stride_tricks import as_strided, sliding_window_view

from srcgrad.frontend.formulas.windows import strided, windows
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


@implements(as_strided)
def with_strides(
    it: Interpreter, node: Node, x: Any, shape: Any = None, strides: Any = None, subok: Any = False,
    writeable: Any = True,
) -> Any:  # fmt: skip
    (x,) = operands(it, node, (x,), "as_strided")
    x = vector(it, x)
    it.attribute(x, "strides", node)  # refuses an array whose memory is not known
    made = it.call(strided, [x, shape, strides], {}, node)
    it.stands_for_view(made, x, "what as_strided gives", node)
    return made
