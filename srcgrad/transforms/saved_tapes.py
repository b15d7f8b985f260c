"""The tapes of a reverse sweep: each with its dtype, its size, the user's variable and line, and
the lines whose reverse reads it.

Read off the program before it is lowered. A size is a number of slots computed at the
entry; where it is not, or where one of its ingredients is known only at run time, it is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from srcgrad.errors import Location
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var, atom
from srcgrad.ir.types import RefTape, Tape, np_dtype
from srcgrad.ir.walk import blocks, inner_definitions, uses, walk
from srcgrad.primitives import Primitive, memory, schedules, tapes
from srcgrad.primitives.elementwise import (
    add,
    cast,
    ceil,
    floordiv,
    ge,
    logical_and,
    maximum,
    minimum,
    mul,
    sqrt,
    sub,
    where,
)
from srcgrad.records import record

INFIX = {add: "+", sub: "-", mul: "*"}
HANDS_ON = (memory.load, memory.copy, memory.wrap, cast)
PUT_BACK = (memory.store, memory.assign, memory.scatter)
COUNTED = (
    *INFIX, maximum, minimum, floordiv, ceil, sqrt, cast, ge, where, logical_and, memory.trips,
    memory.broadcast_dim,
)  # fmt: skip


@record(frozen=True)
class Saved:
    tape: Var
    dtype: str  # "references" for a tape of references
    slots: str | None  # an expression
    grows: bool
    count: int | None  # the slots at these arguments
    what: str  # the user's variable
    location: Location | None
    readers: tuple[Location, ...]  # the user's lines in whose reverse it is read, by their numbers

    @property
    def bytes(self) -> int | None:
        if self.count is None or isinstance(self.tape.type, RefTape):
            return None
        return self.count * np_dtype(self.dtype).itemsize


@record(frozen=True)
class Segments:
    """A loop that is split: its line, and numbers at these arguments, None if not known."""

    location: Location | None
    count: int | None
    length: int | None  # of trips in each but the last
    slots: int | None  # for states, one of them that of the segment that is reversed


def read_by(s: Saved) -> str:
    """The lines whose reverse reads a tape; that of a list may be read by the program alone."""
    if not s.readers and s.tape.name.endswith(tapes.SAVED):
        return "read where the loop runs again"
    if not s.readers:
        return "read by the program alone"
    lines = ", ".join(str(loc.line) for loc in s.readers)
    return f"read by the reverse of line{'s' * (len(s.readers) > 1)} {lines}"


def segments(function: Function, values: Mapping[Var, Any]) -> list[Segments]:
    """The loops of a function that its reverse sweep computes again."""
    inside = walk(function.body)
    definitions = {s.var: s for s in inside if isinstance(s, Def) and s.var is not None}
    sizes = Sizes(definitions, {**_first_trips(function), **values})
    out = []
    for s in inside:
        if isinstance(s, Def) and s.op is schedules.split:
            count, length, *slots = map(sizes.value, s.args)
            out.append(Segments(s.loc, count, length, slots[0] if slots else None))
    return out


def saved_values(function: Function, values: Mapping[Var, Any]) -> list[Saved]:
    """The tapes of a function in the order of its text; `values` are those of its parameters."""
    definitions = {
        s.var: s for s in walk(function.body) if isinstance(s, Def) and s.var is not None
    }
    reserved: dict[Atom, list[Atom]] = {}
    for s in walk(function.body):
        if isinstance(s, Def) and s.op is tapes.reserve:
            reserved.setdefault(s.args[0], []).append(s.args[1])
    sizes = Sizes(definitions, {**_first_trips(function), **values})
    used = _Uses(function)
    out = []
    for s in definitions.values():
        if s.op not in (tapes.tape, tapes.reftape):
            continue
        v = s.var
        assert v is not None
        grows = v in reserved or s.op is tapes.reftape
        found = next(_puts(function, v, definitions), None)
        what, where = found if found is not None else (v.name.removesuffix(tapes.SAVED), None)
        dtype = v.type.dtype if isinstance(v.type, Tape) else "references"
        sized = reserved.get(v, [])
        slots, count = None, None
        if s.params.get("scratch") and sized:  # one tape for all segments of a loop
            found = [sizes.value(n) for n in sized]
            count, grows = None if None in found else max(map(int, found)), False  # type: ignore[arg-type]  (none is None)
        elif not grows:
            slots, count = sizes.text(s.args[0]), sizes.value(s.args[0])
        out.append(Saved(v, dtype, slots, grows, count, what, where, used.readers(v)))
    return out


def _first_trips(function: Function) -> dict[Var, int]:
    """The indices of loops from zero in their first trip: the first segment is the longest."""
    loops = [s for s in walk(function.body) if isinstance(s, For)]
    return {s.index: 0 for s in loops if s.start == atom(0)}


class _Uses:
    """The users of each variable of a function, and the names of each alias class."""

    def __init__(self, function: Function):
        self.users: dict[Var, list[Stmt]] = {}
        self.classes = alias_classes(function)
        self.members: dict[Var, list[Var]] = {}
        for s in walk(function.body):
            for v in dict.fromkeys(uses(s)):
                self.users.setdefault(v, []).append(s)
        for v in self.users:
            self.members.setdefault(self.classes.of(v), []).append(v)

    def names(self, v: Var) -> list[Var]:
        return self.members.get(self.classes.of(v), [])

    def readers(self, tape: Var) -> tuple[Location, ...]:
        """The uses of values of a tape, also through copies and buffers they are restored to."""
        found: dict[int, Location] = {}
        followed = dict.fromkeys(todo := self.names(tape).copy())
        for v in todo:
            for s in self.users[v]:
                after = _passed_on(s, v)
                if after is not None:
                    todo += (new := [a for a in self.names(after) if a not in followed])
                    followed.update(dict.fromkeys(new))
                elif s.loc is not None and s.loc.role:
                    found.setdefault(s.loc.line, s.loc)
        return tuple(found[line] for line in sorted(found))


def _passed_on(s: Stmt, v: Var) -> Var | None:
    """The variable with the value of `v` after a statement that hands it on or puts it back."""
    if not isinstance(s, Def):
        return None
    put_back = s.op in PUT_BACK and s.loc is not None and s.loc.role
    if put_back and (s.args[0] is v or s.args[-1] is v):
        return s.array
    return s.var if (s.op.view or s.op in HANDS_ON) and s.args[0] is v else None


def _puts(
    function: Function, tape: Var, definitions: Mapping[Var, Def]
) -> Iterator[tuple[str, Location | None]]:
    """The user's names of the values put on a tape, and the user's line of each."""
    owners = {v: s for s in walk(function.body) for v in inner_definitions(s)}
    for block in _all_blocks(function.body):
        for k, s in enumerate(block):
            if isinstance(s, Def) and _goes_to(s, tape, definitions):
                value = s.args[2] if s.op is tapes.ref_put else s.args[-1]
                made = definitions.get(value) or owners.get(value)  # type: ignore[arg-type]  (no constant is a key)
                loc = getattr(made, "loc", None) or _next_location(block[k:])
                yield _described(value, definitions), loc


def _goes_to(s: Def, tape: Var, definitions: Mapping[Var, Def]) -> bool:
    if s.op in (memory.store, tapes.ref_put):
        return s.args[0] is tape
    if s.op is not memory.assign:
        return False
    view = definitions.get(s.array)
    return view is not None and view.op is tapes.tape_view and view.args[0] is tape


def _described(value: Atom, definitions: Mapping[Var, Def]) -> str:
    """The user's name of a value; of an element, that of its array."""
    if not isinstance(value, Var):
        return "a constant"
    made = definitions.get(value)
    if made is not None and made.op in (memory.load, memory.gather, memory.view):
        return f"{_described(made.args[0], definitions)}[...]"
    if (
        made is not None and value.name == "old"
    ):  # a copy made before the whole array is overwritten
        return _described(made.args[0], definitions)
    return "an intermediate" if made is not None and value.name == made.op.name else value.name


def _all_blocks(block: Block) -> Iterator[Block]:
    yield block
    for s in block:
        for inner in blocks(s):
            yield from _all_blocks(inner)


def _next_location(block: tuple[Stmt, ...]) -> Location | None:
    return next((s.loc for s in block if s.loc is not None), None)


class Sizes:
    """Lengths as expressions of the arguments, and as numbers for the arguments at hand."""

    def __init__(self, definitions: Mapping[Var, Def], values: Mapping[Var, Any]):
        self.definitions, self.values = definitions, values

    def text(self, a: Atom, around: Primitive | None = None) -> str | None:
        """The expression of a length, in brackets where the operation around it needs them."""
        base, offset = self._offset(a)
        if offset and base is not None:
            inner = self.text(base, add)
            joined = f"{inner} {'-' if offset < 0 else '+'} {abs(offset)}"
            return inner and (f"({joined})" if around in (mul, sub) else joined)
        if isinstance(a, Const):
            return str(a.value)
        d = self.definitions.get(a)
        if d is None:
            return a.name if a in self.values else None
        if d.op is memory.dim:
            axis, rank = d.params["axis"], len(getattr(d.args[0].type, "dims", ()))
            return f"len({d.args[0]})" if rank == 1 else f"{d.args[0]}.shape[{axis}]"
        if d.op is maximum and d.args[1] == atom(0):
            return self.text(d.args[0], around)  # a loop without trips needs no slots
        parts = [self.text(x, d.op) for x in d.args]
        if d.op not in INFIX or None in parts:
            return None
        joined = f" {INFIX[d.op]} ".join(map(str, parts))
        loose = around is None or (around is d.op and d.op is not sub)
        return joined if loose else f"({joined})"

    def _offset(self, a: Atom) -> tuple[Atom | None, int]:
        """A length as another one and a constant added to it."""
        total = 0
        while (d := self.definitions.get(a)) is not None:  # type: ignore[arg-type]  (no constant is a key)
            if d.op not in (add, sub) or not isinstance(d.args[1], Const):
                break
            total += int(d.args[1].value) * (1 if d.op is add else -1)
            a = d.args[0]
        return a, total

    def value(self, a: Atom) -> int | None:
        if isinstance(a, Const):
            return int(a.value)
        d = self.definitions.get(a)
        if d is None:
            value = self.values.get(a)
            return None if value is None else int(value)
        if d.op is memory.dim:
            array = self.values.get(d.array)
            return None if array is None else int(array.shape[d.params["axis"]])
        if d.op not in COUNTED:
            return None
        parts = [self.value(x) for x in d.args]
        if None in parts:
            return None
        found = d.op.impl(*parts, **d.params)
        return found if isinstance(found, float) else int(found)  # type: ignore[return-value]  (on the way to an integer)
