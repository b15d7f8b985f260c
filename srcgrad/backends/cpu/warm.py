"""Compiles in advance what programs commonly need: elementary and searching functions, routines.

A *helper* is compiled once per machine, at the first program that calls it. Here programs of one
operation are emitted, and their helpers are made ready as a program's own are: so a program finds
them in the same files. So are products, and the routines of contiguous matrices. Special functions
need nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from srcgrad.backends.cpu.elementary.library import ready
from srcgrad.backends.cpu.emit import driver, machine_products, machine_routines
from srcgrad.backends.cpu.emit.program import emit_module
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.symbols import Helper, Product, Routine
from srcgrad.backends.cpu.fastmath import FLAGS
from srcgrad.errors import SrcgradError
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Function, Var, atom
from srcgrad.ir.types import Array, Scalar
from srcgrad.passes.lower import lower
from srcgrad.primitives import (
    REGISTRY,
    Primitive,
    cholesky_factors,
    factorisations,
    linalg,
    memory,
    singular_vectors,
)
from srcgrad.primitives.arrays import matmul
from srcgrad.primitives.elementwise import to_complex
from srcgrad.primitives.scans import searchsorted
from srcgrad.primitives.special import SPECIAL

Called = Primitive | Helper | Product | Routine
DTYPES = ("f64", "f32", "c128")
OF_REALS = frozenset(REGISTRY[name] for name in SPECIAL)  # as SciPy's C functions are


def warm(names: Sequence[str] = ()) -> Iterator[tuple[str, float]]:
    """Prepares the helpers of these operations, or of all; each with the seconds it took."""
    known = [op.name for op in REGISTRY.values() if _wanted(op) or op in MATRICES or op is matmul]
    for name in names:
        if name not in known:
            raise ValueError(f"no helper for {name!r}; there is {', '.join(sorted(known))}")
    done: set[Called] = set()
    for name in names or known:
        for dtype in DTYPES:
            for called in _called(REGISTRY[name], dtype):
                if called not in done:
                    done.add(called)
                    start = time.perf_counter()
                    _make_ready(called)
                    yield f"{name} {dtype}", time.perf_counter() - start


def _make_ready(called: Called) -> None:
    if isinstance(called, Routine):
        machine_routines.ready(called, driver.emitters())
    elif isinstance(called, Product):
        machine_products.ready(called, driver.emitters())
    else:
        ready(called) if isinstance(called, Primitive) else driver.ready(called)


def _wanted(op: Primitive) -> bool:
    whole = op.elementwise and not op.params and op is not to_complex  # made of floats
    return whole or op in LIBRARY


def _called(op: Primitive, dtype: str) -> Iterable[Called]:
    """The functions, helpers and routines that a program of one operation calls."""
    if op is matmul:  # and the products with vectors
        return [Product(kind, dtype, FLAGS[None]) for kind in (*machine_products.KINDS, "vectors")]
    if op in MATRICES:
        shapes, params = MATRICES[op]
        return [
            Routine(op, tuple(dtype + shape for shape in each), params, False)
            for each in shapes if dtype[0] == "f"
        ]  # fmt: skip
    if op in OF_REALS and dtype[0] == "c":
        return ()
    try:
        program = Program(lower(LIBRARY.get(op, _of_numbers)(op, dtype)), FLAGS[None])
        emit_module(program)
    except (SrcgradError, TypeError):  # complex numbers have no order
        return ()
    return (*program.elementary, *program.helpers)


# ---- programs of one operation ----
def _of_numbers(op: Primitive, dtype: str) -> Function:
    b = Builder(REGISTRY)
    params = [Var(f"x{k}", Scalar(dtype)) for k in range(op.arity)]
    return _function(b, params, b(op.name, *params))


def _search(op: Primitive, dtype: str) -> Function:
    b = Builder(REGISTRY)
    x, v = Var("x", Array(dtype, (0,))), Var("v", Scalar(dtype))
    x.type = Array(dtype, (b(memory.dim, x, axis=0),))
    return _function(b, [x, v], b(op.name, x, v, side="left"), b(op.name, x, v, side="right"))


def _function(b: Builder, params: Sequence[Var], *results: Var) -> Function:
    return Function("warm", tuple(params), tuple(b.out), tuple(map(atom, results)))


# the shapes of the result and the operands, as `routines.table` names them; static parameters
MATRICES: dict[Primitive, tuple[tuple[str, ...], tuple[tuple[str, bool], ...]]] = {
    linalg.solve: (("mmm", "vmv"), ()),
    **dict.fromkeys(
        (linalg.inv, cholesky_factors.cholesky, singular_vectors.svd, factorisations.qr),
        (("mm",), ()),
    ),
    **dict.fromkeys((linalg.det, linalg.logabsdet), (("nm",), ())),
    factorisations.eigh: (("mm",), (("lower", True),)),
}
LIBRARY: dict[Primitive, Callable[[Primitive, str], Function]] = {searchsorted: _search}
