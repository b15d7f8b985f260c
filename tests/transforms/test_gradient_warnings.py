"""Warnings about gradients that are zero because every path passes a step without a derivative."""

import subprocess
import sys
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ZeroGradientWarning
from tests.transforms.blocked import WARNING, X, line_of, masked, rounded
from tests.transforms.unblocked import SILENT, absolute, clipped, largest, mask, relu


def compiled(f: Callable) -> Callable:
    return flow.compile(f, target="python", cache=False)


def issued(f: Callable, *args) -> list[warnings.WarningMessage]:
    """The warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f(*args)
    return [w for w in caught if issubclass(w.category, ZeroGradientWarning)]


@pytest.mark.parametrize(("f", "args"), WARNING, ids=lambda v: getattr(v, "__name__", ""))
def test_it_is_issued_once_with_the_line_of_the_step(f, args):
    g = flow.grad(compiled(f))
    (found,) = issued(g, *args)
    where = found.message.location
    assert (where.file, where.line) == line_of(f)
    assert found.filename == __file__
    assert "is zero" in str(found.message) and "stop_gradient" in str(found.message)
    assert not issued(g, *args)


@pytest.mark.parametrize(("f", "args"), SILENT, ids=lambda v: getattr(v, "__name__", ""))
def test_no_warning(f, args):
    assert not issued(flow.grad(compiled(f)), *args)


@pytest.mark.parametrize("f", [mask, relu, absolute, largest, clipped])
def test_no_warning_for_second_derivatives_of_pieces(f):
    """A decision that a transform has added is not a step of the program."""
    assert not issued(flow.grad(flow.grad(compiled(f))), X)
    along = compiled(lambda x: np.sum(flow.jvp(f, (x,), (np.ones(3),))[1]))
    assert not issued(flow.grad(along), X)


# ---- transforms ----
def test_every_blocked_argument_is_named():
    def f(x, y, z):
        return np.sum(np.round(x * y)) + z

    (found,) = issued(flow.grad(compiled(f), (0, 1, 2)), X, X, 1.0)
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
    assert len(issued(pull, np.ones(3))) == 1
    assert not issued(pull, np.ones(3))


def test_jvp_where_nothing_has_a_derivative():
    def f(x, t):
        return np.sum(np.round(x) > t) * 1.0

    (found,) = issued(flow.jvp, compiled(f), (X, 1.0), (X, 0.0))
    assert "the derivative of f() is zero" in str(found.message)


def test_jvp_where_some_have():
    assert not issued(flow.jvp, compiled(masked), (0.3, X), (1.0, X))


def test_tensors():
    (found,) = issued(flow.grad(rounded), flow.tensor([1.2, 2.0]))
    assert found.filename == __file__


def test_a_function_of_tensors_is_located_at_its_call():
    """Functions of srcgrad are inlined from their source; the location is the user's call."""

    def f(x):
        y = x * 2
        return y.round(decimals=1).sum()

    (found,) = issued(flow.grad(f), flow.tensor([1.2, 2.0]))
    assert found.message.location.text.strip() == "return y.round(decimals=1).sum()"


def test_a_function_that_ours_call_back_is_located_where_it_stands():
    def squared(v):
        return np.round(v)

    def f(x):
        return flow.ops.HyperMap()(squared, [x])[0].sum()

    (found,) = issued(flow.grad(f), flow.tensor([1.2, 2.0]))
    assert found.message.location.text.strip() == "return np.round(v)"


def test_weights():
    net = flow.nn.Dense(2, 1)

    def f(x):
        return flow.sum(flow.round(net(x)) + x)

    (found,) = issued(flow.grad(f, 0, net.trainable_params()), flow.tensor([[1.0, 2.0]]))
    assert "with respect to weight, bias is zero" in str(found.message)


def test_auxiliary_outputs_do_not_count():
    def f(x):
        return np.sum(x * x), np.sum(x > 0) * 1.0

    assert not issued(flow.grad(compiled(f), has_aux=True), X)


def test_as_an_error():
    """A call that raised has no specialization: the next call warns again."""
    g = flow.grad(compiled(rounded))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ZeroGradientWarning)
        for _ in range(2):
            with pytest.raises(ZeroGradientWarning, match="round"):
                g(X)


def test_showing_a_program_does_not_warn():
    g = flow.grad(compiled(rounded))
    issued(g, X)
    assert not issued(g.source, "adjoint", X) and not issued(g.ir, "adjoint", np.ones((2, 2)))


SCRIPT = """
import numpy as np
import srcgrad as flow


def f(x):
    return np.sum(np.round(x))


flow.grad(f)(np.ones(2))
"""


def test_another_process_warns_although_it_loads_cached_code(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    for _ in range(2):
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
        assert f"{script}:10: ZeroGradientWarning" in done.stderr
        assert f"{script}:7, in f" in done.stderr
