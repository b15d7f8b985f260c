"""Signs of zeros, denormals, infinities and NaN: the bits are NumPy's, and Python's.

What docs/limitations.md names as open is left out.
"""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.scalars import check
from tests.support.samples import SAMPLES, Sample, inputs
from tests.support.test_short_arrays import outcome
from tests.tools.turns import share

ENDS = [0.0, -0.0, 5e-324, -5e-324, 1.5, -1.5, math.inf, -math.inf, math.nan]
ZEROS = np.array([-0.0, -0.0, 0.0, -0.0])
# NumPy 2.0's clip, fmax and fmin give the bound for a zero that equals it
KEEPS_ZEROS = not np.signbit(np.clip(0.0, -0.0, 1.0))
BOUNDS = ((0.0, -0.0, -1.0), (0.0, -0.0, 1.0)) if KEEPS_ZEROS else ((-1.0,), (1.0,))
TARGETS = ("python", "cpu")
OF_PYTHON = (lambda a, c: max(a, c), lambda a, c: min(a, c), lambda a, c: max([c, a, c]))
OF_NUMPY = (
    lambda a, c: np.fmax(a, c), lambda a, c: np.fmin(a, c), lambda a, c: np.clip(a, c, 1.0),
    lambda a, c: np.clip(a, -1.0, c), lambda a, c: np.copysign(2.0, np.clip(a, c, c)),
)  # fmt: skip
SCANS = (
    lambda x: np.cumsum(x), lambda x: np.add.accumulate(x), lambda x: x.cumsum(),
    lambda x: np.nancumsum(x), lambda x: np.cumprod(x), lambda x: np.cumsum(x[::-1]),
)  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_the_first_of_two_zeros(target: str):
    for f, a, c in itertools.product(OF_PYTHON, ENDS, ENDS):
        check(f, (a, c), target)
    for f, a, c in itertools.product(OF_NUMPY, ENDS, ENDS):
        if KEEPS_ZEROS or not a == c == 0.0:
            check(f, (np.float64(a), np.float64(c)), target)


@pytest.mark.parametrize("target", TARGETS)
def test_a_zero_at_a_bound(target: str):
    x = np.array(ENDS)
    for lo, hi in itertools.product(*BOUNDS):
        check(lambda x, lo, hi: np.clip(x, lo, hi), (x, lo, hi), target)
        check(lambda x, lo, hi: np.copysign(1.0, np.clip(x, lo, hi)), (x, lo, hi), target)
        ends = (np.float32(lo), np.float32(hi))
        check(lambda x, lo, hi: x.clip(lo, hi), (x.astype(np.float32), *ends), target)


@pytest.mark.parametrize("target", TARGETS)
def test_running_sums_of_zeros(target: str):
    for x in (ZEROS, ZEROS[:1], -ZEROS, ZEROS.astype(np.float32), ZEROS.reshape(2, 2)):
        for f in SCANS:
            check(f, (x,), target)
    z = np.empty(4, complex)
    z.real, z.imag = ZEROS, ZEROS[::-1]
    check(lambda x: np.cumsum(x), (z,), target)


def test_ties_share_the_slope_as_before():
    for f in (*OF_PYTHON[:2], lambda a, c: np.fmax(a, c)):
        assert flow.grad(flow.compile(f, target="python"), (0, 1))(0.0, -0.0) == (0.5, 0.5)
    assert flow.grad(lambda x: np.sum(np.clip(x, 0.0, 1.0)))(ZEROS[:1]) == [1.0]


SETS = (
    (0.0, -0.0, -0.0, 0.0, 0.0), (-0.0,), (5e-324, -0.0, -5e-324, 0.0, 1e-310, -3e-310),
    (math.inf, -0.0, -math.inf, 0.0, 1.0, -1.0, math.nan), (-0.0, 1.5, 0.0, -1.5, -0.0, -0.5, 0.5),
)  # fmt: skip
# named in docs/limitations.md: which zero, by which order; and numbers at the ends of their range
OPEN = (
    "fmax", "fmin", "maximum", "minimum", "nanmax", "nanmin", "reduceat", "fft", "linalg", "dct",
    "partition", "sorted", "max(", "min(", "einsum", "inner", "vecdot", "vdot", "dot", "matmul",
    "kron", "polyfit", "signal", "ndimage", "cmath", "lgamma", "distance", "stats", "special",
    "integrate", "amax", "amin", "ptp", "cov(", "corrcoef", "cond", "histogram", "nanprod", "prod",
    "polynomial", "lapack",
)  # fmt: skip
ROWS = [s for s in SAMPLES if not s.stores and not any(n in s.line for n in OPEN)]


def filled(v: Any, values: tuple, shift: int) -> Any:
    """An input with its floats replaced by these values, in turn."""
    if isinstance(v, float):
        return values[shift % len(values)]
    if v.dtype.kind not in "fc":
        return v
    a = np.resize(np.roll(values, -shift), v.size).reshape(v.shape)
    return a if v.dtype.kind == "f" else a + 1j * np.flip(a)


def parts(v: Any) -> list[Any]:
    return [x for part in v for x in parts(part)] if isinstance(v, list | tuple) else [v]


def difference(got: Any, want: Any) -> str:
    """What tells two results apart: NaN, the sign of a zero, more than rounding."""
    a, b = np.asarray(got), np.asarray(want)
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return f"{a.dtype}{a.shape} for {b.dtype}{b.shape}"
    if b.dtype.kind == "c":
        return difference(a.real, b.real) or difference(a.imag, b.imag)
    if b.dtype.kind != "f":
        return "" if np.array_equal(a, b) else f"{a} for {b}"
    with np.errstate(all="ignore"):
        near = (a == b) | (np.abs(a - b) <= np.maximum(1e-11 * np.abs(b), 2e-323))
    signs = (np.signbit(a) == np.signbit(b)) | (b != 0) | (a != 0)
    same = (np.isnan(a) & np.isnan(b)) | (near & signs)
    return "" if np.all(same) else f"{a} for {b}"


def check_row(sample: Sample, target: str) -> None:
    f = sample.program()
    compiled, values = flow.compile(f, target=target), inputs()
    for values_of, shift in itertools.product(SETS, (0, 1)):
        args = tuple(
            filled(values[n], values_of, shift * k + k) for k, n in enumerate(sample.reads)
        )
        want, got = outcome(f, args), outcome(compiled, args)
        if isinstance(want, Exception) or isinstance(got, UnsupportedError):
            continue
        assert not isinstance(got, Exception), f"{args}: {got!r}"
        for a, b in zip(parts(got), parts(want), strict=True):
            text = difference(a, b)
            assert not text, f"{args}: {text}"


@pytest.mark.parametrize("sample", share(ROWS), ids=lambda s: s.line)
def test_a_row(sample: Sample):
    check_row(sample, "python")


@pytest.mark.full
@pytest.mark.parametrize("sample", ROWS, ids=lambda s: s.line)
def test_a_row_compiled(sample: Sample):
    check_row(sample, "cpu")
