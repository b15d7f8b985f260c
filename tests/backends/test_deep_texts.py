"""The python target runs programs that are nested more deeply than Python compiles."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends import deep_texts


def tower(x, m):
    for _ in range(m):
        for _ in range(m):
            for _ in range(m):
                for _ in range(m):
                    for _ in range(m):
                        if x > 0.0:
                            x = x * 1.1
                        if x > 9.0:
                            raise ValueError(f"{x} is large")
    return x


def towers(x, m):
    for _ in range(m):
        for _ in range(m):
            for _ in range(m):
                for _ in range(m):
                    for _ in range(m):
                        x = tower(x, m)
    return x


def highest(x, m):
    for _ in range(m):
        for _ in range(m):
            for _ in range(m):
                for _ in range(m):
                    for _ in range(m):
                        for _ in range(m):
                            for _ in range(m):
                                for _ in range(m):
                                    for _ in range(m):
                                        for _ in range(m):
                                            for _ in range(m):
                                                x = towers(x, m)
    return x


def test_loops_of_helpers_in_loops():
    f = flow.compile(highest, target="python", cache=False)
    assert f(2.0, 1) == highest(2.0, 1)
    assert flow.grad(f)(2.0, 1) == pytest.approx(1.1)
    with pytest.raises(ValueError, match=r"9\.9.* is large\n.*test_deep_texts.py:19, in tower"):
        f(9.0, 1)


def test_many_returns():
    lines = [f"    if x < {k}.0: return x * {k}.0" for k in range(120)]
    text = "\n".join(["def f(x):", *lines, "    return x"])
    scope: dict = {}
    exec(text, scope)
    f = flow.compile(scope["f"], source=text, target="python")
    assert [f(v) for v in (0.5, 60.5, 119.5)] == [0.5, 60.5 * 61.0, 119.5]
    assert flow.grad(f)(60.5) == 61.0


def stores(a, n):
    total = 0.0
    for i in range(n):
        while total < 5.0 * (i + 1):
            if a[i] > 0.0:
                total, a[i] = total + a[i], a[i] * 1.5
            else:
                total = total + 1.0
    return total


def test_parts_store_and_carry(monkeypatch):
    monkeypatch.setattr(deep_texts, "DEEPEST", 3)
    a = np.array([1.0, -2.0, 0.5])
    f = flow.compile(stores, target="python", cache=False)
    assert f(a.copy(), 3) == stores(a.copy(), 3)
    wanted = [(stores(a + h, 3) - stores(a - h, 3)) / 2e-6 for h in np.eye(3) * 1e-6]
    np.testing.assert_allclose(flow.grad(f)(a, 3), wanted, rtol=1e-6)
