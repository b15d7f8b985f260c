"""Functions that helpers call besides operators; calls of the library as Numba compiles them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from srcgrad.backends.cpu.calls import CALLS, function_of, functions_of
from srcgrad.backends.cpu.text.expressions import named_dtype
from srcgrad.backends.cpu.text.views import tuple_text
from srcgrad.ir.nodes import Def
from srcgrad.primitives import Primitive, callbacks, draws, equations, messages

KERNELS = (
    "absorb", "betainc_by_shape", "call_back", "complex_arccosh", "complex_expm1", "divide",
    "draw", "floordiv", "gammainc_by_shape", "gammainc_by_shape_twice", "lambertw", "maximum",
    "minimum", "power", "relu", "remainder", "report", "shift_left", "shift_right", "show",
    "sigmoid", "sign", "sph_legendre_p", "stdtr_by_freedom", "where", "whole_power",
)  # fmt: skip
CALLED: dict[str, tuple[str, ...]] = {"kernels": KERNELS}
for _module in ("library", "equations"):
    _called = {n for op, c in CALLS.items() if c.module == _module for n in functions_of(op)}
    CALLED[_module] = tuple(sorted(_called))


def imports_of(body: str, modules: dict[str, tuple[str, ...]] = CALLED) -> str:
    """The imports that a generated text needs, from modules of this backend."""
    called = set(re.findall(r"(\w+)\(", body))
    lines = ["import math", "", "import numpy as np"]
    for module, names in modules.items():
        used = [h for h in names if h in called]
        if used:
            lines += ["", f"from srcgrad.backends.cpu.{module} import {', '.join(used)}"]
    return "\n".join(lines)


def _library(p: Any, s: Def) -> str:
    call, parts = CALLS[s.op], [p.text(a) for a in s.args]
    if call.error:
        parts.insert(0, p.site())
    return f"{function_of(s)}({', '.join(parts)})"


def _call_back(p: Any, s: Def) -> str:
    """A call back; the function's number, which differs from process to process, is a parameter."""
    total, *rest = [p.text(a) for a in s.args]
    many = sum(s.params["back"].ranks)
    dims, operands = tuple_text(["0", *rest[:many]]), tuple_text(["0", *rest[many:]])
    dtype = named_dtype(s.params["dtype"])
    return f"call_back({p.site()}, back, {total}, {dims}, {operands}, {dtype})"


def _draw(p: Any, s: Def) -> str:
    total, number, *rest = [p.text(a) for a in s.args]
    rank, words = s.params["rank"], s.params["words"]
    dims, operands = tuple_text(["0", *rest[:rank]]), tuple_text(["0", *rest[rank:]])
    dtype = named_dtype(s.params["dtype"])
    return f"draw({p.site()}, {words!r}, {number}, {total}, {dims}, {operands}, {dtype})"


def _show(p: Any, s: Def) -> str:
    stream, flush = s.params.get("stream", "stdout"), s.params.get("flush", False)
    values = tuple_text(list(map(p.text, s.args)))
    return f"show({s.params['message']!r}, {stream!r}, {flush!r}, {values})"


def _report(p: Any, s: Def) -> str:
    values = tuple_text(list(map(p.text, s.args)))
    return f"report({p.site()}, {s.params['message']!r}, {values}, {s.params['words']!r})"


# the expression of a call, given the names of its operands
LIBRARY: dict[Primitive, Callable[[Any, Def], str]] = {
    **dict.fromkeys([op for op, call in CALLS.items() if call.module], _library),
    callbacks.call_back: _call_back,
    draws.draw: _draw,
    messages.show: _show,
    messages.report: _report,
}
# what an interpreter runs
INTERPRETED = frozenset(
    (
        callbacks.call_back,
        draws.draw,
        messages.show,
        messages.report,
        equations.sqrtm,
        equations.logm,
    )
)
