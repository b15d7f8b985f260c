"""Values that are None on some paths, where a value is needed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import MaybeNone, is_scalar, plain
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import is_complex, is_int

NO_INTEGER = "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'"


def present(it: Interpreter, v: Any, said: Callable[[], str]) -> Any:
    """The value itself; TypeError at run time where it is None."""
    if not isinstance(v, MaybeNone):
        return v
    it.fail_if(it.b.logical_not(v.flag), "TypeError", said())
    return v.value


def flag_of_none(args: list[Any], kwargs: dict[str, Any]) -> Var | None:
    """The flag of the first argument that may be None; None if there is no such argument."""
    return next((v.flag for v in (*args, *kwargs.values()) if isinstance(v, MaybeNone)), None)


def flag_of_default(handler: Any, args: list[Any], kwargs: dict[str, Any]) -> Var | None:
    """The flag of the first argument that may be None, which its parameter has for a default."""
    if flag_of_none(args, kwargs) is None:
        return None
    own = inspect.signature(handler)
    taken = own.replace(parameters=[*own.parameters.values()][2:])  # without `it`, `node`
    try:
        bound = taken.bind(*args, **kwargs).arguments
    except TypeError:  # which the call says
        return None
    return flag_of_none([v for n, v in bound.items() if taken.parameters[n].default is None], {})


def given(it: Interpreter, v: Any, node: Node) -> Any:
    """An argument of a library function that takes no None: refused as it runs."""
    return _given(it, v, node, "an argument", "the call")


def as_index(it: Interpreter, v: Any, node: Node) -> Any:
    """An index, for which None means a new axis: refused as it runs."""
    return _given(it, v, node, "an index", "it is used")


def _given(it: Interpreter, v: Any, node: Node, what: str, use: str) -> Any:
    if not isinstance(v, MaybeNone):
        return v
    it.refuse_where(
        it.b.logical_not(v.flag), node, f"{what} is None on some paths",
        f"test 'is None' before {use}",
    )  # fmt: skip
    return v.value


def in_dtype(it: Interpreter, v: Any, dtype: str, node: Node) -> Any:
    """None as NumPy stores it in an array of the dtype: NaN, or False; TypeError for integers.

    Also where a number is None on some paths; any other value is itself.
    """
    if v is not None and not (isinstance(v, MaybeNone) and is_scalar(v.value)):
        return v
    if is_int(dtype):
        if v is None:
            it.wrong(node, NO_INTEGER, TypeError)
        return present(it, v, lambda: NO_INTEGER)
    none: Any = complex("nan+nanj") if is_complex(dtype) else float("nan")
    none = False if dtype == "bool" else none
    return none if v is None else plain(it.b.where(v.flag, v.value, none))
