"""Facts about lengths of a call, which a program may be specialized on (see `equal_lengths`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from srcgrad.frontend.guards import Reason, Writer
from srcgrad.passes.length_tests import Test, outcome, parameters, text_of
from srcgrad.records import record
from srcgrad.transforms.value_tests import shape_name
from srcgrad.tree import spelled

# the path of an argument or the number of a captured value, and an axis
Place: TypeAlias = tuple[Any, int]
Length: TypeAlias = Place | int
Pairs: TypeAlias = tuple[tuple[Place, Length], ...]


@record(frozen=True)
class Lengths:
    """Pairs of lengths which are all equal in the calls of a program, or are not all equal.

    The second of a pair may be a constant. Tests of lengths that have a known outcome count as a
    pair does.
    """

    pairs: Pairs
    equal: bool
    tests: tuple[tuple[Test, bool], ...] = ()

    def passes(self, now: Mapping[Any, Any]) -> bool:
        """Whether the program is for a call with these arguments and captured values."""

        def value(length: Length) -> int:
            return length if isinstance(length, int) else now[length[0]].shape[length[1]]

        def length(what: Any, axis: int) -> int:
            return now[what].shape[axis]

        equal = all([value(m) == value(n) for m, n in self.pairs])
        return (equal and all([outcome(t, length) is v for t, v in self.tests])) is self.equal

    @property
    def of(self) -> set[Any]:
        """The arguments and captured values that have these lengths."""
        tested = (parameters(t) for t, _ in self.tests)
        compared = {p[0] for pair in self.pairs for p in pair if not isinstance(p, int)}
        return compared.union(*tested)

    @property
    def variable(self) -> Lengths:
        """The pairs without a constant."""
        pairs = tuple([(m, n) for m, n in self.pairs if not isinstance(n, int)])
        return Lengths(pairs, self.equal, self.tests)

    def write(self, w: Writer, at: Mapping[Any, str]) -> None:
        """Writes the test, after those of the kinds; `at`: the names of the values."""
        each = [_texts(pair, lambda what: shape_name(at[what])) for pair in self.pairs]
        tests = [
            ("" if v else "not ") + text_of(t, lambda what, axis: f"{shape_name(at[what])}[{axis}]")
            for t, v in self.tests
        ]
        equal = " and ".join([*map(" == ".join, each), *tests])
        w.unless(equal if self.equal else f"not ({equal})")

    def why(self, names: Sequence[str], now: Mapping[Any, Any]) -> Reason:
        """The first pair that differs, or is equal now; `names`: those of the captured values."""
        each = (pair for pair in self.pairs if not Lengths((pair,), self.equal).passes(now))

        def shape(what: Any) -> str:
            return f"{names[what] if isinstance(what, int) else spelled(what)}.shape"

        found = next(each, None)
        if found is None:
            return "lengths choose between a product and loops", "nothing: both programs are kept"
        pair = " and ".join(_texts(found, shape))
        verb = "differ, and were equal" if self.equal else "are equal, and were not"
        return f"the lengths {pair} {verb}", "nothing: both programs are kept"


def _texts(pair: tuple[Place, Length], shape_of: Callable[[Any], str]) -> list[str]:
    """Two lengths as expressions, given the text of a value's shape."""
    return [str(n) if isinstance(n, int) else f"{shape_of(n[0])}[{n[1]}]" for n in pair]
