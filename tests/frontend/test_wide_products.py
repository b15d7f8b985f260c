"""Products of Python integers past 64 bits: floats where floats are read, errors elsewhere."""

import random

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.test_deep_programs import made, returning
from tests.tools.turns import share

TARGETS = ("python", "cpu")


def zeta(x, n, s):
    """65536**4 is 2**64, which wraps around to 0."""
    total = 0.0
    for k in range(65_530, n):
        total += x / k**4 + x / k**s
    return total


def powers(x, n, k):
    return 7**n * x + (-3) ** n * x + (n + k) ** 9 * np.sqrt(x)


def triangle(x, n, k):
    return x * (n * (n + 1) / 2) - complex((n + k) * n).real * x


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("f", "n", "k"),
    [(zeta, 65_540, 7), (powers, 22, 3), (powers, 300, 2**40), (triangle, 2**40, -5)],
)
def test_floats_are_read(f, n, k, target):
    value, slope = flow.value_and_grad(f, target=target)(1.5, n, k)
    assert_allclose(value, f(1.5, n, k), 1e-14)
    small = 1e-3
    change = (f(1.5 + small, n, k) - f(1.5 - small, n, k)) / (2 * small)
    assert_allclose(slope, change, 1e-6)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "text",
    ["x / (1 << n % 99)", "x * (n << 3)", "x if n * n > 3 else -x", "x if -n * n * n <= n else -x",
     "x if n**4 == 5 else -x", "x if 7 != n * n * n * n else -x", "x * (n * n / (n * n + 1))",
     "x * abs(n * -n)", "x * (n * n) ** 0.5", "x * bool(n * n)"],
)  # fmt: skip
def test_comparisons_and_shifts(text, target):
    f = made("def f(x, n):", f"    return {text}")
    compiled = flow.compile(f, target=target)
    for n in (1, 3, 7, 10**6, 2**32, 2**40, -(2**40)):
        assert_allclose(compiled(0.5, n), f(0.5, n), 1e-15)


def polynomial(draw, depth):
    """An integer of a, b, the index k and constants, as Python text."""
    kind = draw.choice(("leaf", "sum", "product", "power", "negative") if depth else ("leaf",))
    if kind == "leaf":
        return draw.choice(("a", "b", "k", "a", "b", str(draw.randrange(1, 10**6))))
    left, right = polynomial(draw, depth - 1), polynomial(draw, depth - 1)
    return {
        "sum": f"({left} {draw.choice('+-')} {right})",
        "product": f"({left} * {right})",
        "power": f"{left} ** {draw.randrange(2, 5)}",
        "negative": f"(-{left})",
    }[kind]


@pytest.mark.parametrize("seed", share(range(64)))
def test_random_polynomials(seed):
    """Each is a factor: where 2**62 is far away it is Python's to the last bit."""
    draw = random.Random(seed)
    text = polynomial(draw, 3)
    f = made(
        "def f(x, a, b):",
        "    s = 0.0",
        "    for k in range(b % 5 + 3):",
        f"        s += {text} * x",
        "    return s",
    )
    compiled = flow.compile(f, target="python")
    for digits in (1, 3, 6, 12, 15):
        a, b = (draw.randrange(-(10**digits), 10**digits) for _ in range(2))
        if any(parts(text, a, b, k) > 1e300 for k in range(b % 5 + 3)):
            continue  # Python's OverflowError, an infinity here
        want = f(0.75, a, b)
        exact = all(abs(eval(text, {"a": a, "b": b, "k": k})) < 2**50 for k in range(b % 5 + 3))
        # sums of parts that are far wider than they are lose what floats lose
        size = sum(parts(text, a, b, k) for k in range(b % 5 + 3))
        tolerance = 0.0 if exact else 1e-14 * size
        assert abs(compiled(0.75, a, b) - want) <= tolerance, (text, a, b)


def parts(text, a, b, k):
    """The size that a polynomial could have if nothing cancelled."""
    return eval(text.replace("-", "+"), {"a": abs(a), "b": abs(b), "k": k})


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "text",
    ["x * (n * n % 7)", "x * (n**3 // 5)", "x if n * n > n * n + 1 else -x", "n * n",
     "x * max(n * n, 4)", "x * np.array([n * n, 3])[0]", "x * (n * n & 255)",
     "x * [n * n, 3][int(x)]", "(1 << abs(n)) % 7 * x", "(n << 30) | 1"],
)  # fmt: skip
def test_what_needs_all_bits_raises(text, target):
    f = made("def f(x, n):", f"    return {text}")
    compiled = flow.compile(f, target=target)
    for n in (3, -7, 31):
        assert compiled(0.5, n) == f(0.5, n)
    with pytest.raises(UnsupportedError, match="past 64 bits"):
        compiled(0.5, 2**40)


def test_places_and_narrow_products_need_no_check():
    def f(x, n):
        s = 0.0
        for i in range(n):
            for j in range(len(x) // n):
                s += x[i * (len(x) // n) + j] * (i * j) + x[i * n]
        return s

    compiled = flow.compile(f, target="python")
    assert compiled(np.arange(6.0), 2) == f(np.arange(6.0), 2)
    text = compiled.ir()
    assert "fail" not in text
    assert "abs" not in text


def test_a_conversion_in_a_branch_finds_its_float():
    f = returning("x * y", "y = 2.0", "if x > 1.0:", "    y = len(str(y)) ** 30")
    assert flow.compile(f, target="python")(2.0) == f(2.0)
