"""The machine code of routines: compiled once per machine, loaded by symbol."""

from __future__ import annotations

import os
import pickle
import threading
from functools import cache
from pathlib import Path

from srcgrad import collector
from srcgrad.backends import cache as files
from srcgrad.backends.cpu import llvm
from srcgrad.backends.cpu.capsules import name_routine
from srcgrad.backends.cpu.emit import ownership
from srcgrad.backends.cpu.emit.control import statements
from srcgrad.backends.cpu.emit.frame import PROBED
from srcgrad.backends.cpu.emit.noted import joined
from srcgrad.backends.cpu.emit.owners import Owners
from srcgrad.backends.cpu.emit.program import around, parameters
from srcgrad.backends.cpu.emit.references import finish, give_up_scope, write_exits
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.symbols import Routine
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.backends.cpu.environment import environment
from srcgrad.routines import spectra
from srcgrad.routines.table import traced

PACKAGE = Path(__file__).parents[3]
# what routines are made of, besides the texts that other machine code depends on
SOURCES = ("frontend", "frontend/handlers", "frontend/formulas", "ir", "passes", "primitives")
_ready: set[Routine] = set()
_lock = threading.RLock()  # the handler of a signal may need a routine as well


def ready(r: Routine, texts: tuple[str, ...]) -> None:
    """Compiles a routine, or finds its machine code, and gives its symbol an address.

    `texts`: those of the emitters.
    """
    from srcgrad.backends.cpu import loading

    with _lock:
        if r in _ready:
            return
        file = f"{files.module_name(r.symbol, (_depends(texts),))}.o"
        found = files.kept_bytes(file)
        if found is None:
            found = pickle.dumps(compiled(r))
            files.keep_bytes(file, found)
        if r in _ready:  # such a handler has loaded it
            return
        code, routines = pickle.loads(found)
        for (library, name), arity in routines.items():
            name_routine(library, name, arity)
        loading.name_functions(code, [r.symbol])
        _ready.add(r)


def compiled(r: Routine) -> tuple[bytes, dict[tuple[str, str], int]]:
    """The machine code of a routine, and the functions of SciPy's that it calls."""
    from srcgrad.backends.cpu.emit import numba_internals as inside

    text, program = emit_routine(r)
    with inside.lock, llvm.options(program.function), collector.gc_paused():
        # SciPy's functions take the time of a routine that calls them, not its loops
        code = inside.object_code(inside.optimised(text, briefly=bool(program.routines)))
    return code, program.routines


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
def _depends(texts: tuple[str, ...]) -> str:
    """The digest of all that determines the machine code of a routine."""
    from srcgrad.backends.cpu import loading

    return files.module_name("", (*loading.processor(), *environment(), *texts, *sources()))


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
