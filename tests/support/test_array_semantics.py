"""Calls of NumPy on arrays of every kind: value, dtype and shape are NumPy's, or its exception.

Each line of `array_calls.txt` is a program of `a`, or of the parts of a tuple `a`; behind the bar
stand the kinds of arrays that it is run on. Gradients are compared with differences.
"""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import SrcgradError
from tests.support.samples import made
from tests.support.test_short_arrays import difference, outcome
from tests.tools.turns import share

V = np.array([0.7, 1.3, -0.4, 2.1])
M = np.array([[0.7, 1.3, -0.4], [2.1, -0.2, 0.9]])
C = np.arange(12.0).reshape(2, 3, 2) % 7 - 2.3
KINDS: dict[str, Any] = {
    "v": V, "m": M, "cube": C, "square": C[:, :2, 0] + 0.5, "f4": V.astype("f4"),
    "mf4": M.astype("f4"), "i": np.array([3, -1, 2, 5]), "mi": np.array([[3, -1, 2], [0, 4, 4]]),
    "i1": np.array([100, 100, -3], "i1"), "u1": np.array([200, 100, 3], "u1"),
    "i4": np.array([3, -1, 2, 5], "i4"), "b": np.array([True, False, True, True]), "mb": M > 0.8,
    "z": V + 1j * V[::-1], "mz": M + 1j * M[::-1], "none": np.zeros(0),
    "none3": np.zeros((0, 3)), "none_i": np.zeros(0, int), "back": V[::-1], "turned": M.T,
    "one": V[:1], "one1": M[:1, :1], "row": M[:1], "column": M[:, :1],
    "ties": np.array([1.0, 0.0, 1.0, 0.0]), "nan": np.array([0.7, np.nan, -0.4, 2.1]),
    "inf": np.array([np.inf, -np.inf, 0.0, 1.0]), "number": 1.7, "count": 3,
    "single": np.float32(1.7),
}  # fmt: skip
LINES = [
    line.split(" | ")
    for line in Path(__file__).with_name("array_calls.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
EACH = [(line.strip(), kind) for line, kinds in LINES for kind in kinds.split()]


def program(line: str) -> Any:
    *before, last = line.split("; ")
    lines = [*before, f"return {last}"]
    return made("def call(a):\n" + "".join(f"    {part}\n" for part in lines))


def weights(shape: tuple[int, ...]) -> np.ndarray:
    return np.cos(np.arange(np.prod(shape, dtype=int)) * 1.3 + 0.4).reshape(shape)


def weighted(out: Any) -> Any:
    """A number that depends on all floats of a result."""
    if isinstance(out, list | tuple):
        total: Any = 0.0
        for part in out:
            total = total + weighted(part)
        return total
    out = np.asarray(out)
    if out.dtype.kind == "c":
        return np.sum(out.real * weights(out.shape)) + 0.7 * np.sum(out.imag * weights(out.shape))
    return np.sum(out * weights(out.shape)) if out.dtype.kind == "f" else 0.0


def slope(f: Any, a: Any, k: tuple[int, ...], step: Any) -> float:
    values = []
    for d in (step, -step):
        moved = np.array(a, copy=True)
        moved[k] += d
        values.append(weighted(f(moved if isinstance(a, np.ndarray) else moved.item())))
    return (values[0] - values[1]) / 2e-6


def check_gradient(f: Any, a: Any, target: str) -> None:
    found = flow.grad(flow.compile(lambda a: weighted(f(a)), target=target))(copy.deepcopy(a))
    want = np.zeros(np.shape(a), np.asarray(a).dtype)
    for k in np.ndindex(want.shape):
        want[k] = slope(f, a, k, 1e-6)
        if want.dtype.kind == "c":
            want[k] += 1j * slope(f, a, k, 1e-6j)
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("line", "kind"), share(EACH))
def test_as_numpy(line: str, kind: str):
    check(line, kind, "python")


@pytest.mark.parametrize(("line", "kind"), share(EACH)[::3])
def test_compiled_as_numpy(line: str, kind: str):
    check(line, kind, "cpu")


def check(line: str, kind: str, target: str) -> None:
    f, a = program(line), KINDS[kind]
    want, got = outcome(f, (a,)), outcome(flow.compile(f, target=target), (a,))
    assert not isinstance(got, SrcgradError) or isinstance(want, Exception), got
    assert not (text := difference(got, want)), text
    if isinstance(want, Exception) or np.asarray(a).dtype not in (np.float64, np.complex128):
        return
    parts = want if isinstance(want, list | tuple) else [want]
    if all(np.asarray(p).dtype in (np.float64, np.complex128) for p in parts):
        with np.errstate(all="ignore"):
            check_gradient(f, a, target)
