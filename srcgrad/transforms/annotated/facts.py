"""Facts about the program that is built for some arguments, and about runs of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.backends.backend import Noted, backend_of
from srcgrad.errors import Location
from srcgrad.ir.nodes import Def, Function, Stmt
from srcgrad.ir.text import Printed
from srcgrad.ir.walk import walk
from srcgrad.printing.program import Readable
from srcgrad.records import record
from srcgrad.transforms.annotated.apart import Unfused, unfused
from srcgrad.transforms.annotated.kept import Kept, kept
from srcgrad.transforms.annotated.located import located
from srcgrad.transforms.annotated.loops import LoopFacts, loop_facts
from srcgrad.transforms.annotated.sources import Region, regions
from srcgrad.transforms.annotated.times import Times, measured
from srcgrad.transforms.explain import explain
from srcgrad.transforms.printed import printed
from srcgrad.transforms.saved_tapes import Saved, Sizes, saved_values
from srcgrad.transforms.specialization import lowered_for
from srcgrad.transforms.specs import Primal
from srcgrad.transforms.stack import described, shown_by
from srcgrad.tree import paths


@record(frozen=True)
class Facts:
    """The contents of the page."""

    title: str
    transform: str
    target: str
    settings: Mapping[str, str]
    regions: tuple[Region, ...]
    program: Readable  # as Python
    code: Printed  # the text of what the target runs
    compiled: Noted | None  # what its compiler reads
    assembly: str  # and what it makes of that; empty without a compiler
    places: Mapping[Stmt, Location]  # of the statements of both texts
    times: Times
    kept: tuple[Kept, ...]
    loops: tuple[LoopFacts, ...]
    unfused: tuple[Unfused, ...]
    explained: str


def facts(compiled: Any, arguments: dict[str, Any]) -> Facts:
    """The facts about a gradient for arguments like these; runs it on copies of them.

    Of a function without a transform the facts are those of its gradient by the first argument.
    """
    compiled = _with_gradient(compiled)
    given = [pair for n, v in arguments.items() for pair in paths(v, (n,))]
    entry, captured = compiled._entry_for(arguments, given)
    program, options = entry.program, compiled.options
    inputs = [*(dict(given)[path] for path in program.inputs), *captured]
    backend = backend_of(options.target)
    function: Function = program.function
    lowered = lowered_for(backend, function, options)
    saved, places = _saved(function, inputs)
    places |= _saved(lowered, inputs)[1]
    sizes = _sizes(lowered, inputs)
    times = measured(function, lowered, entry.run, options, inputs, sizes)
    loops = loop_facts(function, lowered, places, sizes, options)
    code = compiled.function.__code__
    made = backend.build(lowered, replace(options, cache=False))
    return Facts(
        title=compiled._title(),
        transform=described(compiled.spec),
        target=options.target,
        settings=backend.settings(options) | ({"parallel": "True"} if options.parallel else {}),
        regions=tuple(regions(places.values(), Location(code.co_filename, code.co_firstlineno))),
        program=printed(program, arguments, compiled._signature),
        code=made.print_source(),
        compiled=made.print_compiled() if made.print_compiled else None,
        assembly=made.print_assembly() if made.print_assembly else "",
        places=places,
        times=times,
        kept=tuple(kept(saved, lowered, sizes, times.program.bytes if times.program else {})),
        loops=tuple(loops),
        unfused=tuple(unfused(function, backend.pipeline(options), loops)),
        explained=explain(compiled, arguments),
    )


def _with_gradient(compiled: Any) -> Any:
    if not isinstance(compiled.spec, Primal):
        return compiled
    adjoint = shown_by(compiled.spec, "adjoint")
    shown = type(compiled)(compiled.function, adjoint, compiled.options)
    shown._requirements = compiled._requirements
    return shown


def _saved(function: Function, inputs: Sequence[Any]) -> tuple[list[Saved], dict[Stmt, Location]]:
    """The tapes of a function, and the line of each of its statements."""
    saved = saved_values(function, dict(zip(function.params, inputs, strict=False)))
    return saved, located(function, {s.tape: s for s in saved})


def _sizes(function: Function, inputs: Sequence[Any]) -> Sizes:
    defined = (s for s in walk(function.body) if isinstance(s, Def))
    known = dict(zip(function.params, inputs, strict=False))
    return Sizes({s.var: s for s in defined if s.var is not None}, known)
