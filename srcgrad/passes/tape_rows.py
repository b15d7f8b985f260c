"""Snapshots without copies: a trip's buffer that is saved whole is the row of the tape itself.

>>> show(tape_rows(parse('''
... def f(x: f64[m, n]):
...     m: int = dim(x, axis=0)
...     n: int = dim(x, axis=1)
...     size: int = mul(m, n)
...     saved: tape[f64] = tape(size, dtype='f64')
...     for i in range(0, m):
...         t: f64[n] = empty(n, dtype='f64')
...         for j in range(0, n):
...             a: f64 = load(x, i, j)
...             store(t, j, a)
...         at: int = mul(i, n)
...         row: f64[n] = tape_view(saved, at, n)
...         assign(row, t)
...     v: f64 = load(saved, 0)
...     return (v,)
... ''')))
def f(x: f64[m, n]):
    m: int = dim(x, axis=0)
    n: int = dim(x, axis=1)
    size: int = mul(m, n)
    saved: tape[f64] = tape(size, dtype='f64')
    for i in range(0, m):
        at: int = mul(i, n)
        row: f64[n] = tape_view(saved, at, n)
        for j in range(0, n):
            a: f64 = load(x, i, j)
            store(row, j, a)
    v: f64 = load(saved, 0)
    return (v,)

Reverse mode saves the contents of a buffer that a trip has made where the trip ends. Nothing of the
trip may name the buffer after that, nor the tape before it. A copy of a row that neither is
stored to nor outlives its block is the row.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, Function, Stmt, Var
from srcgrad.ir.types import PYTHONS, Array, Scalar, is_reference, np_dtype
from srcgrad.ir.walk import uses, walk
from srcgrad.passes.effects import classes_written, is_scalar_operation, may_raise
from srcgrad.passes.hoist_allocations import ALLOCATIONS, escaping
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory, tapes


def tape_rows(function: Function) -> Function:
    if tapes.tape_view not in contents(function).operations:
        return function
    return _TapeRows(function).function(function)


class _TapeRows(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.classes = alias_classes(function)
        self.kept = escaping(function, self.classes)

    def block(self, block: Block) -> Block:
        for saving in [s for s in block if isinstance(s, Def) and s.op is memory.assign]:
            block = self.in_row(block, saving) or block
        for s in block:
            if isinstance(s, Def) and s.op is memory.copy and self.is_row(block, s):
                assert s.var is not None
                self.new[s.var] = s.args[0]
                block = tuple(t for t in block if t is not s)
        return super().block(block)

    # ---- snapshots ----
    def in_row(self, block: Block, saving: Def) -> Block | None:
        """The block in which a buffer is a row of the tape, if it may be."""
        row, x = saving.args
        view, made = _defined(block, row), _defined(block, x)
        if view is None or made is None or view.op is not tapes.tape_view:
            return None
        if made.op not in ALLOCATIONS or not isinstance(x.type, Array) or x.type != row.type:
            return None
        first, last = block.index(made), block.index(saving)
        own, tape = (self.classes.of(v) for v in (made.var, view.args[0]) if isinstance(v, Var))
        if own in self.kept or self.is_named(own, block[last + 1 :]):
            return None
        between = [s for s in block[first:last] if s is not view]
        moved = self.needed(view, block[first:last])
        if moved is None or self.is_named(tape, between):
            return None
        assert isinstance(x, Var)
        self.new[x] = row
        kept = [s for s in between if s is not made and s not in moved]
        return (*block[:first], *moved, view, *_zeros(made, row), *kept, *block[last + 1 :])

    def needed(self, view: Def, block: Block) -> list[Stmt] | None:
        """The statements of a block that compute where a view begins, if they may come first."""
        wanted = set(uses(view))
        found: list[Stmt] = []
        for s in reversed(block):
            if isinstance(s, Def) and s.var in wanted and s is not view:
                if not is_scalar_operation(s) or may_raise(s):
                    return None
                wanted.update(uses(s))
                found.insert(0, s)
        return found

    def is_named(self, cls: Var, block: list[Stmt] | Block) -> bool:
        return any(
            is_reference(v.type) and self.classes.of(v) is cls for s in walk(block) for v in uses(s)
        )

    # ---- copies ----
    def is_row(self, block: Block, s: Def) -> bool:
        """Whether a copy of a row of a tape reads as the row."""
        x, y = s.args[0], s.var
        view = _defined(block, x)
        if view is None or view.op is not tapes.tape_view or y is None or x.type != y.type:
            return False
        cls = self.classes.of(y)
        later = block[block.index(s) + 1 :]
        stored = classes_written(later, self.classes)
        return cls not in self.kept and stored.isdisjoint({cls, self.classes.of(view.array)})


def _defined(block: Block, a: Atom) -> Def | None:
    """The definition of a variable in a block."""
    return next((s for s in block if isinstance(s, Def) and s.var is a), None)


def _zeros(made: Def, row: Atom) -> Iterator[Def]:
    if made.op is memory.zeros:
        value = np_dtype(row.type.dtype).type(0).item()
        zero = Const(value, Scalar(row.type.dtype, weak=row.type.dtype in PYTHONS))
        yield Def(None, REGISTRY["assign"], (row, zero), {}, made.loc)
