"""Arrays of rank 0 made, kept, moved, returned, changed in place: NumPy's results, or refused."""

import copy
import itertools
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from srcgrad.testing import check_grads
from tests.frontend.as_python import agrees, outcome, raises_alike
from tests.support.samples import made
from tests.tools.turns import share

KINDS = (float, np.float64, np.array)
PROGRAMS = (
    "a, b = np.broadcast_arrays(x, y); return np.sum(a * b)",
    "a, b = np.broadcast_arrays(x, [x, y]); return np.sum(a * b * b)",
    "a, b, c = np.broadcast_arrays(x, y, 1.0); return a * b * c",
    "return np.broadcast_to(x, ()) * y",
    "a = np.zeros(()); b = np.broadcast_to(a, ()); a += x; return b * y",
    "return np.sum(np.broadcast_to([x, y], (3, 2)) * x)",
    "return np.sum(np.full((2, 2), [x, y]) ** 2)",
    "a = np.full_like(np.zeros((2, 2)), (x, y)); return np.sum(a * a)",
    "a = np.zeros((2, 3)); np.copyto(a, [x, y, x]); return np.sum(a * a)",
    "a = np.full((), x); a += y; return a * a",
    "a = np.full((), x); np.copyto(a, y); return a * x",
    "a = np.full((), x); d = {'k': a}; d['k'] *= y; return d['k'] * a",
    "a = np.zeros(()); b = a[...]; b += x; return a * y",
    "a = np.zeros(()); a[()] = x * y; b = a.copy(); a *= x; return b * a",
    "a = np.full((2, 2), x); b = a[0, 0, ...]; b *= y; return np.sum(a * b)",
    "a = np.zeros(()); [a.fill(v) for v in (x, y)]; return a * y",
    "a = np.zeros(()); b = np.full((), y)\n    for i in range(3):\n        a[...] = a * x + b\n"
    "    return a * b",
    "a = np.zeros(())\n    for i in range(3):\n        a += x * y * a + x\n    return a * 1.0",
    "a = np.full((), x); b = np.full((), y); return np.dot(a, b) + np.inner(a, b) + np.vdot(a, b)",
    "a = np.full((), x); return np.sum(np.dot(np.ones((2, 2)), a) * y)",
    "a = np.full((), x); return np.flip(a) * y + np.transpose(a) * a.T",
    "a = np.zeros(3); a[1] = np.full((), x); a[2:] = np.broadcast_to(y, ()); return np.sum(a * a)",
    "a = np.full((), x); return np.sum(np.stack([a, np.full((), y)]) ** 2)",
    "a = np.full((), x); return np.interp(a, [0, 2], [x, y]) * y",
    "a = np.full((), x); return np.sum(np.clip([x, y], a, 5.0) * np.maximum(a, [y, x]))",
    "a = np.ascontiguousarray(np.full((), x)); return np.sum(a * y) + a.ndim",
    "a = np.asarray(x * y); a[np.asarray(np.isnan(a))] = 0; return a * y",
    "a = np.asarray(x * y); a[a > 0.5] = y; a[a > 1.0] = 0; return a * a + x",
    "a = np.asarray(x * y); a[...] = y * a; a[()] *= x; return a * a",
    "a = np.asarray(x * 1.0)\n    for i in range(3):\n        a[a > 0.2 * i] = a * y\n"
    "    return a * a",
    "a = np.asarray(x * 1.0); i = 0\n    while i < 3:\n        a[a > 0.2 * i] *= y\n"
    "        i += 1\n    return a",
    "a = np.where(x > 0, y * x, x)\n    if y > 0.0:\n        a[a > 0.0] = x * a\n    return a * y",
    "a = np.asarray(x * y, dtype=np.float32); a[a > 0.5] = 2.25; return a * y",
)  # fmt: skip
MADE = (
    "np.array(x)", "np.asarray(x)", "np.full((), x)", "np.copy(x)", "np.array(x * y)",
    "np.where(x > 0, x, y)", "np.broadcast_to(x, ()).copy()", "np.squeeze(np.array([x]))",
    "np.reshape(np.array([x]), ())", "np.array([x, y])[0, ...]", "np.zeros(()) + x",
    "np.array(1.5)", "np.full_like(x, y)", "np.transpose(np.array(x))", "np.flip(np.array(x))",
    "np.real_if_close(x)", "np.select([x > 0], [x], y)", "np.piecewise(x, [x > 0], [y, x])",
    "np.tensordot([x, y], [x, y], 1)", "np.clip(x, 0, 5)", "np.array([x, y])[1]",
)  # fmt: skip
CHANGED = (
    "b = a; a += y; return a + 10 * b",
    "b = [a]; a += y; return a + 10 * b[0]",
    "b = {'k': a}; b['k'] *= y; return a + 10 * b['k']",
    "b = a; c = a[...]; c += y; return a + 10 * b",
    "b = a; a *= y; c = a; c += x; return a + 10 * b",
    "a += y; b = a.copy(); b *= x; return a + 10 * b",
    "b = a\n    for i in range(3):\n        a += y\n    return a + 10 * b",
    "b = a if x > 0 else a * y; b += y; return a + 10 * b",
    "b = a; a[a > 0.0] = y; return a + 10 * b",
    "b = a; a[...] += y; return a + 10 * b",
    "def double(v):\n        v[v > 0.0] = 2.0 * v\n    double(a); return a",
    "def set_it():\n        a[a > 0.0] = y\n    set_it(); return a",
    "def add_to_it():\n        a[...] += y\n        return x\n    return add_to_it() + a",
    "d = {'k': a}; d['k'][...] = y * x; return d['k']",
    "d = [a]; a = x; d[0][...] *= y; return d[0] + a",
    "def double(v):\n        v *= 2.0\n    double(a); return a",
)


def program(text: str) -> Any:
    return made("def call(x, y):\n    " + text.replace("; ", "\n    ") + "\n")


def same_value(f: Any, args: tuple, target: str) -> bool:
    """Whether the results agree; False if the program is refused, or raises a TypeError in both."""
    try:
        want = f(*copy.deepcopy(args))
    except TypeError:
        with pytest.raises(TypeError):
            flow.compile(f, target=target)(*copy.deepcopy(args))
        return False
    try:
        got = flow.compile(f, target=target)(*copy.deepcopy(args))
    except UnsupportedError as e:
        assert e.location, e
        return False
    assert np.shape(got) == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=1e-12)
    return True


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str, target: str):
    if target == "cpu" and text not in share(PROGRAMS):
        return
    f = program(text)
    for kind in KINDS if target == "python" else KINDS[::2]:
        assert same_value(f, (kind(1.3), kind(0.7)), target)
    check_grads(f, (1.3, 0.7), target=target)
    check_grads(f, (np.array(1.3), np.array(0.7)), target=target)


@pytest.mark.parametrize("how", MADE)
def test_changes_in_place(how: str):
    each = [program(f"a = {how}; {change}") for change in CHANGED]
    for f, kind in share([*itertools.product(each, KINDS)]):
        same_value(f, (kind(1.3), kind(0.7)), "python")


def test_a_change_that_one_name_shows_is_made():
    for change in ("a += y; return a", "b = [a, y]; a = a * y; a += x; return a + b[0]"):
        f = program(f"a = np.array(x); {change}")
        for target in ("python", "cpu"):
            assert same_value(f, (1.3, 0.7), target)
    f = program("a = np.array(0.0)\n    for i in range(4):\n        a += x * y\n    return a")
    check_grads(f, (1.3, 0.7), target="python")


@pytest.mark.parametrize("change", [CHANGED[0], CHANGED[2], CHANGED[6]])
def test_a_change_that_several_names_show_is_refused(change: str):
    with pytest.raises(UnsupportedError, match="array of rank 0") as caught:
        flow.compile(program(f"a = np.asarray(x); {change}"), target="python")(1.3, 0.7)
    assert "=" in caught.value.location.text
    assert caught.value.way_out == "write x = x + y for x += y"


def test_items_that_several_names_show_are_not_changed():
    f = program("a = np.asarray(x * y)\n    def g():\n        a[...] = y\n    g(); return a * x")
    with pytest.raises(UnsupportedError, match="array of rank 0") as caught:
        flow.value_and_grad(f, target="python")(1.3, 0.7)
    assert caught.value.location.text.strip() == "a[...] = y"
    assert caught.value.way_out == "write x = np.where(..., y, x) for x[...] = y"


def element_of_a_part(x):
    y = np.zeros(3)
    y[0] = x[:1]
    return np.sum(y * x)


def element_of_a_list(x):
    y = np.zeros((2, 3))
    y[0, 1] = [x[0]]
    return np.sum(y * x)


def element_that_is_added_to(x):
    y = x * 2.0
    y[1] += x[:1]
    return np.sum(y * x)


def element_that_is_caught(x):
    y = np.ones(3)
    try:
        y[0] = x[:1]
    except ValueError:
        y[1] = 2.0 * x[2]
    return np.sum(y * x)


def elements_of_rank_zero(x):
    y = np.zeros(3)
    y[0] = np.array(x[0])
    y[1:2] = x[:1]
    y[[2]] = x[:1]
    return np.sum(y * x)


@pytest.mark.parametrize(
    "f",
    [
        element_of_a_part, element_of_a_list, element_that_is_added_to, element_that_is_caught,
        elements_of_rank_zero,
    ],
)  # fmt: skip
def test_arrays_of_one_element_are_stored_as_numpy_does(f):
    x = np.array([0.7, 1.2, 0.9])
    raises = not isinstance(outcome(f, (x,))[0], float)
    (raises_alike if raises else agrees)(f, x)


def test_a_tensor_of_rank_0_is_an_element():
    """NumPy 2.4 refuses arrays of one element, not those of rank 0."""

    def f(x, w):
        z = np.zeros(2)
        z[0] = w
        z[1] += w * x[0]
        z[0] *= w
        return z[0] + z[1]

    compiled = flow.compile(f, target="python")
    w = flow.tensor(3.0, requires_grad=True)
    out = compiled(np.array([2.0]), w)
    out.backward()
    assert float(out) == 15.0
    assert float(w.grad) == 8.0
    assert compiled(np.array([2.0]), np.array(3.0)) == 15.0
