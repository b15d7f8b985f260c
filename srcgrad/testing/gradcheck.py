"""`gradcheck`: every element of a gradient against forward mode and differences; `check_jvp_vjp`.

Differences are taken of the function as run by Python itself, on copies. Results that are not
one number are summed with fixed random weights, so that every one of them counts.
"""

from __future__ import annotations

import copy
import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentValueError, GradientError
from srcgrad.protocols import of_numba
from srcgrad.records import record

AGREE = 1e-8  # reverse and forward mode are exact: they differ by rounding only
SINGLE = 3e-3  # the same where an argument is in single precision
SHOWN = 5  # wrong elements in a report


@record(frozen=True)
class Wrong:
    """One element of a gradient that disagrees."""

    where: str
    reverse: float
    forward: float
    expected: float
    uncertain: float
    note: str

    def __str__(self) -> str:
        return (
            f"  {self.where}: reverse mode {self.reverse:.10g}, forward mode {self.forward:.10g}, "
            f"differences {self.expected:.10g} (uncertain by {self.uncertain:.1g}){self.note}"
        )


def gradcheck(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    grad_position: int | tuple[int, ...] | None = None,
    *,
    order: int = 1,
    tolerance: float = 1e-6,
    elements: int = 64,
    step: str = "central",
    target: str = "cpu",
    seed: int = 0,
) -> None:
    """Raises GradientError unless the gradients of `fn` at `args` are right, element by element.

    `grad_position`: the arguments to check, by default all with floats. Reverse and forward mode
    must agree to rounding, and both with differences of the plain function to `tolerance` of their
    size, at least 0.3 % where an argument is in single precision, plus the uncertainty of the
    differences. For arguments with more than `elements` numbers a random choice is checked. With
    `order=2` the gradient is checked as a function too. `step="complex"` takes one imaginary step
    instead of differences: exact, for analytic NumPy code only. The error names the argument, the
    index and the numbers. At a kink differences have no meaning, and the report says so. The
    arguments are not changed.

    >>> import numpy as np
    >>> from srcgrad.testing import gradcheck
    >>> def f(x, k):
    ...     return np.sin(x) * k
    >>> gradcheck(f, (np.array([0.5, 1.5]), 2.0), order=2, target="python")
    """
    from srcgrad import api as flow
    from srcgrad.numeric import floats

    if order not in (1, 2):
        raise ArgumentValueError(f"order must be 1 or 2, not {order!r}")
    if step not in ("central", "complex"):
        raise ArgumentValueError(f'step must be "central" or "complex", not {step!r}')
    if step == "complex" and any(map(np.iscomplexobj, floats(args))):
        raise ArgumentValueError("a complex step is for real arguments: leave step out")
    plain = fn.function if isinstance(fn, flow.Compiled) else (of_numba(fn) or fn)
    compiled = fn if isinstance(fn, flow.Compiled) else flow.compile(fn, target=target)
    run = compiled if isinstance(fn, flow.Compiled) else plain
    rng = np.random.default_rng(seed)
    names = _names(plain, len(args))
    positions = _positions(args, grad_position)
    _check(run, compiled, args, positions, names, tolerance, elements, step, rng)
    if order == 2:
        gradient = flow.grad(compiled, positions)
        names = [f"{n} (second order)" for n in names]
        _check(gradient, gradient, args, positions, names, tolerance, elements, "central", rng)


def check_jvp_vjp(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    *,
    directions: int = 3,
    tolerance: float = AGREE,
    target: str = "cpu",
    seed: int = 0,
) -> None:
    """Raises GradientError unless <v, J u> = <J' v, u> for random u and v: no step size involved.

    J u is forward mode's, J' v is reverse mode's; `tolerance` is relative to the sum of the
    magnitudes of the terms.

    >>> import numpy as np
    >>> from srcgrad.testing import check_jvp_vjp
    >>> check_jvp_vjp(lambda x: np.cumsum(x) * x[0], (np.ones(3),), target="python")
    """
    from srcgrad import api as flow
    from srcgrad.numeric import product, random_tangent

    compiled = fn if isinstance(fn, flow.Compiled) else flow.compile(fn, target=target)
    rng = np.random.default_rng(seed)
    out, pull = flow.vjp(compiled, *copy.deepcopy(args))
    for k in range(directions):
        v = random_tangent(out, rng)
        u = tuple(random_tangent(a, rng) for a in args)
        rate, one = product(v, flow.jvp(compiled, copy.deepcopy(args), u)[1])
        slope, other = product(_pulled(pull, v), u)
        if not abs(rate - slope) <= tolerance * (one + other) + 1e-12:
            raise GradientError(
                f"for random u and v number {k}, <v, J u> is {rate:.12g} by forward mode and "
                f"<J' v, u> is {slope:.12g} by reverse mode"
            )


def _check(
    plain: Callable[..., Any],
    compiled: Any,
    args: tuple[Any, ...],
    positions: tuple[int, ...],
    names: list[str],
    tolerance: float,
    elements: int,
    step: str,
    rng: np.random.Generator,
) -> None:
    from srcgrad import api as flow
    from srcgrad.numeric import product, random_tangent, rounding

    out, pull = flow.vjp(compiled, *copy.deepcopy(args))
    weights = type(out)(1) if isinstance(out, float) else random_tangent(out, rng)
    gradients = _pulled(pull, weights)
    near = AGREE
    if not _exact(args):
        near, tolerance = SINGLE, max(SINGLE, tolerance)
    noise = rounding(args) * product(weights, out)[1]
    wrong: list[Wrong] = []
    count = 0
    for p in positions:
        for where, one, unit in _elements(args[p], gradients[p], names[p], elements, rng):
            tangents = tuple(unit if k == p else None for k in range(len(args)))
            dots = flow.jvp(compiled, copy.deepcopy(args), tangents)[1]
            rate, size = product(weights, dots)
            expected, uncertain, note = _expected(plain, args, p, unit, weights, step, noise)
            count += 1
            # written so that NaN is wrong
            exact = abs(one - rate) <= near * max(size, abs(one)) + 1e-12
            room = tolerance * max(abs(expected), abs(one), 1e-3) + 10 * uncertain
            if not exact or not max(abs(one - expected), abs(rate - expected)) <= room:
                wrong.append(Wrong(where, one, rate, expected, uncertain, note))
    if wrong:
        wrong.sort(key=lambda w: -max(abs(w.reverse - w.expected), abs(w.forward - w.expected)))
        name = getattr(compiled, "__name__", "the function")
        lines = "\n".join(map(str, wrong[:SHOWN]))
        raise GradientError(
            f"{len(wrong)} of {count} derivatives of {name}() disagree:\n{lines}"
            + (f"\n  and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else "")
        )


def _pulled(pull: Callable[..., Any], adjoints: Any) -> tuple[Any, ...]:
    """The gradients for adjoints with the structure of the output."""
    plain = type(adjoints) is tuple and len(adjoints) != 1
    return pull(*adjoints) if plain else pull(adjoints)


def _expected(
    plain: Callable[..., Any],
    args: tuple[Any, ...],
    p: int,
    unit: Any,
    weights: Any,
    step: str,
    noise: float,
) -> tuple[float, float, str]:
    """The derivative along a unit by the plain function alone, its error, and a remark."""
    from srcgrad.numeric import perturbed, product, slope

    if step == "complex":
        return _imaginary(plain, args, p, unit, weights), 0.0, ""

    def along(h: float) -> float:
        new = copy.deepcopy(args)
        new = (*new[:p], perturbed(new[p], unit, h), *new[p + 1 :])
        return product(weights, plain(*new))[0]

    value, error = slope(along, noise=noise)
    return value, error, _kink(along, value) if _exact(args) else ""


def _kink(along: Callable[[float], float], value: float) -> str:
    """A remark if the slopes to the left and to the right differ."""
    h, here = 1e-6, along(0.0)
    left, right = (here - along(-h)) / h, (along(h) - here) / h
    if abs(right - left) <= 1e-3 * max(1.0, abs(value)):
        return ""
    return f"; a kink: {left:.6g} to the left, {right:.6g} to the right"


def _imaginary(
    plain: Callable[..., Any], args: tuple[Any, ...], p: int, unit: Any, weights: Any
) -> float:
    """The complex step of J. Lyness and C. Moler, SIAM J. Numer. Anal. 4 (1967)."""
    from srcgrad.numeric import floats
    from srcgrad.tree import leaves, mapped

    h = 1e-30
    steps = iter(leaves(unit))

    def at(v: Any) -> Any:
        s = next(steps)
        if s is None:
            return v
        return v + 1j * h * s  # a copy

    new = copy.deepcopy(args)
    out = plain(*new[:p], mapped(new[p], at), *new[p + 1 :])
    parts = [v for v in leaves(out) if getattr(v, "dtype", np.dtype(type(v))).kind in "fc"]
    pairs = zip(floats(weights), parts, strict=True)
    return float(sum(np.sum(np.asarray(w) * np.imag(v)) for w, v in pairs)) / h


def _elements(
    value: Any, gradient: Any, name: str, most: int, rng: np.random.Generator
) -> Iterator[tuple[str, float, Any]]:
    """For each float of an argument: its place, its derivative, and a unit that moves it alone.

    A complex number is two of them: its parts are `.real` and `.imag`.
    """
    from srcgrad.numeric import is_floating
    from srcgrad.transforms.self_check import spelled
    from srcgrad.tree import leaves, mapped, paths

    places = [(path, v) for path, v in paths(value, (name,)) if is_floating(v)]
    parts = [v for v in leaves(gradient) if v is not None]
    for k, ((path, v), g) in enumerate(zip(places, parts, strict=True)):
        indices = list(np.ndindex(np.shape(v)))
        if len(indices) > most:
            indices = [indices[i] for i in sorted(rng.choice(len(indices), most, replace=False))]
        units = {".real": 1.0, ".imag": 1j} if np.iscomplexobj(v) else {"": 1.0}
        for index, (part, unit) in itertools.product(indices, units.items()):
            numbers = iter(range(len(places)))

            def at(
                u: Any,
                index: tuple[Any, ...] = index,
                k: int = k,
                unit: Any = unit,
                numbers: Any = numbers,
            ) -> Any:
                if not is_floating(u):
                    return None
                step = np.zeros(np.shape(u), np.asarray(u).dtype)
                if next(numbers) == k:
                    step[index] = unit
                return step if isinstance(u, np.ndarray) else type(u)(step)

            shown = f"[{', '.join(map(str, index))}]" if index else ""
            along = np.real(np.conj(unit) * np.asarray(g)[index])
            yield spelled(path) + shown + part, float(along), mapped(value, at)


def _exact(args: tuple[Any, ...]) -> bool:
    """Whether all is in double precision."""
    from srcgrad.numeric import floats

    return all(np.asarray(np.real(v)).dtype.itemsize >= 8 for v in floats(args))


def _positions(args: tuple[Any, ...], given: int | tuple[int, ...] | None) -> tuple[int, ...]:
    from srcgrad.numeric import floats

    if given is None:
        found = tuple(k for k, a in enumerate(args) if floats(a))
        if not found:
            raise ArgumentValueError("gradcheck: no argument has a float")
        return found
    return given if isinstance(given, tuple) else (given,)


def _names(plain: Callable[..., Any], count: int) -> list[str]:
    """The names of the arguments by position."""
    try:
        params = list(inspect.signature(plain).parameters.values())
    except (TypeError, ValueError):
        params = []
    names = [p.name for p in params if p.kind is not p.VAR_POSITIONAL]
    return [names[k] if k < len(names) else f"argument {k}" for k in range(count)]
