"""Rules of reverse mode that tests switch off, to prove that they would be missed.

Each name is a rule that cost a wrong gradient before it was known. Inside `inject(name)` a method
of reverse mode does without it.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from srcgrad.autodiff.reverse import exact, joint, program
from srcgrad.autodiff.reverse.exact import Exact
from srcgrad.autodiff.reverse.nested import ReversedLoop
from srcgrad.autodiff.reverse.program import Program
from srcgrad.autodiff.reverse.references import References
from srcgrad.autodiff.reverse.sweep import Sweep
from srcgrad.autodiff.reverse.tapes import Tapes
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import For, While
from srcgrad.ir.types import Scalar
from srcgrad.transforms import reuse


@dataclass(frozen=True)
class Fault:
    rule: str  # what holds as long as nobody injects the fault
    owner: Any  # the class or module that is patched,
    name: str  # what of it,
    changed: Callable[[Any], Any]  # and what is put instead of what is there
    also: "Fault | None" = None


def always(value: Any) -> Callable[[Any], Any]:
    """Instead of a function, one that answers this."""
    return lambda original: lambda *args, **named: value


def _without_sums(rewind: Any) -> Any:
    """`Sweep._rewind` that leaves out `x[i] += v`."""

    def rewind_others(self: Sweep, s: Any, x: Any) -> None:
        if s.op.name in ("add_at", "add_to"):
            self.values.now = self.program.point[s]
        else:
            rewind(self, s, x)

    return rewind_others


def _without_copy(of_all: Any) -> Any:
    """`Sweep._of_all` that hands out the shadow itself."""
    return lambda self, shadow, value: (
        of_all(self, shadow, value) if isinstance(value.type, Scalar) else shadow
    )


def _every_loop(own: Any) -> Any:
    """`Program.own_loops` that is every loop."""
    return lambda self, cls: {s for s in self.point if isinstance(s, For | While)}


def _first(pick: Any) -> Any:
    """`References._pick` that takes the first buffer."""
    return lambda self, v, origins, get: get(origins[0])


def _identity(permutation: Any) -> Any:
    """`ReversedLoop._permutation` in which each name stays what it is."""
    return lambda self: {j: j for j in permutation(self)}


def _from_zero(base: Any) -> Any:
    """`Tapes._base` that does not count: each execution of a loop starts at 0 again."""

    def zero(self: Tapes, loop: Any) -> Any:
        with self.insertions.into(self.insertions.at_before(loop)) as b:
            zero = b.load(b.zeros(1, dtype="i64"), 0)
        self.values.forward(zero, self.program.point[loop], None)
        return zero

    return zero


def _downwards(range_: Any) -> Any:
    """`ReversedLoop._range` that takes every loop from its end."""
    return lambda self: (*range_(self)[:-1], True)


class _Apart(AliasClasses):
    """Every reference is alone in its class."""

    def _union(self, a: Any, b: Any) -> None:
        return None


FAULTS = {
    "two-points": Fault(
        "conditions, trips and indices are evaluated in the state after the statement",
        Sweep, "after", always(None),
    ),
    "rewind-accumulation": Fault(
        "x[i] += v is rewound like any store when x is read again",
        Sweep, "_rewind", _without_sums,
    ),
    "zero-after-store": Fault(
        "a store takes the adjoint of what it overwrote away",
        Sweep, "_zero", always(None),
    ),
    "reload-intact": Fault(
        "a loaded value is reloaded only if nothing was stored in between",
        Program, "intact", always(True),
    ),
    "loop-stores": Fault(
        "a store in a loop entered on the way spoils a reload",
        Program, "stored_in_earlier_trips", always(False),
    ),
    "own-buffers": Fault(
        "only a loop that binds every name of a buffer has it made anew in each trip",
        Program, "own_loops", _every_loop,
    ),
    "alias-classes": Fault(
        "views and joined names share a class",
        program, "alias_classes", lambda _: _Apart,
    ),
    "copy-shadow": Fault(
        "an assignment copies the shadow before it zeroes it",
        Sweep, "_of_all", _without_copy,
    ),
    "which-buffer": Fault(
        "a joined reference remembers which buffer it was",
        References, "_pick", _first,
    ),
    "inverse-permutation": Fault(
        "swapped names are carried backwards by the inverse",
        ReversedLoop, "_permutation", _identity,
    ),
    "tape-base": Fault(
        "a tape position starts where the last execution of the loop ended",
        Tapes, "_base", _from_zero,
    ),
    "flip-direction": Fault(
        "reversing a reversed loop flips its direction",
        ReversedLoop, "_range", _downwards,
    ),
    "one-memory": Fault(
        "buffers that a tape of references may name are not copied",
        References, "_named_by_tapes", always(set()),
    ),
    "plain-tests": Fault(
        "tests of loops that store are reversed with the body",
        joint, "plain_tests", lambda _: lambda function: function,
    ),
    "decided-once": Fault(
        "what is decided of values that are computed again is what was decided",
        Exact, "decided", always(None),
        also=Fault("from operands as they were", exact, "decides", always(False)),
    ),
    "save-when-reread": Fault(
        "what a later reverse read needs is saved before it is overwritten",
        Sweep, "_must_save", always(False),
    ),
}  # fmt: skip


@contextmanager
def inject(name: str) -> Iterator[None]:
    """Differentiate without one rule, inside the block."""
    fault: Fault | None = FAULTS[name]
    with ExitStack() as patched:
        while fault is not None:
            change = fault.changed(getattr(fault.owner, fault.name))
            patched.enter_context(mock.patch.object(fault.owner, fault.name, change))
            fault = fault.also
        reuse.forget()  # what was built with the rule
        yield
    reuse.forget()
