"""`flow.func`: the transforms by PyTorch's names and arguments (`torch.func`).

Nesting of results, order of arguments and what is refused are PyTorch's; every derivative is that
of the transform of the same name at the top of the package. All of them nest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcgrad import api
from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, TensorError
from srcgrad.namespace import publish
from srcgrad.nn.module import Module

Positions = int | tuple[int, ...]


def grad(func: Callable[..., Any], argnums: Positions = 0, has_aux: bool = False) -> Any:
    """The gradient of a function that returns one number, by the arguments `argnums`.

    A tuple of positions gives a tuple of gradients. With `has_aux` the function returns
    (number, anything), and the result is (gradient, anything). RuntimeError if the output has dims.

    >>> import srcgrad as flow
    >>> flow.func.grad(lambda x: (x**2).sum())(flow.tensor([1.0, 2.0]))
    tensor([2., 4.], dtype=srcgrad.float32)
    """
    made = api.grad(_of_number(func, "grad", has_aux), argnums=argnums, has_aux=has_aux)
    if not has_aux:
        return made

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        g, others = made(*args, **kwargs)
        return g, others[0]

    return gradient


def grad_and_value(func: Callable[..., Any], argnums: Positions = 0, has_aux: bool = False) -> Any:
    """Like `grad`, but returns (gradient, value); with `has_aux` (gradient, (value, anything)).

    >>> import srcgrad as flow
    >>> flow.func.grad_and_value(lambda x: x * x)(flow.tensor(3.0))
    (tensor(6., dtype=srcgrad.float32), tensor(9., dtype=srcgrad.float32))
    """
    number = _of_number(func, "grad_and_value", has_aux)
    made = api.value_and_grad(number, argnums=argnums, has_aux=has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, g = made(*args, **kwargs)
        return g, value

    return gradient


def _of_number(func: Callable[..., Any], name: str, has_aux: bool) -> Callable[..., Any]:
    """The function; calls raise RuntimeError where its output is not a number."""
    _check_callable(func, name)

    @functools.wraps(func, ("__name__", "__qualname__"))
    def number(*args: Any, **kwargs: Any) -> Any:
        result = func(*args, **kwargs)
        if np.ndim(result[0] if has_aux else result) > 0:
            raise TensorError(
                f"{name}(f)(*args): Expected f(*args) to return a scalar. "
                "Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        return result

    return number


def _check_callable(func: Any, name: str) -> None:
    if not callable(func):
        raise ArgumentTypeError(
            f"{name} takes a function, not {type(func).__name__}", None,
            f"pass the function itself: {name}(f), not {name}(f(x))",
        )  # fmt: skip


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """(output, vjp_fn), or (output, vjp_fn, aux): `vjp_fn` maps cotangents to a tuple of gradients.

    >>> import srcgrad as flow
    >>> output, vjp_fn = flow.func.vjp(lambda x: x**2, flow.tensor([1.0, 2.0]))
    >>> vjp_fn(flow.ones(2))
    (tensor([2., 4.], dtype=srcgrad.float32),)
    """
    _check_callable(func, "vjp")
    made = api.vjp(func, *primals, has_aux=has_aux)
    if not has_aux:
        return made

    def vjp_fn(*cotangents: Any) -> tuple[Any, ...]:
        found = made[1](*cotangents)
        return found if isinstance(found, tuple) else (found,)

    return made[0], vjp_fn, made[2]


def jvp(
    func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...],
    *, strict: bool = False, has_aux: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """(output, derivative along `tangents`), or with `has_aux` (output, derivative, aux).

    `strict` changes nothing: an output that depends on no input has the derivative zero.

    >>> import srcgrad as flow
    >>> flow.func.jvp(lambda x: x**2, (flow.tensor(3.0),), (flow.tensor(1.0),))
    (tensor(9., dtype=srcgrad.float32), tensor(6., dtype=srcgrad.float32))
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple):
            raise TensorError(
                f"jvp(f, primals, tangents): Expected {name} to be a tuple. "
                f"E.g. it should be valid to call f(*primals)."
            )
    return api.jvp(func, primals, tangents, has_aux=has_aux)


def jacrev(
    func: Callable[..., Any], argnums: Positions = 0, *, has_aux: bool = False,
    chunk_size: int | None = None,
) -> Any:  # fmt: skip
    """The Jacobian in reverse mode, by the arguments `argnums`; `chunk_size` changes nothing.

    >>> import srcgrad as flow
    >>> flow.func.jacrev(lambda x: x**2)(flow.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]], dtype=srcgrad.float32)
    """
    _check_callable(func, "jacrev")
    return api.jacrev(func, argnums=argnums, has_aux=has_aux)


def jacfwd(func: Callable[..., Any], argnums: Positions = 0, has_aux: bool = False) -> Any:
    """The Jacobian in forward mode, by the arguments `argnums`.

    >>> import srcgrad as flow
    >>> flow.func.jacfwd(lambda x: x**2)(flow.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]], dtype=srcgrad.float32)
    """
    _check_callable(func, "jacfwd")
    return api.jacfwd(func, argnums=argnums, has_aux=has_aux)


def hessian(func: Callable[..., Any], argnums: Positions = 0) -> Any:
    """The Hessian, by the arguments `argnums`: the Jacobian of the Jacobian.

    >>> import srcgrad as flow
    >>> flow.func.hessian(lambda x: (x**3).sum())(flow.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]], dtype=srcgrad.float32)
    """
    _check_callable(func, "hessian")
    return api.jacfwd(api.jacrev(func, argnums=argnums), argnums=argnums)


def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error",
    *, chunk_size: int | None = None,
) -> Any:  # fmt: skip
    """The function of batches that calls `func` for each item; `chunk_size` changes nothing.

    Random numbers inside are refused, as with PyTorch's default; ValueError for another
    `randomness`.

    >>> import srcgrad as flow
    >>> flow.func.vmap(lambda x: x.sum())(flow.ones(3, 2))
    tensor([2., 2., 2.], dtype=srcgrad.float32)
    """
    _check_callable(func, "vmap")
    if randomness != "error":
        raise ArgumentValueError(
            f"vmap takes randomness='error' alone, not {randomness!r}", None,
            "draw random numbers outside and pass them as an argument",
        )  # fmt: skip
    return api.vmap(func, in_dims, out_dims)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """(output, jvp_fn): `jvp_fn` maps tangents to the derivative of the output.

    >>> import srcgrad as flow
    >>> output, jvp_fn = flow.func.linearize(lambda x: x**2, flow.tensor(3.0))
    >>> jvp_fn(flow.tensor(1.0))
    tensor(6., dtype=srcgrad.float32)
    """
    return api.linearize(func, primals)


def functional_call(
    module: Module, parameter_and_buffer_dicts: Any, args: Any = None,
    kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Calls a module with other tensors in place of its parameters and buffers, by name.

    A sequence of dicts is taken as one. The module is as before afterwards. RuntimeError for a
    name that the module lacks; with `strict` also for one that is not given.

    >>> import srcgrad as flow
    >>> net = flow.nn.Linear(2, 1, bias=False)
    >>> weights = {"weight": flow.tensor([[3.0, 4.0]])}
    >>> flow.func.functional_call(net, weights, flow.ones(2))
    tensor([7.], dtype=srcgrad.float32)
    """
    given = _merged(parameter_and_buffer_dicts)
    places = _places(module, tie_weights)
    unknown = [name for name in given if name not in places]
    missing = [name for name in places if name not in given] if strict else []
    for wrong, text in ((unknown, "Unexpected"), (missing, "Missing")):
        if wrong:
            names = ", ".join(map(repr, wrong))
            raise TensorError(f"{text} key(s) when calling functional_call: {names}.")
    before = [(holder, key, holder[key]) for name in given for holder, key in places[name]]
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    try:
        for name, value in given.items():
            for holder, key in places[name]:
                holder[key] = value
        return module(*positional, **(kwargs or {}))
    finally:
        for holder, key, value in before:
            holder[key] = value


def _merged(dicts: Any) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    for each in (dicts,) if isinstance(dicts, Mapping) else dicts:
        if repeated := [name for name in each if name in found]:
            raise ArgumentValueError(f"{repeated[0]} appears in several dictionaries")
        found |= each
    return found


def _places(module: Module, tied: bool) -> dict[str, list[tuple[dict[str, Any], str]]]:
    """The dicts and keys that hold each named tensor; those of tied ones together under `tied`."""
    names: dict[str, list[tuple[dict[str, Any], str]]] = {}
    by_identity: dict[int, list[tuple[dict[str, Any], str]]] = {}
    for path, part in module.named_modules():
        for holder in (part._parameters, part._buffers):
            for key, value in holder.items():
                places = by_identity.setdefault(id(value), []) if tied else []
                places.append((holder, key))
                names[f"{path}.{key}" if path else key] = places
    return names


__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
    "vjp", "vmap",
]  # fmt: skip
publish(globals())
