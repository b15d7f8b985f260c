"""Joins of places that hold a dict on each path: it may lack keys that some paths set."""

from __future__ import annotations

from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.joins import join_specs, several
from srcgrad.frontend.specs import MaybeSpec, PartsSpec, Spec, StaticSpec
from srcgrad.frontend.values import UNBOUND

OPTIONAL = 4  # keys of a dict that some paths set: what reads all of it is done for each choice


def join_places(a: Spec, b: Spec) -> Spec | None:
    """The spec of a place that holds either; of two dicts of texts one of the keys of both."""
    joined = join_specs(a, b)
    if joined is not None or not isinstance(a, PartsSpec) or not isinstance(b, PartsSpec):
        return joined
    if a.kind[:3] != (TrackedDict, dict, None) or b.kind[:3] != a.kind[:3]:
        return None
    order = merged([*a.keys], [*b.keys])
    keys = order or [*dict.fromkeys([*a.keys, *b.keys])]
    sides = [dict(zip(s.keys, s.parts, strict=True)) for s in (a, b)]
    pairs = [[side.get(k, StaticSpec(UNBOUND)) for side in sides] for k in keys]
    lacking = [p for p in pairs if any(map(_may_lack, p))]
    if len(lacking) > OPTIONAL or not all(isinstance(k, str) for k in keys):
        return None
    parts = [join_specs(p, q) or several(p, q) for p, q in pairs]
    if any(p is None for p in parts):
        return None
    kind = (*a.kind[:3], a.kind[3] or b.kind[3] or not order)
    return PartsSpec(kind, tuple(keys), tuple(p for p in parts if p is not None))


def _may_lack(spec: Spec) -> bool:
    """Whether a dict may lack the key of a value."""
    absent = spec.value if isinstance(spec, StaticSpec) else None
    return absent is UNBOUND or (isinstance(spec, MaybeSpec) and spec.absent is UNBOUND)


def merged(one: list, two: list) -> list:
    """The items of two lists in one order that is that of either; [] if there is none."""
    out = []
    for k in one:
        if k in two:
            at = two.index(k)
            if any(other in one for other in two[:at]):
                return []
            out += two[:at]
            two = two[at + 1 :]
        out.append(k)
    return out + two if len({*out, *two}) == len(out) + len(two) else []
