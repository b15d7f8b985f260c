"""Root finders of `scipy.optimize` for functions of one number, inside compiled code.

The root is found with the function's value alone; its steps are not differentiated. The derivative
is the implicit function theorem's, to every order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.solvers.by_library import by_library
from srcgrad.solvers.implicit import at_root

TOLERANCE = 4 * np.finfo(float).eps
SIGNS = "f(a) and f(b) must have different signs"


def _checked(name: str, xtol: Any, rtol: Any, maxiter: Any, full_output: Any, disp: Any) -> None:
    if full_output or not disp:
        unsupported(f"{name} with full_output=True or disp=False", "leave them out")
    if xtol <= 0:
        raise ValueError(f"xtol too small ({xtol:g} <= 0)")
    if rtol < TOLERANCE:
        raise ValueError(f"rtol too small ({rtol:g} < {TOLERANCE:g})")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")


def _value(f: Callable, x: Any, args: Any) -> Any:
    value = f(x, *args) * 1.0
    if value != value:
        raise ValueError(f"The function value at x={x} is NaN; solver cannot continue.")
    return value


def _at_ends(f: Callable, a: Any, b: Any, args: Any) -> tuple[Any, Any]:
    """The values of `f` at both ends of a bracket, of opposite signs unless one is 0."""
    f_a, f_b = _value(f, a, args), _value(f, b, args)
    if f_a != 0 and f_b != 0 and (f_a < 0) == (f_b < 0):
        raise ValueError(SIGNS)
    return f_a, f_b


def _root(f: Callable, x: Any, args: Any) -> Any:
    """The root x, which was found without derivatives, as a function of what `f` reads."""
    return float(at_root(lambda v: f(v, *args) * 1.0, x))


@stands_for(optimize.brentq)
def brentq(
    f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = TOLERANCE,
    maxiter: Any = 100, full_output: Any = False, disp: Any = True,
) -> Any:  # fmt: skip
    """A root between a and b, where `f` has opposite signs (Brent 1973, chapter 4).

    >>> round(brentq(lambda x: x * x - 2.0, 0.0, 2.0), 12)
    1.414213562373
    """
    _checked("brentq", xtol, rtol, maxiter, full_output, disp)
    args = args if isinstance(args, tuple) else (args,)
    last, x = a * 1.0, b * 1.0
    f_last, f_x = _at_ends(f, last, x, args)
    if f_last == 0:
        return _root(f, last, args)
    if f_x == 0:
        return _root(f, x, args)
    other, f_other, step, before = last, f_last, x - last, x - last
    for _ in range(maxiter):
        if f_x != 0 and (f_last < 0) != (f_x < 0):
            other, f_other = last, f_last
            step = before = x - last
        if abs(f_other) < abs(f_x):
            last, x, other = x, other, x
            f_last, f_x, f_other = f_x, f_other, f_x
        near, half = (xtol + rtol * abs(x)) / 2, (other - x) / 2
        if f_x == 0 or abs(half) < near:
            return _root(f, x, args)
        if abs(before) > near and abs(f_x) < abs(f_last):
            if last == other:
                tried = -f_x * (x - last) / (f_x - f_last)
            else:
                by_last, by_other = (f_last - f_x) / (last - x), (f_other - f_x) / (other - x)
                tried = (
                    -f_x
                    * (f_other * by_other - f_last * by_last)
                    / (by_other * by_last * (f_other - f_last))
                )
            if 2 * abs(tried) < min(abs(before), 3 * abs(half) - near):
                before, step = step, tried
            else:
                step = before = half
        else:
            step = before = half
        last, f_last = x, f_x
        if abs(step) > near:
            x = x + step
        else:
            x = x + (near if half > 0 else -near)
        f_x = _value(f, x, args)
    raise RuntimeError(f"Failed to converge after {maxiter} iterations.")


@stands_for(optimize.bisect)
def bisect(
    f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = TOLERANCE,
    maxiter: Any = 100, full_output: Any = False, disp: Any = True,
) -> Any:  # fmt: skip
    """A root between a and b, where `f` has opposite signs, by halving.

    >>> round(bisect(lambda x: x * x - 2.0, 0.0, 2.0), 9)
    1.414213562
    """
    _checked("bisect", xtol, rtol, maxiter, full_output, disp)
    args = args if isinstance(args, tuple) else (args,)
    first, step, x = a * 1.0, (b - a) * 1.0, a * 1.0
    f_first, f_last = _at_ends(f, first, b * 1.0, args)
    if f_first == 0:
        return _root(f, first, args)
    if f_last == 0:
        return _root(f, b * 1.0, args)
    for _ in range(maxiter):
        step = step / 2
        x = first + step
        f_x = _value(f, x, args)
        if (f_x < 0) == (f_first < 0) and f_x != 0:
            first = x
        if f_x == 0 or abs(step) < xtol + rtol * abs(x):
            return _root(f, x, args)
    raise RuntimeError(f"Failed to converge after {maxiter} iterations.")


@stands_for(optimize.newton)
def newton(
    func: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-8, maxiter: Any = 50,
    fprime2: Any = None, x1: Any = None, rtol: Any = 0.0, full_output: Any = False,
    disp: Any = True,
) -> Any:  # fmt: skip
    """A root near x0: by Newton's method with `fprime`, by secants without it.

    Of an array SciPy finds the roots, one near each number.

    >>> round(newton(lambda x: x * x - 2.0, 1.0, lambda x: 2.0 * x), 12)
    1.414213562373
    """
    if full_output or not disp or fprime2 is not None:
        unsupported("newton with full_output=True, disp=False or fprime2", "leave them out")
    if np.iscomplexobj(x0) or (x1 is not None and np.iscomplexobj(x1)):
        return unsupported("newton of complex numbers", "write the loop of its steps")
    if tol <= 0:
        raise ValueError(f"tol too small ({tol:g} <= 0)")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    args = args if isinstance(args, tuple) else (args,)
    if np.ndim(x0) != 0:
        return _newton_of_array(func, x0, fprime, args, {"tol": tol, "maxiter": maxiter})
    x = x0 * 1.0
    if fprime is not None:
        for _ in range(maxiter):
            value = func(x, *args)
            if value == 0:
                return _root(func, x, args)
            slope = fprime(x, *args)
            if slope == 0:
                raise RuntimeError(f"Derivative was zero. Failed to converge, value is {x}.")
            last, x = x, x - value / slope
            if abs(x - last) <= tol + rtol * abs(last):
                return _root(func, x, args)
        raise RuntimeError(f"Failed to converge after {maxiter} iterations, value is {x}.")
    if x1 is not None and x1 == x0:
        raise ValueError("x1 and x0 must be different")
    last = x
    x = _second_start(last) if x1 is None else x1 * 1.0
    f_last, f_x = func(last, *args), func(x, *args)
    if abs(f_x) < abs(f_last):
        last, x, f_last, f_x = x, last, f_x, f_last
    for _ in range(maxiter):
        if f_x == f_last:
            if x != last:
                raise RuntimeError(f"Tolerance of {x - last} reached. Failed to converge.")
            return _root(func, x, args)
        if abs(f_x) > abs(f_last):
            new = (-f_last / f_x * x + last) / (1 - f_last / f_x)
        else:
            new = (-f_x / f_last * last + x) / (1 - f_x / f_last)
        if abs(new - x) <= tol + rtol * abs(x):
            return _root(func, new, args)
        last, f_last, x = x, f_x, new
        f_x = func(x, *args)
    raise RuntimeError(f"Failed to converge after {maxiter} iterations, value is {x}.")


def _newton_of_array(func: Any, x0: Any, fprime: Any, args: tuple, settings: dict) -> Any:
    start = np.asarray(x0, np.float64)
    residual = lambda x: np.asarray(func(x, *args)) * 1.0
    functions = [(residual, (start,))]
    if fprime is not None:
        functions.append((lambda x: np.asarray(fprime(x, *args)) * 1.0, (start,)))
    return at_root(residual, by_library(_newton_by_library, start, functions, start, settings))


def _newton_by_library(functions: Sequence[Any], start: np.ndarray, settings: dict) -> np.ndarray:
    f, *slope = functions
    x, *stated = optimize.newton(f, start, *slope, full_output=True, disp=False, **settings)
    converged = stated[0] if start.size != 1 else stated[0].converged
    if not np.all(converged):
        raise RuntimeError(f"Failed to converge after {settings['maxiter']} iterations at most.")
    return np.asarray(x, np.float64).reshape(start.shape)


def _second_start(x: Any) -> Any:
    moved = x * (1 + 1e-4)
    return moved + 1e-4 if moved >= 0 else moved - 1e-4
