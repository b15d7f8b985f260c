"""Every public method and attribute of `ndarray`, of NumPy's numbers and of floats on the tape.

What it gives, and what it leaves in the array, is what NumPy gives; the gradient of it is that of
differences. The few that are refused are listed.
"""

from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.bridge.recorded.values import raws
from tests.tools.structures import flatten, float_leaves

SQUARE = np.array([[0.3, 1.7, -0.4], [2.2, -1.1, 0.8], [0.6, 1.3, 0.2]])
LINE = np.array([0.7, -1.2, 2.3, 0.4])
M, V = (SQUARE,), (LINE,)
# the arguments of a method, after the array; a method that is not listed takes none
CALLS: dict[str, list[tuple]] = {
    "argpartition": [(V, (2,), {})], "argsort": [(V, (), {}), (M, (), {"axis": 0})],
    "all": [(M, (), {"axis": 1})], "any": [(M, (0,), {})],
    "argmax": [(M, (), {}), (M, (1,), {})], "argmin": [(M, (), {}), (M, (), {"axis": 0})],
    "astype": [(M, (np.float32,), {}), (V, (int,), {}), (V, ("float64",), {"copy": False})],
    "clip": [(M, (0.0, 1.0), {}), (V, (), {"max": 0.5})], "compress": [(V, ([1, 0, 1],), {})],
    "copy": [(M, (), {}), (M, ("F",), {})], "cumprod": [(V, (), {}), (M, (1,), {})],
    "cumsum": [(V, (), {}), (M, (), {"axis": 0})], "diagonal": [(M, (), {}), (M, (1,), {})],
    "dot": [(M, (SQUARE,), {}), (V, (LINE,), {})], "fill": [(V, (2.5,), {})],
    "flatten": [(M, (), {}), (M, ("F",), {})],
    "item": [(V, (1,), {}), (M, (1, 2), {}), (M, (4,), {}), (M, ((2, -1),), {}), (M, (-2,), {})],
    "max": [(M, (), {}), (M, (0,), {}), (M, (), {"axis": 1, "keepdims": True})],
    "min": [(M, (), {}), (M, (1,), {}), (M, (), {"axis": 0, "keepdims": True})],
    "mean": [(M, (), {}), (M, (0,), {}), (M, (), {"axis": 1, "keepdims": True})],
    "sum": [(M, (), {}), (M, (0,), {}), (M, (), {"axis": 1, "keepdims": True})],
    "prod": [(V, (), {}), (M, (0,), {})], "nonzero": [(V, (), {})],
    "std": [(V, (), {}), (M, (0,), {}), (V, (), {"ddof": 1})],
    "var": [(V, (), {}), (M, (1,), {}), (M, (), {"ddof": 1, "keepdims": True})],
    "partition": [(V, (2,), {})], "put": [(V, ([0, 2], [1.5, 2.5]), {})],
    "ravel": [(M, (), {}), (M, ("F",), {})], "repeat": [(V, (2,), {}), (M, ([1, 2, 0], 1), {})],
    "reshape": [(V, (2, 2), {}), (V, ((2, -1),), {})], "round": [(V, (), {}), (V, (1,), {})],
    "searchsorted": [(V, ([0.1, 0.9],), {})], "sort": [(V, (), {}), (M, (0,), {})],
    "squeeze": [(M, (), {}), ((LINE[None],), (), {}), ((LINE[None],), (0,), {})],
    "swapaxes": [(M, (0, 1), {})], "take": [(V, ([2, 0, 2],), {}), (M, (1, 1), {})],
    "trace": [(M, (), {}), (M, (1,), {})],
    "transpose": [(M, (), {}), (M, (1, 0), {}), (M, ((0, 1),), {})],
    "view": [(V, (), {}), (M, (np.ndarray,), {})],
    "__getitem__": [(V, (1,), {}), (V, (slice(None, None, -2),), {}), (M, ((0, ...),), {}),
                    (M, (([0, 2], [1, 1]),), {}), (M, (SQUARE > 0.5,), {}), (M, ((None, 1),), {})],
    "__matmul__": [(M, (SQUARE,), {}), (V, (LINE,), {})], "__len__": [(M, (), {})],
    "__pow__": [(M, (2,), {}), (M, (3.0,), {}), (M, (0,), {})], "__abs__": [(M, (), {})],
    "__mod__": [(V, (0.9,), {})], "__floordiv__": [(V, (0.9,), {})],
    "__divmod__": [(V, (0.9,), {})],
    "__rtruediv__": [(V, (2.0,), {})], "__rsub__": [(V, (LINE,), {})], "__neg__": [(M, (), {})],
    "__iadd__": [(M, (LINE[:3],), {}), (V, (2,), {})], "__imul__": [(M, (SQUARE,), {})],
    "__ipow__": [(V, (2,), {})], "__itruediv__": [(V, (3.0,), {})],
    "__contains__": [(V, (0.7,), {})],
    "__setitem__": [(V, (1, 3.5), {}), (M, (slice(1), LINE[:3]), {}), (M, (SQUARE > 0.5, 1.0), {})],
}  # fmt: skip
# they change the form of the data, or give it away
REFUSED = frozenset((
    "base", "byteswap", "choose", "ctypes", "data", "dump", "dumps", "getfield", "resize",
    "setfield", "to_device", "tobytes", "tofile",
))  # fmt: skip
ATTRIBUTES = [
    n for n in dir(np.ndarray)
    if not n.startswith("_") and not callable(getattr(np.ndarray, n)) and n not in REFUSED
]  # fmt: skip
METHODS = sorted(
    {n for n in dir(np.ndarray) if not n.startswith("_") and callable(getattr(np.ndarray, n))}
    - REFUSED | {n for n in CALLS if n.startswith("__")}
)  # fmt: skip
ROWS = [(name, *row) for name in METHODS for row in CALLS.get(name, [(V, (), {}), (M, (), {})])]


def weights(v: Any) -> Any:
    return np.cos(1.0 + np.arange(np.size(v))).reshape(np.shape(v))


def kinds(value: Any) -> Any:
    value = raws(value)
    if isinstance(value, tuple | list):
        return type(value), [kinds(v) for v in value]
    return type(value), getattr(value, "dtype", None), np.shape(value)


def loss(made: Any, x: Any) -> Any:
    """A number that depends on all floats that a method gives and leaves."""
    total = np.sum(x * x * weights(x))
    for v in float_leaves(made):
        total = total + np.sum(v * weights(v))
    return total


@pytest.mark.parametrize(("name", "given", "args", "kwargs"), ROWS, ids=lambda v: str(v)[:12])
def test_a_method(name, given, args, kwargs):
    want_x = given[0].copy()
    want = getattr(want_x, name)(*args, **kwargs)
    seen = []

    def on_the_tape(x):
        y = x.copy()
        made = getattr(y, name)(*args, **kwargs)
        seen.append((kinds(made), raws(made), raws(y).copy()))
        return loss(made, y)

    def plain(x):
        y = x.copy()
        return loss(getattr(y, name)(*args, **kwargs), y)

    grad = flow.grad(on_the_tape, mode="tape")(given[0])
    form, made, left = seen[0]
    assert form == kinds(want)
    np.testing.assert_array_equal(flatten(made), flatten(want))
    np.testing.assert_array_equal(left, want_x)
    near = 1e-2 if any(a is np.float32 for a in args) else 1e-6
    np.testing.assert_allclose(grad, slopes(plain, given[0], 1e-1 * near**0.5), near, near)


def slopes(f: Any, x: np.ndarray, h: float) -> np.ndarray:
    made = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[k] += h
        down[k] -= h
        made[k] = (f(up) - f(down)) / (2 * h)
    return made


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute(name):
    seen = []

    def f(x):
        value = getattr(x, name)
        if name == "flat":
            value = [*value]
        seen.append(shown(raws(value)))
        if name in ("T", "mT", "real", "flat"):
            return sum(np.sum(v * weights(v)) for v in value)
        return np.sum(x * np.size(value))

    want = getattr(SQUARE, name)
    flow.grad(f, mode="tape")(SQUARE)
    if name == "flat":
        want = [*want]
    assert seen[0] == shown(want)


def shown(value: Any) -> str:
    if hasattr(value, "c_contiguous"):
        return str([value.c_contiguous, value.f_contiguous, value.writeable])
    return f"{type(value)}{value}"


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_would_lose_the_gradient_is_refused(name):
    def f(x):
        value = getattr(x, name)
        return value(np.float64)

    with pytest.raises(flow.UnsupportedError, match=name) as caught:
        flow.grad(f, mode="tape")(SQUARE)
    assert caught.value.location is not None


NUMBERS = [
    (cls, name)
    for cls in (float, np.float64, np.float32)
    for name in dir(cls)
    if not name.startswith("_") and name not in REFUSED | {"fromhex", "from_number"}
]


@pytest.mark.parametrize(("cls", "name"), NUMBERS, ids=lambda v: getattr(v, "__name__", v))
def test_a_number(cls, name):
    seen = []

    def f(x):
        value = getattr(x * 1, name)
        if name in ("as_integer_ratio", "hex"):
            return value()
        made = value() if callable(value) and name not in UNCALLED else value
        seen.append((kinds(made), raws(made)))
        return x + made if np.shape(made) == () and isinstance(made, float | np.floating) else x

    x = cls(1.25)
    if name in ("as_integer_ratio", "hex"):
        with pytest.raises(flow.UnsupportedError, match=name):
            flow.grad(f, mode="tape")(x)
        return
    want = getattr(x, name)
    try:
        want = want() if callable(want) and name not in UNCALLED else want
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            flow.grad(f, mode="tape")(x)
        return
    grad = flow.grad(f, mode="tape")(x)
    assert type(grad) is cls
    if name not in UNCALLED | {"flags", "flat"}:
        assert seen[0][0] == kinds(want)
        np.testing.assert_equal(seen[0][1], want)


UNCALLED = {"fill", "put", "sort", "partition", "itemset", "dtype", "newbyteorder"}
