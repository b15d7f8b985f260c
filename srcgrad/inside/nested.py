"""Transforms called inside a compiled function: `flow.grad(f)(x)` is built while it is traced.

A differentiated function has to be known at compile time: a function, a method, a partial. Never
evaluates anything at run time that the transform would evaluate outside. `mode=` of a transform
changes nothing here: what is compiled is compiled as a whole.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from srcgrad.custom.functions import custom_jvp, custom_vjp
from srcgrad.custom.opaque import opaque
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import describe, is_value
from srcgrad.inside.closures import Inner, is_inner
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Scalar, float_type
from srcgrad.solvers import odes
from srcgrad.solvers.implicit import fixed_point, implicit_root
from srcgrad.transforms import entry_points, hessians, jacobians
from srcgrad.transforms.positions import FIRST, positions_of
from srcgrad.transforms.signature import Same
from srcgrad.transforms.specs import Gradient
from srcgrad.transforms.stack import LAYERS, layer
from srcgrad.transforms.weights import checked_weights
from srcgrad.tree import mapped


def _itself(fn: Any) -> Any:
    """A function as a key: by identity, except for methods, which are made at each access."""
    return fn if type(fn) is types.MethodType else Same(fn)


@functools.lru_cache(maxsize=512)
def _made(transform: Any, fn: Any, position: Any, argnums: Any, weights: Any, *flags: Any) -> Any:
    """One object for one transform: it remembers the static requirements of its program."""
    fn = fn.value if isinstance(fn, Same) else fn
    many = isinstance(weights, tuple)
    members = tuple(w.value for w in weights) if many else getattr(weights, "value", None)
    return transform(fn, position, members, *flags, argnums=argnums)


def _weights(it: Interpreter, weights: Any) -> Any:
    """Captured Parameters, by identity; a variable means the Parameter that it is the input for."""
    known = {h.var: h.parameter for h in it.captures.hidden.values()}

    def same(w: Any) -> Any:
        found = known.get(w, w) if isinstance(w, Var) else w
        return None if found is None else Same(found)

    return tuple(map(same, weights)) if isinstance(weights, list | tuple) else same(weights)


def _gradient(
    it: Interpreter, node: Node, transform: Any, fn: Any, position: Any, argnums: Any,
    weights: Any, has_aux: Any, ids: Any,
) -> Any:  # fmt: skip
    """The transform of a function: a known one, or one that belongs to this compilation."""
    by = _weights(it, weights)
    position, argnums = _known(it, node, position), _known(it, node, argnums)
    if isinstance(argnums, list):
        argnums = tuple(argnums)
    if not is_inner(fn):
        _refuse_no_function(it, node, fn)
        return _made(transform, _itself(fn), position, argnums, by, has_aux, ids)
    members = tuple(w.value for w in by) if isinstance(by, tuple) else getattr(by, "value", None)
    positions, bare = positions_of(position, argnums, members)
    return Inner(
        fn,
        Gradient(
            None, positions, bare, has_aux,
            transform is entry_points.value_and_grad, weights=checked_weights(members), ids=ids,
        ),
    )  # fmt: skip


def _known(it: Interpreter, node: Node, position: Any) -> Any:
    """A position, or several: integers of the run become static."""
    at = lambda p: it.static_int(p, node, "a position") if isinstance(p, Var) else p
    return mapped(position, at)


def _refuse_no_function(it: Interpreter, node: Node, fn: Any) -> None:
    if is_value(fn):
        it.refuse(
            node, f"{describe(fn)} cannot be differentiated: it is no function", like=TypeError
        )


@implements(entry_points.grad)
def _grad(
    it: Interpreter, node: Node, fn: Any, grad_position: Any = FIRST, weights: Any = None,
    has_aux: Any = False, return_ids: Any = False, *, argnums: Any = None, mode: Any = None,
) -> Any:  # fmt: skip
    return _gradient(
        it, node, entry_points.grad, fn, grad_position, argnums, weights, has_aux, return_ids
    )


@implements(entry_points.value_and_grad)
def _value_and_grad(
    it: Interpreter, node: Node, fn: Any, grad_position: Any = FIRST, weights: Any = None,
    has_aux: Any = False, return_ids: Any = False, *, argnums: Any = None, mode: Any = None,
) -> Any:  # fmt: skip
    return _gradient(
        it,
        node,
        entry_points.value_and_grad,
        fn,
        grad_position,
        argnums,
        weights,
        has_aux,
        return_ids,
    )


@implements(entry_points.elementwise_grad)
def _elementwise_grad(
    it: Interpreter, node: Node, fn: Any, grad_position: Any = FIRST, has_aux: Any = False, *,
    argnums: Any = None, mode: Any = None,
) -> Any:  # fmt: skip
    return _gradient(it, node, entry_points.grad, fn, grad_position, argnums, None, has_aux, False)


def _positions(it: Interpreter, node: Node, position: Any, argnums: Any) -> tuple[Any, bool]:
    return positions_of(_known(it, node, position), _known(it, node, argnums))


def _by_name(name: str) -> Any:
    """The handler of a transform that `stack.LAYERS` has by this name."""

    def handler(
        it: Interpreter, node: Node, fn: Any, grad_position: Any = FIRST, has_aux: Any = False, *,
        argnums: Any = None, mode: Any = None,
    ) -> Any:  # fmt: skip
        positions, bare = _positions(it, node, grad_position, argnums)
        return _layered(it, node, name, fn, positions, bare, has_aux)

    return handler


for _name, _transform in {**vars(jacobians), **vars(hessians)}.items():
    if _name in LAYERS:
        implements(_transform)(_by_name(_name))


@implements(hessians.hessian)
def _hessian(
    it: Interpreter, node: Node, fn: Any, grad_position: Any = FIRST, has_aux: Any = False, *,
    argnums: Any = None, mode: Any = None,
) -> Any:  # fmt: skip
    positions, bare = _positions(it, node, grad_position, argnums)
    rows = _layered(it, node, "jacrev", fn, positions, bare, has_aux)
    return _layered(it, node, "jacfwd", rows, positions, bare, has_aux)


def _layered(
    it: Interpreter, node: Node, name: str, fn: Any, positions: Any, bare: bool, has_aux: Any
) -> Any:
    jacobians.checked_aux(name, has_aux)
    if is_inner(fn):
        return Inner(fn, layer(name, positions, bare, has_aux, "v"))
    _refuse_no_function(it, node, fn)
    return _layer_of(name, _itself(fn), positions if not bare else positions[0], has_aux)


@functools.lru_cache(maxsize=512)
def _layer_of(name: str, fn: Any, positions: Any, has_aux: bool) -> Any:
    """The cached transform of a function, as `_made` for gradients."""
    fn = fn.value if isinstance(fn, Same) else fn
    return jacobians.transformed(name, fn, FIRST, positions, has_aux, None)


@implements(entry_points.compile)
def _compile(it: Interpreter, node: Node, /, fn: Any, **options: Any) -> Any:
    if is_value(fn):
        it.refuse(node, f"{describe(fn)} cannot be compiled: it is no function", like=TypeError)
    return fn


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
def _ruled(it: Interpreter, node: Node, /, *args: Any, **kwargs: Any) -> Any:
    it.refuse(
        node, "a rule stated inside a compiled function is not supported",
        "define the function and its rule outside",
    )  # fmt: skip


@implements(entry_points.stop_gradient)
def _stop_gradient(it: Interpreter, node: Node, x: Any) -> Any:
    def constant(v: Any) -> Any:
        return it.b.stop_gradient(v) if isinstance(v, Var) and float_type(v.type) else v

    return mapped(x, constant)
