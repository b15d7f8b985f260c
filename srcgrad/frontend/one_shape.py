"""Which lists of arrays that grow hold arrays of one shape, by the program that was traced.

What puts an array into such a list leaves a check of each of its lengths, which names the list.
Lengths are compared as sums of integers of the program. If all of a list are one sum of what is
known before the list is made, the checks hold, and tell the passes so; of any other list the arrays
may have several shapes, and tracing starts again with that known.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.requirements import Key
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Var
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import blocks, results
from srcgrad.primitives import elementwise, memory
from srcgrad.records import record

MARK = "the arrays of the list {} have the lengths "
DEEPEST = 60  # of definitions that are looked through
Form = tuple[int, frozenset]  # an integer, and the variables and parts that are added to it


Place = tuple[tuple[int, int], ...]  # the loops and branches around, outer before inner


@record(frozen=True)
class Part:
    """A part of a sum that is an operation on sums."""

    op: Any
    args: tuple[Form, ...]


@record(frozen=True)
class Length:
    """A part of a sum that is the length of a list's arrays along an axis, by the list's cell."""

    cell: Var
    axis: int


def mark_of(it: Any, key: Key) -> str:
    """The message of the checks of a list, which never fail in a program that runs."""
    keys = it.captures.listed_rows
    if key not in keys:
        keys.append(key)
    return f"{MARK.format(keys.index(key))}{{}} and {{}}"


def is_mark(d: Def) -> bool:
    """Whether a statement is such a check."""
    return d.op is memory.check_equal and d.params["message"].startswith(MARK.partition("{}")[0])


def several_shapes(function: Function, keys: list[Key]) -> set[Key]:
    """The lists that may hold arrays of several shapes."""
    return _Lengths(function, keys).several() if keys else set()


class _Lengths:
    """The lengths that are put into the lists of a program, as sums."""

    def __init__(self, function: Function, keys: list[Key]):
        self.keys = keys
        self.definitions: dict[Var, Def] = {}
        self.blocks: dict[Var, Place] = dict.fromkeys(function.params, ())
        self.indices: dict[Var, For] = {}
        self.joins: dict[Var, list[Atom]] = {}  # what a branch gives, by the values of its sides
        self.passed: dict[Var, tuple[Atom, Atom]] = {}  # what a loop passes on: at first, and then
        self.known: dict[Atom, Form] = {}
        self.checks: list[Def] = []
        self._read(function.body, ())
        self.cells = {self._place(s.args[0]).cell for s in self.checks}

    def _read(self, block: Block, at: Place) -> None:
        for s in block:
            self.blocks.update(dict.fromkeys(results(s), at))
            if isinstance(s, Def):
                if s.var is not None:
                    self.definitions[s.var] = s
                self.checks += [s] if is_mark(s) else []
                continue
            if isinstance(s, If):
                pairs = zip(s.results, s.then_yields, s.else_yields, strict=True)
                self.joins.update((v, [one, other]) for v, one, other in pairs)
            else:
                for v, p, first, later in zip(s.results, s.params, s.inits, s.yields, strict=True):
                    self.passed[v] = self.passed[p] = first, later
            for k, inner in enumerate(blocks(s)):
                within = (*at, (id(s), k if isinstance(s, If) else 0))
                if not isinstance(s, If):
                    self.blocks.update(dict.fromkeys(s.params, within))
                if isinstance(s, For):
                    self.indices[s.index], self.blocks[s.index] = s, within
                self._read(inner, within)

    # ---- lists ----
    def several(self) -> set[Key]:
        sites: dict[Length, list[Form]] = {}
        names: dict[Var, Key] = {}
        for s in self.checks:
            place = self._place(s.args[0])
            names[place.cell] = self._key(s)
            sites.setdefault(place, []).append(self.form(s.args[1]))
        for place, forms in list(sites.items()):
            if (source := self._copied(place.cell)) is not None:
                forms.append(_one(Length(source, place.axis)))
        found: dict[Length, Form] = {}
        for _ in sites:  # one that begins with another's items knows its lengths by that
            for place, forms in sites.items():
                known = (self._resolved(f, found) for f in forms)
                if place not in found and (made := next(filter(None, known), None)) is not None:
                    found[place] = made
        return {
            names[place.cell]
            for place, forms in sites.items()
            for f in forms
            if f != _one(place) and not self._holds(f, place, found)
        }

    def _holds(self, f: Form, place: Length, found: dict[Length, Form]) -> bool:
        known = found.get(place)
        same = known is not None and self._resolved(f, found) == known
        return same and known is not None and self._is_fixed(known, self.blocks[place.cell])

    def _key(self, s: Def) -> Key:
        first, last = MARK.split("{}")
        text = s.params["message"].removeprefix(first)
        return self.keys[int(text[: text.index(last)])]

    def _place(self, known: Atom) -> Length:
        """The cell with the shape of a list, and the axis, by the length in it or a first one."""
        d = self.definitions[known]  # type: ignore[index]  (it is loaded)
        if d.op is elementwise.where:
            d = self.definitions[d.args[2]]  # type: ignore[index]
        assert d.op is memory.load
        return Length(d.args[0], int(d.args[1].value))  # type: ignore[union-attr, arg-type]

    def _copied(self, cell: Var) -> Var | None:
        d = self.definitions[cell]
        return d.args[0] if d.op is memory.copy else None  # type: ignore[return-value]

    def _resolved(self, f: Form, found: dict[Length, Form]) -> Form | None:
        """A sum with the lengths of other lists in it; None where one is not known yet."""
        made = f[0], frozenset()
        for leaf, times in f[1]:
            part: Form | None = _one(leaf)
            if isinstance(leaf, Length):
                part = found.get(leaf)
            elif isinstance(leaf, Part):
                parts = [self._resolved(p, found) for p in leaf.args]
                inner = [p for p in parts if p is not None]
                part = self._of(leaf.op, inner) if len(inner) == len(parts) else None
            if part is None:
                return None
            made = _sum(made, part, times)
        return made

    def _is_fixed(self, f: Form, block: Place) -> bool:
        """Whether a sum is one number as long as a list lives that is made in a block."""
        for leaf, _ in f[1]:
            if isinstance(leaf, Length):
                return False
            if isinstance(leaf, Part):
                if not all(self._is_fixed(p, block) for p in leaf.args):
                    return False
            else:
                own = self.blocks[leaf]
                if own != block[: len(own)]:
                    return False
        return True

    # ---- sums ----
    def form(self, a: Any, depth: int = 0) -> Form:
        """A number of the program as a sum."""
        if not isinstance(a, Var):
            return int(a.value if isinstance(a, Const) else a), frozenset()
        if a not in self.known:
            self.known[a] = _one(a)  # as a loop passes it on
            self.known[a] = self._form(a, depth + 1) if depth < DEEPEST else _one(a)
        return self.known[a]

    def _form(self, a: Var, depth: int) -> Form:
        if a in self.joins:
            one, other = (self.form(v, depth) for v in self.joins[a])
            return one if one == other else _one(a)
        if a in self.passed:
            return self._carried(a, depth)
        d = self.definitions.get(a)
        if d is None or not _is_integer(a):
            return _one(a)
        if d.op is memory.dim:
            own = d.args[0].type.dims[d.params["axis"]]  # type: ignore[union-attr]
            return _one(a) if own is a else self.form(own, depth)
        if d.op is memory.load:
            return self._loaded(d, a)
        if d.op is elementwise.cast:
            return self.form(d.args[0], depth) if _is_integer(d.args[0]) else _one(a)
        if d.op is elementwise.where:
            one, other = (self.form(v, depth) for v in d.args[1:])
            return one if one == other else _one(a)
        if d.op not in FOLLOWED or not all(map(_is_integer, d.args)):
            return _one(a)
        return self._of(d.op, [self.form(v, depth) for v in d.args])

    def _of(self, op: Any, args: list[Form]) -> Form:
        if op in (elementwise.add, elementwise.sub):
            return _sum(*args, times=1 if op is elementwise.add else -1)
        if op is elementwise.mul:
            factor, other = args if not args[0][1] else args[::-1]
            if not factor[1]:
                return _sum((0, frozenset()), other, factor[0])
        if op is memory.broadcast_dim:  # what does not fit has raised
            for m, n in (args, args[::-1]):
                if m == n or n == (1, frozenset()) or self._is_several(m):
                    return m
        if op in (elementwise.maximum, elementwise.minimum):
            for small, large in (args, args[::-1]):
                if self._is_positive(_sum(large, small, -1)):
                    return large if op is elementwise.maximum else small
        if op in (memory.slice_start, memory.slice_stop) and args[2] == (1, frozenset()):
            k, n, _ = args
            if self._is_positive(k) and self._is_positive(_sum(n, k, -1)):
                return k
        return _one(Part(op, tuple(args)))

    def _carried(self, a: Var, depth: int) -> Form:
        """The number that a loop passes on: the first one, where each trip passes on the same."""
        start, later = self.passed[a]
        first, before = self.form(start, depth), dict(self.known)
        alike = [v for v, pair in self.passed.items() if pair is self.passed[a]]
        self.known.update(dict.fromkeys(alike, first))
        if self.form(later, depth) != first:
            self.known = before
            return _one(a)
        return first

    def _loaded(self, d: Def, a: Var) -> Form:
        """A length that a list has for its items, or another number in memory."""
        cell: Any = d.args[0]
        while cell not in self.cells:
            made = self.definitions.get(cell)
            if made is None or made.op is not memory.copy:
                return _one(a)
            cell = made.args[0]
        return _one(Length(cell, int(d.args[1].value)))  # type: ignore[union-attr]

    def _is_positive(self, f: Form) -> bool:
        """Whether a sum is known not to be negative, by the ends of the loops around."""
        for _ in range(DEEPEST):
            inner = [v for v, _ in f[1] if v in self.indices]
            if not inner:
                break
            v = max(inner, key=lambda v: len(self.blocks[v]))
            times, loop = dict(f[1])[v], self.indices[v]
            ends = self.form(loop.start), _sum(self.form(loop.stop), (-1, frozenset()))
            f = _sum(_sum(f, _one(v), -times), ends[times < 0], times)
        return f[0] >= 0 and all(times > 0 and self._is_length(v) for v, times in f[1])

    def _is_several(self, f: Form) -> bool:
        """Whether a length is known not to be 1."""
        if not f[1]:
            return f[0] != 1
        d = self.definitions.get(next(iter(f[1]))[0])
        if f[0] != 0 or [k for _, k in f[1]] != [1] or d is None:
            return False
        return d.op is memory.dim and "may_be_one" not in d.params

    def _is_length(self, v: Any) -> bool:
        if isinstance(v, Length | Part):
            return isinstance(v, Length)
        d = self.definitions.get(v)
        return d is not None and d.op is memory.dim


FOLLOWED = {
    elementwise.add, elementwise.sub, elementwise.mul, elementwise.floordiv, elementwise.mod,
    elementwise.maximum, elementwise.minimum, memory.slice_start, memory.slice_stop, memory.trips,
    memory.broadcast_dim,
}  # fmt: skip


def _is_integer(a: Atom) -> bool:
    return isinstance(a.type, Scalar) and a.type.dtype == "i64"  # narrower ones wrap around


def _one(leaf: Any) -> Form:
    return 0, frozenset({(leaf, 1)})


def _sum(one: Form, other: Form, times: int = 1) -> Form:
    """A sum and a multiple of another one."""
    made = dict(one[1])
    for leaf, k in other[1]:
        made[leaf] = made.get(leaf, 0) + times * k
    return one[0] + times * other[0], frozenset((v, k) for v, k in made.items() if k)
