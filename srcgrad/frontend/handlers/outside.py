"""Handles `numba.prange`, tqdm's progress bars and the functions of `copy`.

Objects of Numba and tqdm, which srcgrad does not import here, are recognised by module and name.
`prange` runs as `range` on one core; a progress bar is replaced by its iterable and shows nothing.
"""

from __future__ import annotations

import copy
from collections import deque
from typing import Any

import numpy as np

from srcgrad.frontend.calls import call_method
from srcgrad.frontend.handlers.registry import BY_NAME, FUNCTIONS, REFUSED, implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import GrownList, describe, is_array, is_scalar


def _range(it: Interpreter, node: Node, *args: Any) -> Any:
    return it.handled(FUNCTIONS[range], list(args), {}, node)


def _bar(it: Interpreter, node: Node, iterable: Any = None, *args: Any, **options: Any) -> Any:
    if iterable is None:
        it.refuse(node, "a progress bar without what it runs over is not supported")
    return iterable


BY_NAME["numba.misc.special", "prange"] = _range
for _module, _name in (
    ("tqdm.std", "tqdm"), ("tqdm.asyncio", "tqdm_asyncio"), ("tqdm.notebook", "tqdm_notebook"),
):  # fmt: skip
    BY_NAME[_module, _name] = _bar


@implements(copy.copy, copy.deepcopy)
def copied(it: Interpreter, node: Node, x: Any) -> Any:
    if is_array(x) or isinstance(x, np.ndarray):
        return it.call_numpy(np.copy, [x], {}, node)
    if is_scalar(x) or isinstance(x, str | type(None)):
        return x
    flat = isinstance(x, list | tuple | dict) and not any(
        is_array(v) or isinstance(v, list | dict | set | tuple | np.ndarray)
        for v in (x.values() if isinstance(x, dict) else x)
    )
    if flat and isinstance(x, list | dict):
        return call_method(it, x, "copy", [], {}, node)
    if flat:
        return x
    kind = "a list" if isinstance(x, GrownList) else describe(x)
    it.refuse(
        node, f"copy of {kind} that may hold arrays is not supported",
        "copy the arrays: x.copy()",
    )  # fmt: skip


REFUSED[deque] = ("collections.deque is not supported", "use a list: append() and pop(0)")
