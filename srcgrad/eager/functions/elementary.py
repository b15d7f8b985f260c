"""More elementwise functions: second names, fused arithmetic, NaN and infinity, angles.

Composed of those in `pointwise`, or primitives without a derivative. No derivative is defined here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import dtypes
from srcgrad.eager.apply import as_tensor_operand
from srcgrad.eager.fast_ops import binary, unary
from srcgrad.eager.functions.pointwise import (
    add,
    alike,
    cast,
    clamp,
    div,
    maximum,
    minimum,
    mul,
    power,
    sub,
    where,
)
from srcgrad.eager.functions.table import TABLE, declare, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import TensorError
from srcgrad.primitives import elementwise as p

exp, log, sin, isnan = (TABLE[name].function for name in ("exp", "log", "sin", "isnan"))

# ---- second names ----
_NAMES = {
    "absolute": "abs", "fix": "trunc", "greater": "gt", "greater_equal": "ge", "less": "lt",
    "less_equal": "le", "not_equal": "ne", "sgn": "sign",
}  # fmt: skip
for _new, _old in _NAMES.items():
    declare(_new, TABLE[_old].function, in_place=True)
declare("bitwise_left_shift", binary(p.shift_left, "bitwise_left_shift"))
declare("bitwise_right_shift", binary(p.shift_right, "bitwise_right_shift"))
declare("signbit", unary(p.signbit, exact=True))
declare("rsub", lambda input, other, alpha=1: sub(other, mul(input, alpha)))


def _real(input: Tensor) -> Tensor:
    """The real part, a view of it; the tensor itself where it is real."""
    return make(np.real(input._a)) if input._a.dtype.kind == "c" else input


def _imag(input: Tensor) -> Tensor:
    """The imaginary part of a complex tensor, a view of it; RuntimeError for a real one.

    >>> import srcgrad as flow
    >>> flow.imag(flow.tensor([1 + 2j]))
    tensor([2.], dtype=srcgrad.float32)
    """
    if input._a.dtype.kind != "c":
        raise TensorError("imag is not implemented for tensors with non-complex dtypes.")
    return make(np.imag(input._a))


declare("real", _real, method=False)
declare("imag", _imag, method=False)
Tensor.real, Tensor.imag = property(_real), property(_imag)  # type: ignore[attr-defined]  (attached)
declare("conj", lambda input: input if input._a.dtype.kind != "c" else make(np.conj(input._a)))
declare("is_complex", lambda input: input._a.dtype.kind == "c")
declare("is_signed", lambda self: self._a.dtype.kind in "ifc", top=False)


declare("detach", lambda input: input.detach(), method=False)
for _name, _f in {"gcd": np.gcd, "lcm": np.lcm}.items():
    declare(_name, lambda input, other, _f=_f: make(_f(input._a, other._a)))


@declared("isin", method=False)
def isin(elements: Any, test_elements: Any, *, invert: bool = False) -> Tensor:
    """Whether each element is among others; or is not, if `invert`.

    >>> import srcgrad as flow
    >>> flow.isin(flow.tensor([1, 2, 3]), flow.tensor([2, 3]))
    tensor([False,  True,  True], dtype=srcgrad.bool)
    """
    one, other = (getattr(x, "_a", x) for x in (elements, test_elements))
    return make(np.asarray(np.isin(one, other, invert=invert)))


@declared("is_nonzero")
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero; RuntimeError if there are more or none.

    >>> import srcgrad as flow
    >>> flow.is_nonzero(flow.tensor([3.0]))
    True
    """
    return bool(input)


# ---- fused arithmetic ----
@declared("addcmul", in_place=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """input + value * tensor1 * tensor2.

    >>> import srcgrad as flow
    >>> flow.addcmul(flow.tensor([1.0]), flow.tensor([6.0]), flow.tensor([2.0]), value=2)
    tensor([25.], dtype=srcgrad.float32)
    """
    return add(input, mul(mul(tensor1, tensor2), value))


@declared("addcdiv", in_place=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """input + value * tensor1 / tensor2.

    >>> import srcgrad as flow
    >>> flow.addcdiv(flow.tensor([1.0]), flow.tensor([6.0]), flow.tensor([2.0]), value=2)
    tensor([7.], dtype=srcgrad.float32)
    """
    return add(input, mul(div(tensor1, tensor2), value))


@declared("float_power")
def float_power(input: Any, exponent: Any) -> Tensor:
    """input ** exponent in double precision.

    >>> import srcgrad as flow
    >>> flow.float_power(flow.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=srcgrad.float64)
    """
    base, top = (cast(x, dtypes.float64) if isinstance(x, Tensor) else x for x in (input, exponent))
    return power(base, top)


@declared("xlogy", in_place=True)
def xlogy(input: Any, other: Any) -> Tensor:
    """input * log(other), and 0 where the input is 0.

    >>> import srcgrad as flow
    >>> flow.xlogy(flow.tensor([0.0, 2.0]), flow.tensor([0.0, 1.0]))
    tensor([0., 0.], dtype=srcgrad.float32)
    """
    other = other if isinstance(other, Tensor) else make(np.asarray(other, input._a.dtype))
    input, other = (
        (alike(other, input) if isinstance(input, Tensor) else input),
        alike(input, other),
    )
    zero = TABLE["eq"].function(input, 0) if isinstance(input, Tensor) else make(input == 0)
    inside = make((other._a > 0) & (other._a < np.inf) | np.isnan(other._a))
    nothing = TABLE["logical_and"].function(zero, TABLE["logical_not"].function(inside))
    product = mul(input, log(where(nothing, 1.0, other)))
    return where(zero, add(product, 0.0), product)  # not -0


@declared("logit", in_place=True)
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), with x clamped to [eps, 1 - eps] if `eps` is given.

    >>> import srcgrad as flow
    >>> flow.logit(flow.tensor([0.5, 0.75]))
    tensor([0.0000, 1.0986], dtype=srcgrad.float32)
    """
    x = input if eps is None else clamp(input, eps, 1 - eps)
    return log(div(x, sub(1.0, x)))


@declared("sinc", in_place=True)
def sinc(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x); its series near 0, where the derivatives of the quotient cancel.

    >>> import srcgrad as flow
    >>> flow.sinc(flow.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366], dtype=srcgrad.float32)
    """
    x = as_tensor_operand(input, "sinc")
    near = TABLE["lt"].function(TABLE["abs"].function(mul(x, 1.0)), 0.08)
    scaled = mul(where(near, 0.5, x), math.pi)
    small = mul(where(near, x, 0.0), math.pi)
    square, series = mul(small, small), 1.0
    for k in (210.0, 156.0, 110.0, 72.0, 42.0, 20.0, 6.0):
        series = sub(1.0, mul(mul(square, 1.0 / k), series))
    return where(near, series, div(sin(scaled), scaled))


@declared("logaddexp2")
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """log2(2**input + 2**other).

    >>> import srcgrad as flow
    >>> flow.logaddexp2(flow.tensor([1.0]), flow.tensor([1.0]))
    tensor([2.], dtype=srcgrad.float32)
    """
    ln2 = math.log(2.0)
    return div(TABLE["logaddexp"].function(mul(input, ln2), mul(other, ln2)), ln2)


@declared("ldexp", in_place=True)
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """input * 2**other.

    >>> import srcgrad as flow
    >>> flow.ldexp(flow.tensor([1.0, 3.0]), flow.tensor([2, 1]))
    tensor([4., 6.], dtype=srcgrad.float32)
    """
    return mul(input, TABLE["exp2"].function(other))


declare("deg2rad", lambda input: mul(input, math.pi / 180.0), in_place=True)
declare("rad2deg", lambda input: mul(input, 180.0 / math.pi), in_place=True)


# ---- NaN and infinity ----
@declared("nan_to_num", in_place=True)
def nan_to_num(
    input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and the infinities replaced by numbers: 0 and the dtype's extremes unless given.

    >>> import srcgrad as flow
    >>> flow.nan_to_num(flow.tensor([1.0, float("nan")]))
    tensor([1., 0.], dtype=srcgrad.float32)
    """
    if input._a.dtype.kind != "f":
        return input
    info, a = np.finfo(input._a.dtype), input._a
    made = where(make(np.isnan(a)), nan, input)
    made = where(make(np.isposinf(a)), float(info.max) if posinf is None else posinf, made)
    return where(make(np.isneginf(a)), float(info.min) if neginf is None else neginf, made)


def _skipping_nan(name: str, choice: Callable) -> None:
    def function(input: Tensor, other: Tensor) -> Tensor:
        return where(isnan(input), other, where(isnan(other), input, choice(input, other)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {choice.__name__} of two elements, the other one where one is NaN."
    declare(name, function)


_skipping_nan("fmax", maximum)
_skipping_nan("fmin", minimum)
declare("isposinf", lambda input: make(np.isposinf(input._a)))
declare("isneginf", lambda input: make(np.isneginf(input._a)))
declare("isreal", lambda input: make(np.isreal(input._a)))


@declared("isclose")
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether |input - other| <= atol + rtol * |other|, for each element.

    >>> import srcgrad as flow
    >>> flow.isclose(flow.tensor([1.0, 2.0]), flow.tensor([1.0, 2.1]))
    tensor([ True, False], dtype=srcgrad.bool)
    """
    if input._a.dtype != other._a.dtype:
        raise TensorError(f"{input.dtype} did not match {other.dtype}")
    return make(np.isclose(input._a, other._a, rtol, atol, equal_nan))


@declared("heaviside", in_place=True)
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below zero, 1 above, `values` at zero.

    >>> import srcgrad as flow
    >>> flow.heaviside(flow.tensor([-1.0, 0.0, 2.0]), flow.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000], dtype=srcgrad.float32)
    """
    step = make(np.heaviside(input._a, 0).astype(input._a.dtype))
    return where(TABLE["eq"].function(input, 0), values, step)


@declared("angle")
def angle(input: Tensor) -> Tensor:
    """The angle of each element: pi for negative numbers, 0 for the others.

    >>> import srcgrad as flow
    >>> flow.angle(flow.tensor([-1.0, 2.0]))
    tensor([3.1416, 0.0000], dtype=srcgrad.float32)
    """
    return make(np.angle(input._a).astype(np.abs(input._a).dtype))
