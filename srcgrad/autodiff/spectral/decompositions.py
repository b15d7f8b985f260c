"""Finds a program's arrays of eigenvalues, singular values and vectors, and of which matrix.

A decomposition is that of a matrix, or of each matrix of a stack by a loop that stores them. Never
emits anything but copies of its findings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.autodiff.activity import reachable
from srcgrad.autodiff.blocked import ValueFlow
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var
from srcgrad.ir.types import Array, atom_dims, float_type, is_complex, same_dim, same_dims
from srcgrad.ir.walk import blocks, walk
from srcgrad.primitives import elementwise, factorisations, memory, singular_vectors
from srcgrad.records import record

DECOMPOSING = (factorisations.eigh, singular_vectors.svd)


def decomposes(s: Def) -> bool:
    """Whether a step decomposes a real matrix: transposes and conjugates differ of others."""
    return s.op in DECOMPOSING and not is_complex(s.args[0].type.dtype)


VALUES, LEFT, RIGHT = "values", "left", "right"
Span = tuple[Atom, Atom] | None  # of which values: the first, how many; None: all


@record(frozen=True, eq=False)
class Decomposition:
    step: Def
    loop: For | None = None  # that runs the step for each matrix of a stack

    @property
    def symmetric(self) -> bool:
        return self.step.op is factorisations.eigh


@record(frozen=True, eq=False)
class Role:
    """The role of an array: values, or vectors in its columns; in its rows if it is `turned`."""

    of: Decomposition
    part: str
    turned: bool = False
    span: Span = None

    def fits(self, other: Role) -> bool:
        """Whether they belong to the same values."""
        if self.of.step is not other.of.step or self.of.loop is not other.of.loop:
            return False
        if self.span is None or other.span is None:
            return self.span is other.span
        return all(a is b or a == b for a, b in zip(self.span, other.span, strict=True))


class Decompositions:
    """The decompositions of a function, and the roles of its arrays."""

    def __init__(self, function: Function):
        self.classes = alias_classes(function)
        self.definition: dict[Var, Def] = {}
        self.place: dict[Stmt, tuple[tuple[Any, int], ...]] = {}
        self.writes: dict[Var, list[Def]] = {}  # by class of memory
        self._around: dict[Def, For] = {}  # the innermost loop around a statement
        self._index(function.body, ())
        self._flow = ValueFlow(function.body, self.classes)
        self._moved: dict[Def, set[Var]] = {}

    def _index(self, block: Block, prefix: tuple[tuple[Any, int], ...]) -> None:
        for i, s in enumerate(block):
            self.place[s] = here = (*prefix, (block, i))
            if isinstance(s, Def):
                if s.var is not None:
                    self.definition[s.var] = s
                elif s.op.writes:
                    self.writes.setdefault(self.classes.of(s.args[0]), []).append(s)
            for inner in blocks(s):
                if isinstance(s, For):
                    self._around.update({t: s for t in inner if isinstance(t, Def)})
                self._index(inner, here)

    # ---- questions ----
    def depends(self, a: Atom, on: Decomposition) -> bool:
        """Whether a value depends on a decomposition."""
        if not isinstance(a, Var):
            return False
        if on.step not in self._moved:
            edges = ((self._flow.key(e.source), self._flow.key(e.target)) for e in self._flow.edges)
            self._moved[on.step] = reachable([self._flow.key(on.step.var)], edges)  # type: ignore[arg-type]  (it has a result)
        return self._flow.key(a) in self._moved[on.step]

    def contents(self, v: Atom, at: Stmt) -> Def | None:
        """The definition of the contents of an array or a number where a statement reads it.

        Memory that is stored to as a whole holds what was stored last; a view is its own contents.
        """
        d = self.definition.get(v) if isinstance(v, Var) else None
        if d is None or not isinstance(d.var.type, Array) or self.classes.is_pure(d.var):  # type: ignore[union-attr]  (it has a result)
            return d
        if d.op.view:
            return d
        writes = self.writes.get(self.classes.of(v), [])
        block, now = self.place[d][-1][0], self.place[at][-1]
        if now[0] is not block or any(not self._is_whole(w, d) for w in writes):
            return None
        before = [w for w in writes if self.place[w][-1][1] < now[1]]
        return self.contents(before[-1].args[1], before[-1]) if before else d

    def _is_whole(self, write: Def, d: Def) -> bool:
        """Whether a write puts an array of the same type into the whole of what `d` defines."""
        if write.op is not memory.assign or write.args[0] is not d.var:
            return False
        return write.args[1].type == d.var.type and self.place[write][-1][0] is self.place[d][-1][0]  # type: ignore[union-attr]  (it has a result)

    def role(self, v: Atom, at: Stmt) -> Role | None:
        d = self.definition.get(v) if isinstance(v, Var) else None
        if d is None or not isinstance(d.var.type, Array):  # type: ignore[union-attr]  (it has a result)
            return None
        if d.op in (memory.empty, memory.zeros):
            return self._of_stack(d)
        d = self.contents(v, at)
        return None if d is None or not d.args else self._found(d, at)

    def _found(self, d: Def, at: Stmt) -> Role | None:
        assert d.var is not None
        x, at = d.args[0], at if d.op.view else d
        if d.op in (memory.copy, elementwise.cast, elementwise.conj) and float_type(d.var.type):
            return self.role(x, at) if float_type(x.type) else None
        if d.op is memory.transpose:
            return self._turned(self.role(x, at), d)
        if d.op is memory.view:
            step = self.definition.get(x)  # type: ignore[arg-type]  (an array)
            if step is not None and decomposes(step):
                return self._part(step, d) if self.classes.is_pure(x) else None
            return self._span(self.role(x, at), d)
        if d.op is memory.reshape:
            return self._reshaped(self.role(x, at), d)
        return None

    def _part(self, step: Def, view: Def) -> Role | None:
        of = Decomposition(step, None)
        if view.params["spec"] == ("i", ":"):
            return Role(of, VALUES)
        if step.op is factorisations.eigh:
            return Role(of, LEFT)
        first = view.args[1]
        return Role(of, LEFT if isinstance(first, Const) and first.value == 1 else RIGHT)

    def _turned(self, r: Role | None, d: Def) -> Role | None:
        if r is None or is_still(d):
            return r
        return replace(r, turned=not r.turned) if is_turn(d) and r.part != VALUES else None

    def _span(self, r: Role | None, d: Def) -> Role | None:
        """A part of the values or vectors, or all of them."""
        spec = d.params["spec"]
        if r is None or set(spec) == {":"}:
            return r
        axis = len(spec) - (2 if r.turned else 1)
        others = [code for k, code in enumerate(spec) if k != axis]
        if spec[axis] != "s" or set(others) - {":"} or r.span is not None:
            return None
        start, length, step = d.args[1:]
        one = isinstance(step, Const) and step.value == 1
        return replace(r, span=(start, length)) if one else None

    def _reshaped(self, r: Role | None, d: Def) -> Role | None:
        """The role of the whole in the same shape, or of a stack with other leading axes."""
        if r is None:
            return None
        keep = 1 if r.part == VALUES else 2
        assert d.var is not None
        old, new = atom_dims(d.args[0]), atom_dims(d.var)
        if r.of.loop is None and len(old) != len(new):
            return None
        return r if len(new) > keep - 1 and same_dims(old[-keep:], new[-keep:]) else None

    # ---- stacks ----
    def _of_stack(self, d: Def) -> Role | None:
        """The role of memory that one loop fills, and nothing else stores to."""
        v = d.var
        assert v is not None
        writes = self.writes.get(self.classes.of(v), [])
        loop = self._around.get(writes[0]) if len(writes) == 1 else None
        if loop is None or not self._fills(loop, writes[0], v):
            return None
        r = self.role(writes[0].args[1], writes[0])
        if r is None or r.span is not None or self._around.get(r.of.step) is not loop:
            return None
        if self.stack_of(r.of.step, loop) is None:
            return None
        return replace(r, of=Decomposition(r.of.step, loop))

    def _fills(self, loop: For, write: Def, v: Var) -> bool:
        """Whether trip i of a loop over all i assigns the i-th item of an array."""
        target = self.definition.get(write.args[0]) if write.op is memory.assign else None  # type: ignore[arg-type]  (an array)
        if target is None or target.op is not memory.view or target.args[0] is not v:
            return False
        whole = target.params["spec"] == ("i", *":" * (v.type.ndim - 1))
        return whole and self._counts(target.args[1], loop) and self._over_all(loop, v)

    def _counts(self, a: Atom, loop: For) -> bool:
        """Whether an index is the trip number."""
        d = self.definition.get(a) if isinstance(a, Var) else None
        return a is loop.index or (
            d is not None and d.op is memory.index and d.args[0] is loop.index
        )

    def _over_all(self, loop: For, v: Var) -> bool:
        start = isinstance(loop.start, Const) and loop.start.value == 0
        count = loop.stop.value if isinstance(loop.stop, Const) else loop.stop
        return start and not loop.reverse and same_dim(v.type.dims[0], count)

    def stack_of(self, step: Def, loop: For) -> Var | None:
        """The stack whose i-th matrix a step decomposes in trip i of a loop."""
        x = step.args[0]
        d = self.definition.get(x)  # type: ignore[arg-type]  (a matrix)
        while d is not None and d.op is memory.copy:
            d = self.definition.get(d.args[0])  # type: ignore[arg-type]  (an array)
        if d is None or d.op is not memory.view or len(d.args) != 2:
            return None
        if not self._counts(d.args[1], loop):
            return None
        v = d.args[0]
        assert isinstance(v, Var)
        whole = d.params["spec"] == ("i", ":", ":") and self.classes.is_pure(v)
        return v if whole and self._over_all(loop, v) else None

    def slabs(self, of: Decomposition) -> dict[str, tuple[Var, bool]]:
        """The memory that a loop fills with values and vectors, and whether these are turned."""
        out: dict[str, tuple[Var, bool]] = {}
        for v, d in self.definition.items():
            if d.op in (memory.empty, memory.zeros):
                r = self._of_stack(d)
                if r is not None and r.of.loop is of.loop and r.of.step is of.step:
                    out.setdefault(r.part, (v, r.turned))
        return out

    def before(self, of: Decomposition, s: Stmt) -> bool:
        """Whether a decomposition is complete wherever a statement runs."""
        done: Stmt = of.step if of.loop is None else of.loop
        mine, other = self.place[done], self.place[s]
        (block, i), *_ = reversed(mine)
        depth = len(mine) - 1
        return (
            len(other) > depth
            and other[depth][0] is block
            and other[depth][1] > i
            and all(a[1] == b[1] for a, b in zip(mine[:depth], other[:depth], strict=True))
        )


def is_still(d: Def) -> bool:
    """Whether a transpose leaves all axes where they are."""
    return d.params["perm"] == tuple(range(len(d.params["perm"])))


def is_turn(d: Def) -> bool:
    """Whether a transpose exchanges the last two axes."""
    n = len(d.params["perm"])
    return n >= 2 and d.params["perm"] == (*range(n - 2), n - 1, n - 2)


def has_decompositions(function: Function) -> bool:
    return any(isinstance(s, Def) and decomposes(s) for s in walk(function.body))
