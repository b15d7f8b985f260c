"""A program as one operation on tensors: it runs on arrays, and saves what its reverse needs.

A `Kernel` is an IR function by positions. Its forward and reverse sweeps are built when a gradient
is first wanted, one pair for each choice of differentiated positions; the reverse sweep is a kernel
itself, and so on to any order. Knows no structures and no signatures.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property

from srcgrad import forks, interrupts
from srcgrad.autodiff.partition import Parts, partition
from srcgrad.autodiff.reverse import vjp as reverse
from srcgrad.bridge.views import sharing
from srcgrad.faults import building
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Const, Def, Function
from srcgrad.ir.types import float_type
from srcgrad.passes import run as run_passes
from srcgrad.primitives import REGISTRY, arrays, elementwise, memory, reductions
from srcgrad.records import record
from srcgrad.transforms.program import complex_choices, on_copies
from srcgrad.transforms.specialization import Entry, built


@record(frozen=True)
class Taped:
    """The two sweeps for some differentiated positions, as callables."""

    forward: Callable[..., tuple]
    backward: Callable[..., tuple]
    parts: Parts | None  # None: nothing is saved but the inputs
    live: frozenset[int]  # the positions that the results depend on at all


class Kernel:
    """An IR function that leaves its parameters unchanged, and its derivatives."""

    # complex results that are returned where a flag among the results has a value
    complex_choices: tuple[tuple[int, bool, frozenset[int]], ...] = ()

    def __init__(self, function: Function, build: Callable[[Function], Callable[..., tuple]]):
        self.function, self._build = function, build
        self._taped: dict[tuple[int, ...], Taped] = {}
        self._pulled: dict[tuple[int, ...], Kernel] = {}
        self._lock = threading.RLock()

    @cached_property
    def run(self) -> Callable[..., tuple]:
        """The function itself."""
        with self._building():
            return self._build(self.function)

    def _building(self) -> AbstractContextManager[None]:
        home = next((s.loc for s in self.function.body if s.loc is not None), None)
        return building(self.name, home)

    @property
    def name(self) -> str:
        return self.function.name

    @cached_property
    def sharing(self) -> frozenset[int]:
        """The results that may be in the memory of arguments or of other results."""
        return sharing(self.function)

    @cached_property
    def floats(self) -> tuple[int, ...]:
        """The results that have a gradient."""
        return tuple(k for k, a in enumerate(self.function.returns) if float_type(a.type))

    def _joint(self, wrt: tuple[int, ...]) -> Function:
        return run_passes(reverse(self.function, wrt, REGISTRY))

    def taped(self, wrt: tuple[int, ...]) -> Taped:
        """The sweeps that differentiate with respect to these positions."""
        found = self._taped.get(wrt)
        if found is None:
            with forks.held(), self._lock, self._building(), interrupts.held():
                found = self._taped.get(wrt) or self._taped.setdefault(wrt, self._made(wrt))
        return found

    def _made(self, wrt: tuple[int, ...]) -> Taped:
        joint = self._joint(wrt)
        n = len(self.function.returns)
        gradients = zip(wrt, joint.returns[n:], strict=True)
        live = frozenset(k for k, a in gradients if not _is_zero(a, joint))
        parts = partition(joint, len(self.function.params), n)
        if parts is None:
            return Taped(self.run, self.pulled(wrt).run, None, live)
        forward = run_passes(parts.forward)
        backward = run_passes(parts.backward)
        return Taped(self._build(forward), self._build(backward), parts, live)

    def pulled(self, wrt: tuple[int, ...]) -> Kernel:
        """The function from the parameters and the results' adjoints to the gradients."""
        with forks.held(), self._lock, self._building(), interrupts.held():
            if wrt not in self._pulled:
                joint = self._joint(wrt)
                function = joint.with_body(joint.body, joint.returns[len(self.function.returns) :])
                function = replace(function, name=f"{self.name}_pull")
                self._pulled[wrt] = Kernel(run_passes(function), self._build)
            return self._pulled[wrt]


def kernel_of(entry: Entry, storing: bool = False) -> Kernel:
    """The kernel of a specialization; `storing`: it also returns its arguments' final contents."""
    made = entry.extensions.get(("kernel", storing))
    if made is None:
        function = on_copies(entry.whole, storing, writes=True).function
        made = Kernel(function, lambda f: built(f, entry.options).run)
        made.sharing |= sharing(entry.program.function)  # which stores to the arguments themselves
        made.complex_choices = tuple(complex_choices(entry.program))
        made = entry.extensions.setdefault(("kernel", storing), made)
    return made


def _is_zero(a: Atom, function: Function) -> bool:
    """Whether a gradient is zero for all arguments."""
    if isinstance(a, Const):
        return a.value == 0
    made = next((s for s in function.body if isinstance(s, Def) and s.var is a), None)
    if made is None:
        return False
    if made.op is memory.zeros:
        return alias_classes(function).is_pure(a)
    if made.op is arrays.pack:
        return all(_is_zero(x, function) for x in made.args)
    same = (reductions.broadcast_to, memory.copy, elementwise.cast)
    return made.op in same and _is_zero(made.args[0], function)
