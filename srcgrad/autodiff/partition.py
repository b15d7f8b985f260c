"""Partitions a joint function into a forward sweep with residuals and a reverse sweep.

The cut lies before the first statement that reads a seed. Values that the reverse sweep reads
become residuals, except those that are almost free to recompute: lengths, views, sums and products
of arrays that are available anyway. An array that the reverse sweep bases a decision on is never
recomputed. Never changes what either sweep computes.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.autodiff.decisions import decides, rounds
from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.nodes import Atom, Block, Def, Function, Stmt, Var, type_vars
from srcgrad.ir.types import Array, RefTape, Tuple, float_type, is_reference
from srcgrad.ir.walk import blocks, defined, free_variables, uses, walk
from srcgrad.primitives import memory
from srcgrad.records import record


@record(frozen=True)
class Parts:
    """The two sweeps.

    `forward` returns the results, then values to save; `backward` takes the values that `kept`
    lists, then the seeds, and returns the gradients. An entry of `kept` is ("input", k), ("result",
    k) or ("value", k). `changed` are positions in `kept` of buffers that the reverse sweep rewinds,
    `borrowed` those of values in the memory of inputs or results.
    """

    forward: Function
    backward: Function
    kept: tuple[tuple[str, int], ...]
    changed: frozenset[int]
    borrowed: frozenset[int]


def partition(joint: Function, inputs: int, results: int) -> Parts | None:
    """The parts of a joint function; `inputs`, `results`: counts. None if it cannot be cut."""
    cut = _Cut(joint, inputs, results)
    return cut.parts() if cut.possible() else None


class _Cut:
    def __init__(self, joint: Function, inputs: int, results: int):
        self.name, self.classes = joint.name, alias_classes(joint)
        self.inputs, self.seeds = joint.params[:inputs], joint.params[inputs:]
        self.results, self.gradients = joint.returns[:results], joint.returns[results:]
        at = next((k for k, s in enumerate(joint.body) if _reads(s, set(self.seeds))), None)
        self.before, self.after = joint.body[:at], () if at is None else joint.body[at:]
        self.made = {s.var: s for s in self.before if isinstance(s, Def) and s.var is not None}
        self.written = _written(self.before, self.classes) | _written(self.after, self.classes)
        self.again: set[Var] = set()  # recomputed in the reverse sweep
        self.decided_on: set[Var] = set()  # alias classes of arrays that must be exact
        self.crossing = self._crossing()
        while (decided_on := self._decided_on()) - self.decided_on:
            self.decided_on |= decided_on
            self.again.clear()
            self.crossing = self._crossing()

    # ---- values that cross the cut ----
    def _crossing(self) -> list[Var]:
        """The values of the forward sweep that the reverse sweep is given."""
        inside = {*defined(self.after), *self.seeds}
        first = free_variables(self.after, self.gradients)
        wanted = [v for v in _with_dims([*first, *self.seeds]) if v not in inside]
        while (v := next((v for v in wanted if self._had_again(v, wanted)), None)) is not None:
            self.again.add(v)
            wanted.remove(v)
            wanted += [
                u for u in _with_dims(uses(self.made[v]))
                if u not in wanted and u not in self.again and u not in inside
            ]  # fmt: skip
        return wanted

    def _had_again(self, v: Var, wanted: list[Var]) -> bool:
        """Whether recomputing a value costs less than saving it."""
        s = self.made.get(v)
        if s is None:
            return False
        if s.op is memory.dim:
            return s.args[0] in wanted or s.args[0] in self.again
        if s.op.view and isinstance(s.args[0].type, Array):
            return True
        if not (s.op.elementwise and s.op.cheap == "arrays" and isinstance(v.type, Array)):
            return False
        if self.classes.of(v) in self.decided_on:
            return False
        arrays = [a for a in s.args if isinstance(a, Var) and is_reference(a.type)]
        pure = all(self.classes.of(a) not in self.written for a in (v, *arrays))
        return pure and all(a in wanted or a in self.again for a in arrays)

    def _decided_on(self) -> set[Var]:
        """The alias classes of floating arrays that the reverse sweep bases decisions on."""
        own = [s for s in (*self.prelude(), *walk(self.after)) if isinstance(s, Def)]
        made = {s.var: s for s in own}
        todo = [a for s in own if decides(s) for a in s.args]
        seen: set[Var] = set()
        while todo:
            a = todo.pop()
            if not isinstance(a, Var) or a in seen or not float_type(a.type):
                continue
            seen.add(a)
            s = made.get(a)
            if s is not None and not rounds(s.op, a.type):
                todo += s.args
        return {self.classes.of(a) for a in seen if is_reference(a.type)}

    def possible(self) -> bool:
        """Whether the values can be passed on, and memory has one name only."""
        there = {*self.inputs, *defined(self.before)}
        if any(isinstance(a, Var) and a not in there for a in self.results):
            return False
        if any(isinstance(v.type, RefTape | Tuple) for v in self.crossing):
            return False
        changed = _written(self.after, self.classes)
        held = [self.classes.of(v) for v in self.crossing if is_reference(v.type)]
        given = {self.classes.of(v) for v in (*self.inputs, *self._references(self.results))}
        return not any(c in changed and (held.count(c) > 1 or c in given) for c in held)

    # ---- the parts ----
    def parts(self) -> Parts:
        places: dict[Atom, tuple[str, int]] = {a: ("result", k) for k, a in enumerate(self.results)}
        places |= {v: ("input", k) for k, v in enumerate(self.inputs)}
        values = [v for v in self.crossing if v not in places]
        places |= {v: ("value", k) for k, v in enumerate(values)}
        forward = Function(
            f"{self.name}_forward", self.inputs, self.before, (*self.results, *values)
        )
        backward = Function(
            f"{self.name}_backward", (*self.crossing, *self.seeds), (*self.prelude(), *self.after),
            self.gradients,
        )  # fmt: skip
        changed = _written(self.after, self.classes)
        return Parts(
            forward, backward,
            tuple(places[v] for v in self.crossing),
            frozenset(
                k for k, v in enumerate(self.crossing)
                if is_reference(v.type) and self.classes.of(v) in changed
            ),
            self._borrowed(),
        )  # fmt: skip

    def prelude(self) -> tuple[Def, ...]:
        """The statements that the reverse sweep recomputes at its beginning."""
        return tuple(s for s in self.before if isinstance(s, Def) and s.var in self.again)

    def _borrowed(self) -> frozenset[int]:
        """The crossing values in the memory of inputs and results, other than these themselves."""
        named = self._references((*self.inputs, *self.results))
        held = {self.classes.of(v) for v in named}
        return frozenset(
            k for k, v in enumerate(self.crossing)
            if is_reference(v.type) and v not in named and self.classes.of(v) in held
        )  # fmt: skip

    @staticmethod
    def _references(atoms: tuple[Atom, ...]) -> list[Var]:
        return [a for a in atoms if isinstance(a, Var) and is_reference(a.type)]


def _reads(s: Stmt, seeds: set[Var]) -> bool:
    return any(v in seeds for v in uses(s)) or any(_reads(t, seeds) for b in blocks(s) for t in b)


def _written(block: Block, classes: AliasClasses) -> set[Var]:
    return {classes.of(s.args[0]) for s in walk(block) if isinstance(s, Def) and s.op.writes}


def _with_dims(vs: Iterable[Var]) -> list[Var]:
    """Variables and those that their types mention, each once."""
    out: dict[Var, None] = {}
    for v in vs:
        out.setdefault(v)
        for d in type_vars(v.type):
            out.setdefault(d)
    return list(out)
