"""Dtypes and kinds of results are those of NumPy, or the expression is refused."""

import copy
import linecache
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.dtypes import OF_ONE, OF_TWO, UNSTABLE
from tests.tools.turns import share

V = [1.2, 0.0, 2.3]
KINDS = {
    "f32a": np.array(V, np.float32), "f64a": np.array(V), "i64a": np.array([1, 0, 2]),
    "i32a": np.array([1, 0, 2], np.int32), "boola": np.array([True, False, True]),
    "float": 1.2, "int": 2, "bool": True, "f32": np.float32(1.2), "f64": np.float64(1.2),
    "i64": np.int64(2),
}  # fmt: skip


def kind(v: Any) -> Any:
    """The form of a result; an array without axes counts as its scalar."""
    if isinstance(v, list | tuple):
        return type(v), [kind(p) for p in v]
    if isinstance(v, np.ndarray) and v.shape:
        return v.dtype.name, v.shape
    return v.dtype.name if isinstance(v, np.ndarray | np.generic) else type(v).__name__


def plain(fn: Any, args: tuple) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn(*copy.deepcopy(args))


def check(fn: Any, args: tuple, names: tuple[str, ...]) -> None:
    try:
        want = plain(fn, args)
    except Exception:
        return  # what NumPy refuses is not looked at here
    try:
        got = flow.compile(fn, target="python")(*copy.deepcopy(args))
    except flow.errors.UnsupportedError as e:
        number = "of a number is not supported" in str(e)
        assert number or any("bool" in n for n in names), f"{names}: {e}"
        return
    if fn not in UNSTABLE:
        same = kind(got) == kind(want) or (kind(got), kind(want)) == ("bool", "bool_")
        assert same, f"{names}: {kind(got)}, NumPy has {kind(want)}"
    tight = all("32" not in n for n in names)
    pairs = zip(got, want, strict=True) if isinstance(got, list) else [(got, want)]
    for a, b in pairs:
        np.testing.assert_allclose(a, b, rtol=1e-12 if tight else 1e-5)


def shown(fn: Any) -> str:
    return linecache.getline(fn.__code__.co_filename, fn.__code__.co_firstlineno).strip()[:60]


@pytest.mark.parametrize("fn", share(OF_ONE), ids=shown)
def test_of_one(fn: Any):
    for name, value in KINDS.items():
        check(fn, (value,), (name,))


@pytest.mark.parametrize("fn", share(OF_TWO), ids=shown)
def test_of_two(fn: Any):
    for name, value in KINDS.items():
        for other, second in KINDS.items():
            check(fn, (value, second), (name, other))


SMALL = {
    "i8a": np.array([1, 3, 2], np.int8), "u8a": np.array([1, 3, 200], np.uint8),
    "i16a": np.array([1, 3, 2], np.int16), "u32a": np.array([1, 3, 2], np.uint32),
    "u64a": np.array([1, 3, 2**63 + 2**40], np.uint64), "f16a": np.array(V, np.float16),
    "boola": np.array([True, False, True]), "i8": np.int8(2), "u64": np.uint64(2),
    "f32": np.float32(1.2),
}  # fmt: skip
OF_SMALL = [
    lambda x: np.divide(x, x),
    lambda x: np.true_divide(True, x),
    lambda x: np.divide(np.True_, x),
    lambda x: np.divide(x > 1, x) / x,
    lambda x: x / np.int8(3),
    lambda x: np.clip(x, 0, 2),
    lambda x: np.clip(x, 2, None),
    lambda x: np.clip(x, None, 2**62),
    lambda x: np.clip(x > 1, -1, np.float32(0.5)),
    lambda x: np.clip(x > 1, 0.5, None),
    lambda x: np.clip(x > 1, -1, 2),
    lambda x: np.where(True, 1, 0.5) * x,
    lambda x: np.where(300, np.uint8(200), 0.5) * x,
    lambda x: np.where(False, 1j, 2) * (x > 1),
    lambda x: np.where(1, np.float32(2), 1) * x,
    lambda x: np.where(0, True, 2) * (x > 1),
]


@pytest.mark.parametrize("fn", OF_SMALL, ids=shown)
def test_of_small_kinds(fn: Any):
    for name, value in SMALL.items():
        check(fn, (value,), (f"{name} 32",))
