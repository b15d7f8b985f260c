"""What is leaned on of Numba's internals: all of it stands here, and a test looks at each.

- an array's struct and its flattening, a MemInfo's first words (`support.py`);
- the convention of a compiled function: `i32 f(result*, exception**, arguments)`;
- the function that unpacks Python's arguments and packs the results;
- a library's final module, into which ours is linked after Numba's own;
- the cache of a dispatcher.

A program's machine code lives in an engine of its own, which goes with the function: Numba's one
engine frees nothing.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from collections.abc import Sequence
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir
from llvmlite.binding.newpassmanagers import NewPassManager
from numba import _dynfunc, njit, types  # type: ignore[attr-defined]  (it is compiled)
from numba.core import cgutils
from numba.core.caching import NullCache
from numba.core.callconv import RETCODE_EXC, excinfo_ptr_t
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import Environment
from numba.core.funcdesc import FunctionDescriptor
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.typing.templates import signature
from numba.np.numpy_support import as_dtype

from srcgrad.backends import cache as files
from srcgrad.backends.cpu.emit.failures import FAILED, NO_MEMORY, OUTSIDE, RAISED
from srcgrad.backends.cpu.emit.program import words_of
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.failure import Failure
from srcgrad.ir.types import Array
from srcgrad.records import record

I8P, I64, I32 = ir.IntType(8).as_pointer(), ir.IntType(64), ir.IntType(32)
WORDS = "srcgrad_words"  # the symbol of the class
lock = global_compiler_lock


class Words(Failure):
    """A failure of emitted code: the number of the site and the operands, as bytes."""


class OutsideError(AssertionError):
    """A guarded access was outside its buffer, or came after that was given up."""


# ---- what Python calls of a program ----
class Entry:
    """Numba's function around an emitted one: it unpacks arguments and packs results."""

    def __init__(self, name: str, kinds: tuple[Any, ...], results: Any):
        self.name, self.kinds, self.results = name, kinds, results
        self.descriptor: Any = FunctionDescriptor(
            native=True, modname="srcgrad", qualname=name, unique_name=name, doc="", typemap={},
            restype=results, calltypes={}, args=[f"a{k}" for k in range(len(kinds))], kws=(),
            argtypes=kinds,
        )  # fmt: skip
        self.environment: Any = Environment({})
        self.environment.env_name = self.descriptor.env_name
        for kind in results.types:
            dtype = as_dtype(kind.dtype) if isinstance(kind, types.Array) else None
            if dtype is not None and not any(dtype is d for d in self.environment.consts):
                self.environment.consts.append(dtype)

    def dispatcher(self, code: bytes, name: str) -> Any:
        """The function of loaded machine code: it checks the types of its arguments."""
        scope: dict[str, Any] = {}
        exec(f"def {name}({', '.join(self.descriptor.args)}): pass", scope)
        made: Any = njit(scope[name])
        made.add_overload(_Overload(signature(self.results, *self.kinds), self._loaded(code)))
        made.disable_compile()
        return made

    def _loaded(self, code: bytes) -> Any:
        rtsys.initialize(cpu_target.target_context)
        llvm.add_symbol(WORDS, id(Words))
        engine = loaded(code)
        at = engine.get_global_value_address(self.descriptor.env_name)
        ctypes.c_void_p.from_address(at).value = id(self.environment)
        address = engine.get_function_address(self.descriptor.llvm_cpython_wrapper_name)
        kept = (engine,)
        module = sys.modules[__name__]
        return _dynfunc.make_function(module, self.name, "", address, self.environment, kept)


@record(frozen=True)
class _Overload:
    """The attributes that a dispatcher reads of compiled code."""

    signature: Any
    entry_point: Any
    objectmode: bool = False


def optimised(entry: Entry, program: Program, text: str) -> Any:
    """The module of a program: the entry, the emitted text, what they call of Numba's runtime."""
    target: Any = cpu_target.target_context
    rtsys.initialize(target)
    context = target.subtarget(enable_nrt=True)
    library = _Library(context.codegen(), entry.name)
    library.emitted = _emitted(text, library)
    module = library.create_ir_module(entry.name)
    consts = list(entry.environment.consts)
    _write(context, module, entry, program)
    library.add_ir_module(module)
    context.create_cpython_wrapper(
        library, entry.descriptor, entry.environment, call_helper=None, release_gil=True
    )
    assert entry.environment.consts == consts  # a process that loads the code makes them anew
    library.add_linking_library(rtsys.library)
    library.finalize()
    return library._final_module


def _write(context: Any, module: Any, entry: Entry, program: Program) -> None:
    """The function of Numba's convention, which calls the emitted one."""
    kinds, function = entry.kinds, context.declare_function(module, entry.descriptor)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    args = context.call_conv.decode_arguments(builder, kinds, function)
    given: list[Any] = []
    for p, t, a in zip(program.function.params, kinds, args, strict=False):
        given += _argument(context, builder, p.type, t, a)
    if program.in_workspace:
        ary = context.make_array(kinds[-1])(context, builder, args[-1])
        given += [builder.bitcast(ary.data, I8P), ary.nitems]
    else:
        given += [I8P(None), I64(0)]
    out = cgutils.alloca_once(builder, I64, program.words)
    exc = cgutils.alloca_once_value(builder, excinfo_ptr_t(None))
    given += [builder.bitcast(out, I8P), builder.bitcast(exc, I8P)]
    kind = ir.FunctionType(I32, [v.type for v in given])
    code = builder.call(cgutils.get_or_insert_function(module, kind, entry.name), given)
    failed = builder.icmp_signed("!=", code, I32(0))
    with builder.if_then(failed, likely=False):
        _raise(context, builder, code, out, exc, program)
    values, at = [], 0
    for a, t in zip(program.function.returns, entry.results.types, strict=True):
        values.append(_result(context, builder, t, out, at))
        at += words_of(a.type)
    made = context.make_tuple(builder, entry.results, values)
    value = context.get_return_value(builder, entry.results, made)
    context.call_conv.return_value(builder, value)


def _argument(context: Any, builder: Any, type: Any, kind: Any, value: Any) -> list[Any]:
    """An argument as the emitted function takes it."""
    if isinstance(kind, types.Complex):
        number = context.make_complex(builder, kind, value)
        return [number.real, number.imag]
    if not isinstance(kind, types.Array):
        return [value]
    ary = context.make_array(kind)(context, builder, value)
    parent = builder.bitcast(ary.parent, I8P)
    out = [builder.bitcast(ary.data, I8P), builder.bitcast(ary.meminfo, I8P), parent]
    out += cgutils.unpack_tuple(builder, ary.shape, kind.ndim)
    if isinstance(type, Array) and type.layout != "C" and type.dims:
        out += cgutils.unpack_tuple(builder, ary.strides, kind.ndim)
    return out


def _word(builder: Any, out: Any, k: int, kind: Any = I64) -> Any:
    return builder.load(builder.bitcast(builder.gep(out, [I64(k)]), kind.as_pointer()))


def _raise(context: Any, builder: Any, code: Any, out: Any, exc: Any, program: Program) -> None:
    """What the emitted function returned, as Numba raises it."""
    convention = context.call_conv

    def when(number: int) -> Any:
        return builder.if_then(builder.icmp_signed("==", code, I32(number)), likely=False)

    if program.failure:
        with when(FAILED):
            _set_words(context.get_python_api(builder), builder, out, program.failure)
            builder.ret(RETCODE_EXC)
    with when(RAISED):
        place = convention._get_excinfo_argument(builder.function)
        builder.store(builder.load(exc), place)
        builder.ret(_word(builder, out, 0, I32))
    with when(NO_MEMORY):
        convention.return_user_exc(builder, MemoryError, ("Allocation failed (too large?)",))
    if program.guarded:
        with when(OUTSIDE):
            convention.return_user_exc(builder, OutsideError, ())


def _set_words(api: Any, builder: Any, out: Any, n: int) -> None:
    """Raise the words of a failure; Numba's own way for values leaves objects behind."""
    state = api.gil_ensure()
    data = api.bytes_from_string_and_size(builder.bitcast(out, I8P), api.py_ssize_t(8 * n))
    with builder.if_then(cgutils.is_not_null(builder, data)):
        words = ir.GlobalVariable(builder.module, ir.IntType(8), WORDS)
        api.err_set_object(words, data)
        api.decref(data)
    api.gil_release(state)


def _result(context: Any, builder: Any, kind: Any, out: Any, at: int) -> Any:
    """A value of Numba's type from its words."""
    if isinstance(kind, types.Boolean):
        return builder.trunc(_word(builder, out, at, ir.IntType(8)), ir.IntType(1))
    if isinstance(kind, types.Complex):
        part = context.get_value_type(kind.underlying_float)
        number = context.make_complex(builder, kind)
        number.real, number.imag = (_word(builder, out, at + k, part) for k in range(2))
        return number._getvalue()
    if not isinstance(kind, types.Array):
        return _word(builder, out, at, context.get_value_type(kind))
    ary, n = context.make_array(kind)(context, builder), kind.ndim
    dims = [_word(builder, out, at + 3 + k) for k in range(n)]
    item = context.get_data_type(kind.dtype)
    total = I64(1)
    for d in dims:
        total = builder.mul(total, d)
    ary.data = builder.bitcast(_word(builder, out, at, I8P), item.as_pointer())
    ary.meminfo = builder.bitcast(_word(builder, out, at + 1, I8P), ary.meminfo.type)
    ary.parent = builder.bitcast(_word(builder, out, at + 2, I8P), ary.parent.type)
    ary.itemsize, ary.nitems = I64(context.get_abi_sizeof(item)), total
    ary.shape = cgutils.pack_array(builder, dims, ty=I64)
    steps = [_word(builder, out, at + 3 + n + k) for k in range(n)]
    ary.strides = cgutils.pack_array(builder, steps, ty=I64)
    return ary._getvalue()


class _Library(CPUCodeLibrary):
    """A module to which ours, which goes through one pipeline of its own, is linked last.

    Numba's functions around it are optimised without it, and cheaply: its own way is for functions
    that count references in many places, and took 6 ms longer for code that is not faster.
    """

    emitted: Any

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        _shortened(self._final_module, self._codegen._tm)
        self._final_module.link_in(self.emitted)

    def _finalize_final_module(self) -> None:
        self._finalized = True


def _emitted(text: str, library: Any) -> Any:
    module = parsed(text)
    module.triple = library._final_module.triple
    tuning = llvm.create_pipeline_tuning_options()
    tuning.speed_level = 3
    tuning.loop_vectorization, tuning.slp_vectorization = True, False
    tuning.loop_interleaving = tuning.loop_unrolling = True
    passes = llvm.create_pass_builder(library._codegen._tm, tuning)
    _run(passes.getModulePassManager(), module, passes)
    return module


def _run(passes: Any, module: Any, builder: Any) -> None:
    """Run passes and give them up: llvmlite's own class for them never does."""
    passes.run(module, builder)
    NewPassManager._dispose(passes)
    passes.detach()


def _shortened(module: Any, machine: Any) -> None:
    """Numba's functions around ours run once a call: the time that LLVM takes is what they cost."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    tuning = llvm.create_pipeline_tuning_options()
    _run(passes, module, llvm.create_pass_builder(machine, tuning))
    for function in module.functions:
        if not function.is_declaration:
            for attribute in ("noinline", "optnone"):
                function.add_function_attribute(attribute)


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
    """Where the machine code of a compiled function is."""
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def name_address(symbol: str, address: int) -> None:
    llvm.add_symbol(symbol, address)


# ---- modules of our own, beside Numba's libraries ----
def processor() -> tuple[str, str, str]:
    """What code is generated for: the triple, the processor's name, its features."""
    return _codegen().magic_tuple()


def _codegen() -> Any:
    target: Any = cpu_target.target_context
    return target.codegen()


def parsed(text: str) -> Any:
    module = llvm.parse_assembly(text)
    module.data_layout = _codegen()._data_layout
    return module


def object_code(module: Any) -> bytes:
    """The machine code of a module, which is as it is to be run."""
    return _codegen()._tm.emit_object(module)


def loaded(code: bytes) -> Any:
    """An engine with machine code, which lives as long."""
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


_engines: list[Any] = []  # of functions that are called by their symbols


def name_functions(code: bytes, symbols: Sequence[str]) -> None:
    """Load machine code for good, and give its functions symbols for what is loaded later."""
    engine = loaded(code)
    for symbol in symbols:
        name_address(symbol, engine.get_function_address(symbol))
    _engines.append(engine)
