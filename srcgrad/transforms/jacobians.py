"""`jacrev`, `jacfwd`, `hessian`: check arguments and put Jacobians on the stack of transforms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.errors import ArgumentTypeError
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.entry_points import checked_positions
from srcgrad.transforms.jacobian_program import Jacobian
from srcgrad.transforms.stacking import taken_apart, variadic


def jacrev(fn: Callable, grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Any:
    """The Jacobian of `fn` with respect to the arguments at `grad_position`, in reverse mode.

    The result has the structure of the outputs (tuples, lists, dicts, named tuples, dataclasses),
    with the structure of the argument in place of each output; a block has the shape
    `output.shape + input.shape`. Several positions give a tuple of blocks. Integers have None
    in their place; ArgumentTypeError if there are no floats. With `has_aux` only the first output
    is differentiated: (Jacobian, the others). For complex outputs and real arguments a block is
    d Re + i d Im; for real outputs and complex arguments its rows are gradients as `grad` returns
    them. Tensors give tensors. The caller's arrays are never changed.

    >>> import numpy as np, srcgrad as flow
    >>> def f(p):
    ...     return {"curve": p["a"] * p["x"], "total": np.sum(p["x"])}
    >>> j = flow.jacrev(flow.compile(f, target="python"))({"a": 2.0, "x": np.array([1.0, 3.0])})
    >>> j["curve"]["a"]
    array([1., 3.])
    >>> j["curve"]["x"]
    array([[2., 0.],
           [0., 2.]])
    >>> j["total"]["a"], j["total"]["x"]
    (0.0, array([1., 1.]))
    """
    return _jacobian("jacrev", fn, grad_position, has_aux)


def jacfwd(fn: Callable, grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Any:
    """The Jacobian of `fn` in forward mode: faster where there are fewer inputs than outputs.

    Arguments and result are those of `jacrev`.

    >>> import numpy as np, srcgrad as flow
    >>> def f(x):
    ...     return np.sum(x**3)
    >>> flow.jacfwd(flow.grad(flow.compile(f, target="python")))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return _jacobian("jacfwd", fn, grad_position, has_aux)


def hessian(fn: Callable, grad_position: int | tuple[int, ...] = 0, has_aux: bool = False) -> Any:
    """The second derivatives of `fn` with respect to the arguments at `grad_position`.

    It is `jacfwd` of `jacrev`: the result has the structure of the outputs, with that of the
    argument in place of each output twice, and a block has the shape `output.shape + first.shape +
    second.shape`, of a function that returns a number `first.shape + second.shape`. Several
    positions give a tuple of tuples of blocks. Other arguments, `has_aux` and errors are those of
    `jacrev`. A product with a vector needs no matrix: `jvp(grad(fn), (x,), (v,))[1]`.

    >>> import numpy as np, srcgrad as flow
    >>> def f(x):
    ...     return x[0] ** 2 * x[1]
    >>> flow.hessian(flow.compile(f, target="python"))(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    _check_aux("hessian", has_aux)
    return jacfwd(jacrev(fn, grad_position, has_aux), grad_position, has_aux)


def _check_aux(name: str, has_aux: Any) -> None:
    if not isinstance(has_aux, bool):
        raise ArgumentTypeError(
            f"For '{name}', the 'has_aux' should be bool, but got {type(has_aux).__name__}"
        )


def _jacobian(name: str, fn: Any, position: Any, has_aux: Any) -> Compiled:
    _check_aux(name, has_aux)
    positions = checked_positions(position, None)
    function, spec, options = taken_apart(fn)
    if not isinstance(fn, Compiled):
        options = replace(options, tape=True)
    bare = len(positions) == 1
    forward = name == "jacfwd"
    made = Jacobian(spec, positions, bare, has_aux, forward, variadic=variadic(function))
    return Compiled(function, made, options)
