"""Linear algebra and orderings: the routine of each operation, and its call.

A routine returns whether it failed; the caller gives up its references as at any failure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit import bands, ordering, spectra, systems
from srcgrad.backends.cpu.emit.buffers import made
from srcgrad.backends.cpu.emit.conversions import converted
from srcgrad.backends.cpu.emit.failures import NO_MEMORY, fail_words, guard, leave
from srcgrad.backends.cpu.emit.products import inside
from srcgrad.backends.cpu.emit.routines import NO_ROOM, Routine
from srcgrad.backends.cpu.emit.values import Number, Ref, not_emitted
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import Array, Scalar
from srcgrad.primitives import (
    Primitive,
    banded,
    equations,
    factorisations,
    least_squares,
    linalg,
    scans,
    triangular,
)

# (routine, result, operands, parameters)
ROUTINES: dict[Primitive, Callable[..., None]] = {
    linalg.solve: systems.solve,
    linalg.inv: systems.inv,
    linalg.cholesky: systems.cholesky,
    linalg.definite: systems.definite,
    linalg.det: systems.det,
    linalg.logabsdet: systems.logabsdet,
    linalg.detsign: systems.detsign,
    linalg.cofactors: spectra.cofactors,
    triangular.solve_triangular: systems.solve_triangular,
    triangular.lu: systems.lu,
    triangular.lu_pivots: systems.lu_pivots,
    factorisations.eig: spectra.eig,
    factorisations.eigh: spectra.eigh,
    factorisations.svd: spectra.svd,
    factorisations.singular_values: spectra.singular_values,
    factorisations.qr: spectra.qr,
    factorisations.coincide: spectra.coincide,
    least_squares.pinv: spectra.pinv,
    least_squares.lstsq: spectra.lstsq,
    banded.band_product: bands.band_product,
    banded.band_outer: bands.band_outer,
    banded.solve_banded: bands.solve_banded,
    banded.solveh_banded: bands.solveh_banded,
    equations.sylvester: systems.sylvester,
    scans.argsort: ordering.argsort,
}


OF_FLOATS = (least_squares.pinv, least_squares.lstsq)  # their scalars are not places or lengths


def call(w: Writer, s: Def) -> Ref | Number:
    """Calls a routine; its result."""
    if w.owners is None:
        raise not_emitted(f"{s.op.name} in a nest")
    assert s.var is not None
    r = Routine(w.program, s.args[0].type.dtype)
    given, operands = [], []
    for k, a in enumerate(s.args):
        operands.append(_operand(w, r, f"p{k}", a, given, s.op in OF_FLOATS))
    type = s.var.type
    ndim = type.ndim if isinstance(type, Array) else 0
    out = r.operand("out", ndim)
    ROUTINES[s.op](r, out, *operands, **s.params)
    name = w.program.function_named(r.text(), s.op.name)
    if isinstance(type, Scalar):
        slot = w.alloca("[2 x double]")
        _checked(w, s, name, [*given, f"ptr {slot}"])
        return w.read(slot, type.dtype)
    result = made(w, s, w.dims(type), type.dtype)
    _checked(w, s, name, [*given, *_array(w, result)])
    return result


def _operand(w: Writer, r: Routine, name: str, a: Any, given: list[str], float: bool) -> Any:
    """The operand inside the routine; the arguments passed for it are added to `given`."""
    if isinstance(a.type, Array):
        if w.program.guarded:
            inside(w, w.ref(a))
        given += _array(w, w.ref(a))
        return r.operand(name, a.type.ndim)
    if float:
        given.append(f"double {converted(w, w.value(a), a.type.dtype, 'f64')}")
    else:
        given.append(f"i64 {w.whole(a)}")
    r.params.append(f"{'double' if float else 'i64'} %{name}")
    return f"%{name}"


def _array(w: Writer, r: Ref) -> list[str]:
    return [f"ptr {w.pointer(r)}", *(f"i64 {x}" for x in (*r.dims, *r.strides))]


def _checked(w: Writer, s: Def, name: str, args: list[str]) -> None:
    code = w.do(f"call i32 @{name}({', '.join(args)})")
    guard(w, w.do(f"icmp ne i32 {code}, 0"), lambda: _leave(w, s, code))


def _leave(w: Writer, s: Def, code: str) -> None:
    if CALLS[s.op].error:
        none = w.do(f"icmp eq i32 {code}, {NO_ROOM}")
        guard(w, none, lambda: leave(w, NO_MEMORY))
        fail_words(w, s, [w.do(f"sext i32 {code} to i64")], ["i64"])
    else:
        leave(w, NO_MEMORY)
