"""Functions that call back to Python, and adjoints that are looked at or changed on their way."""

import doctest
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

X = np.array([0.5, 2.0, -1.5])
TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])


# ---- opaque ----
def cubed(x):
    return np.array([float(repr(float(v))) for v in x]) ** 3


OPAQUE = flow.opaque(
    cubed,
    lambda x: x,
    vjp=lambda primals, g: (3.0 * primals[0] ** 2 * g,),
    jvp=lambda primals, tangents: 3.0 * primals[0] ** 2 * tangents[0],
)


@TARGETS
def test_opaque(target):
    f = flow.compile(lambda x: np.sum(OPAQUE(x) * x), target=target)
    assert_allclose(f(X), np.sum(X**4))
    assert_allclose(flow.grad(f)(X), 4.0 * X**3)
    assert_allclose(flow.jvp(f, (X,), (np.ones(3),))[1], np.sum(4.0 * X**3))


@TARGETS
def test_opaque_in_a_loop(target):
    def f(x, n):
        for _ in range(n):
            x = 0.5 * OPAQUE(x) + x
        return np.sum(x)

    def plain(x, n):
        for _ in range(n):
            x = 0.5 * x**3 + x
        return np.sum(x)

    got = flow.grad(flow.compile(f, target=target))(X, 3)
    assert_allclose(got, flow.grad(flow.compile(plain, target=target))(X, 3), rtol=1e-12)


@TARGETS
def test_structures_and_dtypes_of_opaque_functions(target):
    def run(a, n, name, d):
        assert (type(a), type(n), name) == (float, int, "hi")
        return a * n, {"m": np.outer(d["v"], d["v"]).astype(np.float32), "k": 3}

    def like(a, n, name, d):
        m = np.empty((len(d["v"]), len(d["v"])), np.float32)
        return a, {"m": m, "k": np.float32(1.0)}

    f = flow.opaque(run, like)
    value, rest = flow.compile(lambda a, v: f(a, 3, "hi", {"v": v}), target=target)(2.0, X)
    assert value == 6.0 and rest["k"] == 3.0
    assert rest["m"].dtype == np.float32 and rest["k"].dtype == np.float32
    assert_allclose(rest["m"], np.outer(X, X))


@TARGETS
def test_exceptions_of_opaque_functions_reach_the_caller_as_they_are(target):
    class Special(Exception):
        def __init__(self, a, b):
            super().__init__(a, b)

    raised = Special(1, 2)

    def bad(x):
        raise raised

    f = flow.opaque(bad, float)
    h = flow.compile(lambda x: f(x) if x > 0.0 else x, target=target)
    assert h(-1.0) == -1.0
    with pytest.raises(Special) as caught:
        h(1.0)
    assert caught.value is raised and caught.value.__cause__ is None
    assert h(-1.0) == -1.0


@TARGETS
def test_opaque_functions_get_copies(target):
    seen = []

    def spoil(x):
        x[:] = 9.0
        seen.append(x)
        return x

    f = flow.opaque(spoil, lambda x: x)
    x = X.copy()
    got = flow.compile(lambda x: f(x) + x, target=target)(x)
    assert_allclose(x, X)
    assert_allclose(got, 9.0 + X)
    seen[0][:] = 7.0
    assert_allclose(got, 9.0 + X)
    assert_allclose(f(x), 9.0) and assert_allclose(x, X)


def test_opaque_functions_in_threads():
    """What one thread's call raises is not another's."""
    f = flow.opaque(lambda x: 1.0 / x, float)
    h = flow.compile(lambda x: f(x), target="cpu")
    h(1.0)
    problems = []

    def work(x):
        for _ in range(200):
            try:
                if h(x) != 1.0 / x:
                    problems.append(x)
            except ZeroDivisionError:
                if x:
                    problems.append(x)

    threads = [threading.Thread(target=work, args=(float(k % 2) * k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not problems


def test_none_stands_for_zero_in_an_opaque_vjp():
    f = flow.opaque(
        lambda x, y: float(np.sum(x) * y), 0.0, vjp=lambda p, g: (None, g * float(np.sum(p[0])))
    )
    dx, dy = flow.grad(lambda x, y: f(x, y), (0, 1))(X, 2.0)
    assert_allclose(dx, np.zeros(3))
    assert_allclose(dy, np.sum(X))


def test_opaque_on_tensors():
    x = flow.tensor(X, requires_grad=True)
    y = OPAQUE(x)
    assert_allclose(y.detach().numpy(), X**3)
    (g,) = flow.autograd.grad(y.sum(), x, retain_graph=True)
    assert_allclose(g.numpy(), 3.0 * X**2)
    with pytest.raises(RuntimeError, match="the vjp of cubed"):
        flow.autograd.grad(y.sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="is opaque"):
        flow.opaque(cubed, lambda x: x)(x).sum().backward()


# ---- insert_grad_of ----
def clipped(x):
    y = x * x
    with flow.insert_grad_of(y) as dy:
        dy = np.clip(dy, -1.0, 1.0)
    return np.sum(y**2)


@TARGETS
def test_an_inserted_clip(target):
    f = flow.compile(clipped, target=target)
    assert_allclose(f(X), np.sum(X**4))
    assert_allclose(clipped(X), np.sum(X**4))
    assert_allclose(flow.grad(f)(X), np.minimum(2.0 * X**2, 1.0) * 2.0 * X)


def test_inserted_statements_run_backwards(capsys):
    def f(x, n):
        s = 1.0
        for i in range(n):
            s = s * x[i]
            k = 10 * i
            with flow.insert_grad_of(s) as ds:
                print(i, k, ds)
                half = 0.5 * ds
                ds = half
        return s

    compiled = flow.compile(f, target="python")
    assert compiled(np.array([2.0, 3.0]), 2) == 6.0
    assert capsys.readouterr().out == ""
    assert_allclose(flow.grad(compiled)(np.array([2.0, 3.0]), 2), [0.75, 1.0])
    assert capsys.readouterr().out == "1 10 1.0\n0 0 1.5\n"


def test_an_insertion_reads_the_variable_as_it_is_there():
    def f(x):
        y = x * 3.0
        with flow.insert_grad_of(y) as dy:
            if y > 1.0:
                dy = dy * y
        y = y + 1.0
        return y * y

    assert_allclose(flow.grad(f)(0.5), 2.0 * 2.5 * 1.5 * 3.0)
    assert_allclose(flow.grad(f)(0.1), 2.0 * 1.3 * 3.0)
    # f' = 3 * 2 (z + 1) y, with y = 3x and z what y is after the insertion: dy/dx = 3, and
    # dz/dx = 3y, since a derivative through z passes the insertion again
    assert_allclose(flow.grad(flow.grad(f))(0.5), 6.0 * (3.0 * 1.5 * 1.5 + (1.5 + 1.0) * 3.0))


def test_an_insertion_on_tensors_is_refused():
    with pytest.raises(RuntimeError, match="register_hook"):
        clipped(flow.tensor(X, requires_grad=True))


def test_the_page_of_the_docs():
    page = Path(__file__).parents[2] / "docs" / "custom_rules.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 20 and not failed


@pytest.mark.parametrize("name", ["custom_vjp", "custom_jvp", "opaque", "insert_grad_of", "odeint"])
def test_public_names_have_an_example(name):
    assert ">>>" in getattr(flow, name).__doc__
