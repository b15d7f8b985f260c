"""The machine code of routines: compiled once per machine, loaded by symbol."""

from __future__ import annotations

import os
from functools import cache, partial
from pathlib import Path

from srcgrad import collector
from srcgrad.backends.cpu import llvm
from srcgrad.backends.cpu.emit import linked, machine_products, ownership
from srcgrad.backends.cpu.emit.control import statements
from srcgrad.backends.cpu.emit.frame import PROBED
from srcgrad.backends.cpu.emit.noted import joined
from srcgrad.backends.cpu.emit.owners import Owners
from srcgrad.backends.cpu.emit.program import around, parameters
from srcgrad.backends.cpu.emit.references import finish, give_up_scope, write_exits
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.symbols import Routine
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.routines import spectra
from srcgrad.routines.table import traced

PACKAGE = Path(__file__).parents[3]
# what routines are made of, besides the texts that other machine code depends on
SOURCES = ("frontend", "frontend/handlers", "frontend/formulas", "ir", "passes", "primitives")


def ready(r: Routine, texts: tuple[str, ...]) -> None:
    """Compiles a routine, or finds its machine code, and gives its symbol an address.

    `texts`: those of the emitters.
    """
    products = partial(machine_products.ready, texts=texts)
    linked.ready(r, (*texts, *sources()), lambda: compiled(r), products)


def compiled(r: Routine) -> linked.Made:
    """The machine code of a routine, and what it calls."""
    from srcgrad.backends.cpu.emit import numba_internals as inside

    text, program = emit_routine(r)
    with inside.lock, llvm.options(program.function), collector.gc_paused():
        # SciPy's functions take the time of a routine that calls them, not its loops
        code = inside.object_code(inside.optimised(text, briefly=bool(program.routines)))
    return code, program.routines, tuple(program.products)


def emit_routine(r: Routine) -> tuple[str, Program]:
    """The module of a routine: a function that returns 0, a code of the emitter's, or -LAPACK's."""
    function = traced(r.op, r.kinds, dict(r.params))
    # additions keep their order, and nothing is assumed about what is not finite
    program = Program(function, "", r.guarded, is_routine=True)
    program.in_workspace = {}
    w = Writer(program, Owners(program.classes))
    params = parameters(w)
    statements(w, function.body, function.returns)
    give_up_scope(w)
    finish(w)
    write_exits(w)
    # nests take %out, the record of a failure
    w.entry += ["  %code = alloca i32, align 8", "  %out = alloca i64, align 8"]
    main = w.closed(f"define i32 @{r.symbol}({', '.join(params)}) noinline nounwind {PROBED} {{")
    text = joined([*around(program), main]).text
    if program.routines:
        text = text.replace(" noinline nounwind ", " noinline nounwind optsize ")
    if r.guarded:
        ownership.check(text)
    return text, program


@cache
def sources() -> tuple[str, ...]:
    """The files that routines are made of, each with its size and the time of its last change.

    And what they have asked of the NumPy that is installed.
    """
    found = [f"infinity fails: {spectra.INFINITE_FAILS}"]
    for folder in (*SOURCES, "routines"):
        with os.scandir(PACKAGE / folder) as files:
            stated = [(f.name, f.stat()) for f in files if f.name.endswith(".py")]
        found += [f"{name} {s.st_size} {s.st_mtime_ns}" for name, s in sorted(stated)]
    return tuple(found)
