"""Transforms called inside a compiled function: `flow.grad(f)(x)` is built while it is traced.

A differentiated function has to be known at compile time: a function, a method, a partial. Never
evaluates anything at run time that the transform would evaluate outside.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any, NoReturn

import numpy as np

from srcgrad.custom.check import shape_of
from srcgrad.custom.functions import custom_jvp, custom_vjp
from srcgrad.custom.opaque import opaque
from srcgrad.errors import ArgumentValueError
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.instances import opened
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import describe, is_value, plain
from srcgrad.inside import closures
from srcgrad.inside.closures import Inner, is_inner
from srcgrad.inside.inline import inline
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Array, Scalar, float_type, same_dims
from srcgrad.solvers import odes
from srcgrad.solvers.implicit import fixed_point, implicit_root
from srcgrad.transforms import entry_points
from srcgrad.transforms.jacobian_program import Jacobian
from srcgrad.transforms.jacobians import hessian, jacfwd, jacrev
from srcgrad.transforms.signature import Same
from srcgrad.transforms.specs import Gradient
from srcgrad.transforms.stacking import by_name, constants, taken_apart, tangent_of
from srcgrad.transforms.tangents import ZERO, tangent_at
from srcgrad.transforms.vjp import vjp
from srcgrad.transforms.weights import checked_weights
from srcgrad.tree import mapped, spelled


def _itself(fn: Any) -> Any:
    """A function as a key: by identity, except for methods, which are made at each access."""
    return fn if type(fn) is types.MethodType else Same(fn)


@functools.lru_cache(maxsize=512)
def _made(transform: Any, fn: Any, position: Any, weights: Any, *flags: Any) -> Any:
    """One object for one transform: it remembers the static requirements of its program."""
    fn = fn.value if isinstance(fn, Same) else fn
    many = isinstance(weights, tuple)
    members = tuple(w.value for w in weights) if many else getattr(weights, "value", None)
    return transform(fn, position, members, *flags)


def _weights(it: Interpreter, weights: Any) -> Any:
    """Captured Parameters, by identity; a variable means the Parameter that it is the input for."""
    known = {h.var: h.parameter for h in it.captures.hidden.values()}

    def same(w: Any) -> Any:
        found = known.get(w, w) if isinstance(w, Var) else w
        return None if found is None else Same(found)

    return tuple(map(same, weights)) if isinstance(weights, list | tuple) else same(weights)


def _gradient(
    it: Interpreter, node: Node, transform: Any, fn: Any, position: Any, weights: Any, *flags: Any
) -> Any:
    """The transform of a function: a known one, or one that belongs to this compilation."""
    by = _weights(it, weights)
    if not is_inner(fn):
        _refuse_no_function(it, node, fn)
        return _made(transform, _itself(fn), position, by, *flags)
    members = tuple(w.value for w in by) if isinstance(by, tuple) else getattr(by, "value", None)
    has_aux, ids = flags
    positions = entry_points.checked_positions(position, members)
    return Inner(
        fn,
        Gradient(
            None, positions, positions is not None and len(positions) == 1, has_aux,
            transform is entry_points.value_and_grad, weights=checked_weights(members), ids=ids,
        ),
    )  # fmt: skip


def _refuse_no_function(it: Interpreter, node: Node, fn: Any) -> None:
    if is_value(fn):
        it.refuse(
            node, f"{describe(fn)} cannot be differentiated: it is no function", like=TypeError
        )


@implements(entry_points.grad)
def _grad(
    it: Interpreter, node: Node, fn: Any, grad_position: Any = 0, weights: Any = None,
    has_aux: Any = False, return_ids: Any = False,
) -> Any:  # fmt: skip
    return _gradient(it, node, entry_points.grad, fn, grad_position, weights, has_aux, return_ids)


@implements(entry_points.value_and_grad)
def _value_and_grad(
    it: Interpreter, node: Node, fn: Any, grad_position: Any = 0, weights: Any = None,
    has_aux: Any = False, return_ids: Any = False,
) -> Any:  # fmt: skip
    return _gradient(
        it, node, entry_points.value_and_grad, fn, grad_position, weights, has_aux, return_ids
    )


@implements(jacrev)
def _jacrev(
    it: Interpreter, node: Node, fn: Any, grad_position: Any = 0, has_aux: Any = False
) -> Any:
    return _jacobian(it, node, jacrev, fn, grad_position, has_aux)


@implements(jacfwd)
def _jacfwd(
    it: Interpreter, node: Node, fn: Any, grad_position: Any = 0, has_aux: Any = False
) -> Any:
    return _jacobian(it, node, jacfwd, fn, grad_position, has_aux)


@implements(hessian)
def _hessian(
    it: Interpreter, node: Node, fn: Any, grad_position: Any = 0, has_aux: Any = False
) -> Any:
    rows = _jacobian(it, node, jacrev, fn, grad_position, has_aux)
    return _jacobian(it, node, jacfwd, rows, grad_position, has_aux)


def _jacobian(
    it: Interpreter, node: Node, transform: Any, fn: Any, position: Any, has_aux: Any
) -> Any:
    if not is_inner(fn):
        _refuse_no_function(it, node, fn)
        return _jacobian_of(transform, _itself(fn), position, has_aux)
    positions = entry_points.checked_positions(position, None)
    bare = len(positions) == 1
    return Inner(fn, Jacobian(None, positions, bare, has_aux, transform is jacfwd))


@functools.lru_cache(maxsize=512)
def _jacobian_of(transform: Any, fn: Any, position: Any, has_aux: bool) -> Any:
    """The cached Jacobian transform of a function, as `_made` for gradients."""
    fn = fn.value if isinstance(fn, Same) else fn
    return transform(fn, position, has_aux)


@implements(entry_points.compile)
def _compile(it: Interpreter, node: Node, fn: Any, **options: Any) -> Any:
    return fn


@implements(vjp)
def _vjp(it: Interpreter, node: Node, fn: Any, *args: Any) -> Any:
    it.refuse(
        node, "vjp inside a compiled function is not supported", "use grad, or call it outside"
    )


@implements(entry_points.jvp)
def _jvp(it: Interpreter, node: Node, fn: Any, args: Any, tangents: Any) -> Any:
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
    dots = by_name(function, tangents)
    compiled = tangent_of(
        function, spec, options, constants(inspect.signature(function).parameters, dots)
    )

    def tangent(path: tuple, values: dict[tuple, Any]) -> Any:
        return _dot(it, dots, path, values)

    return inline(compiled, it, args, {}, node, tangent)


def _dot(it: Interpreter, dots: dict[str, Any], path: tuple, values: dict[tuple, Any]) -> Any:
    """The tangent of the leaf at `path`."""
    try:
        t = tangent_at(dots, path[1:])
    except ArgumentValueError as e:
        raise ArgumentValueError(e.reason, it.b.loc, e.way_out) from None
    return _tangent(it, atom(values[path[1:]]), t, spelled(path[1:]))


def _tangent(it: Interpreter, v: Any, t: Any, name: str) -> Any:
    """The tangent of `v`, checked against its shape; zero if None is given."""
    if isinstance(t, Var) and not float_type(t.type):
        t = it.b.cast(t, v.type)
    if not isinstance(v.type, Array):
        t = it.b.value(atom(0.0 if t is None else t))
        if isinstance(t.type, Array) and t.type.dims:
            _misfit(it, t, v, name)
        return it.b.cast(it.b.load(t) if isinstance(t.type, Array) else t, v.type)
    if t is None:
        return it.b.broadcast_to(it.b.cast(0.0, Scalar(v.type.dtype)), *v.type.dims)
    t = it.b.cast(it.b.value(atom(t)), Scalar(v.type.dtype))
    dims = getattr(t.type, "dims", ())
    if len(dims) != len(v.type.dims):
        _misfit(it, t, v, name)
    for n, m in zip(dims, v.type.dims, strict=True):
        if n is not m:
            wrong = plain(it.b.ne(n, m))
            text = f"the tangent of {name} has another shape than {name}"
            it.fail_if(wrong, "ValueError", text)
    same = isinstance(t.type, Array) and same_dims(t.type.dims, v.type.dims)
    return t if same else it.b.broadcast_to(t, *v.type.dims)


def _misfit(it: Interpreter, t: Any, v: Any, name: str) -> NoReturn:
    text = f"the tangent of {name} has the shape {shape_of(t.type)}, {name} has {shape_of(v.type)}"
    raise ArgumentValueError(text, it.b.loc, ZERO)


def _floating(it: Interpreter, node: Node, v: Any) -> Any:
    """A value of an equation: lists become arrays, integers become floats."""
    if isinstance(v, list | tuple):
        v = it.call_numpy(np.array, [v], {}, node)
    if isinstance(v, Var) and not float_type(v.type):
        return it.b.cast(v, Scalar("f64"))
    return float(v) if isinstance(v, int) else v


@implements(odes.odeint)
def _odeint(
    it: Interpreter, node: Node, rhs: Any, y0: Any, t: Any, *args: Any, rtol: Any = 1.4e-8,
    atol: Any = 1.4e-8, mxstep: Any = 10_000, adjoint: Any = True,
) -> Any:  # fmt: skip
    y0, t = _floating(it, node, y0), _floating(it, node, t)
    if not it.truth(adjoint, node):
        return it.call(odes.solved, [rhs, y0, t, args, rtol, atol, mxstep], {}, node)
    if is_inner(rhs) or is_value(rhs):
        it.refuse(
            node, "odeint of a function that is defined inside is not supported",
            "define it outside and pass it what it needs, or say adjoint=False",
        )  # fmt: skip
    return it.call(odes.solution_of(rhs), [y0, t, args, rtol, atol, mxstep], {}, node)


@implements(custom_vjp, custom_jvp, fixed_point, implicit_root, opaque)
def _ruled(it: Interpreter, node: Node, *args: Any, **kwargs: Any) -> Any:
    it.refuse(
        node, "a rule stated inside a compiled function is not supported",
        "define the function and its rule outside",
    )  # fmt: skip


@implements(entry_points.stop_gradient)
def _stop_gradient(it: Interpreter, node: Node, x: Any) -> Any:
    def constant(v: Any) -> Any:
        return it.b.stop_gradient(v) if isinstance(v, Var) and float_type(v.type) else v

    return mapped(x, constant)
