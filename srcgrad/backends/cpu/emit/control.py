"""Loops and branches as blocks and phis; nests of loops may become functions of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from srcgrad import interrupts
from srcgrad.backends.cpu.emit import exit_tests, hints, polls
from srcgrad.backends.cpu.emit.nests import outlined
from srcgrad.backends.cpu.emit.operations import define
from srcgrad.backends.cpu.emit.references import (
    LastReads,
    give_up_scope,
    give_up_unread,
    handed,
    keep,
    leave_scopes,
    open_scope,
)
from srcgrad.backends.cpu.emit.spread import spread
from srcgrad.backends.cpu.emit.stretches import stretch, stretches
from srcgrad.backends.cpu.emit.values import List, Ref, not_emitted, number, parts_of, texts
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Block, Def, For, If, Var, While
from srcgrad.ir.types import Array, Atom, RefTape, Scalar, Tape
from srcgrad.ir.walk import results

COUNTED = (Array, Tape, RefTape)


def statements(w: Writer, block: Block, kept: Sequence[Atom]) -> None:
    """The statements of a block; what it owns is released after the last that reads it."""
    last = None if w.owners is None else LastReads(w, block, kept)
    for part, apart in stretches(w, block):
        write = partial(_statements, block=block, part=part, last=last)
        if apart and last:
            bound = dict.fromkeys(v for k in part for v in results(block[k]))
            before = dict.fromkeys(v for k in part for v in last.free[k] if v not in bound)
            stretch(w, before, [v for v in bound if last.read.get(v, -1) >= part.stop], write)
        else:
            write(w)


def _statements(w: Writer, block: Block, part: range, last: LastReads | None) -> None:
    for k in part:
        s = block[k]
        interrupts.answer()
        w.at(s.loc)
        polls.before(w, s)
        match s:
            case Def():
                define(w, s)
            case For() if s.independent:
                spread(w, s, statements)
            case For():
                if not outlined(w, s, loop):
                    loop(w, s)
            case While():
                while_loop(w, s)
            case If():
                branch(w, s)
        give_up_unread(w, last, k)


def scoped(w: Writer, block: Block, yields: Sequence[Atom]) -> list[Any]:
    """Writes a block; its yields are counted, the references it owns are released at its end."""
    w.memo.append({})
    open_scope(w)
    statements(w, block, yields)
    out = [handed(w, a) for a in yields]
    give_up_scope(w)
    w.memo.pop()
    return out


# ---- joins ----
def pieces(w: Writer, value: Any, type: Any) -> list[tuple[str, str]]:
    """The texts that have a phi in a join of this type, with their LLVM types."""
    match type:
        case Scalar():
            return list(zip(parts_of(type.dtype), texts(value), strict=True))
        case RefTape():
            return [("ptr", value.mi)]
    if value.slots:
        # `refusals.py` has refused it at the user's line
        raise not_emitted("a join of tapes that grow")
    if isinstance(type, Array) and type.layout == "C" and value.layout != "C":
        # its elements would be read at wrong addresses
        raise not_emitted("a strided array where a join takes a contiguous one")
    out = [("ptr", value.data), ("i64", value.off), ("ptr", value.mi)]
    if isinstance(type, Tape):
        out.append(("i64", value.dims[0]))
    elif type.layout != "C":
        out += [("i64", s) for s in value.strides]
    if w.program.guarded:
        out += [("i64", b) for b in value.bounds]
    return out


def notes_of(type: Any, count: int) -> list[str]:
    """The comments of the phis of a join: they mark the one that passes on a counted reference."""
    at = {Scalar: -1, RefTape: 0}.get(type.__class__, 2)
    return [" ; counted" * (k == at) for k in range(count)]


def joined(w: Writer, variables: Sequence[Var], names: Sequence[list[str]]) -> None:
    """Binds variables to the names of their phis; to be called after the last phi."""
    for v, parts in zip(variables, names, strict=True):
        if isinstance(v.type, Scalar):
            w.env[v] = number(parts)
    for v, parts in zip(variables, names, strict=True):
        if isinstance(v.type, RefTape):
            w.env[v] = List(parts[0], v.type.dtype, v.type.ndim)
        elif not isinstance(v.type, Scalar):
            w.env[v] = _reference(w, v, parts)


def _reference(w: Writer, v: Var, parts: list[str]) -> Ref:
    (data, off, mi), rest = parts[:3], parts[3:]
    bounds = ("0", "0")
    if w.program.guarded:
        rest, bounds = rest[:-2], (rest[-2], rest[-1])
    if isinstance(v.type, Tape):
        dims, strides, layout = (rest[0],), w.contiguous(rest, v.type.dtype), "C"
    else:
        dims, layout = w.dims(v.type), "C" if v.type.layout == "C" else "A"
        strides = w.contiguous(dims, v.type.dtype) if layout == "C" else tuple(rest)
    return Ref(data, v.type.dtype, dims, strides, layout, mi, off, bounds=bounds)


def own_counted(w: Writer, variables: Sequence[Var]) -> None:
    """Owns the references that phis have passed on: they are counted."""
    for v in variables:
        if isinstance(v.type, COUNTED) and w.owners is not None:
            keep(w, w.env[v].mi, v)


class Carried:
    """The phis of a loop's head."""

    def __init__(self, w: Writer, params: Sequence[Var], inits: list[Any], before: str):
        self.w, self.params, self.before = w, params, before
        self.starts = [pieces(w, v, p.type) for p, v in zip(params, inits, strict=True)]
        self.names = [[w.new() for _ in start] for start in self.starts]
        self.rows = [[w.hold() for _ in start] for start in self.starts]

    def bind(self) -> None:
        joined(self.w, self.params, self.names)

    def close(self, yields: list[Any], end: str) -> None:
        """Fills in the phis with the yields of each trip."""
        for p, start, names, rows, value in zip(
            self.params, self.starts, self.names, self.rows, yields, strict=True
        ):
            notes = notes_of(p.type, len(names))
            parts = zip(start, names, rows, notes, pieces(self.w, value, p.type), strict=True)
            for (kind, a), name, row, note, (_, b) in parts:
                text = f"  {name} = phi {kind} [ {a}, %{self.before} ], [ {b}, %{end} ]"
                self.w.lines[row] = text + note

    def own(self) -> None:
        """Lets the trip being written own the carried references until it passes them on."""
        open_scope(self.w)
        own_counted(self.w, self.params)


# ---- loops ----
def loop(w: Writer, s: For) -> None:
    index = s.index.type.dtype
    if index != "i64":
        raise not_emitted(f"a loop over {index}")  # not met: trips are counted in i64
    start, stop = w.whole(s.start), w.whole(s.stop)
    inits = [handed(w, a) for a in s.inits]
    if s.reverse:
        start, stop = w.plus(stop, -1), start
    if polls.in_strips(w, s, w.watched):
        strips = Strips(w, s, start, stop, inits)
        _loop(w, s, strips.first, strips.last, strips.inits, look=False)
        strips.close()
    else:
        _loop(w, s, start, stop, inits, look=polls.looks(w, s, w.watched))


def _loop(w: Writer, s: For, start: str, stop: str, inits: list[Any], look: bool) -> None:
    head, body, after = w.labels("head", "body", "after")
    before = w.label
    w.put(f"br label %{head}")
    w.start(head)
    i, row = w.new(), w.hold()
    w.memo.append({})
    carried = Carried(w, s.params, inits, before)
    carried.bind()
    w.env[s.index] = i
    test = w.do(f"icmp {'sge' if s.reverse else 'slt'} i64 {i}, {stop}")
    w.put(f"br i1 {test}, label %{body}, label %{after}")
    w.start(body)
    carried.own()
    if look:
        polls.look(w)
    with polls.within(w, s):
        ends = scoped(w, s.body, s.yields)
    give_up_scope(w)
    step = w.do(f"add nsw i64 {i}, {-1 if s.reverse else 1}")
    w.lines[row] = f"  {i} = phi i64 [ {start}, %{before} ], [ {step}, %{w.label} ]"
    carried.close(ends, w.label)
    w.put(f"br label %{head}{hints.of_loop(s)}")
    leave(w, s, after)


class Strips:
    """A loop around an innermost one: it looks for signals after each strip of trips."""

    def __init__(self, w: Writer, s: For, start: str, stop: str, inits: list[Any]):
        self.w, self.s, self.stop = w, s, stop
        self.start, self.before = start, w.label
        (self.head,) = w.labels("strip")
        w.put(f"br label %{self.head}")
        w.start(self.head)
        self.first, self.row = w.new(), w.hold()
        self.carried = Carried(w, s.params, inits, self.before)
        self.inits = [number(parts) for parts in self.carried.names]
        # a reverse loop includes its last trip
        far = w.do(f"add nsw i64 {self.first}, {-polls.strip(s) if s.reverse else polls.strip(s)}")
        self.last = w.most(far, stop) if s.reverse else w.least(far, stop)

    def close(self) -> None:
        w, reverse = self.w, self.s.reverse
        more, over = w.labels("more", "over")
        again = w.do(f"icmp {'sgt' if reverse else 'slt'} i64 {self.last}, {self.stop}")
        w.put(f"br i1 {again}, label %{more}, label %{over}")
        w.start(more)
        polls.look(w)
        following = w.do(f"add nsw i64 {self.last}, -1") if reverse else self.last
        incoming = f"[ {self.start}, %{self.before} ], [ {following}, %{w.label} ]"
        w.lines[self.row] = f"  {self.first} = phi i64 {incoming}"
        self.carried.close([w.env[p] for p in self.s.params], w.label)
        w.put(f"br label %{self.head}")
        w.start(over)


def while_loop(w: Writer, s: While) -> None:
    inits = [handed(w, a) for a in s.inits]
    limits = exit_tests.hidden_limits(w, s)
    head, leaving, body, after = w.labels("head", "leave", "body", "after")
    before = w.label
    w.put(f"br label %{head}")
    w.start(head)
    w.memo.append({})
    carried = Carried(w, s.params, inits, before)
    carried.bind()
    carried.own()
    open_scope(w)  # of results of the test: the body may read them
    with exit_tests.bound(w, limits):
        statements(w, s.test, _everything(s))
    w.put(f"br i1 {w.value(s.cond)}, label %{body}, label %{leaving}")
    w.start(leaving)
    leave_scopes(w)
    w.put(f"br label %{after}")
    w.start(body)
    if polls.looks(w, s, w.watched):
        polls.look(w)
    with polls.within(w, s):
        ends = scoped(w, s.body, s.yields)
    give_up_scope(w)
    give_up_scope(w)
    carried.close(ends, w.label)
    w.put(f"br label %{head}")
    leave(w, s, after)


def _everything(s: While) -> Sequence[Atom]:
    """All results of the test: the body may read them."""
    return [d.var for d in s.test if isinstance(d, Def) and d.var is not None] + [
        r for d in s.test if not isinstance(d, Def) for r in d.results
    ]


def leave(w: Writer, s: For | While, after: str) -> None:
    """Continues after a loop: values computed in its head dominate that point too."""
    w.start(after)
    head = w.memo.pop()
    w.memo[-1].update(head)
    for p, r in zip(s.params, s.results, strict=True):
        w.env[r] = w.env[p]
    own_counted(w, s.results)


def branch(w: Writer, s: If) -> None:
    then, other, after = w.labels("then", "else", "after")
    w.put(f"br i1 {w.value(s.cond)}, label %{then}, label %{other}")
    sides, done, most = [], w.done, 0
    for label, block, yields in (
        (then, s.then, s.then_yields),
        (other, s.orelse, s.else_yields),
    ):
        w.start(label)
        w.done = done
        values = scoped(w, block, yields)
        most = max(most, w.done)
        found = [pieces(w, v, r.type) for v, r in zip(values, s.results, strict=True)]
        sides.append((found, w.label))
        w.put(f"br label %{after}")
    w.done = most
    w.start(after)
    (left, from_left), (right, from_right) = sides
    names = [
        [
            w.do(f"phi {kind} [ {x}, %{from_left} ], [ {y}, %{from_right} ]{note}")
            for (kind, x), (_, y), note in zip(a, b, notes_of(r.type, len(a)), strict=True)
        ]
        for r, a, b in zip(s.results, left, right, strict=True)
    ]
    joined(w, s.results, names)
    own_counted(w, s.results)
