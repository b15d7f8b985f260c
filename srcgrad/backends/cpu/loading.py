"""Loads machine code: LLVM's engine and the C functions of Numba's runtime, without Numba's Python.

Importing Numba takes longer than all else that a process does whose machine code is in the cache
folder. Machine code itself calls C functions of two extension modules of Numba's: these are loaded
from its folder, as the modules that Numba itself finds when it is imported later. Where a symbol is
missing, or the modules are not found, Numba is imported and names all that it has.

A program's machine code lives in an engine of its own, which goes with the function.
"""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import os
import struct
import sys
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from llvmlite import binding as llvm

from srcgrad.backends.cpu.emit import objects
from srcgrad.backends.cpu.failure import Failure
from srcgrad.errors import CompilerError
from srcgrad.ir.types import DTYPES, np_dtype

# the functions of C's mathematical library that Numba binds to the library that Python uses
MATH = (
    "acos", "acosf", "acosh", "acoshf", "asin", "asinf", "asinh", "asinhf", "atan", "atanf",
    "atan2", "atan2f", "atanh", "atanhf", "ceil", "ceilf", "cos", "cosf", "cosh", "coshf",
    "exp", "expf", "expm1", "expm1f", "fabs", "fabsf", "floor", "floorf", "fmod", "fmodf",
    "log", "logf", "log10", "log10f", "log1p", "log1pf", "pow", "powf", "round", "roundf",
    "sin", "sinf", "sinh", "sinhf", "sqrt", "sqrtf", "tan", "tanf", "tanh", "tanhf", "trunc",
    "truncf",
)  # fmt: skip
COMPLEX = "numba_complex_adaptor"
# what decides for which processor Numba generates code, besides the processor
CHOSEN = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_ENABLE_AVX")
CONFIGURED = ".numba_config.yaml"
FASTCALL = 0x80  # METH_FASTCALL: the arguments are an array of C


class Words(Failure):
    """A failure of emitted code: the number of the site and the operands, as bytes."""


class OutsideError(AssertionError):
    """Raised for a guarded access outside its buffer, or after its release."""


# ---- the processor ----
@cache
def processor() -> tuple[str, str, str]:
    """The target of generated code: the triple, the processor's name, its features."""
    if any(name in os.environ for name in CHOSEN) or os.path.isfile(CONFIGURED):
        return _target().codegen().magic_tuple()
    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        features = ""
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


# ---- symbols ----
def name_address(symbol: str, address: int) -> None:
    llvm.add_symbol(symbol, address)


def for_good(held: Any) -> None:
    """Keeps an object past the end of the interpreter: threads may still need it."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(held))


@cache
def numba_folder() -> str | None:
    """The folder of Numba, which is not imported; None if that is not known."""
    found = importlib.util.find_spec("numba")
    return found and found.origin and os.path.dirname(found.origin)


def _extension(name: str) -> ModuleType | None:
    """An extension module of Numba's, without the packages around it."""
    full = f"numba.{name}"
    if full in sys.modules:
        return sys.modules[full]
    folder = numba_folder()
    if folder is None:
        return None
    within = os.path.join(folder, *name.split(".")[:-1])
    found = importlib.machinery.PathFinder.find_spec(full, [within])
    if found is None or not isinstance(found.loader, importlib.machinery.ExtensionFileLoader):
        return None
    try:
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
    except ImportError:  # the package around it may be needed to find libraries
        return None
    return module


@cache
def name_objects() -> None:
    """Gives symbols to Numba's runtime, and to the objects of Python that emitted code names."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    _name_runtime()
    named = {
        objects.FAILURE: Words, objects.OUTSIDE: OutsideError, objects.MEMORY: MemoryError,
        objects.TYPE: TypeError, objects.NDARRAY: np.ndarray,
        **{objects.symbol_of(dtype): np_dtype(dtype) for dtype in DTYPES},
    }  # fmt: skip
    for symbol, what in named.items():
        name_address(symbol, id(what))
        for_good(what)


def _name_runtime() -> None:
    if "numba.core.runtime.nrt" not in sys.modules:
        runtime, helpers = _extension("core.runtime._nrt_python"), _extension("_helperlib")
        if runtime is not None and helpers is not None:
            runtime.memsys_use_cpython_allocator()
            for name, address in runtime.c_helpers.items():
                name_address(name if name.startswith("_") else f"NRT_{name}", address)
            functions = helpers.c_helpers
            name_address(COMPLEX, functions[COMPLEX.removeprefix("numba_")])
            for name in functions.keys() & MATH:
                name_address(name, functions[name])
            return
    _name_all()


def _name_all() -> None:
    """Imports Numba, which names what its own machine code needs."""
    from numba.core.runtime.nrt import rtsys

    rtsys.initialize(_target())


def _target() -> Any:
    """Numba's description of the target of its code, after Numba has been imported."""
    from numba.core.registry import cpu_target

    return cpu_target.target_context


# ---- engines ----
def loaded(code: bytes) -> Any:
    """An engine with machine code, which lives as long as the engine."""
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    _add(engine, code)
    return engine


def _add(engine: Any, code: bytes) -> None:
    _check(code)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()


_engines: list[Any] = []  # that of functions that are called by their symbols
_lock = threading.RLock()


def name_functions(code: bytes, symbols: Sequence[str]) -> None:
    """Loads machine code for good, and gives its functions symbols for code loaded later."""
    name_objects()
    with _lock:
        if not _engines:
            _engines.append(loaded(code))
            for_good(_engines[0])
        else:  # a tenth of the time that an engine takes
            _add(_engines[0], code)
        for symbol in symbols:
            name_address(symbol, _engines[0].get_function_address(symbol))


def _check(code: bytes) -> None:
    """Raises CompilerError where a symbol has no address: LLVM would end the process.

    After an engine has been made, which looks at the libraries of the process.
    """
    missing = [s for s in undefined(code) if llvm.address_of_symbol(s) is None]
    if missing:
        _name_all()
        missing = [s for s in missing if llvm.address_of_symbol(s) is None]
    if missing:
        raise CompilerError(
            f"machine code calls {missing[0]}, which this process does not have", None,
            "delete machine code that was made otherwise: python -m srcgrad cache clear",
        )  # fmt: skip


def undefined(code: bytes) -> Iterator[str]:
    """The symbols that machine code in ELF names and does not define."""
    if code[:6] != b"\x7fELF\x02\x01":
        return
    (at,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, at + size * k) for k in range(count)]
    for _, kind, _, _, start, length, link, _, _, entry in sections:
        if kind != 2:  # SHT_SYMTAB
            continue
        texts = sections[link][4]
        for place in range(start + entry, start + length, entry):
            name, _, _, section = struct.unpack_from("<IBBH", code, place)
            if section == 0 and name:
                yield code[texts + name : code.index(b"\0", texts + name)].decode()


# ---- what Python calls of a program ----
class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


_function = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.POINTER(_Method), ctypes.py_object, ctypes.py_object
)(("PyCFunction_NewEx", ctypes.pythonapi))


def entered(code: bytes, symbol: str, name: str) -> Any:
    """The machine code as a function of Python, which checks the types of its arguments."""
    name_objects()
    engine = loaded(code)
    method = _Method(name.encode(), engine.get_function_address(symbol), FASTCALL, None)
    return _function(ctypes.byref(method), (engine, method), __name__)
