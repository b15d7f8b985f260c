"""A proof over an emitted module: each reference that is made is released once on every path.

The text says in comments where a reference is counted up (`; +NAME`) and released (`; -NAME`), what
lies in a slot from there on (`; SLOT = NAME`), where what all slots hold is released (`; all`), and
which phis hand a reference on (`; counted`). Over the blocks of each function that owns, what is
owned and what the slots hold is followed along every edge: both are the same on all edges into a
block, what is owned is never negative, and nothing at a `ret`. Into a block that releases what all
slots hold each edge comes with what it owns in the slots.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field

from srcgrad.records import record

_LABEL = re.compile(r"([\w.]+):")
_NOTE = re.compile(r"\s*; ([+-])(%[\w.]+)")
_SLOT = re.compile(r".*; (%o\d+) = (%[\w.]+|null)")
_PHI = re.compile(r"\s*(%\w+) = phi ptr (.*) ; counted")
_INCOMING = re.compile(r"\[ (%?[\w.]+), %([\w.]+) \]")
_TARGET = re.compile(r"label %([\w.]+)")


class OwnershipError(AssertionError):
    """Raised for a fault of the emitter: a reference leaks, or is released twice."""


@record()
class _Block:
    phis: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)  # "+", "-" or a slot, and a name
    targets: list[str] = field(default_factory=list)
    all: bool = False  # it releases what all slots hold
    returns: bool = False


@record()
class _State:
    """How often each reference is owned, and what lies in each slot that is not null."""

    owned: Counter[str]
    slots: dict[str, str]

    def copy(self) -> _State:
        return _State(Counter(self.owned), dict(self.slots))

    def differ(self, other: _State) -> Counter[str]:
        return _differ(self.owned, other.owned) + _differ(self._lies(), other._lies())

    def _lies(self) -> Counter[str]:
        return Counter(f"{name} in {slot}" for slot, name in self.slots.items())


def check(text: str) -> None:
    """Raises an `OwnershipError` that names the reference and the block."""
    for function in text.split("\ndefine ")[1:]:
        if _NOTE.search(function):  # it owns references
            _check_function(function)


def _check_function(text: str) -> None:
    blocks = _blocks(text)
    entering = {"entry": _State(Counter(), {})}
    left = ["entry"]
    while left:
        name = left.pop()
        block, state = blocks[name], entering[name].copy()
        for note in block.notes:
            _apply(state, name, *note)
        if block.returns and +state.owned:
            raise OwnershipError(f"%{name} returns and owns {', '.join(+state.owned)}")
        for target in block.targets:
            there = _over(state, name, target, blocks[target])
            if target not in entering:
                entering[target] = there
                left.append(target)
            elif differ := entering[target].differ(there):
                raise OwnershipError(f"%{target} is entered with and without {', '.join(differ)}")


def _apply(state: _State, block: str, what: str, name: str) -> None:
    if what[0] == "%":
        state.slots.pop(what, None)
        if name != "null":
            state.slots[what] = name
        return
    state.owned[name] += 1 if what == "+" else -1
    if state.owned[name] < 0:
        raise OwnershipError(f"{name} is released in %{block}, which does not own it")


def _over(state: _State, source: str, target: str, block: _Block) -> _State:
    """The references owned after an edge: a counted phi takes that of its operand."""
    out = state.copy()
    if block.all:
        differ = _differ(+out.owned, Counter(out.slots.values()))
        if differ:
            raise OwnershipError(f"%{source} fails with {', '.join(differ)} not as in the slots")
        return _State(Counter(), {})
    for _, incoming in block.phis:
        name = incoming[source]
        if name != "null":
            out.owned[name] -= 1
            if out.owned[name] < 0:
                raise OwnershipError(f"%{source} hands {name} to %{target} uncounted")
    for name, _ in block.phis:
        out.owned[name] += 1
    return _State(+out.owned, out.slots)


def _differ(one: Counter[str], other: Counter[str]) -> Counter[str]:
    return (one - other) + (other - one)


def _blocks(text: str) -> dict[str, _Block]:
    """The blocks of a function."""
    blocks, here = {}, _Block()
    for line in text.splitlines()[1:]:
        if label := _LABEL.match(line):
            here = blocks.setdefault(label[1], _Block())
        elif note := _NOTE.match(line) or _SLOT.match(line):
            here.notes.append((note[1], note[2]))
        elif line == "  ; all":
            here.all = True
        elif phi := _PHI.match(line):
            here.phis.append((phi[1], {b: a for a, b in _INCOMING.findall(phi[2])}))
        elif line.startswith("  br "):
            here.targets += _TARGET.findall(line)
        elif line.startswith("  ret "):
            here.returns = True
    return blocks
