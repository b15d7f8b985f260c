"""Who owns a reference, and when it is given up.

A block owns what is made in it and gives it up behind the last statement that reads its alias
class; what a loop or a branch hands on is counted once more, and owned by the block that gets it.
Views own nothing, but for those that outlive what they were taken of. Where a function fails, what
is owned there is given up by a chain of blocks that all failures share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.backends.cpu.emit.failures import OUTSIDE
from srcgrad.backends.cpu.emit.owners import Owned, Placed
from srcgrad.backends.cpu.emit.values import List, Ref
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Block
from srcgrad.ir.types import Atom, Var, is_reference
from srcgrad.ir.walk import free_variables, results


def finish(w: Writer) -> None:
    """Return from here, where nothing is owned, by the block behind all failures."""
    assert w.owners is not None
    w.put("store i32 0, ptr %code, align 8")
    w.put(f"br label %{w.owners.exit_of(())}")


def write_exits(w: Writer) -> None:
    """The chain: each block gives up one reference and goes on to the block with one less."""
    assert w.owners is not None
    written: set[tuple[Owned, ...]] = set()
    while left := [owned for owned in w.owners.exits if owned not in written]:
        for owned in left:
            written.add(owned)
            w.start(w.owners.exit_of(owned))
            if owned:
                release(w, owned[-1])
                w.put(f"br label %{w.owners.exit_of(owned[:-1])}")
            else:
                _return(w)
    if w.owners.frame.size:
        w.entry.insert(0, f"  %frame = alloca [{w.owners.frame.size} x i8], align 64")
    n = w.owners.carved
    if n:
        none = f"call void @llvm.memset.p0.i64(ptr align 8 %carved, i8 0, i64 {8 * n}, i1 false)"
        w.entry[:0] = [f"  %carved = alloca [{n} x ptr], align 8", f"  {none}"]


def _return(w: Writer) -> None:
    """Return, when what was carved and did not fit in the workspace is given up."""
    assert w.owners is not None
    code = w.do("load i32, ptr %code, align 8")
    if w.program.guarded and w.owners.frame.size:
        w.entry.append("  %broken = alloca i1, align 1")
        w.entry.append("  store i1 false, ptr %broken, align 1")
        code = w.choose(w.do("load i1, ptr %broken, align 1"), str(OUTSIDE), code, "i32")
    for slot in w.owners.canaries:
        over = w.do(f"call i1 @overrun(ptr {w.do(f'load ptr, ptr {slot}, align 8')})")
        code = w.choose(over, str(OUTSIDE), code, "i32")
    if w.owners.carved:
        w.put(f"call void @down_all(ptr %carved, i64 {w.owners.carved})")
    w.put(f"ret i32 {code}")


def own(w: Writer, name: str, var: Var, kept: bool = False) -> None:
    """The innermost scope owns a reference that was made, or counted, for it."""
    assert w.owners is not None
    w.put(f"; +{name}")
    w.owners.own(Owned(name, var, kept))


def release(w: Writer, each: Owned | Placed) -> None:
    if isinstance(each, Placed):
        _vacate(w, each)
        return
    w.put(f"; -{each.name}")
    mi = w.do(f"load ptr, ptr {each.name}, align 8") if each.kept else each.name
    w.put(f"call void @down(ptr {mi})")


def _vacate(w: Writer, each: Placed) -> None:
    """Let another buffer have a place; guarded, its bytes are overwritten."""
    assert w.owners is not None
    w.owners.frame.give(each.place)
    if each.end:
        over = w.do(f"call i1 @overrun(ptr {each.end})")
        extent = f"ptr {each.data}, i8 -1, i64 {each.place.size}, i1 false"
        w.put(f"call void @llvm.memset.p0.i64({extent})")
        before = w.do("load i1, ptr %broken, align 1")
        w.put(f"store i1 {w.do(f'or i1 {before}, {over}')}, ptr %broken, align 1")


def count_up(w: Writer, mi: str) -> None:
    """Count a reference for who gets it."""
    if mi != "null":
        w.put(f"call void @up(ptr {mi})")


def handed(w: Writer, a: Atom) -> Any:
    """A value that a block hands on: a reference is counted once more."""
    value = w.value(a)
    if isinstance(value, Ref):
        value = w.ref(a)
    if isinstance(value, Ref | List) and value.mi != "null":
        count_up(w, value.mi)
        w.put(f"; +{value.mi}")
    return value


def give_up_scope(w: Writer) -> None:
    """Give up what the innermost scope owns, and leave it."""
    if w.owners is not None:
        for each in w.owners.scopes.pop():
            release(w, each)


def give_up_counted(w: Writer) -> None:
    """Give up what the innermost scope owns on a path that leaves it; the other goes on with it."""
    if w.owners is not None:
        for each in w.owners.scopes[-1]:
            if isinstance(each, Owned):
                release(w, each)


def open_scope(w: Writer) -> None:
    if w.owners is not None:
        w.owners.scopes.append([])


def give_up_unread(w: Writer, last: dict[Var, int], at: int) -> None:
    """Give up what the innermost scope owns and no later statement reads."""
    if w.owners is None:
        return
    still = []
    for each in w.owners.scopes[-1]:
        if last.get(w.program.classes.of(each.var), at) > at:
            still.append(each)
        else:
            release(w, each)
    w.owners.scopes[-1][:] = still


def last_reads(w: Writer, block: Block, kept: Sequence[Atom]) -> dict[Var, int]:
    """The last statement of a block that reads an alias class, by its representative."""
    classes, last = w.program.classes, {}
    for k, s in enumerate(block):
        for v in (*free_variables((s,)), *results(s)):
            if is_reference(v.type):
                last[classes.of(v)] = k
    for a in kept:
        if isinstance(a, Var) and is_reference(a.type):
            last[classes.of(a)] = len(block)
    return last
