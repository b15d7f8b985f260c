"""Tensor functions and methods in compiled code, each by the handler of NumPy's own.

So a function written with `flow.exp(x)` and `x.sum(dim=0)` compiles like one written with NumPy.
What is not in these tables, or would have another dtype than a tensor's, is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.bridge import tensor_formulas
from srcgrad.bridge.composed import register as register_primitives
from srcgrad.eager import create, indexing
from srcgrad.eager.functions import activations, layers, losses, pointwise
from srcgrad.eager.functions import windows as of_images
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.inplace import touched, write
from srcgrad.eager.tensor import Tensor, make
from srcgrad.frontend.handlers.registry import (
    METHODS,
    TENSOR_CLASS,
    TENSOR_FUNCTIONS,
    TENSOR_METHODS,
)
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import describe, is_array, is_value
from srcgrad.ir.nodes import atom
from srcgrad.primitives import REGISTRY
from srcgrad.transforms.entry_points import stop_gradient

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
    "concatenate": np.concatenate,     "clone": np.copy, "isnan": np.isnan, "isinf": np.isinf,
    "isfinite": np.isfinite, "trace": np.trace, "diag": np.diag, "tril": np.tril, "triu": np.triu,
}  # fmt: skip
PRIMITIVES = ("relu", "sigmoid", "erf", "erfc")  # NumPy has none
COMPARED = {
    "gt": np.greater, "lt": np.less, "ge": np.greater_equal, "le": np.less_equal, "eq": np.equal,
    "ne": np.not_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_not": np.logical_not,
}  # fmt: skip
FORMULAS = (
    "transpose", "flatten", "gather", "clamp", "nll_loss", "one_hot", "var", "std", "repeat",
)  # fmt: skip
REDUCED = ("sum", "mean", "prod", "amax", "amin")  # (input, dim, keepdim)
WHOLE = {"max": np.max, "min": np.min}  # with a dim a tensor's has another result
# methods of arrays that mean the same already
NUMPYS = ("reshape", "squeeze", "dot", "trace", "clip", "prod", "take")
# methods that arrays have as well, with another meaning
TWO_MEANINGS = ("max", "min", "std", "var", "transpose", "repeat")
_KEYWORDS = {"dim": "axis", "keepdim": "keepdims", "min": "a_min", "max": "a_max"}


def _spelled(keywords: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Operands given by name, and the other keywords in NumPy's spelling."""
    given = dict(keywords)
    operands = [given.pop(k) for k in ("input", "other", "exponent", "tensors") if k in given]
    return operands, {_KEYWORDS.get(k, k): v for k, v in given.items()}


def _handler(name: str, f: Any, floating: bool, whole: bool) -> Callable:
    def handler(it: Interpreter, node: Node, *args: Any, **keywords: Any) -> Any:
        operands, named = _spelled(keywords)
        args = (*args[: 0 if "input" in keywords else len(args)], *operands)
        if whole and (len(args) > 1 or keywords.keys() - {"input"}):
            return it.follow(TABLE[name].function, list(args), keywords, node)
        if floating:
            _refuse_integers(it, node, name, args)
        if name == "permute" and len(args) > 2:
            args = (args[0], tuple(args[1:]))
        return it.call(f, list(args), named, node)

    return handler


def _primitive(name: str) -> Callable:
    def handler(it: Interpreter, node: Node, input: Any) -> Any:
        if not is_value(input):
            it.refuse(node, f"{name} takes a tensor, not {describe(input)}")
        if name != "relu":
            _refuse_integers(it, node, name, (input,))
        return it.emit(node, name, input)

    return handler


def _refuse_integers(it: Interpreter, node: Node, name: str, args: tuple) -> None:
    values = [atom(a) for a in args[:2] if is_value(a)]
    if values and all(a.type.dtype[0] in "iub" and not _is_weak(a) for a in values):
        it.refuse(node, f"{name} of integers is not supported here", "use .astype(float)")


def _is_weak(a: Any) -> bool:
    return getattr(a.type, "weak", False)


def _method_with_dim(handler: Callable) -> Callable:
    """NumPy's method that knows a tensor's keywords as well."""

    def named(it: Interpreter, node: Node, *args: Any, **keywords: Any) -> Any:
        renamed = {_KEYWORDS.get(k, k): v for k, v in keywords.items()}
        return it.handled(handler, list(args), renamed, node)

    return named


def _by_keywords(of_tensor: Callable, of_array: Callable) -> Callable:
    """A tensor's method, unless it is called in a way that only arrays' methods take."""

    def handler(it: Interpreter, node: Node, x: Any, *args: Any, **keywords: Any) -> Any:
        numpys = {"axis", "axes", "keepdims", "ddof", "repeats"} & {*keywords}
        permuted = of_array is METHODS["array", "transpose"] and len(args) != 2
        handler = of_array if numpys or permuted else of_tensor
        return it.handled(handler, [x, *args], keywords, node)

    return handler


def _as_formula(f: Callable) -> Callable:
    """Another function's source, followed in the place of the tensor function's."""

    def handler(it: Interpreter, node: Node, *args: Any, **keywords: Any) -> Any:
        made = it.call(f, list(args), keywords, node)
        if is_array(made):
            it.captures.meet_tensor(made)
        return made

    return handler


def _cast(it: Interpreter, node: Node, x: Any, dtype: Any, **keywords: Any) -> Any:
    """`x.to(dtype)` and `x.astype(dtype)`, by a dtype of ours or of NumPy's."""
    target = getattr(dtype, "np", dtype)
    if is_value(dtype):
        it.refuse(node, "to() takes a dtype here")
    return METHODS["array", "astype"](it, node, x, target, **keywords)


def _flatten(copied: Callable, of_dims: Callable) -> Callable:
    """NumPy's method without arguments, a tensor's with dims."""

    def handler(it: Interpreter, node: Node, x: Any, *dims: Any, **keywords: Any) -> Any:
        handler = of_dims if dims or keywords else copied
        return it.handled(handler, [x, *dims], keywords, node)

    return handler


def _detached(it: Interpreter, node: Node, x: Any) -> Any:
    """`x.detach()`: a constant; it shares memory with x, so nothing may be stored to either."""
    made = it.call(stop_gradient, [x], {}, node)
    if is_array(x) and made is not x:
        it.stands_for_view(made, x, "detach()", node)
    return made


def _made(it: Interpreter, node: Node, a: Any, history: Any = None) -> Any:
    return a


def _in_order(names: tuple[str, ...], handler: Callable) -> Callable:
    """A handler of keywords for a function whose arguments may come by position."""

    def ordered(it: Interpreter, node: Node, input: Any, *args: Any, **keywords: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **keywords}
        return it.handled(handler, [input], given, node)

    return ordered


def _size(it: Interpreter, node: Node, x: Any, dim: Any = None) -> Any:
    dims = x.type.dims if is_array(x) else ()
    return tuple(dims) if dim is None else it.subscript(tuple(dims), [dim], node)


def _numel(it: Interpreter, node: Node, x: Any) -> Any:
    return it.b.size(x.type.dims if is_array(x) else ())


def _dim(it: Interpreter, node: Node, x: Any) -> Any:
    return len(x.type.dims) if is_array(x) else 0


def _register() -> None:
    rows = [(n, f, True, False) for n, f in FLOATING.items()]
    rows += [(n, f, False, False) for n, f in SAME.items()]
    rows += [(n, f, False, False) for n, f in COMPARED.items()]
    rows += [(n, f, False, True) for n, f in WHOLE.items()]
    made = {name: _handler(name, f, floating, whole) for name, f, floating, whole in rows}
    made |= {name: _primitive(name) for name in PRIMITIVES if name in REGISTRY}
    made |= {name: _as_formula(getattr(tensor_formulas, name)) for name in FORMULAS}
    made["clip"] = made["clamp"]
    made |= {name: _in_order(("dim", "keepdim"), made[name]) for name in REDUCED}
    for name, handler in made.items():
        row = TABLE.get(name)
        if row is not None:
            TENSOR_FUNCTIONS[row.function] = handler
        if name not in NUMPYS:
            TENSOR_METHODS[name] = handler
    for name in NUMPYS:
        TENSOR_METHODS[name] = _method_with_dim(METHODS["array", name])
    for name in TWO_MEANINGS:
        TENSOR_METHODS[name] = _by_keywords(TENSOR_METHODS[name], METHODS["array", name])
    for name in ("sum", "mean", "cumsum"):
        TENSOR_METHODS[name] = _method_with_dim(METHODS["array", name])
    TENSOR_METHODS["flatten"] = _flatten(METHODS["array", "flatten"], made["flatten"])
    TENSOR_METHODS["size"], TENSOR_METHODS["dim"] = _size, _dim
    TENSOR_METHODS["numel"] = TENSOR_METHODS["nelement"] = _numel
    TENSOR_METHODS["astype"] = TENSOR_METHODS["to"] = _cast
    for name in ("zeros", "ones", "full", "zeros_like", "ones_like"):
        TENSOR_FUNCTIONS[getattr(create, name)] = _as_formula(getattr(tensor_formulas, name))
    TENSOR_FUNCTIONS[pointwise.div] = made["div"]
    TENSOR_FUNCTIONS[indexing.getitem] = _as_formula(tensor_formulas.getitem)
    TENSOR_FUNCTIONS[of_images.padded] = _as_formula(tensor_formulas.padded)
    TENSOR_FUNCTIONS[of_images.windows] = _as_formula(tensor_formulas.windows)
    TENSOR_FUNCTIONS[losses.nll_loss] = made["nll_loss"]
    TENSOR_FUNCTIONS[layers.one_hot] = made["one_hot"]
    TENSOR_FUNCTIONS[activations.relu] = made["relu"]
    TENSOR_FUNCTIONS[make] = _made
    TENSOR_CLASS.append(Tensor)
    TENSOR_METHODS["detach"] = _detached
    TENSOR_FUNCTIONS[write] = _as_formula(tensor_formulas.write)
    TENSOR_FUNCTIONS[touched] = lambda it, node, tensors: None
    register_primitives()


_register()
