"""The routines of BLAS and LAPACK: loaded without the package around them, checked by signature."""

import subprocess
import sys

import pytest

from srcgrad.backends.cpu.capsules import name_routine
from srcgrad.errors import CompilerError

ALONE = """
import sys
from srcgrad.backends.cpu.capsules import name_routine, symbol_of
import llvmlite.binding as llvm

name_routine("blas", "dgemm", 13)
name_routine("lapack", "dgesv", 8)
assert llvm.address_of_symbol(symbol_of("blas", "dgemm"))
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


def test_another_signature_is_refused():
    with pytest.raises(CompilerError, match="dgemm has the signature void"):
        name_routine("blas", "dgemm", 12)
