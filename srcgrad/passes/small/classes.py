"""Selects small arrays that may become numbers: alias classes with all names and uses understood.

A class stays in memory as a whole if one of its names is large, or seen by the caller, or if one
use needs memory: a place that is not constant, an operation that `elements` does not have, a result
that stays an array. A reference that a loop carries or a branch joins is the array's elements at
that time: nothing may store to its class afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Block, Const, Def, Function, Loop, Stmt, Var, While
from srcgrad.ir.types import Dims, atom_dims, is_float, is_reference
from srcgrad.ir.walk import atoms, blocks, defined, inner_definitions, results, walk
from srcgrad.passes.effects import classes_stored, classes_written
from srcgrad.passes.small.elements import ELEMENTS, constant, is_small
from srcgrad.primitives import arrays, memory, reductions

LONGEST = 128  # numbers that one operation may become
ALL = 4000  # numbers that all operations of a program may become
PLACES = {memory.load: (1, None), memory.store: (1, -1), memory.add_at: (1, -1)}
WHOLE = (memory.assign, memory.add_to)
VIEWS = (memory.view, memory.transpose, memory.reshape)
PRODUCTS = (arrays.matmul, arrays.matvec, arrays.vecdot)
Path = tuple[tuple[Block, int], ...]  # the blocks around a statement, and its position in each


def places(s: Def) -> tuple[Any, ...]:
    """The indices of a load, a store or an addition to an element."""
    first, last = PLACES[s.op]
    return s.args[first:last]


def operand_dims(b: Builder, s: Def) -> list[tuple[int, ...] | None]:
    """The constant dims of each operand of an operation done element by element; () of a scalar.

    A length that is not constant is taken from the one it broadcasts with, if it is known not to be
    1: the check before the operation has passed. None where that is not known.
    """
    if s.op in WHOLE:
        like = atom_dims(s.args[0])
    elif s.op is arrays.vecdot:
        like = next((d for d in map(atom_dims, s.args) if constant(d)), ())
    elif s.op.elementwise and s.var is not None:
        like = atom_dims(s.var)
    else:
        like = ()
    if s.op in (reductions.broadcast_to, reductions.sum_to):
        given = s.args[:1]
    elif s.op in (memory.zeros, memory.empty, arrays.iota):
        given = ()
    else:
        given = s.args
    return [_constant(b, atom_dims(a), like) for a in given]


def _constant(b: Builder, dims: Dims, like: Dims) -> tuple[int, ...] | None:
    skipped = len(like) - len(dims)
    out: list[int] = []
    for k, d in enumerate(dims, skipped):
        known = like[k] if isinstance(d, Var) and skipped >= 0 and b.never_one(d) else d
        if isinstance(known, Var):
            return None
        out.append(known)
    return tuple(out)


def size(b: Builder, s: Def) -> int:
    """About how many numbers an operation done element by element computes."""
    dims = operand_dims(b, s)
    out = prod(constant(atom_dims(s.args[0] if s.var is None else s.var)) or (1,))
    if s.op in PRODUCTS:
        return 2 * out * (dims[0] or (1,))[-1]
    return max([out, *(prod(d) for d in dims if d is not None)])


class _Search:
    def __init__(self, function: Function, classes: AliasClasses, b: Builder, moving: bool):
        self.classes, self.b, self.moving = classes, b, moving
        self.stored = classes_stored(classes)
        self.refused: set[Var] = set()
        self.scope: dict[Var, tuple[Loop, ...]] = {}  # the loops that all names of a class are in
        self.refuse(*function.params, *function.returns)
        self.joins: list[tuple[Stmt, Path, tuple[Loop, ...]]] = []
        self.scan(function.body, (), ())
        for join in self.joins:
            self.join(*join)

    def refuse(self, *atoms: Any) -> None:
        self.refused.update(self.classes.of(a) for a in atoms if is_reference(a.type))

    def kept(self, *atoms: Any) -> list[Var]:
        """The classes of the references that are not refused."""
        found = [self.classes.of(a) for a in atoms if is_reference(a.type)]
        return [c for c in found if c not in self.refused]

    # ---- names and uses ----
    def scan(self, block: Block, path: Path, loops: tuple[Loop, ...]) -> None:
        for k, s in enumerate(block):
            self.bound(results(s), loops)
            if isinstance(s, Def):
                named = [a for a in (s.var, *s.args) if a is not None and is_reference(a.type)]
                if named and not self.understood(s):
                    self.refuse(*named)
                continue
            here = (*path, (block, k))
            inside = (*loops, s) if isinstance(s, Loop) else loops
            self.bound(inner_definitions(s), inside)
            self.joins.append((s, here, loops))
            if isinstance(s, While):
                # stores of the last test would be lost: no trip passes them on
                self.refused |= classes_written(s.test, self.classes)
            for inner in blocks(s):
                self.scan(inner, here, inside)

    def bound(self, names: tuple[Var, ...], loops: tuple[Loop, ...]) -> None:
        for v in names:
            if is_reference(v.type):
                if not is_small(v.type):
                    self.refuse(v)
                c = self.classes.of(v)
                known = self.scope.get(c, loops)
                common = [a for a, b in zip(known, loops, strict=False) if a is b]
                self.scope[c] = tuple(common)

    def understood(self, s: Def) -> bool:
        if s.op is memory.dim:
            return True
        if s.op in PLACES:
            return self.moving or not is_small(s.args[0].type) or self.in_range(s)
        if s.op is memory.view:
            return all(isinstance(a, Const) for a in s.args[1:]) and _is_there(s)
        if s.op in VIEWS:
            return _is_there(s)
        if not (s.op in ELEMENTS or s.op in WHOLE or s.op.elementwise):
            return False
        if s.op in PRODUCTS and not is_float(s.args[0].type.dtype):
            return False
        dims = operand_dims(self.b, s)
        known = [d for d in dims if d is not None and 0 not in d]  # those that have elements
        return len(known) == len(dims) and _fit(s, known) and size(self.b, s) <= LONGEST

    def in_range(self, s: Def) -> bool:
        """Whether an element's place is constant and in bounds: the check before it may fail."""
        at, dims = places(s), constant(atom_dims(s.args[0])) or ()
        return len(at) == len(dims) and all(
            isinstance(p, Const) and 0 <= p.value < d for p, d in zip(at, dims, strict=True)
        )

    # ---- joins ----
    def join(self, s: Stmt, path: Path, loops: tuple[Loop, ...]) -> None:
        for a in (*atoms(s), *results(s)):
            for c in self.kept(a):
                if not self.classes.is_pure(c) and self.stored_later(c, path, loops):
                    self.refused.add(c)

    def stored_later(self, c: Var, path: Path, loops: tuple[Loop, ...]) -> bool:
        """Whether a statement, or one that may run after it, stores to a class."""
        later = [block[k:] if block is path[-1][0] else block[k + 1 :] for block, k in path]
        again = [(t,) for t in loops if t not in self.scope[c]]
        return any(c in self.stored[s] for block in (*later, *again) for s in block)


def _fit(s: Def, dims: list[tuple[int, ...]]) -> bool:
    """Whether operands of these dims fit an operation: the check before it may fail."""
    if s.op in WHOLE:
        return _fits(*dims)
    assert s.var is not None
    stated = constant(atom_dims(s.var))
    if stated is None:
        return False
    try:
        made = np.broadcast_shapes(*dims) if s.op.elementwise else _made(s, dims)
    except ValueError:
        return False
    return made == stated


def _made(s: Def, dims: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape of an operation's result; ValueError or IndexError if the operands do not fit."""
    sizes = [a.value for a in s.args[len(dims) :] if isinstance(a, Const)]
    return np.shape(s.op.impl(*map(np.zeros, dims), *sizes, **s.params))


def _fits(target: tuple[int, ...], value: tuple[int, ...]) -> bool:
    """Whether a value may be stored to an array."""
    pairs = zip(reversed(target), reversed(value), strict=False)
    lead = value[: max(len(value) - len(target), 0)]
    return all(n in (1, m) for m, n in pairs) and all(n == 1 for n in lead)


def _is_there(s: Def) -> bool:
    """Whether the elements of a view with constant places exist: the check before it may fail."""
    dims = constant(atom_dims(s.args[0]))
    if dims is None or s.var is None:
        return False
    try:
        return _made(s, [dims]) == constant(atom_dims(s.var))
    except (ValueError, IndexError):
        return False


def small_classes(
    function: Function, classes: AliasClasses, b: Builder, edges: frozenset[Var], moving: bool
) -> frozenset[Var]:
    """The representatives of the classes that may become numbers; none if they are too many.

    Results that are `edges` are made of numbers. With `moving` the places of elements need not be
    constant: they are once loops are unrolled.
    """
    search = _Search(function, classes, b, moving)
    body = [s for s in walk(function.body) if isinstance(s, Def)]
    whole = [
        s
        for s in body
        if s.var is not None and s.var not in edges and s.op not in (*PLACES, memory.dim)
    ]
    settled = False
    while not settled:  # an array that stays in memory keeps the operands of its definition there
        settled = True
        for s in whole:
            assert s.var is not None
            if is_reference(s.var.type) and not search.kept(s.var) and search.kept(*s.args):
                search.refuse(*s.args)
                settled = False
    named = {search.classes.of(v) for v in defined(function.body) if is_reference(v.type)}
    found = frozenset(named - search.refused)
    return found if _cost(b, body, classes, found) <= ALL else frozenset()


def _cost(b: Builder, body: list[Def], classes: AliasClasses, found: frozenset[Var]) -> int:
    def touches(s: Def) -> bool:
        names: Iterator[Any] = iter((s.var, *s.args))
        return any(
            isinstance(a, Var) and is_reference(a.type) and classes.of(a) in found for a in names
        )

    return sum(size(b, s) for s in body if touches(s) and s.op not in (*PLACES, *VIEWS, memory.dim))
