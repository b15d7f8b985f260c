"""References to mutable buffers in the reverse sweep: finds the buffer that a name referred to.

Buffers made at the top level are in scope. One that lives within its block is recreated from a
snapshot of its last contents. Joined names are carried backwards by the inverse permutation, or
selected from the visible buffers by an integer, or saved on a tape of references.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.autodiff.reverse.insertions import Slot
from srcgrad.autodiff.reverse.program import START, Point, Program
from srcgrad.autodiff.reverse.values import ValueRecovery
from srcgrad.errors import UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, If, Stmt, Var, While, atom
from srcgrad.ir.types import INT, Array, Dims, RefTape, Tape, same_dims
from srcgrad.ir.walk import walk
from srcgrad.primitives import tapes


class References:
    """Recovers forward references, for buffers (`recover`) and for shadows (`shadow`)."""

    def __init__(
        self, values: ValueRecovery, threaded: frozenset[Var], snapshots: frozenset[Var] | None
    ):
        self.values, self.b = values, values.b
        self.program: Program = values.program
        values.references = self
        self.shadows: Any = None  # set by Adjoints
        self.given: dict[Var, Var] = {}  # shadows of parameters that are parameters themselves
        self._origins: dict[Var, list[Var] | None] = {}
        self._which: dict[Any, Any] = {}
        self._threaded: dict[Var, Var] = {}  # a reference -> its shadow in the forward sweep
        self.threaded_classes = threaded  # alias classes whose shadows the forward sweep makes
        self.snapshots = snapshots  # the buffers to recreate with their contents; None: all
        self.used_snapshots: set[Var] = set()  # those of them that the reverse sweep reads
        self._shadow_refs: set[Var] = set()
        self._reftape: dict[Var, Var] = {}
        self._sizes: dict[Var, Var] = {}  # a local tape -> its number of slots at the end
        self._contents: dict[Var, Var] = {}  # and their contents
        self.tape_shadows: list[Any] = []  # allocated after the forward sweep
        self._escaping = _escaping(self.program) | self._named_by_tapes()

    # ---- buffers ----
    def is_local(self, v: Var) -> bool:
        """Whether a buffer of numbers is allocated in a nested block and does not leave it."""
        made = isinstance(self.program.owner.get(v), Def) and isinstance(v.type, Array | Tape)
        return made and v not in self._escaping

    def _named_by_tapes(self) -> set[Var]:
        """Buffers that a tape of references may name: a copy would be another memory."""
        arrays = [v for v in self.program.defined if isinstance(v.type, Array)]
        of = self.program.classes.of
        named = {of(v) for v in arrays if self.program.is_join(v) and self.origins(v) is None}
        return {v for v in arrays if of(v) in named}

    def is_reachable(self, v: Any) -> bool:
        if not isinstance(v, Var) or self.program.is_direct(v) or self.values.find(v) is not None:
            return True
        d = self.program.owner.get(v)
        if isinstance(d, Def) and d.op.view:
            return self.is_reachable(d.args[0])
        return True

    def recover(self, v: Var) -> Any:
        """A reference of a written class, its buffer in the state at the sweep's current point."""
        d = self.program.owner.get(v)
        if isinstance(d, Def) and d.op.view:
            return self.b(d.op, *self.values.many(d.args), name=v.name, **d.params)
        if self.program.is_join(v):
            origins = self.origins(v)
            if origins is not None:
                return self._pick(v, origins, self.values)
        elif self.is_local(v):
            self.used_snapshots.add(v)
            return self.values.find(("buffer", v))
        return self.kept(v)

    def open_snapshots(self, block: Block, is_its_tape: Callable[[Var], bool]) -> None:
        """Makes a block's own buffers at the start of its reverse, with their contents at its end.

        They are made here and not where they are first read: inner loops rewind them. A buffer that
        is never rewound is read where it was saved.
        """
        for s in block:
            if not isinstance(s, Def) or (v := s.var) is None or s.op.view:
                continue
            if self.program.classes.is_pure(v) or not self.is_local(v):
                continue
            if self.snapshots is None or v in self.snapshots:
                self.values.remember(("buffer", v), self._snapshot(v, is_its_tape(v)))

    def _snapshot(self, v: Var, is_its_tape: bool) -> Var:
        """A local buffer as it was at its block's end: the saved array, or a copy of it."""
        if isinstance(v.type, Array):
            saved = self.values.saved_array(v, late=True)
            return saved if is_its_tape else self.b.copy(saved, name=v.name)
        if v not in self._contents:
            place = self.values.insertions.at_end(self.program.home(v))
            size = self._size(v)
            with self.values.insertions.into(place) as b:
                self._contents[v] = b.tape_view(v, 0, size, name=v.name)
            self._register_at(self._contents[v], v, place)
        row = self.values.saved_array(self._contents[v], late=False)
        return self.local_tape(v, v.name, row)

    def local_tape(self, v: Var, name: str, contents: Atom) -> Var:
        """A filled tape with the slots that a local one has at its block's end."""
        size = self.values(self._size(v))
        made = self.b.tape(size, dtype=v.type.dtype, name=name)
        self.b.assign(self.b.tape_view(made, 0, size), contents)
        return made

    def _size(self, v: Var) -> Var:
        """The number of slots of a local tape at its block's end: a value of the forward sweep."""
        if v not in self._sizes:
            place = self.values.insertions.at_end(self.program.home(v))
            with self.values.insertions.into(place) as b:
                self._sizes[v] = b.slots(v, name=f"{v.name}_size")
            self._register_at(self._sizes[v], v, place)
        return self._sizes[v]

    def _register_at(self, new: Var, v: Var, place: list[Stmt]) -> None:
        self.values.forward(new, self.program.defined[v], None, place)

    def is_shadow(self, v: Var) -> bool:
        """Whether a forward variable is a shadow that was threaded through the joins."""
        return v in self._shadow_refs

    def kept(self, v: Var) -> Any:
        """A reference read from a tape of references."""
        program, values = self.program, self.values
        point = program.defined[v]
        loops = program.loops(point)
        if isinstance(v.type, RefTape):  # each trip fills it anew
            (around, _), _ = point[-1]
            raise UnsupportedError(
                "a gradient that is taken in a loop or a branch, of a function whose loops carry "
                "arrays that are stored to, cannot be differentiated in reverse mode",
                around.loc,
                "use forward mode around it: flow.jvp or flow.jacfwd",
            )
        if v not in self._reftape:
            with values.insertions.into(values.insertions.at_head()) as b:
                tape = b.reftape(dtype=v.type.dtype, ndim=v.type.ndim, name=f"{v.name}_refs")
            at = values.tapes.position(loops).var if loops else Const(0, INT)
            with values.insertions.into(values.save_place(v)) as b:
                b.ref_put(tape, at, v)
            self._reftape[v] = tape
        here = values.tapes.position_here(loops)
        return self.b.ref_get(self._reftape[v], here, *values.dims(v.type), name=v.name)

    # ---- joined references ----
    def origins(self, v: Var) -> list[Var] | None:
        """The buffers that a joined reference may be, if all are visible where it is joined."""
        if v not in self._origins:
            self._origins[v] = self._find_origins(v)
        return self._origins[v]

    def _find_origins(self, v: Var) -> list[Var] | None:
        out: dict[Var, None] = {}
        seen: set[Var] = set()
        todo: list[Any] = [v]
        owners: list[Stmt] = []
        while todo:
            x = todo.pop()
            if x in seen:
                continue
            seen.add(x)
            s = self.program.owner.get(x)
            if s is not None and self.program.is_join(x):
                owners.append(s)
                todo += _sources(s, x)
            else:
                out[x] = None
        for x in out:
            if any(self.program.inside(x, s) for s in owners):
                return None
            d = self.program.owner.get(x)
            if not self.program.is_direct(x) and not (isinstance(d, Def) and not d.op.view):
                return None
        return list(out)

    def which(self, v: Var, origins: list[Var]) -> Any:
        """The forward integer that selects which of the origins a reference is."""
        if not self.program.is_join(v):
            return atom(origins.index(v))
        key = (v, tuple(origins))
        if key in self._which:
            return self._which[key]
        s, values = self.program.owner[v], self.values
        slot = values.insertions.slot(s, "which", INT)  # type: ignore[arg-type]  (an `If` or a loop)
        if isinstance(s, If):
            self._tag(slot.result, v, origins)
            j = s.results.index(v)
            slot.values[:] = [self.which(y, origins) for y in (s.then_yields[j], s.else_yields[j])]  # type: ignore[arg-type]  (references are variables)
        else:
            assert isinstance(s, For | While)
            j = (s.params if v in s.params else s.results).index(v)
            assert slot.param is not None
            self._tag(slot.param, s.params[j], origins)
            self._tag(slot.result, s.results[j], origins)
            slot.values[:] = [self.which(y, origins) for y in (s.inits[j], s.yields[j])]  # type: ignore[arg-type]  (references are variables)
        return self._which[key]

    def _tag(self, tag: Var, v: Var, origins: list[Var]) -> None:
        self._which[v, tuple(origins)] = tag
        self.values.forward(tag, self.program.defined[v], self.program.owner[v])

    def _pick(self, v: Var, origins: list[Var], get: Any) -> Any:
        """The buffer (or shadow) that the integer selects."""
        dims = self.values.dims(v.type)
        if len(origins) == 1:
            return self._with_dims(get(origins[0]), dims)
        name = v.name if get is self.values else f"{v.name}_bar"
        type_ = Array(v.type.dtype, dims, "S")
        return self._selected(
            self.values(self.which(v, origins)), [*map(get, origins)], type_, name
        )

    def _selected(self, tag: Any, choices: list[Any], type_: Array, name: str, k: int = 0) -> Any:
        """The reference that the integer selects among those from `k` on."""
        if k == len(choices) - 1:
            return self._with_dims(choices[k], type_.dims)
        is_k = self.b.eq(tag, k)
        with self.b.block() as then:
            this = self._with_dims(choices[k], type_.dims)
        with self.b.block() as orelse:
            other = self._selected(tag, choices, type_, name, k + 1)
        result = Var(name, type_)
        self.b.append(
            If(is_k, tuple(then), tuple(orelse), (this,), (other,), (result,), self.b.loc)
        )
        return result

    def _with_dims(self, x: Var, dims: Dims) -> Var:
        """A reference with these integers as its lengths, in the branch where they are equal."""
        if same_dims(x.type.dims, dims):
            return x
        if x.type.layout == "C":  # a view by spans would not be contiguous
            return self.b.reshape(x, *dims, name=x.name)
        spans = [a for d in dims for a in (0, d, 1)]
        return self.b.view(x, *spans, spec=("s",) * len(dims), name=x.name)

    # ---- shadows ----
    def shadow(self, v: Var) -> Any:
        """The shadow of a reference of a written class, at the current point."""
        cached = self.values.find(("shadow", v))
        if cached is None:
            cached = self._shadow(v)
            self.values.remember(("shadow", v), cached)
        return cached

    def _shadow(self, v: Var) -> Any:
        program, values = self.program, self.values
        d = program.owner.get(v)
        if isinstance(d, Def) and d.op.view and d.op is not tapes.ref_get:
            return self.b(d.op, self.shadow(d.array), *values.many(d.args[1:]),
                          name=f"{v.name}_bar", **d.params)  # fmt: skip
        if program.is_join(v) and not self.is_threaded(v):
            origins = self.origins(v)
            if origins is not None:
                return self._pick(v, origins, self.shadow)
        return values(self.threaded(v))

    def is_threaded(self, v: Var) -> bool:
        """Whether the class's shadows are references of the forward sweep, joined as it joins."""
        return self.program.classes.of(v) in self.threaded_classes

    def found_threaded(self) -> set[Var]:
        """Members of the classes whose shadows had to be threaded through the forward sweep."""
        return set(self._threaded)

    def threaded(self, v: Var) -> Var:
        """The shadow of a reference as one of the forward sweep, joined in the same way."""
        if v in self._threaded:
            return self._threaded[v]
        s, ins = self.program.owner.get(v), self.values.insertions
        if self.program.is_join(v):
            return self._threaded_join(v)
        if v in self.given:
            return self._register(v, self.given[v])
        if not isinstance(s, Def):  # a parameter
            with ins.into(ins.at_head()) as b:
                return self._register(v, _zeros_like(b, v))
        if isinstance(v.type, Tape):
            with ins.into(self.tape_shadows) as b:
                return self._register(v, b.tape_like(v, name=f"{v.name}_bar"))
        args: tuple[Any, ...] = ()
        if s.op.view:
            args = (self.threaded(s.array), *s.args[1:])
        if isinstance(v.type, RefTape):
            return self._threaded_reftape(v, s)
        with ins.into(ins.at_after(s)) as b:
            if s.op.view:
                made = b(s.op, *args, name=f"{v.name}_bar", **s.params)
            else:
                made = _zeros_like(b, v)
        return self._register(v, made)

    def _register(self, v: Var, shadow: Var) -> Var:
        self._threaded[v] = shadow
        self._shadow_refs.add(shadow)
        point: Point = self.program.defined[v]
        self.values.forward(shadow, point, self.program.owner.get(v))
        return shadow

    def _threaded_reftape(self, v: Var, s: Def) -> Var:
        ins = self.values.insertions
        with ins.into(ins.at_after(s)) as b:
            shadow = b.reftape(dtype=v.type.dtype, ndim=v.type.ndim, name=f"{v.name}_bar")
        self._register(v, shadow)
        for put in walk(self.program.function.body):
            if isinstance(put, Def) and put.op is tapes.ref_put and put.args[0] is v:
                other = self.threaded(put.args[2])  # type: ignore[arg-type]  (a reference is a variable)
                with ins.into(ins.at_after(put)) as b:
                    b.ref_put(shadow, put.args[1], other)
        return shadow

    def _threaded_join(self, v: Var) -> Var:
        s, ins = self.program.owner[v], self.values.insertions
        assert isinstance(s, If | For | While)
        if isinstance(s, If):
            j = s.results.index(v)
            slot: Slot = ins.slot(s, f"{v.name}_bar", v.type)
            self._register(v, slot.result)
            slot.values[:] = [self.threaded(y) for y in (s.then_yields[j], s.else_yields[j])]  # type: ignore[arg-type]  (references are variables)
            return slot.result
        j = (s.params if v in s.params else s.results).index(v)
        param, result = s.params[j], s.results[j]
        slot = ins.slot(s, f"{v.name}_bar", param.type)
        assert slot.param is not None
        slot.result.type = result.type
        self._register(param, slot.param)
        self._register(result, slot.result)
        slot.values[:] = [self.threaded(y) for y in (s.inits[j], s.yields[j])]  # type: ignore[arg-type]  (references are variables)
        return self._threaded[v]


def _zeros_like(b: Builder, v: Var) -> Any:
    if isinstance(v.type, Tape):
        return b.tape_like(v, name=f"{v.name}_bar")
    return b.zeros(*v.type.dims, dtype=v.type.dtype, name=f"{v.name}_bar")


def _sources(s: Any, v: Var) -> list[Atom]:
    """The values that flow into a joined variable."""
    if isinstance(s, If):
        j = s.results.index(v)
        return [s.then_yields[j], s.else_yields[j]]
    j = (s.params if v in s.params else s.results).index(v)
    return [s.inits[j], s.yields[j]]


def _escaping(program: Program) -> set[Var]:
    """Buffers of nested blocks that a join outside their block may name, or a tape holds."""
    joins: dict[Var, list[Var]] = {}
    kept = {
        program.classes.of(s.args[0])
        for s in walk(program.function.body)
        if isinstance(s, Def) and s.op is tapes.ref_put
    }
    arrays = [v for v in program.defined if isinstance(v.type, Array | Tape | RefTape)]
    for v in arrays:
        if program.is_join(v):
            joins.setdefault(program.classes.of(v), []).append(v)
    out: set[Var] = set()
    for v in arrays:
        cls = program.classes.of(v)
        if cls in kept or any(_outlives(program, w, v) for w in joins.get(cls, ())):
            out.add(v)
    return out


def _outlives(program: Program, w: Var, v: Var) -> bool:
    """Whether a joined name lives outside the block in which a buffer is made."""
    mine, other = program.defined[v], program.defined[w]
    depth = len(mine) - 1
    inside = (
        len(other) > depth
        and other[:depth] == mine[:depth]
        and other[depth][0] == mine[depth][0]
        and other[depth][1] != START
    )
    return not inside
