"""Which forward values the reverse sweep has to the bit; decisions are taken of no others.

What is in scope, in memory or on a tape is exact, and so is a whole number. A float that was
computed again may be rounded otherwise than it was in the forward sweep. What is decided of such
floats, by the program or by a rule, is decided in the forward sweep and remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.autodiff import faults
from srcgrad.autodiff.decisions import Made, decides, rounds
from srcgrad.ir.nodes import Atom, Def, Var
from srcgrad.ir.types import Scalar, float_type


class Exact:
    """Asks of the forward values of a sweep which are exact; `values` is `ForwardValues`."""

    def __init__(self, values: Any):
        self.values, self.program, self.b = values, values.program, values.b
        self.rounded: set[Atom] = set()  # what was computed again, or from such
        self._decisions: dict[tuple[Var | None, Made], Atom] = {}
        self._known: dict[Var, bool] = {}  # answers, as long as nothing else is had or remembered
        self._state: Any = None

    # ---- exact values ----
    def __call__(self, a: Any) -> bool:
        """Whether a value is had here to the bit as the forward sweep had it."""
        if not isinstance(a, Var) or not float_type(a.type) or self.program.is_direct(a):
            return True
        got = self.values.find(a)
        if got is not None:
            return got not in self.rounded
        if self._state != (state := self.values.state()):
            self._known, self._state = {}, state
        if a not in self._known:
            self._known[a] = self._is_exact(a)
        return self._known[a]

    def _is_exact(self, a: Var) -> bool:
        values, d = self.values, self.program.owner.get(a)
        if not isinstance(d, Def) or a in values.forced:
            return True  # remembered, or in memory
        scalar = isinstance(a.type, Scalar)
        if d.op.view or d.op.name == "load":
            return self(d.args[0]) or (scalar and not values.is_cheap(a))
        pure = not scalar and self.program.classes.is_pure(a)
        again = values.is_cheap(a) if scalar else pure and values.is_array_again(a)
        return not again or (not rounds(d.op, a.type) and all(map(self, d.args)))

    def have(self, a: Atom) -> Any:
        """The contents of a forward atom to the bit; remembered if they would be computed again."""
        got = self.values.contents(a)
        if got in self.rounded:
            got = self.values.kept(a)
            self.values.remember(a, got)
        return got

    def again(self, op: Any, args: tuple[Atom, ...], name: str, params: dict) -> Any:
        """Emit an operation of the forward sweep once more: of floats, not always to the bit."""
        got = self.b(op, *args, name=name, **params)
        of_rounded = any(a in self.rounded for a in args)
        if got not in args and float_type(got.type) and (of_rounded or rounds(op, got.type)):
            self.rounded.add(got)
        return got

    # ---- decisions ----
    def may_decide(self, d: Def) -> bool:
        """Whether an operation, if it decides, comes out here as it did in the forward sweep."""
        return not self._matters(d) or all(map(self, d.args))

    def _matters(self, d: Def) -> bool:
        return decides(d) and not faults.injected("decided-once")

    def operands(self, d: Def, have: Callable[[Atom], Any]) -> tuple[Any, ...]:
        """What an operation of the forward sweep is computed of again; exact if it decides."""
        return tuple(map(self.have if self._matters(d) else have, d.args))

    def decided(self, made: Made, s: Def) -> Atom | None:
        """What the rule of a statement decides of forward values, had from the forward sweep.

        None if they are exact here: then the rule decides.
        """
        of_floats = any(float_type(a.type) for a in made.leaves)
        if not of_floats or faults.injected("decided-once"):
            return None
        if made.is_exact(self):
            for a in made.leaves:
                self.have(a)
            return None
        key = (s.var, made)
        if key not in self._decisions:
            self._decisions[key] = self._decide(made, s)
        return self.values(self._decisions[key])

    def _decide(self, made: Made, s: Def) -> Atom:
        """Take a decision right after a statement of the forward sweep."""
        place = self.values.insertions.at_after(s)
        first = len(place)
        with self.values.insertions.into(place) as b:
            v = made.emitted(b)
        for d in place[first:]:
            if isinstance(d, Def) and d.var is not None:
                self.values.forward(d.var, self.program.point[s], d, place)
        return v
