"""Facts about the program that is built for some arguments, and about one run of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from srcgrad.backends.backend import backend_of
from srcgrad.backends.clocked import Timing, timing
from srcgrad.backends.gpu_arrays import is_on_device
from srcgrad.backends.marked import NestTimes, call_time, nest_times
from srcgrad.errors import Location
from srcgrad.ir.nodes import Def, For, Function, Stmt, Var
from srcgrad.ir.text import Printed
from srcgrad.ir.walk import walk
from srcgrad.passes import run as run_passes
from srcgrad.printing import Readable
from srcgrad.records import record
from srcgrad.transforms.annotated.apart import Unfused, unfused
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
    timing: Timing | None  # of the program, by the reference backend
    untimed: str  # why there is none
    call: float | None  # seconds of a call, as the target runs it
    nests: NestTimes | None  # of the code's statements
    kept: tuple[Kept, ...]
    loops: tuple[LoopFacts, ...]
    unfused: tuple[Unfused, ...]
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
    copies = partial(_copies, inputs)
    measured = {} if timed is None else timed.bytes
    known, known_lowered = _known(function, inputs), _known(lowered, inputs)
    saved = saved_values(function, known)
    places = located(function, {s.tape: s for s in saved})
    places |= located(lowered, {s.tape: s for s in saved_values(lowered, known_lowered)})
    defined = (s for s in walk(lowered.body) if isinstance(s, Def))
    sizes = Sizes({s.var: s for s in defined if s.var is not None}, known_lowered)
    code = compiled.function.__code__
    loops = tuple(loop_facts(function, lowered, places, sizes, options.target, options.parallel))
    whole, nests = None, None
    if timed is not None:
        whole = call_time(entry.run, copies, MOST_SECONDS / 5)
    if timed is not None and whole is not None and options.target == "cpu":
        own = {s.loc for s in walk(function.body) if isinstance(s, For)}
        trips = partial(_trips, sizes, own)
        nests = nest_times(lowered, backend, options, copies, trips, whole, MOST_SECONDS / 5)
    elif timed is not None and options.target in ("python", "loops"):
        ran = timed if lowered is function else timing(lowered, copies, MOST_SECONDS)
        nests = None if ran is None else NestTimes(ran.seconds, ran.runs)
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
        whole,
        nests,
        tuple(kept(saved, lowered, sizes, measured)),
        loops,
        tuple(unfused(function, passes, loops)),
        places,
        explain(compiled, arguments),
    )


def _known(function: Function, inputs: list[Any]) -> dict[Var, Any]:
    return dict(zip(function.params, inputs, strict=False))


def _timed(function: Function, inputs: list[Any]) -> tuple[Timing | None, str]:
    """The timing of the function, or why there is none."""
    if any(map(is_on_device, inputs)):
        return None, "arguments are on a device"
    found = timing(function, partial(_copies, inputs), MOST_SECONDS)
    if found is None:
        return None, f"one run with a clock takes more than {MOST_SECONDS:g} s"
    return found, ""


def _copies(inputs: list[Any]) -> list[Any]:
    return [v.copy() if isinstance(v, np.ndarray) else v for v in inputs]


def _trips(sizes: Sizes, own: set[Location | None], s: For) -> int | None:
    """The trips of a loop of the user's, if they are known before it runs."""
    start, stop = sizes.value(s.start), sizes.value(s.stop)
    if s.loc not in own or start is None or stop is None:
        return None
    return max(stop - start, 0)
