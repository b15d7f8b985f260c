"""Allocation of buffers, tapes and lists; loads and stores of numbers.

A buffer is in the frame of its function, or comes from `@carve` (the workspace) or `@fresh`
(Numba's runtime), which are `noalias` and `noinline`: so LLVM knows that no two buffers overlap.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.backends.cpu.emit import halves
from srcgrad.backends.cpu.emit.failures import (
    NO_MEMORY,
    OUTSIDE,
    RARELY,
    check,
    fail_words,
    guard,
    guard_settled,
    leave,
    leave_again,
)
from srcgrad.backends.cpu.emit.frame import Place
from srcgrad.backends.cpu.emit.owners import Placed
from srcgrad.backends.cpu.emit.references import own, own_in
from srcgrad.backends.cpu.emit.support import CANARY, CANARY_BYTE
from srcgrad.backends.cpu.emit.values import (
    List,
    Number,
    Ref,
    is_constant,
    literal,
    parts_of,
    size_of,
    texts,
)
from srcgrad.backends.cpu.emit.views import words
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import Atom, Scalar, Var, is_float, np_dtype
from srcgrad.passes.hoist_allocations import fits_stack
from srcgrad.primitives import memory, tapes

ALLOCATIONS = (memory.zeros, memory.empty, tapes.tape, tapes.tape_like, tapes.reserve)


# ---- elements ----
def place(w: Writer, x: Atom, idx: Sequence[Atom]) -> tuple[str, str]:
    """The address of an element, and its dtype."""
    r = w.memory(x)
    offset = "0"
    for i, stride in zip(idx, r.strides, strict=False):
        offset = w.plus(offset, w.times(w.whole(i), stride))
    if w.program.guarded:
        _inside(w, r, w.plus(r.off, offset))
    first = w.pointer(r)
    if offset == "0":
        return first, r.dtype
    text = f"getelementptr inbounds i8, ptr {first}, i64 {offset}"
    return w.once(("@", first, offset), lambda: w.do(text)), r.dtype


def _inside(w: Writer, r: Ref, offset: str) -> None:
    """Guarded: checks that an access is inside its buffer, which is not released."""
    low, high = r.bounds
    under = w.do(f"icmp slt i64 {offset}, {low}")
    over = w.do(f"icmp sgt i64 {w.plus(offset, size_of(r.dtype))}, {high}")
    guard(w, w.do(f"or i1 {under}, {over}"), lambda: leave(w, OUTSIDE))
    if r.mi != "null":
        guard(w, w.do(f"call i1 @given_up(ptr {r.mi})"), lambda: leave(w, OUTSIDE))


def load(w: Writer, s: Def) -> Number:
    return w.read(*place(w, s.args[0], s.args[1:]))


def store(w: Writer, s: Def) -> None:
    p, dtype = place(w, s.args[0], s.args[1:-1])
    w.write(p, dtype, w.value(s.args[-1]))


def add_at(w: Writer, s: Def) -> None:
    p, dtype = place(w, s.args[0], s.args[1:-1])
    kind, old, more = parts_of(dtype)[0], w.read(p, dtype), w.value(s.args[-1])
    if dtype == "f16":
        a, b = (halves.widened(w, str(v)) for v in (old, more))
        w.write(p, dtype, halves.narrowed(w, w.do(f"fadd float {a}, {b}")))
        return
    how = (
        "or" if dtype == "bool" else f"fadd {w.program.flags_of_sums}" if is_float(dtype) else "add"
    )
    new = [w.do(f"{how} {kind} {a}, {b}") for a, b in zip(texts(old), texts(more), strict=True)]
    w.write(p, dtype, new[0] if len(new) == 1 else (new[0], new[1]))


def dim(w: Writer, s: Def) -> str:
    return w.ref(s.args[0]).dims[s.params["axis"]]


def slots(w: Writer, s: Def) -> str:
    return w.ref(s.args[0]).dims[0]


# ---- allocation ----
def array(w: Writer, s: Def) -> Ref | Number:
    dtype = s.params["dtype"]
    if s.var is None or isinstance(s.var.type, Scalar):
        return literal(np_dtype(dtype).type(0), dtype)
    return _buffer(w, s, tuple(map(w.whole, s.args)), dtype, s.op is memory.zeros)


def _buffer(
    w: Writer, s: Def, dims: tuple[str, ...], dtype: str, zeros: bool, owned: bool = True
) -> Ref:
    assert s.var is not None
    for n in dims:  # a length is checked once
        if not is_constant(n) and not any(("length", n) in known for known in w.memo):
            w.memo[-1]["length", n] = n
            check(w, f"icmp slt i64 {n}, 0", s, dims)
        elif is_constant(n) and int(n) < 0:
            check(w, "icmp eq i64 0, 0", s, dims)
    return made(w, s, dims, dtype, zeros, owned)


def made(
    w: Writer, s: Def, dims: tuple[str, ...], dtype: str, zeros: bool = False, owned: bool = True
) -> Ref:
    """A buffer for the result of `s`, with lengths that are known not to be negative."""
    var = s.var
    assert w.owners is not None and var is not None
    strides = w.contiguous(dims, dtype)
    size = _bytes(w, dims, dtype)
    place = _place_in_frame(w, var, size)
    if place is not None:
        data, mi = w.do(f"getelementptr inbounds i8, ptr %frame, i64 {place.start}"), "null"
        if w.program.guarded:
            _watched(w, data, size)
        w.owners.own(Placed(var, place, int(size)))
    elif var in w.program.in_workspace:
        slot = w.owners.fallback()
        room = w.plus(size, CANARY) if w.program.guarded else size
        extent = f"ptr %work, i64 %nwork, i64 {room}, ptr {slot}"
        data, mi = w.do(f"call noalias ptr @carve({extent})"), "null"
        _there(w, data, s, dims)
        if w.program.guarded:
            kept = w.owners.variable("ptr")
            w.put(f"store ptr {_watched(w, data, size)}, ptr {kept}, align 8")
            w.owners.canaries.append(kept)
    else:
        slot = w.owners.slot() if owned else w.alloca("ptr", "ptr null")
        data = w.do(f"call noalias ptr @fresh(i64 {size}, ptr {slot})")
        _there(w, data, s, dims)
        mi = w.do(f"load ptr, ptr {slot}, align 8")
        if owned:
            own_in(w, slot, mi, var)
    if zeros:
        w.put(f"call void @llvm.memset.p0.i64(ptr align 8 {data}, i8 0, i64 {size}, i1 false)")
    return Ref(data, dtype, dims, strides, "C", mi, bounds=("0", size))


def _place_in_frame(w: Writer, var: Var, size: str) -> Place | None:
    """A place in the frame for a small buffer that does not escape its trip."""
    assert w.owners is not None
    if not fits_stack(var.type) or w.program.classes.of(var) in w.program.escaping:
        return None
    return w.owners.frame.take(int(size) + CANARY * w.program.guarded)


def _watched(w: Writer, data: str, size: str) -> str:
    """Guarded: the start of the bytes after a buffer, which must not change."""
    end = w.do(f"getelementptr i8, ptr {data}, i64 {size}")
    w.put(f"call void @llvm.memset.p0.i64(ptr {end}, i8 {CANARY_BYTE}, i64 {CANARY}, i1 false)")
    return end


def _bytes(w: Writer, dims: tuple[str, ...], dtype: str) -> str:
    """The size of a buffer: more than any memory if the product does not fit a word."""
    size = str(size_of(dtype))
    for n in dims:
        if is_constant(n) and is_constant(size):
            size = str(int(n) * int(size))
        elif n != "1":
            size = w.do(f"call i64 @product(i64 {size}, i64 {n})")
    return size


def _there(w: Writer, data: str, s: Def, dims: Sequence[str]) -> None:
    """Leaves the function if no memory was found; the failure has the requested lengths."""
    if s.op not in ALLOCATIONS:
        s = Def(s.var, memory.empty, (), {}, s.loc)
    guard(
        w, w.do(f"icmp eq ptr {data}, null"),
        lambda: fail_words(w, s, dims, ["i64"] * len(dims)),
    )  # fmt: skip


# ---- tapes ----
def tape(w: Writer, s: Def) -> Ref:
    """A tape; one that grows begins with the size that it reached in an earlier call."""
    assert s.var is not None and w.owners is not None
    grows = s.var in w.program.growing
    if s.op is tapes.tape_like:
        size = w.ref(s.args[0]).dims[0]
    else:
        size = w.most(w.whole(s.args[0]), "1")
    slot = w.program.in_workspace.get(s.var)
    if grows and slot and not w.program.guarded:
        return _begun(w, s, s.var, size, slot)
    if slot:
        before = w.do(f"load i64, ptr {w.do(f'getelementptr i64, ptr %work, i64 {slot}')}, align 8")
        size = w.most(size, before)
    if s.var.name.endswith(tapes.SAVED):
        _check_room(w, s, s.var, size)
    zeros = slot is None or s.op is tapes.tape_like
    r = _buffer(w, s, (size,), s.var.type.dtype, zeros, owned=not grows)
    return growing(w, s.var, r) if grows else r


def _begun(w: Writer, s: Def, var: Var, size: str, slot: int) -> Ref:
    """A tape that grows, of at least this size, whose memory a call takes from the workspace."""
    assert w.owners is not None
    item = size_of(var.type.dtype)
    workspace = f"ptr %work, i64 %nwork, i64 {slot}, ptr {w.owners.fallback()}"
    kept = _places(w)
    _fill(w, s, var, kept, "begin", f"{workspace}, i64 {size}, i64 {item}")
    own_in(w, kept[1], kept[1], var)
    return Ref("null", var.type.dtype, (size,), (str(item),), slots=kept)


def _check_room(w: Writer, s: Def, tape: Var, size: str) -> None:
    """Leaves the function if tapes would take more than they may; those of a workspace together."""
    total = _bytes(w, (size,), tape.type.dtype)
    if s.op is tapes.tape and tape in w.program.in_workspace:
        before = w.do(f"shl i64 {w.do('load i64, ptr %work, align 8')}, 3")
        total = w.do(f"add i64 {total}, {before}")
    w.program.limited = True
    check(w, f"call i1 @crowded(i64 {total})", s, (size, total))


def growing(w: Writer, var: Var, r: Ref) -> Ref:
    """A tape whose memory may be replaced; the reference to it, which is counted, is owned."""
    assert w.owners is not None
    kept = _places(w)
    _keep(w, kept, (r.data, r.dims[0], r.mi))
    own_in(w, kept[1], kept[1], var)
    return Ref(r.data, r.dtype, r.dims, r.strides, "C", r.mi, slots=kept)


def _places(w: Writer) -> tuple[str, str]:
    """Where the data with the length, and the MemInfo, of a tape that grows lie."""
    assert w.owners is not None
    return w.owners.variable("{ ptr, i64 }"), w.owners.slot()


def _keep(w: Writer, kept: Sequence[str], values: Sequence[str]) -> None:
    places = (kept[0], w.length_at(kept[0]), kept[1])
    for kind, value, place in zip(("ptr", "i64", "ptr"), values, places, strict=True):
        w.put(f"store {kind} {value}, ptr {place}, align 8")


def reserve(w: Writer, s: Def) -> None:
    """Makes room for a number of items; the old memory is released."""
    holder = s.args[0]
    assert isinstance(holder, Var)
    kept = w.value(holder).slots
    old, wanted = w.do(f"load i64, ptr {w.length_at(kept[0])}, align 8"), w.whole(s.args[1])
    more, after = w.labels("grow", "grown")
    w.put(f"br i1 {w.do(f'icmp sgt i64 {wanted}, {old}')}, label %{more}, label %{after}{RARELY}")
    w.start(more)
    given = f"i64 {wanted}, i64 {size_of(holder.type.dtype)}"
    if not w.program.cuts:
        data, mi = (w.do(f"load ptr, ptr {place}, align 8") for place in kept)
        given = f"ptr {data}, ptr {mi}, i64 {old}, {given}"
    _fill(w, s, holder, kept, "enlarge", given)
    w.put(f"br label %{after}")
    w.start(after)


def _fill(w: Writer, s: Def, tape: Var, kept: Sequence[str], name: str, given: str) -> None:
    """Calls for memory and makes it that of a tape; a failure has its site and sizes as words.

    Tapes of a reverse sweep may take only so much. Places that stretches share are in memory;
    those of one function may be in registers, which a call that stores would prevent.
    """
    assert not w.program.is_routine  # it has no tape: `%out` is none of a program's
    limited = tape.name.endswith(tapes.SAVED)
    w.program.limited = w.program.limited or limited
    sites = [w.program.site(s, ("i64",) * words, words) for words in (1, 2)[: 1 + limited]]
    name += "_limited" * limited
    if w.program.cuts:
        places = f"ptr {kept[0]}, ptr {kept[1]}, ptr %out, i64 {w.site_of(sites[0])}, ptr %code"
        guard_settled(w, w.do(f"call i1 @{name}_settled({given}, {places})"))
        return
    last = "".join(f", i64 {w.site_of(site)}" for site in sites)
    made = w.do(f"call %memory @{name}({given}, ptr %out{last})")
    code = w.do(f"extractvalue %memory {made}, 0")
    guard(w, w.do(f"icmp ne i32 {code}, 0"), lambda: leave_again(w, code))
    _keep(w, kept, [w.do(f"extractvalue %memory {made}, 1, {k}") for k in range(3)])


def keep_size(w: Writer, r: Ref, slot: int) -> None:
    """Records the size, with which the tape begins the next time if the workspace has room."""
    size = w.do(f"load i64, ptr {w.length_at(r.slots[0])}, align 8")
    w.put(f"call void @keep(ptr %work, i64 {slot}, i64 {size}, i64 {size_of(r.dtype)})")


def reftape(w: Writer, s: Def) -> List:
    assert s.var is not None and w.owners is not None
    mi = w.do("call ptr @list()")
    guard(w, w.do(f"icmp eq ptr {mi}, null"), lambda: leave(w, NO_MEMORY))
    own(w, mi, s.var)
    w.program.lists.add(words(s.params["ndim"]))
    return List(mi, s.params["dtype"], s.params["ndim"])
