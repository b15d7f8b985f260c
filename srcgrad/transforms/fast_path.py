"""The fast path from a call to compiled code: one generated function per signature.

It tests the kinds of positional arguments and the guards, calls the kernel and builds the result;
anything else it leaves to the general path by returning MISS. Never compiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.frontend.guards import UNREADABLE, Path, Writer
from srcgrad.frontend.requirements import Requirements
from srcgrad.frontend.returned import Choice
from srcgrad.transforms.specialization import Entry
from srcgrad.transforms.value_tests import tests_of
from srcgrad.tree import Leaf

Write = Callable[[Writer, str], bool]  # of a test
MISS = object()
MOST_FAST = 4  # signatures with a fast path of their own


def fast_path(
    entry: Entry, given: list[tuple[tuple, Any]], names: tuple[str, ...], required: Requirements
) -> Callable | None:
    """The function for calls like this one; None where an argument is a container."""
    if (
        entry.stored
        or entry.tensors
        or entry.program.names
        or entry.program.returned is not None
        or [path for path, _ in given] != [(n,) for n in names]
    ):
        return None
    w = FastPath(names)
    if not all([test.write(w, w.at[path]) for path, _, test in tests_of(given, required)]):
        return None
    inputs = w.read(entry, [(g.path, g.test.write) for g in entry.inputs])
    if inputs is None:
        return None
    w.lines.append(f"r = {w.name(entry.run)}({', '.join(inputs)})")

    def converted(k: int) -> str:
        convert = entry.converters[k]
        return f"r[{k}]" if convert is None else f"{w.name(convert)}(r[{k}])"

    return w.made(entry.program.output, converted)


class FastPath(Writer):
    """Writes a function that tests arguments and captured values, and runs an entry."""

    def __init__(self, names: tuple[str, ...]):
        super().__init__(MISS=MISS, ndarray=np.ndarray, UNREADABLE=UNREADABLE)
        self.params = [f"a{k}" for k in range(len(names))]
        self.at: dict[Any, str] = {(n,): p for n, p in zip(names, self.params, strict=True)}

    def read(self, entry: Entry, captured: Sequence[tuple[Path, Write]]) -> list[str] | None:
        """The inputs of the program, tested as its guards are; None if some test has no text.

        `captured`: the places of the captured inputs, and what writes their tests.
        """
        program = entry.program
        if any(path not in self.at for path in program.inputs):
            return None
        arguments = self.lines
        self.lines = []
        for guard in program.guards:
            guard.test.write(self, guard.path.text(self))
        for k, (place, _) in enumerate(captured):
            self.at[k] = f"h{k}"
            self.lines.append(f"h{k} = {place.text(self)}")
        lines = [f"    {line}" for line in self.lines]
        self.lines = [*arguments, "try:", *lines, "except UNREADABLE: return MISS"]
        if not all([write(self, self.at[k]) for k, (_, write) in enumerate(captured)]):
            return None
        if program.lengths is not None:
            program.lengths.write(self, self.at)
        return [self.at[what] for what in (*program.inputs, *range(len(captured)))]

    def made(self, output: Any, result: Callable[[int], str]) -> Callable | None:
        """The function that returns a template of results, given the text of each, if it can.

        Its globals do not hold it, so that it is freed when unused.
        """
        text = _template(output, result)
        if text is None:
            return None
        lines = [f"def fast({', '.join(self.params)}):", *self.lines, f"return {text}"]
        exec(compile("\n    ".join(lines), "<srcgrad fast path>", "exec"), self.scope)
        return self.scope.pop("fast")


def _template(shape: Any, result: Callable[[int], str]) -> str | None:
    """The text of a template; None if it holds other containers than tuples."""
    if isinstance(shape, Leaf):
        return result(shape.k)
    if type(shape) is tuple:
        parts = [_template(p, result) for p in shape]
        return None if None in parts else f"({''.join(f'{p}, ' for p in parts)})"
    if isinstance(shape, Choice):
        flag, one, other = (_template(p, result) for p in (shape.flag, shape.one, shape.other))
        return None if None in (flag, one, other) else f"({one} if {flag} else {other})"
    return "None" if shape is None else None
