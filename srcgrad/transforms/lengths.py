"""Equal lengths of a call, which a program may be specialized on (see `equal_lengths`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from srcgrad.records import record
from srcgrad.tree import spelled

# the path of an argument or the number of a captured value, and an axis
Place: TypeAlias = tuple[Any, int]
Length: TypeAlias = Place | int
Pairs: TypeAlias = tuple[tuple[Place, Length], ...]


@record(frozen=True)
class Lengths:
    """Pairs of lengths which are all equal in the calls of a program, or are not all equal.

    The second of a pair may be a constant.
    """

    pairs: Pairs
    equal: bool

    def fit(self, given: Iterable[tuple[tuple, Any]], captured: Sequence[Any]) -> bool:
        """Whether the program is for a call with these arguments and captured values."""
        at: dict[Any, Any] = {**dict(given), **dict(enumerate(captured))}

        def value(length: Length) -> int:
            return length if isinstance(length, int) else at[length[0]].shape[length[1]]

        same = all([value(m) == value(n) for m, n in self.pairs])
        return same is self.equal

    @property
    def of(self) -> set[Any]:
        """The arguments and captured values that have these lengths."""
        return {p[0] for pair in self.pairs for p in pair if not isinstance(p, int)}

    @property
    def variable(self) -> Lengths:
        """The pairs without a constant."""
        pairs = tuple([(m, n) for m, n in self.pairs if not isinstance(n, int)])
        return Lengths(pairs, self.equal)

    def text(self, shape_of: Callable[[Any], str]) -> str:
        """`fit` as an expression, given the text of the shape of an argument or captured value."""

        def spelled(length: Length) -> str:
            return str(length) if isinstance(length, int) else f"{shape_of(length[0])}[{length[1]}]"

        equal = [f"{spelled(m)} == {spelled(n)}" for m, n in self.pairs]
        return " and ".join(equal) if self.equal else f"not ({' and '.join(equal)})"

    def differing(self, given: Iterable[tuple[tuple, Any]], captured: Sequence[Any]) -> Lengths:
        """The pairs that are not equal in a call."""
        each = [Lengths((pair,), False) for pair in self.pairs]
        return Lengths(tuple([p for e in each if e.fit(given, captured) for p in e.pairs]), False)

    def spelled(self, names: Sequence[str]) -> str:
        """The first pair in the user's notation, given the names of the captured values."""

        def length(at: Length) -> str:
            if isinstance(at, int):
                return str(at)
            what, axis = at
            return f"{names[what] if isinstance(what, int) else spelled(what)}.shape[{axis}]"

        m, n = self.pairs[0]
        return f"{length(m)} and {length(n)}"
