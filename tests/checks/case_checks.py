"""What a check is: a function of the record of a case, which raises where something is wrong.

    @check(of=lambda c: c.dot)
    def forward(record):
        ...

Checks of a case share its `Record`: its programs are traced once, its gradient is taken once.
"""

import traceback
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from srcgrad.ir.nodes import Function
from tests.cases import Case
from tests.tools.memo import Memo
from tests.tools.modes import Modes

CHECKS: list["Check"] = []


@dataclass(frozen=True, eq=False)
class Record:
    """One case, and what several checks read of it."""

    case: Case

    @cached_property
    def reference(self) -> Modes:
        return Modes(self.case)

    @cached_property
    def value_and_grads(self) -> tuple[Any, tuple[Any, ...]]:
        """The value and the gradients on the reference backend, at the arguments of the case."""
        return self.reference.value_and_grad(self.case.arguments())

    @property
    def program(self) -> Function:
        """The IR of the function and its gradient, once it was computed; empty if it was not."""
        entries = [e for found in self.reference.transform._entries.values() for e in found]
        return entries[0].whole.function if entries else Function("empty", (), (), ())

    @property
    def value(self) -> Any:
        return self.value_and_grads[0]

    @property
    def grads(self) -> tuple[Any, ...]:
        return self.value_and_grads[1]


@dataclass(frozen=True, eq=False)
class Check:
    """A check, the cases that it is `of`, and of these the ones that every run tries.

    Of the others a run tries an eighth if `rotates`; `--full` tries all of them. What `changes` how
    programs are made shares none.
    """

    run: Callable[[Record], None]
    of: Callable[[Case], bool]
    always: Callable[[Case], bool]
    rotates: bool = False
    changes: bool = False

    @property
    def name(self) -> str:
        return self.run.__name__


def check(
    of: Callable[[Case], bool] = lambda case: True,
    always: Callable[[Case], bool] = lambda case: True,
    rotates: bool = False,
    changes: bool = False,
) -> Callable[[Callable[[Record], None]], Callable[[Record], None]]:
    """Register the decorated function, which is unchanged."""

    def register(run: Callable[[Record], None]) -> Callable[[Record], None]:
        CHECKS.append(Check(run, of, always, rotates, changes))
        return run

    return register


def never(case: Case) -> bool:
    return False


def failures(
    case: Case,
    checks: Iterable[Check],
    is_due: Callable[[Check, Record], bool] = lambda check, record: True,
) -> dict[str, str]:
    """The tracebacks of the checks that are due and fail, by their names."""
    record, memo, found = Record(case), Memo(), {}
    for each in checks:
        if not is_due(each, record):
            continue
        try:
            with nullcontext() if each.changes else memo.active():
                each.run(record)
        except Exception:
            found[each.name] = traceback.format_exc()
    return found
