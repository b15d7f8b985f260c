"""Emits the text of an LLVM module for a lowered function.

The module holds the function that Python calls (`entry.py`), and the one that it calls in turn,
`i32 @NAME(arguments, workspace, out, exc)`. It returns 0 with the results as words in `out`; 1 for
a failure of its own: site and operands lie in `out`; 2 where a helper raised: `exc` holds Numba's
exception; 3 where there is no memory; 4 where a guarded access is wrong; 5 where the handler of a
signal has raised, whose exception is set.
"""

from __future__ import annotations

import hashlib
import re

from srcgrad.backends.cpu.elementary.symbols import declarations
from srcgrad.backends.cpu.emit import polls
from srcgrad.backends.cpu.emit.buffers import growing, keep_size
from srcgrad.backends.cpu.emit.control import statements
from srcgrad.backends.cpu.emit.entry import DATA, LENGTHS, MEMINFO, PARENT, entry, words_of
from srcgrad.backends.cpu.emit.failures import word_at
from srcgrad.backends.cpu.emit.frame import PROBED
from srcgrad.backends.cpu.emit.halves import functions as conversions
from srcgrad.backends.cpu.emit.noted import Noted, joined
from srcgrad.backends.cpu.emit.objects import OBJECTS
from srcgrad.backends.cpu.emit.owners import Owners
from srcgrad.backends.cpu.emit.references import (
    count_up,
    finish,
    give_up_scope,
    handed,
    write_exits,
)
from srcgrad.backends.cpu.emit.spread import runtime
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.stretches import cuts
from srcgrad.backends.cpu.emit.support import support
from srcgrad.backends.cpu.emit.values import (
    List,
    Ref,
    in_memory,
    not_emitted,
    parts_of,
    texts,
)
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Atom, Function, Var
from srcgrad.ir.text import identifier
from srcgrad.ir.types import Array, Scalar, Tape


def emit_module(program: Program) -> tuple[Noted, str]:
    """The module's text, and its function's name, which contains a digest of the text."""
    program.cuts = cuts(program)
    w = Writer(program, Owners(program.classes))
    params = parameters(w)
    _whole(w, program.function)
    write_exits(w)
    if w.polled:
        program.polled = True
        w.entry.append(polls.entry(w))
    params += ["ptr %work", "i64 %nwork", "ptr noalias %out", "ptr %exc"]
    w.entry.append("  %code = alloca i32, align 8")
    main = w.closed(f"define i32 @NAME({', '.join(params)}) noinline nounwind {PROBED} {{")
    called_by_python = Noted(entry(program))
    made = joined([Noted(OBJECTS), *around(program), main, called_by_python, Noted("")])
    digest = hashlib.sha256(made.text.encode()).hexdigest()[:16]
    # names of symbols are ASCII: LLVM would find no other
    plain = re.sub(r"[^0-9A-Za-z_]", "_", identifier(program.function.name))
    name = f"srcgrad_{plain}_{digest}"
    text = made.text.replace("@NAME(", f"@{name}(").replace("@ENTRY(", f"@{name}.entry(")
    return Noted(text, made.notes), name


def around(program: Program) -> list[Noted]:
    """The declarations and functions of a module that its main function needs."""
    nests = [
        Noted("define internal " + text.replace("@NEST", f"@{name}"), program.nest_notes[name])
        for text, name in program.nests.items()
    ]
    functions = [
        "define internal " + text.replace("@NEST", f"@{name}")
        for text, name in program.functions.items()
    ]
    above = [*sorted(program.declared), *declarations(program.elementary)]
    above.append(support(program.guarded, bool(program.lists), program.limited))
    above += [runtime(program.words)] * program.spreads
    if program.halves:
        above.append(conversions())
    return [*map(Noted, (*above, *functions)), *nests]


def parameters(w: Writer) -> list[str]:
    """The LLVM parameters of the function being written, which it binds to their names."""
    return [text for k, p in enumerate(w.program.function.params) for text in _param(w, k, p)]


def _param(w: Writer, k: int, p: Var) -> list[str]:
    """The LLVM parameters of one of the function's parameters."""
    if isinstance(p.type, Scalar):
        kinds = parts_of(p.type.dtype)
        names = [f"%p{k}.{i}" for i in range(len(kinds))]
        w.env[p] = names[0] if len(names) == 1 else (names[0], names[1])
        return [f"{kind} {name}" for kind, name in zip(kinds, names, strict=True)]
    stated = p.type.dims if isinstance(p.type, Array) else (p,)
    n, names = len(stated), [f"%p{k}.d{i}" for i in range(len(stated))]
    dims = tuple(str(d) if isinstance(d, int) else x for d, x in zip(stated, names, strict=True))
    out = [f"ptr noalias %p{k}", f"ptr %p{k}.mi", f"ptr %p{k}.parent"]
    out += [f"i64 {d}" for d in names]
    for d in dims:
        w.memo[0]["length", d] = d
    plain = isinstance(p.type, Tape) or p.type.layout == "C" or not n
    if plain:
        strides = w.contiguous(dims, p.type.dtype)
    else:
        strides = tuple(f"%p{k}.s{i}" for i in range(n))
        out += [f"i64 {s}" for s in strides]
    r = Ref(f"%p{k}", p.type.dtype, dims, strides, "C" if plain else "A", f"%p{k}.mi")
    if w.program.guarded:
        r = Ref(r.data, r.dtype, dims, strides, r.layout, r.mi, bounds=w.extent(r))
    w.env[p] = _lent(w, p, r) if p in w.program.growing else r
    return out


def _lent(w: Writer, p: Var, r: Ref) -> Ref:
    """A tape of the caller's that grows here: its new memory stays in this function."""
    count_up(w, r.mi)
    return growing(w, p, r)


def _whole(w: Writer, f: Function) -> None:
    assert w.owners is not None
    statements(w, f.body, f.returns)
    at, given = 0, _given(w, f)
    for a in f.returns:
        value = handed(w, a)
        if isinstance(value, Ref) and value.mi != "null":
            w.put(f"; -{value.mi}")
        for k, (kind, part) in _words(w, a, value, given).items():
            w.put(f"store {kind} {part}, ptr {word_at(w, at + k)}, align 8")
        at += words_of(a.type)
    w.program.words = max(w.program.words, at)
    for v, slot in w.program.in_workspace.items():
        if slot:
            keep_size(w, w.env[v], slot)
    give_up_scope(w)
    finish(w)


def _given(w: Writer, f: Function) -> dict[Var, list[str]]:
    """The arrays that are parameters, by alias class."""
    out: dict[Var, list[str]] = {}
    for k, p in enumerate(f.params):
        if isinstance(p.type, Array):
            out.setdefault(w.program.classes.of(p), []).append(f"%p{k}")
    return out


def _words(
    w: Writer, a: Atom, value: object, given: dict[Var, list[str]]
) -> dict[int, tuple[str, str]]:
    """A result as words: a number's parts; of an array what its boxing reads of Numba's struct."""
    if isinstance(value, List):
        # `autodiff/partition.py` passes none
        raise not_emitted("a list of references as a result")
    if not isinstance(value, Ref):
        # a `Number`, since it is none of these
        parts = zip(parts_of(a.type.dtype), texts(value), strict=True)  # type: ignore[arg-type]  (a scalar)
        return dict(enumerate((in_memory(kind), w.widened(part, kind)) for kind, part in parts))
    first = w.pointer(value)
    lengths = [("i64", x) for x in (*value.dims, *value.strides)]
    known = given.get(w.program.classes.of(a), []) if isinstance(a, Var) else []
    return {
        MEMINFO: ("ptr", value.mi),
        PARENT: ("ptr", _parent(w, known, first)),
        DATA: ("ptr", first),
        **dict(enumerate(lengths, LENGTHS)),
    }


def _parent(w: Writer, given: list[str], first: str) -> str:
    """The argument that a result may be: Numba then returns the very array that was given."""
    out = "null"
    for p in given:
        out = w.choose(w.do(f"icmp eq ptr {first}, {p}"), f"{p}.parent", out, "ptr")
    return out
