"""Determines which primal values the reverse sweep recovers bit for bit.

Values in scope, in memory or on a tape are exact, and so are integers. A recomputed float may be
rounded differently than in the forward sweep. A decision on such floats, whether by the program or
by a rule, is made in the forward sweep and its outcome is saved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.autodiff.decisions import Made, decides, rounds
from srcgrad.autodiff.reverse.program import Key
from srcgrad.ir.nodes import Atom, Const, Def, Var
from srcgrad.ir.types import Scalar, float_type
from srcgrad.operation import Params
from srcgrad.primitives import memory


class Exact:
    """Exactness of the primal values of one sweep; `values` is its `ValueRecovery`."""

    def __init__(self, values: Any):
        self.values, self.program, self.b = values, values.program, values.b
        self.rounded: set[Atom] = set()  # recomputed floats, and values computed from them
        self._decisions: dict[tuple[Var | None, Made], Atom] = {}
        self._taken: dict[
            Key, dict[Any, Var | None]
        ] = {}  # what a block computes, once it is needed
        self._known: dict[Var, bool] = {}  # cached answers, valid for `_state`
        self._state: Any = None

    # ---- exact values ----
    def __call__(self, a: Any) -> bool:
        """Whether a primal value is recovered exactly at the current point."""
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
            return True  # on a tape, or in memory
        scalar = isinstance(a.type, Scalar)
        if d.op.view or d.op is memory.load:
            return self(d.args[0]) or (scalar and not values.is_cheap(a))
        pure = not scalar and self.program.classes.is_pure(a)
        again = values.is_cheap(a) if scalar else pure and values.is_array_again(a)
        return not again or (not rounds(d.op, a.type) and all(map(self, d.args)))

    def recover(self, a: Atom) -> Any:
        """The exact contents of a forward atom, from a tape if recomputing would be inexact."""
        got = self.values.contents(a)
        if got in self.rounded:
            got = self.values.kept(a)
            self.values.remember(a, got)
        return got

    def again(self, op: Any, args: tuple[Atom, ...], name: str, params: Params) -> Any:
        """Recomputes an operation of the forward sweep, and records an inexact result."""
        got = self.b(op, *args, name=name, **params)
        of_rounded = any(a in self.rounded for a in args)
        if got not in args and float_type(got.type) and (of_rounded or rounds(op, got.type)):
            self.rounded.add(got)
        return got

    # ---- decisions ----
    def may_decide(self, d: Def) -> bool:
        """Whether recomputing an operation here cannot change a decision."""
        return not decides(d) or all(map(self, d.args))

    def operands(self, d: Def, recover: Callable[[Atom], Any]) -> tuple[Any, ...]:
        """The operands for recomputing an operation; exact ones if it is a decision."""
        return tuple(map(self.recover if decides(d) else recover, d.args))

    def decided(self, made: Made, s: Def) -> Atom | None:
        """The outcome of a rule's decision on forward values, recovered from the forward sweep.

        None if the operands are exact here: the rule may then decide in the reverse sweep.
        """
        if not any(float_type(a.type) for a in made.leaves):
            return None
        if made.is_exact(self):
            for a in made.leaves:
                self.recover(a)
            return None
        key = (s.var, made)
        if key not in self._decisions:
            found = self._found(made, s)
            self._decisions[key] = self._decide(made, s) if found is None else found
        return self.values(self._decisions[key])

    def _found(self, made: Made, s: Def) -> Atom | None:
        """The outcome of the decision where the forward sweep has taken it in the same block."""
        if any(isinstance(a, Made) or not self._is_value(a) for a in made.args):
            return None
        key, _ = self.program.point[s][-1]
        if key not in self._taken:
            taken = self._taken[key] = dict[Any, Var | None]()
            for d in self.program.block[key]:
                if isinstance(d, Def) and d.op.decides:
                    taken.setdefault((d.op, d.args, repr(d.params)), d.var)
        return self._taken[key].get((made.op, made.args, made.key))

    def _is_value(self, a: Atom | Made) -> bool:
        """Whether an atom is a number, or an array that nothing stores to."""
        scalar = isinstance(a, Const) or (isinstance(a, Var) and isinstance(a.type, Scalar))
        return scalar or (isinstance(a, Var) and self.program.classes.is_pure(a))

    def _decide(self, made: Made, s: Def) -> Atom:
        """Emits a rule's decision into the forward sweep, directly after the rule's statement."""
        place = self.values.insertions.at_after(s)
        first = len(place)
        with self.values.insertions.into(place) as b:
            v = made.emitted(b)
        for d in place[first:]:
            if isinstance(d, Def) and d.var is not None:
                self.values.forward(d.var, self.program.point[s], d, place)
        return v
