"""Loops that end for one of several reasons end where their limit says: LLVM is not misled."""

import os
import subprocess
import sys

import numpy as np
import pytest

import srcgrad as flow

SEARCHES = """
import numpy as np
import srcgrad as flow

def kept(x):
    kept = {k: v * v for k, v in enumerate(x) if v > 0.5}
    return sum(kept.values()) * len(kept)

for x in (np.full(5, 0.7), np.array([0.3, 0.7, 1.1, -0.4, 0.9, 1.6])):
    value, gradient = flow.value_and_grad(kept, target="cpu")(x)
    n = np.sum(x > 0.5)
    np.testing.assert_allclose(value, kept(x))
    np.testing.assert_allclose(gradient, np.where(x > 0.5, 2 * n * x, 0.0))
"""


@pytest.mark.parametrize("way", ["", "guarded"])
def test_searches_among_the_keys_of_a_dict(way, tmp_path):
    """Guarded, each trip compares its place with the size that it loads."""
    program = tmp_path / "program.py"
    program.write_text(SEARCHES)
    env = {**os.environ, "SRCGRAD_CPU": way, "SRCGRAD_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def first_of_two(a, n):
    m = min(n, 100)
    i = 0
    found = False
    while not found and i < m:
        found = a[i] > 1.0
        i += 1
    return a[0] * i


def short_circuit(a, n):
    m = min(n, 100)
    i = 0
    while i < m and a[i] <= 1.0:
        i += 1
    return a[0] * i


def by_number_alone(a, n):
    m = min(n, 100)
    i = 0
    s = 0.0
    while i < m:
        s += a[i]
        i += 2
    return s


@pytest.mark.parametrize(
    ("f", "limits"), [(first_of_two, 1), (short_circuit, 1), (by_number_alone, 0)]
)
def test_the_limit_of_one_of_several_reasons_has_no_known_bound(f, limits):
    g = flow.compile(f)
    for n in range(5):
        for a in (np.array([0.5, 0.5, 1.5, 0.5]), np.full(4, 0.5)):
            assert g(a, n) == f(a, n)
    assert g.source("llvm").count('asm "", "=r,0"') == limits
