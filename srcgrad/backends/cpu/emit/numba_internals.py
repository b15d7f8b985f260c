"""Numba's internals that this backend relies on: all uses are here or in `loading.py`.

- an array's struct (`entry.py`), a MemInfo's first words (`support.py`);
- the functions of its runtime that emitted code calls by their names (`objects.py`, `support.py`);
- how an exception of a compiled function is raised;
- the cache of a dispatcher;
- the two extension modules that `loading.py` loads without the rest, its description of the target.

A test checks each.
"""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir
from llvmlite.binding.newpassmanagers import NewPassManager
from numba.core.caching import NullCache
from numba.core.callconv import excinfo_ptr_t
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from srcgrad.backends import cache as files
from srcgrad.backends.cpu import loading
from srcgrad.backends.cpu.emit import objects

lock = global_compiler_lock


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
    loading.name_functions(object_code(parsed(str(module))), [objects.RAISE])


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


# ---- modules outside of Numba's libraries ----
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
