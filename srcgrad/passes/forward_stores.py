"""Stored values: replaces reads of a place of an array by what was last stored there.

>>> show(forward_stores(parse('''
... def f(v: f64[3], w: f64[3]):
...     a: f64[3, 2] = zeros(3, 2, dtype='f64')
...     c: f64.strided[3] = view(a, 0, spec=(':', 'i'))
...     assign(c, v)
...     d: f64.strided[3] = view(a, 1, spec=(':', 'i'))
...     assign(d, w)
...     t: f64[3] = mul(c, c)
...     y: f64 = load(a, 1, 1)
...     return (t, y,)
... ''')))
def f(v: f64[3], w: f64[3]):
    a: f64[3, 2] = zeros(3, 2, dtype='f64')
    c: f64.strided[3] = view(a, 0, spec=(':', 'i'))
    assign(c, v)
    d: f64.strided[3] = view(a, 1, spec=(':', 'i'))
    assign(d, w)
    t: f64[3] = mul(v, v)
    y: f64 = load(w, 1)
    return (t, y,)

So `cse` sees that two programs that keep their steps in the columns of a matrix compute the same,
and stores that are never read are dead. A place is an integer or the whole of each axis, both known
when compiling; with `indexed` also an integer of the program, such as the index of a loop. An array
is forwarded if it has the shape of the place, by name, and is never stored to; a view of the place,
or one that a loop or a branch passes on, remains a view of the memory. Any other store to the alias
class forgets what it may overwrite. Elements of tapes are forwarded as those of arrays. Never
removes a store (`dead_code` does).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Const,
    Def,
    For,
    Function,
    If,
    Stmt,
    Var,
    While,
    altered,
    atom,
)
from srcgrad.ir.types import Array, Scalar, Tape, same_dims
from srcgrad.passes.bounds import is_int64
from srcgrad.passes.effects import classes_stored, is_write, reads
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import elementwise, memory
from srcgrad.records import record

# for each axis a place, or None: all of it
Region: TypeAlias = tuple[int | Var | None, ...]
# accesses to an element, and the number of operands after its indices
ELEMENT = {memory.load: 0, memory.store: 1, memory.add_at: 1}


def forward_stores(function: Function, indexed: bool = False) -> Function:
    """The function with reads of stored places replaced; `indexed`: of variable places too."""
    if not any(op.writes for op in contents(function).operations):
        return function
    return _ForwardStores(alias_classes(function), indexed).function(function)


@record()
class _Held:
    """The known contents of a class's memory, by places of `root`, not itself a view by places."""

    root: Var
    elements: dict[Region, Atom]
    indexed: dict[Region, Atom]  # elements at variable places
    parts: dict[Region, Var]  # places of several elements

    def copy(self) -> _Held:
        return _Held(self.root, dict(self.elements), dict(self.indexed), dict(self.parts))

    def at(self, region: Region) -> dict[Region, Atom]:
        """The table that holds the element at a place."""
        return self.elements if _is_constant(region) else self.indexed

    def forget(self, region: Region) -> None:
        if _is_constant(region):
            self.elements.pop(region, None)
        else:
            _drop(self.elements, region)
        _drop(self.indexed, region)
        _drop(self.parts, region)


def _drop(known: dict[Region, Any], region: Region) -> None:
    for r in [r for r in known if _meet(r, region)]:
        del known[r]


class _ForwardStores(Rewriter):
    def __init__(self, classes: AliasClasses, indexed: bool):
        super().__init__()
        self.classes, self.indexed = classes, indexed
        self.views: dict[Var, tuple[Var, Region]] = {}
        self.known: dict[Var, _Held] = {}  # by class
        self.stored = classes_stored(classes)

    # ---- scopes ----
    def loop(self, s: For | While) -> Iterable[Stmt]:
        yield self.scoped(s, {})

    def branch(self, s: If) -> Iterable[Stmt]:
        yield self.scoped(s, dict(self.known))

    def scoped(self, s: Stmt, before: dict[Var, _Held]) -> Stmt:
        """A statement whose blocks each begin with the known contents of the memory they write."""
        written = self.stored[s]

        def inner(block: Block) -> Block:
            self.known |= {c: before[c].copy() for c in written if c in before}
            out = self.block(block)
            self.lose(written)
            return out

        self.lose(written)
        return self.mapped(s, inner)

    def lose(self, written: Iterable[Var]) -> None:
        for c in written:
            self.known.pop(c, None)

    # ---- definitions ----
    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.op is memory.load:
            s = self.loaded(s)
        elif not s.op.view and not s.op.holds and (is_write(s) or not s.op.effect):
            s = self.forwarded(s)
        if s.var in self.new:
            return
        if s.op is memory.view:
            self.view(s)
        if is_write(s):
            self.store(s)
        yield s

    def view(self, s: Def) -> None:
        fixed = iter(s.args[1:])
        at = [next(fixed) if code == "i" else None for code in s.params["spec"]]
        place = self.place(s.array, *at)
        if place is not None and s.var is not None and set(s.params["spec"]) <= {"i", ":"}:
            self.views[s.var] = place

    def place(self, array: Var, *at: Atom | None) -> tuple[Var, Region] | None:
        """The root and region of a place of an array, or of all of it; None if they are unknown."""
        if not isinstance(array.type, Array | Tape) or not all(map(self.is_place, at)):
            return None
        whole: Region = (None,) * (len(array.type.dims) if isinstance(array.type, Array) else 1)
        root, region = self.views.get(array, (array, whole))
        inner = (int(a.value) if isinstance(a, Const) else a for a in at)
        return root, tuple([next(inner, None) if r is None else r for r in region])

    def is_place(self, a: Atom | None) -> bool:
        if a is None:
            return True
        return a.value >= 0 if isinstance(a, Const) else self.indexed and is_int64(a)

    def store(self, s: Def) -> None:
        """Forgets what a store may overwrite, and records what it stores."""
        c, end = self.classes.of(s.array), len(s.args) - ELEMENT.get(s.op, 0)
        place = self.place(s.array, *(s.args[1:end] if s.op in ELEMENT else ()))
        held = self.known.get(c)
        if place is None or held is None or held.root is not place[0]:
            self.known.pop(c, None)
            if place is None:
                return
            held = self.known[c] = _Held(place[0], {}, {}, {})
        held.forget(place[1])
        value = s.args[-1]
        if s.op is memory.store and _is_element(value, s.array):
            held.at(place[1])[place[1]] = value
        if s.op is memory.assign and isinstance(value, Var) and self.fits(value, s.array):
            held.parts[place[1]] = value

    def fits(self, value: Var, array: Var) -> bool:
        """Whether an array may be read instead of the one that it is assigned to."""
        t, like = value.type, array.type
        return (
            isinstance(t, Array)
            and isinstance(like, Array)
            and (t.dtype, t.layout) == (like.dtype, "C")
            and same_dims(t.dims, like.dims)
            and self.classes.is_pure(value)
        )

    def held(self, array: Var, *at: Atom) -> tuple[_Held, Region] | None:
        """The known contents of an array's class, and a region in it."""
        held, place = self.known.get(self.classes.of(array)), self.place(array, *at)
        if held is None or place is None or held.root is not place[0]:
            return None
        return held, place[1]

    def loaded(self, s: Def) -> Def:
        """Replaces a load by the known value, or by a load from the array that was stored."""
        found = self.held(s.array, *s.args[1:])
        if found is None or s.var is None:
            return s
        held, region = found
        value = held.at(region).get(region)
        if value is not None and value.type == s.var.type:
            self.new[s.var] = value
        elif value is not None and self.indexed:
            dtype = {"dtype": value.type.dtype}
            return altered(s, op=elementwise.cast, args=(value,), params=dtype)
        for part, array in held.parts.items():
            if all(r is None or r == a for a, r in zip(region, part, strict=True)):
                at = [atom(a) for a, r in zip(region, part, strict=True) if r is None]
                return altered(s, args=(array, *at))
        return s

    def forwarded(self, s: Def) -> Def:
        """A definition that reads stored values instead of the places that hold them."""
        read = reads(s)

        def new(k: int, a: Atom) -> Atom:
            if not isinstance(a, Var) or a not in read or (k == 0 and is_write(s)):
                return a
            found = self.held(a)
            return a if found is None else found[0].parts.get(found[1], a)

        args = tuple([new(k, a) for k, a in enumerate(s.args)])
        same = all(a is b for a, b in zip(args, s.args, strict=True))
        return s if same else altered(s, args=args)


def _is_element(value: Atom, array: Var) -> bool:
    """Whether an array holds a value unchanged."""
    return isinstance(value.type, Scalar) and value.type.dtype == array.type.dtype


def _is_constant(region: Region) -> bool:
    return all(isinstance(a, int) for a in region)


def _meet(one: Region, other: Region) -> bool:
    """Whether two places of one array may have an element in common."""
    pairs = zip(one, other, strict=True)
    return not any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)
