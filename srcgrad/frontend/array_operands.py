"""Operands of which one is an array, or an instance of a class that derives from ndarray."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.base_members import is_of_base
from srcgrad.frontend.formulas.registry import REPRESENTED
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.masked_constant import as_array
from srcgrad.frontend.values import Record, describe, is_array
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar


def is_of_array(v: Any, method: str) -> bool:
    """Whether a method of an instance is ndarray's own."""
    return isinstance(v, Record) and issubclass(v.cls, np.ndarray) and is_of_base(v.cls, method)


def refuse_scalars(it: Interpreter, a: Any, c: Any, method: str, node: Node) -> None:
    """Refuses a number of NumPy's beside an instance of a class of arrays that has this method.

    NumPy's number need not call it.
    """
    weak = isinstance(a, Var) and isinstance(t := atom(a).type, Scalar) and t.weak
    scalar = isinstance(a, np.generic) or (isinstance(a, Var) and not is_array(a) and not weak)
    own = isinstance(c, Record) and issubclass(c.cls, np.ndarray) and not is_of_base(c.cls, method)
    masked = isinstance(c, Record) and c.cls in REPRESENTED and method in ("__eq__", "__ne__")
    own = own or masked
    same = own and c.cls is np.matrix and method == "__rmul__"  # both scale
    if scalar and own and not same:
        said = f"NumPy's number on the left need not call {method} of {describe(c)}"
        it.refuse(node, said, "make it a number of Python's: float(...)")


def defers(it: Interpreter, a: Any, c: Any, method: str, found: bool, node: Node) -> bool:
    """Whether ndarray's own operator of an instance leaves the result to the other operand.

    `found`: the other one has the mirrored method.
    """
    cls = c.cls if isinstance(c, Record) else type(c)
    if (not isinstance(c, Record) and not found) or issubclass(cls, np.ndarray):
        return False
    refuse_elements(it, a, c, method, found, node, getattr(a.cls, "__array_priority__", 0.0))
    return True


def is_for_its_owner(v: Any) -> bool:
    """Whether `x op= v` of an array is `x = x op v`, with the operator of the instance."""
    if not isinstance(v, Record) or issubclass(v.cls, np.ndarray) or v.cls in REPRESENTED:
        return False
    ranked = getattr(v.cls, "__array_priority__", -1.0) > 0.0
    return ranked and not hasattr(v.cls, "__array_ufunc__")


def operand_in_place(it: Interpreter, v: Any, node: Node) -> Any:
    """The right operand of an operator in place, refused where NumPy's ufunc does not take it."""
    v = as_array(it, v, node)
    cls = v.cls if isinstance(v, Record) else None
    if cls in REPRESENTED:
        it.refuse(
            node, f"an operator in place of an array with {describe(v)}, whose mask NumPy drops",
            "use its data, or m.filled(...)",
        )  # fmt: skip
    if cls is not None and getattr(cls, "__array_ufunc__", 0) is None:
        said = f"operand '{cls.__name__}' does not support ufuncs (__array_ufunc__=None)"
        it.wrong(node, said, TypeError)
    return v


def refuse_elements(
    it: Interpreter, a: Any, c: Any, method: str, found: bool, node: Node, priority: float = 0.0
) -> None:
    """Refuses an array with an instance on its right, which NumPy calls element by element."""
    cls = c.cls if isinstance(c, Record) else type(c)
    array = is_array(a) or (isinstance(a, Record) and issubclass(a.cls, np.ndarray))
    if not array or not found or issubclass(cls, np.ndarray):
        return
    whole = getattr(cls, "__array_ufunc__", 0) is None
    if not whole and getattr(cls, "__array_priority__", -1.0) <= priority:
        it.refuse(
            node, f"NumPy calls {method} of {describe(c)} for each element of the array",
            f"set __array_ufunc__ = None in {cls.__name__}, or put the instance on the left",
        )  # fmt: skip
