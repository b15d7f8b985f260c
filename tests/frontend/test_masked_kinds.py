"""Masked arrays of rank 0, of narrow floats and of no elements: dtypes and classes are NumPy's."""

import pytest

from tests.frontend.test_masked_programs import compare
from tests.tools.turns import share

pytestmark = pytest.mark.filterwarnings("ignore")
F = "n = np.ma.array(y.astype(np.float32), mask=y > 0.5)"
PROGRAMS = [
    # an array made without a mask has none
    "n = np.ma.MaskedArray(y)", "n = np.ma.masked_array(y * 1.0)", "n = np.ma.asarray(y)",
    "n = np.ma.asarray(y[1:], order='C'); n[0] = 3.0", "n = np.ma.asanyarray(n); n[0] = 3.0",
    "n = np.ma.MaskedArray(y.reshape(2, 3)).std(axis=0)", "n = np.ma.asarray(y)[:1].var(ddof=1)",
    # numbers of Python's are weak for NumPy's ufuncs, not for numpy.ma's
    *(f"{F}; n = n {op} 0.7" for op in ("+", "-", "*", "/", "//", "%", "**")),
    *(f"{F}; n = 0.7 {op} n" for op in ("+", "-", "*", "/", "//", "%", "**")),
    *(f"{F}; n = np.{f}(n, 0.7)" for f in ("add", "divide", "remainder", "power", "fmod")),
    f"{F}; n = np.hypot(2, n)", f"{F}; n = np.add(n, y[0])", f"{F}; n = n % k",
    # a number or `masked` has the dtype of the number
    *(f"{F}; n = n[0] {op} n[k]" for op in ("+", "-", "*", "/", "//", "%", "**", "<", "==")),
    f"{F}; n = n.max() - n.min()", f"{F}; n = n.ptp()", f"{F}; n = n.sum() / n[k]",
    f"{F}; n = np.sqrt(n[k])", f"{F}; n = np.ma.sqrt(n[k])", f"{F}; n = n[k] + 1.0",
    f"{F}; n[:3] = np.ma.masked; n = n.reshape(2, 3).max(axis=1)",
    f"{F}; n = (m[0] + n[0]) * 2.0",
    # rank 0
    "n = n[..., 0]; n = n.ndim", "n = (n[..., k] * 2.0)", "n = n.reshape(2, 3)[..., 0]",
    "n = np.ma.masked_where(y[1] > 0, y[0]); n = np.ma.filled(np.sin(n), 7.0)",
    "n = (m[k:k + 1].sum() + np.ma.array(y[0])) ** 2", "n = np.ma.power(y[0], 2.0)",
    "n = np.ma.power(y[0], 0.5)", "n = np.ma.filled(np.ma.masked_where(y[1] > 0, y[0]) ** 2, 7.0)",
    # no elements
    *(f"n = np.ma.masked_less(y[:0], 0.0).{f}()" for f in ("sum", "any", "all", "prod", "count")),
    "n = np.ma.masked_where(True, y[:0])", "n = np.ma.array(y[:0], mask=False).sum()",
    # places in the order of all elements, as numpy.ma has them of matrices
    "n = m.reshape(2, 3).argsort()", "n = m.reshape(2, 3).argsort(axis=1)",
    "n = np.ma.argsort(m.reshape(2, 3))",
    # powers in place
    "m **= 0.5", "n **= -1.5", "n **= m", "m **= n[0]", "n = np.ma.zeros(6); n **= m[0]",
    "n = m[1:]; m **= 0.5", "n = np.ma.array(y - 9.0); n **= k - 0.5; n[0] = 1.0",
    "m.fill_value = 3.0; m **= 0.5",
    "n.fill(2.0)", "m.fill_value = 3.0; m.fill(x[0]); n = m.filled()",
    # masks that may be the first one
    "n = np.ma.fix_invalid(y).filled(0.0)", "m = np.ma.fix_invalid(n, copy=False)",
    "m = np.ma.fix_invalid(y, fill_value=0.5); m[0] = 4.0",
    "m = np.ma.fix_invalid(y, mask=x > 0); m[k] = np.ma.masked",
    "n = np.ma.array(y * 1.0); n **= 0.5; n = n.filled(0.0)",
    "n = np.ma.array(y * 1.0); m = n[1:]; m = np.ma.fix_invalid(m, copy=False)",
]  # fmt: skip


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str):
    compare(text, "python")


@pytest.mark.parametrize("text", share(PROGRAMS)[::4])
def test_programs_on_the_cpu(text: str):
    compare(text, "cpu")
