"""Describes the program built for some arguments: stages, their times, saved values, loop nests.

Facts unknown before the program runs are marked as such. Never runs the program, and never
changes what a call would build.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.backends.backend import Backend, backend_of
from srcgrad.errors import Location, SrcgradError
from srcgrad.frontend.values import NUMBERS
from srcgrad.ir.nodes import Def, For, Function, While
from srcgrad.ir.text import Printer
from srcgrad.ir.walk import walk
from srcgrad.passes import Pass, without
from srcgrad.passes import run as run_passes
from srcgrad.protocols import held
from srcgrad.transforms.saved_tapes import Saved, Segments, read_by, saved_values, segments
from srcgrad.tree import paths

UNKNOWN = "not known before running"


def explain(compiled: Any, arguments: dict[str, Any]) -> str:
    """Describes the program compiled for arguments like these, in sections of aligned lines."""
    given = [pair for n, v in arguments.items() for pair in paths(v, (n,))]
    entry, captured = compiled._entry_for(arguments, given)
    program, backend = entry.program, backend_of(compiled.options.target)
    function: Function = program.function
    whole: Function = entry.whole.function
    printer = Printer({s.op.name for s in walk(function.body) if isinstance(s, Def)})
    printer.function(function)
    values = [*(dict(given).get(path) for path in program.inputs), *captured]
    known = dict(zip(function.params, values, strict=False))
    saved = saved_values(function, known)
    sections = [
        _head(compiled, backend, printer, given),
        ["stages", *_stages(backend, entry)],
        ["saved for the reverse sweep", *_saved(saved, printer)],
        *_again(segments(whole, dict(zip(whole.params, values, strict=False)))),
        ["loop nests", *_nests(function, backend.pipeline(compiled.options))],
        ["captured, read at each call", *_hidden(program, printer)],
        ["guards: a change builds anew", *_guards(program)],
    ]
    return "\n\n".join("\n  ".join(s) for s in sections) + "\n"


def _head(compiled: Any, backend: Backend, printer: Printer, given: list) -> list[str]:
    signature = printer.lines[0].removeprefix("def ").removesuffix(":")
    static = compiled._requirements.static_leaves
    numbers = [(p, v) for p, v in given if isinstance(v, NUMBERS)]
    known = [f"{'.'.join(map(str, p))} = {v!r}" for p, v in numbers if p in static]
    lines = [repr(compiled), f"target     {compiled.options.target}"]
    lines += [f"{name:<9}  {text}" for name, text in backend.settings(compiled.options).items()]
    lines.append(f"signature  {signature}")
    return lines + [f"static     {', '.join(known)}"] * bool(known)


# ---- stages ----
def _stages(backend: Backend, entry: Any) -> list[str]:
    rows: list[tuple[str, ...]] = [("", "ms", "statements")]
    rows += [(s.name, f"{1e3 * s.seconds:.1f}", str(s.statements)) for s in entry.stages]
    if entry.executable.compile is not None:
        rows.append(_compiled(backend.compiler, entry.executable.compile))
    lines = _aligned(rows, ">>")
    if entry.restarts:
        lines.append(
            f"(begun {entry.restarts + 1} times: kinds of values were found out on the way)"
        )
    return lines


def _compiled(compiler: str, compile: Callable[[], bool]) -> tuple[str, ...]:
    """The time that the compiler takes, measured now; the call's own code is not touched."""
    start = time.perf_counter()
    try:
        cached = compile()
    except SrcgradError as e:
        return compiler, "-", "-", str(e).splitlines()[0]
    milliseconds = f"{1e3 * (time.perf_counter() - start):.1f}"
    return compiler, milliseconds, "-", "loaded from the cache folder" if cached else "compiled"


# ---- saved values ----
def _saved(saved: Sequence[Saved], printer: Printer) -> list[str]:
    if not saved:
        return ["nothing on tapes"]
    rows = []
    for s in saved:
        size = UNKNOWN if s.bytes is None else _bytes(s.bytes)
        size_known = s.slots or s.count
        slots = "grows" if s.grows or size_known is None else f"{size_known} slots"
        name = printer.names[s.tape]
        rows.append((name, s.dtype, size, slots, s.what, _line(s.location), read_by(s)))
    total = [s.bytes for s in saved]
    lines = _aligned(rows, "<>")
    if len(saved) > 1:
        known = sum(b for b in total if b is not None)
        lines.append(f"together   {_bytes(known)}" + (" and what grows" if None in total else ""))
    return lines


def _again(found: Sequence[Segments]) -> list[list[str]]:
    """A section on loops with a schedule, if there are any."""
    rows = []
    for s in found:
        count, length = ("?" if n is None else str(n) for n in (s.count, s.length))
        runs = "each runs again once"
        if s.slots is not None and (s.count is None or s.slots <= s.count):
            runs = f"{s.slots} states at a time: parts run again more often"
        rows.append((_line(s.location), f"{count} segments", f"of {length} trips", runs))
    return [["computed again by segments", *_aligned(rows, "")]] if rows else []


def _bytes(n: int) -> str:
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return f"{n} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1000  # type: ignore[assignment]  (printed with one digit)
    return f"{n:.1f} GB"


def _line(loc: Location | None) -> str:
    return "" if loc is None else f"line {loc.line}: {loc.text.strip()}"


# ---- loop nests ----
def _nests(function: Function, passes: tuple[Pass, ...]) -> list[str]:
    if not passes:
        return ["the text itself is run; nothing is fused"]
    fused = run_passes(function, passes)
    with without("fuse"):
        plain = run_passes(function, passes)
    own, after, before = (
        sum(isinstance(s, For | While) for s in walk(f.body)) for f in (function, fused, plain)
    )
    rows = [
        ("loops of the program before lowering", str(own)),
        ("after lowering, array operations fused", str(after)),
        ("after lowering, each operation on its own", str(before)),
    ]
    return [*_aligned(rows, ">"), *_fused_lines(function, fused)]


def _fused_lines(function: Function, fused: Function) -> list[str]:
    """One line for each nest that several source lines share."""
    own = {s.loc for s in walk(function.body) if isinstance(s, For | While)}
    out: dict[str, None] = {}
    for s in walk(fused.body):
        if isinstance(s, For) and s.loc not in own:
            lines = {(t.loc.line, t.loc.role) for t in walk(s.body) if t.loc is not None}
            if len(lines) > 1:
                out[f"fused: {', '.join(f'{role}line {n}' for n, role in sorted(lines))}"] = None
    return list(out)


# ---- captured values ----
def _hidden(program: Any, printer: Printer) -> list[str]:
    captured = program.function.params[len(program.inputs) :]
    rows = [(printer.names[v], printer.type(v.type)) for v in captured[: len(program.hidden)]]
    return _aligned(rows, "<") or ["nothing"]


def _guards(program: Any) -> list[str]:
    rows = []
    for g in program.guards:
        if g.path.kind in ("function", "builtin"):
            continue  # in every program: the code of its functions, the builtins it calls
        value = g.test.value
        name = held(value, "__qualname__") or held(value, "__name__")
        kind = type(value).__name__
        short = repr(value) if isinstance(value, int | float | str | bool | None) else f"a {kind}"
        rows.append((g.name or name or "?", f"{kind} {name}" if name else short))
    return _aligned(sorted(set(rows)), "<") or ["nothing"]


def _aligned(rows: Sequence[tuple[str, ...]], sides: str) -> list[str]:
    """The rows in columns: the first to the left, the next by `sides`, the others to the left."""
    columns = max((len(r) for r in rows), default=0)
    widths = [max(len(r[k]) for r in rows if k < len(r)) for k in range(columns)]
    sides = "<" + sides.ljust(columns, "<")
    return [
        "  ".join(f"{cell:{sides[k]}{widths[k]}}" for k, cell in enumerate(row)).rstrip()
        for row in rows
    ]
