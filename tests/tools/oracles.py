"""What a derivative is compared with: differences, the other mode, and itself a second time.

Nothing here knows how srcgrad works; a mode is handed in as a function.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.tools.structures import copied, flatten, float_leaves, mapped, same, unflatten

FULL = 24  # up to so many inputs every partial derivative is differenced, beyond it directions


def derivative(
    f: Callable[[float], np.ndarray], side: int = 0, start: float = 4e-3, rows: int = 9
) -> tuple[np.ndarray, np.ndarray]:
    """f'(0) and an estimate of its error, per component (Ridders, Adv. Eng. Software 4, 1982).

    side 0 takes central differences, whose error has even powers of the step only; +1 and -1 take
    differences to one side, which disagree at a kink. Steps halve from `start`; of all Richardson
    extrapolations the one that moved least is the answer, so neither a step over a neighbouring
    branch nor the rounding at small steps decides. No more steps are taken once that is a hundredth
    of what `assert_close` allows.
    """
    origin = f(0.0) if side else None
    best = error = np.zeros(0)
    above: list[np.ndarray] = []
    for k in range(rows):
        h = start / 2**k
        row = [(f(h) - f(-h)) / (2 * h) if side == 0 else (f(side * h) - origin) / (side * h)]
        for j, previous in enumerate(above):
            factor = 2.0 ** (2 * (j + 1) if side == 0 else j + 1)
            row.append(row[j] + (row[j] - previous) / (factor - 1))
            moved = np.maximum(abs(row[j + 1] - row[j]), abs(row[j + 1] - previous))
            if k == 1:
                best, error = row[1], moved
            else:
                best, error = np.where(moved < error, row[j + 1], best), np.minimum(error, moved)
        above = row
        if k > 1 and np.all(error <= 1e-9 * np.abs(best)):
            break
    return best, error


def directions(size: int, seed: int = 0) -> np.ndarray:
    """Unit vectors of each input when there are few, a handful of random directions otherwise."""
    if size <= FULL:
        return np.eye(size)
    return np.random.default_rng(seed).choice([-1.0, -0.5, 0.5, 1.0], (6, size))


def total(out: Any) -> float:
    """A non-scalar output is seeded with ones, several outputs are summed."""
    return float(sum(np.sum(leaf, dtype=np.float64) for leaf in float_leaves(out)))


def moved(args: Sequence[Any], wrt: Sequence[int], step: np.ndarray) -> tuple[Any, ...]:
    """The arguments with `step` added to the floats at the positions `wrt`."""
    chosen = [args[i] for i in wrt]
    new = unflatten(flatten(chosen) + step, chosen)
    result = list(copied(tuple(args)))
    for i, value in zip(wrt, new, strict=True):
        result[i] = value
    return tuple(result)


def differences(
    fn: Callable[..., Any],
    args: Sequence[Any],
    wrt: Sequence[int],
    along: np.ndarray,
    side: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Directional derivatives of `fn` (any structure, as a vector) and their errors, one row each.

    `fn` must leave its arguments alone.
    """
    pairs = [
        derivative(lambda t, d=d: flatten(fn(*moved(args, wrt, t * d))), side=side) for d in along
    ]
    return np.array([value for value, _ in pairs]), np.array([error for _, error in pairs])


def check_gradient(fn: Callable[..., Any], args: Sequence[Any], wrt: Sequence[int], grads: Any):
    """The gradient of the summed output against differences of the plain function."""
    got = flatten(grads)
    along = directions(got.size)
    want, error = differences(lambda *a: (total(fn(*a)),), args, wrt, along)
    assert_close(along @ got, want.reshape(-1), error.reshape(-1), "gradient against differences")


def assert_close(got: np.ndarray, want: np.ndarray, error: np.ndarray, what: str):
    """Within the differences' own error, or within 1e-7 of the value and 1e-8 of the largest."""
    scale = np.max(np.abs(want), initial=0.0)
    allowed = 50 * error + 1e-7 * np.abs(want) + 1e-8 * scale + 1e-9
    bad = ~(np.abs(got - want) <= allowed)
    assert not np.any(bad), f"{what}: got {got[bad]}, want {want[bad]}, allowed {allowed[bad]}"


def check_dot(out_dot: Any, cotangent: Any, grads: Any, tangents: Any, tolerance: float = 1e-10):
    """|<v, J u> - <J' v, u>| <= tolerance * the sum of the terms' magnitudes."""
    forward = flatten(cotangent) * flatten(out_dot)
    reverse = flatten(grads) * flatten(tangents)
    terms = np.sum(np.abs(forward)) + np.sum(np.abs(reverse))
    gap = abs(np.sum(forward) - np.sum(reverse))
    assert gap <= tolerance * terms, f"forward {np.sum(forward)!r}, reverse {np.sum(reverse)!r}"


def check_hessian_product(
    reverse: Any,
    forward: Any,
    gradient: Callable[..., Any],
    args: Sequence[Any],
    wrt: Sequence[int],
    direction: np.ndarray,
):
    """Reverse-over-reverse, forward-over-reverse and differences of the gradient along `direction`.

    The Hessian is symmetric, so all three are the same vector.
    """
    one, two = flatten(reverse), flatten(forward)
    scale = np.max(np.abs(two), initial=0.0)
    gap = np.max(np.abs(one - two), initial=0.0)
    # 1e-9: two orders of summation of the same terms, some of which cancel.
    assert gap <= 1e-9 * scale + 1e-12, f"reverse over reverse {one}, forward over reverse {two}"
    want, error = differences(gradient, args, wrt, direction[None, :])
    assert_close(two, want[0], error[0], "second order against differences of the gradient")


def check_unchanged(args: Any, before: Any):
    """A derivative leaves the caller's arrays as they were."""
    assert same(args, before), f"the arguments changed: {before} -> {args}"


def check_same(first: Any, second: Any, what: str = "called twice"):
    """The second call gives what the first gave, to the bit."""
    assert same(first, second), f"{what}: {first} and then {second}"


def check_form(grads: Any, args: Any):
    """A gradient has its argument's kind, shape and dtype, leaf by leaf."""
    pairs = zip(float_leaves(grads), float_leaves(args), strict=True)
    for got, want in pairs:
        assert np.shape(got) == np.shape(want), f"shape {np.shape(got)} for {np.shape(want)}"
        if isinstance(want, np.ndarray):
            assert got.dtype == want.dtype, f"dtype {got.dtype} for {want.dtype}"


def random_like(value: Any, seed: int) -> Any:
    """Numbers in [-1, 1] in the structure's form, None where it holds no float."""
    count = flatten(value).size
    numbers = np.random.default_rng(seed).uniform(-1.0, 1.0, count)
    return unflatten(numbers, value, keep_others=False)


def zeros_like(value: Any) -> Any:
    """Zeros in the structure's form, None where it holds no float."""
    return mapped(lambda v: v * 0, value, lambda v: None)
