"""Random programs for a pass: what is common to the tests that compare before and after."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from srcgrad.backends import python
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.ir.nodes import Function
from srcgrad.ir.parse import parse
from srcgrad.ir.text import to_text
from srcgrad.passes.lower import lower
from srcgrad.primitives import REGISTRY
from tests.backends.backend_programs import agree, outcome, same


class Draw:
    """Random choices, with the names that a program has defined so far."""

    def __init__(self, seed: int, *values: str):
        self.random = random.Random(seed)
        self.values, self.numbers = list(values), 0

    def new(self, stem: str) -> str:
        self.numbers += 1
        return f"{stem}{self.numbers}"

    def value(self) -> str:
        """A name defined before, mostly one of the last."""
        return self.random.choice(self.values[-4:] if self.random.random() < 0.7 else self.values)

    def defined(self, stem: str, text: str, dtype: str = "f64") -> list[str]:
        """The line that gives a new name to the result of an operation."""
        name = self.new(stem)
        self.values.append(name)
        return [f"{name}: {dtype} = {text}"]


def indented(lines: Iterable[str], by: int = 4) -> list[str]:
    return [" " * by + line for line in lines]


def loop(
    over: str, carried: dict[str, str], lines: Iterable[str], ends: str = "", dtype: str = "f64"
) -> list[str]:
    """The lines of a loop, by the initial values of what it carries and those of the next trip."""
    initial = [f"{name}: {dtype} = {value}" for name, value in carried.items()]
    last = [f"{', '.join(carried)} = {ends}"] if carried else []
    return [*initial, f"for {over}:", *indented([*lines, *last])]


def function(head: str, lines: Iterable[str], *returned: str) -> str:
    """The text of a function that begins with `head`."""
    return head + "\n".join([*indented(lines), f"    return ({', '.join(returned)},)\n"])


def differs(
    text: str,
    args: Sequence[Any],
    run: Callable[[Function], Function],
    build: Callable[[Function], Any] = python.build,
    in_bounds: bool = False,
) -> bool | None:
    """Whether a program computes something else after a pass; None: it says nothing.

    So where the pass changes nothing and, with `in_bounds`, where a place is outside of its array:
    a pass that relies on the checks of a program before it may take such a program for a legal one.
    """

    def make() -> Function:
        return parse(text, REGISTRY)

    with np.errstate(all="ignore"):
        if to_text(make()) == to_text(run(make())):
            return None
        if in_bounds and isinstance(outcome(python.build, make(), args), tuple):
            return None
        if agree(make, args, build, run):
            return False
        return None if _is_ill_conditioned(make, args) else True


def _is_ill_conditioned(make: Callable[[], Function], args: Sequence[Any]) -> bool:
    """Whether arguments that are nudged by some last digits make other results: sin(exp(exp(x))).

    The machine's functions may differ from NumPy's by as much, so nothing can be compared there.
    """

    def nudged(a: Any) -> Any:
        floats = np.asarray(a).dtype.kind == "f"
        return a * (1 + 4 * np.finfo(np.asarray(a).dtype).eps) if floats else a

    want, got = (outcome(python.build, make(), v) for v in (args, [*map(nudged, args)]))
    return not same(got, want)


def cpu_build(function: Function) -> Any:
    """Machine code of a function, as NumPy rounds."""
    return build(lower(function), BuildOptions(cache=False, fastmath=False))


def none_is_wrong(is_wrong: Callable[[int], bool | None], seeds: Sequence[int], least: int = 0):
    """No program of the seeds is wrong, and more than `least` of them say something (not None)."""
    seen = [is_wrong(seed) for seed in seeds]
    assert not any(seen), [seed for seed, wrong in zip(seeds, seen, strict=True) if wrong]
    assert seen.count(False) > least
