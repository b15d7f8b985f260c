"""What LLVM makes of a program: the optimised module, and its assembly."""

from srcgrad.backends.cpu.emit import numba_internals as inside
from srcgrad.backends.cpu.emit.program import emit_module


def optimised(program):
    text, _ = emit_module(program)
    with inside.lock:
        return inside.optimised(text.text)


def assembly_of(module):
    return inside._codegen()._tm.emit_assembly(module)
