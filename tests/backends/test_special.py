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
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.special import SPECIAL

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
    assert list((tmp_path / "cache").glob("**/*.nbc")), "machine code was kept"


@pytest.mark.parametrize("name", [n for n in SPECIAL if n != "polygamma"])
def test_compiled_values_are_scipys(name):
    from srcgrad.backends.cpu import special as compiled

    arity = len(REGISTRY[name].rules)
    points = np.array([-1.5, -0.3, 0.0, 0.2, 0.7, 1.5, 4.0, 30.0] if arity < 3 else [0.2, 0.7, 2.5])
    grids = np.meshgrid(*(points,) * arity)
    for at in zip(*(g.ravel() for g in grids), strict=True):
        if name == "expn" and not (at[0].is_integer() and at[0] >= 0):
            continue
        with np.errstate(all="ignore"):
            want = getattr(special, SPECIAL[name])(*at)
        got = getattr(compiled, name)(*map(float, at))
        np.testing.assert_allclose(got, want, rtol=1e-14, err_msg=f"{name}{at}")


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_polygamma_is_right_to_rounding(n):
    from srcgrad.backends.cpu import special as compiled

    for x in (1e-3, 0.1, 0.5, 1.0, 1.4616, 3.7, 11.9, 12.1, 50.0, 1e4):
        want = float(mpmath.psi(n, x))
        assert compiled.polygamma(n, x) == pytest.approx(want, rel=2e-14)
        assert REGISTRY["polygamma"].impl(x, n) == pytest.approx(want, rel=2e-14)
