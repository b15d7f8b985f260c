"""The storage of adjoints, and the one place where they are accumulated.

A scalar's adjoint is a value: the first contribution assigns. So is that of an array that is never
stored to, as long as contributions are whole; those to parts (an element, a view, all that a nested
block adds) go into a buffer of zeros that is added at the end. A mutable buffer has a shadow.
"""

from __future__ import annotations

from typing import Any

from srcgrad.autodiff.activity import Activity
from srcgrad.autodiff.reverse.program import TOP, Key
from srcgrad.autodiff.reverse.references import References
from srcgrad.autodiff.reverse.values import ValueRecovery
from srcgrad.autodiff.rules import fitted
from srcgrad.ir.nodes import Atom, Const, Def, Loop, Stmt, Var
from srcgrad.ir.summaries import FreeVariables, Summaries
from srcgrad.ir.types import Array, Scalar, Tape, float_type
from srcgrad.ir.walk import blocks, results


class Adjoints:
    """The adjoints of forward values at the current point of the reverse sweep."""

    def __init__(self, values: ValueRecovery, references: References, active: Activity):
        self.values, self.references, self.b = values, references, values.b
        self.program, self.active = values.program, active
        references.shadows = self
        self.scalars: dict[Var, Atom] = {}
        self.whole: dict[Var, Atom] = {}
        self.parts: dict[Var, Atom] = {}
        self.block: Key = TOP  # the forward block whose reverse is being emitted
        self.free = FreeVariables()
        self._free: dict[Stmt, list[Var]] = {}
        self.makes_active = Summaries(self._makes_active)

    # ---- kinds ----
    def is_value(self, v: Var) -> bool:
        """Whether a reference's class is never stored to: its adjoint is a value."""
        return isinstance(v.type, Array) and self.program.classes.is_pure(v)

    def root(self, v: Var) -> Var:
        """The array that a chain of views starts from."""
        while isinstance(d := self.program.owner.get(v), Def) and d.op.view:
            v = d.array
        return v

    def is_home(self, v: Var) -> bool:
        return self.program.home(v) == self.block

    # ---- accumulation ----
    def add(self, v: Any, g: Atom | None) -> None:
        """Adds a contribution to the adjoint of `v`; undoes broadcasting and casts."""
        if g is None or not isinstance(v, Var) or not self.active(v):
            return
        if isinstance(v.type, Scalar):
            g = fitted(self.b, g, v.type)
            old = self.scalars.get(v)
            self.scalars[v] = g if old is None else self.b.add(old, g, name=f"{v.name}_bar")
        elif self.is_value(v) and self.root(v) is v and self.is_home(v):
            g = fitted(self.b, g, self.values.type(v.type), full=True)
            old = self.whole.get(v)
            self.whole[v] = g if old is None else self.b.add(old, g, name=f"{v.name}_bar")
        else:
            g = fitted(self.b, g, self.values.type(v.type))
            self.b.add_to(self.place(v), g)

    def place(self, v: Var) -> Any:
        """The buffer in which parts of the adjoint of a reference are accumulated."""
        if not self.is_value(v):
            return self.references.shadow(v)
        d = self.program.owner.get(v)
        if isinstance(d, Def) and d.op.view:
            cached = self.values.find(("part", v))
            if cached is None:
                base = self.place(d.array)
                rest = self.values.many(d.args[1:])
                cached = self.b(d.op, base, *rest, name=f"{v.name}_bar", **d.params)
                self.values.remember(("part", v), cached)
            return cached
        return self.materialise(v)

    def materialise(self, v: Var) -> Any:
        """The buffer of zeros for parts of a pure array's adjoint, made in its own block."""
        if v not in self.parts:
            assert self.is_home(v), v
            self.parts[v] = self.zeros(v)
        return self.parts[v]

    def zeros(self, v: Var) -> Any:
        dims = self.values.dims(v.type)
        return self.b.zeros(*dims, dtype=v.type.dtype, name=f"{v.name}_bar")

    # ---- consumption ----
    def take(self, v: Var) -> Atom | None:
        """Returns the complete adjoint of a scalar or a pure array, and forgets it."""
        if isinstance(v.type, Scalar):
            return self.scalars.pop(v, None)
        whole, part = self.whole.pop(v, None), self.parts.pop(v, None)
        if whole is None or part is None:
            return part if whole is None else whole
        return self.b.add(whole, part, name=f"{v.name}_bar")

    def take_value(self, v: Var) -> Atom | None:
        """Like `take`; an array is a contiguous one that nothing else writes to.

        The adjoint of an operand of a join is a view of that of the whole: its elements need not be
        contiguous, while those of a carried array are.
        """
        had_parts = v in self.parts and v not in self.whole
        g = self.take(v)
        strided = g is not None and isinstance(g.type, Array) and g.type.layout != "C"
        return self.b.copy(g, name=f"{v.name}_bar") if had_parts or strided else g

    def zero(self, v: Var) -> Atom:
        """The adjoint of a value that nothing depends on."""
        if isinstance(v.type, Scalar):
            return Const(0.0, v.type)
        return self.zeros(v)

    # ---- blocks ----
    def free_active(self, s: Stmt) -> list[Var]:
        """Active variables from outside that the blocks of a statement read."""
        if s not in self._free:
            found: dict[Var, None] = {}
            for inner in blocks(s):
                found |= dict.fromkeys(self.free.of_block(inner))
            for a in _yields(s):
                if isinstance(a, Var) and not self.program.inside(a, s):
                    found[a] = None
            self._free[s] = [v for v in found if float_type(v.type) and self.active(v)]
        return self._free[s]

    def free_scalars(self, s: Stmt) -> list[Var]:
        """Active scalars from outside that a statement reads, but not only to begin with them."""
        begun = set(s.inits) if isinstance(s, Loop) else set[Atom]()
        begun -= {v for inner in blocks(s) for v in self.free.of_block(inner)}
        begun -= set(s.yields) if isinstance(s, Loop) else set[Atom]()
        return [
            v
            for v in self.free_active(s)
            if isinstance(v.type, Scalar) and not self.program.inside(v, s) and v not in begun
        ]

    def prepare(self, s: Stmt) -> None:
        """Makes buffers for what the reverse of a nested statement adds to pure arrays."""
        for v in self.free_active(s):
            if self.is_value(v):
                root = self.root(v)
                if self.is_home(root) and not self.program.inside(root, s):
                    self.materialise(root)

    def open_shadows(self, block: tuple[Stmt, ...]) -> None:
        """Makes zero shadows of a block's own buffers, at the start of its reverse."""
        for s in block:
            if not isinstance(s, Def) or s.var is None or s.op.view:
                continue
            v = s.var
            if not isinstance(v.type, Array | Tape) or not self.active(v) or self.is_value(v):
                continue
            if self.references.is_threaded(v):
                continue
            if self.program.is_direct(v) or self.references.is_local(v):
                self.values.remember(("shadow", v), self._new_shadow(v))

    def _new_shadow(self, v: Var) -> Any:
        if not isinstance(v.type, Tape):
            return self.zeros(v)
        if self.program.is_direct(v):
            return self.b.tape_like(v)
        zero = Const(0.0, Scalar(v.type.dtype))
        return self.references.local_tape(v, f"{v.name}_bar", zero)

    def touches(self, s: Stmt) -> bool:
        """Whether the reverse of a nested statement may have any effect."""
        return bool(self.program.stores[s] or self.free_active(s)) or self.makes_active[s]

    def _makes_active(self, s: Stmt, inner: list[bool]) -> bool:
        return any(inner) or any(map(self.active, results(s)))


def _yields(s: Stmt) -> tuple[Atom, ...]:
    from srcgrad.ir.walk import atoms

    return () if isinstance(s, Def) else atoms(s)
