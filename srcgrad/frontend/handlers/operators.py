"""The functions of the module `operator`: each is the operator itself."""

from __future__ import annotations

import operator
from typing import Any

import gast

from srcgrad.frontend.handlers.registry import implements

BINARY = {
    operator.add: gast.Add,
    operator.sub: gast.Sub,
    operator.mul: gast.Mult,
    operator.truediv: gast.Div,
    operator.floordiv: gast.FloorDiv,
    operator.mod: gast.Mod,
    operator.pow: gast.Pow,
    operator.matmul: gast.MatMult,
}
COMPARED = {
    operator.lt: gast.Lt,
    operator.le: gast.LtE,
    operator.gt: gast.Gt,
    operator.ge: gast.GtE,
    operator.eq: gast.Eq,
    operator.ne: gast.NotEq,
}


def _binary(op: Any) -> Any:
    return lambda it, node, a, b: it.binary(op(), a, b, node)


def _compared(op: Any) -> Any:
    return lambda it, node, a, b: it.compare(op(), a, b, node)


for _f, _op in BINARY.items():
    implements(_f)(_binary(_op))
for _f, _op in COMPARED.items():
    implements(_f)(_compared(_op))


@implements(operator.neg)
def neg(it: Any, node: Any, x: Any) -> Any:
    return it.binary(gast.Mult(), -1, x, node)


@implements(operator.getitem)
def getitem(it: Any, node: Any, x: Any, k: Any) -> Any:
    return it.subscript(x, list(k) if isinstance(k, tuple) else [k], node)
