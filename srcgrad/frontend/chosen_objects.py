"""Containers that a path chooses among: those made before stay themselves where they are changed.

Where paths leave different containers in a place they are joined to one by their parts, which may
be read only. Where it is changed, interpretation starts again, and the place has several kinds.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.heap import are_apart, keep_apart
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.joins import alternatives, join_parts, join_specs, loose
from srcgrad.frontend.specs import MaybeSpec, PartsSpec, SeveralSpec, Spec, StaticSpec
from srcgrad.frontend.values import UNBOUND, GrownList, MaybeUnbound, Record, Several

MOST = 8  # containers that one place may be


def chosen_apart(
    it: Interpreter, values: tuple[Any, ...], specs: tuple[Spec | None, Spec | None], known: Any
) -> Spec | None:
    """The same where containers that meet here are changed later; None if they are joined."""
    one, two = specs
    if one is None or two is None or not are_apart(it):
        return None
    made = _apart(one, two, known)
    if made is None:
        for v in (k for each in values for k in _values(each)):
            if id(v) in it.merged:
                keep_apart(it, v)
    return made


def _values(v: Any) -> list[Any]:
    """A value of each kind."""
    v = v.value if isinstance(v, MaybeUnbound) else v
    return [v.one, *_values(v.other)] if isinstance(v, Several) else [v]


def _apart(a: Spec, b: Spec, known: Any) -> Spec | None:
    """The same, also for parts of containers that are made here."""
    made = chosen_objects(a, b, known)
    if made is not None or not isinstance(a, PartsSpec) or not isinstance(b, PartsSpec):
        return made
    if a.same is not None or b.same is not None or a.kind[0] is GrownList:
        return None
    return join_parts(a, b, lambda p, q: _apart(p, q, known))


def chosen_objects(a: Spec, b: Spec, known: Any) -> Spec | None:
    """The spec of a place that is one of several containers that were there before.

    Or else an instance that a path makes. None where there is another container, or none of
    before. `known` are the ids of those that were there.
    """
    kinds: list[Spec] = []
    made: list[Spec] = []  # the instances that paths make, as one by their parts
    absent = any(isinstance(s, MaybeSpec) and s.absent is UNBOUND for s in (a, b))
    for spec in (*_kinds(a), *_kinds(b)):
        if isinstance(spec, StaticSpec) and spec.value is UNBOUND:
            absent = True
        elif _is_made(spec):
            joined = join_specs(made.pop(), spec) if made else spec
            if joined is None:
                return None
            made.append(loose(joined))
        elif not any(_is_one(spec, k) for k in kinds):
            kinds.append(spec)
    objects = [s for s in kinds if not _is_none(s)]
    if not objects or len(objects) + len(made) < 2 or len(kinds) > MOST:
        return None
    if not all(_was_there(s, known) for s in objects):
        return None
    kinds += made  # last: those that were there would be one of these
    out = kinds.pop()
    while kinds:
        out = SeveralSpec(kinds.pop(), out)
    return MaybeSpec(out, UNBOUND) if absent else out


def _is_made(spec: Spec) -> bool:
    """Whether a place has an instance that a path makes."""
    return isinstance(spec, PartsSpec) and spec.kind[0] is Record and spec.same is None


def _kinds(spec: Spec) -> list[Spec]:
    unbound = isinstance(spec, MaybeSpec) and spec.absent is UNBOUND
    return alternatives(spec.inner if isinstance(spec, MaybeSpec) and unbound else spec)


def _is_none(spec: Spec) -> bool:
    return isinstance(spec, StaticSpec) and spec.value is None


def _object(spec: Spec) -> Any:
    """The container that a spec is one of; None for any other."""
    if isinstance(spec, PartsSpec):
        return spec.same
    held = spec.value if isinstance(spec, StaticSpec) else None
    return held if isinstance(held, GrownList) else None


def _is_one(a: Spec, b: Spec) -> bool:
    return (_is_none(a) and _is_none(b)) or (_object(a) is not None and _object(a) is _object(b))


def _was_there(spec: Spec, known: Any) -> bool:
    v = _object(spec)
    return v is not None and id(v) in known and (not isinstance(v, GrownList) or v.settled is None)
