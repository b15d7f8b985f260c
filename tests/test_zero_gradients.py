"""Warnings about gradients that are zero because every path passes a step without a derivative.

The comment `# the step` marks the line that the warning must name. Each program is differentiated
with respect to its first argument.
"""

import inspect
import math
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ZeroGradientWarning

PROGRAMS: list[tuple[Callable, tuple]] = []  # that warn
OTHERS: list[tuple[Callable, tuple]] = []  # that must not
X = np.array([1.3, -0.7, 2.6])


def warns(*args):
    return lambda f: PROGRAMS.append((f, args)) or f


def silent(*args):
    return lambda f: OTHERS.append((f, args)) or f


@dataclass
class Model:
    scale: float
    limit: float


# ---- every path passes a step ----
@warns(X)
def rounded(x):
    y = np.round(2 * x)  # the step
    return np.sum(y * y)


@warns(X)
def floored(x):
    return np.sum(np.floor(x))  # the step


@warns(1.5)
def ceiled(x):
    return 3.0 * math.ceil(x)  # the step


@warns(X)
def truncated(x):
    y = x + 1
    y = np.trunc(y)  # the step
    return np.mean(y)


@warns(X)
def integers(x):
    k = x.astype(int)  # the step
    return np.sum(k * 0.5)


@warns(2.7)
def an_integer(x):
    n = int(x)  # the step
    return n * 1.5


@warns(X)
def floor_division(x):
    return np.sum(x // 2)  # the step


@warns(X, np.ones(3))
def signs(x, w):
    return np.dot(np.sign(x), w)  # the step


@warns(X, np.arange(3.0))
def place_of_the_largest(x, y):
    k = np.argmax(x)  # the step
    return y[k] ** 2


@warns(X, np.arange(3.0))
def order_of_others(x, y):
    return np.sum(y[np.argsort(x)] * np.arange(3))  # the step


@warns(X)
def compared(x):
    return np.mean(x > 0.5)  # the step


@warns(X)
def counted(x):
    return np.count_nonzero(x > 0) * 1.0  # the step


@warns(1.5)
def a_branch(x):
    if x > 1:  # the step
        y = 2.0
    else:
        y = 3.0
    return y


@warns(1.5)
def early_return(x):
    if x > 1:  # the step
        return 2.0
    return 3.0


@warns(40.0)
def trips_of_a_loop(x):
    n = 0.0
    while x > 1:  # the step
        x = x / 2
        n += 1
    return n


@warns(4.5)
def length_of_a_loop(x):
    total = 0.0
    for i in range(int(x)):  # the step
        total += 0.5 * i
    return total


@warns(X)
def stored_in_a_branch(x):
    out = np.zeros(3)
    for i in range(3):
        if x[i] > 0:  # the step
            out[i] = 1.0
    return np.sum(out)


@warns(0.3, X)
def threshold(t, x):
    total = 0.0
    for v in x:
        if v > t:  # the step
            total += v
    return total


@warns(0.3, X)
def broken_off(t, x):
    total = 0.0
    for v in x:
        total += v
        if total < t:  # the step
            break
    return total


@warns(0.3, X)
def masked(t, x):
    return np.sum(np.where(x > t, x, 0))  # the step


def nearest(v):
    return np.rint(v)  # the step


@warns(X)
def in_a_helper(x):
    return np.sum(nearest(x))


@warns(X, np.linspace(0, 1, 5))
def found_in_a_table(x, table):
    k = np.searchsorted(table, x)  # the step
    return np.sum(table[np.minimum(k, 4)])


@warns(Model(2.0, 0.5), X)
def one_leaf_of_a_dataclass(m, x):
    total = 0.0
    for v in x:
        if v < m.limit:  # the step
            total += m.scale * v
    return total


@warns({"w": X, "k": 1.7})
def one_leaf_of_a_dict(p):
    return np.sum(p["w"]) * round(p["k"])  # the step


@warns(np.array([[1.0, 2.0], [3.0, 4.0]]))
def rank(a):
    return 1.0 * np.linalg.matrix_rank(a)  # the step


@warns(X)
def heaviside(x):
    return np.sum(np.heaviside(x, 0.5))  # the step


@warns(X)
def length_of_what_is_made(x):
    n = int(x[2])  # the step
    return np.sum(np.zeros(n) + 1.0)


@warns(X)
def sign_of_a_determinant(x):
    return np.linalg.slogdet(np.outer(x, x) + np.eye(3))[0]  # the step


def only_value(x):
    return np.sum(np.round(x))  # the step


@warns(X)
def in_a_nested_gradient(x):
    return np.sum(x * flow.grad(only_value)(x))


@warns(X)
def second_order(x):
    def product(y):
        return np.sum(np.round(y) * y)  # the step

    return np.sum(flow.grad(product)(x))


def line_of(f: Callable) -> tuple[str, int]:
    """The line with the mark, in the program or a function that it calls."""
    called = [g for g in (nearest, only_value) if g.__name__ in f.__code__.co_names]
    for g in (f, *called):
        lines, first = inspect.getsourcelines(g)
        marked = [k for k, line in enumerate(lines, first) if line.rstrip().endswith("# the step")]
        if marked:
            return inspect.getsourcefile(g), marked[0]
    raise AssertionError(f.__name__)


def compiled(f: Callable) -> Callable:
    return flow.compile(f, target="python", cache=False)


def said(f: Callable, *args) -> list[warnings.WarningMessage]:
    """The warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f(*args)
    return [w for w in caught if issubclass(w.category, ZeroGradientWarning)]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_it_is_said_once_with_the_line_of_the_step(f, args):
    g = flow.grad(compiled(f))
    (found,) = said(g, *args)
    where = found.message.location
    assert (where.file, where.line) == line_of(f)
    assert found.filename == __file__
    assert "is zero" in str(found.message) and "stop_gradient" in str(found.message)
    assert not said(g, *args)


# ---- a path, no path, or what is meant ----
@silent(X)
def a_rounded_factor(x):
    return np.sum(np.round(x) * x)


@silent(X)
def rounded_in_part(x):
    return np.sum(np.round(x)) + x[0]


@silent(X)
def straight_through(x):
    return np.sum(x + flow.stop_gradient(np.round(x) - x))


@silent(X)
def constant_on_purpose(x):
    return np.sum(np.round(flow.stop_gradient(x)))


@silent(X)
def stopped(x):
    return np.sum(flow.stop_gradient(np.floor(x)))


@silent(X)
def mask(x):
    return np.sum(np.where(x > 0, x, 0))


@silent(X)
def relu(x):
    return np.sum(np.maximum(x, 0))


@silent(X)
def mask_as_a_factor(x):
    return np.sum((x > 0) * x)


@silent(X)
def picked(x):
    return x[np.argmax(x)]


@silent(X)
def sorted_by_itself(x):
    return np.sum(x[np.argsort(x)] * np.arange(3))


@silent(X)
def largest(x):
    return np.max(x) - np.median(x)


@silent(1.5)
def one_branch(x):
    if x > 1:
        return 2.0
    return x


@silent(0.5)
def the_other_branch(x):
    if x > 1:
        return x
    return 2.0


@silent(9.0)
def halved(x):
    while x > 1:
        x = x / 2
    return x


@silent(X)
def unused(x):
    return 2.0


@silent(X)
def length(x):
    return 1.0 * len(x)


@silent(X)
def shape(x):
    return np.sum(np.ones_like(x)) * x.shape[0]


@silent(X, 0.3)
def threshold_is_another_argument(x, t):
    return np.sum(np.where(x > t, x, 0))


@silent(X)
def looked_at_in_an_assertion(x):
    assert np.sum(x) > -100
    if x[0] > 100:
        raise ValueError("large")
    return np.sum(x)


@silent(X)
def only_checked(x):
    if x[0] > 100:
        raise ValueError("large")
    return 2.0


@silent(X)
def stored_where_it_is_positive(x):
    out = np.zeros(3)
    for i in range(3):
        if x[i] > 0:
            out[i] = x[i]
    return np.sum(out)


@silent(X, 0)
def never_taken(x, n):
    total = np.sum(np.round(x))
    for i in range(n):
        total += x[i]
    return total


def remainder(v):
    return v - np.floor(v)


@silent(X)
def remainder_in_a_helper(x):
    return np.sum(remainder(x)) + np.sum(x % 0.4)


@silent(X)
def clipped(x):
    return np.sum(np.clip(x, 5, 6))


@silent(X)
def absolute(x):
    return np.sum(abs(x)) + np.linalg.norm(x, 1)


@silent(X)
def remembered_index(x):
    best, at = x[0], 0
    for i in range(3):
        if x[i] > best:
            best, at = x[i], i
    return best + at


@silent({"w": X, "k": 2.0})
def a_used_dict(p):
    return np.sum(p["w"]) * p["k"]


@silent(X)
def interpolated(x):
    return np.sum(np.interp(x, np.linspace(-1, 3, 9), np.linspace(-1, 3, 9) ** 2))


@flow.custom_vjp
def surrogate(x):
    return np.round(x)


surrogate.defvjp(lambda x: (np.round(x), None), lambda kept, g: (g,))


@silent(X)
def a_rule_of_its_own(x):
    return np.sum(surrogate(x))


@pytest.mark.parametrize(("f", "args"), OTHERS, ids=lambda v: getattr(v, "__name__", ""))
def test_nothing_is_said(f, args):
    assert not said(flow.grad(compiled(f)), *args)


@pytest.mark.parametrize("f", [mask, relu, absolute, largest, clipped])
def test_second_derivatives_of_pieces_are_zero_and_nothing_is_said(f):
    """What a transform decides is no step of the program."""
    assert not said(flow.grad(flow.grad(compiled(f))), X)
    along = compiled(lambda x: np.sum(flow.jvp(f, (x,), (np.ones(3),))[1]))
    assert not said(flow.grad(along), X)


# ---- transforms ----
def test_every_blocked_argument_is_named():
    def f(x, y, z):
        return np.sum(np.round(x * y)) + z

    (found,) = said(flow.grad(compiled(f), (0, 1, 2)), X, X, 1.0)
    assert "with respect to x, y is zero" in str(found.message)
    assert "round" in str(found.message)


def test_values_come_with_it():
    value, g = None, None
    with pytest.warns(ZeroGradientWarning, match="rounded"):
        value, g = flow.value_and_grad(compiled(rounded))(X)
    assert value == rounded(X) and not np.any(g)


def test_vjp():
    out, pull = flow.vjp(compiled(lambda x: np.round(x)), X)
    assert np.array_equal(out, np.round(X))
    assert len(said(pull, np.ones(3))) == 1
    assert not said(pull, np.ones(3))


def test_jvp_where_nothing_has_a_derivative():
    def f(x, t):
        return np.sum(np.round(x) > t) * 1.0

    (found,) = said(flow.jvp, compiled(f), (X, 1.0), (X, 0.0))
    assert "the derivative of f() is zero" in str(found.message)


def test_jvp_where_some_have():
    assert not said(flow.jvp, compiled(masked), (0.3, X), (1.0, X))


def test_tensors():
    (found,) = said(flow.grad(rounded), flow.tensor([1.2, 2.0]))
    assert found.filename == __file__


def test_a_function_of_tensors_is_located_at_its_call():
    """Functions of ours are followed through their source; users wrote the call."""

    def f(x):
        y = x * 2
        return y.round(decimals=1).sum()

    (found,) = said(flow.grad(f), flow.tensor([1.2, 2.0]))
    assert found.message.location.text.strip() == "return y.round(decimals=1).sum()"


def test_a_function_that_ours_call_back_is_located_where_it_stands():
    def squared(v):
        return np.round(v)

    def f(x):
        return flow.ops.HyperMap()(squared, [x])[0].sum()

    (found,) = said(flow.grad(f), flow.tensor([1.2, 2.0]))
    assert found.message.location.text.strip() == "return np.round(v)"


def test_weights():
    net = flow.nn.Dense(2, 1)

    def f(x):
        return flow.sum(flow.round(net(x)) + x)

    (found,) = said(flow.grad(f, 0, net.trainable_params()), flow.tensor([[1.0, 2.0]]))
    assert "with respect to weight, bias is zero" in str(found.message)


def test_auxiliary_outputs_do_not_count():
    def f(x):
        return np.sum(x * x), np.sum(x > 0) * 1.0

    assert not said(flow.grad(compiled(f), has_aux=True), X)


def test_as_an_error():
    """Nothing is kept of a call that was turned into an error: the next one is, too."""
    g = flow.grad(compiled(rounded))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ZeroGradientWarning)
        for _ in range(2):
            with pytest.raises(ZeroGradientWarning, match="round"):
                g(X)


def test_showing_a_program_says_nothing():
    g = flow.grad(compiled(rounded))
    said(g, X)
    assert not said(g.source, "adjoint", X) and not said(g.ir, "adjoint", np.ones((2, 2)))


SCRIPT = """
import numpy as np
import srcgrad as flow


def f(x):
    return np.sum(np.round(x))


flow.grad(f)(np.ones(2))
"""


def test_another_process_finds_the_code_on_disk_and_says_it_too(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    for _ in range(2):
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
        assert f"{script}:10: ZeroGradientWarning" in done.stderr
        assert f"{script}:7, in f" in done.stderr
