"""Statements of the host that compute with numbers of the device, as kernels of one thread.

Consecutive ones are one kernel. The host's work between them on lengths and starts of arrays is
done before: it does not read results of the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.backends.cuda.numbers import Numbers
from srcgrad.backends.cuda.schedule import Launch
from srcgrad.ir.nodes import Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import INT
from srcgrad.ir.walk import results, uses, walk
from srcgrad.passes.effects import is_observable, is_scalar_operation, is_write
from srcgrad.primitives import memory, messages


def with_number_kernels(function: Function, numbers: Numbers) -> tuple[Function, dict[For, Launch]]:
    """The function with its moved statements as loops of one trip, and all its launches."""
    made = _Kernels(function, numbers)
    return function.with_body(made.block(function.body)), made.launches


class _Kernels:
    def __init__(self, function: Function, numbers: Numbers):
        self.numbers, self.launches = numbers, dict(numbers.launches)
        self.users: dict[object, list[Stmt]] = {}
        for s in walk(function.body):
            for v in uses(s):
                self.users.setdefault(v, []).append(s)
        self.returned = {a for a in function.returns if isinstance(a, Var)}

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        waiting: list[Stmt] = []  # moved statements that are not launched yet
        for s in block:
            if s in self.numbers.moved:
                waiting.append(s)
                continue
            if waiting and not _goes_first(s, waiting):
                out.append(self.kernel(waiting))
                waiting = []
            out.append(self.inner(s))
        return (*out, self.kernel(waiting)) if waiting else tuple(out)

    def inner(self, s: Stmt) -> Stmt:
        match s:
            case For() if s not in self.launches:
                return altered(s, body=self.block(s.body))
            case While():
                return altered(s, test=self.block(s.test), body=self.block(s.body))
            case If():
                return altered(s, then=self.block(s.then), orelse=self.block(s.orelse))
        return s

    def kernel(self, statements: Sequence[Stmt]) -> For:
        """A loop of one trip, whose results are defined for later statements."""
        one, body = Var("one", INT), tuple(statements)
        nothing, trip = Const(0, INT), Const(1, INT)
        loc = next((s.loc for s in statements if s.loc is not None), None)
        s = For(one, nothing, trip, (), (), body, (), (), independent=True, loc=loc)
        inside = set(walk(body))
        numbers = [v for t in body for v in results(t) if self.is_read(v, inside)]
        self.launches[s] = Launch(s, (s,), body, (), frozenset(), tuple(numbers))
        return s

    def is_read(self, v: Var, inside: set[Stmt]) -> bool:
        return v in self.returned or any(s not in inside for s in self.users.get(v, ()))


def _goes_first(s: Stmt, waiting: Sequence[Stmt]) -> bool:
    """Whether the host can run a statement before a kernel that precedes it."""
    if not isinstance(s, Def) or {v for t in waiting for v in results(t)} & {*uses(s)}:
        return False
    inside = [t for t in walk(waiting) if isinstance(t, Def)]
    if is_observable(s) and (s.op in messages.WRITTEN or any(map(_is_noticed, inside))):
        return False
    return is_scalar_operation(s) or s.op.view or s.op in (memory.empty, memory.zeros)


def _is_noticed(s: Def) -> bool:
    """Whether it is visible that a statement has run although a later one raises."""
    return is_observable(s) or is_write(s)
