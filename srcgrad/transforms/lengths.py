"""Which lengths of a call are equal: what a program may be specialised on (see `equal_lengths`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from srcgrad.tree import spelled

# the path of an argument or the number of a captured value, and an axis
Place: TypeAlias = tuple[Any, int]
Pairs: TypeAlias = tuple[tuple[Place, Place], ...]


@dataclass(frozen=True)
class Lengths:
    """Pairs of lengths which are all equal in the calls of a program, or are not all equal."""

    pairs: Pairs
    equal: bool

    def fit(self, given: Iterable[tuple[tuple, Any]], captured: Sequence[Any]) -> bool:
        """Whether a call with these arguments and captured values is one of the program's."""
        at: dict[Any, Any] = {**dict(given), **dict(enumerate(captured))}
        for (v, i), (w, j) in self.pairs:
            if at[v].shape[i] != at[w].shape[j]:
                return not self.equal
        return self.equal

    def text(self, shape_of: Callable[[Any], str]) -> str:
        """`fit` as an expression, given the text of the shape of an argument or captured value."""
        equal = [f"{shape_of(v)}[{i}] == {shape_of(w)}[{j}]" for (v, i), (w, j) in self.pairs]
        return " and ".join(equal) if self.equal else f"not ({' and '.join(equal)})"

    def differing(self, given: Iterable[tuple[tuple, Any]], captured: Sequence[Any]) -> Lengths:
        """Those of the pairs that are not equal in a call."""
        each = [Lengths((pair,), False) for pair in self.pairs]
        return Lengths(tuple([p for e in each if e.fit(given, captured) for p in e.pairs]), False)

    def spelled(self, names: Sequence[str]) -> str:
        """The first pair as the user would write it, given the names of the captured values."""

        def length(what: Any, axis: int) -> str:
            return f"{names[what] if isinstance(what, int) else spelled(what)}.shape[{axis}]"

        m, n = self.pairs[0]
        return f"{length(*m)} and {length(*n)}"
