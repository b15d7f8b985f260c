"""The texts of the programs that a `Compiled` builds. Never changes what a call would build."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.ir.text import to_text
from srcgrad.printing.shown import Code, Shown
from srcgrad.transforms.printed import printed
from srcgrad.transforms.program import Program
from srcgrad.transforms.specialization import built, settled
from srcgrad.transforms.stack import GENERATED, shown_by


def source_of(compiled: Any, kind: str, arguments: dict[str, Any]) -> str:
    """The text of a stage, as `Compiled.source` gives it."""
    if kind not in GENERATED:
        program, own = stage_of(compiled, kind, arguments)
        return Code(printed(program, own, compiled._signature).text)
    program = compiled._program(arguments)[0]
    options = replace(compiled.options, target=GENERATED[kind], cache=False)
    made = built(program.function, options)
    if kind == "llvm" and made.print_compiled is not None:
        return Shown(made.print_compiled().shown())
    if kind == "asm" and made.print_assembly is not None:
        return Shown(made.print_assembly())
    return Code(made.source)


def ir_of(compiled: Any, kind: str, arguments: dict[str, Any]) -> str:
    """The typed program of a stage, as `Compiled.ir` gives it."""
    return Code(to_text(stage_of(compiled, kind, arguments)[0].function))


def stage_of(compiled: Any, kind: str, arguments: dict[str, Any]) -> tuple[Program, dict[str, Any]]:
    """The program of a stage, and the arguments that it is for."""
    shown = type(compiled)(compiled.function, shown_by(compiled.spec, kind), compiled.options)
    own = {n: v for n, v in arguments.items() if n in shown._names}
    shown._requirements = compiled._requirements
    program = shown._program(own)[0]
    return replace(program, function=settled(program.function)), own
