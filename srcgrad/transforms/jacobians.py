"""`jacrev`, `jacfwd`, `jacobian`: check arguments and put transforms on the stack by their name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.errors import ArgumentTypeError
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.directions import unused_name
from srcgrad.transforms.generic import P, R
from srcgrad.transforms.positions import FIRST, positions_of
from srcgrad.transforms.stack import layer, signature_of
from srcgrad.transforms.stacking import taken_apart, tape_of, variadic

Positions = int | tuple[int, ...]


def jacrev(
    fn: Callable[P, Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[P, Any]:  # fmt: skip
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
    return transformed("jacrev", fn, grad_position, argnums, has_aux, mode)


def jacfwd(
    fn: Callable[P, Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[P, Any]:  # fmt: skip
    """The Jacobian of `fn` in forward mode: faster where there are fewer inputs than outputs.

    Arguments and result are those of `jacrev`.

    >>> import numpy as np, srcgrad as flow
    >>> def f(x):
    ...     return np.sum(x**3)
    >>> flow.jacfwd(flow.grad(flow.compile(f, target="python")))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return transformed("jacfwd", fn, grad_position, argnums, has_aux, mode)


def jacobian(
    fn: Callable[P, Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[P, Any]:  # fmt: skip
    """The Jacobian of `fn`, in the mode that suits the numbers of its inputs and outputs.

    Forward mode, unless there are more inputs than outputs. The first call with arguments of new
    kinds decides, and later calls with such arguments use its program. Arguments and result are
    those of `jacrev`.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: x[:2] * x[1:], target="python")
    >>> flow.jacobian(f)(np.array([1.0, 2.0, 3.0]))
    array([[2., 1., 0.],
           [0., 3., 2.]])
    """
    return transformed("jacobian", fn, grad_position, argnums, has_aux, mode)


def value_and_jac(
    fn: Callable[P, R], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[P, tuple[R, Any]]:  # fmt: skip
    """(value, Jacobian) from one program; see `jacobian`.

    With `has_aux` the value is that of all outputs, as in `value_and_grad`.

    >>> import numpy as np, srcgrad as flow
    >>> value, j = flow.value_and_jac(flow.compile(np.sin, target="python"))(np.zeros(2))
    >>> value
    array([0., 0.])
    >>> j
    array([[1., 0.],
           [0., 1.]])
    """
    return transformed("value_and_jac", fn, grad_position, argnums, has_aux, mode)


def checked_aux(name: str, has_aux: Any) -> None:
    """Refuses a `has_aux` that is not a bool."""
    if not isinstance(has_aux, bool):
        raise ArgumentTypeError(
            f"For '{name}', the 'has_aux' should be bool, but got {type(has_aux).__name__}"
        )


def transformed(
    name: str, fn: Any, position: Any, argnums: Any, has_aux: Any, mode: str | None
) -> Compiled[..., Any]:
    """The transform of this name on a function, its arguments checked."""
    checked_aux(name, has_aux)
    positions, bare = positions_of(position, argnums)
    function, spec, options = taken_apart(fn)
    tape = tape_of(mode) or ("" if isinstance(fn, Compiled) else "tensors")
    options = replace(options, tape=tape or options.tape)
    below = signature_of(spec, inspect.signature(function))
    made = layer(name, positions, bare, has_aux, unused_name(below.parameters))
    return Compiled(function, replace(made, inner=spec, variadic=variadic(function)), options)
