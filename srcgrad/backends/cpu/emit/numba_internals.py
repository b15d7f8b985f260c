"""Numba's internals that this backend relies on: all uses are here, and a test checks each.

- an array's struct (`entry.py`), a MemInfo's first words (`support.py`);
- the functions of its runtime that emitted code calls by their names (`objects.py`, `support.py`);
- how an exception of a compiled function is raised;
- a dispatcher and its cache.

A program's machine code lives in an engine of its own, which goes with the function: Numba's one
engine frees nothing.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from llvmlite.binding.newpassmanagers import NewPassManager
from numba import _dynfunc, njit  # type: ignore[attr-defined]  (it is compiled)
from numba.core.caching import NullCache
from numba.core.callconv import excinfo_ptr_t
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import Environment
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.typing.templates import signature

from srcgrad.backends import cache as files
from srcgrad.backends.cpu.emit import objects
from srcgrad.backends.cpu.failure import Failure
from srcgrad.ir.types import DTYPES, np_dtype
from srcgrad.records import record

lock = global_compiler_lock


class Words(Failure):
    """A failure of emitted code: the number of the site and the operands, as bytes."""


class OutsideError(AssertionError):
    """Raised for a guarded access outside its buffer, or after its release."""


# ---- what Python calls of a program ----
class Entry:
    """The function that Python calls of a program: it looks at the types of its arguments."""

    def __init__(self, name: str, kinds: tuple[Any, ...], results: Any):
        self.name, self.kinds, self.results = name, kinds, results

    def dispatcher(self, code: bytes, name: str) -> Any:
        """The function of loaded machine code."""
        scope: dict[str, Any] = {}
        exec(f"def {name}({', '.join(f'a{k}' for k in range(len(self.kinds)))}): pass", scope)
        made: Any = njit(scope[name])
        made.add_overload(_Overload(signature(self.results, *self.kinds), self._loaded(code)))
        made.disable_compile()
        return made

    def _loaded(self, code: bytes) -> Any:
        name_objects()
        engine = loaded(code)
        address = engine.get_function_address(f"{self.name}.entry")
        module, environment = sys.modules[__name__], Environment({})
        return _dynfunc.make_function(module, self.name, "", address, environment, (engine,))


@record(frozen=True)
class _Overload:
    """The attributes that a dispatcher reads of compiled code."""

    signature: Any
    entry_point: Any
    objectmode: bool = False


@cache
def name_objects() -> None:
    """Give symbols to Numba's runtime, and to Python's objects that emitted code names."""
    rtsys.initialize(cpu_target.target_context)
    named = {
        objects.FAILURE: Words, objects.OUTSIDE: OutsideError, objects.MEMORY: MemoryError,
        objects.TYPE: TypeError, objects.NDARRAY: np.ndarray,
        **{objects.symbol_of(dtype): np_dtype(dtype) for dtype in DTYPES},
    }  # fmt: skip
    for symbol, what in named.items():
        name_address(symbol, id(what))
        for_good(what)


@cache
def name_raising() -> None:
    """Give a symbol to the function that raises an exception of Numba's, which a helper raised."""
    context: Any = cpu_target.target_context
    module = context.create_module(objects.RAISE)
    kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32), excinfo_ptr_t])
    function = ir.Function(module, kind, objects.RAISE)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    status = context.call_conv._get_return_status(builder, *function.args)
    context.call_conv.raise_error(builder, context.get_python_api(builder), status)
    builder.ret_void()
    name_functions(object_code(parsed(str(module))), [objects.RAISE])


def optimised(text: str, briefly: bool = False) -> Any:
    """The module of a text, after LLVM's pipeline; `briefly` without what loops alone gain by."""
    module = parsed(text)
    module.triple = llvm.get_process_triple()
    tuning = llvm.create_pipeline_tuning_options()
    tuning.speed_level = 1 if briefly else 3
    tuning.slp_vectorization = False
    tuning.loop_vectorization = tuning.loop_interleaving = tuning.loop_unrolling = not briefly
    builder = llvm.create_pass_builder(_codegen()._tm, tuning)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    # llvmlite's own class never gives passes up
    NewPassManager._dispose(passes)
    passes.detach()
    return module


class Kept(NullCache):
    """The cache of a dispatcher: one file of the cache folder."""

    def __init__(self, file: str):
        self.file = file

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        found = files.kept_bytes(self.file)
        return (
            None if found is None else CompileResult._rebuild(target_context, *pickle.loads(found))
        )

    def save_overload(self, sig: Any, made: Any) -> None:
        if not made.library.has_dynamic_globals and all(x.can_cache for x in made.lifted):
            files.keep_bytes(self.file, dumps(made._reduce()))


def address_of(compiled: Any) -> int:
    """The address of the machine code of a compiled function."""
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def name_address(symbol: str, address: int) -> None:
    llvm.add_symbol(symbol, address)


# ---- modules outside of Numba's libraries ----
def processor() -> tuple[str, str, str]:
    """The target of generated code: the triple, the processor's name, its features."""
    return _codegen().magic_tuple()


def _codegen() -> Any:
    target: Any = cpu_target.target_context
    return target.codegen()


def parsed(text: str) -> Any:
    module = llvm.parse_assembly(text)
    module.data_layout = _codegen()._data_layout
    return module


def object_code(module: Any) -> bytes:
    """The machine code of a module, without further optimization."""
    return _codegen()._tm.emit_object(module)


def assembly(module: Any) -> str:
    """The machine code of a module as text."""
    return _codegen()._tm.emit_assembly(module)


def loaded(code: bytes) -> Any:
    """An engine with machine code, which lives as long as the engine."""
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def for_good(held: Any) -> None:
    """Never free an object, not when the interpreter ends either: threads may still need it."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(held))


_engines: list[Any] = []  # that of functions that are called by their symbols


def name_functions(code: bytes, symbols: Sequence[str]) -> None:
    """Loads machine code for good, and gives its functions symbols for code loaded later."""
    with lock:
        if not _engines:
            _engines.append(loaded(code))
            for_good(_engines[0])
        else:  # a tenth of the time that an engine takes
            _engines[0].add_object_file(llvm.ObjectFileRef.from_data(code))
            _engines[0].finalize_object()
        for symbol in symbols:
            name_address(symbol, _engines[0].get_function_address(symbol))
