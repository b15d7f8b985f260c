"""Loops whose trips do not depend on one another are marked: they may run in any order, or at once.

>>> show(independent_loops(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     s: f64 = f64(0.0)
...     for i in range(0, n):
...         v: f64 = load(x, i)
...         add_at(y, i, v)
...         s1: f64 = add(s, v)
...         s = s1
...     return (s,)
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    s: f64 = f64(0.0)
    for i in independent(range(0, n)):
        v: f64 = load(x, i)
        add_at(y, i, v)
        s1: f64 = add(s, v)
        s = s1
    return (s,)

What such a loop carries are sums, of which no trip reads the value. Its trips compute scalars, load
and store elements, and nothing else: none may raise, allocate, take a view or grow a tape. All that
touches a class of memory that the loop stores to goes through one reference, at places of which one
coordinate is `c * i + r`, with the same c and r in every access: no two trips touch one element.
Refuses when in doubt. The last pass of a pipeline: no copy of a program keeps a mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import Array, Tape, is_reference
from srcgrad.ir.walk import defined, uses, walk
from srcgrad.passes.effects import is_observable, is_scalar_operation, is_write
from srcgrad.passes.ranges import is_int64
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import elementwise, memory

ACCESSES = frozenset((memory.load, memory.store, memory.add_at))


def independent_loops(function: Function, in_order: bool = False) -> Function:
    """The function with its loops marked; `in_order`: a loop that carries a sum is not."""
    return _IndependentLoops(AliasClasses(function), in_order).function(function)


class _IndependentLoops(Rewriter):
    def __init__(self, classes: AliasClasses, in_order: bool):
        super().__init__()
        self.classes, self.in_order = classes, in_order

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        if isinstance(new, For):
            ordered = self.in_order and new.params
            new = altered(new, independent=not ordered and _Trips(new, self.classes).independent())
        yield new


class _Trips:
    """All that the trips of one loop do."""

    def __init__(self, loop: For, classes: AliasClasses):
        self.loop, self.classes = loop, classes
        self.statements = walk(loop.body)
        self.inside = defined(loop.body) | {*loop.params, loop.index}
        self.made = {s.var: s for s in self.statements if isinstance(s, Def) and s.var is not None}

    def independent(self) -> bool:
        definitions = [s for s in self.statements if isinstance(s, Def)]
        return (
            all(map(_is_plain, definitions))
            and self.carries_only_sums()
            and all(map(self.apart, self.accesses(definitions)))
        )

    def carries_only_sums(self) -> bool:
        """Whether each value carried is one sum, and no trip reads it, old or new."""
        read = Counter(v for s in self.statements for v in uses(s))
        for p, y in zip(self.loop.params, self.loop.yields, strict=True):
            d = self.made.get(y) if isinstance(y, Var) else None
            top = d is not None and any(d is s for s in self.loop.body)
            if d is None or not top or d.op is not elementwise.add or p not in d.args:
                return False
            if read[p] != 1 or read[y] or self.loop.yields.count(y) != 1:  # type: ignore[index]  (`y` is a variable: it has a definition)
                return False
        return True

    def accesses(self, definitions: list[Def]) -> list[list[Def]]:
        """What touches each class of memory that is stored to."""
        of = self.classes.of
        written = {of(s.args[0]) for s in definitions if is_write(s)}
        touching = [s for s in definitions if s.op in ACCESSES]
        return [[s for s in touching if of(s.args[0]) is c] for c in written]

    def apart(self, accesses: list[Def]) -> bool:
        """Whether no two trips touch one element."""
        base = accesses[0].args[0]
        held = base.type
        if base in self.inside or any(s.args[0] is not base for s in accesses):
            return False
        if not isinstance(held, Array | Tape):
            return False
        rank = held.ndim if isinstance(held, Array) else 1  # a tape is flat
        return any(self.moves_apart([s.args[1 + k] for s in accesses]) for k in range(rank))

    def moves_apart(self, places: list[Atom]) -> bool:
        """Whether coordinates differ whenever their trips do."""
        forms = [self.affine(p) for p in places]
        first = forms[0]
        if first is None or not first.step:
            return False
        starts: set[int] = set()
        for form in forms:
            if form is None or form.step != first.step or form.fixed != first.fixed:
                return False
            starts.add(form.start)
        return all((a - b) % first.step for a, b in combinations(starts, 2))

    def affine(self, a: Atom) -> _Affine | None:
        """An integer as `step * index + start + fixed`, in terms that no trip changes."""
        if not is_int64(a):
            return None
        if isinstance(a, Const):
            return _Affine(0, int(a.value), {})
        if a is self.loop.index:
            return _Affine(1, 0, {})
        if a not in self.inside:
            return _Affine(0, 0, {a: 1})
        d = self.made.get(a)
        if d is None or d.op not in (elementwise.add, elementwise.sub, elementwise.mul):
            return None
        x, y = (self.affine(b) for b in d.args)
        if x is None or y is None:
            return None
        if d.op is elementwise.mul:
            scale, other = (x, y) if x.is_number else (y, x)
            return other.times(scale.start) if scale.is_number else None
        return x.plus(y.times(-1) if d.op is elementwise.sub else y)


class _Affine:
    def __init__(self, step: int, start: int, fixed: dict[Var, int]):
        self.step, self.start = step, start
        self.fixed = {v: n for v, n in fixed.items() if n}
        self.is_number = not step and not self.fixed

    def times(self, k: int) -> _Affine:
        return _Affine(k * self.step, k * self.start, {v: k * n for v, n in self.fixed.items()})

    def plus(self, other: _Affine) -> _Affine:
        both = {v: self.fixed.get(v, 0) + n for v, n in other.fixed.items()}
        return _Affine(self.step + other.step, self.start + other.start, {**self.fixed, **both})


def _is_plain(s: Def) -> bool:
    """A scalar made of scalars, or an access to one element; nothing that may raise."""
    if s.op in ACCESSES:
        return is_reference(s.args[0].type)
    return is_scalar_operation(s) and not is_observable(s)
