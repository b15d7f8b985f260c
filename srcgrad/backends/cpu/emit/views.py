"""Views: another offset, other lengths and steps over the same memory."""

from __future__ import annotations

from dataclasses import replace

from srcgrad.backends.cpu.emit.references import count_up, own
from srcgrad.backends.cpu.emit.values import List, Ref, size_of
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def


def view(w: Writer, s: Def) -> Ref:
    r, atoms = w.ref(s.args[0]), list(s.args[1:])
    off, strides, axis = r.off, [], 0
    for code in s.params["spec"]:
        if code == "n":
            strides.append(str(size_of(r.dtype)))
            continue
        step = r.strides[axis]
        if code == "i":
            off = w.plus(off, w.times(w.whole(atoms.pop(0)), step))
        elif code == "s":
            first, _, by = map(w.whole, atoms[:3])
            atoms = atoms[3:]
            off = w.plus(off, w.times(first, step))
            strides.append(w.times(by, step))
        else:
            strides.append(step)
        axis += 1
    return _seen(w, s, replace(r, off=off), (*strides, *r.strides[axis:]))


def _seen(w: Writer, s: Def, r: Ref, strides: tuple[str, ...], layout: str = "A") -> Ref:
    """A view of its type, which may state that its items are contiguous."""
    assert s.var is not None
    dims = w.dims(s.var.type)
    if s.var.type.layout == "C":
        strides, layout = w.contiguous(dims, r.dtype), "C"
    return replace(r, dims=dims, strides=strides, layout=layout)


def transpose(w: Writer, s: Def) -> Ref:
    r, perm = w.ref(s.args[0]), s.params["perm"]
    turned = perm == tuple(reversed(range(len(perm))))
    layout = {"C": "F", "F": "C"}.get(r.layout, "A") if turned else "A"
    return _seen(w, s, r, tuple(r.strides[p] for p in perm), layout)


def reshape(w: Writer, s: Def) -> Ref:
    return _seen(w, s, w.ref(s.args[0]), ())


def tape_view(w: Writer, s: Def) -> Ref:
    """A part of a tape; it owns the memory that it views if the tape may grow meanwhile."""
    r = w.ref(s.args[0])
    off = w.plus(r.off, w.times(w.whole(s.args[1]), size_of(r.dtype)))
    assert s.var is not None
    if s.var in w.program.outlived and w.owners is not None:
        count_up(w, r.mi)
        own(w, r.mi, s.var)
    return _seen(w, s, replace(r, off=off), ())


def ref_get(w: Writer, s: Def) -> Ref:
    """A reference of a list, counted: the list may replace it."""
    held = w.value(s.args[0])
    assert isinstance(held, List) and s.var is not None and w.owners is not None
    item = w.do(f"call ptr @item(ptr {held.mi}, i64 {w.whole(s.args[1])}, i64 {words(held.ndim)})")
    mi, data, off = (w.do(f"load {k}, ptr {at(w, item, n)}, align 8")
                     for n, k in enumerate(("ptr", "ptr", "i64")))  # fmt: skip
    strides = tuple(w.do(f"load i64, ptr {at(w, item, 3 + k)}, align 8") for k in range(held.ndim))
    bounds = tuple(
        w.do(f"load i64, ptr {at(w, item, 3 + held.ndim + k)}, align 8") for k in range(2)
    )
    count_up(w, mi)
    own(w, mi, s.var)
    dims = w.dims(s.var.type)
    return Ref(data, held.dtype, dims, strides, "A", mi, off, bounds=(bounds[0], bounds[1]))


def ref_put(w: Writer, s: Def) -> None:
    """Puts a reference into a list; slots before it that no path fills hold it too."""
    held, r = w.value(s.args[0]), w.ref(s.args[2])
    n = words(held.ndim)
    item = w.alloca(f"[{n} x i64]")
    kinds = ["ptr", "ptr", "i64", *["i64"] * (held.ndim + 2)]
    values = [r.mi, r.data, r.off, *r.strides, *r.bounds]
    for k, (kind, v) in enumerate(zip(kinds, values, strict=True)):
        w.put(f"store {kind} {v}, ptr {at(w, item, k)}, align 8")
    place = w.whole(s.args[1])
    w.put(f"call void @put(ptr {held.mi}, i64 {place}, ptr {item}, i64 {n})")


def words(ndim: int) -> int:
    """The words of an item: MemInfo, data, offset, strides, bounds."""
    return 5 + ndim


def at(w: Writer, item: str, k: int) -> str:
    return w.do(f"getelementptr inbounds i64, ptr {item}, i64 {k}") if k else item
