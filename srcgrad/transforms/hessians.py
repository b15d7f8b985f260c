"""`hessian`, `hvp`, `value_grad_hess`, `hessian_diag`, `laplacian`: second derivatives by name.

They check arguments and put transforms on the stack; see `second_order` for the programs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, overload

from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.generic import P, R, T
from srcgrad.transforms.jacobians import Positions, checked_aux, jacfwd, jacrev, transformed
from srcgrad.transforms.positions import FIRST


def hessian(
    fn: Callable[P, Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[P, Any]:  # fmt: skip
    """The second derivatives of `fn` with respect to the arguments at `grad_position`.

    It is `jacfwd` of `jacrev`: the result has the structure of the outputs, with that of the
    argument in place of each output twice, and a block has the shape `output.shape + first.shape +
    second.shape`, of a function that returns a number `first.shape + second.shape`. Several
    positions give a tuple of tuples of blocks. Other arguments, `has_aux` and errors are those of
    `jacrev`. A product with a vector needs no matrix: see `hvp`.

    >>> import numpy as np, srcgrad as flow
    >>> def f(x):
    ...     return x[0] ** 2 * x[1]
    >>> flow.hessian(flow.compile(f, target="python"))(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    checked_aux("hessian", has_aux)
    rows = jacrev(fn, grad_position, has_aux, argnums=argnums, mode=mode)
    return jacfwd(rows, grad_position, has_aux, argnums=argnums)


@overload
def hvp(
    fn: Callable[Concatenate[T, P], Any], *, has_aux: bool = False, mode: str | None = None
) -> Compiled[Concatenate[T, T | None, P], Any]: ...
@overload
def hvp(
    fn: Callable[..., Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[..., Any]: ...  # fmt: skip
def hvp(
    fn: Callable[..., Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[..., Any]:  # fmt: skip
    """The product of the Hessian of `fn` with a direction `v`, without the Hessian.

    `v` is an argument after the differentiated ones: `hvp(f)(x, v)`, and of `f(x, a)` it is
    `hvp(f)(x, v, a)`, as `scipy.optimize.minimize` calls its `hessp`. It has the structure, shapes
    and kinds of the argument, None means zero; several positions take a tuple of directions and
    give a tuple of products. Forward over reverse: a product takes a small multiple of the time of
    a gradient. Outputs that are arrays are summed, as by `grad`. With `has_aux` only the first
    output is differentiated: (product, the others).

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: x[0] ** 2 * x[1], target="python")
    >>> flow.hvp(f)(np.array([3.0, 5.0]), np.array([1.0, 0.0]))
    array([10.,  6.])
    """
    return transformed("hvp", fn, grad_position, argnums, has_aux, mode)


@overload
def vhp(
    fn: Callable[Concatenate[T, P], Any], *, has_aux: bool = False, mode: str | None = None
) -> Compiled[Concatenate[T, T | None, P], Any]: ...
@overload
def vhp(
    fn: Callable[..., Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[..., Any]: ...  # fmt: skip
def vhp(
    fn: Callable[..., Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[..., Any]:  # fmt: skip
    """The product of a direction with the Hessian of `fn`: that of `hvp`, as it is symmetric.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: x[0] ** 2 * x[1], target="python")
    >>> flow.vhp(f)(np.array([3.0, 5.0]), np.array([1.0, 0.0]))
    array([10.,  6.])
    """
    return transformed("vhp", fn, grad_position, argnums, has_aux, mode)


def value_grad_hess(
    fn: Callable[P, R], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[P, tuple[R, Any, Any]]:  # fmt: skip
    """(value, gradient, Hessian) from one program, in which the value is computed once.

    They are those of `value_and_grad` and `jacfwd(grad(fn))`.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: x[0] ** 2 * x[1], target="python")
    >>> value, gradient, hessian = flow.value_grad_hess(f)(np.array([3.0, 5.0]))
    >>> float(value), gradient
    (45.0, array([30.,  9.]))
    >>> hessian
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    return transformed("value_grad_hess", fn, grad_position, argnums, has_aux, mode)


def hessian_diag(
    fn: Callable[P, Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[P, Any]:  # fmt: skip
    """The diagonal of the Hessian of `fn`, with the structure and shapes of the argument.

    Some entries at a time, without the Hessian: memory is that of 32 products. With `has_aux` only
    the first output is differentiated: (diagonal, the others). Complex arguments are refused.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: np.sum(x**3) + x[0] * x[1], target="python")
    >>> flow.hessian_diag(f)(np.array([1.0, 2.0]))
    array([ 6., 12.])
    """
    return transformed("hessian_diag", fn, grad_position, argnums, has_aux, mode)


def laplacian(
    fn: Callable[P, Any], grad_position: Positions = FIRST, has_aux: bool = False,
    *, argnums: Positions | list[int] | None = None, mode: str | None = None,
) -> Compiled[P, Any]:  # fmt: skip
    """The sum of the second derivatives of `fn` by each element: the trace of the Hessian.

    It is the sum of `hessian_diag`, over all elements of all arguments at `grad_position`.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: np.sum(x**3) + x[0] * x[1], target="python")
    >>> float(flow.laplacian(f)(np.array([1.0, 2.0])))
    18.0
    """
    return transformed("laplacian", fn, grad_position, argnums, has_aux, mode)
