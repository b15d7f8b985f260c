"""One loop nest for a group of steps: loads, steps, accumulators, stores.

An array that is touched at the nest's own index only is a scalar inside the nest; it is stored
once, at the end, and only if something outside reads it. Several arrays that are only added to may
overlap, and are added to in memory. Accumulators are carried through the
innermost loops over reduced axes; over outer ones they are added to the result in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def, For, Var, atom
from srcgrad.ir.types import INT, Array, Scalar, same_dim
from srcgrad.passes.lower.access import Access, depth, identity, index, is_exact
from srcgrad.passes.lower.accumulate import accumulator, start
from srcgrad.passes.lower.fusion_group import adds_plainly
from srcgrad.passes.lower.step import REDUCTIONS, Step
from srcgrad.primitives import arrays, elementwise, memory, reductions

INDEX_NAMES = "ijkl"


class Nest:
    """Emits one nest; of the arrays that it makes, `stored` are those that exist in memory."""

    def __init__(self, b: Builder, steps: Sequence[Step], stored: AbstractSet[Var]):
        self.b, self.steps, self.stored = b, steps, stored
        self.dims = steps[0].dims
        self.rank = len(self.dims)
        self.indices: list[Atom] = []
        self.current: dict[Var, Atom] = {}  # elements at the nest's own index
        self.dirty: dict[Var, Step] = {}
        self.loaded: dict[tuple[Var, Access], Atom] = {}  # elements read at an outer level
        self.scalars: dict[Var, Atom] = {}
        self.added = self._added()

    def _added(self) -> set[Var]:
        """The arrays that trips add to in memory: several, which may overlap.

        No step reads or makes them: what is made here is stored at the end of a trip.
        """
        adding = [step for step in self.steps if adds_plainly(step)]
        found = {step.stored[0] for step in adding}
        others = {v for step in self.steps for v in (step.statement.var, *dict(step.reads))}
        others |= {step.stored[0] for step in self.steps if step.target and step not in adding}
        return found - others if len(found) > 1 else set()

    def emit(self) -> dict[Var, Atom]:
        for step in self.steps:
            self._allocate(step)
        self._level(0, {})
        return self.scalars

    # ---- before the loops ----
    def _allocate(self, step: Step) -> None:
        v = step.statement.var
        if v is None or not isinstance(v.type, Array) or (step.is_map and v not in self.stored):
            return
        v.name = "t" if v.name == step.op.name else v.name
        accumulates = step.reduction is not None and self._in_memory(step)
        kind = (
            "zeros"
            if accumulates and REDUCTIONS[step.op] in (elementwise.add, elementwise.logical_or)
            else "empty"
        )
        dims = tuple(map(atom, v.type.dims))
        op = self.b.table[kind]
        self.b.append(Def(v, op, dims, {"dtype": v.type.dtype}, step.statement.loc))
        if accumulates and kind == "empty":
            args = (v, start(step, v.type.dtype))
            fill = Def(None, self.b.table["assign"], args, {}, step.statement.loc)
            target = (v, identity(v.type.ndim))
            Nest(self.b, [Step(fill, v.type.dims, target=target)], set()).emit()

    # ---- the loops ----
    def _start_level(self, step: Step) -> int:
        """The loop outside which an accumulator starts: all loops inside it are reduced."""
        assert step.reduction is not None
        level = self.rank
        while level and (level - 1 in step.reduction.axes or same_dim(self.dims[level - 1], 1)):
            level -= 1
        return level

    def _in_memory(self, step: Step) -> bool:
        """Whether several values of an accumulator end in the same element of the result."""
        assert step.reduction is not None
        if step.reduction.access is None:
            return False
        outer = set(range(self._start_level(step)))
        runtime = any(p.flag is not None for p in step.reduction.access)
        return runtime or bool(outer & step.reduction.axes)

    def _level(self, k: int, carried: dict[Step, Atom]) -> dict[Step, Atom]:
        """Emits the nest from loop `k` inwards; returns the accumulators after it."""
        starting = [step for step in self.steps if step.reduction and self._start_level(step) == k]
        inside = dict(carried)
        for step in starting:
            inside[step] = start(step, accumulator(step).dtype)
        self._load_outer(k)
        if k == self.rank:
            after = self._body(inside)
        elif same_dim(self.dims[k], 1):
            self.indices.append(Const(0, INT))
            after = self._level(k + 1, inside)
            self.indices.pop()
        else:
            after = self._loop(k, inside)
        for step in starting:
            self._finish(step, after[step])
        return {step: after[step] for step in carried}

    def _loop(self, k: int, inside: dict[Step, Atom]) -> dict[Step, Atom]:
        i = Var(INDEX_NAMES[k] if k < len(INDEX_NAMES) else "i", INT)
        names = [step.statement.var.name for step in inside]  # type: ignore[union-attr]  (they have results)
        params = tuple(Var(n, accumulator(step)) for n, step in zip(names, inside, strict=True))
        results = tuple(Var(n, accumulator(step)) for n, step in zip(names, inside, strict=True))
        loaded = dict(self.loaded)
        with self.b.block() as body:
            self.indices.append(i)
            after = self._level(k + 1, dict(zip(inside, params, strict=True)))
            self.indices.pop()
        self.loaded = loaded
        yields, inits = tuple(after.values()), tuple(inside.values())
        stop = atom(self.dims[k])
        loc = self.steps[-1].statement.loc
        self.b.append(
            For(i, Const(0, INT), stop, params, inits, tuple(body), yields, results, loc=loc)
        )
        return dict(zip(inside, results, strict=True))

    def _load_outer(self, k: int) -> None:
        """Loads elements that the inner loops do not change."""
        for step in self.steps:
            self.b.loc = step.statement.loc
            for v, access in step.reads:
                exact = is_exact(access, self.dims)
                if not exact and depth(access) == k < self.rank:
                    self.loaded.setdefault((v, access), self._load(v, access))

    def _load(self, v: Var, access: Access) -> Atom:
        return self.b.load(v, *index(self.b, access, self.indices), name=v.name)

    # ---- the body ----
    def _body(self, inside: dict[Step, Atom]) -> dict[Step, Atom]:
        after = dict(inside)
        self.current, self.dirty = {}, {}
        for step in self.steps:
            self.b.loc = step.statement.loc
            if step.target is not None and step.target[0] in self.added:
                self.b.add_at(step.target[0], *self.indices, self._operands(step)[0])
                continue
            value = self._value(step)
            if step.reduction is not None:
                value = self._counted(step, value)
                carried = self._start_level(step) < self.rank
                after[step] = self._combine(step, after[step], value) if carried else value
            elif step.target is None:
                assert step.statement.var is not None
                self._write(step.statement.var, value, step)
            elif "source" in step.extra:
                self._scatter(step, value)
            else:
                self._write(step.target[0], value, step)
        made = {step.statement.var for step in self.steps}
        for v, step in self.dirty.items():
            if v in self.stored or v not in made:
                self.b.loc = step.statement.loc
                self.b.store(v, *self.indices, self.current[v])
        return after

    def _write(self, v: Var, value: Atom, step: Step) -> None:
        self.current[v] = value
        self.dirty[v] = step

    def _read(self, a: Atom, access: Access | None) -> Atom:
        """The element of an operand; a scalar is itself."""
        if access is None or not isinstance(a, Var):
            return a
        if (a, access) in self.loaded:
            return self.loaded[a, access]
        if not is_exact(access, self.dims):
            return self._load(a, access)
        if a not in self.current:
            self.current[a] = self._load(a, access)
        return self.current[a]

    def _operands(self, step: Step) -> list[Atom]:
        """The elements of the operands that make up the value."""
        accesses = iter(step.reads)
        return [
            self._read(a, next(accesses)[1] if isinstance(a.type, Array) else None)
            for a in _read_atoms(step)
        ]

    def _value(self, step: Step) -> Atom:
        """The value that a step computes from the elements of its operands."""
        s, b = step.statement, self.b
        operands = self._operands(step)
        if s.op.elementwise:
            return b(s.op, *operands, name=s.var.name, **s.params)  # type: ignore[union-attr]  (it has a result)
        match step.op:
            case arrays.iota:
                return self.indices[0]
            case memory.indices:
                return b.index(operands[0], s.args[1], **s.params)
            case memory.gather:
                idx = self._fancy(step, operands)
                return b.load(s.array, *idx, name=s.array.name)
            case memory.add_to:
                target, access = step.stored
                return b.cast(b.add(self._read(target, access), operands[0]), _of(target))
            case memory.assign:
                return b.cast(operands[0], _of(step.stored[0]))
            case _:
                return operands[-1]

    def _fancy(self, step: Step, operands: list[Atom]) -> list[Atom]:
        return [
            operands[k] if kind == "array" else self.indices[k] for kind, k in step.extra["source"]
        ]

    def _scatter(self, step: Step, value: Atom) -> None:
        target = step.stored[0]
        places = [self._read(v, access) for v, access in step.reads]
        effect = self.b.add_at if step.op.adds else self.b.store
        value = self.b.cast(value, _of(target))
        effect(target, *self._fancy(step, places), value)

    # ---- accumulators ----
    def _counted(self, step: Step, value: Atom) -> Atom:
        """The value as its accumulator takes it: truth as a bool, a count as an int."""
        b = self.b
        if (
            step.op in (reductions.any, reductions.all, reductions.count_nonzero)
            and value.type.dtype != "bool"
        ):
            value = b.ne(value, b.cast(0, value.type))
        return b.cast(value, accumulator(step))

    def _combine(self, step: Step, old: Atom, value: Atom) -> Atom:
        return self.b(REDUCTIONS[step.op], old, value, name=step.statement.var.name)  # type: ignore[union-attr]  (it has a result)

    def _finish(self, step: Step, value: Atom) -> None:
        """Stores the final value of an accumulator in the result."""
        b, v, reduction = self.b, step.statement.var, step.reduction
        assert v is not None and reduction is not None
        b.loc = step.statement.loc
        value = b.cast(value, Scalar(v.type.dtype))
        if reduction.access is None:
            self.scalars[v] = value
            return
        at = index(b, reduction.access, self.indices)
        if not self._in_memory(step):
            b.store(v, *at, value)
        elif REDUCTIONS[step.op] is elementwise.add:
            b.add_at(v, *at, value)
        else:
            b.store(v, *at, self._combine(step, b.load(v, *at), value))


def _read_atoms(step: Step) -> list[Atom]:
    """The operands whose elements make up the value, in order."""
    args = list(step.statement.args)
    match step.op:
        case arrays.iota:
            return []
        case memory.gather:
            return args[1:]
        case memory.scatter | memory.scatter_add | memory.assign | memory.add_to:
            return args[1:]
        case _:
            return args if step.statement.op.elementwise else args[:1]


def _of(v: Var) -> Scalar:
    return Scalar(v.type.dtype)
