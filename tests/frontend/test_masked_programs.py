"""Programs that store to masked arrays and share them: what NumPy has, below the masks too."""

import linecache
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from tests.tools.turns import share

pytestmark = pytest.mark.filterwarnings("ignore")
SHOW = """
def show(v):
    if v is np.ma.masked:
        return "masked"
    if isinstance(v, np.ma.MaskedArray):
        return v.data, np.ma.getmaskarray(v), v.mask is np.ma.nomask, v.fill_value
    return v

def f(x, y, k):
    m, n = np.ma.masked_less(x * 1.0, 0.0), np.ma.array(y * 1.0, mask=y > 0.5)
    {}
    return show(m), show(n)
"""
G = np.random.default_rng(3)
DATA = [
    (G.normal(size=6), G.normal(size=6), 1), (np.abs(G.normal(size=6)), G.normal(size=6) - 2.0, 2),
    (-np.abs(G.normal(size=6)), np.where(np.arange(6) == 2, np.nan, G.normal(size=6)), 0),
]  # fmt: skip
PROGRAMS = [
    "m[1] = 3.0", "m[1] = np.ma.masked", "m[1:3] = np.ma.masked", "m[x > 0.5] = np.ma.masked",
    "m[k] = n[0]", "m[2:] = n[2:]", "m[m > 0.5] = 2.0", "n = np.ma.array(y); n[0] = np.ma.masked",
    "m.mask = y > 0.2", "m.mask = np.ma.nomask", "np.ma.getmask(n)[0] = True",
    "m.mask = [0, 1, 1, 0, 0, 1]", "n = m[1:]; m[2] = np.ma.masked", "n = m[1:]; n[0] = 5.0",
    "n = m; m[0] = np.ma.masked", "n = np.ma.exp(m); n[0] = np.ma.masked",
    "n = np.sin(m); n[0] = np.ma.masked", "n = np.ma.array(m); m[0] = np.ma.masked",
    "n = np.ma.array(m, copy=True); m[0] = 9.0", "np.ma.getmaskarray(m)[0] = True",
    "m.data[0] = 7.0", "n = m.view(); n[3] = np.ma.masked", "m.harden_mask(); m[:] = 1.0",
    "m.harden_mask(); m[m.mask] = 1.0; m.soften_mask(); m[0] = 4.0",
    "n = np.ma.array(y, mask=y > 0, hard_mask=True); n[1:] = x[1:]; n.mask = False", "m += 1.0",
    "m -= n", "m *= n", "m /= n", "m /= k", "m //= 0.4", "m **= 2", "n = m; n += y",
    "m = m + n; m[0] = np.ma.masked", "m = m % 0.4", "m = 1.0 / m", "m = m ** -1.0",
    "m = 2.0 ** m", "m = -m", "m = abs(n)", "m = np.sqrt(n)", "m = np.log(n)", "m = np.add(m, n)",
    "m = np.divide(m, n)", "m = np.multiply(m, m); n = m; n[0] = np.ma.masked",
    "m = np.less(m, n)", "m = np.isfinite(n)", "m.sort()",
    "m = np.ma.sort(m, endwith=False).filled(0.0)", "m = np.sort(n)", "n = m.argsort()",
    "m = m.cumsum()", "m = n.cumprod()", "m = np.cumsum(n)", "m = np.diff(m)", "m = m.anom()",
    "m = m.round(1)", "m = m.clip(-0.5, 0.5)", "m = np.ma.maximum(m, n)",
    "m = np.ma.minimum(m, 0.3)", "m = np.ma.where(m > n, m, np.ma.masked)", "m = m.take([0, k])",
    "m = m.repeat(2)", "m.fill_value = 3.0; n = m[2:]; m.fill_value = 4.0",
    "m = np.ma.masked_equal(m, 2.0)", "n = m.astype(np.float32)", "m.put([0, 1], 4.0)",
    "np.ma.put(m, [0], [3.0])", "np.ma.putmask(m, x > 0, 1.0)", "m = np.ma.masked_values(x, 0.5)",
    "m = np.ma.fix_invalid(n)", "m = np.ma.hstack([m, n])", "m = np.ma.stack([m, y])",
    "m = np.concatenate([m, n])", "m = np.ma.append(m, n)", "m = np.ma.outer(m, n)",
    "m = np.ma.average(n, weights=np.abs(x))", "m = np.ma.average(m, returned=True)[1]",
    "m = m.mean()", "m = m.var()", "n = n.std(ddof=1)", "m = m.min()", "m = m[0]",
    "m = m[k] + 1.0", "m = np.sqrt(m[0])", "m = (m[0], m[1] * x[0])[0]", "m = n.max() - n.min()",
    "m = n.ptp()", "m = m[0] == n[0]", "m = float(m.sum() if m.any() else 0)", "m = m[0] * n",
    "m = np.ma.is_masked(m)", "m = np.zeros_like(n)", "m = np.flip(m)",
    "m = m.reshape(2, 3).sum(axis=0)", "m = m.reshape(3, 2).mean(axis=1)", "m = m.count()",
    "m = m.reshape(2, 3).T.var(axis=0)", "m = m.reshape(2, 3).min(axis=0)", "m.shrink_mask()",
    "m.unshare_mask()[0] = np.ma.masked", "m = [v for v in m if v is not np.ma.masked][:0]",
    "m = sum(m)", "a, b = m[:2]; m = b", "m = np.ma.zeros(3); m[1] = np.ma.masked",
    "m = np.ma.arange(4)", "m = np.interp(0.3, np.ma.arange(6), n)",
    "m = np.ma.array(m, mask=y > 0)", "m = np.ma.array(y, mask=True); m[1] = 2.0",
    "n = m[...]; np.ma.put(m, [1], [x[0]])", "n = m[...]; m.put([0, 1], n[:2])",
    "m.harden_mask(); m[1:3] = n[1:3]", "m.harden_mask(); m[[0, 1]] = n[[0, 1]]",
    "m.harden_mask(); m[m > -0.5] = 5.0", "n.harden_mask(); n[n > -0.5] = 5.0",
    "m = np.ma.array((x * 4).astype(int)).reshape(2, 3)[:, :2].trace()",
    "m = np.ma.array((x * 4).astype(int), mask=x > 0).reshape(2, 3).trace()",
    "b = x > 0.4; n = np.ma.array(m, mask=b); n[0] = np.ma.masked; m = b",
    "b = x > 0.4; n = np.ma.array(m, mask=b, copy=True); n[0] = np.ma.masked; m = b",
    "m = np.polyval([1.0, 2.0, k], m)", "m = np.polyval(m, 2.0)", "m.mask = [True, False]",
    "n = (n * 4).astype(np.int32).filled()", "n = n.astype(np.float32).filled()",
    "n = np.ma.array(y); np.ma.putmask(n, x > 0.3, m)", "np.ma.putmask(y, x > 0.3, m); n = y",
    "n = np.ma.array(y); n.fill_value = None; n = (n - x[0]) > 3", "b = m[1:]; b.unshare_mask()",
    "n = m[1:]; n.unshare_mask(); n[0] = np.ma.masked", "m.unshare_mask(); m[0] = np.ma.masked",
]  # fmt: skip
BLOCKS = [
    "m.fill_value = 3.0\n    n = np.ma.masked_equal(m, 2.0)",
    "m.fill_value = 3.0\n    n = np.ma.array(m)\n    n.fill_value = 4.0",
    "n = np.ma.array(np.where(y > 0, np.inf, y).astype(np.float32), mask=x > 9)\n    n /= n",
    "if k > 0:\n        m[k] = np.ma.masked\n    else:\n        m /= n",
    "for i in range(6):\n        if y[i] > 0:\n            m[i] = np.ma.masked",
    "n = np.ma.array(y)\n    for i in range(k):\n        n[i] = np.ma.masked",
    "s = 0.0\n    for v in m:\n        if v is not np.ma.masked:\n            s += v * v\n"
    "    n = n * s",
    "if m.mask is np.ma.nomask:\n        n[0] = 3.0",
    "if np.ma.is_masked(m[k]):\n        n[0] = 3.0",
    "q = m.mean()\n    if q is not np.ma.masked:\n        n = n - q",
    "if k > 0:\n        n = m\n    n = n * 2.0",
    "while m.count() > 2:\n        m[m.argmax()] = np.ma.masked",
]


def made(text: str) -> Any:
    source = SHOW.format(text)
    linecache.cache[text] = (len(source), None, source.splitlines(True), text)
    scope = {"np": np}
    exec(compile(source, text, "exec"), scope)
    return scope["f"]


def compare(text: str, target: str) -> None:
    f = made(text)
    compiled = flow.compile(f, target=target)
    for x, y, k in DATA:
        got, want = compiled(x.copy(), y.copy(), k), f(x.copy(), y.copy(), k)
        for g, w in zip(flow.tree.leaves(got), flow.tree.leaves(want), strict=True):
            assert np.shape(g) == np.shape(w), text
            if isinstance(w, str):
                assert g == w
                continue
            assert np.asarray(g).dtype == np.asarray(w).dtype, text
            np.testing.assert_allclose(g, w, rtol=1e-12, err_msg=text)


@pytest.mark.parametrize("text", [*PROGRAMS, *BLOCKS])
def test_programs(text: str):
    compare(text, "python")


@pytest.mark.parametrize("text", share([*PROGRAMS, *BLOCKS])[::4])
def test_programs_on_the_cpu(text: str):
    compare(text, "cpu")


def below(f: str) -> Any:
    scope = {"np": np}
    source = f"def f(x):\n    return {f}\n"
    linecache.cache[f] = (len(source), None, source.splitlines(True), f)
    exec(compile(source, f, "exec"), scope)
    return scope["f"]


# below the masks of these are numbers where a derivative is NaN or infinite
LEAKS = [
    "np.ma.log(np.ma.masked_less(x, 0.5)).sum()", "np.log(np.ma.masked_less(x, 0.5)).sum()",
    "np.ma.masked_invalid(np.log(x)).sum()", "(1.0 / np.ma.masked_less(x, 0.5)).sum()",
    "np.ma.sqrt(x - 1e-9).sum()", "np.sqrt(np.ma.masked_less(x, 0.5)).sum()",
    "(np.ma.masked_less(x, 0.5) ** 0.5).sum()", "np.power(np.ma.masked_less(x, 0.5), 0.5).sum()",
    "np.ma.exp(np.ma.masked_greater(x * -1000, -500.0)).mean() * 1e300",
    "np.ma.arcsin(np.ma.masked_outside(x, -0.5, 0.95)).sum()",
    "np.ma.hypot(np.ma.masked_less(x, 0.5), 0.0).sum()", "np.ma.masked_less(x, 0.5).std()",
    "np.cbrt(np.ma.masked_less(x, 0.5)).sum()", "np.ma.masked_less(x, 0.5).var(ddof=1)",
    "np.square(np.ma.masked_invalid(1.0 / x)).sum()", "np.ma.divide(1.0, x).sum()",
    "np.ma.masked_less(x, 0.5).prod()", "np.ma.masked_less(x, 0.5).cumprod().sum()",
    "np.ma.average(np.ma.masked_invalid(np.log(x)), weights=np.ma.masked_less(x, 0.5).filled(1.0))",
    "np.ma.median(np.ma.masked_invalid(np.sqrt(x)))", "(np.ma.log(x) * np.ma.sqrt(x)).min()",
]  # fmt: skip


@pytest.mark.parametrize("text", LEAKS)
def test_no_nan_from_below_a_mask(text: str):
    x = np.array([0.8, 0.0, -1.0, 0.6, -0.0, 0.9])
    f = below(text)
    value, slope = flow.value_and_grad(f, target="python")(x)
    want = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(6)[[0, 2, 3, 5]]]
    np.testing.assert_allclose(value, f(x))
    np.testing.assert_allclose(slope[[0, 2, 3, 5]], want, 1e-4, 1e-7)
    assert np.isfinite(slope[[1, 4]]).all()


def test_data_below_a_mask_have_derivatives():
    """They are read by `.data`."""

    def f(x):
        m = np.ma.masked_less(x, 0.5)
        return np.sum((np.ma.sin(m) + m * 3.0).data ** 2 + np.cos(m).data)

    x = np.array([0.8, 0.1, -1.0, 0.6])
    flow.testing.gradcheck(f, (x,), target="python")
