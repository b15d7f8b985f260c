"""Stretches of long blocks as functions of their own.

LLVM's time for a function grows faster than its length. A stretch is given what it reads, and
stores what is read after it. What it owns lies in slots of the whole function, whose failures give
it up, and small buffers in its frame. Equal stretches share one function.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from srcgrad.backends.cpu.emit import state
from srcgrad.backends.cpu.emit.failures import guard, leave_again
from srcgrad.backends.cpu.emit.nests import OUTSIDE, Nest, fits, kind_of
from srcgrad.backends.cpu.emit.owners import Owned, Scope
from srcgrad.backends.cpu.emit.references import finish, write_ways_out
from srcgrad.backends.cpu.emit.values import List, Ref, is_constant, number, parts_of, texts
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Block, Def, For, If, Loop, Stmt, Var, While
from srcgrad.ir.walk import walk

Cuts = dict[int, list[range]]
# a parameter, or what a function and its stretches call by the same name
_NAME = re.compile(r"%([acko]\d+|frame|broken|work|nwork|out|exc|poll|back)\b")


# ---- which ----
def cuts(program: state.Program) -> Cuts:
    """The stretches of each block that has some, by the block's id.

    Of a long block that runs once all statements but the last ones are in stretches. In a long
    program a loop within a loop is one, if it is long itself, and so is a branch of very many
    statements there: its call costs little beside it.
    """
    out: Cuts = {}

    def left(block: Block, repeated: bool) -> int:
        """How many statements stay in the function that the block is part of."""
        size, first, found = 0, 0, list[range]()
        for k, s in enumerate(block, 1):
            many = weight(s, repeated)
            least = state.HEAVY if isinstance(s, Loop) else state.BULKY
            if repeated and long and not isinstance(s, Def) and many > least:
                found.append(range(k - 1, k))
                many = 1
            size += many
            if not repeated and size > state.LONG:
                found.append(range(first, k))
                size, first = 0, k
        if found:
            out[id(block)] = found
        return size + (0 if repeated else len(found))

    def weight(s: Stmt, repeated: bool) -> int:
        match s:
            case If():
                return 1 + left(s.then, repeated) + left(s.orelse, repeated)
            case For() if s.independent and not repeated:
                left(s.body, repeated)
                return 1
            case For() if fits(s, program):
                return 1
            case For() if not s.independent:
                return 1 + left(s.body, True)
            case While():
                return 1 + _sum(s.test) + left(s.body, True)
        return _sum((s,))

    long = _sum(program.function.body) > 10 * state.LONG
    left(program.function.body, False)
    return out


def _sum(block: Block) -> int:
    return sum(map(_weight, walk(block)))


def _weight(s: Stmt) -> int:
    """One that allocates memory or calls the library has checks and ways out."""
    return 4 if isinstance(s, Def) and s.op in OUTSIDE else 1


def stretches(w: Writer, block: Block) -> Iterator[tuple[range, bool]]:
    """The statements of a block, and whether they are a function of their own."""
    first = 0
    for part in w.program.cuts.get(id(block), ()) if w.owners is not None else ():
        yield range(first, part.start), False
        yield part, True
        first = part.stop
    yield range(first, len(block)), False


# ---- one ----
def stretch(
    w: Writer, before: Iterable[Var], after: Iterable[Var], write: Callable[[Writer], None]
) -> None:
    """Writes a function and its call: it reads variables from before it, others are read after."""
    made = _Stretch(w)
    for v in before:
        made.inner.env[v] = _moved(w.env[v], v, made.inner, made.take)
    made.write(write)
    for v in after:
        w.env[v] = _moved(made.inner.env[v], v, w, made.back)
    for v, value in made.inner.env.items():
        if isinstance(value, Ref) and value.slots:  # the end of the whole function reads them
            w.env.setdefault(v, value)
    made.close()


def _moved(value: Any, v: Var, w: Writer, moved: Callable[[str, str], str]) -> Any:
    """A value in another function, whose writer is `w`: its texts are moved."""
    if isinstance(value, List):
        return replace(value, mi=moved("ptr", value.mi))
    if not isinstance(value, Ref):
        kinds = parts_of(v.type.dtype)
        return number([moved(k, x) for k, x in zip(kinds, texts(value), strict=True)])
    if value.slots:  # its state lies in memory
        return value
    dims = tuple(moved("i64", d) for d in value.dims)
    if value.layout == "C":
        strides = w.contiguous(dims, value.dtype)
    else:
        strides = tuple(moved("i64", x) for x in value.strides)
    low, high = "0", "0"
    if w.program.guarded:
        low, high = (moved("i64", x) for x in value.bounds)
    data, off, mi = moved("ptr", value.data), moved("i64", value.off), moved("ptr", value.mi)
    return replace(value, data=data, dims=dims, strides=strides, mi=mi, off=off,
                   bounds=(low, high))  # fmt: skip


class _Stretch(Nest):
    """The function of a stretch, its call, and the names of values on both sides."""

    def __init__(self, w: Writer):
        super().__init__(w, w.owners)
        self.known: dict[str, str] = {}  # a name here -> the caller's
        self.place, self.words = w.new(), 0  # of what is stored for the caller
        self.row, self.code = 0, w.new()  # of the call, and what it returns
        self.sites = ""  # the caller's number of the first site

    def take(self, kind: str, name: str) -> str:
        here = super().take(kind, name)
        for known in self.outer.memo:
            if ("length", name) in known:
                self.inner.memo[0]["length", here] = here
        return here

    def back(self, kind: str, name: str) -> str:
        """The caller's name of a value here: another value is stored for it."""
        if name in self.known or is_constant(name):
            return self.known.get(name, name)
        recipe = self.inner.recipes.get(name)
        if recipe is not None:
            make, operands = recipe
            return make(self.outer, *(self.back(kind_of(make), a) for a in operands))
        here, there, self.known[name] = self.inner.new(), self.outer.new(), self.outer.new()
        for w, place, at in ((self.inner, here, "%back"), (self.outer, there, self.place)):
            w.lines.append(f"  {place} = getelementptr inbounds i64, ptr {at}, i64 {self.words}")
        self.inner.lines.append(f"  store {kind} {name}, ptr {here}, align 8")
        self.outer.lines.append(f"  {self.known[name]} = load {kind}, ptr {there}, align 8")
        self.words += 1
        return self.known[name]

    def of_caller(self, name: str) -> str:
        return self.sites if name == "#" else name

    def write(self, write: Callable[[Writer], None]) -> None:
        """Writes the function but for its end, and what surrounds the call."""
        w, inner, owners = self.outer, self.inner, self.inner.owners
        assert owners is not None
        outer, scope = owners.scopes[-1], Scope(owners.scopes[-1])
        owners.scopes[-1] = scope
        inner.done = w.done
        write(inner)
        w.done, w.polled = inner.done, w.polled or inner.polled
        owners.scopes[-1] = outer
        self.known = {here: outside for outside, (_, here) in self.given.items()}
        for each in scope.taken:
            _changes(inner.entry, "+", each.slot, each.slot, each.slot)
            _changes(w.lines, "-", each.name, each.slot, "null")
        self.sites = super().of_caller("#") if self.first is not None else ""
        self.row = w.hold()
        for each in scope:
            if isinstance(each, Owned):
                _changes(inner.lines, "-", each.name, each.slot, "null")
                _changes(w.lines, "+", each.slot, each.slot, each.slot)
                each = Owned(each.slot, each.var, each.slot)
            owners.own(each)
        guard(w, w.do(f"icmp ne i32 {self.code}, 0"), lambda: leave_again(w, self.code))

    def close(self) -> None:
        """Writes the end of the function, and the call."""
        w, inner = self.outer, self.inner
        finish(inner)
        write_ways_out(inner)
        inner.entry.append("  %code = alloca i32, align 8")
        body = inner.closed("{")
        w.entry.append(f"  {self.place} = alloca [{max(self.words, 1)} x i64], align 8")
        kinds = {here: kind for kind, here in self.given.values()}
        counts: Counter[str] = Counter()
        new, params, args = {}, [], []
        pieces = _NAME.split(body.text)
        for name in dict.fromkeys(pieces[1::2]):
            kind = kinds.get(f"%{name}", "i64" if name == "nwork" else "ptr")
            new[name] = name
            if name[-1].isdigit():
                new[name] = f"{name[0]}{counts[name[0]]}"
                counts[name[0]] += 1
            # a variable has one name: what is known of it need not be loaded again
            alone = name in ("out", "poll", "back") or name[0] == "k"
            params.append(f"{kind} {'noalias ' * alone}%{new[name]}")
            outside = self.place if name == "back" else self.known.get(f"%{name}", f"%{name}")
            args.append(f"{kind} {self.of_caller(outside)}")
        pieces[1::2] = [f"%{new[name]}" for name in pieces[1::2]]
        whole = f"i32 @NEST({', '.join(params)}) noinline nounwind {''.join(pieces)}"
        name = w.program.nests.setdefault(whole, f"stretch{len(w.program.nests)}")
        w.program.nest_notes.setdefault(name, body.notes)
        w.lines[self.row] = f"  {self.code} = call i32 @{name}({', '.join(args)})"


def _changes(lines: list[str], what: str, name: str, slot: str, holds: str) -> None:
    """Notes that a function and its caller hand each other a reference."""
    lines += [f"  ; {what}{name}", f"  ; {slot} = {holds}"]
