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
from srcgrad.primitives.bessel import SCALED
from srcgrad.primitives.special import ALL_COMPLEX, SPECIAL
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


def loops(name):
    """The types that SciPy's function takes, as those of a ufunc."""
    given = ["dd->d", "dD->D"] if name.startswith("spherical") else []
    return getattr(getattr(special, SPECIAL.get(name, name)), "types", given)


OF_SCALED = {op.name for op in SCALED}
OF_REALS = [n for n in SPECIAL if any(t.endswith("->d") for t in loops(n)) and n not in OF_SCALED]
OF_COMPLEX = [
    n for n in [*SPECIAL, "erf", "erfc"]
    if any(t.endswith("->D") for t in loops(n)) and n not in {*OF_SCALED, "bessel_ive"}
]  # fmt: skip


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_compiled_values_of_complex_numbers_are_scipys(name):
    *orders, _ = next(t for t in loops(name) if t.endswith("->D")).partition("->")[0]
    points = np.array([-1.5 + 0.3j, 0.2 - 0.1j, 4.0 + 0.0j, -0.7 - 6.0j, 12.0 + 9.0j, np.nan + 1j])
    f = getattr(special, SPECIAL.get(name, name))
    for kind in (np.complex128, np.complex64):
        z = points.astype(kind)
        at = [np.full(len(z), 2.0 + 0.5 * (name[:9] != "spherical"), kind) for _ in orders]
        given = at if name in ALL_COMPLEX else [a.real.astype(float) for a in at]
        given = [a.astype(int) if name.startswith("spherical") else a for a in given]
        with np.errstate(all="ignore"):
            want = f(*given, z.astype(complex)).astype(kind)
        (got,) = compiled(name, len(orders) + 1, "c128" if kind is np.complex128 else "c64")(*at, z)
        assert got.dtype == kind
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("row", SCALED, ids=str)
def test_scaled_values_are_scipys_times_the_rest_of_the_scale(row):
    z = np.array([-1.5 + 0.3j, 0.2 - 0.1j, 40.0 - 900.0j])
    t = np.abs(getattr(z, SCALED[row])) + np.array([0.0, 0.5, -2.0])
    orders = np.full(3, 1.5 + 0j)
    (got,) = compiled(row.name, 3, "c128")(orders, z, t.astype(complex))
    want = getattr(special, SPECIAL[row.name])(1.5, z) * np.exp([0.0, -0.5, 2.0])
    np.testing.assert_allclose(got, want, rtol=1e-13)
    np.testing.assert_allclose(row.impl(orders, z, t), want, rtol=1e-13)


@pytest.mark.parametrize("name", OF_REALS)
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
