"""A group of operations that share a nest, and the conditions for another to join.

Memory is compared by alias classes; two accesses to one class go together only through the same
reference at the nest's own index, through references to distinct rows, or if all are additions.
Never emits anything.
"""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Def, Var
from srcgrad.ir.types import Array, is_reference, same_dims
from srcgrad.ir.walk import results, uses
from srcgrad.passes.footprint import Footprint
from srcgrad.passes.lower.access import is_exact
from srcgrad.passes.lower.step import Step
from srcgrad.primitives import memory

MOST = 96  # steps of a group
MOST_SUMS = 3  # references to one memory that steps of a group add to


class FusionGroup:
    """Operations that share a nest, and what they touch together."""

    def __init__(
        self, classes: AliasClasses, footprint: Callable[[Def], Footprint],
        apart: Callable[[Var, Var], bool], overlapping: bool, step: Step,
    ):  # fmt: skip
        """`apart`: whether two references to one memory share no element.

        `overlapping`: additions through several references to one memory may share the nest.
        """
        self.classes, self.apart = classes, apart
        self.footprint_of, self.overlapping = footprint, overlapping
        self.dims = step.dims
        self.steps: list[Step] = []
        self.defined: set[Var] = set()
        self.reduced: set[Var] = set()  # known after the loops only
        self.touched: set[Var] = set()
        self.footprint = Footprint()
        # by class: the reference, whether it is written, and whether at the nest's own index only
        self.accesses: dict[Var, set[tuple[Var, bool, bool]]] = {}
        self.add(step)

    def add(self, step: Step) -> None:
        self.steps.append(step)
        self.defined.update(results(step.statement))
        if step.reduction is not None:
            self.reduced.update(results(step.statement))
        self.touched |= touched(step)
        self.footprint |= self.footprint_of(step.statement)
        for v, writes in accesses(step):
            found = self.accesses.setdefault(self.classes.of(v), set())
            found.add((v, writes, whole(step, v)))

    def copy(self) -> FusionGroup:
        facts = self.classes, self.footprint_of, self.apart
        new = FusionGroup(*facts, self.overlapping, self.steps[0])
        new.steps, new.footprint = list(self.steps), self.footprint
        for name in ("defined", "reduced", "touched"):
            setattr(new, name, set(getattr(self, name)))
        new.accesses = {c: set(found) for c, found in self.accesses.items()}
        return new

    def takes(self, step: Step) -> bool:
        """Adds a step if it is accepted; returns whether it was."""
        accepted = self.accepts(step)
        if accepted:
            self.add(step)
        return accepted

    def accepts(self, step: Step) -> bool:
        """Whether `step` may run element by element after the steps."""
        return not self.obstacle(step)

    def obstacle(self, step: Step) -> str:
        """The reason why `step` may not run element by element after the steps; empty if it may."""
        if not same_dims(self.dims, step.dims):
            return "it runs over another shape"
        if len(self.steps) >= MOST:
            return f"{MOST} operations share the loop already"
        for v in uses(step.statement):
            if v in self.reduced:
                return "it needs a result that is known only when the loop has ended"
            if v in self.defined and not (isinstance(v.type, Array) and whole(step, v)):
                return f"a trip of it reads '{v.name}' at places of other trips"
        return self._out_of_order(step)

    def _out_of_order(self, step: Step) -> str:
        """The accesses to memory that leave their order when the steps run element by element."""
        for v, writes in accesses(step):
            for w, other_writes, other_whole in self.accesses.get(self.classes.of(v), ()):
                conflict = writes or other_writes
                exact = other_whole and whole(step, v)
                if (
                    conflict
                    and not (exact and (v is w or (self.overlapping and self._only_sums(step, v))))
                    and not self.apart(v, w)
                ):
                    return (
                        f"one stores to '{v.name}' where another trip of the other reads or stores"
                    )
        return ""

    def _only_sums(self, step: Step, v: Var) -> bool:
        """Whether the steps and one more only add to the memory of `v`, in any order."""
        c, both = self.classes.of(v), (self.footprint, self.footprint_of(step.statement))
        if any(
            c in f.effects.reads or c in f.effects.writes or c not in f.effects.sums for f in both
        ):
            return False
        adding = [t for t in (*self.steps, step) if t.op.adds and self.classes.of(t.stored[0]) is c]
        several = {t.stored[0] for t in adding}
        return len(several) <= MOST_SUMS and all(map(adds_plainly, adding))


def adds_plainly(step: Step) -> bool:
    """Whether a step adds an array or a number to one of its dtype, element by element."""
    if step.op is not memory.add_to:
        return False
    target, value = step.statement.args
    return target.type.dtype == value.type.dtype


def accesses(step: Step) -> list[tuple[Var, bool]]:
    """The references whose elements a step touches, and whether it writes them."""
    args = step.statement.args
    target = step.target[0] if step.target is not None else None
    found = [(a, False) for a in args if isinstance(a, Var) and is_reference(a.type)]
    return found if target is None else [(target, True), *found[1:]]


def touched(step: Step) -> set[Var]:
    made = [v for v in results(step.statement) if isinstance(v.type, Array)]
    return {v for v, _ in accesses(step)} | set(made)


def whole(step: Step, v: Var) -> bool:
    """Whether a step touches `v` at the nest's own index and nowhere else."""
    if "source" in step.extra and step.statement.args[0] is v:
        return False
    listed = [a for r, a in step.reads if r is v]
    if step.target is not None and step.target[0] is v:
        listed.append(step.target[1])
    return bool(listed) and all(is_exact(a, step.dims) for a in listed)
