"""Reports why a function is built again: a record each time, and one warning if it continues.

Records are those of the logger `srcgrad`. Never decides what is built.
"""

from __future__ import annotations

import functools
import types
import warnings
from collections import Counter
from typing import Any

from srcgrad.errors import RebuildWarning
from srcgrad.frontend.guards import OUTSIDE, Reason
from srcgrad.protocols import held, home_module, is_compiled, marked
from srcgrad.tracebacks import users_level
from srcgrad.transforms.batched import Batched
from srcgrad.transforms.by_code import ByCode
from srcgrad.transforms.specialization import Entry
from srcgrad.transforms.stack import described
from srcgrad.transforms.value_tests import tests_of
from srcgrad.tree import paths

WARN_AFTER = 10  # builds of one code object by one transform, after which a warning tells why
_builds: ByCode[Counter[str]] = ByCode()

ANEW = (
    "it was made anew, and its arguments or what it captures are of no kind met before, or of one "
    "that is not compared",
    OUTSIDE,
)


def record_build(compiled: Any, reason: Reason | None) -> None:
    """Counts a build, records why it was not the first, and warns of the tenth."""
    from srcgrad.backends.progress import LOG

    count = _counted(compiled)
    if reason is None and count == 1:
        return
    why, way_out = reason or ANEW
    LOG.info("built %s again because %s", compiled.__name__, why)
    if count == WARN_AFTER:
        text = f"{compiled.__name__}() has been built {WARN_AFTER} times, now because {why}"
        warnings.warn(RebuildWarning(text, None, way_out), stacklevel=users_level())


def _counted(compiled: Any) -> int:
    """The number of builds of a function's code by the same transforms, this one included.

    A function of srcgrad's own is made for each program that calls it back: it counts as one.
    """
    code = code_of(compiled.function)
    if code is None or home_module(compiled.function).startswith("srcgrad."):
        return 1
    builds = _builds.get(code) or Counter()
    builds[described(compiled.spec)] += 1
    _builds.put(code, builds)
    return builds[described(compiled.spec)]


def code_of(function: Any) -> types.CodeType | None:
    """The code of a function as the user wrote it, below methods, partials, batches, instances."""
    f = marked(function, "srcgrad_callable", function)
    while isinstance(f, functools.partial | Batched) or is_compiled(f):
        f = f.func if isinstance(f, functools.partial) else f.function
    f = held(f, "__func__") or f
    return held(f, "__code__") or getattr(type(f).__call__, "__code__", None)


def why(compiled: Any, given: list[tuple[tuple, Any]], stale: tuple[Entry, ...]) -> Reason | None:
    """The difference from the last build; `stale`: entries whose captured values have changed."""
    if stale:
        reasons = (_lengths(entry, given) for entry in stale)
        return next((r for r in reasons if r is not None), None) or _captured(stale[0])
    if not compiled._last_arguments:
        return None
    before = [pair for n, v in compiled._last_arguments.items() for pair in paths(v, (n,))]
    if [path for path, _ in before] != [path for path, _ in given]:
        return "an argument has another structure", "give its containers the same keys and lengths"
    now = dict(given)
    for path, name, test in tests_of(before, compiled._requirements):
        if not test.passes(now[path]):
            return test.why(name, now[path])
    return "an argument has another structure", "pass containers of the same classes"


def _lengths(entry: Entry, given: list[tuple[tuple, Any]]) -> Reason | None:
    """The lengths that are not equal any more, or are now, if all else is unchanged."""
    captured, lengths = entry.captured(), entry.program.lengths
    if captured is None or lengths is None:
        return None
    names = [g.name for g in entry.inputs]
    return lengths.why(names, {**dict(given), **dict(enumerate(captured))})


def _captured(entry: Entry) -> Reason:
    """The captured value that has changed."""
    for guard in (*entry.program.guards, *entry.inputs):
        if not guard.holds():
            return guard.why()
    return "a captured value changed", OUTSIDE
