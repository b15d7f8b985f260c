"""Half precision: stored as its 16 bits, computed as NumPy does, in float32.

Every operation rounds its result to float16, so instructions carry no fast-math flags. What only
converts a number widens exactly, and narrows with one rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import Const, Scalar, Var

SINGLE = Scalar("f32")

# the processor's own conversions; without them LLVM would call functions that no library need have
OF_PROCESSOR = """
define internal float @single.of.half(i16 %bits) alwaysinline nounwind {
  %half = bitcast i16 %bits to half
  %single = fpext half %half to float
  ret float %single
}

define internal i16 @half.of.single(float %single) alwaysinline nounwind {
  %half = fptrunc float %single to half
  %bits = bitcast half %half to i16
  ret i16 %bits
}
"""
# 2**112 moves the exponent of a half, subnormal ones too, to that of a float; half of the sum
# with 0.5 are the bits of a subnormal one
OF_BITS = """
define internal float @single.of.half(i16 %bits) alwaysinline nounwind {
  %wide = zext i16 %bits to i32
  %size = and i32 %wide, 32767
  %apart = sub i32 %wide, %size
  %sign = shl i32 %apart, 16
  %moved = shl i32 %size, 13
  %low = bitcast i32 %moved to float
  %scaled = fmul float %low, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  %more = or i32 %moved, 2139095040
  %large = icmp uge i32 %size, 31744
  %found = select i1 %large, i32 %more, i32 %finite
  %all = or i32 %found, %sign
  %single = bitcast i32 %all to float
  ret float %single
}

define internal i16 @half.of.single(float %single) alwaysinline nounwind {
  %all = bitcast float %single to i32
  %size = and i32 %all, 2147483647
  %apart = sub i32 %all, %size
  %sign = lshr i32 %apart, 16
  %positive = bitcast i32 %size to float
  %sum = fadd float %positive, 0.5
  %aligned = bitcast float %sum to i32
  %subnormal = sub i32 %aligned, 1056964608
  %shifted = lshr i32 %size, 13
  %odd = and i32 %shifted, 1
  %rebased = sub i32 %size, 939520001
  %rounded = add i32 %rebased, %odd
  %normal = lshr i32 %rounded, 13
  %small = icmp ult i32 %size, 947912704
  %finite = select i1 %small, i32 %subnormal, i32 %normal
  %large = icmp uge i32 %size, 1199566848
  %bounded = select i1 %large, i32 31744, i32 %finite
  %nan = icmp ugt i32 %size, 2139095040
  %found = select i1 %nan, i32 32256, i32 %bounded
  %both = or i32 %found, %sign
  %bits = trunc i32 %both to i16
  ret i16 %bits
}
"""
# a double is rounded towards zero, to a float whose last bit says that digits were lost: so the
# second rounding is the only one
OF_DOUBLE = """
define internal i16 @half.of.double(double %x) alwaysinline nounwind {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %size = call double @llvm.fabs.f64(double %x)
  %reached = call double @llvm.fabs.f64(double %back)
  %beyond = fcmp ogt double %reached, %size
  %less = zext i1 %beyond to i32
  %other = fcmp one double %back, %x
  %lost = zext i1 %other to i32
  %bits = bitcast float %near to i32
  %down = sub i32 %bits, %less
  %odd = or i32 %down, %lost
  %single = bitcast i32 %odd to float
  %half = call i16 @half.of.single(float %single)
  ret i16 %half
}
"""


@cache
def functions() -> str:
    """The conversions of a module, as its processor has them."""
    from srcgrad.backends.cpu import loading

    triple, _, features = loading.processor()
    has = "+f16c" in features or triple.startswith(("aarch64", "arm64"))
    return (OF_PROCESSOR if has else OF_BITS) + OF_DOUBLE


def widened(w: Writer, bits: str) -> str:
    """A half as a float."""
    w.program.halves = True
    return w.do(f"call float @single.of.half(i16 {bits})")


def narrowed(w: Writer, value: str, kind: str = "float") -> str:
    """A float or a double, rounded to a half."""
    w.program.halves = True
    w.declare("double @llvm.fabs.f64(double)")
    of = "double" if kind == "double" else "single"
    return w.do(f"call i16 @half.of.{of}({kind} {value})")


def is_half(x: Any) -> bool:
    """Whether an atom is a number of half precision."""
    return x is not None and isinstance(x.type, Scalar) and x.type.dtype == "f16"


def in_single(w: Writer, s: Def, define: Callable[[Writer, Def], None]) -> Any:
    """The result of a definition with halves: computed in single precision, rounded once."""
    args = tuple(_as_single(w, a) for a in s.args)
    var = s.var
    assert var is not None
    made = Var(var.name, SINGLE if is_half(var) else var.type)
    flags, w.program.flags = w.program.flags, ""
    define(w, replace(s, var=made, args=args))
    w.program.flags = flags
    value = w.env[made]
    return narrowed(w, value) if is_half(var) else value


def _as_single(w: Writer, a: Any) -> Any:
    if not is_half(a):
        return a
    if isinstance(a, Const):
        return Const(float(np.float16(a.value)), SINGLE)
    made = Var(a.name, SINGLE)
    w.env[made] = widened(w, w.value(a))
    return made
