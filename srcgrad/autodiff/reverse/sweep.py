"""The reverse of each statement.

An effect is reversed in three steps: its operands are recovered in the state after it, its memory
is rewound, its adjoint is passed on. Shadows make aliasing right by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from srcgrad.autodiff import attached
from srcgrad.autodiff.decisions import Made, any_decision
from srcgrad.autodiff.reverse.adjoints import Adjoints
from srcgrad.autodiff.reverse.program import TOP, Key, Point, Program, Reads
from srcgrad.autodiff.reverse.values import ValueRecovery
from srcgrad.autodiff.rules import contribution
from srcgrad.autodiff.traced import Values
from srcgrad.errors import Location
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, If, Stmt, Var, While, altered
from srcgrad.ir.types import Array, Scalar, is_float
from srcgrad.operation import Params
from srcgrad.primitives import Primitive, memory
from srcgrad.primitives import attached as rows


def grad_of(loc: Location | None) -> Location | None:
    """The user's location, marked as that of a derivative."""
    return loc if loc is None or loc.role else altered(loc, role="grad of: ")


class RuleValues(Values):
    """The values that a rule reads, recovered by the sweep."""

    def __init__(self, definition: Def, values: ValueRecovery):
        super().__init__(definition)
        self.values = values
        self.may_be_nonfinite, self.roots = values.may_be_nonfinite, values.roots

    def __call__(self, k: int) -> Atom:
        return self.values.contents(self.definition.args[k])

    def result(self) -> Atom:
        assert self.definition.var is not None
        return self.values.contents(self.definition.var)

    def dim(self, d: Var) -> Atom:
        return self.values(d)

    def of_forward_sweep(self, v: Var) -> bool:
        return v in self.values.program.defined

    def again(self, op: Any, places: list[int], params: Params) -> Atom | None:
        name = op if isinstance(op, str) else op.name
        return self.values.at_hand(name, tuple(self.definition.args[k] for k in places), params)

    def decided(self, made: Made) -> Atom | None:
        return self.values.exact.decided(made, self.definition)


class Sweep:
    """Emits the reverse of blocks and effects; branches and loops are in `nested`."""

    def __init__(self, adjoints: Adjoints, known: frozenset[tuple[Var, Point]] | None):
        self.adjoints, self.values = adjoints, adjoints.values
        self.references, self.b = adjoints.references, adjoints.b
        self.program: Program = adjoints.program
        # the points where contents of classes are read again, found by a first run; None: all
        self.known = None if known is None else _by_class(known)
        self.old: dict[Stmt, Var] = {}
        # parts of values with user-defined rules: the variables, and the adjoints so far
        self.parts: dict[Atom, dict[int, Var]] = {}
        self.given: dict[Atom, dict[int, Atom]] = {}

    # ---- blocks ----
    def open(self, block: Block, key: Key) -> None:
        """Makes the buffers that a block's reverse starts with: seeds may need them."""
        if key != TOP:  # the buffers of the top level are in scope
            self.references.open_snapshots(block, self._is_its_tape)
        self.adjoints.open_shadows(block)

    def block(self, block: Block, key: Key) -> None:
        outer, self.adjoints.block = self.adjoints.block, key
        for s in reversed(block):
            self.values.now = self.program.point[s]
            self.b.loc = grad_of(s.loc)
            self.statement(s)
        self.adjoints.block = outer

    def statement(self, s: Stmt) -> None:
        match s:
            case If():
                self.branch(s)
            case For() | While():
                self.loop(s)
            case Def(var=None):
                self.effect(s)
            case Def():
                self.definition(s)

    def branch(self, s: If) -> None:
        raise NotImplementedError  # in Nested

    def loop(self, s: For | While) -> None:
        raise NotImplementedError  # in Nested

    # ---- definitions ----
    def definition(self, s: Def) -> None:
        v = s.var
        assert v is not None
        if s.op is rows.part:
            self.parts.setdefault(s.args[0], {})[s.params["k"]] = v
        if s.op is rows.attached:
            self._by_own_rule(s, v)
            return
        if s.op.view or s.op.fresh or not self.adjoints.active(v):
            return
        g = self._adjoint_of(v)
        if g is None:
            return
        if s.op is memory.load:
            self.b.add_at(self._place(s.args[0]), *self.values.many(s.args[1:]), g)
        elif s.op is memory.gather:
            place = self._place(s.args[0])
            self.b.scatter_add(place, *self._contents(s.args[1:]), g, **s.params)
        elif s.op is memory.take_last:
            self._take_last(s, g)
        elif s.op is rows.part:
            self.given.setdefault(s.args[0], {})[s.params["k"]] = g
        else:
            self._by_rules(s, g)

    def _adjoint_of(self, v: Var) -> Atom | None:
        if isinstance(v.type, Scalar) or self.adjoints.is_value(v):
            return self.adjoints.take(v)
        return self.references.shadow(v)

    def _by_rules(self, s: Def, g: Atom) -> None:
        # only a statement with a result has an adjoint: `var` is not None
        shadowed = not isinstance(s.var.type, Scalar) and not self.adjoints.is_value(s.var)  # type: ignore[union-attr]  (it has a result)
        for k, a in enumerate(s.args):
            if not isinstance(a, Var) or not self.adjoints.active(a):
                continue
            part = contribution(self.b, s, k, g, RuleValues(s, self.values))
            if part is not None and shadowed and self._is_view_of(part, g):
                part = self.b.copy(part)  # the shadow lives on
            self.adjoints.add(a, part)

    def _by_own_rule(self, s: Def, v: Var) -> None:
        """Reverses values whose derivative the user states: all adjoints at once, since the rule
        need not be linear in them.
        """
        parts, given = self.parts.get(v, {}), self.given.pop(v, {})
        if not given:
            return
        attached.refuse_foreign(s, self.adjoints.active.varies)
        of = attached.operands(s)
        seeds: list[Atom] = []
        for k, y in enumerate(of.values):
            g = given.get(k)
            if g is None:
                # a value with a rule is a number or an array, and a Var where it is an array
                g = self.adjoints.zeros(y) if isinstance(y.type, Array) else 0.0  # type: ignore[union-attr]  (an array is a Var)
            elif isinstance(y.type, Array) and not self.adjoints.is_value(parts[k]):
                g = self.b.copy(g)  # the shadow lives on
            seeds.append(self.b.cast(g, Scalar(y.type.dtype)))

        def own(k: int) -> Atom:
            if k not in parts:
                parts[k] = self._new_part(s, v, k)
            return recover(parts[k])

        pull = s.params["rule"].reverse()
        # decisions that the user's rule makes again must come out the same
        recover = self.values.exact.recover if any_decision(pull.function) else self.values.contents
        made = attached.run(self.b, s, pull, seeds, own, recover, self.values.insertions.head)
        for a, g in zip(of.inputs, made, strict=True):
            self.adjoints.add(a, g)

    def _new_part(self, s: Def, v: Var, k: int) -> Var:
        """A value that only its rule reads, in the forward sweep."""
        place = self.values.insertions.at_after(s)
        with self.values.insertions.into(place) as b:
            made = b.part(v, k=k)
        self.values.forward(made, self.program.point[s], None, place)
        return made

    def _is_view_of(self, part: Atom, g: Atom) -> bool:
        while part is not g and isinstance(part, Var):
            d = self.b.definition.get(part)
            if d is None or not d.op.view:
                return False
            part = d.args[0]
        return part is g

    def _take_last(self, s: Def, g: Atom) -> None:
        x = s.args[0]
        assert isinstance(x, Var)
        zeros = self.adjoints.zeros(x)
        self.b.scatter(zeros, *self._contents(s.args[1:]), g, **s.params)
        self.adjoints.add(x, zeros)

    def _place(self, x: Atom) -> Any:
        assert isinstance(x, Var)
        return self.adjoints.place(x)

    def _contents(self, atoms: tuple[Atom, ...]) -> list[Any]:
        return [self.values.contents(a) for a in atoms]

    # ---- effects ----
    def effect(self, s: Def) -> None:
        """Reverses a store: adjoints are read, memory is rewound, adjoints are passed on."""
        of = STORES.get(s.op)
        if of is None:
            return
        x, value = s.args[0], s.args[-1]
        assert isinstance(x, Var)
        self.after()
        g = None
        if self.adjoints.active(x) and is_float(x.type.dtype):
            g = of(self, s, x, value)
        self._rewind(s, x)
        self.adjoints.add(value, g)

    def after(self) -> None:
        """Moves to the point after the statement: memory is in that state until it is rewound."""
        *outer, (key, i) = self.values.now
        self.values.now = (*outer, (key, i + 1))

    def of_store(self, s: Def, x: Var, value: Atom) -> Any:
        shadow, places = self._place(x), self.values.many(s.args[1:-1])
        g = self.b.load(shadow, *places, name="g") if self.adjoints.active(value) else None
        self._zero(s, shadow, places)
        return g

    def of_add_at(self, s: Def, x: Var, value: Atom) -> Any:
        if not self.adjoints.active(value):
            return None
        return self.b.load(self._place(x), *self.values.many(s.args[1:-1]), name="g")

    def of_assign(self, s: Def, x: Var, value: Atom) -> Any:
        shadow = self._place(x)
        g = self._of_all(shadow, value) if self.adjoints.active(value) else None
        self._zero(s, shadow, ())
        return g

    def of_add_to(self, s: Def, x: Var, value: Atom) -> Any:
        if not self.adjoints.active(value):
            return None
        return self._of_all(self._place(x), value)

    def _of_all(self, shadow: Any, value: Atom) -> Any:
        """The adjoint of a value stored to a whole array: a copy, as the shadow changes later."""
        if isinstance(value.type, Scalar):
            return self.b.sum(shadow, axes=tuple(range(shadow.type.ndim)))
        return self.b.copy(shadow, name="g")

    def _zero(self, s: Def, shadow: Any, places: Iterable[Atom]) -> None:
        """Zeroes the adjoint of what a store overwrote: nothing read after it depends on that."""
        self.b(s.op, shadow, *places, Const(0.0, Scalar(shadow.type.dtype)), **s.params)

    def of_scatter(self, s: Def, x: Var, value: Atom) -> Any:
        shadow, idx = self._place(x), self._contents(s.args[1:-1])
        g = None
        if self.adjoints.active(value):
            g = self.b.take_last(shadow, *idx, name="g", **s.params)
        self._zero(s, shadow, idx)
        return g

    def of_scatter_add(self, s: Def, x: Var, value: Atom) -> Any:
        if not self.adjoints.active(value):
            return None
        return self.b.gather(self._place(x), *self._contents(s.args[1:-1]), name="g", **s.params)

    # ---- rewinding ----
    def _rewind(self, s: Def, x: Var) -> None:
        """Restores what a store overwrote, if the sweep reads it again later."""
        point = self.program.point[s]
        self.values.now = point
        if not self._must_save(self.program.classes.of(x), point):
            return
        old = self.old[s] if s in self.old else self._save_old(s, x, point)
        self.after()
        reference, places = self.values(x), [self.values.contents(a) for a in s.args[1:-1]]
        if s.op in (memory.store, memory.add_at):
            self.b.store(reference, *places, self.values(old))
        elif s.op in (memory.assign, memory.add_to):
            self.b.assign(reference, self.values(old))
        else:
            self.b.scatter(reference, *places, self.values(old), **s.params)
        self.values.now = point

    def _save_old(self, s: Def, x: Var, point: Any) -> Var:
        """Reads the elements that are about to be overwritten, before the store."""
        ins = self.values.insertions
        place = ins.at_before(s)
        with ins.into(place) as b:
            if s.op in (memory.store, memory.add_at):
                old = b.load(x, *s.args[1:-1], name="old")
            elif s.op in (memory.assign, memory.add_to):
                old = b.copy(x, name="old")
            else:
                old = b.gather(x, *s.args[1:-1], name="old", **s.params)
        self.values.forward(old, point, None)
        self.old[s] = old
        return old

    def _is_its_tape(self, v: Var) -> bool:
        """Whether a local buffer may be read where it was saved: no old elements are restored.

        A buffer that is joined with others is copied: the tape would become one of them.
        """
        cls = self.program.classes.of(v)
        if cls in self.program.joined:
            return False
        return not any(self._must_save(cls, at) for at in self.program.stored_at.get(cls, ()))

    def _must_save(self, cls: Var, point: Any) -> bool:
        """Whether contents of the class are read at a point that the sweep reaches later."""
        if self.known is None:
            return True
        reads = self.known.get(cls)
        return reads is not None and reads.comes_later(point, self.program.own_loops(cls))


def _by_class(known: Iterable[tuple[Var, Point]]) -> dict[Var, Reads]:
    points: dict[Var, list[Point]] = {}
    for cls, point in known:
        points.setdefault(cls, []).append(point)
    return {cls: Reads(of) for cls, of in points.items()}


# the adjoint of a stored value, whether in an array or on a tape
STORES: Mapping[Primitive, Callable[[Sweep, Def, Var, Atom], Any]] = {
    memory.store: Sweep.of_store,
    memory.add_at: Sweep.of_add_at,
    memory.assign: Sweep.of_assign,
    memory.add_to: Sweep.of_add_to,
    memory.scatter: Sweep.of_scatter,
    memory.scatter_add: Sweep.of_scatter_add,
}
