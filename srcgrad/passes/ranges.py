"""Ranges of integers at a point of the program.

`Bounds` derives them from definitions; facts come from the loops and branches around, and from the
checks that were passed before.
"""

from __future__ import annotations

from typing import Any

from srcgrad.ir.facts import ends
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While
from srcgrad.passes.bounds import COMPARISONS, FEW, OPPOSITE, Bounds, both, is_int64
from srcgrad.primitives import Primitive, elementwise, memory

DEPTH = 8  # of definitions looked through
MOST = 32  # checks remembered


class _Scope:
    def __init__(self, ranges: Ranges):
        self.ranges = ranges
        self.before = dict(ranges.low), dict(ranges.high), ranges.checks

    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: Any) -> None:
        self.ranges.low, self.ranges.high, self.ranges.checks = self.before


class Ranges(Bounds):
    def __init__(self, function: Function):
        super().__init__(function)
        self.ends = ends(function)
        # checks of ranges that were passed if a condition held and the range was not empty
        self.checks: tuple[tuple[Atom | None, Def], ...] = ()

    def scope(self) -> _Scope:
        """Forgets after the `with` block what is learned inside."""
        return _Scope(self)

    def know(self, a: Atom, b: Atom, k: int = 0, exact: bool = False) -> None:
        """Records that a <= b + k from here on; `exact`: neither has wrapped around."""
        if not (is_int64(a) and is_int64(b)):
            return
        (x, ox), (y, oy) = self.form(a), self.form(b)
        if not exact and not (
            (x is None or self.has_room(x, ox))
            and (y is None or oy >= 0 or self.lower(y) is not None)
        ):
            return
        if x is not None:
            self.high[x] = (*self.high.get(x, ()), (y, oy + k - ox))
        least = self.lower(a)
        if y is not None and least is not None:
            self.at_least(y, least - k - oy)

    def at_least(self, v: Var, least: int | None) -> None:
        if least is not None:
            self.low[v] = max(self.low.get(v, least), least)

    def assume(self, cond: Atom, holds: bool, depth: int = DEPTH) -> None:
        """Records that the condition holds, or does not, from here on."""
        d = self.definition.get(cond) if isinstance(cond, Var) else None
        if d is None or not depth:
            return
        op = d.op
        if op is elementwise.logical_not:
            self.assume(d.args[0], not holds, depth - 1)
        elif op is (elementwise.logical_and if holds else elementwise.logical_or):
            for a in d.args:
                self.assume(a, holds, depth - 1)
        elif op in OPPOSITE and all(map(is_int64, d.args)):
            self._compare(op if holds else OPPOSITE[op], *d.args)

    def _compare(self, op: Primitive, a: Atom, b: Atom) -> None:
        match op:
            case elementwise.eq:
                self.know(a, b)
                self.know(b, a)
            case elementwise.ne:
                for x, y in ((a, b), (b, a)):
                    if isinstance(x, Const) and isinstance(y, Var) and self.lower(y) == x.value:
                        base, offset = self.form(y)
                        if base is not None:
                            self.at_least(base, int(x.value) + 1 - offset)
            case _:
                x, y, k = COMPARISONS[op]
                self.know((a, b)[x], (a, b)[y], k)

    def learn(self, s: Stmt) -> None:
        """Records the facts that hold once a statement has been passed."""
        match s:
            case Def():
                if s.var is not None:
                    self.definition[s.var] = s
                if s.op is memory.index:
                    self._passed(*s.args)
                if s.op is memory.check_range:
                    self._passed_range(None, s)
            case If():
                if _fails(s.then):
                    self.assume(s.cond, False)
                if not s.orelse:
                    for d in s.then:
                        if isinstance(d, Def) and d.op is memory.check_range:
                            self._passed_range(s.cond, d)
                for r, x, y in zip(s.results, s.then_yields, s.else_yields, strict=True):
                    self.at_least(r, both(self.lower(x), self.lower(y), min))
            case For() | While():
                for r, least in zip(s.results, self._carried(s), strict=True):
                    self.at_least(r, least)

    def _passed(self, i: Atom, n: Atom) -> None:
        base, offset = self.form(i)
        least = None if base is None else self.lower(base)
        if self.is_length(i) or (least is not None and least + offset >= 0):
            self.know(i, n, -1, exact=True)  # a constant that wraps around is caught
        elif isinstance(i, Const):
            self.know(Const(-i.value, i.type), n)

    def _passed_range(self, cond: Atom | None, d: Def) -> None:
        """Records that a range was checked, if a condition held."""
        self.checks = (*self.checks, (cond, d))[-MOST:]
        self._use_checks()

    def _use_checks(self) -> None:
        """Records the upper bounds of the checks that are now known to have been made."""
        left: list[tuple[Atom | None, Def]] = []
        for cond, d in self.checks:
            first, last, n = d.args
            if (cond is None or self.decide(cond)) and self.at_most(first, last, exact=True):
                self.know(last, n, -1, exact=True)
            else:
                left.append((cond, d))
        self.checks = tuple(left)

    def never_below(self, a: Atom, p: Var, depth: int = DEPTH) -> bool:
        """Whether `a` is p and the little that loops or sums have added to it: never less."""
        base, offset = self.form(a)
        if not 0 <= offset <= FEW or base is p or not depth:
            return 0 <= offset <= FEW and base is p
        if base not in self.ends:
            return False
        inner, x, y = self.ends[base]
        return self.never_below(y, inner, depth - 1) and self.never_below(x, p, depth - 1)

    def _carried(self, s: For | While) -> list[int | None]:
        """Lower bounds of carried values that never decrease."""

        def least(r: Var, p: Var, x: Atom, y: Atom) -> int | None:
            if not (is_int64(p) and self.is_small(x) and self.never_below(y, p)):
                return None
            self.counts |= {p, r}
            return self.lower(x)

        return [least(*g) for g in zip(s.results, s.params, s.inits, s.yields, strict=True)]

    def enter(self, s: For | While) -> None:
        """Records what holds in the body of a loop."""
        for p, least in zip(s.params, self._carried(s), strict=True):
            self.at_least(p, least)
        if isinstance(s, For):
            if not s.reverse and self.is_small(s.start):
                self.counts.add(s.index)
            self.know(s.start, s.stop, -1)
            self.at_least(s.index, self.lower(s.start))
            self.know(s.start, s.index)
            self.know(s.index, s.stop, -1)
            self._use_checks()


def _fails(block: Block) -> bool:
    return any(isinstance(s, Def) and s.op is memory.fail for s in block)
