"""Fourier transforms of single precision: computed in double and rounded, as NumPy does.

>>> show(double_transforms(parse('''
... def f(x: c64[n]):
...     n: int = dim(x, axis=0)
...     y: c64[n] = fft(x, axis=0, inverse=False)
...     return (y,)
... ''')))
def f(x: c64[n]):
    n: int = dim(x, axis=0)
    t: c128[n] = cast(x, dtype='c128')
    t1: c128[n] = fft(t, axis=0, inverse=False)
    y: c64[n] = cast(t1, dtype='c64')
    return (y,)
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Def, Function, Stmt, Var
from srcgrad.ir.types import Array, Scalar, atom_dims
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.primitives import elementwise, transforms

TRANSFORMS = frozenset((transforms.fft, transforms.rfft, transforms.irfft))
DOUBLE = {"f32": "f64", "c64": "c128"}


def double_transforms(function: Function) -> Function:
    if TRANSFORMS.isdisjoint(contents(function).operations):
        return function
    return _Double(builder_for(function)).function(function)


class _Double(Emitter):
    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.op not in TRANSFORMS or s.var is None or s.var.type.dtype not in DOUBLE:
            return (s,)
        self.b.loc = s.loc
        x, *rest = s.args
        given = self.b.cast(x, Scalar(DOUBLE[x.type.dtype]))
        wide = Var("t", Array(DOUBLE[s.var.type.dtype], atom_dims(s.var)))
        self.b.append(Def(wide, s.op, (given, *rest), s.params, s.loc))
        return (Def(s.var, elementwise.cast, (wide,), {"dtype": s.var.type.dtype}, s.loc),)
