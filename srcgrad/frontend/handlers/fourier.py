"""Fourier transforms of numpy.fft: lengths, norms and axes around the primitives fft, rfft, irfft.

A transform over several axes is one after the other. Definitions and defaults are those of
numpy.fft's documentation.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.frontend.handlers.creation import dims_of
from srcgrad.frontend.handlers.elementwise import operands, to_out
from srcgrad.frontend.handlers.reductions import axes_of, axis_of, in_order
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.indexing import view
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Slice, is_array, is_number, plain
from srcgrad.frontend.versions import error_text
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Scalar, is_complex, real_dtype

OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


GIVE_REALS = ("irfft", "irfft2", "irfftn", "hfft")  # in half precision, if that is given
UNFILLED = (np.fft.hfft, np.fft.ifft2, np.fft.irfft2)  # which leave out= as it was, or half done


def _to_out(it: Interpreter, node: Node, f: Any, made: Any, out: Any) -> Any:
    if out is not None and f in UNFILLED:
        it.refuse(node, f"NumPy's {f.__name__} does not fill out=", "assign to a slice")
    return to_out(it, node, made, out)


# ---- operands ----
def _array(it: Interpreter, node: Node, x: Any, f: Any) -> Any:
    (x,) = operands(it, node, (x,), f.__name__)
    if not is_array(x) or not x.type.dims:
        it.refuse(node, f"numpy.fft.{f.__name__} takes an array with axes", like=IndexError)
    if x.type.dtype == "f16" and f.__name__ in GIVE_REALS:
        it.refuse(
            node, f"{f.__name__} of half precision is not supported", "use .astype(np.float32)"
        )
    return it.b.cast(x, Scalar("f32")) if x.type.dtype == "f16" else x


def _complex(it: Interpreter, x: Any) -> Any:
    return it.b.cast(x, Scalar("c64" if x.type.dtype in ("f32", "c64") else "c128"))


def _real(it: Interpreter, x: Any) -> Any:
    return it.b.cast(x, Scalar("f32" if x.type.dtype == "f32" else "f64"))


def _axis(it: Interpreter, node: Node, x: Any, axis: Any) -> int:
    return axis_of(it, node, x, axis)


def _length(it: Interpreter, node: Node, n: Any) -> Any:
    """The length of a transform: at least 1."""
    if not isinstance(n, Var):
        n = it.static_int(n, node, "the length of a transform")
    text = "Invalid number of FFT data points ({}) specified."
    it.fail_if(plain(it.b.lt(n, 1)), "ValueError", text, n)
    return n


def _resized(it: Interpreter, node: Node, x: Any, n: Any, axis: int) -> Any:
    """`x` with length `n` along an axis: its end cut off, or zeros appended."""
    b, old = it.b, x.type.dims[axis]
    if n is old or (is_number(n) and is_number(old) and n == old):
        return x
    dims = list(x.type.dims)
    dims[axis] = b.dim(n)
    items: list[Any] = [Slice(None, None, None) for _ in dims]
    items[axis] = Slice(None, plain(b.minimum(n, old)), None)
    out = b.zeros(*dims, dtype=x.type.dtype)
    b.assign(view(it, out, items, node), view(it, x, items, node))
    return out


def _normed(it: Interpreter, node: Node, y: Any, n: Any, norm: Any, divided: bool) -> Any:
    """The sums divided by n, by its root, or not; `divided` tells what "backward" means."""
    if norm not in OPPOSITE:
        it.refuse(
            node,
            f"Invalid norm value {norm!r}; should be 'backward', 'ortho' or 'forward'.",
            like=ValueError,
        )
    if norm != "ortho" and (norm == "forward") == divided:
        return y
    kind = Scalar(real_dtype(y.type.dtype))
    size = it.b.cast(n, kind)
    return it.b.mul(y, it.b.div(1.0, it.b.sqrt(size) if norm == "ortho" else size))


# ---- one axis ----
def _transform(
    it: Interpreter, node: Node, x: Any, n: Any, axis: Any, norm: Any, inverse: bool
) -> Any:
    k = _axis(it, node, x, axis)
    n = _length(it, node, x.type.dims[k] if n is None else n)
    x = _complex(it, _resized(it, node, x, n, k))
    return _normed(it, node, it.b.fft(x, axis=k, inverse=inverse), n, norm, inverse)


def _half(it: Interpreter, node: Node, x: Any, n: Any, axis: Any, norm: Any) -> Any:
    if is_complex(x.type.dtype):
        it.refuse(
            node, "a transform of real numbers is given complex ones", "take .real", like=TypeError
        )
    k = _axis(it, node, x, axis)
    n = _length(it, node, x.type.dims[k] if n is None else n)
    x = _real(it, _resized(it, node, x, n, k))
    return _normed(it, node, it.b.rfft(x, axis=k), n, norm, False)


def _of_half(it: Interpreter, node: Node, x: Any, n: Any, axis: Any, norm: Any) -> Any:
    b, k = it.b, _axis(it, node, x, axis)
    if n is None:
        n = plain(b.mul(b.sub(x.type.dims[k], 1), 2))
    n = _length(it, node, n)
    x = _resized(it, node, x, plain(b.add(b.floordiv(n, 2), 1)), k)
    return _normed(it, node, b.irfft(_complex(it, x), n, axis=k), n, norm, True)


def _over_one(f: Any, transform: Any) -> None:
    def handler(
        it: Interpreter, node: Node, a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out:
        Any = None,
    ) -> Any:  # fmt: skip
        made = transform(it, node, _array(it, node, a, f), n, axis, norm)
        return _to_out(it, node, f, made, out)

    implements(f)(handler)


def _forward(it: Interpreter, node: Node, x: Any, n: Any, axis: Any, norm: Any) -> Any:
    return _transform(it, node, x, n, axis, norm, False)


def _inverse(it: Interpreter, node: Node, x: Any, n: Any, axis: Any, norm: Any) -> Any:
    return _transform(it, node, x, n, axis, norm, True)


def _hermitian(it: Interpreter, node: Node, x: Any, n: Any, axis: Any, norm: Any) -> Any:
    x = it.call_numpy(np.conj, [x], {}, node)
    return _of_half(it, node, x, n, axis, OPPOSITE.get(norm, norm))


def _inverse_hermitian(it: Interpreter, node: Node, x: Any, n: Any, axis: Any, norm: Any) -> Any:
    y = _half(it, node, x, n, axis, OPPOSITE.get(norm, norm))
    return it.b.conj(y)


_over_one(np.fft.fft, _forward)
_over_one(np.fft.ifft, _inverse)
_over_one(np.fft.rfft, _half)
_over_one(np.fft.irfft, _of_half)
_over_one(np.fft.hfft, _hermitian)
_over_one(np.fft.ihfft, _inverse_hermitian)


# ---- several axes ----
def _places(it: Interpreter, node: Node, x: Any, s: Any, axes: Any) -> list[tuple[Any, int]]:
    """(length or None, axis) for each axis, in the order that they are given."""
    if s is not None:
        s = list(s) if isinstance(s, tuple | list) else it.static_items(s, node)
    if axes is None:
        axes = range(x.type.ndim) if s is None else range(-len(s), 0)
    axes = [_axis(it, node, x, a) for a in in_order(it, node, axes)]
    s = [None] * len(axes) if s is None else s
    if len(s) != len(axes):
        it.refuse(node, "Shape and axes have different lengths.", like=ValueError)
    if not axes:
        it.refuse(node, "a transform over no axes", like=IndexError)
    # a length of -1 is that of the axis, also where None is another
    s = [x.type.dims[k] if is_number(n) and n == -1 else n for n, k in zip(s, axes, strict=True)]
    return list(zip(s, axes, strict=True))


def _over_many(f: Any, transform: Any, last: Any, last_first: bool, default: Any) -> None:
    """`last` is done along the last of the axes, `transform` along the others."""

    def handler(
        it: Interpreter, node: Node, a: Any, s: Any = None, axes: Any = default, norm: Any = None,
        out: Any = None,
    ) -> Any:  # fmt: skip
        x = _array(it, node, a, f)
        *others, end = _places(it, node, x, s, axes)
        # an axis that is named again has the length that it had first
        again = [(x.type.dims[k] if n is None and k == end[1] else n, k) for n, k in others]
        steps = [(transform, *each) for each in reversed(again)]
        steps = [(last, *end), *steps] if last_first else [*steps, (last, *end)]
        for step, n, axis in steps:
            x = step(it, node, x, n, axis, norm)
        return _to_out(it, node, f, x, out)

    implements(f)(handler)


for _default, _names in (((-2, -1), "2"), (None, "n")):
    _over_many(getattr(np.fft, f"fft{_names}"), _forward, _forward, True, _default)
    _over_many(getattr(np.fft, f"ifft{_names}"), _inverse, _inverse, True, _default)
    _over_many(getattr(np.fft, f"rfft{_names}"), _forward, _half, True, _default)
    _over_many(getattr(np.fft, f"irfft{_names}"), _inverse, _of_half, False, _default)


# ---- frequencies and their order ----
def _spacing(it: Interpreter, node: Node, n: Any, d: Any) -> tuple[Any, Any]:
    (n,) = dims_of(it, node, n)
    nothing = plain(it.b.eq(it.b.mul(n, d), 0))
    it.fail_if(nothing, "ZeroDivisionError", error_text(operator.truediv, 1.0, 0.0))
    return n, it.b.div(1.0, it.b.mul(n, d))


@implements(np.fft.fftfreq)
def fftfreq(it: Interpreter, node: Node, n: Any, d: Any = 1.0) -> Any:
    b = it.b
    n, step = _spacing(it, node, n, d)
    k = b.iota(n)
    # twice, for (n - 1) // 2 is the last that is not negative
    turned = b.where(b.lt(b.mul(k, 2), n), k, b.sub(k, n))
    return it.emit(node, "mul", turned, step)


@implements(np.fft.rfftfreq)
def rfftfreq(it: Interpreter, node: Node, n: Any, d: Any = 1.0) -> Any:
    b = it.b
    n, step = _spacing(it, node, n, d)
    return it.emit(node, "mul", b.iota(b.add(b.floordiv(n, 2), 1)), step)


def _shifted(it: Interpreter, node: Node, x: Any, axes: Any, f: Any, back: bool) -> Any:
    (x,) = operands(it, node, (x,), f.__name__)
    for k in axes_of(it, node, x, axes):
        half = it.b.floordiv(x.type.dims[k], 2)
        shift = plain(it.b.neg(half) if back else half)
        x = it.call_numpy(np.roll, [x, shift, k], {}, node)
    return x


@implements(np.fft.fftshift)
def fftshift(it: Interpreter, node: Node, x: Any, axes: Any = None) -> Any:
    return _shifted(it, node, x, axes, np.fft.fftshift, False)


@implements(np.fft.ifftshift)
def ifftshift(it: Interpreter, node: Node, x: Any, axes: Any = None) -> Any:
    return _shifted(it, node, x, axes, np.fft.ifftshift, True)
