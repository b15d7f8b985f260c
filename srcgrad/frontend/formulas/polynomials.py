"""Polynomials by their coefficients, the highest power first: np.poly*, and sliding sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import (
    floating,
    inexact,
    is_array,
    known,
    part,
    place,
    refused_where,
    stands_for,
    unsupported,
)
from srcgrad.frontend.formulas.series import lost

LARGEST_MATRIX = 16  # whose characteristic polynomial has some twelve digits


@stands_for(np.trim_zeros)
def trim_zeros(filt: Any, trim: Any = "fb", axis: Any = None) -> Any:
    """An array without the zeros at the ends of its axes; of a list, a part of it.

    >>> trim_zeros(np.array([0.0, 1.0, 0.0, 2.0, 0.0]), "f")
    array([1., 0., 2., 0.])
    """
    if trim.lower() not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    if not is_array(filt):
        if np.ndim(filt) != 1:
            raise TypeError("list indices must be integers or slices, not tuple")
        first, last = _ends(np.asarray(filt) != 0, trim.lower())
        return filt[first:last]
    n = filt.ndim
    some = range(n) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes, found = tuple([place(k, n) for k in some]), filt
    for k in axes:
        others = tuple([other for other in range(n) if other != k])
        first, last = _ends(np.any(filt != 0, axis=others), trim.lower())
        found = part(found, k, slice(first, last))
    return found


def _ends(there: Any, trim: Any) -> Any:
    """The places of the first true value and after the last, or the ends that are not trimmed."""
    places, n = np.flatnonzero(there), len(there)
    first = np.min(places, initial=n) if "f" in trim else 0
    return first, (np.max(places, initial=-1) + 1 if "b" in trim else n)


def check_leading(c: Any) -> None:
    """Refuses a leading coefficient of 0: NumPy drops it, and its derivative would be lost.

    >>> check_leading(np.array([1.0, 0.0]))
    """
    c = np.atleast_1d(c)
    if c.ndim == 1 and c.dtype.kind in "fc" and c.shape[0] > 0:
        refused_where(
            c[0] == 0, "a polynomial with a leading coefficient of 0",
            "leave it out, c[1:]; np.polyval(c, x) takes it",
        )  # fmt: skip


@stands_for(np.roots)
def roots(p: Any) -> Any:
    """The eigenvalues of the companion matrix.

    >>> roots(np.array([1.0, -3.0, 2.0])).tolist()
    [2.0, 1.0]
    """
    p = inexact(_coefficients(p))
    if p.ndim > 1:
        raise ValueError("Input must be a rank-1 array.")
    p = np.atleast_1d(p)
    check_leading(p)
    n = p.shape[0] - 1
    if n < 1:
        return np.zeros(0, p.dtype)
    first = np.reshape(-p[1:] / p[0], (1, n))
    return np.linalg.eigvals(np.concatenate((first, np.eye(n, dtype=p.dtype)[: n - 1])))


def of_polynomial(*ps: Any) -> bool:
    """Whether one of these is a np.poly1d, so that the result is one too."""
    return any([isinstance(p, np.poly1d) for p in ps])


def _coefficients(p: Any) -> Any:
    p = np.asarray(p.coeffs if isinstance(p, np.poly1d) else p)
    return np.reshape(p, (1,)) if p.ndim == 0 else p


# ---- np.poly*: the highest power comes first ----
@stands_for(np.polyder)
def polyder(p: Any, m: Any = 1) -> Any:
    """The coefficients of the m-th derivative.

    >>> polyder(np.array([1.0, 2.0, 3.0]))
    array([2., 2.])
    """
    polynomial_given, p = of_polynomial(p), _coefficients(p)
    for _ in tuple(range(known(m))):
        n = p.shape[0]
        p = p[:-1] * np.arange(n - 1, 0, -1)
    return np.poly1d(p) if polynomial_given else p


@stands_for(np.polyint)
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    """The coefficients of the m-th integral, constants of integration 0 or `k`.

    >>> polyint(np.array([2.0, 2.0]))
    array([1., 2., 0.])
    """
    polynomial_given, p = of_polynomial(p), floating(_coefficients(p))
    if k is not None and np.ndim(k) != 0:
        return unsupported("polyint with several constants is not supported")
    last = np.zeros(1, p.dtype) + (0.0 if k is None else k)
    for _ in tuple(range(known(m))):
        p = np.concatenate([p / np.arange(p.shape[0], 0, -1), last])
    return np.poly1d(p) if polynomial_given else p


@stands_for(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    """The coefficients of a product.

    >>> polymul([1.0, 1.0], [1.0, -1.0])
    array([ 1.,  0., -1.])
    """
    product = np.convolve(_trimmed(a1), _trimmed(a2))
    return np.poly1d(product) if of_polynomial(a1, a2) else product


def _trimmed(p: Any) -> Any:
    """Strips leading zero coefficients; a single 0 if all are zero, or none is given."""
    p = _coefficients(p)
    p = _in_front(p, np.maximum(p.shape[0], 1))
    first = np.min(np.flatnonzero(p), initial=p.shape[0] - 1)
    return p[first:] + lost(p[:first]) if p.dtype.kind in "fc" else p[first:].copy()


@stands_for(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    """The coefficients of a sum.

    >>> polyadd([1.0, 1.0], [2.0])
    array([1., 3.])
    """
    given, a1, a2 = of_polynomial(a1, a2), _coefficients(a1), _coefficients(a2)
    n = np.maximum(a1.shape[0], a2.shape[0])
    total = _in_front(a1, n) + _in_front(a2, n)
    return np.poly1d(total) if given else total


@stands_for(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    """The coefficients of a difference.

    >>> polysub([1.0, 2.0], [True])
    array([1., 1.])
    """
    given, a1, a2 = of_polynomial(a1, a2), _coefficients(a1), _coefficients(a2)
    # booleans are numbers beside others, and have no difference among themselves
    number = a2.dtype == bool and a1.dtype != bool
    rest = polyadd(a1, -(a2.astype(a1.dtype) if number else a2))
    return np.poly1d(rest) if given else rest


def _in_front(p: Any, n: Any) -> Any:
    """Coefficients with zeros in front."""
    return np.concatenate([np.zeros(n - p.shape[0], p.dtype), p])


@stands_for(np.poly)
def poly(seq_of_zeros: Any) -> Any:
    """The coefficients of the polynomial with these zeros.

    >>> poly(np.array([1.0, -1.0]))
    array([ 1.,  0., -1.])
    """
    zeros = np.asarray(seq_of_zeros)
    if zeros.ndim != 1 or zeros.dtype.kind != "c":
        zeros = floating(zeros)
    if zeros.ndim == 2:
        return characteristic(zeros)
    if zeros.ndim != 1:
        return unsupported("poly of an array of three axes", "pass a vector", ValueError)
    if zeros.shape[0] == 0:
        raise NotImplementedError("NumPy's poly of no zeros is a number")
    p = np.zeros(zeros.shape[0] + 1, zeros.dtype)
    p[0] = 1.0
    for k in range(zeros.shape[0]):
        p[1 : k + 2] = p[1 : k + 2] - zeros[k] * p[: k + 1]
    if zeros.dtype.kind == "c" and _of_pairs(zeros):
        return np.real(p).copy()
    return p


def _of_pairs(zeros: Any) -> Any:
    """Whether each number occurs as often as its conjugate, none of them NaN."""
    own = np.count_nonzero(zeros[:, None] == zeros, axis=1)
    conjugate = np.count_nonzero(zeros[:, None] == np.conj(zeros), axis=1)
    return np.all((own == conjugate) & (own > 0))


def characteristic(a: Any) -> Any:
    """The characteristic polynomial of a matrix, by Faddeev and Le Verrier.

    It is smooth where eigenvalues coincide; its rounding errors grow with the matrix.

    >>> characteristic(np.array([[0.0, 1.0], [-2.0, -3.0]]))
    array([1., 3., 2.])
    """
    n = a.shape[0]
    if n != a.shape[1] or n == 0:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    refused_where(n > LARGEST_MATRIX, "poly of a large matrix", "pass its eigenvalues")
    p = np.zeros(n + 1, a.dtype)
    p[0] = 1.0
    m = np.eye(n, dtype=a.dtype)
    for k in range(1, n + 1):
        m = a @ m
        p[k] = -np.trace(m) / k
        m = m + p[k] * np.eye(n, dtype=a.dtype)
    return p


@stands_for(np.polyfit)
def polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None,
            cov: Any = False) -> Any:  # fmt: skip
    """Least-squares fit; the minimum-norm solution if it is underdetermined.

    >>> np.round(polyfit(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]), 1), 9)
    array([2., 1.])
    """
    if full or cov or rcond is not None:
        return unsupported("polyfit with full=, cov= or rcond= is not supported")
    x, y, deg = floating(x), floating(y), known(deg)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if y.shape[0] != x.shape[0]:
        raise TypeError("expected x and y to have same length")
    powers = np.vander(x, deg + 1)
    if w is not None:
        weights = np.asarray(w)
        powers = powers * weights[:, None]
        y = y * weights if y.ndim == 1 else y * weights[:, None]
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    bound = x.shape[0] * (2.0**-23 if x.dtype == np.float32 else 2.0**-52)
    solved = np.linalg.lstsq(powers / scale, y, bound)[0]
    return solved / scale if y.ndim == 1 else solved / scale[:, None]


@stands_for(np.polyval)
def polynomial_value(p: Any, x: Any) -> Any:
    """A polynomial by Horner's rule; several at once where the coefficients are rows.

    >>> float(polynomial_value([1.0, 2.0, 3.0], 2.0))
    11.0
    """
    p = _coefficients(p) if isinstance(p, np.poly1d) else np.asarray(p)
    if isinstance(x, np.poly1d):
        return unsupported("polyval at a polynomial is not supported")
    x = np.asarray(x)
    if p.ndim == 0:
        return unsupported("polyval takes coefficients along an axis", like=TypeError)
    if p.ndim > 1 and p.shape[0] == 0:
        raise NotImplementedError("polyval without rows of coefficients has the shape of x alone")
    y = np.zeros(np.broadcast_shapes(x.shape, p.shape[1:]), np.result_type(p, x))[()]
    for k in range(p.shape[0]):
        y = y * x + p[k]
    return y


@stands_for(np.vander)
def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    """Powers of numbers as rows, the highest first.

    >>> vander([2.0, 3.0], 3)
    array([[4., 2., 1.],
           [9., 3., 1.]])
    """
    x = _vector(x, "vander")
    x = x.astype(np.promote_types(x.dtype, int))
    n = x.shape[0] if N is None else N
    # each row is the one before it times x, the first is 1
    factors = np.where(np.arange(n)[:, None] == 0, 1, x[None, :])
    powers = np.transpose(np.cumprod(factors, axis=0))
    return powers if increasing else np.flip(powers, 1)


# ---- sliding sums ----
@stands_for(np.convolve)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """The convolution of two vectors.

    >>> convolve([1.0, 2.0, 3.0], [1.0, 1.0], "same")
    array([1., 3., 5.])
    """
    a, v = _two(a, v, "convolve")
    n, m = a.shape[0], v.shape[0]
    return _part_of(overlaps(a, v), n, m, mode, (min(n, m) - 1) // 2)


@stands_for(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """The correlation of two vectors, the second one conjugated.

    >>> correlate([1.0, 2.0, 3.0], [1.0, 1.0])
    array([3., 5.])
    """
    a, v = _two(a, v, "correlate")
    n, m = a.shape[0], v.shape[0]
    # NumPy swaps the two and reverses the result when the second is longer
    middle = (min(n, m) - 1 + int(m > n)) // 2
    turned = np.flip(np.conj(v) if v.dtype.kind == "c" else v)
    return _part_of(overlaps(a, turned), n, m, mode, middle)


def _vector(x: Any, what: str) -> Any:
    x = np.asarray(x)
    return x if x.ndim == 1 else unsupported(f"{what} takes vectors")


def _two(a: Any, v: Any, what: str) -> tuple:
    """Two vectors, refused if one is empty."""
    a, v = _vector(a, what), _vector(v, what)
    if a.shape[0] == 0 or v.shape[0] == 0:
        raise ValueError("convolve: an array cannot be empty")
    return a, v


def overlaps(a: Any, v: Any) -> Any:
    """Every overlap of two vectors: one is added, shifted and scaled, per element of the other.

    >>> overlaps(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([1., 3., 2.])
    """
    n, m = a.shape[0], v.shape[0]
    out = np.zeros(n + m - 1, np.result_type(a, v))
    for k in range(m):
        out[k : k + n] += a * v[k]
    return out


def _part_of(full: Any, n: Any, m: Any, mode: Any, middle: Any) -> Any:
    """The part of all overlaps that a mode selects; "same" begins at `middle`."""
    if mode == "full":
        return full
    shorter, longer = min(n, m), max(n, m)
    if mode == "same":
        return full[middle : middle + longer]
    if mode == "valid":
        return full[shorter - 1 : longer]
    way_out = "use 'full', 'same' or 'valid'"
    return unsupported(f"the mode {mode!r} is not supported", way_out, ValueError)
