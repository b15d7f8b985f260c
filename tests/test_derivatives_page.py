"""The examples of docs/derivatives.md run, and the product with the Hessian of docs/overview.md."""

import re

import numpy as np
from numpy.testing import assert_allclose
from scipy import optimize
from scipy.optimize import minimize

import srcgrad as flow
from tests.tools.kept import ROOT

PAGE = (ROOT / "docs" / "derivatives.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_names_are_there():
    table = PAGE.partition("## Which to use when")[2].partition("All but")[0]
    named = re.findall(r"`(\w+)`", table)
    assert len(named) > 12 and all(hasattr(flow, name) for name in named)


def run(text, folder, scope):
    """Runs a block as a file, whose source is found."""
    file = folder / "block.py"
    file.write_text(text, encoding="utf-8")
    exec(compile(text, str(file), "exec"), scope)


def test_first_example(tmp_path):
    scope = {}
    run(BLOCK.findall(PAGE)[0], tmp_path, scope)
    x, v, h = scope["x"], scope["v"], scope["hessian"]
    assert_allclose(flow.hvp(scope["energy"])(x, v, 2.0), h @ v)
    assert_allclose(flow.laplacian(scope["energy"])(x, 2.0), np.trace(h))


def f(x, a=1.0, b=0.0):
    return np.sum((x - a) ** 2) + np.sum((x - a) ** 4) + 0.0 * np.sum(b)


def residuals(p, t):
    return p[0] * np.exp(p[1] * t) - 2.0 * np.exp(-0.5 * t)


def equations(x):
    return x**3 + x - 2.0


def rhs(t, y):
    return -y * t


def g(x):
    return np.sum(x)


def model(x, a, b):
    return a * np.exp(b * x)


X = np.linspace(0.0, 1.0, 9)
VALUES = {
    "x0": np.zeros(3), "p0": np.array([1.0, 0.0]), "t": X, "y0": np.array([1.0]),
    "data": np.ones(3), "labels": np.ones(3), "x": X, "y": 2.0 * np.exp(-0.5 * X),
}  # fmt: skip


def found_by(word, count):
    """What the lines of the page's block with a word in it find, on the real library."""
    text = next(b for b in BLOCK.findall(PAGE) if word in b)
    imports, _, calls = text.partition("\n\n")
    values: dict = {}
    exec(imports, values)
    found = [eval(line, {**globals(), **values, **VALUES}) for line in calls.splitlines()]
    assert len(found) == count
    return found


def test_with_derivatives_filled_in():
    *solved, curve = found_by("trust-krylov", 5)
    assert all(r.success for r in solved)
    for r in (*solved[:2], solved[3]):
        assert_allclose(r.x, 1.0, atol=1e-3)
    for p in (solved[2].x, curve[0]):
        assert_allclose(p, [2.0, -0.5], atol=1e-6)


def test_with_transforms():
    by_products, logistic, path = found_by("trust-ncg", 3)
    assert by_products.success and logistic.success and path.success
    assert_allclose(by_products.x, 1.0, atol=1e-4)
    assert_allclose(logistic.x, 1.0, atol=1e-4)
    assert_allclose(path.y[0, -1], np.exp(-0.5), rtol=1e-3)


def test_solvers_inside(tmp_path):
    text = next(b for b in BLOCK.findall(PAGE) if "fsolve" in b)
    scope = {"flow": flow, "np": np, "optimize": optimize}
    run(text, tmp_path, scope)
    k = np.array([1.0, 2.0, 3.0])
    x = optimize.fsolve(lambda x: x + k * x**3 - 1.0, np.ones(3))
    want = -2.0 * x**4 / (1.0 + 3.0 * k * x**2)
    assert_allclose(flow.grad(scope["settled"])(k), want, rtol=1e-6)


def test_product_of_the_overview(tmp_path):
    page = (ROOT / "docs" / "overview.md").read_text(encoding="utf-8")
    text = next(b for b in BLOCK.findall(page) if "hvp(" in b)
    scope = {"flow": flow, "np": np, "minimize": minimize}
    run(text, tmp_path, scope)
    assert_allclose(scope["best"].x, 1.0, atol=1e-5)
    matrix = flow.hessian(scope["valley"])(np.zeros(50))
    assert_allclose(scope["product"], matrix @ np.ones(50))
