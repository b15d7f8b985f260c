"""A proof over an emitted module: each reference that is made is given up once on every path.

The text says in comments where a reference is counted up (`; +NAME`) and given up (`; -NAME`), and
which phis hand one on (`; counted`). Over the blocks of each function that owns, what is owned is
followed along every edge: it is the same on all edges into a block, never negative, and nothing at
a `ret`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field

from srcgrad.records import record

_LABEL = re.compile(r"([\w.]+):")
_NOTE = re.compile(r"\s*; ([+-])(%[\w.]+)")
_PHI = re.compile(r"\s*(%\w+) = phi ptr (.*) ; counted")
_INCOMING = re.compile(r"\[ (%?[\w.]+), %([\w.]+) \]")
_TARGET = re.compile(r"label %([\w.]+)")


class OwnershipError(AssertionError):
    """The emitter is at fault: a reference leaks, or is given up twice."""


@record()
class _Block:
    phis: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    notes: list[tuple[str, int]] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    returns: bool = False


def check(text: str) -> None:
    """Raise an `OwnershipError` that names the reference and the block."""
    for function in text.split("\ndefine ")[1:]:
        if _NOTE.search(function):  # it owns something
            _check_function(function)


def _check_function(text: str) -> None:
    blocks = _blocks(text)
    entering: dict[str, Counter[str]] = {"entry": Counter()}
    left = ["entry"]
    while left:
        name = left.pop()
        block, owned = blocks[name], Counter(entering[name])
        for what, change in block.notes:
            owned[what] += change
            if owned[what] < 0:
                raise OwnershipError(f"{what} is given up in %{name}, which does not own it")
        if block.returns and +owned:
            raise OwnershipError(f"%{name} returns and owns {', '.join(+owned)}")
        for target in block.targets:
            there = _over(owned, name, target, blocks[target])
            if target not in entering:
                entering[target] = there
                left.append(target)
            elif entering[target] != there:
                differ = (entering[target] - there) + (there - entering[target])
                raise OwnershipError(f"%{target} is entered with and without {', '.join(differ)}")


def _over(owned: Counter[str], source: str, target: str, block: _Block) -> Counter[str]:
    """What is owned behind an edge: a counted phi takes the reference of its operand."""
    out = Counter(owned)
    for _, incoming in block.phis:
        if incoming[source] != "null":
            out[incoming[source]] -= 1
            if out[incoming[source]] < 0:
                raise OwnershipError(f"%{source} hands {incoming[source]} to %{target} uncounted")
    for name, _ in block.phis:
        out[name] += 1
    return +out


def _blocks(text: str) -> dict[str, _Block]:
    """The blocks of a function."""
    blocks, here = {}, _Block()
    for line in text.splitlines()[1:]:
        if label := _LABEL.match(line):
            here = blocks.setdefault(label[1], _Block())
        elif note := _NOTE.match(line):
            here.notes.append((note[2], 1 if note[1] == "+" else -1))
        elif phi := _PHI.match(line):
            here.phis.append((phi[1], {b: a for a, b in _INCOMING.findall(phi[2])}))
        elif line.startswith("  br "):
            here.targets += _TARGET.findall(line)
        elif line.startswith("  ret "):
            here.returns = True
    return blocks
