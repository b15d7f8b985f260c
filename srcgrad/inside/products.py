"""`vjp` and `jvp` called inside a compiled function: products with a Jacobian.

A function from adjoints to gradients exists only while compiling. It holds the values of the call
as they were, arrays as copies, and its reverse sweep is inserted where it is called.
"""

from __future__ import annotations

import inspect
from typing import Any, NoReturn

from srcgrad.autodiff.repeated_draws import draws_in, refused
from srcgrad.custom.check import shape_of
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.frontend.binding import bind, own_signature
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.instances import opened
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.requirements import Requirements
from srcgrad.frontend.values import describe, is_value, plain
from srcgrad.inside import closures
from srcgrad.inside.closures import is_inner
from srcgrad.inside.inline import inline
from srcgrad.inside.splicing import likes_of, spliced
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Array, Scalar, float_type, same_dims
from srcgrad.records import record
from srcgrad.transforms import entry_points
from srcgrad.transforms.program import Program
from srcgrad.transforms.specs import Gradient, Protected
from srcgrad.transforms.stack import signature_of
from srcgrad.transforms.stacking import (
    aux_of,
    by_name,
    constants,
    taken_apart,
    tangent_of,
    variadic,
)
from srcgrad.transforms.tangents import ZERO, tangent_at
from srcgrad.transforms.vjp import adjoints_of, vjp
from srcgrad.tree import spelled


# ---- adjoints ----
@record(frozen=True, eq=False)
class Pullback:
    """The function from adjoints of the outputs of one call to gradients of its arguments."""

    program: Program  # of outputs and gradients; its last parameters are seeds
    given: list[Any]  # the values of the others, as they were
    out: Any  # the outputs that have adjoints

    def srcgrad_inline(self, it: Interpreter, args: list, kwargs: dict, node: Node) -> Any:
        """Called by the frontend where a compiled function calls this one."""
        if kwargs:
            it.refuse(node, "adjoints are passed by position", like=TypeError)
        adjoints = opened(it, args[0] if len(args) == 1 else tuple(args), node)
        seeds = [
            _fitted(it, atom(v), g, "the adjoint", "its output")
            for v, g in adjoints_of(self.out, adjoints)
            if is_value(v) and float_type(atom(v).type)
        ]
        return spliced(it, self.program, [*self.given, *seeds], node)[1]


@implements(vjp)
def _vjp(
    it: Interpreter, node: Node, /, fn: Any, *args: Any, weights: Any = None, has_aux: Any = False,
    **kwargs: Any,
) -> Any:  # fmt: skip
    if weights is not None:
        it.refuse(
            node, "vjp with respect to Parameters inside a compiled function is not supported",
            "use grad with weights, or call it outside",
        )  # fmt: skip
    if is_value(fn):
        it.refuse(
            node, f"{describe(fn)} cannot be differentiated: it is no function", like=TypeError
        )
    head = None
    if is_inner(fn):
        bound = closures.named(fn, list(args), kwargs)
    else:
        function, spec, _ = taken_apart(fn)
        head = signature_of(spec, own_signature(function))
        bound = bind(it, function, list(args), kwargs, node, head)
    arguments = {n: opened(it, v, node) for n, v in bound.items()}
    count = len(args) if head is None else 0
    bottom = closures.traced(it, fn, arguments, count, node, head)
    likes = likes_of(it, arguments)
    primal = Protected(bottom).program(likes, Requirements())
    if (drawn := next(draws_in(primal.function.body), None)) is not None:
        raise refused("a call of what flow.vjp gives runs the function again", drawn.loc)
    out = spliced(it, primal, closures.values_of(primal, arguments), node)
    several = ("", "") if head is None else variadic(function)
    reverse = Gradient(
        bottom, None, False, has_aux, with_value=True, seeded=True, variadic=several
    ).program(likes, Requirements())
    given = [_as_it_was(it, v) for v in closures.values_of(reverse, arguments)]
    pull = Pullback(reverse, given, out[0] if has_aux else out)
    return (out[0], pull, aux_of(out)) if has_aux else (out, pull)


def _as_it_was(it: Interpreter, v: Any) -> Any:
    return it.b.copy(v) if isinstance(v, Var) and isinstance(v.type, Array) else v


# ---- tangents ----
@implements(entry_points.jvp)
def _jvp(
    it: Interpreter, node: Node, fn: Any, args: Any, tangents: Any, has_aux: Any = False
) -> Any:
    out, dots = _directional(it, node, fn, args, tangents)
    return (out[0], dots[0], aux_of(out)) if has_aux else (out, dots)


def _directional(it: Interpreter, node: Node, fn: Any, args: Any, tangents: Any) -> Any:
    args = list(args) if isinstance(args, tuple | list) else [args]
    tangents = list(tangents) if isinstance(tangents, tuple | list) else [tangents]
    tangents = [opened(it, t, node) for t in tangents]
    if len(args) != len(tangents):
        it.refuse(
            node,
            f"v has invalid length: should be {len(args)}, but got {len(tangents)}",
            like=ValueError,
        )
    if is_inner(fn):
        return closures.tangent(
            it, fn, args, tangents, node, lambda dots, path, values: _dot(it, dots, path, values)
        )
    function, spec, options = taken_apart(fn)
    dots = by_name(function, spec, tangents)
    names = signature_of(spec, inspect.signature(function)).parameters
    compiled = tangent_of(function, spec, options, constants(names, dots))

    def tangent(path: tuple, values: dict[tuple, Any]) -> Any:
        return _dot(it, dots, path, values)

    return inline(compiled, it, args, {}, node, tangent)


def _dot(it: Interpreter, dots: dict[str, Any], path: tuple, values: dict[tuple, Any]) -> Any:
    """The tangent of the leaf at `path`."""
    try:
        t = tangent_at(dots, path[1:])
    except ArgumentValueError as e:
        raise ArgumentValueError(e.reason, it.b.loc, e.way_out) from None
    name = spelled(path[1:])
    return _fitted(it, atom(values[path[1:]]), t, f"the tangent of {name}", name)


def _fitted(it: Interpreter, v: Any, t: Any, what: str, name: str) -> Any:
    """A tangent or adjoint of `v`, checked against its shape; zero if None is given."""
    if t is not None and not is_value(t):
        text = f"{what} is {describe(t)}, {name} is {describe(v)}"
        raise ArgumentTypeError(text, it.b.loc, "pass a number or an array")
    if isinstance(t, Var) and not float_type(t.type):
        t = it.b.cast(t, v.type)
    if not isinstance(v.type, Array):
        t = it.b.value(atom(0.0 if t is None else t))
        if isinstance(t.type, Array) and t.type.dims:
            _misfit(it, t, v, what, name)
        return it.b.cast(it.b.load(t) if isinstance(t.type, Array) else t, v.type)
    if t is None:
        return it.b.broadcast_to(it.b.cast(0.0, Scalar(v.type.dtype)), *v.type.dims)
    t = it.b.cast(it.b.value(atom(t)), Scalar(v.type.dtype))
    dims = getattr(t.type, "dims", ())
    if len(dims) != len(v.type.dims):
        _misfit(it, t, v, what, name)
    for n, m in zip(dims, v.type.dims, strict=True):
        if n is not m:
            wrong = plain(it.b.ne(n, m))
            text = f"{what} has another shape than {name}"
            it.fail_if(wrong, "ValueError", text)
    same = isinstance(t.type, Array) and same_dims(t.type.dims, v.type.dims)
    return t if same else it.b.broadcast_to(t, *v.type.dims)


def _misfit(it: Interpreter, t: Any, v: Any, what: str, name: str) -> NoReturn:
    text = f"{what} has the shape {shape_of(t.type)}, {name} has {shape_of(v.type)}"
    raise ArgumentValueError(text, it.b.loc, ZERO)
