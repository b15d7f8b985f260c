"""Results of NumPy's functions that make several instances, one from another, on the way."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from typing import Any

from srcgrad.frontend.base_members import member_of
from srcgrad.frontend.formulas.array_classes import OfArray
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Record


def check_steps(it: Interpreter, owner: Record, steps: int, name: str, node: Node) -> None:
    """Refuses a result of several steps if one is not the same as several."""
    finalize = member_of(owner.cls, "__array_finalize__")
    if steps > 1 and finalize is not OfArray.__array_finalize__ and not _copies(finalize):
        said = f"{name}() calls __array_finalize__ of {owner.cls.__name__} more than once"
        it.refuse(
            node, f"{said}, which does more than copy attributes", "pass its array: np.asarray(...)"
        )


@functools.lru_cache(maxsize=256)
def _copies(finalize: Any) -> bool:
    """Whether an `__array_finalize__` only copies attributes: calling it twice is one call."""
    try:
        (function,) = ast.parse(textwrap.dedent(inspect.getsource(finalize))).body
        self, obj = (a.arg for a in function.args.args)  # type: ignore[attr-defined]  (checked)
    except (OSError, TypeError, ValueError, SyntaxError, AttributeError):
        return False
    known = {f"if {obj} is None:\n    return", "pass", "return"}
    for s in function.body:  # type: ignore[attr-defined]  (likewise)
        text = ast.unparse(s)
        if text in known or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)):
            continue
        match s:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)],
                value=ast.Call(func=ast.Name(id="getattr"), args=[
                    ast.Name(id=source), ast.Constant(value=read), ast.Constant()
                ]),
            ) if owner == self and source == obj and name == read:  # fmt: skip
                continue
        return False
    return True
