"""The functions of the module `operator`: each is the operator itself."""

from __future__ import annotations

import operator
from typing import Any

import gast

from srcgrad.frontend.expressions import binary, unary
from srcgrad.frontend.formulas import operators  # noqa: F401 (registers others)
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.indexing import subscript
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Partial

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
    return lambda it, node, a, b: binary(it, op(), a, b, node)


def _compared(op: Any) -> Any:
    return lambda it, node, a, b: it.compare(op(), a, b, node)


for _f, _op in BINARY.items():
    implements(_f)(_binary(_op))
for _f, _op in COMPARED.items():
    implements(_f)(_compared(_op))


@implements(operator.neg)
def neg(it: Interpreter, node: Node, x: Any) -> Any:
    return unary(it, gast.USub(), x, node)


@implements(operator.getitem)
def getitem(it: Interpreter, node: Node, x: Any, k: Any) -> Any:
    return subscript(it, x, list(k) if isinstance(k, tuple) else [k], node)


# ---- functions that pick from their argument ----
@implements(operator.itemgetter)
def itemgetter(it: Interpreter, node: Node, *keys: Any) -> Any:
    return Partial(_items, keys, {})


@implements(operator.attrgetter)
def attrgetter(it: Interpreter, node: Node, *names: Any) -> Any:
    if any("." in n for n in names):
        it.refuse(node, "attrgetter of a dotted name is not supported", "use a lambda")
    return Partial(_attributes, names, {})


@implements(operator.methodcaller)
def methodcaller(it: Interpreter, node: Node, name: Any, /, *args: Any, **kwargs: Any) -> Any:
    return Partial(_called, (name, args, kwargs), {})


def _picks(handler: Any) -> Any:
    """Registers a handler as a function of its own: it has no other body."""
    implements(handler)(handler)
    return handler


@_picks
def _items(it: Interpreter, node: Node, *given: Any) -> Any:
    *keys, x = given
    made = [getitem(it, node, x, k) for k in keys]
    return made[0] if len(made) == 1 else tuple(made)


@_picks
def _attributes(it: Interpreter, node: Node, *given: Any) -> Any:
    *names, x = given
    made = [it.attribute(x, n, node) for n in names]
    return made[0] if len(made) == 1 else tuple(made)


@_picks
def _called(it: Interpreter, node: Node, name: str, args: tuple, kwargs: dict, x: Any) -> Any:
    return it.call(it.attribute(x, name, node), list(args), kwargs, node)
