"""Represents one specialization (`Entry`) and builds its program for a target.

Never decides which specialization a call uses: see `compiled`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from srcgrad.autodiff.clone import clone
from srcgrad.ir.nodes import Function
from srcgrad.passes import run as run_passes
from srcgrad.passes.settle import has_rules, settle
from srcgrad.primitives import REGISTRY
from srcgrad.transforms.program import Program
from srcgrad.transforms.signature import key_of
from srcgrad.transforms.stages import Stage, staged
from srcgrad.transforms.stored_inputs import Apart


@dataclass(frozen=True)
class Options:
    target: str = "cpu"
    cache: bool = True
    fastmath: bool | None = None  # see backends/cpu/fastmath.py
    tape: bool = False  # whether calls with tensors may go there where the compiler refuses

    @property
    def strict(self) -> bool:
        """Whether sums keep the order of the program."""
        return self.fastmath is False


@dataclass(frozen=True)
class Entry:
    """The program compiled for one signature, with what a call needs to use it."""

    program: Program
    run: Callable[..., tuple]
    hidden: tuple[Callable[[], Any], ...]
    kinds: tuple  # of the captured values
    shapes: bool  # whether their shapes count as well
    converters: tuple[Callable | None, ...]
    stored: frozenset[int]  # positions of parameters; empty where nothing can overlap
    stages: tuple[Stage, ...]
    restarts: int
    whole: Program  # the program with the rules of users still attached
    options: Options
    tensors: bool  # whether a captured value is one
    apart: Apart  # whether inputs share no memory that is stored to
    extensions: dict[Any, Any] = field(default_factory=dict)  # what other layers made of it

    def captured(self) -> list[Any] | None:
        """The current captured values; None if a guard fails or one has another type."""
        if not all([g.holds() for g in self.program.guards]):
            return None
        try:
            values = [fetch() for fetch in self.hidden]
        except (LookupError, AttributeError, ValueError):
            return None
        return values if tuple([kind_of(v, self.shapes) for v in values]) == self.kinds else None


def kind_of(value: Any, shapes: bool) -> Any:
    """The part of a captured value that is specialized on; `shapes`: its shape as well."""
    return (key_of(value), value.shape) if shapes and hasattr(value, "shape") else key_of(value)


# ---- building ----
def build(program: Program, options: Options) -> Callable[..., tuple]:
    """The program's function as a callable of the chosen target."""
    return built(program.function, options)


def built(function: Function, options: Options) -> Callable[..., tuple]:
    """An IR function as a callable of the chosen target."""
    function = settled(function)
    if options.target == "python":
        from srcgrad.backends.python import build as build_python

        return build_python(function, REGISTRY)
    from srcgrad.backends.cpu.build import build as build_cpu
    from srcgrad.passes.pipeline import lowered

    low = staged("lowering", lambda: lowered(clone(function), options.strict))
    return build_cpu(low, REGISTRY, fastmath=options.fastmath, cache=options.cache)


def settled(function: Function) -> Function:
    """The function as it is run: no further derivative is taken of it."""
    if not has_rules(function):
        return function
    return staged("passes", lambda: run_passes(settle(clone(function))))
