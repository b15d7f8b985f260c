"""The tangent of one definition, from the same table row that reverse mode reads.

Elementwise: partials times tangents. Linear: the primitive on tangents. Never copies and never
stores: its result may be a tangent that was passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from srcgrad.autodiff.rules import converted, depends, holds, made, no_rule, slope, tracer_for
from srcgrad.autodiff.traced import Traced, Tracer, Values, scalar_of
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Def
from srcgrad.ir.types import Array, Scalar, Type, float_type, same_dims
from srcgrad.primitives import elementwise
from srcgrad.primitives.rules import product, select

Tangents = list[Traced | None]  # of the operands; None: zero


def tangent(
    builder: Builder,
    definition: Def,
    tangents: Sequence[Atom | None],
    values: Values | None = None,
) -> Atom | None:
    """The tangent of the result, with its dims and dtype; None if it is zero.

    It may be a tangent that was passed in, or a view of one.
    """
    op, var = definition.op, definition.var
    active = [k for k, t in enumerate(tangents) if t is not None and depends(definition, k)]
    if not active:
        return None
    assert var is not None
    if op.kind == "nondiff" or not holds(definition):
        raise no_rule(definition)
    tracer = tracer_for(builder, definition, values)
    ts = [None if t is None or k not in active else tracer.known(t) for k, t in enumerate(tangents)]
    rule = _custom if op.jvp is not None else _TANGENTS[op.kind]
    out = made(rule(tracer, definition, ts))
    return out if out is None or op.view else _spread(builder, out, var.type)


def _derive(tracer: Tracer, d: Def, ts: Tangents) -> Any:
    y, args = tracer.operands()
    if d.op is elementwise.where:
        a, b = (0.0 if t is None else t for t in ts[1:])
        return select(args[0], a, b)
    terms: list[Any] = []
    for k, t in enumerate(ts):
        if t is not None:
            rule = d.op.rules[k]
            if rule is None:
                raise no_rule(d, k)
            partial = slope(d, rule, tracer.values)(y, *args, **d.params)
            rooted = tracer.values is not None and d.var in tracer.values.roots
            terms.append(product(t, partial, d.op.singular and not rooted))
    traced = [t for t in terms if isinstance(t, Traced)]
    return reduce(lambda a, b: a + b, traced) if traced else None


def _linear(tracer: Tracer, d: Def, ts: Tangents) -> Any:
    _, args = tracer.operands()
    moved: list[Traced] = []
    for a, t in zip(args, ts, strict=True):
        if t is None and float_type(a.type):
            t = _zero_like(tracer, a)
        moved.append(a if t is None else t)
    return d.op(*moved, **d.params)


def _zero_like(tracer: Tracer, a: Traced) -> Traced:
    if isinstance(a.type, Scalar):
        return tracer.known(tracer.builder.cast(0.0, a.type))
    return tracer.known(tracer.emit("zeros", *a.shape, dtype=a.type.dtype))  # type: ignore[union-attr]  (an array)


def _multilinear(tracer: Tracer, d: Def, ts: Tangents) -> Any:
    _, args = tracer.operands()
    terms = [
        d.op(*args[:k], t, *args[k + 1 :], **d.params) for k, t in enumerate(ts) if t is not None
    ]
    return reduce(lambda a, b: a + b, terms)


def _custom(tracer: Tracer, d: Def, ts: Tangents) -> Any:
    y, args = tracer.operands()
    assert d.op.jvp is not None
    return d.op.jvp(tuple(ts), y, *args, **d.params)


_TANGENTS: dict[str, Callable[[Tracer, Def, Tangents], Any]] = {
    "derive": _derive, "linear": _linear, "multilinear": _multilinear,
}  # fmt: skip


def _spread(builder: Builder, t: Atom, like: Type) -> Atom:
    """A tangent with the dims of the result, where only an argument that broadcasts is active."""
    if isinstance(like, Array):
        if not isinstance(t.type, Array) or not same_dims(t.type.dims, like.dims):
            t = builder.broadcast_to(t, *like.dims)
    elif isinstance(t.type, Array):
        t = builder.load(t)
    return converted(builder, t, scalar_of(like))
