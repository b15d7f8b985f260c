"""Recovers forward values in the reverse sweep.

Top-level values are in scope. Others are recomputed when that is cheap, reloaded when nothing
was stored in between, else saved on a tape. Memory is rewound by the sweep, so a reference whose
buffer is in scope again has its old contents.
"""

from __future__ import annotations

from typing import Any

from srcgrad.autodiff.nonfinite import MayBeNonFinite
from srcgrad.autodiff.reverse.counters import Counter, Counters
from srcgrad.autodiff.reverse.exact import Exact
from srcgrad.autodiff.reverse.insertions import Insertions
from srcgrad.autodiff.reverse.program import START, Point, Program
from srcgrad.autodiff.reverse.tapes import Tapes
from srcgrad.autodiff.roots import roots_of_squares
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, Stmt, Var, While, atom
from srcgrad.ir.types import INT, Array, Dims, Scalar
from srcgrad.ir.walk import map_type, walk
from srcgrad.operation import Params
from srcgrad.primitives import memory

LONGEST_CHAIN = 24  # operations recomputed in a row; the next value is saved


def recompute_limits(function: Function) -> set[Var]:
    """Values at the end of every long chain of cheap operations: these are saved."""
    depth: dict[Var, int] = {}
    out: set[Var] = set()
    for s in walk(function.body):
        if isinstance(s, Def) and s.var is not None and s.op.cheap:
            below = [depth.get(a, 0) for a in s.args if isinstance(a, Var)]
            depth[s.var] = 1 + max(below, default=0)
            if depth[s.var] > LONGEST_CHAIN:
                out.add(s.var)
                depth[s.var] = 0
    return out


def _by_content(function: Function) -> dict[Any, list[Var]]:
    """The scalars that are not cheap to compute, by their operation and its operands."""
    out: dict[Any, list[Var]] = {}
    for s in walk(function.body):
        if not isinstance(s, Def) or not s.op.elementwise or s.op.cheap:
            continue
        if s.var is not None and isinstance(s.var.type, Scalar):
            out.setdefault((s.op.name, s.args, repr(s.params)), []).append(s.var)
    return out


class Analyses:
    """Facts of the primal that each run of a joint function needs, found once for all of them."""

    def __init__(self, function: Function):
        classes = alias_classes(function)
        self.may_be_nonfinite = MayBeNonFinite(function, classes)
        self.roots = roots_of_squares(function, classes)
        self.limits = frozenset(recompute_limits(function))
        self.by_content = _by_content(function)


class ValueRecovery:
    """Forward values at the current point of the reverse sweep."""

    def __init__(self, program: Program, insertions: Insertions, tapes: Tapes, analyses: Analyses):
        self.program, self.insertions, self.tapes = program, insertions, tapes
        self.b = insertions.builder
        tapes.values = self
        self.references: Any = None  # set by References
        self.may_be_nonfinite, self.roots = analyses.may_be_nonfinite, analyses.roots
        self.now: Point = ()
        self.scopes: list[dict[Any, Any]] = [{}]
        self.read: list[tuple[Var, Point]] = []  # (class, point) of contents read again
        self.forced: set[Var] = set(analyses.limits)
        self.expected: frozenset[Var] = frozenset()  # the values that a first run put on tapes
        self._tape: dict[Var, Any] = {}
        self._place: dict[Var, list[Stmt]] = {}
        self._made = analyses.by_content
        self.exact = Exact(self)
        self.counters = Counters(self)

    # ---- scopes ----
    def find(self, key: Any) -> Any:
        for scope in reversed(self.scopes):
            if key in scope:
                return scope[key]
        return None

    def remember(self, key: Any, value: Any) -> None:
        self.scopes[-1][key] = value

    def forward(
        self, v: Var, point: Point, owner: Stmt | None, place: list[Stmt] | None = None
    ) -> None:
        """Registers a variable added to the forward sweep; it cannot be recomputed.

        `place` is the insertion that holds it, if that does not follow from point and owner.
        """
        self.program.defined[v] = point
        self.program.owner[v] = owner
        self.forced.add(v)
        if place is not None:
            self._place[v] = place

    def state(self) -> tuple[Point | int, ...]:
        """A key of the recovery state: while it is equal, values are recovered in the same way."""
        return self.now, len(self._tape), *map(len, self.scopes)

    # ---- recovering values ----
    def __call__(self, a: Atom | None) -> Any:
        """The value of a forward atom; of a reference, the reference."""
        if not isinstance(a, Var) or self.program.is_direct(a):
            return a
        got = self.find(a)
        if got is None:
            got = self._recover(a)
            self.remember(a, got)
        return got

    @property
    def taped(self) -> set[Var]:
        """The variables saved on tapes so far."""
        return set(self._tape)

    def many(self, atoms: Any) -> tuple[Any, ...]:
        return tuple(self(a) for a in atoms)

    def dims(self, type_: Array) -> Dims:
        """The dims of a type in terms of values in scope here."""
        return self.b.dims([self(atom(d)) for d in type_.dims])

    def type(self, t: Any) -> Any:
        return map_type(t, self)

    def at_hand(self, op: str, args: tuple[Atom, ...], params: Params) -> Any:
        """The scalar that the forward sweep computed so, if it is saved anyway; else None."""
        for v in self._made.get((op, args, repr(params)), ()):
            point = self.program.defined[v]
            here = self.now[: len(point)]
            entered = here[:-1] == point[:-1] and here[-1][0] == point[-1][0]
            remembered = v in self._tape or v in self.expected or self.find(v) is not None
            if entered and remembered:
                return self(v)
        return None

    def contents(self, a: Atom) -> Any:
        """A reference whose contents are read here, or a scalar."""
        if isinstance(a, Var) and not isinstance(a.type, Scalar):
            self.mark(a)
        return self(a)

    def mark(self, v: Var) -> None:
        """Records that the contents of a class are read at this point of the reverse sweep."""
        self.read.append((self.program.classes.of(v), self.now))

    def kept(self, v: Var) -> Any:
        """The saved value of a scalar or array, even if it is cheap to recompute."""
        scalar = isinstance(v.type, Scalar)
        return self._taped(v) if scalar else self.saved_array(v, late=False)

    def _recover(self, v: Var) -> Any:
        counter = self.counter(v)
        if counter is not None:
            return self.counters(counter, v.name)
        if self.is_cheap(v):
            return self._recomputed(v)
        if isinstance(v.type, Scalar):
            return self._taped(v)
        if self.references.is_shadow(v):
            return self.references.kept(v)
        if self.program.classes.is_pure(v):
            return self._pure_array(v)
        return self.references.recover(v)

    # ---- recomputing ----
    def is_cheap(self, v: Any) -> bool:
        """Whether recomputing a value here costs less than saving it."""
        if not isinstance(v, Var) or self.program.is_direct(v) or self.find(v) is not None:
            return True
        d = self.program.owner.get(v)
        if v in self.forced or not isinstance(d, Def):
            return self.counter(v) is not None
        if d.op is memory.load:
            cls = self.program.classes.of(d.args[0])
            if not self.program.intact(cls, self.program.defined[v], self.now):
                return False
            return self._reachable(d.args[0]) and all(self.is_cheap(a) for a in d.args[1:])
        if d.op.view:
            return self._reachable(d.args[0]) and all(self.is_cheap(a) for a in d.args[1:])
        if not self._is_arithmetic(d) or not self.exact.may_decide(d):
            return False
        new = self._scalar_leaves(v, {}) - self._tape.keys() - self.expected
        # a flag is smaller than the number it was computed from
        return not new or (
            len(new) == 1 and (v.type.dtype != "bool" or new.pop().type.dtype == "bool")
        )

    def counter(self, v: Var) -> Counter | None:
        """The counter that `v` is, if its value follows from the number of the trip."""
        return None if v in self.forced else self.counters.of(v)

    def _is_arithmetic(self, d: Def) -> bool:
        """Whether a definition is a cheap operation on scalars."""
        return bool(d.op.cheap) and all(
            isinstance(a.type, Scalar) or d.op is memory.dim for a in d.args
        )

    def _scalar_leaves(self, v: Any, seen: dict[Var, set[Var]]) -> set[Var]:
        """The scalars that must be saved so that `v` can be recomputed here."""
        if not isinstance(v, Var) or self.program.is_direct(v) or self.find(v) is not None:
            return set()
        if v not in seen:
            d = self.program.owner.get(v)
            if (counter := self.counter(v)) is not None:
                seen[v] = self._scalar_leaves(counter.init, seen)
            elif not isinstance(d, Def) or v in self.forced or not self._is_arithmetic(d):
                seen[v] = set() if self.is_cheap(v) else {v}
            elif not self.exact.may_decide(d):
                seen[v] = {v}
            elif d.op is memory.dim:
                seen[v] = set()
            else:
                seen[v] = set().union(*(self._scalar_leaves(a, seen) for a in d.args))
        return seen[v]

    def _reachable(self, v: Any) -> bool:
        """Whether a reference can be recovered here without its own tape of references."""
        return self.references.is_reachable(v)

    def _recomputed(self, v: Var) -> Any:
        d = self.program.owner[v]
        assert isinstance(d, Def)
        if d.op is memory.load:
            self.contents(d.args[0])
        op = "wrap" if d.op is memory.index else d.op
        params = {} if d.op is memory.index else d.params
        return self.exact.again(op, self.exact.operands(d, self), v.name, params)

    # ---- tapes ----
    def save_place(self, v: Var, late: bool = False) -> list[Stmt]:
        """The place in the forward sweep where a value is put on its tape."""
        if v in self._place:
            return self._place[v]
        s, ins = self.program.owner.get(v), self.insertions
        key, i = self.program.defined[v][-1]
        if late:
            return ins.at_end(key)
        if i == START:
            return ins.at_start(key)
        if s is None:  # defined before the statement at its point
            return ins.at_before(self.program.block[key][i])
        return ins.at_after(s)

    def _taped(self, v: Var) -> Any:
        """A scalar from its tape."""
        point = self.program.defined[v]
        loops = self.program.loops(point)
        if v not in self._tape:
            tape = self.tapes.new(v, loops, point, ())
            at = self.tapes.position(loops).var if loops else Const(0, INT)
            with self.insertions.into(self.save_place(v)) as b:
                if not self.tapes.is_dense(loops):
                    self.tapes.reserve(b, tape, v, loops, b.add(at, 1))
                b.store(tape, at, b.cast(v, Scalar(self.tapes.dtype(v))))
            self._tape[v] = tape
        got = self.b.load(self._tape[v], self.tapes.position_here(loops), name=v.name)
        return self.b.retyped(got, v.type, v.name)

    def _pure_array(self, v: Var) -> Any:
        """An array that is never stored to: a view, recomputed, or its saved contents."""
        d = self.program.owner.get(v)
        if isinstance(d, Def) and d.op.view:
            return self.exact.again(d.op, self.many(d.args), v.name, d.params)
        if isinstance(d, Def) and self.is_array_again(v):
            operands = self.exact.operands(d, self.contents)
            return self.exact.again(d.op, operands, v.name, d.params)
        return self.saved_array(v, late=False)

    def is_array_again(self, v: Var) -> bool:
        """Whether a pure array is recomputed at the current point."""
        leaves = self._leaves(v, {})
        # its operand is saved anyway, or instead of it
        return v not in leaves and len(leaves - self._tape.keys()) <= 1

    def _leaves(self, v: Any, seen: dict[Var, set[Var]]) -> set[Var]:
        """The arrays that must be saved so that a pure array can be recomputed here."""
        if not isinstance(v, Var) or isinstance(v.type, Scalar) or self.find(v) is not None:
            return set()
        if v not in seen:
            seen[v] = self._array_leaves(v, seen)
        return seen[v]

    def _array_leaves(self, v: Var, seen: dict[Var, set[Var]]) -> set[Var]:
        d = self.program.owner.get(v)
        if not self.program.classes.is_pure(v):
            return set()  # judged by its user
        if self.program.is_direct(v):
            return set()
        if isinstance(d, Def) and d.op.view and all(self.is_cheap(a) for a in d.args[1:]):
            return self._leaves(d.args[0], seen)
        if not isinstance(d, Def) or not d.op.elementwise or not d.op.cheap:
            return {v}
        if v in self.forced or not self.exact.may_decide(d):
            return {v}
        if not all(self._is_as_it_was(a, v) for a in d.args):
            return {v}
        return set[Var]().union(*(self._leaves(a, seen) for a in d.args))

    def _is_as_it_was(self, a: Any, user: Var | None = None) -> bool:
        """Whether an operand has the same contents here as where `user` was computed."""
        if not isinstance(a, Var) or isinstance(a.type, Scalar) or self.program.classes.is_pure(a):
            return True
        if user is None or not self._reachable(a):
            return False
        cls = self.program.classes.of(a)
        return self.program.intact(cls, self.program.defined[user], self.now)

    def saved_array(self, v: Var, late: bool) -> Any:
        """The contents of an array when it was defined (`late`: at the end of its block)."""
        point = self.program.defined[v]
        loops = self.program.loops(point)
        if v not in self._tape:
            self._tape[v] = self._save_array(v, loops, point, late)
        tape, offset = self._tape[v]
        if offset is not None:
            here = self(offset)
        else:
            here = self.b.mul(self.tapes.position_here(loops), self.b.size(self.dims(v.type)))
        got = self.b.tape_view(tape, here, *self.dims(v.type), name=v.name)
        return self.b.cast(got, Scalar(v.type.dtype))

    def _save_array(self, v: Var, loops: list[For | While], point: Point, late: bool) -> Any:
        even = self._is_even(v.type)
        tape = self.tapes.new(v, loops, point, v.type.dims if even else None)
        at = self.tapes.position(loops).var if loops and even else Const(0, INT)
        cell = None
        if not even:
            with self.insertions.into(self.insertions.at_head()) as b:
                cell = b.zeros(1, dtype="i64", name="used")
        dense = self.tapes.is_dense(loops) and even
        saved = self.save_place(v, late)
        with self.insertions.into(saved) as b:
            own = b.size(v.type.dims)
            offset = b.load(cell, 0, name="offset") if cell is not None else b.mul(at, own)
            if not dense:
                self.tapes.reserve(b, tape, v, loops, b.add(offset, own))
            b.assign(
                b.tape_view(tape, offset, *v.type.dims), b.cast(v, Scalar(self.tapes.dtype(v)))
            )
            if cell is not None:
                b.store(cell, 0, b.cast(b.add(offset, own), Scalar("i64")))
        if cell is None:
            return tape, None
        key = point[-1][0]
        place = (*point[:-1], (key, len(self.program.block[key]))) if late else point
        self.forward(offset, place, None, saved)
        return tape, offset

    def _is_even(self, t: Array) -> bool:
        """Whether every slot has one size, known at the top level."""
        return all(not isinstance(d, Var) or self.program.is_direct(d) for d in t.dims)
