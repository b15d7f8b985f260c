"""The loops of ufuncs, whose operands are numbers of Python's beside arrays."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import special

from srcgrad.frontend.handlers.ufunc_keywords import resolved

F32, F64, I8, I64 = (np.dtype(n) for n in ("float32", "float64", "int8", "int64"))
# each call 300 times: NumPy 2.4's resolve_dtypes(int, ...) crashes after some 100
OFTEN = """
import numpy as np
import srcgrad.frontend.handlers.ufunc_keywords as keywords
for f, g in ((np.power, int), (np.add, float), (np.multiply, complex)):
    for _ in range(300):
        keywords.resolved(f, [g, np.dtype("float64"), None], {})
print("whole")
"""


def numbers(*given):
    return [2 if g is int else g(0.5) if isinstance(g, type) else np.ones(3, g) for g in given]


@pytest.mark.parametrize("f", [np.add, np.power, np.divide, np.less, np.hypot, np.logaddexp])
@pytest.mark.parametrize("number", [int, float])
@pytest.mark.parametrize("kind", [I8, I64, F32, F64])
def test_results_have_the_dtype_of_the_call(f, number, kind):
    for given in ((number, kind), (kind, number)):
        *taken, made = resolved(f, [*given, None], {})
        assert made == f(*numbers(*given)).dtype
        assert all(np.can_cast(g, t) for g, t in zip(given, taken, strict=True) if g is kind)


@pytest.mark.parametrize(
    ("f", "given", "found"),
    [
        (special.eval_legendre, (int, F32), (I64, F64, F64)),
        (special.lpmv, (int, float, F32), (F32, F32, F32, F32)),
        (np.ldexp, (F32, int), None),
        (np.power, (int, F32), (F32, F32, F32)),
    ],
)
def test_mixed_loops(f, given, found):
    made = resolved(f, [*given, None], {})
    assert made[-1] == f(*numbers(*given)).dtype
    assert found is None or made == found


def test_what_cannot_be_cast_is_a_type_error():
    with pytest.raises(TypeError, match="Cannot cast"):
        resolved(np.add, [int, np.dtype("int32"), I8], {"casting": "safe"})
    assert resolved(np.add, [int, F32, None], {"signature": (None, None, F64)}) == (F64,) * 3


def test_numbers_may_be_resolved_often():
    run = subprocess.run([sys.executable, "-c", OFTEN], capture_output=True, text=True, timeout=120)
    assert run.stdout == "whole\n", run.stderr[-500:]
