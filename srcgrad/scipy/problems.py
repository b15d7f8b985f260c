"""SciPy's `minimize`, `least_squares`, `curve_fit` and `root` with derivatives filled in.

What the caller states is passed on unchanged, as are all other arguments, and the results are
SciPy's, with the unknowns in their structure.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.api import hessian, hvp, value_and_grad, value_and_jac
from srcgrad.scipy.unknowns import Unknowns, stacked
from srcgrad.solvers.scipy_minimize import GRADIENTS, MATRICES, PRODUCTS

DENSE_ROOTS = frozenset({"hybr", "lm"})  # methods of `root` that take a Jacobian


def minimize(
    fun: Callable[..., Any], x0: Any, args: Any = (), method: Any = None, jac: Any = None,
    hess: Any = None, hessp: Any = None, bounds: Any = None, constraints: Any = (), **options: Any,
) -> optimize.OptimizeResult:  # fmt: skip
    """`scipy.optimize.minimize` with the gradient, and the Hessian or its products.

    Each method gets what it uses: a gradient, products with the Hessian (Newton-CG, trust-ncg,
    trust-krylov, trust-constr), or the Hessian (dogleg, trust-exact); constraints get their
    Jacobian. x0 may be a structure; `result.x` is one like it, and bounds and the other results
    are those of the ravelled vector. Further arguments are SciPy's.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda p: (p["a"] - 1.0) ** 2 + np.sum((p["b"] - p["a"]) ** 2),
    ...                  target="python")
    >>> x = minimize(f, {"a": 0.0, "b": np.zeros(2)}).x
    >>> round(float(x["a"]), 4), x["b"].round(4)
    (1.0, array([1., 1.]))
    """
    unknowns, given = Unknowns.of(x0), args if isinstance(args, tuple) else (args,)
    name = method.lower() if isinstance(method, str) else method
    custom = callable(name)
    if name is None:
        name = "slsqp" if constraints else "bfgs"  # or L-BFGS-B, which takes the same
    run = _of_vector(fun, unknowns)
    if jac is None and (custom or name in GRADIENTS):
        run, jac = _with_gradient(fun, unknowns), True
    elif callable(jac):
        jac = _of_vector(jac, unknowns)
    if hess is None and hessp is None:
        if name in PRODUCTS:
            hessp = _products(fun, unknowns)
        elif name in MATRICES:
            hess = _matrix(fun, unknowns)
    made = optimize.minimize(
        run, unknowns.start, given, method, jac=jac, hess=hess, hessp=hessp, bounds=bounds,
        constraints=_constrained(constraints, unknowns), **options,
    )  # fmt: skip
    return _restored(made, unknowns)


def least_squares(
    fun: Callable[..., Any], x0: Any, jac: Any = None, *args: Any, **options: Any
) -> optimize.OptimizeResult:
    """`scipy.optimize.least_squares` with the Jacobian of the residuals.

    x0 may be a structure; `result.x` is one like it, and bounds and the other results are those of
    the ravelled vector. The residuals are an array of any shape. Further arguments are SciPy's.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: np.array([x[0] - 1.0, 10.0 * (x[1] - x[0] ** 2)]),
    ...                  target="python")
    >>> least_squares(f, [-1.0, 0.5]).x.round(6)
    array([1., 1.])
    """
    unknowns = Unknowns.of(x0)
    if jac is None:
        jac = _jacobian(fun, unknowns)
    elif callable(jac):
        jac = _of_vector(jac, unknowns)

    def residuals(x: Any, *given: Any, **named: Any) -> Any:
        return np.ravel(fun(unknowns.value(x), *given, **named))

    made = optimize.least_squares(residuals, unknowns.start, jac, *args, **options)
    return _restored(made, unknowns)


def curve_fit(
    f: Callable[..., Any], xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, *,
    jac: Any = None, **options: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """`scipy.optimize.curve_fit` with the Jacobian of the model by its parameters.

    The model is `f(xdata, *parameters)`. If p0 is a dict, a dataclass or another structure that is
    no list of numbers, it is `f(xdata, parameters)`, and the parameters are found as a structure;
    their covariance has a row for each number in it. Further arguments are SciPy's.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x, a, b: a * np.exp(-b * x), target="python")
    >>> x = np.linspace(0.0, 1.0, 9)
    >>> curve_fit(f, x, 2.0 * np.exp(-3.0 * x), [1, 1])[0].round(6)
    array([2., 3.])
    """
    if p0 is not None and (unknowns := Unknowns.of(p0)).like is not None:
        return _structure_fitted(f, xdata, ydata, unknowns, sigma, jac, options)

    @functools.cache
    def by_parameters(n: int) -> Any:
        return value_and_jac(f, tuple(range(1, n + 1)) if n > 1 else 1)

    def columns(x: Any, *parameters: Any) -> np.ndarray:
        n = len(parameters)
        value, blocks = by_parameters(n)(x, *parameters)
        made = stacked(value, blocks, lambda made: _side_by_side(made if n > 1 else (made,)))
        return _repeated(made, ydata)

    start = None if p0 is None else unknowns.start
    return optimize.curve_fit(
        f, xdata, ydata, start, sigma, jac=columns if jac is None else jac, **options
    )


def root(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: Any = "hybr",
    jac: Any = None,
    **options: Any,
) -> optimize.OptimizeResult:
    """`scipy.optimize.root` with the Jacobian of the equations, for the methods that take one.

    x0 may be a structure; `result.x` is one like it. `fun` returns as many values as there are
    unknowns, as an array. Further arguments are SciPy's.

    >>> import numpy as np, srcgrad as flow
    >>> f = flow.compile(lambda x: np.array([x[0] + x[1] - 3.0, x[0] * x[1] - 2.0]),
    ...                  target="python")
    >>> root(f, [0.0, 5.0]).x.round(6)
    array([1., 2.])
    """
    unknowns = Unknowns.of(x0)
    if jac is None and str(method).lower() in DENSE_ROOTS:
        jac = _jacobian(fun, unknowns)
    elif callable(jac):
        jac = _of_vector(jac, unknowns)
    run = _of_vector(fun, unknowns)
    if jac is not True:
        run = _ravelled(run)
    made = optimize.root(run, unknowns.start, args, method, jac=jac, **options)
    return _restored(made, unknowns)


# ---- functions of the vector ----
def _of_vector(fun: Callable[..., Any], unknowns: Unknowns) -> Callable[..., Any]:
    if unknowns.like is None:
        return fun
    return lambda x, *args, **named: fun(unknowns.value(x), *args, **named)


def _ravelled(fun: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *args: np.ravel(fun(x, *args))


def _with_gradient(fun: Callable[..., Any], unknowns: Unknowns) -> Callable[..., Any]:
    both = value_and_grad(fun)

    def run(x: Any, *args: Any) -> tuple[Any, np.ndarray]:
        value, gradient = both(unknowns.value(x), *args)
        return value, unknowns.vector(gradient)

    return run


def _products(fun: Callable[..., Any], unknowns: Unknowns) -> Callable[..., Any]:
    product = hvp(fun)
    return lambda x, v, *args: unknowns.vector(
        product(unknowns.value(x), unknowns.direction(v), *args)
    )


def _matrix(fun: Callable[..., Any], unknowns: Unknowns) -> Callable[..., Any]:
    matrix = hessian(fun)
    return lambda x, *args: unknowns.square(matrix(unknowns.value(x), *args))


def _jacobian(fun: Callable[..., Any], unknowns: Unknowns) -> Callable[..., Any]:
    both = value_and_jac(fun)

    def columns(x: Any, *args: Any, **named: Any) -> np.ndarray:
        value, blocks = both(unknowns.value(x), *args, **named)
        return stacked(value, blocks, unknowns.columns)

    return columns


def _side_by_side(blocks: tuple[Any, ...]) -> np.ndarray:
    return np.stack([np.ravel(b) for b in blocks], axis=-1)


# ---- constraints ----
def _constrained(constraints: Any, unknowns: Unknowns) -> Any:
    """The constraints with their Jacobians, on the vector of unknowns."""
    if isinstance(constraints, list | tuple):
        return [_with_jacobian(c, unknowns) for c in constraints]
    return _with_jacobian(constraints, unknowns)


def _with_jacobian(constraint: Any, unknowns: Unknowns) -> Any:
    if isinstance(constraint, dict):
        fun, jac = constraint["fun"], constraint.get("jac")
        jac = _jacobian(fun, unknowns) if jac is None else _of_vector(jac, unknowns)
        return {**constraint, "fun": _ravelled(_of_vector(fun, unknowns)), "jac": jac}
    if not isinstance(constraint, optimize.NonlinearConstraint):
        return constraint
    fun, jac = constraint.fun, constraint.jac
    if jac == "2-point":  # the default
        jac = _jacobian(fun, unknowns)
    elif callable(jac):
        jac = _of_vector(jac, unknowns)
    return optimize.NonlinearConstraint(
        _ravelled(_of_vector(fun, unknowns)), constraint.lb, constraint.ub, jac, constraint.hess,
        constraint.keep_feasible, constraint.finite_diff_rel_step,
        constraint.finite_diff_jac_sparsity,
    )  # fmt: skip


# ---- results ----
def _repeated(jacobian: np.ndarray, data: Any) -> np.ndarray:
    """The rows of a model's Jacobian for all data, where its value is one number for them."""
    many = np.size(data)
    return np.repeat(jacobian, many, axis=0) if len(jacobian) == 1 else jacobian


def _restored(made: optimize.OptimizeResult, unknowns: Unknowns) -> optimize.OptimizeResult:
    """The result with the unknowns in their structure."""
    made.x = unknowns.value(made.x)
    return made


def _structure_fitted(
    f: Callable[..., Any],
    xdata: Any,
    ydata: Any,
    unknowns: Unknowns,
    sigma: Any,
    jac: Any,
    options: dict[Any, Any],
) -> tuple[Any, ...]:
    """`curve_fit` of a model whose parameters are one structure."""
    both = value_and_jac(f, 1)

    def model(x: Any, *parameters: Any) -> Any:
        return f(x, unknowns.value(np.array(parameters)))

    def columns(x: Any, *parameters: Any) -> np.ndarray:
        value, blocks = both(x, unknowns.value(np.array(parameters)))
        return _repeated(stacked(value, blocks, unknowns.columns), ydata)

    def stated(x: Any, *parameters: Any) -> Any:
        return jac(x, unknowns.value(np.array(parameters)))

    given = columns if jac is None else stated if callable(jac) else jac
    made = optimize.curve_fit(model, xdata, ydata, unknowns.start, sigma, jac=given, **options)
    return (unknowns.value(made[0]), *made[1:])
