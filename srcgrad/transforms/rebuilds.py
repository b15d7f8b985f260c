"""Reports why a function is built again: a record each time, and one warning if it continues.

Records are those of the logger `srcgrad`. Never decides what is built.
"""

from __future__ import annotations

import functools
import types
import warnings
from collections import Counter
from typing import Any

import numpy as np

from srcgrad.errors import RebuildWarning
from srcgrad.protocols import held
from srcgrad.tracebacks import users_level
from srcgrad.transforms.by_code import ByCode
from srcgrad.transforms.signature import Same, key_of, length
from srcgrad.transforms.specialization import Entry, kind_of
from srcgrad.transforms.stack import described
from srcgrad.tree import paths, spelled

MANY = 10  # builds of one code object by one transform, after which a warning tells why
_builds: ByCode[Counter[str]] = ByCode()

Reason = tuple[str, str]  # why, and the way out
OUTSIDE = "make it once, outside of the loop, and pass what changes as an argument"
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
    if count == MANY:
        text = f"{compiled.__name__}() has been built {MANY} times, now because {why}"
        warnings.warn(RebuildWarning(text, None, way_out), stacklevel=users_level())


def _counted(compiled: Any) -> int:
    """The number of builds of a function's code by the same transforms, this one included."""
    code = code_of(compiled.function)
    if code is None:
        return 1
    builds = _builds.get(code) or Counter()
    builds[described(compiled.spec)] += 1
    _builds.put(code, builds)
    return builds[described(compiled.spec)]


def code_of(function: Any) -> types.CodeType | None:
    """The code of a function as the user wrote it, below methods, partials and instances."""
    f = getattr(function, "srcgrad_callable", function)
    while isinstance(f, functools.partial):
        f = f.func
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
    found = (
        _argument(compiled, path, was, now)
        for (path, was), (_, now) in zip(before, given, strict=True)
    )
    return next((r for r in found if r is not None), _OTHER)


_OTHER = ("an argument has another structure", "pass containers of the same classes")


def _argument(compiled: Any, path: tuple, was: Any, now: Any) -> Reason | None:
    """The reason why an argument differs, for the compiler, from the one before."""
    name, d = f"'{spelled(path)}'", compiled._demands
    old, new = key_of(was), key_of(now)
    if old == new:
        if path in d.static_leaves and was != now:
            return (
                f"{name}, which must be known when compiling, is {now!r} and was {was!r}",
                "give it few different values, or compute outside what asks for its value",
            )
        axes = [axis for at, axis in d.static_dims if at == path]
        if any(length(was, axis) != length(now, axis) for axis in axes):
            return (
                f"the shape of {name}, which must be known when compiling, is {now.shape} and "
                f"was {was.shape}",
                "pass arrays of one shape, or compute outside what asks for a length",
            )
        return None
    if isinstance(old[-1] if isinstance(old, tuple) else None, Same) and type(was) is type(now):
        return f"{name} is another object", "make it once, outside of the loop, and pass that one"
    shown = _short if type(was) is type(now) else _kind
    return _difference(name, old, new) or (
        f"{name} is {shown(now)} and was {shown(was)}",
        "pass the same kind of value each time",
    )


def _difference(name: str, old: Any, new: Any) -> Reason | None:
    """The difference between the keys of two arrays."""
    if not (_of_array(old) and _of_array(new)):
        return None
    (was, whole, ones), (now, wholly, other) = old[-3:], new[-3:]
    if was != now:
        return (
            f"{name} has the dtype {now} and had {was}",
            f"convert it: {name[1:-1]}.astype(np.{was})",
        )
    if len(ones) != len(other):
        return f"{name} has rank {len(other)} and had {len(ones)}", "give it one rank: np.reshape"
    if whole != wholly:
        words = "is" if wholly else "is not", "was" if whole else "was not"
        return (
            f"{name} {words[0]} contiguous in C order and {words[1]} before",
            f"pass np.ascontiguousarray({name[1:-1]})",
        )
    return (
        f"{name} has length 1 along other axes than before",
        "pass longer ones",
    )


def _of_array(key: Any) -> bool:
    return isinstance(key, tuple) and len(key) >= 3 and isinstance(key[-3], np.dtype)


def _lengths(entry: Entry, given: list[tuple[tuple, Any]]) -> Reason | None:
    """The lengths that are not equal any more, or are now, if all else is unchanged."""
    captured, lengths = entry.captured(), entry.program.lengths
    if captured is None or lengths is None:
        return None
    found = lengths.differing(given, captured) if lengths.equal else lengths
    pair = found.spelled([h.name for h in entry.program.hidden])
    verb = "differ, and were equal" if lengths.equal else "are equal, and were not"
    return f"the lengths {pair} {verb}", "nothing: both programs are kept"


def _captured(entry: Entry) -> Reason:
    """The captured value that has changed."""
    for g in entry.program.guards:
        if not g.holds():
            return f"the captured '{g.name or g.key[-1]}' was {_short(g.value)}", OUTSIDE
    for h, kind in zip(entry.program.hidden, entry.kinds, strict=False):
        try:
            now = kind_of(h.fetch(), entry.shapes)
        except (LookupError, AttributeError, ValueError):
            return f"the captured '{h.name}' is gone", OUTSIDE
        if now != kind:
            return _other_kind(h.name, kind, now), OUTSIDE
    return "a captured value changed", OUTSIDE


def _other_kind(name: str, was: Any, now: Any) -> str:
    """The difference in the kind of a captured value, or in its shape if the kind includes it."""
    (old, before), (new, after) = _key_and_shape(was), _key_and_shape(now)
    if old == new and before != after:
        return f"the captured '{name}' has the shape {after} and had {before}"
    found = _difference(f"'{name}'", old, new)
    return f"the captured {found[0]}" if found else f"'{name}' is of another kind"


def _key_and_shape(kind: Any) -> tuple[Any, Any]:
    """A kind of `kind_of`, and the shape if it includes one."""
    paired = isinstance(kind, tuple) and len(kind) == 2 and isinstance(kind[1], tuple)
    return (kind[0], kind[1]) if paired else (kind, None)


def _short(value: Any) -> str:
    if isinstance(value, int | float | complex | str | bool | None):
        text = repr(value)
        return text if len(text) < 40 else text[:36] + "..."
    name = held(value, "__name__")  # all that ufuncs have before NumPy 2.2
    return held(value, "__qualname__") or name or _kind(value)


def _kind(value: Any) -> str:
    return f"of type {type(value).__name__}"
