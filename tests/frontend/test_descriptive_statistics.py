"""Statistics of samples, correlations and tests of means of scipy.stats, against SciPy."""

import linecache
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

import srcgrad as flow
from srcgrad.errors import SrcgradError
from srcgrad.tree import leaves
from tests.tools.turns import share

pytestmark = pytest.mark.filterwarnings("ignore")
X = np.random.default_rng(0).uniform(0.2, 3.0, (4, 6))
DATA = {
    "a vector": X[0], "a matrix": X, "three axes": X.reshape(2, 3, 4), "ties": np.round(X),
    "float32": X.astype(np.float32), "integers": (3.0 * X).astype(int), "both signs": X - 1.5,
    "NaN": np.where(X > 2.8, np.nan, X), "zeros": np.where(X < 0.6, 0.0, X),
    "constant": np.full((3, 4), 0.7), "nothing": np.zeros(0), "no columns": np.zeros((3, 0)),
    "one column": X[:, :1], "two columns": X[:, :2], "one number": X[0, :1],
}  # fmt: skip
CALLS = """
stats.skew(x)
stats.skew(x, axis=None)
stats.skew(x, axis=-1, bias=False, keepdims=True)
stats.kurtosis(x)
stats.kurtosis(x, axis=-1, bias=False)
stats.kurtosis(x, axis=None, fisher=False)
stats.moment(x, 3, axis=-1)
stats.moment(x, axis=-1)
stats.moment(x, 0, axis=-1)
stats.moment(x, 1, axis=None, center=0.5)
stats.gmean(x)
stats.gmean(x, axis=None)
stats.gmean(x, axis=-1, weights=x * x, keepdims=True)
stats.hmean(x)
stats.hmean(x, axis=-1, weights=x * x)
stats.pmean(x, 2)
stats.pmean(x, -1.5, axis=-1)
stats.pmean(x, 0, axis=-1)
stats.trim_mean(x, 0.2)
stats.trim_mean(x, 0.3, axis=None)
stats.trim_mean(x, 0.6)
stats.sem(x)
stats.sem(x, axis=-1, ddof=0)
stats.variation(x, axis=-1, ddof=1)
stats.variation(x, axis=None)
stats.variation(x, axis=-1, ddof=6)
stats.iqr(x)
stats.iqr(x, axis=0, rng=(90, 10))
stats.iqr(x, axis=-1, scale="normal", keepdims=True)
stats.iqr(x, axis=-1, interpolation="midpoint")
stats.median_abs_deviation(x, axis=None)
stats.median_abs_deviation(x, axis=-1, scale="normal")
stats.median_abs_deviation(x, axis=-1, center=np.mean)
stats.mode(x)
stats.mode(x, axis=None)
stats.mode(x, axis=-1, keepdims=True)
stats.entropy(x)
stats.entropy(x, axis=-1, base=2)
stats.entropy(x, x[::-1] + 0.1, axis=-1)
stats.entropy(x, axis=None)
stats.tmean(x, (0.5, 2.0))
stats.tmean(x, (1, 2), (False, False), axis=-1)
stats.tvar(x, (0.5, 2.0), axis=None)
stats.tstd(x, (0.5, None), axis=-1)
stats.describe(x)
stats.describe(x, axis=-1)
stats.zmap(x, x * x, axis=-1, ddof=1)
tuple(stats.pearsonr(x, np.sin(9.0 * x)))
tuple(stats.pearsonr(x, np.sin(9.0 * x), axis=-1, alternative="less"))
stats.pearsonr(x, x * x).correlation
tuple(stats.linregress(x, np.sin(7.0 * x + 0.1)))
tuple(stats.linregress(x, np.cos(7.0 * x), axis=-1, alternative="greater"))
stats.linregress(x, np.cos(7.0 * x)).intercept_stderr
tuple(stats.ttest_1samp(x, 0.5))
tuple(stats.ttest_1samp(x, 0.5, axis=-1, alternative="less"))
tuple(stats.ttest_rel(x, x * x))
tuple(stats.ttest_ind(x, x * x, axis=-1))
tuple(stats.ttest_ind(x, x[:1], alternative="greater"))
tuple(stats.ttest_ind(x, x * x, equal_var=False))
stats.ttest_ind(x, x * x, equal_var=False, axis=-1).df
""".strip().splitlines()
# what is refused as it runs, and SciPy gives
REFUSED = ("linregress of less than three points", "the mode of an empty sample")
DIFFERENT = {
    # the points lie on lines: only rounding errors are left
    ("tuple(stats.linregress(x, np.sin(7.0 * x + 0.1)))", "ties"),
    ("tuple(stats.linregress(x, np.cos(7.0 * x), axis=-1, alternative=\"greater\"))", "ties"),
    ("stats.linregress(x, np.cos(7.0 * x)).intercept_stderr", "ties"),
}  # fmt: skip


def program(call: str) -> Any:
    source = f"def f(x):\n    return {call}\n"
    linecache.cache[call] = (len(source), None, source.splitlines(True), call)
    scope = {"np": np, "stats": stats}
    exec(compile(source, call, "exec"), scope)
    return scope["f"]


def outcome(f: Any, x: Any) -> Any:
    try:
        return f(x.copy())
    except Exception as e:
        if isinstance(e, NotImplementedError | SrcgradError) and str(e).startswith(REFUSED):
            return None
        return type(e)


def compare(call: str, target: str) -> None:
    f = program(call)
    compiled = flow.compile(f, target=target)
    for name, x in DATA.items():
        want, got = outcome(f, x), outcome(compiled, x)
        if got is None or (call, name) in DIFFERENT:
            continue
        if isinstance(want, type):
            assert isinstance(got, type), (name, want, got)
            continue
        assert not isinstance(got, type), (name, got)
        places = [*leaves(tuple(want) if isinstance(want, tuple) else want)]
        for w, g in zip(places, leaves(got), strict=True):
            rtol, atol = (2e-5, 1e-6) if np.asarray(w).dtype == np.float32 else (1e-8, 1e-11)
            np.testing.assert_allclose(g, w, rtol, atol, err_msg=name)
            assert np.shape(g) == np.shape(w), name
            assert np.asarray(g).dtype == np.asarray(w).dtype, name


@pytest.mark.parametrize("call", CALLS)
def test_values(call: str):
    compare(call, "python")


@pytest.mark.parametrize("call", share(CALLS)[::6])
def test_values_on_the_cpu(call: str):
    compare(call, "cpu")


SMOOTH = [
    c
    for c in CALLS
    if not any(
        n in c for n in ("describe", "mode", "tuple", ".df", "moment(x, 0", "0.6)", "ddof=6")
    )
]


@pytest.mark.parametrize(
    "call",
    [
        *SMOOTH,
        "sum(stats.pearsonr(x, np.sin(9.0 * x)))",
        "sum(stats.linregress(x, np.sin(7.0 * x + 0.1)))",
        "sum(stats.ttest_1samp(x, 0.5))",
        "sum(stats.ttest_rel(x, x * x))",
        "sum(stats.ttest_ind(x, x * x, axis=-1))",
        "stats.ttest_ind(x, x * x, equal_var=False)[0]",
        "stats.describe(x).variance",
        "stats.describe(x).minmax[1]",
    ],
)
def test_derivatives(call: str):
    f = program(f"np.sum({call} ** 2)")
    x = np.random.default_rng(1).uniform(0.55, 1.9, (5, 4))
    for order in (1, 2):
        flow.testing.gradcheck(f, (x,), target="python", order=order)


def test_a_mode_is_one_of_the_values():
    x = np.array([3.0, 1.0, 2.0, 1.0])
    value, slope = flow.value_and_grad(lambda x: stats.mode(x).mode, target="python")(x)
    assert value == 1.0 and type(value) is np.float64
    assert slope[0] == slope[2] == 0.0 and slope[1] + slope[3] == 1.0


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda x: stats.skew(x, nan_policy="omit"), "leave NaNs out before"),
        (lambda x: stats.gmean(x, nan_policy="other"), "nan_policy is one of"),
        (lambda x: stats.pmean(x, 1e-7), "use gmean"),
        (lambda x: stats.iqr(x, scale="other"), "not a valid scale"),
        (lambda x: stats.moment(x, [1, 2]), "call it for each"),
        (lambda x: stats.ttest_ind(x, x, trim=0.2)[0], "leave it out"),
        (lambda x: stats.linregress(x, x * x), r"return its numbers: tuple\(...\)"),
        (lambda x: stats.ttest_ind(x, x * x), r"return its numbers: tuple\(...\)"),
    ],
)
def test_what_is_refused(f: Any, said: str):
    with warnings.catch_warnings(), pytest.raises((SrcgradError, ValueError), match=said):
        flow.compile(f, target="python")(X[0])


def test_missing_values_are_an_error_where_they_have_to_be():
    def f(x):
        return stats.skew(x, nan_policy="raise")

    compiled = flow.compile(f, target="python")
    assert compiled(X[0]) == pytest.approx(f(X[0]))
    with pytest.raises(ValueError, match="contains nan values"):
        compiled(np.array([1.0, np.nan, 2.0]))
