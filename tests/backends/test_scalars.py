"""Scalar operations that are instructions: NumPy's values at zeros, infinities and NaN."""

import itertools

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cpu.emit import driver

inf, nan = np.inf, np.nan
REALS = [-inf, -7.0, -3.5, -1.0, -0.0, 0.0, 1e-30, 0.5, 1.0, 2.0, 3.5, 7.25, 1e30, inf, nan]
PARTS = [-2.0, -0.0, 0.0, 1.0, 3.5, inf, nan]


def pairs(values, dtype):
    found = np.array(list(itertools.product(values, values)), dtype)
    return found[:, 0].copy(), found[:, 1].copy()


def of_reals(a, b):
    return (a % b, a // b, np.fmod(a, b), np.logaddexp(a, b), np.sign(a), np.abs(a), a**0, a**-2,
            a.real, a.imag)  # fmt: skip


def of_complex(a, b):
    return a / b, np.isnan(a), np.isinf(a), np.isfinite(a), np.abs(a), a**0


def inverse(a):
    return a**-1, a**-2


def quotient(a):
    return 1.0 / a, 1.0 / (a * a)


def of_integers(a, b):
    return a % b, a // b, np.fmod(a, b), np.sign(a), np.abs(a), np.conj(a), a**0


def shifted(a, b):
    return a << b, a >> b


def as_integers(a):
    return (a.astype(np.int8), a.astype(np.int16), a.astype(np.int32), a.astype(np.uint8),
            a.astype(np.uint16), a.astype(np.uint32), a.astype(np.uint64))  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_but_instructions(monkeypatch):
    """No helper is compiled for any of it."""

    def refuse(helper):
        raise AssertionError(helper.text)

    monkeypatch.setattr(driver, "ready", refuse)


def compare(f, *args, wanted=None):
    got = flow.compile(f)(*args)
    with np.errstate(all="ignore"):
        values = (wanted or f)(*args)
    for k, (one, other) in enumerate(zip(got, values, strict=True)):
        assert one.dtype == other.dtype, k
        parts = ("real", "imag") if one.dtype.kind == "c" else ("real",)
        for x, y in ((getattr(one, p), getattr(other, p)) for p in parts):
            np.testing.assert_array_equal(np.isnan(x), np.isnan(y), err_msg=str(k))
            good = ~np.isnan(y)
            np.testing.assert_array_equal(np.signbit(x)[good], np.signbit(y)[good], str(k))
            eps = np.finfo(x.dtype).eps if x.dtype.kind == "f" else 0
            np.testing.assert_allclose(x[good], y[good], rtol=4 * eps, atol=0, err_msg=str(k))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_of_reals(dtype):
    compare(of_reals, *pairs(REALS, dtype))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_of_complex_numbers(dtype):
    numbers = [complex(p, q) for p in PARTS for q in PARTS]
    compare(of_complex, *pairs(numbers, dtype))
    # what a negative power is on every target; NumPy has NaN for that of 0
    compare(inverse, np.array(numbers, dtype), wanted=quotient)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
def test_of_integers(dtype):
    info = np.iinfo(dtype)
    some = {info.min, info.max, info.max - 1, 0, 1, 2, 3, 7}
    if info.min:
        some |= {-1, -2, -7}
    compare(of_integers, *pairs(sorted(some), dtype))
    compare(shifted, *pairs([n for n in sorted(some) if n < 80], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_as_integers(dtype):
    compare(as_integers, np.array([0.0, -0.0, 0.9, 1.5, 100.0, 127.0], dtype))
    large = np.array([2.0**63, 2.0**64 - 2.0**41, 2.0**62, 3.0], dtype)
    got = flow.compile(lambda a: a.astype(np.uint64))(large)
    np.testing.assert_array_equal(got, large.astype(np.uint64))
