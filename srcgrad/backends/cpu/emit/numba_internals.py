"""What is leaned on of Numba's internals: all of it stands here, and a test looks at each.

- an array's struct and its flattening, a MemInfo's first words (`support.py`);
- the convention of a compiled function: `i32 f(result*, exception**, arguments)`;
- a library's final module, into which ours is linked behind Numba's own optimisation;
- the exception that a function raises with values that are known at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callconv import excinfo_ptr_t
from numba.extending import intrinsic

from srcgrad.backends.cpu.emit.failures import FAILED, NO_MEMORY, OUTSIDE, RAISED
from srcgrad.backends.cpu.emit.program import words_of
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.failure import Failure
from srcgrad.ir.types import Array

I8P, I64, I32 = ir.IntType(8).as_pointer(), ir.IntType(64), ir.IntType(32)


class Words(Failure):
    """A failure of ours: the number of the site, then words, as many as any failure has."""


class OutsideError(AssertionError):
    """A guarded access was outside its buffer, or came after that was given up."""


def body(program: Program, results: Any, name: str, link: Callable[[Any], None]) -> Any:
    """The intrinsic: from the arguments and the workspace to the tuple of results."""
    function, workspace = program.function, bool(program.in_workspace)

    def codegen(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        link(context.active_code_library)
        given: list[Any] = []
        for p, t, a in zip(function.params, signature.args, args, strict=False):
            given += _argument(context, builder, p.type, t, a)
        if workspace:
            ary = context.make_array(signature.args[-1])(context, builder, args[-1])
            given += [builder.bitcast(ary.data, I8P), ary.nitems]
        else:
            given += [I8P(None), I64(0)]
        out = cgutils.alloca_once(builder, I64, program.words)
        exc = cgutils.alloca_once_value(builder, excinfo_ptr_t(None))
        given += [builder.bitcast(out, I8P), builder.bitcast(exc, I8P)]
        kind = ir.FunctionType(I32, [v.type for v in given])
        code = builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)
        failed = builder.icmp_signed("!=", code, I32(0))
        with builder.if_then(failed, likely=False):
            # Numba's function has counted its arguments; where it raises it does not give them up
            for t, a in zip(signature.args, args, strict=True):
                if isinstance(t, types.Array):
                    context.nrt.decref(builder, t, a)
            _raise(context, builder, code, out, exc, program)
        values, at = [], 0
        for a, t in zip(function.returns, results.types, strict=True):
            values.append(_result(context, builder, t, out, at))
            at += words_of(a.type)
        return context.make_tuple(builder, results, values)

    names = ", ".join(f"a{k}" for k in range(len(function.params) + workspace))
    scope = {"codegen": codegen, "result": results}
    exec(f"def body(typingctx, {names}):\n    return result({names}), codegen\n", scope)
    return intrinsic(scope["body"])


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

    n = program.failure
    if n:
        with when(FAILED):
            values = tuple(_word(builder, out, k) for k in range(n))
            convention.return_dynamic_user_exc(builder, Words, values, (types.int64,) * n)
    with when(RAISED):
        place = convention._get_excinfo_argument(builder.function)
        builder.store(builder.load(exc), place)
        builder.ret(_word(builder, out, 0, I32))
    with when(NO_MEMORY):
        convention.return_user_exc(builder, MemoryError, ("Allocation failed (too large?)",))
    if program.guarded:
        with when(OUTSIDE):
            convention.return_user_exc(builder, OutsideError, ())


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


def link(library: Any, text: str) -> None:
    """Put a module into a library: ours goes through one pipeline of its own.

    Numba's little function is optimised without it; linked last, ours is neither optimised again
    nor compiled twice.
    """
    module = llvm.parse_assembly(text)
    module.data_layout = library._codegen._data_layout
    module.triple = library._final_module.triple
    tuning = llvm.create_pipeline_tuning_options()
    tuning.speed_level = 3
    tuning.loop_vectorization, tuning.slp_vectorization = True, False
    tuning.loop_interleaving = tuning.loop_unrolling = True
    passes = llvm.create_pass_builder(library._codegen._tm, tuning)
    passes.getModulePassManager().run(module, passes)

    def optimise(self: Any) -> None:
        _shortened(self._final_module, self._codegen._tm)
        self._final_module.link_in(module)

    library._optimize_final_module = MethodType(optimise, library)


def _shortened(module: Any, machine: Any) -> None:
    """Numba's functions around ours run once a call: the time that LLVM takes is what they cost."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    for function in module.functions:
        if not function.is_declaration:
            for attribute in ("noinline", "optnone"):
                function.add_function_attribute(attribute)


def new_library(name: str) -> Any:
    from numba.core.registry import cpu_target

    target: Any = cpu_target.target_context
    library = target.codegen().create_library(name)
    library.enable_object_caching()
    library._optimize_functions = MethodType(_laid_out, library)
    return library


def _laid_out(library: Any, module: Any) -> None:
    """In the place of a pipeline per function: what a library has of Numba is optimised once.

    Numba's way is for functions that count references in many places; ours has one call. It took
    6 ms longer and came to code that is not faster.
    """
    module.data_layout = library._codegen._data_layout


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
    from numba.core.registry import cpu_target

    target: Any = cpu_target.target_context
    return target.codegen()


def object_code(text: str) -> bytes:
    """The machine code of a module that is written as it is to be run."""
    module = llvm.parse_assembly(text)
    module.data_layout = _codegen()._data_layout
    return _codegen()._tm.emit_object(module)


_loaded: list[Any] = []  # what their machine code lives in


def name_functions(code: bytes, symbols: Sequence[str]) -> None:
    """Load machine code, and give its functions symbols for what is loaded later."""
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    for symbol in symbols:
        name_address(symbol, engine.get_function_address(symbol))
    _loaded.append(engine)
