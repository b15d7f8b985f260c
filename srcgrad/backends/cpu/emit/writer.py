"""One LLVM function while it is written: instructions, blocks, values known by name.

A value that is needed again in the same block, or in one inside it, is not computed again.
Arithmetic of places and lengths never overflows, so it is `nsw`; a program's own integers wrap, and
do not come through here. `recipes` tells how products and sums were made: a nest recomputes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.backends.cpu.emit.noted import Noted
from srcgrad.backends.cpu.emit.owners import Owners
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.values import (
    KINDS,
    Number,
    Ref,
    in_memory,
    is_constant,
    literal,
    number,
    parts_of,
    signed,
    size_of,
    texts,
)
from srcgrad.errors import Location
from srcgrad.ir.types import Atom, Const, Var

Recipe = tuple[Callable[..., str], tuple[str, ...]]


class Writer:
    """The text of one function; `owners` is None in a nest, which owns nothing."""

    def __init__(self, program: Program, owners: Owners | None = None):
        self.program = program
        self.owners = owners
        self.lines: list[str] = []
        self.entry: list[str] = []
        self.count = 0
        self.label = "begin"
        self.memo: list[dict] = [{}]
        self.recipes: dict[str, Recipe] = {}
        self.env: dict[Var, Any] = {}
        self.fails = False
        # whether it may look for signals, and does
        self.polls = not (program.is_routine or program.is_native)
        self.polled = False
        # `polls.py`: within what is short, within what looks, what was done since the last look
        self.passing, self.watched, self.done = False, False, 0
        self.notes: list[tuple[int, Location]] = []  # where the instructions of a line begin
        self.site_of: Callable[[int], str] = str  # a nest is handed its sites

    # ---- instructions ----
    def new(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def do(self, text: str) -> str:
        name = self.new()
        self.lines.append(f"  {name} = {text}")
        return name

    def put(self, text: str) -> None:
        self.lines.append("  " + text)

    def alloca(self, kind: str, init: str = "") -> str:
        self.count += 1
        name = f"%s{self.count}"
        self.entry.append(f"  {name} = alloca {kind}, align 8")
        if init:
            self.entry.append(f"  store {init}, ptr {name}, align 8")
        return name

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label

    def labels(self, *names: str) -> list[str]:
        self.count += 1
        return [f"{name}{self.count}" for name in names]

    def at(self, loc: Location | None) -> None:
        """Attributes what is written from here on to a line of the user's."""
        if loc is None:
            return
        self.program.here = loc
        if not self.notes or self.notes[-1][1] is not loc:
            self.notes.append((len(self.lines), loc))

    def closed(self, head: str) -> Noted:
        """The text of the finished function."""
        lines = [head, "entry:", *self.entry, "  br label %begin", "begin:"]
        notes = [(len(lines) + at, loc) for at, loc in self.notes]
        return Noted("\n".join([*lines, *self.lines, "}"]), tuple(notes))

    def hold(self) -> int:
        """Reserves a line whose text is known later."""
        self.lines.append("")
        return len(self.lines) - 1

    def declare(self, text: str) -> None:
        self.program.declared.add(f"declare {text}")

    # ---- arithmetic of places and lengths ----
    def once(self, key: Any, make: Callable[[], str]) -> str:
        for known in self.memo:
            if key in known:
                return known[key]
        value = make()
        self.memo[-1][key] = value
        return value

    def times(self, a: str | int, b: str | int) -> str:
        a, b = str(a), str(b)
        if "0" in (a, b):
            return "0"
        if a == "1":
            return b
        if b == "1":
            return a
        if is_constant(a) and is_constant(b):
            return str(int(a) * int(b))
        a, b = (b, a) if is_constant(a) else (a, b)
        made = self.once(("*", a, b), lambda: self.do(f"mul nsw i64 {a}, {b}"))
        if not is_constant(made):
            self.recipes.setdefault(made, (Writer.times, (a, b)))
        return made

    def plus(self, a: str | int, b: str | int) -> str:
        a, b = str(a), str(b)
        if a == "0":
            return b
        if b == "0":
            return a
        if is_constant(a) and is_constant(b):
            return str(int(a) + int(b))
        made = self.once(("+", a, b), lambda: self.do(f"add nsw i64 {a}, {b}"))
        self.recipes.setdefault(made, (Writer.plus, (a, b)))
        return made

    def most(self, a: str, b: str) -> str:
        if is_constant(a) and is_constant(b):
            return str(max(int(a), int(b)))
        return self.choose(self.do(f"icmp sgt i64 {a}, {b}"), a, b)

    def least(self, a: str, b: str) -> str:
        return self.choose(self.do(f"icmp slt i64 {a}, {b}"), a, b)

    def choose(self, condition: str, a: str, b: str, kind: str = "i64") -> str:
        return self.do(f"select i1 {condition}, {kind} {a}, {kind} {b}")

    def contiguous(self, dims: Sequence[str], dtype: str) -> tuple[str, ...]:
        """The strides of a contiguous array."""
        out, step = [], str(size_of(dtype))
        for n in reversed(dims):
            out.append(step)
            step = self.times(step, n)
        return tuple(out[::-1])

    def items(self, dims: Sequence[str]) -> str:
        total = "1"
        for n in dims:
            total = self.times(total, n)
        return total

    # ---- values ----
    def value(self, a: Atom | int) -> Any:
        if isinstance(a, Var):
            return self.env[a]
        if isinstance(a, Const):
            return literal(a.value, a.type.dtype)
        return str(a)

    def whole(self, a: Atom | int) -> str:
        """A length or a place, of any integer dtype, as an i64."""
        value = self.value(a)
        dtype = "i64" if isinstance(a, int) else a.type.dtype
        kind = KINDS[dtype]
        if kind == "i64" or is_constant(value):
            return str(int(value == "true")) if value in ("true", "false") else value
        how = "sext" if signed(dtype) else "zext"
        return self.once((how, value), lambda: self.do(f"{how} {kind} {value} to i64"))

    def ref(self, a: Atom) -> Ref:
        """The present state of a reference: a tape may have grown."""
        r = self.value(a)
        assert isinstance(r, Ref), a
        if not r.slots:
            return r
        place, owner = r.slots
        data = self.do(f"load ptr, ptr {place}, align 8")
        size = self.do(f"load i64, ptr {self.length_at(place)}, align 8")
        mi = self.do(f"load ptr, ptr {owner}, align 8")
        bounds = ("0", self.times(size, size_of(r.dtype))) if self.program.guarded else r.bounds
        return replace(r, data=data, dims=(size,), mi=mi, slots=(), bounds=bounds)

    def memory(self, a: Atom) -> Ref:
        """The present memory of a reference, for an access to an element; guarded all of it."""
        r = self.value(a)
        assert isinstance(r, Ref), a
        if not r.slots or self.program.guarded:
            return self.ref(a)
        return replace(r, data=self.do(f"load ptr, ptr {r.slots[0]}, align 8"), slots=())

    def length_at(self, place: str) -> str:
        """The place of the length of a tape that grows, after that of its data."""
        return self.once(
            ("length at", place), lambda: self.do(f"getelementptr inbounds i64, ptr {place}, i64 1")
        )

    def dims(self, type: Any) -> tuple[str, ...]:
        return tuple(self.whole(d) for d in type.dims)

    def pointer(self, r: Ref) -> str:
        """The address of the first element."""
        if r.off == "0":
            return r.data
        text = f"getelementptr i8, ptr {r.data}, i64 {r.off}"
        return self.once(("@", r.data, r.off), lambda: self.do(text))

    def extent(self, r: Ref) -> tuple[str, str]:
        """The bytes that an array reaches, from its first element on; it has one."""
        low, high = "0", str(size_of(r.dtype))
        for n, s in zip(r.dims, r.strides, strict=True):
            span = self.times(self.most(self.plus(n, -1), "0"), s)
            high = self.plus(high, self.most(span, "0"))
            low = self.plus(low, self.do(f"call i64 @llvm.smin.i64(i64 {span}, i64 0)"))
        self.declare("i64 @llvm.smin.i64(i64, i64)")
        return low, high

    # ---- parts of numbers in memory ----
    def read(self, place: str, dtype: str) -> Number:
        parts = [self.read_part(p, kind, dtype) for p, kind in self.places(place, dtype)]
        return number(parts)

    def read_part(self, place: str, kind: str, dtype: str) -> str:
        stored = in_memory(kind)
        v = self.do(f"load {stored}, ptr {place}, align {self.alignment(dtype)}")
        return self.do(f"icmp ne i8 {v}, 0") if kind == "i1" else v

    def write(self, place: str, dtype: str, value: Number) -> None:
        for (p, kind), v in zip(self.places(place, dtype), texts(value), strict=True):
            v = self.widened(v, kind)
            self.put(f"store {in_memory(kind)} {v}, ptr {p}, align {self.alignment(dtype)}")

    def widened(self, v: str, kind: str) -> str:
        """A part in its type in memory."""
        return self.do(f"zext i1 {v} to i8") if kind == "i1" else v

    def places(self, place: str, dtype: str) -> list[tuple[str, str]]:
        """The addresses of the parts of a number, and their LLVM types."""
        kinds = parts_of(dtype)
        if len(kinds) == 1:
            return [(place, kinds[0])]
        half = size_of(dtype) // 2
        second = self.do(f"getelementptr inbounds i8, ptr {place}, i64 {half}")
        return [(place, kinds[0]), (second, kinds[1])]

    def alignment(self, dtype: str) -> int:
        return size_of(dtype) // len(parts_of(dtype))
