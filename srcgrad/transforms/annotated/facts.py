"""Facts about the program that is built for some arguments, and about one run of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.backends.backend import backend_of
from srcgrad.backends.clocked import Timing, timing
from srcgrad.backends.gpu_arrays import is_on_device
from srcgrad.errors import Location
from srcgrad.ir.nodes import Def, Function, Stmt, Var
from srcgrad.ir.text import Printed
from srcgrad.ir.walk import walk
from srcgrad.passes import run as run_passes
from srcgrad.printing import Readable
from srcgrad.records import record
from srcgrad.transforms.annotated.kept import Kept, kept
from srcgrad.transforms.annotated.located import located
from srcgrad.transforms.annotated.loops import LoopFacts, loop_facts
from srcgrad.transforms.annotated.sources import Region, regions
from srcgrad.transforms.explain import explain
from srcgrad.transforms.printed import printed
from srcgrad.transforms.saved_tapes import Sizes, saved_values
from srcgrad.transforms.specs import Primal
from srcgrad.transforms.stack import described, shown_by
from srcgrad.tree import paths

MOST_SECONDS = 10.0  # of the runs with a clock, together


@record(frozen=True)
class Facts:
    """All that the page says."""

    title: str
    transform: str
    target: str
    settings: Mapping[str, str]
    regions: tuple[Region, ...]
    program: Readable  # as Python
    code: Printed  # what the target runs, as text
    timing: Timing | None
    untimed: str  # why there is no timing
    kept: tuple[Kept, ...]
    loops: tuple[LoopFacts, ...]
    places: Mapping[Stmt, Location]  # of the statements of both texts
    explained: str


def facts(compiled: Any, arguments: dict[str, Any]) -> Facts:
    """The facts about a gradient for arguments like these; runs it on copies of them.

    Of a function without a transform the facts are those of its gradient by the first argument.
    """
    if isinstance(compiled.spec, Primal):
        adjoint = shown_by(compiled.spec, "adjoint")
        shown = type(compiled)(compiled.function, adjoint, compiled.options)
        shown._requirements = compiled._requirements
        compiled = shown
    given = [pair for n, v in arguments.items() for pair in paths(v, (n,))]
    entry, captured = compiled._entry_for(arguments, given)
    program, options = entry.program, compiled.options
    function: Function = program.function
    backend = backend_of(options.target)
    passes = backend.pipeline(options)
    lowered = run_passes(function, passes) if passes else function
    inputs = [*(dict(given)[path] for path in program.inputs), *captured]
    timed, untimed = _timed(function, inputs)
    measured = {} if timed is None else timed.bytes
    known, known_lowered = _known(function, inputs), _known(lowered, inputs)
    saved = saved_values(function, known)
    places = located(function, {s.tape: s for s in saved})
    places |= located(lowered, {s.tape: s for s in saved_values(lowered, known_lowered)})
    defined = (s for s in walk(lowered.body) if isinstance(s, Def))
    sizes = Sizes({s.var: s for s in defined if s.var is not None}, known_lowered)
    code = compiled.function.__code__
    return Facts(
        compiled._title(),
        described(compiled.spec),
        options.target,
        backend.settings(options) | ({"parallel": "True"} if options.parallel else {}),
        tuple(regions(places.values(), Location(code.co_filename, code.co_firstlineno))),
        printed(program, arguments, compiled._signature),
        backend.build(lowered, replace(options, cache=False)).print_source(),
        timed,
        untimed,
        tuple(kept(saved, lowered, sizes, measured)),
        tuple(loop_facts(function, lowered, places, sizes, options.target, options.parallel)),
        places,
        explain(compiled, arguments),
    )


def _known(function: Function, inputs: list[Any]) -> dict[Var, Any]:
    return dict(zip(function.params, inputs, strict=False))


def _timed(function: Function, inputs: list[Any]) -> tuple[Timing | None, str]:
    """The timing of the function, or why there is none."""
    if any(map(is_on_device, inputs)):
        return None, "arguments are on a device"
    found = timing(function, lambda: [_copied(v) for v in inputs], MOST_SECONDS)
    if found is None:
        return None, f"one run with a clock takes more than {MOST_SECONDS:g} s"
    return found, ""


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value
