"""Stores to a copy where NumPy has a view: allowed where the source is not seen again.

Each program either gives NumPy's result and gradient or is refused; those that show the store in
the source are refused.
"""

import copy
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.support.samples import made
from tests.support.test_array_semantics import check_gradient

M = np.arange(9.0).reshape(3, 3) * 0.7 - 1.0
# a view `v` of a temporary `z`
VIEWS = (
    "z = np.fft.ifft(a); v = np.real(z)", "z = a * (1.0 + 2.0j); v = z.imag",
    "z = a * 2.0; v = np.einsum('ii->i', z)", "z = (a * 2.0).T; v = z.reshape((9,))",
    "z = (a + 1.0)[:, :2]; v = z.reshape(6)",
)  # fmt: skip
UNSEEN = ("v[0] = 9.0", "v *= 2.0", "v[1:] += a[0, 0]", "w = v[1:]; w[0] = a[1, 1]")
SEEN = (
    "v[0] = 9.0; v = v + np.sum(np.abs(z))",
    "w = np.abs(z); v[0] = 9.0; w = z * 1.0; v = v + abs(w[0, 0])",
    "z[0, 0] = 5.0; v[0] = 9.0", "for i in range(2): v[i] = v[i] + abs(z[0, i])",
)  # fmt: skip


def program(*parts: str) -> Any:
    lines = "".join(f"    {part}\n" for p in parts for part in p.split("; "))
    return made(f"def call(a):\n{lines}    return np.sum(v * v) + np.sum(np.sin(a))\n")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("store", UNSEEN)
def test_a_store_that_nothing_else_shows(view: str, store: str):
    f = program(view, store)
    want = f(copy.deepcopy(M))
    assert flow.compile(f, target="python")(copy.deepcopy(M)) == pytest.approx(want)
    check_gradient(f, M, "python")


@pytest.mark.parametrize("view", VIEWS[:3])
def test_a_store_that_nothing_else_shows_on_the_cpu(view: str):
    f = program(view, "v[0] = 9.0; v[1:] *= 3.0")
    assert flow.compile(f, target="cpu")(copy.deepcopy(M)) == pytest.approx(f(copy.deepcopy(M)))
    check_gradient(f, M, "cpu")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("store", SEEN)
def test_a_store_that_shows_is_refused_or_seen(view: str, store: str):
    f = program(view, store)
    want = f(copy.deepcopy(M))
    try:
        got = flow.compile(f, target="python")(copy.deepcopy(M))
    except UnsupportedError:
        return
    assert got == pytest.approx(want)


@pytest.mark.parametrize(
    "line",
    [
        "v = np.real(a * 1j + a); u = np.real(v)", "z = a * 1j; v = z.real; u = z.real",
        "z = a * 1j; v = z.real; u = v",
    ],
)  # fmt: skip
def test_two_copies_of_one_source(line: str):
    f = program(line, "v[0] = 9.0; v = v + u")
    want = f(copy.deepcopy(M))
    try:
        got = flow.compile(f, target="python")(copy.deepcopy(M))
    except UnsupportedError:
        return
    assert got == pytest.approx(want)


def test_an_array_of_the_common_shape_is_itself():
    f = program("z = a * 1.0; v, w = np.broadcast_arrays(z, a[0]); v[0] = a[1]; v = v + z")
    assert flow.compile(f, target="python")(M.copy()) == pytest.approx(f(M.copy()))
    check_gradient(f, M, "python")


def test_what_stretches_is_not_stored_to():
    f = program("v, w = np.broadcast_arrays(a[0] * 1.0, a); v[0] = 1.0")
    with pytest.raises(UnsupportedError, match="broadcast array"):
        flow.compile(f, target="python")(M.copy())
