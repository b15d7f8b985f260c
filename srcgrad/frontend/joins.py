"""Joins the values of two paths into one: the results of a branch, the values a loop carries.

A `Spec` describes what is carried for one place: scalars and arrays as IR variables, containers
part by part, static values and containers that stay the same object unchanged. Dims that differ
between paths are carried as integers.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.frontend import held_values
from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.dict_values import TrackedDict
from srcgrad.frontend.frame import Poison
from srcgrad.frontend.heap import contents, is_mutable
from srcgrad.frontend.masked_constant import Masked
from srcgrad.frontend.number_classes import unlike
from srcgrad.frontend.specs import (
    VARIES,
    ArraySpec,
    MaybeSpec,
    PartsSpec,
    ScalarSpec,
    SeveralSpec,
    Spec,
    StaticSpec,
    is_same,
)
from srcgrad.frontend.values import (
    ANY,
    UNBOUND,
    Abstract,
    Classes,
    Closure,
    Conflict,
    GrownList,
    MaybeNone,
    MaybeUnbound,
    Range,
    Record,
    Several,
    Slice,
    TrackedList,
    Unbound,
    is_array,
    is_integer,
    is_scalar,
)
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import INT, is_complex, join_scalars, same_dim

KINDS = 3  # the most that one place has
CONSTANTS = 8  # if all are known values: texts, functions, members of an Enum
DEEPEST = 4  # containers within one another of which one kind may consist


_open: set[int] = set()  # functions whose values are being described: they may hold themselves


def spec_of(v: Any, dynamic: bool, known: Any, classes: Classes = ANY) -> Spec:
    """The spec of one value; numbers become run-time scalars if `dynamic`.

    A container whose id is in `known` was there before the paths parted: it may stay the same.
    `classes` says which numbers have several.
    """
    if is_scalar(v):
        if not dynamic and not isinstance(v, Var):
            return StaticSpec(v)
        sets = (classes.mixed, classes.either, classes.shells, classes.shared)
        return ScalarSpec(atom(v).type, *(v in of for of in sets))
    if is_array(v):
        return ArraySpec(v.type.dtype, v.type.dims, v.type.layout)
    if isinstance(v, MaybeUnbound | MaybeNone):
        absent = None if isinstance(v, MaybeNone) else UNBOUND
        return MaybeSpec(spec_of(v.value, True, known, classes), absent)
    if isinstance(v, Several):
        specs = (spec_of(p, dynamic, known, classes) for p in (v.one, v.other))
        return SeveralSpec(*map(loose, specs))
    if isinstance(v, GrownList) and v.of_numbers:
        items = ArraySpec(v.dtype.dtype, (VARIES,), "C")
        return PartsSpec((GrownList, v.dtype), (0,), (items,), v if id(v) in known else None)
    if is_mutable(v) and not isinstance(v, GrownList):
        held = contents(v)
        parts = tuple(spec_of(p, dynamic, known, classes) for p in held.values())
        return PartsSpec(_kind(v), tuple(held), parts, v if id(v) in known else None)
    if isinstance(v, tuple) and v:
        parts = tuple(spec_of(p, dynamic, known, classes) for p in v)
        return PartsSpec(_kind(v), tuple(range(len(v))), parts)
    function = None if id(v) in _open else held_values.held(v)
    if function is None:
        return StaticSpec(v)
    _open.add(id(v))
    try:
        form, names, values = function
        parts = tuple(spec_of(p, dynamic, known, classes) for p in values)
    finally:
        _open.discard(id(v))
    return PartsSpec((held_values.Form, form), names, parts)


def _kind(v: Any) -> tuple:
    match v:
        case TrackedList():
            return list, v.key
        case TrackedDict():
            return TrackedDict, v.cls, v.factory, v.unordered, v.key
        case Record():
            return Record, v.cls, v.lacks
    return (type(v),)


def join_specs(a: Spec, b: Spec) -> Spec | None:
    """The spec that both fit; None if there is none."""
    match a, b:
        case StaticSpec(v), StaticSpec(w) if is_same(v, w):
            return a
        case (StaticSpec(Poison()), _) | (_, StaticSpec(Poison())):
            return _poisoned(a, b)
        case StaticSpec(Range() | Slice()), _:
            return join_specs(_bounds(a), b)
        case _, StaticSpec(Range() | Slice()):
            return join_specs(a, _bounds(b))
        case (StaticSpec(Unbound()), other) | (other, StaticSpec(Unbound())):
            return _maybe(other, UNBOUND)
        case (MaybeSpec(i, Unbound()), other) | (other, MaybeSpec(i, Unbound())):
            inner = join_specs(i, _present(other, UNBOUND))
            return None if inner is None else _maybe(inner, UNBOUND)
        case (SeveralSpec(), _) | (_, SeveralSpec()):
            return several(a, b)
        case (StaticSpec(None), other) | (other, StaticSpec(None)) if _may_be_none(other):
            return _maybe(other, None)
        case (MaybeSpec(i, None), other) | (other, MaybeSpec(i, None)):
            inner = join_specs(i, _present(other, None))
            return None if inner is None else _maybe(inner, None)
        case _ if _is_apart(a, b) or _is_apart(b, a):
            return None
        case _ if _is_number(a) and _is_number(b):
            return _join_numbers(_dynamic(a), _dynamic(b))
        case ArraySpec(), ArraySpec() if a.dtype == b.dtype and len(a.dims) == len(b.dims):
            dims = tuple(
                d if d is not VARIES and same_dim(d, e) else VARIES
                for d, e in zip(a.dims, b.dims, strict=True)
            )
            return ArraySpec(a.dtype, dims, a.layout if a.layout == b.layout else "S")
        case PartsSpec(), PartsSpec():
            return join_parts(a, b)
    return None


def _join_numbers(a: ScalarSpec, b: ScalarSpec) -> ScalarSpec:
    t, u = a.type, b.type
    mixed = a.mixed or b.mixed or unlike(t, u) or is_complex(t.dtype) != is_complex(u.dtype)
    either = a.either or b.either or t.weak != u.weak
    if "bool" in (t.dtype, u.dtype) and t.dtype != u.dtype:
        t, u = (INT if x.dtype == "bool" else x for x in (t, u))
    shell, shared = a.shell or b.shell, a.shared or b.shared
    return ScalarSpec(join_scalars(t, u), mixed, either, shell, shared)


def _poisoned(*specs: Spec) -> Spec:
    """The spec of a place that is poisoned on a path: it knows the kinds of the other ones."""
    seen: list[Spec] = []
    for spec in specs:
        value = spec.value if isinstance(spec, StaticSpec) else None
        held = value.seen if isinstance(value, Poison) else spec
        if held is not None and not isinstance(value, Unbound | Conflict):
            seen.append(loose(held))
    both = len(seen) == 2
    joined = join_specs(*seen) or several(*seen) if both else seen[0] if seen else None
    return StaticSpec(Poison(joined))


def several(a: Spec, b: Spec) -> Spec | None:
    """The spec of a place that has the kinds of both; None if they are too many, or of no kind.

    A run-time length of one kind may not be defined on the paths of another: it is carried.
    """
    if any(isinstance(s, MaybeSpec) and s.absent is UNBOUND for s in (a, b)):
        inner = several(_present(a, UNBOUND), _present(b, UNBOUND))
        return None if inner is None else MaybeSpec(inner, UNBOUND)
    kinds: list[Spec] = []
    for spec in _real_first([*alternatives(a), *alternatives(b)]):
        joined = [_of_one_kind(known, spec) for known in kinds]
        place = next((k for k, s in enumerate(joined) if s is not None), len(kinds))
        kinds[place : place + 1] = [loose([*joined, spec][place] or spec)]
    most = CONSTANTS if all(isinstance(s, StaticSpec) for s in kinds) else KINDS
    if len(kinds) > most or not all(map(_is_kind, kinds)) or _are_alike(kinds):
        return None
    if max(map(_depth, kinds)) > DEEPEST:
        return None
    made = kinds.pop()
    while kinds:
        made = SeveralSpec(kinds.pop(), made)
    return made


def _real_first(specs: list[Spec]) -> list[Spec]:
    """The kinds; with a constant real numbers before complex ones: it is of these if it can be."""
    numbers = [s for s in specs if _is_number(s)]
    if not any(isinstance(s, StaticSpec) for s in numbers):
        return specs
    ordered = iter(sorted(numbers, key=lambda s: (_is_complex(s), isinstance(s, StaticSpec))))
    return [next(ordered) if _is_number(s) else s for s in specs]


def _of_one_kind(a: Spec, b: Spec) -> Spec | None:
    """The spec that both fit, if it has a single kind."""
    joined = join_specs(a, b)
    return None if isinstance(joined, MaybeSpec | SeveralSpec) else joined


def _depth(spec: Spec) -> int:
    """The number of containers within one another, which are made anew."""
    if isinstance(spec, PartsSpec) and spec.same is not None:
        return 1
    if isinstance(spec, PartsSpec):
        return 1 + max(map(_depth, spec.parts), default=0)
    if isinstance(spec, SeveralSpec):
        return max(_depth(spec.one), _depth(spec.other))
    return _depth(spec.inner) if isinstance(spec, MaybeSpec) else 0


def alternatives(spec: Spec) -> list[Spec]:
    """The specs of one kind each."""
    if isinstance(spec, SeveralSpec):
        return [spec.one, *alternatives(spec.other)]
    if isinstance(spec, MaybeSpec):
        return [StaticSpec(None), *alternatives(spec.inner)]
    return [spec]


def _are_alike(kinds: list[Spec]) -> bool:
    """Whether two of the kinds are lists, or dicts, or instances of one class."""
    mutable = [s for s in kinds if isinstance(s, PartsSpec) and s.mutable and s.same is None]
    held = [s.kind[:2] if s.kind[0] is Record else s.kind[:1] for s in mutable]
    return len(held) > len(set(held))


def are_tuples(spec: Spec) -> bool:
    """Whether all kinds of a place are tuples."""
    return all(
        issubclass(s.kind[0], tuple) if isinstance(s, PartsSpec) else _is_empty_tuple(s)
        for s in alternatives(spec)
    )


def _is_empty_tuple(spec: Spec) -> bool:
    return isinstance(spec, StaticSpec) and isinstance(spec.value, tuple)


CONSTANT = (
    str, type, np.ufunc, types.FunctionType, types.BuiltinFunctionType, type(None), enum.Enum,
    Masked,
)  # fmt: skip


def _is_kind(spec: Spec) -> bool:
    """Whether a value may have another kind on another path: numbers, arrays, containers, names."""
    if isinstance(spec, StaticSpec):
        v = spec.value
        if isinstance(v, Closure):  # one that is called where its names still have their values
            return held_values.held(v) is None and not v.frame.finished
        if is_scalar(v) or isinstance(v, (*CONSTANT, tuple)) or type(v) is type(np.dot):
            return True
        return made_by_statement(type(v)) and not isinstance(v, Abstract)  # a captured instance
    if isinstance(spec, PartsSpec):
        kinds = list | tuple | dict | Record | GrownList | held_values.Form
        return issubclass(spec.kind[0], kinds)
    return isinstance(spec, ScalarSpec | ArraySpec)


def fits(v: Any, spec: Spec, classes: Classes) -> bool:
    """Whether a value has a kind; of a container that was there before, whether it is that one."""
    if isinstance(spec, PartsSpec) and spec.same is not None:
        return v is spec.same
    return _of_one_kind(spec, spec_of(v, False, {}, classes)) is not None


def _bounds(spec: StaticSpec) -> PartsSpec:
    """A range or a slice by its three numbers."""
    held = vars(spec.value)
    parts = tuple(spec_of(p, False, {}) for p in held.values())
    return PartsSpec((type(spec.value),), tuple(held), parts)


def join_parts(
    a: PartsSpec, b: PartsSpec, first: Callable[[Spec, Spec], Spec | None] = lambda p, q: None
) -> Spec | None:
    """The spec of two containers part by part; what `first` gives of two parts comes first."""
    if a.same is not None and a.same is b.same:
        return a
    if a.kind[0] is not b.kind[0] or a.keys != b.keys:
        return None
    if a.kind[0] in (Record, GrownList, held_values.Form) and a.kind != b.kind:
        return None
    if a.kind[0] is TrackedDict and a.kind[:4] != b.kind[:4]:
        return None
    pairs = zip(a.parts, b.parts, strict=True)
    parts = [first(p, q) or join_specs(p, q) or several(p, q) for p, q in pairs]
    of_one_dict = a.kind[0] is held_values.Form and held_values.is_view(a.kind[1])
    unfit = (MaybeSpec, SeveralSpec, type(None)) if of_one_dict else type(None)
    if any(isinstance(p, unfit) for p in parts):
        return None
    kind = a.kind if a.kind == b.kind else a.kind[: 4 if a.kind[0] is TrackedDict else 1]
    return PartsSpec(kind, a.keys, tuple(p for p in parts if p is not None))


def _maybe(spec: Spec, absent: Any) -> Spec | None:
    if isinstance(spec, StaticSpec) and isinstance(spec.value, Conflict):
        return None
    spec = _present(spec, absent)
    return MaybeSpec(loose(_dynamic(spec) if _static_number(spec) else spec), absent)


def _present(spec: Spec, absent: Any) -> Spec:
    """The spec of a value where it is present."""
    return spec.inner if isinstance(spec, MaybeSpec) and spec.absent is absent else spec


def may_be_none(v: Any) -> bool:
    """Whether a value may be None on another path; one that may not is one of several kinds."""
    return _may_be_none(spec_of(v, True, {}))


def _may_be_none(spec: Spec) -> bool:
    """Whether such a value is a number, an array or a tuple of these."""
    if isinstance(spec, PartsSpec):
        return not spec.mutable and all(map(_may_be_none, spec.parts))
    return isinstance(spec, ScalarSpec | ArraySpec | MaybeSpec) or _static_number(spec)


def loose(spec: Spec) -> Spec:
    """The spec with every run-time dim carried: they are unknown on one path."""
    if isinstance(spec, ArraySpec):
        dims = tuple(VARIES if isinstance(d, Var) else d for d in spec.dims)
        return replace(spec, dims=dims)
    if isinstance(spec, PartsSpec):
        return replace(spec, parts=tuple(loose(p) for p in spec.parts))
    if isinstance(spec, MaybeSpec):
        return replace(spec, inner=loose(spec.inner))
    if isinstance(spec, SeveralSpec):
        return SeveralSpec(loose(spec.one), loose(spec.other))
    return spec


def _is_apart(a: Spec, other: Spec) -> bool:
    """Whether an integer is not exact in the floats that it is joined with; NaN beside integers.

    A real number beside complex ones as well: roots and logarithms tell them apart. 0 and 1, from
    which sums and products begin, have complex ones that are as good.
    """
    if _is_number(a) and _is_complex_number(other) and not _is_complex(a):
        return not (isinstance(a, StaticSpec) and a.value in (0, 1))
    v = a.value if isinstance(a, StaticSpec) else None
    if isinstance(v, float) and v != v:
        held = other.type.dtype[0] if isinstance(other, ScalarSpec) else ""
        return held in "iu" if held else isinstance(other, StaticSpec) and is_integer(other.value)
    floats = isinstance(other, ScalarSpec) and other.type.dtype[0] in "fc"
    floats = floats or (isinstance(other, StaticSpec) and isinstance(other.value, float))
    return floats and type(v) is int and int(float(v)) != v


def _is_number(s: Spec) -> bool:
    return isinstance(s, ScalarSpec) or _static_number(s)


def _is_complex_number(s: Spec) -> bool:
    return _is_number(s) and _is_complex(s)


def _is_complex(s: Spec) -> bool:
    return is_complex(_dynamic(s).type.dtype)


def _static_number(s: Spec) -> bool:
    return isinstance(s, StaticSpec) and is_scalar(s.value)


def _dynamic(s: Any) -> ScalarSpec:
    return s if isinstance(s, ScalarSpec) else ScalarSpec(atom(s.value).type)
