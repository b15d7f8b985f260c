"""Ownership of references: the owner of each, and the point where it is released.

A block owns what is made in it and releases it after the last statement that reads its alias
class; what a loop or a branch hands on is counted once more, and owned by the block that gets it.
Views own nothing, but for those that outlive what they were taken of. Where a function fails, what
lies in the slots of `%owned` is released.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from srcgrad.backends.cpu.emit.failures import OUTSIDE
from srcgrad.backends.cpu.emit.owners import DONE, EXIT, Owned, Owners, Placed, Scope
from srcgrad.backends.cpu.emit.values import List, Ref
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Block
from srcgrad.ir.types import Atom, Var, is_reference
from srcgrad.ir.walk import results


def finish(w: Writer) -> None:
    """Return from here, where nothing is owned."""
    w.put("store i32 0, ptr %code, align 8")
    w.put(f"br label %{DONE}")


def write_exits(w: Writer) -> None:
    """The block where all failures go on, that where the function returns, and what both read."""
    assert w.owners is not None
    w.start(EXIT)
    w.put("; all")
    _down_all(w, "owned", w.owners.slots)
    w.put(f"br label %{DONE}")
    w.start(DONE)
    _return(w)
    w.entry[:0] = _memory(w.owners)


def _memory(owners: Owners) -> Iterator[str]:
    """The memory of a function, which its stretches share: small buffers, slots, variables."""
    if owners.frame.size:
        yield f"  %frame = alloca [{owners.frame.size} x i8], align 64"
    for name, n in (("owned", owners.slots), ("carved", owners.carved)):
        if n:
            yield f"  %{name} = alloca [{n} x ptr], align 8"
            none = f"@llvm.memset.p0.i64(ptr align 8 %{name}, i8 0, i64 {8 * n}, i1 false)"
            yield f"  call void {none}"
        for k in range(n):
            yield f"  %{name[0]}{k} = getelementptr inbounds ptr, ptr %{name}, i64 {k}"
    for k, kind in enumerate(owners.variables):
        yield f"  %k{k} = alloca {kind}, align 8"
        yield f"  store {kind} zeroinitializer, ptr %k{k}, align 8"


def write_ways_out(w: Writer) -> None:
    """The blocks where a stretch fails, and where it returns: its caller owns what it owns."""
    w.start(EXIT)
    w.put("; all")
    w.put(f"br label %{DONE}")
    w.start(DONE)
    w.put(f"ret i32 {w.do('load i32, ptr %code, align 8')}")


def _down_all(w: Writer, slots: str, n: int) -> None:
    if n:
        w.put(f"call void @down_all(ptr %{slots}, i64 {n})")


def _return(w: Writer) -> None:
    """Returns after releasing the carved buffers that did not fit in the workspace."""
    assert w.owners is not None
    code = w.do("load i32, ptr %code, align 8")
    if w.program.guarded and w.owners.frame.size:
        w.entry.append("  %broken = alloca i1, align 1")
        w.entry.append("  store i1 false, ptr %broken, align 1")
        code = w.choose(w.do("load i1, ptr %broken, align 1"), str(OUTSIDE), code, "i32")
    for slot in w.owners.canaries:
        over = w.do(f"call i1 @overrun(ptr {w.do(f'load ptr, ptr {slot}, align 8')})")
        code = w.choose(over, str(OUTSIDE), code, "i32")
    _down_all(w, "carved", w.owners.carved)
    w.put(f"ret i32 {code}")


# ---- owning ----
def own(w: Writer, mi: str, var: Var) -> None:
    """The innermost scope owns a reference that was made, or counted, for it."""
    w.put(f"; +{mi}")
    keep(w, mi, var)


def keep(w: Writer, mi: str, var: Var) -> None:
    """The innermost scope owns a reference that is counted: it lies in a slot from here on."""
    assert w.owners is not None
    slot = w.owners.slot()
    w.put(f"store ptr {mi}, ptr {slot}, align 8 ; {slot} = {mi}")
    w.owners.own(Owned(mi, var, slot))


def own_in(w: Writer, slot: str, mi: str, var: Var) -> None:
    """The innermost scope owns what was made in a slot."""
    assert w.owners is not None
    w.put(f"; +{mi}")
    w.put(f"; {slot} = {mi}")
    w.owners.own(Owned(mi, var, slot))


def let_go(w: Writer, each: Owned) -> None:
    """Leave a slot whose reference another one takes."""
    w.put(f"store ptr null, ptr {each.slot}, align 8 ; {each.slot} = null")


def release(w: Writer, each: Owned | Placed) -> None:
    if isinstance(each, Placed):
        _overwrite(w, each)
        return
    w.put(f"; -{each.name}")
    moves = each.name == each.slot
    mi = w.do(f"load ptr, ptr {each.slot}, align 8") if moves else each.name
    w.put(f"call void @down(ptr {mi})")
    let_go(w, each)


def _overwrite(w: Writer, each: Placed) -> None:
    """Guarded: overwrite a place that another buffer may have from here on."""
    if w.program.guarded:
        data = w.do(f"getelementptr inbounds i8, ptr %frame, i64 {each.place.start}")
        end = w.do(f"getelementptr i8, ptr {data}, i64 {each.size}")
        over = w.do(f"call i1 @overrun(ptr {end})")
        extent = f"ptr {data}, i8 -1, i64 {each.place.size}, i1 false"
        w.put(f"call void @llvm.memset.p0.i64({extent})")
        before = w.do("load i1, ptr %broken, align 1")
        w.put(f"store i1 {w.do(f'or i1 {before}, {over}')}, ptr %broken, align 1")


def count_up(w: Writer, mi: str) -> None:
    """Counts a reference for its new owner."""
    if mi != "null":
        w.put(f"call void @up(ptr {mi})")


def handed(w: Writer, a: Atom) -> Any:
    """A value that a block yields: a reference is counted once more."""
    value = w.value(a)
    if isinstance(value, Ref):
        value = w.ref(a)
    if isinstance(value, Ref | List) and value.mi != "null":
        count_up(w, value.mi)
        w.put(f"; +{value.mi}")
    return value


# ---- scopes ----
def open_scope(w: Writer) -> None:
    if w.owners is not None:
        w.owners.scopes.append(Scope())


def give_up_scope(w: Writer) -> None:
    """Gives up the references of the innermost scope, and leaves it."""
    if w.owners is not None:
        for each in w.owners.scopes.pop():
            release(w, each)
            w.owners.vacate(each)


def leave_scopes(w: Writer) -> None:
    """Give up what the innermost scope owns on a path that leaves it, and hands on the next one's.

    The other path goes on with both.
    """
    if w.owners is not None:
        *_, carried, inner = w.owners.scopes
        for each in inner:
            if isinstance(each, Owned):
                release(w, each)
        for each in carried:
            if isinstance(each, Owned):
                let_go(w, each)


def give_up_unread(w: Writer, last: LastReads | None, at: int) -> None:
    """Give up what the innermost scope owns and no statement after this one reads."""
    if w.owners is None or last is None:
        return
    scope = w.owners.scopes[-1]
    for of in (*last.read_at[at], *scope.added()):
        if last.of.get(of, at) <= at:
            for each in scope.take(of):
                release(w, each)
                w.owners.vacate(each)


class LastReads:
    """The last statement of a block that reads a variable, and that of an alias class.

    A class is identified by its representative.
    """

    def __init__(self, w: Writer, block: Block, kept: Sequence[Atom]):
        classes = w.program.classes
        self.of: dict[Var, int] = {}
        self.read: dict[Var, int] = {}
        self.free: list[list[Var]] = []  # the variables that each statement reads
        self.read_at: list[list[Var]] = []
        for k, s in enumerate(block):
            self.free.append(list(w.program.free.of[s]))
            self.read.update(dict.fromkeys(self.free[-1], k))
            read = (*self.free[-1], *results(s))
            self.read_at.append([classes.of(v) for v in read if is_reference(v.type)])
            self.of.update(dict.fromkeys(self.read_at[-1], k))
        variables = [a for a in kept if isinstance(a, Var)]
        self.read.update(dict.fromkeys(variables, len(block)))
        self.of.update({classes.of(a): len(block) for a in variables if is_reference(a.type)})
