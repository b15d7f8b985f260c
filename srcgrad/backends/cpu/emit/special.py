"""Special functions: calls of the C functions that SciPy offers to Cython.

They take doubles and complex numbers of two doubles; single precision is widened, and rounded.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from functools import partial
from typing import Any

from srcgrad.backends.cpu.capsules import OF_COMPLEX, OF_ORDERS, RETURNED
from srcgrad.backends.cpu.emit.conversions import converted
from srcgrad.backends.cpu.emit.functions import FUNCTIONS, elementary, intrinsic
from srcgrad.backends.cpu.emit.operands import Emit, dtype_of, is_real
from srcgrad.backends.cpu.emit.values import Number, decimal
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.backends.cpu.refusals import NOT_COMPILED
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import is_complex
from srcgrad.primitives import REGISTRY, Primitive
from srcgrad.primitives.bessel import SCALED
from srcgrad.primitives.elementwise import erf, erfc, exp
from srcgrad.primitives.incomplete import BY_SHAPES
from srcgrad.primitives.several_results import RESULTS
from srcgrad.primitives.special import (
    ALL_COMPLEX,
    SPECIAL,
    digamma,
    lambertw,
    polygamma,
    sph_legendre_p,
)

# they set the state of SciPy's errors and no memory of ours
PURE = "nounwind willreturn memory(inaccessiblemem: readwrite)"
STORES = "nounwind willreturn memory(argmem: write, inaccessiblemem: readwrite)"
OTHER_NAMES = {digamma: "psi"}  # of one function
# Bernoulli's numbers B2, B4, ... over (2k)!: of the Euler-Maclaurin sum (DLMF 2.10.1)
EULER_MACLAURIN = (
    1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, -1.0 / 1209600.0, 1.0 / 47900160.0,
    -691.0 / 1307674368000.0, 1.0 / 74724249600.0, -3617.0 / 10670622842880000.0,
)  # fmt: skip
FAR = 12.0  # from where the sum's remainder is below rounding


def _special(call: Callable[[Writer, Def, list[str]], str]) -> Callable[[Writer, Def], Number]:
    """The emitter of a function of doubles, by `call`, and of complex numbers, by SciPy."""

    def emit(w: Writer, s: Def) -> Number:
        assert s.var is not None
        dtype = s.var.type.dtype
        wide = "c128" if is_complex(dtype) else "f64"
        given = [_widened(w, s, k, wide) for k in range(len(s.args))]
        made = _of_complex(w, s, given) if wide == "c128" else call(w, s, given)
        narrowed = converted(w, made, wide, dtype)
        assert narrowed is not None
        return narrowed

    return emit


def _widened(w: Writer, s: Def, k: int, wide: str) -> Any:
    return converted(w, w.value(s.args[k]), s.args[k].type.dtype, wide)


def _scipys(w: Writer, s: Def, given: list[str]) -> str:
    name = OTHER_NAMES.get(s.op, SPECIAL[s.op.name])
    if name.startswith(OF_ORDERS):
        return _of_order(w, name, *given)
    if name in RESULTS:
        return _one_of_several(w, s.op, name, [f"double {a}" for a in given], ["double"])[0]
    kinds = [*["double"] * len(given), "i32"]  # the last argument is Cython's own business
    symbol = w.program.routine("special", name, kinds, "double", PURE)
    return w.do(f"call double @{symbol}({', '.join(f'double {a}' for a in given)}, i32 0)")


def _of_complex(w: Writer, s: Def, given: list[Any]) -> Number:
    """A call whose complex numbers are passed as two doubles each, and returned together."""
    pair = RETURNED.get((platform.machine(), "c128"))
    if pair is None:
        reason = f"{s.op.name} of complex numbers is not compiled on this machine"
        raise UnsupportedError(reason, s.loc, NOT_COMPILED)
    if s.op in SCALED:
        return _rescaled(w, s, given, pair)
    name = OTHER_NAMES.get(s.op) or SPECIAL.get(s.op.name, s.op.name)
    if name in RESULTS:
        parts = [f"double {part}" for v in given for part in v]
        real, imag = _one_of_several(w, s.op, OF_COMPLEX + name, parts, ["double"] * 2)
        return real, imag
    return _call_of_complex(w, name, given, pair)


def _one_of_several(
    w: Writer, op: Primitive, name: str, parts: list[str], kinds: list[str]
) -> list[str]:
    """The parts of one of the results that a function stores."""
    rows = RESULTS[name.removeprefix(OF_COMPLEX)]
    room = [w.alloca(f"[{len(kinds)} x double]") for _ in rows]
    params = [*["double"] * len(parts), *["ptr"] * len(rows)]
    symbol = w.program.routine("special", name, params, "void", STORES)
    w.put(f"call void @{symbol}({', '.join([*parts, *(f'ptr {r}' for r in room)])})")
    made = room[rows.index(op)]
    places = [w.do(f"getelementptr double, ptr {made}, i64 {k}") for k in range(len(kinds))]
    return [w.do(f"load double, ptr {at}") for at in places]


def _call_of_complex(w: Writer, name: str, given: list[Any], pair: str) -> Number:
    """A call of a function whose last argument is complex; the others, if they may be."""
    whole = name in ALL_COMPLEX
    parts = [f"double {part}" for v in given for part in (v if whole or v is given[-1] else v[:1])]
    of_order = name.startswith(OF_ORDERS)
    if of_order:
        parts[0] = f"i64 {w.do(f'fptosi {parts[0]} to i64')}"
    parts += ["i32 0", "ptr null"] if of_order else ["i32 0"]
    kinds = [part.partition(" ")[0] for part in parts]
    symbol = w.program.routine("special", OF_COMPLEX + name, kinds, pair, PURE)
    made = w.do(f"call {pair} @{symbol}({', '.join(parts)})")
    return w.do(f"extractvalue {pair} {made}, 0"), w.do(f"extractvalue {pair} {made}, 1")


def _rescaled(w: Writer, s: Def, given: list[Any], pair: str) -> Number:
    """SciPy's value, which it has scaled by exp(-size), times exp(size - t) for the row's `t`."""
    *given, (t, _) = given
    size = intrinsic(w, "fabs", "f64", given[-1][SCALED[s.op] == "imag"])
    factor = elementary(w, exp, "f64", w.do(f"fsub double {size}, {t}"))
    made = _call_of_complex(w, SPECIAL[s.op.name], given, pair)
    real, imag = (w.do(f"fmul double {part}, {factor}") for part in made)
    return real, imag


def _of_order(w: Writer, name: str, n: str, z: str) -> str:
    """A spherical Bessel function; those that C has of positive numbers only are reflected."""
    symbol = w.program.routine("special", name, ["i64", "double", "i32", "ptr"], "double", PURE)
    order = w.do(f"fptosi double {n} to i64")
    reflected = name in ("spherical_jn", "spherical_in")
    w.declare("double @llvm.fabs.f64(double)")
    size = w.do(f"call double @llvm.fabs.f64(double {z})") if reflected else z
    made = w.do(f"call double @{symbol}(i64 {order}, double {size}, i32 0, ptr null)")
    if not reflected:
        return made
    odd = w.do(f"trunc i64 {order} to i1")
    left = w.do(f"fcmp olt double {z}, 0.0")
    turned = w.do(f"and i1 {odd}, {left}")
    return w.do(f"select i1 {turned}, double {w.do(f'fneg double {made}')}, double {made}")


def _polygamma(w: Writer, s: Def, given: list[str]) -> str:
    """The n-th derivative of digamma (DLMF 5.15.1)."""
    n = s.params["n"]
    w.declare("double @llvm.pow.f64(double, double)")
    hurwitz = w.program.function_named(HURWITZ, "hurwitz")
    sum = w.do(f"call double @{hurwitz}(double {_decimal(n + 1)}, double {given[0]})")
    factor = float(math.factorial(n)) * (1.0 if n % 2 else -1.0)
    return w.do(f"fmul double {_decimal(factor)}, {sum}")


def _decimal(value: float) -> str:
    return decimal(value, "f64")


# ---- the sum of (a + k)^-s over k >= 0, s a whole number above 1 ----
def _hurwitz() -> str:
    tail = []
    total, factor = "%sum2", "%factor"
    for k, c in enumerate(EULER_MACLAURIN):
        tail += [
            f"%c{k} = fmul double {_decimal(c)}, {factor}",
            f"%t{k} = fadd double {total}, %c{k}",
            f"%u{k} = fadd double %s, {_decimal(2 * k + 1)}",
            f"%v{k} = fadd double %s, {_decimal(2 * k + 2)}",
            f"%uv{k} = fmul double %u{k}, %v{k}",
            f"%w{k} = fdiv double %uv{k}, %square",
            f"%f{k} = fmul double {factor}, %w{k}",
        ]
        total, factor = f"%t{k}", f"%f{k}"
    return HEAD + "\n".join(f"  {line}" for line in tail) + f"\n  ret double {total}\n}}"


HEAD = f"""double @NEST(double %s, double %a) noinline nounwind {{
begin:
  %minus = fneg double %s
  %floor = call double @llvm.floor.f64(double %a)
  %whole = fcmp oeq double %floor, %a
  %below = fcmp ole double %a, 0.0
  %pole = and i1 %whole, %below
  br i1 %pole, label %infinite, label %head
infinite:
  ret double {_decimal(math.inf)}
head:
  %sum = phi double [ 0.0, %begin ], [ %sum1, %step ]
  %x = phi double [ %a, %begin ], [ %x1, %step ]
  %near = fcmp olt double %x, {_decimal(FAR)}
  br i1 %near, label %step, label %far
step:
  %p = call double @llvm.pow.f64(double %x, double %minus)
  %sum1 = fadd double %sum, %p
  %x1 = fadd double %x, 1.0
  br label %head
far:
  %less = fsub double %s, 1.0
  %root = fneg double %less
  %px = call double @llvm.pow.f64(double %x, double %root)
  %power = fdiv double %px, %x
  %integral = fdiv double %px, %less
  %half = fmul double 0.5, %power
  %first = fadd double %integral, %half
  %sum2 = fadd double %sum, %first
  %sp = fmul double %s, %power
  %factor = fdiv double %sp, %x
  %square = fmul double %x, %x
"""
HURWITZ = _hurwitz()

SPECIALS: dict[Primitive, Emit] = {
    op: _special(_polygamma if op is polygamma else _scipys)
    for op in map(REGISTRY.__getitem__, SPECIAL)
}
# `kernels.py` has them
SPECIALS |= dict.fromkeys((lambertw, sph_legendre_p, *BY_SHAPES), lambda w, s: None)


def _error_function(of_reals: Emit, w: Writer, s: Def) -> Number | None:
    """The mathematical library's of real numbers, which is faster."""
    return (of_reals if is_real(dtype_of(s)) else _special(_scipys))(w, s)


ERROR_FUNCTIONS: dict[Primitive, Emit] = {
    op: partial(_error_function, FUNCTIONS[op]) for op in (erf, erfc)
}
