"""Methods of ufuncs: outer, reduce, accumulate."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.values import is_array

OUTER = (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.power,
         np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)  # fmt: skip
REDUCE = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
          np.logical_and: np.all, np.logical_or: np.any}  # fmt: skip
ACCUMULATE = {np.add: np.cumsum, np.multiply: np.cumprod}


def _outer(f: Any) -> None:
    def handler(it: Any, node: Any, a: Any, c: Any) -> Any:
        a, c = operands(it, node, (a, c), f"{f.__name__}.outer")
        if is_array(a) and is_array(c):
            a = it.b("view", a, spec=(":",) * a.type.ndim + ("n",) * c.type.ndim)
        return it.call_numpy(f, [a, c], {}, node)

    implements(f.outer)(handler)


def _over_first_axis(method: Any, whole: Any) -> None:
    """A method of a ufunc by a function of NumPy; its default is the first axis."""

    def handler(it: Any, node: Any, x: Any, axis: Any = 0, **kwargs: Any) -> Any:
        return it.call_numpy(whole, [x], {"axis": axis, **kwargs}, node)

    implements(method)(handler)


for _f in OUTER:
    _outer(_f)
for _f, _whole in REDUCE.items():
    _over_first_axis(_f.reduce, _whole)
for _f, _whole in ACCUMULATE.items():
    _over_first_axis(_f.accumulate, _whole)
