"""Fourier transforms on the cpu: NumPy's loops, called for any shape and layout."""

from functools import cache

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.emit.program import emit_module
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.ir.types import INT
from tests.backends.backend_programs import Program as Made
from tests.backends.backend_programs import strided

SHAPES = [(1,), (2,), (9,), (96,), (3, 8), (1, 7), (8, 1), (2, 5, 4), (5, 1, 3), (2, 3, 5, 2)]
EMPTY = [(0, 4), (4, 0), (2, 0, 3)]
PLACES = [(s, axis) for s in SHAPES + EMPTY for axis in range(len(s)) if s[axis]]
KINDS = {"fft": "c128", "ifft": "c128", "rfft": "f64", "irfft": "c128"}


def program(kind, rank, axis, layout):
    p = Made()
    x = p.array("x", *[None] * rank, dtype=KINDS[kind], layout=layout)
    if kind == "irfft":
        return p.returns(p.b.irfft(x, p.scalar("n", INT), axis=axis))
    if kind == "rfft":
        return p.returns(p.b.rfft(x, axis=axis))
    return p.returns(p.b.fft(x, axis=axis, inverse=kind == "ifft"))


@cache
def built(*what):
    return build(program(*what), BuildOptions(cache=False))


def pairs(kind, layout, turned):
    """What NumPy and the cpu make of arrays of each shape, along each axis."""
    for shape, axis in PLACES:
        rng = np.random.default_rng(3)
        x = rng.normal(size=shape)
        x = turned(x + 1j * rng.normal(size=shape) if KINDS[kind][0] == "c" else x)
        run = built(kind, x.ndim, axis, layout)
        if kind != "irfft":
            how = {"norm": "forward"} if kind == "ifft" else {}
            yield getattr(np.fft, kind)(x, axis=axis, **how), run(x)[0], (shape, axis)
            continue
        for n in {max(2 * shape[axis] - 2, 1), 2 * shape[axis] - 1}:
            yield np.fft.irfft(x, n, axis=axis, norm="forward"), run(x, n)[0], (shape, axis, n)


@pytest.mark.parametrize("kind", KINDS)
def test_transforms_are_those_of_numpy_to_the_last_bit(kind):
    for want, got, where in pairs(kind, "C", np.ascontiguousarray):
        assert got.dtype == want.dtype and np.array_equal(got, want), where


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("turned", [strided, np.asfortranarray, lambda x: x[::-1]])
def test_transforms_of_strided_arrays(kind, turned):
    for want, got, where in pairs(kind, "S", turned):
        assert got.shape == want.shape, where
        assert np.allclose(got, want, rtol=1e-13, atol=1e-12), where


def test_transforms_of_single_precision_are_those_of_numpy_to_the_last_bit():
    def there_and_back(x):
        half = np.fft.rfft(x)
        return half, np.fft.fft(half), np.fft.irfft(half, norm="forward")

    x = np.random.default_rng(4).normal(size=64).astype(np.float32)
    for got, want in zip(flow.compile(there_and_back)(x), there_and_back(x), strict=True):
        assert got.dtype == want.dtype and np.array_equal(got, want)


def test_a_transform_calls_no_interpreter():
    made = Program(program("ifft", 2, 0, "C"), "")
    emit_module(made)
    assert not made.interpreted and not made.helpers
    assert ("fourier", "ifft_D") in made.routines
