"""Tapes and arrays that the forward sweep makes and the reverse sweep reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from srcgrad.errors import Location
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Def, Function, Stmt, Var
from srcgrad.ir.types import Array, np_dtype
from srcgrad.ir.walk import walk
from srcgrad.passes.effects import is_write, makes_buffer, reads
from srcgrad.printing.fold import GENERATED
from srcgrad.records import record
from srcgrad.transforms.saved_tapes import Saved, Sizes, read_by


@record(frozen=True)
class Kept:
    """A tape or an array, and the user's lines that write and read it."""

    kind: str  # "tape" or "array"
    what: str  # the user's variable
    dtype: str
    size: str  # as an expression, where it is one
    bytes: int | None  # at these arguments; None where only a run tells
    written: tuple[Location, ...]
    read: tuple[Location, ...]
    reader: str = ""  # where no line of the reverse sweep does


def kept(
    saved: Iterable[Saved], lowered: Function, sizes: Sizes, measured: Mapping[Var, int]
) -> list[Kept]:
    """The tapes of a function, and the arrays that its lowered form keeps; the largest first.

    `sizes`: of the lowered form; `measured`: the bytes of tapes in a run.
    """
    found = [_tape(s, measured.get(s.tape)) for s in saved]
    found += _arrays(lowered, sizes)
    return sorted(found, key=lambda k: -(k.bytes or 0))


def _tape(s: Saved, measured: int | None) -> Kept:
    slots = s.slots or s.count
    size = "grows" if s.grows or slots is None else f"{slots} slots"
    places = () if s.location is None else (s.location,)
    count = s.bytes if s.bytes is not None else measured
    reader = "" if s.readers else read_by(s)
    return Kept("tape", s.what, s.dtype, size, count, places, s.readers, reader)


def _arrays(function: Function, sizes: Sizes) -> list[Kept]:
    """The arrays that statements of the forward sweep make and others of the reverse sweep read."""
    statements = walk(function.body)
    classes = alias_classes(function)
    made = [s for s in statements if isinstance(s, Def) and makes_buffer(s) and _is_array(s)]
    own = {classes.of(s.var) for s in made if s.var is not None}
    given = {classes.of(p) for p in function.params if isinstance(p.type, Array)}
    written: dict[Var, dict[Location, None]] = {}
    read: dict[Var, dict[Location, None]] = {}
    for s in statements:
        if not isinstance(s, Def) or s.loc is None:
            continue
        if s in made or (is_write(s) and isinstance(s.array.type, Array)):
            target = s.var if s in made else s.array
            written.setdefault(classes.of(target), {})[s.loc] = None  # type: ignore[arg-type]  (made has a result)
        for v in reads(s):
            read.setdefault(classes.of(v), {})[s.loc] = None
    out = []
    for s in made:
        assert s.var is not None
        home = classes.of(s.var)
        if home not in own or home in given:
            continue
        forward = [loc for loc in written.get(home, ()) if not loc.role]
        later = [loc for loc in read.get(home, ()) if loc.role]
        if forward and later:
            own.discard(home)
            out.append(_array(s.var, sizes, forward, later))
    return out


def _array(v: Var, sizes: Sizes, forward: list[Location], later: list[Location]) -> Kept:
    dims = [sizes.value(d) if isinstance(d, Atom) else d for d in v.type.dims]
    size = " x ".join(map(str, dims)) if None not in dims else ""
    count = None if None in dims else prod(map(int, dims)) * np_dtype(v.type.dtype).itemsize  # type: ignore[arg-type]  (none is None)
    name = "an intermediate" if v.name in GENERATED else v.name
    return Kept("array", name, v.type.dtype, size, count, tuple(forward), tuple(later))


def _is_array(s: Stmt) -> bool:
    return isinstance(s, Def) and s.var is not None and isinstance(s.var.type, Array)
