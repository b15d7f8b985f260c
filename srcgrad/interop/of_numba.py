"""Compiled functions and gradients inside code that Numba compiles.

Numba asks for the type of a global that is a compiled function: it is that of a function of its
own, whose body is a call of our machine code. So `@njit`, `@vectorize` and `@cfunc` call it like
any function, by positions. Captured values are constants, as Numba's own globals are.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typing.typeof import typeof_impl
from numba.extending import intrinsic

from srcgrad.backends.cpu.emit.driver import numba_type
from srcgrad.backends.cpu.emit.entry import words_of
from srcgrad.backends.cpu.emit.values import in_memory, parts_of
from srcgrad.backends.cpu.native import Native, native
from srcgrad.errors import SrcgradError
from srcgrad.ir.types import Array, Scalar
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.program import Program
from srcgrad.transforms.specialization import lowered
from srcgrad.tree import Leaf

WORD, POINTER = ir.IntType(64), cgutils.voidptr_t


def register() -> None:
    """Tells Numba of the type of compiled functions; it calls this when it first compiles."""

    @typeof_impl.register(Compiled)
    def typeof(fn: Compiled, context: Any) -> Any:
        return types.Dispatcher(numba_function(fn))


def numba_function(fn: Compiled) -> Any:
    """A function of Numba's that calls `fn`; there is one for each."""
    held = vars(fn)
    if "of_numba" not in held:
        held["of_numba"] = _function(fn)
    return held["of_numba"]


def _function(fn: Compiled) -> Any:
    def typed(context: Any, args: Any) -> Any:
        program, made = _built(fn, tuple(args.types))
        result = _result(fn, program.output, made)
        return result(args), functools.partial(_emitted, fn, program, made)

    call: Any = intrinsic(typed)

    @njit
    def called(*args):
        return call(args)

    return called


# ---- the program for types of Numba's ----
def _built(fn: Compiled, kinds: tuple[Any, ...]) -> tuple[Program, Native]:
    """The program for arguments of these types, and its machine code."""
    try:
        arguments = fn._bind(tuple(map(_example, kinds)), {})
        program = fn._program(arguments, any_lengths=True)[0]
        known = fn._requirements
        if known.static_leaves or known.static_dims:
            path, *_ = [*known.static_leaves, *(p for p, _ in known.static_dims)]
            raise TypingError(
                f"{fn.__name__}() is specialised on the value of {path[0]!r}, "
                "which Numba does not know: capture it instead"
            )
        arrays = [p for p in program.function.params if isinstance(p.type, Array)]
        if program.stored and len(arrays) > 1:
            raise TypingError(f"{fn.__name__}() stores to arguments that may share memory")
        return program, native(lowered(program.function, fn.options), fn.options)
    except SrcgradError as error:
        raise TypingError(f"{type(error).__name__}: {error}") from error


def _example(kind: Any) -> Any:
    """A value of a type of Numba's."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.Array):
        dtype = np.dtype(str(kind.dtype))
        whole = np.ones((4,) * kind.ndim, dtype, order="F" if kind.layout == "F" else "C")
        return whole[(slice(None, None, 2),) * kind.ndim] if kind.layout == "A" else whole
    if isinstance(kind, types.UniTuple | types.Tuple):
        return tuple(map(_example, kind.types))
    if isinstance(kind, types.Boolean):
        return True
    if isinstance(kind, types.Number):
        own = {types.float64: 1.0, types.int64: 1, types.complex128: 1.0 + 0.0j}
        return own.get(kind, np.dtype(str(kind)).type(1))
    raise TypingError(f"a compiled function of srcgrad takes no {kind} in Numba's code")


def _result(fn: Compiled, template: Any, made: Native) -> Any:
    """The type of a structure of results."""
    if type(template) is Leaf:
        return numba_type(made.function.returns[template.k].type)
    if isinstance(template, tuple):
        return types.Tuple([_result(fn, part, made) for part in template])
    raise TypingError(f"{fn.__name__}() returns what Numba has no type for: return tuples")


# ---- the call ----
def _emitted(
    fn: Compiled, program: Program, made: Native, context: Any, builder: Any, sig: Any, args: Any
) -> Any:
    """The instructions of a call."""
    params = made.function.params
    given: list[Any] = []
    for path, p in zip(program.inputs, params, strict=False):
        value, kind = _at(context, builder, args[0], sig.args[0], path, fn._names)
        given += _passed(context, builder, value, kind, p.type)
    for h, p in zip(program.hidden, params[len(program.inputs) :], strict=True):
        given += _constant(context, builder, h.path.fetch(), p.type)
    out = cgutils.alloca_once(builder, WORD, made.words)
    exc = cgutils.alloca_once_value(builder, ir.Constant(POINTER, None))
    null = ir.Constant(POINTER, None)
    given += [
        null,
        ir.Constant(WORD, 0),
        builder.bitcast(out, POINTER),
        builder.bitcast(exc, POINTER),
    ]
    address = context.add_dynamic_addr(builder, made.address, info=fn.__name__)
    shape = ir.FunctionType(ir.IntType(32), [v.type for v in given])
    code = builder.call(builder.bitcast(address, shape.as_pointer()), given)
    with builder.if_then(cgutils.is_not_null(builder, code), likely=False):
        text = f"{fn.__name__}() has failed: called from Python it says why"
        context.call_conv.return_user_exc(builder, RuntimeError, (text,))
    starts = np.cumsum([0, *(words_of(a.type) for a in made.function.returns)])
    parts = [
        _read(context, builder, out, int(at), a.type)
        for at, a in zip(starts, made.function.returns, strict=False)
    ]
    return _structure(context, builder, program.output, sig.return_type, parts)


def _at(
    context: Any, builder: Any, tup: Any, kind: Any, path: tuple[Any, ...], names: Sequence[str]
) -> Any:
    """The value of an argument, or of a part of a tuple, and its type."""
    for key in (names.index(path[0]), *path[1:]):
        tup, kind = builder.extract_value(tup, key), kind.types[key]
    return tup, kind


def _passed(context: Any, builder: Any, value: Any, kind: Any, type: Any) -> list[Any]:
    """A value as parameters of the emitted function: see `emit/entry.py`."""
    if isinstance(type, Scalar):
        own = numba_type(type)
        value = context.cast(builder, value, kind, own)
        if isinstance(own, types.Complex):
            return list(cgutils.unpack_tuple(builder, value, 2))
        return [value]
    a = context.make_array(kind)(context, builder, value)
    strided = type.layout != "C" and type.dims
    out = [builder.bitcast(a.data, POINTER), a.meminfo, a.parent]
    out += cgutils.unpack_tuple(builder, a.shape)
    return out + cgutils.unpack_tuple(builder, a.strides) * bool(strided)


def _constant(context: Any, builder: Any, value: Any, type: Any) -> list[Any]:
    """A captured value as parameters of the emitted function."""
    if isinstance(type, Scalar):
        own = numba_type(type)
        return _passed(
            context, builder, context.get_constant_generic(builder, own, value), own, type
        )
    null = ir.Constant(POINTER, None)
    _kept.append(value)
    data = context.add_dynamic_addr(builder, value.ctypes.data, info="a captured array")
    sizes = [*value.shape, *(value.strides if type.layout != "C" and type.dims else ())]
    return [data, null, null, *(ir.Constant(WORD, n) for n in sizes)]


_kept: list[np.ndarray] = []  # captured arrays whose addresses are in machine code


def _read(context: Any, builder: Any, out: Any, at: int, type: Any) -> Any:
    """A result from its words."""
    own = numba_type(type)

    def word(k: int, kind: Any) -> Any:
        place = builder.gep(out, [ir.Constant(WORD, at + k)])
        return builder.load(builder.bitcast(place, kind.as_pointer()))

    if isinstance(type, Scalar):
        kinds = [_LLVM[in_memory(k)] for k in parts_of(type.dtype)]
        parts = [word(k, kind) for k, kind in enumerate(kinds)]
        if isinstance(own, types.Complex):
            made = context.make_complex(builder, own)
            made.real, made.imag = parts
            return made._getvalue()
        if isinstance(own, types.Boolean):
            return builder.trunc(parts[0], ir.IntType(1))
        return parts[0]
    n = len(type.dims)
    a = context.make_array(own)(context, builder)
    a.meminfo, a.parent = word(0, POINTER), word(1, POINTER)
    a.nitems, a.itemsize = word(2, WORD), word(3, WORD)
    a.data = builder.bitcast(word(4, POINTER), a.data.type)
    a.shape = cgutils.pack_array(builder, [word(5 + k, WORD) for k in range(n)], WORD)
    a.strides = cgutils.pack_array(builder, [word(5 + n + k, WORD) for k in range(n)], WORD)
    return a._getvalue()


_LLVM = {
    "double": ir.DoubleType(), "float": ir.FloatType(),
    **{f"i{n}": ir.IntType(n) for n in (8, 16, 32, 64)},
}  # fmt: skip


def _structure(context: Any, builder: Any, template: Any, kind: Any, parts: list[Any]) -> Any:
    if type(template) is Leaf:
        return parts[template.k]
    made = [
        _structure(context, builder, t, k, parts) for t, k in zip(template, kind.types, strict=True)
    ]
    return context.make_tuple(builder, kind, made)
