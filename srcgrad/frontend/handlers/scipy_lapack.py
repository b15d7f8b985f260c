"""Routines of `scipy.linalg.lapack` for real matrices, by name and by `get_lapack_funcs`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as sl
from scipy.linalg import lapack

from srcgrad.frontend.formulas import lapack as formulas
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar, np_dtype

# the places of operands of the routine's precision
ROUTINES = {
    formulas.potrf: (0,), formulas.potrs: (0, 1), formulas.potri: (0,), formulas.posv: (0, 1),
    formulas.trtrs: (0, 1), formulas.trtri: (0,), formulas.getrf: (0,), formulas.getrs: (0, 2),
    formulas.gesv: (0, 1),
}  # fmt: skip
PRECISIONS = {"s": "f32", "d": "f64"}


def _register(formula: Callable[..., Any], places: tuple[int, ...], prefix: str) -> None:
    name = prefix + formula.__name__

    def handler(it: Interpreter, node: Node, /, *args: Any, **kwargs: Any) -> Any:
        given = list(args)
        for k in places:
            if k < len(given):
                (v,) = operands(it, node, (given[k],), name)
                given[k] = it.b.cast(v, Scalar(PRECISIONS[prefix]))
        return it.call(formula, given, kwargs, node)

    implements(getattr(lapack, name))(handler)


for _formula, _places in ROUTINES.items():
    for _prefix in PRECISIONS:
        _register(_formula, _places, _prefix)


@implements(sl.get_lapack_funcs)
def get_lapack_funcs(
    it: Interpreter,
    node: Node,
    names: Any,
    arrays: Any = (),
    dtype: Any = None,
    ilp64: Any = False,
) -> Any:
    """The routines for the precision of some arrays."""
    if ilp64 or dtype is not None:
        it.refuse(node, "get_lapack_funcs with dtype= or ilp64=", "pass the arrays")
    kinds = [np_dtype(atom(v).type.dtype) for v in operands(it, node, arrays, "get_lapack_funcs")]
    return sl.get_lapack_funcs(names, [np.empty(0, kind) for kind in kinds])
