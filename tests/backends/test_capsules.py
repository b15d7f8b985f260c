"""The routines of BLAS and LAPACK: loaded without the package around them, checked by signature."""

import subprocess
import sys

import pytest

from srcgrad.backends.cpu import capsules
from srcgrad.backends.cpu.capsules import name_routine
from srcgrad.errors import CompilerError

ALONE = """
import sys
from srcgrad.backends.cpu import capsules
from srcgrad.backends.cpu.capsules import name_routine, symbol_of
import llvmlite.binding as llvm

name_routine("blas", "dgemm", 13)
name_routine("lapack", "dgesv", 8)
assert llvm.address_of_symbol(symbol_of("blas", "dgemm"))
if sys.platform == "linux":
    assert not [name for name in sys.modules if name.startswith("scipy")]
capsules._in_openblas = lambda module, name: None
name_routine("blas", "dgemv", 11)
assert llvm.address_of_symbol(symbol_of("blas", "dgemv"))
assert "scipy.linalg" not in sys.modules and "scipy.linalg.cython_blas" not in sys.modules

import numpy as np
import scipy.linalg
import scipy.linalg.cython_blas as blas

assert scipy.linalg.cython_blas is blas is sys.modules["scipy.linalg.cython_blas"]
assert scipy.linalg.solve(np.eye(2), np.ones(2)).tolist() == [1.0, 1.0]
name_routine("blas", "ddot", 5)
assert llvm.address_of_symbol(symbol_of("blas", "ddot"))
"""


def test_the_package_around_is_not_imported_and_may_be_later():
    subprocess.run([sys.executable, "-c", ALONE], check=True)


PRODUCTS = """
import sys
import numpy as np
import srcgrad as flow
from srcgrad.backends.cpu import capsules

if "capsules" in sys.argv:
    capsules._in_openblas = lambda module, name: None

def f(a, b, z):
    c = np.linalg.solve(a @ b + 3.0 * np.eye(3), b[0]) @ a
    of_complex = (z @ z).real + np.sum(z * (a @ z).imag).real
    return np.sum(c) + a[0] @ b[1] + np.sum(np.linalg.svd(a)[1]) + of_complex

rng = np.random.default_rng(0)
for dtype in (np.float64, np.float32):
    a, b = rng.normal(size=(2, 3, 3)).astype(dtype)
    value, gradients = flow.value_and_grad(f, grad_position=(0, 1))(a, b, a[0] + 1j * b[0])
    print(float(value).hex(), [g.tobytes().hex() for g in gradients])
"""


def test_both_ways_lead_to_the_same_functions(tmp_path):
    file = tmp_path / "products.py"
    file.write_text(PRODUCTS, encoding="utf-8")
    ways = [[sys.executable, str(file), *words] for words in ([], ["capsules"])]
    first, second = (subprocess.run(w, check=True, capture_output=True).stdout for w in ways)
    assert first == second and first.count(b"\n") == 2


def test_another_signature_is_refused(monkeypatch):
    monkeypatch.setattr(capsules, "_in_openblas", lambda module, name: None)
    with pytest.raises(CompilerError, match="dgemm has the signature void"):
        name_routine("blas", "dgemm", 12)
