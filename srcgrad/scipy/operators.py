"""Derivatives as what SciPy calls linear operators, and the covariance of a fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from srcgrad.api import hvp, jvp, value_grad_hess, vjp
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.scipy.unknowns import Unknowns
from srcgrad.tree import mapped

NEAR = 0.1  # standard errors within which a point is at the minimum


class Products(LinearOperator):
    """A linear operator by two functions: its products with vectors, and its transpose's."""

    product: Callable[..., Any]
    transposed: Callable[..., Any]

    def __init__(
        self,
        dtype: Any,
        shape: tuple[Any, ...],
        product: Callable[..., Any],
        transposed: Callable[..., Any],
    ):
        super().__init__(dtype, shape)
        self.product, self.transposed = product, transposed

    def _matvec(self, x: Any) -> np.ndarray:
        return _of_parts(self.product, x)

    def _rmatvec(self, x: Any) -> np.ndarray:
        return _of_parts(self.transposed, x)


def _copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with arrays of their own: what the caller changes later changes no product."""
    return mapped(args, lambda v: v.copy() if isinstance(v, np.ndarray) else v)


def jacobian_operator(fn: Callable[..., Any], x: Any, *args: Any) -> LinearOperator:
    """The Jacobian of `fn(x, *args)` at x as a `LinearOperator`, without the matrix.

    Products with a vector are by forward mode, those of the transpose by reverse mode. x may be a
    structure, and the result an array of any shape: both are ravelled.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: x[1:] * x[:-1], target="python")
    >>> j = jacobian_operator(f, np.array([1.0, 2.0, 3.0]))
    >>> j.shape, j @ np.array([1.0, 0.0, 0.0]), j.T @ np.array([0.0, 1.0])
    ((2, 3), array([2., 0.]), array([0., 3., 2.]))
    """
    unknowns = Unknowns.of(x)
    at, args = unknowns.value(unknowns.start), _copied(args)
    out, pull = vjp(fn, at, *args)
    if not isinstance(out, float | np.floating | np.ndarray):
        raise ArgumentTypeError(
            f"the function returns {type(out).__name__}", None, "return one array of floats"
        )
    if np.iscomplexobj(out):
        raise ArgumentTypeError(
            "the function returns complex numbers", None, "return real and imaginary parts"
        )
    shape = np.shape(out)

    def product(v: Any) -> np.ndarray:
        direction = unknowns.direction(_as(v, unknowns.start))
        _, made = jvp(fn, (at, *args), (direction, *[None] * len(args)))
        return np.ravel(made)

    def transposed(g: Any) -> np.ndarray:
        seed = np.reshape(_as(g, np.asarray(out)), shape)
        return unknowns.vector(pull(seed if shape else seed[()])[0])

    size = int(np.prod(shape, dtype=np.int64)), unknowns.start.size
    return Products(np.asarray(out).dtype, size, product, transposed)


def hessian_operator(fn: Callable[..., Any], x: Any, *args: Any) -> LinearOperator:
    """The Hessian of `fn(x, *args)` at x as a `LinearOperator`, without the matrix.

    A product takes a small multiple of the time of a gradient. x may be a structure: it is
    ravelled.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: x[0] ** 2 * x[1], target="python")
    >>> hessian_operator(f, np.array([3.0, 5.0])) @ np.array([1.0, 0.0])
    array([10.,  6.])
    """
    unknowns = Unknowns.of(x)
    at, n, args = unknowns.value(unknowns.start), unknowns.start.size, _copied(args)
    by_direction = hvp(fn)

    def product(v: Any) -> np.ndarray:
        direction = unknowns.direction(_as(v, unknowns.start))
        return unknowns.vector(by_direction(at, direction, *args))

    return Products(unknowns.start.dtype, (n, n), product, product)


def covariance(fn: Callable[..., Any], x: Any, *args: Any) -> np.ndarray:
    """The covariance of estimates x that minimize a negative log-likelihood `fn(x, *args)`.

    It is the inverse of the Hessian at x, with a row for each number in the structure x.
    ArgumentValueError where the Hessian is not positive definite, or where its quadratic model has
    the minimum further than a tenth of a standard error away from x.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: 2.0 * (x[0] - 1.0) ** 2 + 0.5 * x[1] ** 2, target="python")
    >>> covariance(f, np.array([1.0, 0.0]))
    array([[0.25, 0.  ],
           [0.  , 1.  ]])
    """
    unknowns = Unknowns.of(x)
    at = unknowns.value(unknowns.start)
    _, gradient, blocks = value_grad_hess(fn)(at, *args)
    g, hessian = unknowns.vector(gradient), unknowns.square(blocks)
    try:
        np.linalg.cholesky(hessian)
    except np.linalg.LinAlgError:
        least = np.min(np.linalg.eigvalsh(hessian)) if np.all(np.isfinite(hessian)) else np.nan
        raise ArgumentValueError(
            f"the Hessian is not positive definite: its least eigenvalue is {least:.3g}", None,
            "pass the minimum, of parameters that the data determine",
        ) from None  # fmt: skip
    made = np.linalg.inv(hessian)
    away = float(np.sqrt(max(g @ made @ g, 0.0)))
    if not away <= NEAR:
        raise ArgumentValueError(
            f"x is {away:.3g} standard errors from the minimum", None,
            "minimize further: a smaller tol",
        )  # fmt: skip
    return made


def _of_parts(product: Callable[..., Any], v: Any) -> np.ndarray:
    """The product of a real matrix with a vector, which may be complex."""
    if np.iscomplexobj(v):
        return product(np.real(v)) + 1j * product(np.imag(v))
    return product(v)


def _as(v: Any, like: np.ndarray) -> np.ndarray:
    """A vector, or a matrix of one column, in the dtype of an array."""
    return np.ravel(v).astype(like.dtype)
