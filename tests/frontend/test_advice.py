"""What refusals tell to write instead is written here, and works: values and gradients."""

import importlib
import inspect
import io
import math
import sys

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.optimize
import scipy.special
import scipy.stats

import srcgrad as flow
from srcgrad.errors import nearest
from srcgrad.frontend import advice, unknown_functions
from srcgrad.frontend.handlers.registry import handler_of, know_all
from tests.tools.turns import share

pytestmark = pytest.mark.usefixtures("quiet")


def on_python(f):
    return flow.compile(f, target="python")


def refused(f, *args) -> str:
    """The way out of a refusal."""
    with pytest.raises(NotImplementedError) as e:
        on_python(f)(*args)
    assert "docs/" not in str(e.value)
    return e.value.way_out


# ---- the table ----
def test_names_of_the_table_are_refused_under_them():
    know_all()
    for name in advice.BY_NAME:
        module, _, own = name.rpartition(".")
        f = getattr(importlib.import_module(module), own, None)
        if f is not None:  # some come and go with the versions
            assert handler_of(f) is None, name
            assert unknown_functions.callable_name(f) == name
            assert unknown_functions.why_unknown(f)[1] == advice.BY_NAME[name]


MODULES = (np, np.linalg, math, scipy.special, scipy.integrate, scipy.optimize)


def unsupported() -> list:
    know_all()
    found = []
    for m in MODULES:
        public = {n: getattr(m, n) for n in dir(m) if n[:1] != "_"}
        calls = {n: f for n, f in public.items() if callable(f) and not isinstance(f, type)}
        found += [f for f in calls.values() if handler_of(f) is None and not inspect.ismodule(f)]
    return found


def test_every_unsupported_function_has_a_way_out():
    found = unsupported()
    assert len(found) > 250
    for f in found:
        why = unknown_functions.why_unknown(f)
        assert why is not None and why[1], f
        assert "did you mean" not in why[1] and "docs/" not in why[1]


# ---- each way out, followed ----
def test_an_equation_in_time():
    def rhs(y, t, k):
        return -k * y

    def wrong(k):
        return scipy.integrate.RK45(lambda t, y: -k * y, 0.0, [1.0], 1.0).y[0]

    def right(k):
        return flow.odeint(rhs, 1.0, np.array([0.0, 1.0]), k)[1]

    assert "flow.odeint(rhs, y0, t, *args)" in refused(wrong, 0.5)
    assert flow.grad(on_python(right))(0.5) == pytest.approx(-np.exp(-0.5), rel=1e-6)


def test_an_integral():
    z, w = np.polynomial.legendre.leggauss(40)

    def wrong(k):
        return scipy.integrate.qmc_quad(lambda t: np.sin(k * t), 0.0, 2.0)[0]

    def right(k):
        a, b = 0.0, 2.0
        return (b - a) / 2 * np.sum(w * np.sin(k * (a + b + (b - a) * z) / 2))

    said = refused(wrong, 1.5)
    assert "np.polynomial.legendre.leggauss(40)" in said and "np.sum(w * f(" in said
    exact = scipy.integrate.quad(lambda t: t * np.cos(1.5 * t), 0.0, 2.0)[0]
    assert flow.grad(on_python(right))(1.5) == pytest.approx(exact, rel=1e-12)


def cubic(x, a):
    return x**3 - a


def test_a_root():
    def wrong(a):
        t, y = np.linspace(0.0, 1.0, 5), np.ones((1, 5))
        return scipy.integrate.solve_bvp(lambda t, y: -y, lambda y, end: y - a, t, y).y[0, -1]

    found = flow.opaque(lambda x0, a: scipy.optimize.brentq(cubic, 0.0, 100.0, args=(a,)), 1.0)
    assert "flow.implicit_root(residual, flow.opaque(solver, like))" in refused(wrong, 8.0)
    for root in (flow.implicit_root(cubic), flow.implicit_root(cubic, found)):

        def right(a, root=root):
            return root(1.0, a)

        assert flow.grad(on_python(right))(8.0) == pytest.approx(1 / 12, rel=1e-9)


def test_a_minimum():
    def f(x, a):
        return np.sum((x - a) ** 2 + 0.1 * x**4)

    def solver(x0, a):
        options = {"gtol": 1e-10}
        return scipy.optimize.minimize(f, x0, args=(a,), jac=flow.grad(f), options=options).x

    best = flow.implicit_root(flow.grad(f), flow.opaque(solver, lambda x0, a: x0))

    def wrong(a):
        return scipy.stats.fit(scipy.stats.norm, a, [(-5.0, 5.0), (0.1, 5.0)]).params.loc

    def right(a):
        return np.sum(best(np.zeros(2), a) ** 2)

    said = refused(wrong, np.ones(2))
    assert "jac=flow.grad(f)" in said
    assert "flow.implicit_root(flow.grad(f), flow.opaque(solver, like))" in said
    a, h = np.array([1.0, 2.0]), 1e-4
    x = solver(np.zeros(2), a)
    steps = [(right(a + h * e) - right(a - h * e)) / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(flow.grad(on_python(right))(a), steps, rtol=1e-5)
    np.testing.assert_allclose(2 * (x - a) + 0.4 * x**3, 0.0, atol=1e-6)


XS = np.linspace(0.0, 3.0, 7)


def test_a_spline_that_does_not_interpolate():
    def wrong(x):
        return scipy.interpolate.make_smoothing_spline(XS, np.sin(XS))(x)

    made = scipy.interpolate.make_smoothing_spline(XS, np.sin(XS))
    assert "make it outside, from data that are not differentiated" in refused(wrong, 0.3)
    x = np.array([0.3, 1.1])
    np.testing.assert_allclose(flow.grad(on_python(lambda x: np.sum(made(x))))(x), made(x, 1))


def test_a_function_without_a_derivative_of_ours():
    def wrong(x):
        return scipy.special.zeta(2.5, x)

    said = refused(wrong, 0.3)
    assert "flow.opaque(scipy.special.zeta, like, vjp=...)" in said

    def pull(p, g):
        return (None, -g * p[0] * scipy.special.zeta(p[0] + 1.0, p[1]), None)  # of out

    f = flow.opaque(scipy.special.zeta, float, vjp=pull)
    g = flow.grad(on_python(lambda x: f(2.5, x)))(0.3)
    assert g == pytest.approx((wrong(0.3 + 1e-6) - wrong(0.3 - 1e-6)) / 2e-6, rel=1e-6)


X = np.array([1.0, 2.0, 0.5])
A = np.arange(6.0).reshape(2, 3)
# what is refused, what is said, and what to write, with x for an array
WRITTEN = [
    ("np.unique_values(x)", "use np.unique", "np.unique(x)"),
    ("np.frompyfunc(lambda v: v * v, 1, 1)(x)", "use np.vectorize",
     "np.vectorize(lambda v: v * v)(x)"),
    ("np.bmat([[x]])", "use np.block", "np.block([[x], [x]])"),
    ("np.polynomial.Polynomial(x)(2.0)", "np.polynomial.polynomial.polyval(x, coefficients)",
     "np.polynomial.polynomial.polyval(2.0, x)"),
    ("np.polynomial.Chebyshev(x)(0.5)", "np.polynomial.chebyshev.chebval(x, coefficients)",
     "np.polynomial.chebyshev.chebval(0.5, x)"),
    ("np.array2string(x)", "print(x) shows an array", "x * len(f'{3}')"),
    ("np.nested_iters(x, [[0]])[0].value", "for i in range(len(x))",
     "sum([x[i] for i in range(len(x))])"),
]  # fmt: skip
KNOWN = {"np": np, "math": math, "scipy": scipy, "A": A, "XS": XS, "y": X + np.arange(3.0)}


def program(text: str):
    source = f"def f(x):\n    return np.sum({text})\n"
    scope = dict(KNOWN)
    exec(source, scope)
    return flow.compile(scope["f"], target="python", source=source)


@pytest.mark.parametrize(("wrong", "said", "right"), share(WRITTEN))
def test_another_function(wrong, said, right):
    name = wrong.removeprefix("[v for v in ").partition("(")[0].rpartition(".")[2]
    if not any(hasattr(m, name) for m in (np, np.linalg, np.polynomial.polynomial, np.polynomial,
                                         scipy.interpolate)):  # fmt: skip
        return  # a version without the function
    with pytest.raises(NotImplementedError) as e:
        program(wrong)(X)
    assert said in e.value.way_out
    gradient = flow.grad(program(right))(X)
    loss = program(right)
    h = 1e-2 if "float32" in right else 1e-6
    steps = [(loss(X + h * e) - loss(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(gradient, steps, atol=1e-3 if "float32" in right else 1e-7)


# ---- Python ----
def test_text_that_is_written(capfd):
    stream = io.StringIO()

    def wrong(x):
        stream.write("large\n")
        return x

    def right(x):
        sys.stderr.write("large\n")
        return x * x

    assert refused(wrong, 0.3) == "use print(), or write() of sys.stdout and sys.stderr"
    assert flow.grad(on_python(right))(0.3) == 0.6
    assert capfd.readouterr().err == "large\n"


def test_an_exception_that_nobody_raises():
    def loss(x):
        if x > 0.1:
            RuntimeWarning("large", x)
        return x * x

    assert flow.grad(on_python(loss))(0.3) == 0.6


def test_numpy_of_a_captured_tensor():
    t = flow.tensor([1.0, 2.0])
    said = refused(lambda x: x * np.sum(t.numpy()), 0.3)
    assert said == "leave it out: operators and NumPy's functions take the tensor itself"
    assert float(flow.grad(on_python(lambda x: x * np.sum(t)))(0.3)) == 3.0


def test_a_class_of_the_users():
    class Point:
        def __init__(self, a):
            self.a = a

    def loss(p):
        return p.a * p.a

    with pytest.raises(TypeError) as e:
        flow.grad(on_python(loss))(Point(3.0))
    said = "make Point a dataclass, or say what it is made of: flow.tree.register(Point, ...)"
    assert e.value.way_out == said
    flow.tree.register(Point, lambda p: ((p.a,), None), lambda _, parts: Point(*parts))
    assert flow.grad(on_python(loss))(Point(3.0)).a == 6.0


def test_a_class_of_a_module_with_random_in_its_name():
    class Scale:
        def __call__(self, x):
            return 2.0 * x

    Scale.__module__ = "random_forests"
    scale = Scale()
    assert flow.grad(on_python(lambda x: scale(x)))(0.3) == 2.0


# ---- names of ours ----
HERE = {
    "make_jvp": lambda f, x, v: flow.jvp(flow.grad(f), (x,), (v,))[1],
    "make_vjp": lambda f, x, v: flow.vjp(flow.grad(f), x)[1](v)[0],
}


@pytest.mark.parametrize("name", HERE)
def test_names_of_other_packages(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': write flow."):
        getattr(flow, name)
    f = on_python(lambda x: np.sum(x**3))
    np.testing.assert_allclose(HERE[name](f, X, np.ones(3)), 6.0 * X)


def test_each_name_of_other_packages_is_none_of_ours():
    for name, said in flow._ELSEWHERE.items():
        with pytest.raises(AttributeError, match="no attribute") as e:
            getattr(flow, name)
        assert said in str(e.value)
        for word in said.replace("(", " ").replace(",", " ").replace(")", " ").split():
            if word.startswith("flow."):
                owner, *parts = word.split(".")[1:]
                value = getattr(flow, owner)
                for p in parts:
                    value = getattr(value, p)


def test_a_misspelt_name_of_ours():
    with pytest.raises(AttributeError, match="Did you mean: 'hessian'"):
        _ = flow.hessiann


@pytest.mark.parametrize("transform", ["grad", "value_and_grad", "jacrev", "jacfwd", "hessian"])
def test_arguments_by_other_names(transform):
    def f(x, y):
        return x * y * y

    with pytest.raises(TypeError, match="unexpected keyword argument 'argnum'") as e:
        getattr(flow, transform)(f, argnum=1)
    assert e.value.way_out == "write grad_position="
    assert flow.grad(on_python(f), grad_position=1)(2.0, 3.0) == 12.0


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("summ", "sum"), ("exo", "exp"), ("arrange", "arange"), ("cso", "cos"), ("meen", "mean"),
        ("kei", ""), ("hyp2f1q", ""), ("poly2d", "poly1d"), ("vmap", ""), ("as", ""),
        ("cumulative", ""), ("linspcae", "linspace"),
    ],
)  # fmt: skip
def test_spelling(name, wanted):
    assert nearest(name, dir(np)) == wanted
