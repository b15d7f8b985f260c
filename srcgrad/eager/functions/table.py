"""The table of tensor functions: a row has a function's name and the places where it appears.

`declare("sin", unary(elementwise.sin), in_place=True)` makes `flow.sin(x)`, `x.sin()` and
`x.sin_()`. A composition is declared like a primitive's function. Derivatives are not defined here:
they are in `primitives`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from srcgrad.eager.graph import label_of
from srcgrad.eager.inplace import in_place as written
from srcgrad.eager.tensor import Tensor
from srcgrad.records import record


@record(frozen=True)
class Row:
    """One function: at the top level, as a method, as an in-place method."""

    name: str
    function: Callable[..., Any]
    top: bool
    method: bool
    in_place: bool


TABLE: dict[str, Row] = {}


def declare(
    name: str,
    function: Callable[..., Any],
    *aliases: str,
    top: bool = True,
    method: bool = True,
    in_place: bool = False,
) -> Callable[..., Any]:
    """Adds a function to the table under its name and its aliases; returns it."""
    by_its_name(function, name)
    for each in (name, *aliases):
        assert each not in TABLE, each
        TABLE[each] = Row(each, function, top, method, in_place)
        if method:
            setattr(Tensor, each, function)
        if in_place:
            setattr(Tensor, f"{each}_", _in_place(function, f"{each}_"))
    return function


def by_its_name(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Lets the node of a function's result have the function's name, when a user calls it.

    A composition ends in the node of some primitive, which would say little in `grad_fn`.
    """
    label = label_of(name)

    def finished(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        node = made._node if isinstance(made, Tensor) else None
        if node is not None and not any(made is a for a in (*args, *kwargs.values())):
            node.called = label
        return made

    if type(function) is FunctionType and "srcgrad_within" not in vars(function):
        vars(function)["srcgrad_finish"] = finished
    return function


def declared(
    name: str, *aliases: str, **kinds: bool
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The same as a decorator, for functions composed of others."""
    return lambda function: declare(name, function, *aliases, **kinds)


def _in_place(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def method(self: Tensor, *args: Any, **params: Any) -> Tensor:
        return written(function, self, *args, **params)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"The function without `_`, written into the tensor itself: see `{name[:-1]}`."
    return method
