"""The same program with a schedule for each of its loops over a range, and for each `while`.

Its gradient is the plain one, or it is refused for the schedule. Not always to the last bit: passes
move other statements out of a loop with a mark, so that sums have another order.
"""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tests.fuzz.inputs import Values
from tests.fuzz.source import copied, loaded
from tests.fuzz.stages import demand
from tests.fuzz.subject import Subject
from tests.fuzz.trial import Trial

OPTIONS = ("segments=1", "segments=2", "segments=3", "memory=1", "memory=400", "memory=4000")
RANGES = ("range", "flow.prange")


class _Scheduled(ast.NodeTransformer):
    def __init__(self, options: str):
        self.options, self.many = options, 0

    def _of(self, over: ast.expr) -> ast.expr:
        self.many += 1
        made = ast.parse(f"flow.checkpointed(None, {self.options})", mode="eval").body
        assert isinstance(made, ast.Call)
        made.args = [over]
        return made

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        if isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) in RANGES:
            node.iter = self._of(node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        node.test = self._of(node.test)
        return node


@contextmanager
def scheduled(trial: Trial, options: str) -> Iterator[Any]:
    """The function of a program with schedules; None if it has no such loop."""
    tree, change = ast.parse(trial.program.source()), _Scheduled(options)
    text = f"import srcgrad as flow\n{ast.unparse(change.visit(tree))}"
    if not change.many:
        yield None
        return
    with loaded(text, f"{trial.program.seed} {options}") as namespace:
        yield namespace["f"]


def with_schedules(
    trial: Trial, subject: Subject, target: str, options: str
) -> tuple[Any, Values] | None:
    """Value and gradient; None if there is no loop to give one, or it is refused for it."""
    with scheduled(trial, options) as fn:
        if fn is None:
            return None
        compiled, at = subject.compile(fn, target=target), trial.at
        derivative = subject.gradient(compiled, at.positions, trial.reduction.adjoints)
        args = copied(at.args)
        try:
            found = derivative(*args)
        except subject.refusal as error:
            if isinstance(error, subject.fault) or "flow.checkpointed" not in str(error):
                raise
            return None
        for before, after in zip(at.args, args, strict=True):
            kept = np.array_equal(before, after, equal_nan=True)
            demand(kept, f"arguments, {options}", after, before)
        return compiled(*copied(at.args)), found
