"""A program as a function of machine code that other machine code calls, such as Numba's.

It is the function that `emit/program.py` describes, without a workspace and without looks for
signals: its caller decides what runs meanwhile. A failure is a code, without NumPy's text.
"""

from __future__ import annotations

from typing import Any

from srcgrad import interrupts
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import compiling
from srcgrad.backends.cpu.emit import driver
from srcgrad.backends.cpu.emit.program import emit_module
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.fastmath import FLAGS
from srcgrad.backends.cpu.refusals import refuse
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Function
from srcgrad.records import record


@record(frozen=True, eq=False)
class Native:
    """`i32 (arguments, workspace, its words, out, exc)`: 0 where nothing failed."""

    function: Function
    address: int
    words: int  # of `out`
    engine: Any  # holds the machine code


def native(function: Function, options: BuildOptions) -> Native:
    """The machine code of a lowered function. UnsupportedError if it calls an interpreter."""
    from srcgrad.backends.cpu import loading

    refuse(function)
    program = Program(function, FLAGS[options.fastmath], is_native=True)
    with compiling(program), interrupts.held():
        text, name = emit_module(program)
        if program.interpreted:
            raise UnsupportedError(
                f"{function.name}() calls back to Python, which compiled code cannot", None,
                "call it from Python",
            )  # fmt: skip
        code, _ = driver.machine_code(program, text, options)
    loading.name_objects()
    engine = loading.loaded(code)
    return Native(function, engine.get_function_address(name), program.words, engine)
