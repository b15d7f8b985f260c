"""Compiles a lowered function to machine code, which Python calls.

Helpers that the module names are compiled, or found in their cache, before its machine code is
loaded. Compiles nothing twice. Machine code that is found is loaded without Numba.
"""

from __future__ import annotations

import threading
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

from srcgrad import collector, interrupts
from srcgrad.backends import cache as files
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.capsules import name_routine
from srcgrad.backends.cpu.elementary import library as elementary
from srcgrad.backends.cpu.emit import machine_products, machine_routines
from srcgrad.backends.cpu.emit.noted import Noted
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.symbols import Helper, Kind
from srcgrad.backends.cpu.emit.values import not_emitted
from srcgrad.backends.cpu.environment import environment
from srcgrad.backends.cpu.fastmath import HELPERS
from srcgrad.backends.cpu.limits import name_crowded
from srcgrad.backends.cpu.polling import name_poll
from srcgrad.backends.cpu.threads import name_threads
from srcgrad.ir.text import identifier
from srcgrad.ir.types import DTYPES, Array, Scalar, Tape, Type
from srcgrad.records import record

_ready: dict[Helper, Any] = {}
_lock = threading.Lock()


# ---- compilation ----
@record(frozen=True)
class Compiled:
    """A program that is called with its parameters."""

    run: Any
    cached: bool  # whether its machine code was in the cache folder


def compiled(program: Program, text: Noted, name: str, options: BuildOptions) -> Compiled:
    """A program with its machine code, from the cache folder if it is there."""
    from srcgrad.backends.cpu import loading

    code, cached = machine_code(program, text, options)
    run = loading.entered(code, f"{name}.entry", identifier(program.function.name))
    return Compiled(run, cached)


def machine_code(program: Program, text: Noted, options: BuildOptions) -> tuple[bytes, bool]:
    """The machine code of a program, and whether it was in the cache folder.

    What it calls is compiled, or found, before.
    """
    from srcgrad.backends.cpu import loading

    for helper in program.helpers:
        interrupts.answer()
        program.here = program.called_at[helper]
        ready(helper)
    program.here = None
    for (library, name_), arity in program.routines.items():
        name_routine(library, name_, arity)
    for op in program.elementary:
        interrupts.answer()
        elementary.ready(op)
    for routine in program.compiled:
        machine_routines.ready(routine, emitters())
    for product in program.products:
        interrupts.answer()
        machine_products.ready(product, emitters())
    if program.spreads:
        name_threads()
    if program.helpers:
        from srcgrad.backends.cpu.emit import numba_internals

        numba_internals.name_raising()
    if program.polled:
        name_poll()
    if program.limited:
        name_crowded()
    depends = (*loading.processor(), *environment(), *emitters())
    file = f"{files.module_name(text.text, depends)}.o"
    code = files.kept_bytes(file) if options.cache else None
    interrupts.answer()
    if code is not None:
        return code, True
    return made(program, text, file if options.cache else None)


def made(program: Program, text: Noted, file: str | None) -> tuple[bytes, bool]:
    """The machine code of a program, which is put into a file of the cache folder.

    And whether another process has put it there meanwhile.
    """
    from srcgrad.backends.cpu import llvm
    from srcgrad.backends.cpu.emit import numba_internals as inside

    with inside.lock, llvm.options(program.function), collector.gc_paused():
        if file is None:
            return _machine_code(text.text), False
        with files.making(file):
            code = files.kept_bytes(file)
            if code is not None:
                return code, True
            code = _machine_code(text.text)
            files.keep_bytes(file, code)
            return code, False


def _machine_code(text: str) -> bytes:
    from srcgrad.backends.cpu.emit import numba_internals as inside

    module = inside.optimised(text)
    interrupts.answer()
    return inside.object_code(module)


def numba_type(type: Type) -> Any:
    """The Numba type of a parameter or result: the IR's, nothing is inferred from a call."""
    from numba import types

    match type:
        case Scalar(dtype):
            return getattr(types, "boolean" if dtype == "bool" else DTYPES[dtype])
        case Array(dtype, dims, layout):
            scalar = numba_type(Scalar(dtype))
            return types.Array(scalar, len(dims), "C" if layout == "C" or not dims else "A")
        case Tape(dtype):
            return types.Array(numba_type(Scalar(dtype)), 1, "C")
    raise not_emitted(f"a parameter of type {type}")


@lru_cache(maxsize=1)
def emitters() -> tuple[str, ...]:
    """The digest of the texts that determine the emitted code and its linking."""
    texts = (f.read_text(encoding="utf-8") for f in sorted(Path(__file__).parent.glob("*.py")))
    return (files.module_name("", texts),)


# ---- helpers ----
def ready(helper: Helper) -> None:
    """Compiles a helper, or finds it in the cache, and gives its address its symbol."""
    import numba
    from numba.core.errors import NumbaWarning

    from srcgrad.backends.cpu import loading
    from srcgrad.backends.cpu.emit import numba_internals as inside

    with _lock:
        if helper in _ready:
            return
        kinds, result = repr(helper.kinds), repr(helper.result)
        depends = (kinds, result, *loading.processor(), *environment())
        key = files.module_name(helper.text, depends)
        module = files.in_memory(key, helper.text)
        made: Any = numba.njit(module.call, error_model="numpy", nogil=True, fastmath=HELPERS)
        made._cache = inside.Kept(f"{key}.nb")
        kinds = tuple(map(_kind_type, helper.kinds))
        wanted = kinds if helper.result.ndim >= 0 else _kind_type(helper.result)(*kinds)
        with warnings.catch_warnings():
            # copies of strided operands of a product, printing with the GIL: both intended
            warnings.simplefilter("ignore", NumbaWarning)
            made.compile(wanted)
        made.disable_compile()
        (found,) = made.overloads.values()
        if found.signature.return_type != _kind_type(helper.result):
            # called by its address, its result would be read with a wrong type
            raise not_emitted(f"a helper that returns {found.signature.return_type}")
        loading.name_address(helper.symbol, inside.address_of(found))
        _ready[helper] = made


def _kind_type(kind: Kind) -> Any:
    from numba import types

    scalar = numba_type(Scalar(kind.dtype))
    return scalar if kind.ndim < 0 else types.Array(scalar, kind.ndim, kind.layout)
