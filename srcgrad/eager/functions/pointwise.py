"""Elementwise functions and operators: arithmetic, powers, exponentials, trigonometry, selection.

One row per function. No derivative is defined here; functions without a primitive are composed of
those with one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import dtypes, mode, node_kinds
from srcgrad.eager.apply import Unsuitable, apply, as_tensor_operand, operand, recorded
from srcgrad.eager.fast_ops import binary, unary
from srcgrad.eager.functions.table import TABLE, declare, declared
from srcgrad.eager.inplace import in_place
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import TensorError, TensorTypeError
from srcgrad.primitives import arcs
from srcgrad.primitives import elementwise as p
from srcgrad.tracebacks import is_entrance, shorten

# ---- arithmetic ----
_add, _sub, _mul, div = binary(p.add), binary(p.sub), binary(p.mul), binary(p.div)


def _scaled(f: Callable, name: str) -> Callable:
    def function(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
        if alpha != 1 and isinstance(other, Tensor):
            other = alike(input, other)
            if isinstance(alpha, float) and other._a.dtype.kind in "biu":
                raise TensorError(
                    "For integral input tensors, argument alpha must not be a floating point "
                    "number."
                )
            other = _mul(other, alpha)
        elif alpha != 1:
            other = operand(other) * alpha
        return f(input, other)

    function.__name__ = function.__qualname__ = name
    return function


def alike(input: Any, other: Tensor) -> Tensor:
    """`other` in the dtype that it and another operand promote to."""
    one = input._a if isinstance(input, Tensor) else operand(input)
    return cast(other, dtypes.promoted((one, other._a)))


add = declare("add", _scaled(_add, "add"), in_place=True)
sub = declare("sub", _scaled(_sub, "sub"), "subtract", in_place=True)
mul = declare("mul", _mul, "multiply", in_place=True)
floor_divide = declare("floor_divide", binary(p.floordiv), in_place=True)
remainder = declare("remainder", binary(p.mod), in_place=True)
fmod = declare("fmod", binary(p.fmod), in_place=True)


@declared("div", "divide", "true_divide", in_place=True)
def divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; rounded if `rounding_mode` is "floor" or "trunc".

    >>> import srcgrad as flow
    >>> flow.div(flow.tensor([6.0, -5.0]), 2)
    tensor([ 3.0000, -2.5000], dtype=srcgrad.float32)
    """
    match rounding_mode:
        case None:
            return div(input, other)
        case "floor":
            return floor_divide(input, other)
        case "trunc":
            return trunc(div(input, other))
    raise TensorError(
        f"div expected rounding_mode to be None, 'trunc' or 'floor', not {rounding_mode}"
    )


neg = declare("neg", unary(p.neg, exact=True), "negative", in_place=True)
abs_ = declare("abs", unary(p.abs, exact=True), in_place=True)
declare("sign", unary(p.sign, exact=True), in_place=True)
declare("floor", unary(p.floor, exact=True), in_place=True)
declare("ceil", unary(p.ceil, exact=True), in_place=True)
trunc = declare("trunc", unary(p.trunc, exact=True), in_place=True)
_rint = unary(p.rint, "round", exact=True)


@declared("round", in_place=True)
def round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest integers, even ones at ties; or to a number of decimals.

    >>> import srcgrad as flow
    >>> flow.round(flow.tensor([0.5, 1.5, 2.6]))
    tensor([0., 2., 3.], dtype=srcgrad.float32)
    """
    if input._a.dtype.kind in "iu":
        return TABLE["clone"].function(input)
    return div(_rint(_mul(input, 10.0**decimals)), 10.0**decimals) if decimals else _rint(input)


declare("reciprocal", lambda input: div(1.0, input), in_place=True)
declare("frac", lambda input: _sub(input, trunc(input)), in_place=True)
declare("positive", lambda input: input)


# ---- powers ----
def _power_of(input: Tensor, n: int) -> Tensor:
    head = input._node
    if head is None or n in (0, 1) or not (not mode.OFF or mode.is_plain()):
        return apply(p.powi, (input,), {"n": n})
    y = p.powi.impl(input._a, n)
    node = object.__new__(node_kinds.POWER)
    node.level, node.next, node.x, node.c = head.level + 1, head, input, n
    node.version = 0 if input._store is None else input._store.version
    return make(y, node)


_pow = binary(p.pow)


@declared("pow", in_place=True)
def power(input: Any, exponent: Any) -> Tensor:
    """input ** exponent; its derivative at exponent 0 is 0.

    RuntimeError for an integer tensor to a negative integer.

    >>> import srcgrad as flow
    >>> flow.pow(flow.tensor([2.0, 3.0]), 2)
    tensor([4., 9.], dtype=srcgrad.float32)
    """
    if isinstance(exponent, np.generic | bool):
        exponent = operand(exponent)
    if not isinstance(input, Tensor) or type(exponent) not in (int, float, bool):
        return _pow(input, exponent)
    if input._a.dtype.kind in "fc" and exponent == exponent // 1 and abs(exponent) < 2**31:
        return _power_of(input, int(exponent))
    if input._a.dtype.kind in "iu" and type(exponent) is int and exponent < 0:
        raise TensorError("Integers to negative integer powers are not allowed.")
    return _pow(input, exponent)


# ---- functions of one argument: name, primitive ----
_UNARY = {
    "exp": p.exp, "exp2": p.exp2, "expm1": p.expm1, "log": p.log, "log2": p.log2,
    "log10": p.log10, "log1p": p.log1p, "sqrt": p.sqrt, "sin": p.sin, "cos": p.cos, "tan": p.tan,
    "asin": arcs.arcsin, "acos": arcs.arccos, "atan": p.arctan, "sinh": p.sinh, "cosh": p.cosh,
    "tanh": p.tanh, "asinh": arcs.arcsinh, "acosh": arcs.arccosh, "atanh": p.arctanh,
    "sigmoid": p.sigmoid, "erf": p.erf, "erfc": p.erfc,
}  # fmt: skip
_LONG = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh",
}  # fmt: skip
for _name, _op in _UNARY.items():
    declare(_name, unary(_op, _name), *filter(None, [_LONG.get(_name)]), in_place=True)
relu = declare("relu", unary(p.relu, exact=True), in_place=True)
declare("square", lambda input: power(input, 2), in_place=True)
declare("rsqrt", lambda input: div(1.0, p_sqrt(input)), in_place=True)
p_sqrt = unary(p.sqrt)

# ---- functions of two arguments ----
declare("atan2", binary(p.arctan2, "atan2"), "arctan2", in_place=True)
declare("hypot", binary(p.hypot), in_place=True)
declare("logaddexp", binary(p.logaddexp))
declare("copysign", binary(p.copysign), in_place=True)
maximum = declare("maximum", binary(p.maximum))
minimum = declare("minimum", binary(p.minimum))

# ---- comparison and logic ----
_COMPARISONS = {"eq": p.eq, "ne": p.ne, "lt": p.lt, "le": p.le, "gt": p.gt, "ge": p.ge}
for _name, _op in _COMPARISONS.items():
    declare(_name, binary(_op), in_place=True)
for _name in ("and", "or", "xor"):
    declare(f"logical_{_name}", binary(getattr(p, f"logical_{_name}")), in_place=True)
    declare(f"bitwise_{_name}", binary(getattr(p, f"bit_{_name}"), f"bitwise_{_name}"))
declare("logical_not", unary(p.logical_not, exact=True), in_place=True)
declare("bitwise_not", unary(p.invert, "bitwise_not", exact=True))
declare("isnan", unary(p.isnan, exact=True))
declare("isinf", unary(p.isinf, exact=True))
declare("isfinite", unary(p.isfinite, exact=True))


_is_zero = binary(p.eq)


# ---- choice ----
@declared("where", method=False)
def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """`input` where the condition holds, else `other`; for a condition alone, where it holds.

    >>> import srcgrad as flow
    >>> flow.where(flow.tensor([True, False]), flow.tensor([1, 2]), flow.tensor([8, 9]))
    tensor([1, 9], dtype=srcgrad.int64)
    """
    if not isinstance(condition, Tensor):
        raise TensorTypeError(
            f"where(): condition must be a Tensor, not {type(condition).__name__}"
        )
    if condition._a.dtype.kind not in "bu" and input is not None:
        raise TensorError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{condition.dtype}"
        )
    if input is None and other is None:
        return tuple(make(k) for k in np.nonzero(condition._a))
    try:
        one, two = operand(input), operand(other)
    except Unsuitable as kind:
        raise TensorTypeError(
            f"where(): a choice must be a Tensor or a number, not {kind}"
        ) from None
    return apply(p.where, (condition, one, two), {})


Tensor.where = lambda self, condition, other: where(condition, self, other)


@declared("clamp", "clip", in_place=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Each element clamped to [min, max]; the derivative at the bounds is 1.

    >>> import srcgrad as flow
    >>> flow.clamp(flow.tensor([-2, 1, 5]), min=0, max=3)
    tensor([0, 1, 3], dtype=srcgrad.int64)
    """
    if min is None and max is None:
        raise TensorError("torch.clamp: At least one of 'min' or 'max' must not be None")
    input = as_tensor_operand(input, "clamp")
    low = -np.inf if min is None else operand(min)
    high = np.inf if max is None else operand(max)
    if input._a.dtype.kind in "iu":
        info = np.iinfo(input._a.dtype)
        low, high = (
            (int(info.min) if min is None else low),
            (int(info.max) if max is None else high),
        )
    return apply(p.clip, (input, low, high), {})


declare("clamp_min", lambda input, min: clamp(input, min=min), in_place=True)
declare("clamp_max", lambda input, max: clamp(input, max=max), in_place=True)


@declared("masked_fill", in_place=True)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`value` where the mask is true, the input elsewhere.

    >>> import srcgrad as flow
    >>> flow.masked_fill(flow.tensor([1, 2, 3]), flow.tensor([True, False, True]), 0)
    tensor([0, 2, 0], dtype=srcgrad.int64)
    """
    return (
        where(mask, make(np.asarray(operand(value), input._a.dtype)), input)
        if not isinstance(value, Tensor)
        else where(mask, value, input)
    )


def root(x: Tensor) -> Tensor:
    """The square root with derivative 0 at 0: for norms and deviations."""
    zero = _is_zero(x, 0.0)
    return where(zero, _mul(x, 0.0), p_sqrt(where(zero, 1.0, x)))


# ---- conversion ----
def cast(input: Tensor, dtype: Any) -> Tensor:
    """The tensor in another dtype; itself if it has that dtype.

    >>> import srcgrad as flow
    >>> flow.ops.cast(flow.tensor([1, 2]), flow.float32)
    tensor([1., 2.], dtype=srcgrad.float32)
    """
    target = dtypes.to_dtype(dtype)
    if input._a.dtype == target.np:
        return input
    a = input._a.astype(target.np)
    return recorded(p.cast, (input,), {"dtype": target.name}, a)


declare("type_as", lambda self, other: cast(self, other.dtype), top=False)
declare("astype", lambda self, dtype, copy=True: cast(self, dtype), top=False)
for _name, _to in {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16,
    "int": dtypes.int32, "long": dtypes.int64, "bool": dtypes.bool_,
}.items():  # fmt: skip
    declare(_name, lambda self, _to=_to: cast(self, _to), top=False)


# ---- operators ----
def _reflected(f: Callable) -> Callable:
    @is_entrance
    def method(self: Any, other: Any) -> Any:
        try:
            return f(other, self)
        except BaseException as error:
            shorten(error)
            raise

    return method


def _assigned(f: Callable) -> Callable:
    @is_entrance
    def method(self: Any, other: Any) -> Any:
        try:
            return in_place(f, self, operand(other))
        except Unsuitable:
            return NotImplemented
        except BaseException as error:
            shorten(error)
            raise

    return method


@is_entrance
def _power_operator(self: Any, other: Any) -> Any:
    try:
        return power(operand(self), operand(other))
    except Unsuitable:
        return NotImplemented
    except BaseException as error:
        shorten(error)
        raise


_OPERATORS = {
    "add": p.add, "sub": p.sub, "mul": p.mul, "truediv": p.div, "floordiv": p.floordiv,
    "mod": p.mod, "and": p.bit_and, "or": p.bit_or, "xor": p.bit_xor, "lshift": p.shift_left,
    "rshift": p.shift_right,
}  # fmt: skip
_operator: dict[str, Callable] = {
    name: binary(op, name, operator=True) for name, op in _OPERATORS.items()
}
for _name, _f in {**_operator, "pow": _power_operator}.items():
    setattr(Tensor, f"__{_name}__", _f)
    setattr(Tensor, f"__r{_name}__", _reflected(_f))
    setattr(Tensor, f"__i{_name}__", _assigned(_f))
for _name in _COMPARISONS:
    setattr(Tensor, f"__{_name}__", binary(_COMPARISONS[_name], operator=True))
for _name, _f in {"neg": neg, "abs": abs_, "invert": unary(p.invert, exact=True)}.items():
    setattr(Tensor, f"__{_name}__", _f)
Tensor.__pos__ = lambda self: self
