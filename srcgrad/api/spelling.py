"""Tensor functions and methods in compiled code, each by the handler of NumPy's own.

So a function written with `flow.exp(x)` and `x.sum(dim=0)` compiles like one written with NumPy.
What is not in these tables, or would have another dtype than a tensor's, is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.functions.table import TABLE
from srcgrad.frontend.handlers.registry import METHODS, TENSOR_FUNCTIONS, TENSOR_METHODS
from srcgrad.frontend.values import describe, is_value
from srcgrad.ir.nodes import atom
from srcgrad.primitives import REGISTRY

# functions whose result is floating: of integers NumPy's would be float64, a tensor's float32
FLOATING = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "arcsin": np.arcsin, "arccos": np.arccos, "arctan": np.arctan,
    "arcsinh": np.arcsinh, "arccosh": np.arccosh, "arctanh": np.arctanh, "atan2": np.arctan2,
    "arctan2": np.arctan2, "hypot": np.hypot, "logaddexp": np.logaddexp, "mean": np.mean,
    "div": np.divide, "divide": np.divide, "true_divide": np.divide,
}  # fmt: skip
SAME = {
    "abs": np.abs, "neg": np.negative, "negative": np.negative, "sign": np.sign,
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "square": np.square,
    "maximum": np.maximum, "minimum": np.minimum, "add": np.add, "sub": np.subtract,
    "subtract": np.subtract, "mul": np.multiply, "multiply": np.multiply, "pow": np.power,
    "where": np.where, "matmul": np.matmul, "mm": np.matmul, "mv": np.matmul, "dot": np.dot,
    "outer": np.outer, "sum": np.sum, "prod": np.prod, "cumsum": np.cumsum, "amax": np.max,
    "amin": np.min, "reshape": np.reshape, "permute": np.transpose, "unsqueeze": np.expand_dims,
    "squeeze": np.squeeze, "stack": np.stack, "cat": np.concatenate, "concat": np.concatenate,
    "concatenate": np.concatenate, "zeros_like": np.zeros_like, "ones_like": np.ones_like,
    "clone": np.copy, "clamp": np.clip, "clip": np.clip, "isnan": np.isnan, "isinf": np.isinf,
    "isfinite": np.isfinite, "trace": np.trace, "diag": np.diag, "tril": np.tril, "triu": np.triu,
}  # fmt: skip
PRIMITIVES = ("relu", "sigmoid", "erf", "erfc")  # NumPy has none
WHOLE = {"max": np.max, "min": np.min}  # with a dim a tensor's has another result
# methods of arrays that mean the same already, or that mean NumPy's on purpose
NUMPYS = ("max", "min", "reshape", "squeeze", "dot", "trace", "clip", "prod")
_KEYWORDS = {"dim": "axis", "keepdim": "keepdims", "min": "a_min", "max": "a_max"}


def _spelled(keywords: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Operands given by name, and the other keywords in NumPy's spelling."""
    given = dict(keywords)
    operands = [given.pop(k) for k in ("input", "other", "exponent", "tensors") if k in given]
    return operands, {_KEYWORDS.get(k, k): v for k, v in given.items()}


def _handler(name: str, f: Any, floating: bool, whole: bool) -> Callable:
    def handler(it: Any, node: Any, *args: Any, **keywords: Any) -> Any:
        operands, named = _spelled(keywords)
        args = (*args[: 0 if "input" in keywords else len(args)], *operands)
        if whole and (len(args) > 1 or named):
            it.refuse(node, f"{name} along a dim is not supported here", f"use {name}(x) or amax")
        if floating:
            _refuse_integers(it, node, name, args)
        if name == "permute" and len(args) > 2:
            args = (args[0], tuple(args[1:]))
        return it.call(f, list(args), named, node)

    return handler


def _primitive(name: str) -> Callable:
    def handler(it: Any, node: Any, input: Any) -> Any:
        if not is_value(input):
            it.refuse(node, f"{name} takes a tensor, not {describe(input)}")
        if name != "relu":
            _refuse_integers(it, node, name, (input,))
        return it.emit(node, name, input)

    return handler


def _refuse_integers(it: Any, node: Any, name: str, args: tuple) -> None:
    values = [atom(a) for a in args[:2] if is_value(a)]
    if values and all(a.type.dtype[0] in "iub" and not _is_weak(a) for a in values):
        it.refuse(node, f"{name} of integers is not supported here", "use .astype(float)")


def _is_weak(a: Any) -> bool:
    return getattr(a.type, "weak", False)


def _method_with_dim(handler: Callable) -> Callable:
    """NumPy's method that knows a tensor's keywords as well."""

    def named(it: Any, node: Any, *args: Any, **keywords: Any) -> Any:
        return handler(it, node, *args, **{_KEYWORDS.get(k, k): v for k, v in keywords.items()})

    return named


def _register() -> None:
    rows = [(n, f, True, False) for n, f in FLOATING.items()]
    rows += [(n, f, False, False) for n, f in SAME.items()]
    rows += [(n, f, False, True) for n, f in WHOLE.items()]
    made = {name: _handler(name, f, floating, whole) for name, f, floating, whole in rows}
    made |= {name: _primitive(name) for name in PRIMITIVES if name in REGISTRY}
    for name, handler in made.items():
        row = TABLE.get(name)
        if row is not None:
            TENSOR_FUNCTIONS[row.function] = handler
        if ("array", name) not in METHODS and name not in NUMPYS:
            TENSOR_METHODS[name] = handler
    for name in ("sum", "mean", "cumsum", "prod"):
        TENSOR_METHODS[name] = _method_with_dim(METHODS["array", name])


_register()
