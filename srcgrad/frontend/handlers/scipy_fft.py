"""`scipy.fft`: the transforms of numpy.fft by SciPy's arguments, and cosine transforms.

Imported when a function of SciPy is met in a program that has imported scipy.fft. `overwrite_x`
and `workers` have no visible effect.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

from srcgrad.frontend.formulas import scipy_fft as formulas
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import axis_of
from srcgrad.frontend.handlers.registration import FUNCTIONS
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import ndim, plain

ALONG = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SAME = ("fftshift", "ifftshift")
ITEMS = (tuple, list)


def _planless(it: Interpreter, node: Node, plan: Any) -> None:
    if plan is not None:
        it.refuse(node, "Passing a precomputed plan is not yet supported by scipy.fft functions")


def _over_one(name: str) -> None:
    of_numpy = getattr(np.fft, name)

    def handler(
        it: Interpreter, node: Node, x: Any, n: Any = None, axis: Any = -1, norm: Any = None,
        overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
    ) -> Any:  # fmt: skip
        _planless(it, node, plan)
        return it.call_numpy(of_numpy, [x, n, axis, norm], {}, node)

    implements(getattr(fft, name))(handler)


def _over_many(name: str, default: Any) -> None:
    of_numpy = getattr(np.fft, name)

    def handler(
        it: Interpreter, node: Node, x: Any, s: Any = None, axes: Any = default, norm: Any = None,
        overwrite_x: Any = False, workers: Any = None, *, plan: Any = None,
    ) -> Any:  # fmt: skip
        _planless(it, node, plan)
        (x,) = operands(it, node, (x,), name)
        if axes is not None:
            axes = tuple(axes) if isinstance(axes, ITEMS) else (axes,)
            places = [axis_of(it, node, x, axis) for axis in axes]
            if len(set(places)) < len(places):
                it.refuse(node, "all axes must be unique", like=ValueError)
        if s is not None and not isinstance(s, ITEMS):
            s = (s,)
        if s is None and name in ("irfft2", "irfftn"):
            s = _lengths(it, node, x, axes)
        return it.call_numpy(of_numpy, [x, s, axes, norm], {}, node)

    implements(getattr(fft, name))(handler)


def _lengths(it: Interpreter, node: Node, x: Any, axes: Any) -> list[Any]:
    """The shape of a real result; SciPy accepts a half spectrum of length 1, NumPy does not."""
    if not ndim(x):
        it.wrong(node, "at least 1 axis must be transformed", ValueError)
    b = it.b
    places = range(x.type.ndim) if axes is None else [axis_of(it, node, x, k) for k in axes]
    *others, last = [x.type.dims[k] for k in places]
    full = b.mul(b.sub(last, 1), 2)
    one = plain(b.where(b.eq(last, 1), 1, full))
    return [*others, one]


for _name in ALONG:
    _over_one(_name)
for _kind in ("fft", "ifft", "rfft", "irfft"):
    _over_many(f"{_kind}2", (-2, -1))
    _over_many(f"{_kind}n", None)
for _name in SAME:
    implements(getattr(fft, _name))(FUNCTIONS[getattr(np.fft, _name)])


def _frequencies(name: str) -> None:
    def handler(
        it: Interpreter, node: Node, n: Any, d: Any = 1.0, *, xp: Any = None, device: Any = None
    ) -> Any:
        if xp is not None or device is not None:
            it.refuse(node, f"{name} with xp or device is not supported", "leave them out")
        return it.call_numpy(getattr(np.fft, name), [n, d], {}, node)

    implements(getattr(fft, name))(handler)


_frequencies("fftfreq")
_frequencies("rfftfreq")
assert formulas  # importing them registers them
