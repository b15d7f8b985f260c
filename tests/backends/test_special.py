"""Special functions in compiled code: SciPy's own C functions, found again in another process."""

import os
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.emit import driver
from srcgrad.passes.lower import lower
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.special import SPECIAL
from tests.backends.backend_programs import Program

PROGRAM = """
import numpy as np
import scipy.special as special
import srcgrad as flow

@flow.compile
def f(x):
    return np.sum(special.gammaln(x) * special.jv(2, x))

print(repr(float(flow.grad(f)(np.array([0.5, 1.5])).sum())))
"""


def test_machine_code_is_found_again_by_the_symbol(tmp_path):
    root = str(Path(srcgrad.__file__).parents[1])
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": root, "SRCGRAD_CACHE_DIR": str(tmp_path / "cache")}
    outputs = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, str(file)], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert list((tmp_path / "cache").glob("*.o")), "machine code was kept"


def compiled(name, arity, dtype="f64", **params):
    """The function of one dtype; no helper is compiled for it."""
    p = Program()
    args = [p.array(f"a{k}", None, dtype=dtype) for k in range(arity)]
    return build(lower(p.returns(p.b(name, *args, **params))), BuildOptions(cache=False)).run


@pytest.fixture(autouse=True)
def no_helper(monkeypatch):
    monkeypatch.setattr(driver, "ready", None)


@pytest.mark.parametrize("name", [n for n in SPECIAL if n != "polygamma"])
def test_compiled_values_are_scipys(name):
    arity = len(REGISTRY[name].rules)
    points = np.array([-1.5, -0.3, 0.0, 0.2, 0.7, 1.5, 4.0, 30.0] if arity < 3 else [0.2, 0.7, 2.5])
    at = [g.ravel() for g in np.meshgrid(*(points,) * arity)]
    if name == "expn" or name.startswith("spherical"):
        good = (at[0] == np.floor(at[0])) & (at[0] >= 0)
        good = good & ((at[1] >= 0) | (name != "spherical_kn"))  # releases differ
        at = [a[good] for a in at]
    with np.errstate(all="ignore"):
        want = getattr(special, SPECIAL[name])(*at)
    np.testing.assert_allclose(compiled(name, arity)(*at)[0], want, rtol=1e-14)
    small = [a.astype(np.float32) for a in at]
    with np.errstate(all="ignore"):
        want = getattr(special, SPECIAL[name])(*(a.astype(float) for a in small))
    (got,) = compiled(name, arity, "f32")(*small)
    assert got.dtype == np.float32
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got, want.astype(np.float32))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_polygamma_is_right_to_rounding(n):
    points = np.array([1e-3, 0.1, 0.5, 1.0, 1.4616, 3.7, 11.9, 12.1, 50.0, 1e4])
    want = np.array([float(mpmath.psi(n, x)) for x in points])
    np.testing.assert_allclose(compiled("polygamma", 1, n=n)(points)[0], want, rtol=2e-14)
    np.testing.assert_allclose(REGISTRY["polygamma"].impl(points, n), want, rtol=2e-14)


@pytest.mark.parametrize("n", [1, 2])
def test_polygamma_at_poles_and_far_away(n):
    points = np.array([-np.inf, -1e300, -(2.0**53), -3.0, -0.0, 0.0, np.inf, np.nan, -2.5, 1e300])
    want = REGISTRY["polygamma"].impl(points, n)
    np.testing.assert_allclose(compiled("polygamma", 1, n=n)(points)[0], want, rtol=2e-14)
