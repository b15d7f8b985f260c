"""Says why the values of two paths have no common kind."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.joins import join_specs, spec_of
from srcgrad.frontend.values import (
    UNBOUND,
    Conflict,
    GrownList,
    Record,
    Several,
    article,
    contrasted,
    describe,
)


def _unlike(a: Any, b: Any) -> bool:
    return join_specs(spec_of(a, False, {}), spec_of(b, False, {})) is None


def _kinds_of(v: Any) -> list[Any]:
    return [v.one, *_kinds_of(v.other)] if isinstance(v, Several) else [v]


def conflict(a: Any, b: Any) -> Conflict:
    if any(isinstance(v, Several) for v in (a, b)):
        kinds = list(dict.fromkeys(repr(k) if isinstance(k, str) else describe(k)
                                   for v in (a, b) for k in _kinds_of(v)))  # fmt: skip
        if len(kinds) == 1:
            return Conflict(f"it is {kinds[0]} of several structures, depending on the path")
        return Conflict(f"it is {', '.join(kinds[:-1])} or {kinds[-1]}, depending on the path")
    if a is UNBOUND or b is UNBOUND:
        return Conflict("it is not bound on every path")
    if all(isinstance(v, list | GrownList) for v in (a, b)) and GrownList in (type(a), type(b)):
        return Conflict(
            "it is a list that grows at run time on one path and another one on another: "
            "np.array(...) of a list can be carried"
        )
    lists = isinstance(a, list) and isinstance(b, list)
    if lists or (isinstance(a, tuple) and type(a) is type(b)):
        noun = "list" if lists else type(a).__name__
        if len(a) != len(b):
            return Conflict(
                f"it is {article(noun)} {noun} of {len(a)} items on one path and another {noun}, "
                f"of {len(b)}, on another"
            )
        at = next((k for k, (x, y) in enumerate(zip(a, b, strict=True)) if _unlike(x, y)), None)
        if at is not None:
            inner = conflict(a[at], b[at])
            nested = inner.reason.startswith("at [")
            reason = inner.reason.removeprefix("at ") if nested else f" {inner.reason}"
            return Conflict(f"at [{at}]{reason}", inner.way_out)
    if isinstance(a, Record) and isinstance(b, Record) and a.cls is b.cls:
        same = list(a.fields) == list(b.fields) and a.lacks == b.lacks
        if not same:
            return Conflict(
                f"it is {describe(a)} with other attributes on one path than on another",
                "set the same attributes in the same order on both",
            )
    one, other = contrasted(a, b)
    return Conflict(f"it is {one} on one path and {other} on another")
