"""A lowered function as a Numba function of one line, whose body is the emitted module.

Helpers that the module names are compiled, or found in their cache, before its machine code is
loaded. Compiles nothing twice.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

from srcgrad import collector
from srcgrad.backends import cache as files
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.capsules import name_routine
from srcgrad.backends.cpu.compiling import compiling
from srcgrad.backends.cpu.elementary import library as elementary
from srcgrad.backends.cpu.emit.noted import Noted
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.symbols import Helper, Kind
from srcgrad.backends.cpu.emit.values import not_emitted
from srcgrad.backends.cpu.environment import environment
from srcgrad.backends.cpu.fastmath import HELPERS
from srcgrad.backends.cpu.threads import name_threads
from srcgrad.ir.nodes import Function
from srcgrad.ir.text import identifier
from srcgrad.ir.types import DTYPES, Array, Scalar, Tape, Type

_ready: dict[Helper, Any] = {}
_lock = threading.Lock()


# ---- compilation ----
def compiled(program: Program, text: Noted, name: str, options: BuildOptions) -> Any:
    """Numba's dispatcher, with machine code; from the cache if it is there."""
    from srcgrad.backends.cpu.emit import numba_internals as inside

    function = program.function
    workspace = bool(program.in_workspace)
    kinds = tuple(numba_type(p.type) for p in function.params)
    if workspace:
        kinds += (numba_type(Tape("i64")),)
    plain = identifier(function.name)
    names = ", ".join(f"a{k}" for k in range(len(kinds)))
    module = f'def {plain}({names}):\n    return body({names})\n\n\nr"""\n{text.text}\n"""\n'
    for helper in program.helpers:
        program.here = program.called_at[helper]
        ready(helper)
    program.here = None
    for (library, routine), arity in program.routines.items():
        name_routine(library, routine, arity)
    for op in program.elementary:
        elementary.ready(op)
    if program.spreads:
        name_threads()

    def link(library: Any) -> None:
        inside.link(library, text.text)

    results = _results(function)
    emitted = inside.body(program, results, name, link)
    return _dispatcher(function, module, plain, kinds, {"body": emitted}, options, inside)


def _results(function: Function) -> Any:
    from numba import types

    return types.Tuple([numba_type(a.type) for a in function.returns])


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


def _dispatcher(
    function: Function,
    text: str,
    name: str,
    kinds: tuple,
    scope: dict[str, Any],
    options: BuildOptions,
    inside: Any,
) -> Any:
    import numba
    from numba.core.compiler import Compiler

    from srcgrad.backends.cpu import llvm

    # signed and unsigned results may have the same text
    types = f"{kinds} -> {_results(function)}"
    key = files.module_name(text, (types, *environment(), *emitters()))
    module, backed = files.load(key, text) if options.cache else (files.in_memory(key, text), False)
    vars(module).update(scope)
    library = inside.new_library(name)

    def compiler(typing: Any, target: Any, _: Any, args: Any, result: Any, flags: Any, *more: Any):
        flags.no_cfunc_wrapper = True
        return Compiler(typing, target, library, args, result, flags, *more)

    njit: Any = numba.njit
    made: Any = njit(
        getattr(module, name),
        error_model="numpy",
        nogil=True,
        cache=backed,
        pipeline_class=compiler,
    )
    with compiling(made, key, backed), llvm.options(function), collector.waiting():
        made.compile(kinds)
    return made


@lru_cache(maxsize=1)
def emitters() -> tuple[str, ...]:
    """The texts that decide what is emitted and how it is linked."""
    here = Path(__file__).parent
    return tuple(f.read_text(encoding="utf-8") for f in sorted(here.glob("*.py")))


# ---- helpers ----
def ready(helper: Helper) -> None:
    """Compile a helper, or find it in the cache, and give its address its symbol."""
    import numba

    from srcgrad.backends.cpu.emit import numba_internals as inside

    with _lock:
        if helper in _ready:
            return
        key = files.module_name(
            helper.text, (repr(helper.kinds), repr(helper.result), *environment())
        )
        module, backed = files.load(key, helper.text)
        made: Any = numba.njit(
            module.call, error_model="numpy", nogil=True, fastmath=HELPERS, cache=backed
        )
        kinds = tuple(map(_kind_type, helper.kinds))
        wanted = kinds if helper.result.ndim >= 0 else _kind_type(helper.result)(*kinds)
        with compiling(made, key, backed):
            made.compile(wanted)
        (found,) = made.overloads.values()
        if found.signature.return_type != _kind_type(helper.result):
            # called by its address, it would be read as what it is not
            raise not_emitted(f"a helper that returns {found.signature.return_type}")
        inside.name_address(helper.symbol, inside.address_of(found))
        _ready[helper] = made


def _kind_type(kind: Kind) -> Any:
    from numba import types

    scalar = numba_type(Scalar(kind.dtype))
    return scalar if kind.ndim < 0 else types.Array(scalar, kind.ndim, kind.layout)
