"""Workspaces of compiled functions: tapes and temporaries are carved from them at each call.

A *workspace* is one buffer of 8-byte words: the *cursor*, a word per growing tape (the size it
came to), then what is carved. A call takes one from its function's free ones, or a new one, and
puts it back: so calls in several threads, and a call inside a call, never share one. Code for
which it is too small allocates the buffers that do not fit; the cursor tells the size needed, and
the next call finds a workspace of that size. No result of a call is in a workspace (the
emitter ensures it), and no reference to a user's array is ever stored in one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Block, Const, Def, Function, If, Var
from srcgrad.ir.types import Array, Tape
from srcgrad.ir.walk import walk
from srcgrad.primitives.tapes import reserve, tape, tape_like

KEPT = 1 << 30  # bytes in all workspaces of one function together between calls
ALIGNMENT = 64  # of carved buffers: a cache line
WORD = 8


class Workspace:
    """One buffer; `words` is passed to compiled code, `header` is its first words for Python."""

    def __init__(self, size: int, header: int):
        """Allocates `size` words, unfilled, from an address that is a multiple of ALIGNMENT on."""
        memory = np.empty(size + ALIGNMENT // WORD, np.int64)
        skip = -memory.ctypes.data % ALIGNMENT // WORD
        self.words = memory[skip : skip + size]
        self.header = self.words[:header].data
        self.size = size


class Workspaces:
    """The free workspaces of one function; `slots` is the number of its growing tapes."""

    def __init__(self, slots: int):
        self.first = header_words(slots)
        self.free: list[Workspace] = []

    def run(self, compiled: Callable[..., tuple], args: tuple) -> tuple:
        """Calls the compiled function with a workspace of its own."""
        try:
            w = self.free.pop()
        except IndexError:
            w = self._new(self.first)
        header = w.header
        header[0] = self.first
        try:
            return compiled(*args, w.words)
        finally:
            if header[0] > w.size:
                w = self._grown(w, header[0])
            if not self.free or self._kept() + w.size <= KEPT // WORD:
                self.free.append(w)

    def _new(self, size: int) -> Workspace:
        w = Workspace(size, self.first)
        w.header[:] = np.zeros(self.first, np.int64).data
        return w

    def _grown(self, w: Workspace, wanted: int) -> Workspace:
        """A workspace of the needed size, within the limit."""
        size = min(wanted, KEPT // WORD)
        if size <= w.size:
            return w
        new = Workspace(size, self.first)
        new.header[:] = w.header
        return new

    def _kept(self) -> int:
        return sum(w.size for w in self.free)


def header_words(slots: int) -> int:
    """The cursor and a word per slot, up to a whole cache line."""
    line = ALIGNMENT // WORD
    return -(-(1 + slots) // line) * line


def in_workspace(function: Function) -> dict[Var, int]:
    """Buffers that a function carves from its workspace: a growing tape's slot, 0 for the rest.

    They are made at most once in a call, and no result is a view of them. Empty if all of
    them have a length that is known: they are small.
    """
    classes = alias_classes(function)
    returned = {classes.of(v) for v in function.returns if isinstance(v, Var) and _buffer(v)}
    made = [d for d in _once(function.body) if classes.of(d.var) not in returned]  # type: ignore[arg-type]  (allocations have results)
    if not any(_varies(d) for d in made):
        return {}
    reserved = {s.args[0] for s in walk(function.body) if isinstance(s, Def) and s.op is reserve}
    # at the end of the function only buffers made outside branches have a size
    sized = {s.var for s in function.body if isinstance(s, Def)} & reserved
    out: dict[Var, int] = {}
    for d in made:
        assert d.var is not None
        out[d.var] = 1 + sum(map(bool, out.values())) if d.var in sized else 0
    return out


def _buffer(v: Var | None) -> bool:
    return v is not None and isinstance(v.type, Array | Tape)


def _varies(d: Def) -> bool:
    return d.op in (tape, tape_like) or not all(isinstance(a, Const) for a in d.args)


def _once(block: Block) -> list[Def]:
    """The allocations outside loops."""
    out: list[Def] = []
    for s in block:
        if isinstance(s, If):
            out += _once(s.then) + _once(s.orelse)
        elif isinstance(s, Def) and s.op.fresh and s.args and _buffer(s.var):
            out.append(s)
    return out
