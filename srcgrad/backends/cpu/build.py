"""The backend `cpu`: emits LLVM IR for a lowered function, and compiles it at the first call.

Later calls run the same machine code: its types are those of the IR, not of a call's arguments.
Only compiling loads Numba.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from srcgrad import forks, interrupts
from srcgrad.backends import cache as files
from srcgrad.backends.backend import Backend, BuildOptions, Executable
from srcgrad.backends.cpu.emit import driver, ownership
from srcgrad.backends.cpu.emit.program import emit_module
from srcgrad.backends.cpu.emit.state import Program, Site
from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.cpu.fastmath import FLAGS, meaning
from srcgrad.backends.cpu.faults import compiling, debugging
from srcgrad.backends.cpu.readonly import Stores, is_read_only, run_with_read_only
from srcgrad.backends.cpu.refusals import refuse
from srcgrad.backends.cpu.runtime_errors import error_of
from srcgrad.backends.cpu.workspace import Workspaces
from srcgrad.errors import ArgumentValueError
from srcgrad.ir.nodes import Function
from srcgrad.ir.text import Printed
from srcgrad.ir.types import PYTHONS, Scalar, is_complex, np_dtype
from srcgrad.passes.pipeline import Pass, lowering


class Cpu(Backend):
    name = "cpu"
    compiler = "LLVM"

    def pipeline(self, options: BuildOptions) -> tuple[Pass, ...]:
        return lowering(options.strict, options.parallel)

    def build(self, function: Function, options: BuildOptions) -> Executable:
        return build(function, options)

    def settings(self, options: BuildOptions) -> dict[str, str]:
        return {"fastmath": meaning(options.fastmath)}


BACKEND: Backend = Cpu()


def guarded() -> bool:
    """Whether emitted code checks every access to memory, for tests of the backend."""
    mode = os.environ.get("SRCGRAD_CPU", "")
    if mode not in ("", "guarded"):
        raise ArgumentValueError(f"SRCGRAD_CPU must be guarded or unset, not {mode!r}")
    return bool(mode)


def build(function: Function, options: BuildOptions) -> Executable:
    """An executable of the lowered function; it compiles when it is first called."""
    refuse(function)
    program = Program(function, FLAGS[options.fastmath], guarded())
    with compiling(program):
        text, name = emit_module(program)
        if program.guarded:
            ownership.check(text.text)
    program.here = None
    slots = max(program.in_workspace.values(), default=None)
    run_in_workspace = None if slots is None else Workspaces(slots).run
    wrapped = _with_signals_deferred if program.interpreted else _same
    narrow = _narrow_returns(function)
    statements = [s.statement for s in program.sites]
    lock = threading.Lock()
    run: Any = None
    stores, read_only = Stores(function), False  # whether an array was read-only in some call

    def compile() -> driver.Compiled:
        from srcgrad.backends.progress import announced

        if debugging():
            files.keep(f"{name}.ll", text.shown())
            files.keep(f"{name}.py", _shown(function).text)
        compiled = partial(driver.compiled, program, text, name, options)
        with compiling(program, text), interrupts.held():
            return announced(function, compiled)

    def enter(*args: Any) -> tuple:
        return run(*args) if run_in_workspace is None else run_in_workspace(run, args)

    def call(*args: Any) -> tuple:
        nonlocal run, read_only
        if run is None:
            with forks.held(), lock:
                run = run or wrapped(compile().run)
        try:
            if read_only and any(map(is_read_only, args)):
                out = run_with_read_only(enter, stores, args)
            else:
                try:
                    out = run(*args) if run_in_workspace is None else run_in_workspace(run, args)
                except TypeError:  # an array that is read-only is not taken
                    if not any(map(is_read_only, args)):
                        raise
                    read_only = True
                    out = run_with_read_only(enter, stores, args)
            return out if narrow is None else tuple(k(v) for k, v in zip(narrow, out, strict=True))
        except Failure as failure:
            error = error_of(with_values(failure, program.sites), statements)
        raise error

    call.__name__ = function.name
    return Executable(
        call, lambda: _shown(function), lambda: compile().cached, lambda: text,
        lambda: _assembly(text.text),
    )  # fmt: skip


def _assembly(text: str) -> str:
    from srcgrad.backends.cpu.emit import numba_internals as inside

    with inside.lock:
        return inside.assembly(inside.optimised(text))


def _shown(function: Function) -> Printed:
    from srcgrad.backends.cpu.text.module import text_of

    return text_of(function)


def _with_signals_deferred(run: Callable[..., tuple]) -> Callable[..., tuple]:
    """A compiled program that calls Python code, during which handlers of signals wait.

    Numba's code around the program is not made to be left by an exception that a handler raises.
    """

    def deferred(*args: Any) -> tuple:
        with interrupts.held():
            return run(*args)

    return deferred


def _narrow_returns(function: Function) -> list[Callable[[Any], Any]] | None:
    """Functions that give each result the IR's dtype; None if Numba's results have them.

    Numba returns a scalar as a Python number, which has no narrow dtype.
    """
    types = [a.type for a in function.returns]
    narrow = [isinstance(t, Scalar) and t.dtype not in PYTHONS for t in types]
    if not any(narrow):
        return None
    return [np_dtype(t.dtype).type if n else _same for t, n in zip(types, narrow, strict=True)]


def _same(value: Any) -> Any:
    return value


# ---- failures ----
def with_values(failure: Failure, sites: list[Site]) -> Failure:
    """A failure whose operands are decoded from the 8-byte words that compiled code wrote."""
    if not failure.args:
        return failure
    (data,) = failure.args
    number, *words = struct.unpack(f"={len(data) // 8}q", data)
    values: list[Any] = []
    for dtype in sites[number].dtypes:
        parts = [words.pop(0) for _ in range(1 + is_complex(dtype))]
        values.append(_value(parts, dtype))
    return Failure(number, *values)


def _value(words: list[int], dtype: str) -> Any:
    if dtype == "bool":
        return bool(words[0])
    if dtype[0] in "iu":
        return words[0] % (1 << 64) if dtype == "u64" else words[0]
    parts = [struct.unpack("<d", struct.pack("<q", w))[0] for w in words]
    return parts[0] if len(parts) == 1 else complex(*parts)
