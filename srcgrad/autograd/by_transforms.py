"""`flow.autograd.functional` of arrays and of compiled functions: by the transforms of `api`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad import api
from srcgrad.errors import TensorError
from srcgrad.tree import leaves, mapped


def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool, strategy: str) -> Any:
    """The Jacobian, in the mode of `strategy`."""
    mode = api.jacfwd if strategy == "forward-mode" else api.jacobian
    several, xs = _several(inputs)
    return _kept(mode(func, argnums=_all(several, xs))(*xs), create_graph)


def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool) -> Any:
    """The Hessian of a function of one number."""
    several, xs = _several(inputs)
    value, _, made = api.value_grad_hess(func, argnums=_all(several, xs))(*xs)
    _check_single(value, "hessian")
    return _kept(made, create_graph)


def vjp(func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool) -> tuple[Any, Any]:
    """(outputs, products with the adjoints `v`)."""
    several, xs = _several(inputs)
    out, pull = api.vjp(func, *xs)
    if v is None and sum(np.size(_array(x)) for x in leaves(out)) != 1:
        raise TensorError(
            "The vector v can only be None if the user-provided function returns a single Tensor "
            "with a single element."
        )
    made = pull(mapped(out, lambda x: x * 0 + 1) if v is None else v)
    return _kept((out, made if several else made[0]), create_graph)


def jvp(func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool) -> tuple[Any, Any]:
    """(outputs, their derivatives along `v`)."""
    _, xs = _several(inputs)
    return _kept(api.jvp(func, xs, _directions(xs, v)), create_graph)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, name: str
) -> tuple[Any, Any]:
    """(output, the product of the Hessian with `v`)."""
    several, xs = _several(inputs)
    gradient = api.value_and_grad(func, argnums=_all(several, xs))
    (value, _), (_, product) = api.jvp(gradient, xs, _directions(xs, v))
    _check_single(value, name)
    return _kept((value, product), create_graph)


def _several(inputs: Any) -> tuple[bool, tuple[Any, ...]]:
    several = isinstance(inputs, tuple | list)
    return several, tuple(inputs) if several else (inputs,)


def _all(several: bool, xs: tuple[Any, ...]) -> Any:
    return tuple(range(len(xs))) if several else 0


def _directions(xs: tuple[Any, ...], v: Any) -> tuple[Any, ...]:
    """One direction for each input; None, for a single number, is 1."""
    if v is not None:
        return tuple(v) if isinstance(v, tuple | list) else (v,)
    if len(xs) != 1 or np.size(_array(xs[0])) != 1:
        raise TensorError(
            "The vector v can only be None if the input to the user-provided function is a single "
            "Tensor with a single element."
        )
    return (xs[0] * 0 + 1,)


def _check_single(value: Any, name: str) -> None:
    if isinstance(value, tuple | list):
        raise TensorError(f"The function given to {name} should return a single Tensor")
    if np.size(_array(value)) != 1:
        raise TensorError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )


def _array(x: Any) -> Any:
    return getattr(x, "_a", x)


def _kept(made: Any, create_graph: bool) -> Any:
    """The results, cut off from the graph unless it is requested."""
    return made if create_graph else mapped(made, lambda x: getattr(x, "detach", lambda: x)())
