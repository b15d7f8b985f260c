"""Extrema that ignore NaN: fmax, fmin."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_number, is_scalar
from srcgrad.ir.nodes import atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import is_float


def _extremum(f: Any, name: RowName, first: RowName) -> None:
    def handler(it: Interpreter, node: Node, a: Any, c: Any) -> Any:
        if is_number(a) and is_number(c):
            return f(a, c)
        a, c = operands(it, node, (a, c), f.__name__)
        if is_scalar(a) and is_scalar(c):  # of two zeros NumPy takes the first
            best = it.emit(node, first, c, a)
        else:
            best = it.emit(node, name, a, c)
        if not is_float(atom(best).type.dtype):
            return best
        if not is_scalar(best):
            best = it.emit(node, "where", it.b.isnan(c), a, best)
        return it.emit(node, "where", it.b.isnan(a), c, best)

    implements(f)(handler)


_extremum(np.fmax, "maximum", "larger")
_extremum(np.fmin, "minimum", "smaller")
