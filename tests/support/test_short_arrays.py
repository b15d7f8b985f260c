"""Short arrays, such as (0, n), (n, 0) and (1, 1), give NumPy's result or its exception.

Runs every sample call and those of `short_calls.txt`: axes, options, methods and idioms that behave
differently for few elements. A refusal is accepted: of what is unsupported at any length, or whose
result has another kind for empty arrays.
"""

import ast
import copy
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import linalg

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, SrcgradError
from srcgrad.frontend.versions import raised
from tests.support.samples import SAMPLES, Sample, inputs, is_missing, made
from tests.tools.turns import share

SHAPES = ((0, 3), (3, 0), (0, 0), (1, 1), (1, 3), (3, 1))
IDIOMS = tuple(
    line
    for line in Path(__file__).with_name("short_calls.txt").read_text().splitlines()
    if not line.startswith("#") and not is_missing(line)
)

# lines that differ from NumPy on purpose, and why
NO_KIND = "NumPy's kind or dtype is another one where there is nothing; here it is the same"
ACCIDENT = "fails, or does not, inside the library for no reason of its arguments"
KNOWN = {
    "sum(u)": NO_KIND, "special.factorial(i)": NO_KIND, "special.factorial2(i)": NO_KIND,
    "np.roots(c[0])": NO_KIND,
    "np.bincount(np.ravel(i), weights=np.ravel(x))": NO_KIND,
    "special.logsumexp(x)": ACCIDENT, "special.logsumexp(x, keepdims=True)": ACCIDENT,
    "linalg.logm(S)": ACCIDENT, "linalg.lstsq(A, x)[0]": ACCIDENT,
    "linalg.solveh_banded([u, 4.0 * v], u)": ACCIDENT,
    "linalg.solve_sylvester(x, x, x)": ACCIDENT, "np.take(x, 0, axis=-1)": ACCIDENT,
    "lapack.dposv(S, x)[1]": ACCIDENT, "lapack.dpotrs(S, x)[0]": ACCIDENT,
    "lapack.dgetrs(*lapack.dgetrf(A)[:2], x)[0]": ACCIDENT, "lapack.dgesv(A, x)[2]": ACCIDENT,
    "lapack.sposv(S, x)[1]": ACCIDENT, "lapack.spotrs(S, x)[0]": ACCIDENT,
    "lapack.sgetrs(*lapack.sgetrf(A)[:2], x)[0]": ACCIDENT, "lapack.sgesv(A, x)[2]": ACCIDENT,
}  # fmt: skip
# in some versions
WARNED = "of an index out of bounds NumPy before 2.3 only warns where nothing is taken"
NOTHING = np.zeros((0, 0))
if raised(NOTHING.__getitem__, [0]) is None:
    KNOWN |= dict.fromkeys(("x[[0]]", "np.add.at(x, [0], p)", "np.subtract.at(x, [0], p)"), WARNED)
if raised(linalg.expm_frechet, NOTHING, NOTHING):
    KNOWN |= {"linalg.expm_frechet(A, B)": ACCIDENT}
DEGENERATE = ("np.linalg.eigh(x @ x.T)", "np.linalg.svd(x @ x.T)")  # equal eigenvalues
FLOATS = {n for n, v in inputs().items() if np.asarray(v).dtype.kind == "f"}


@cache
def program(line: str) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """The line as a function of the inputs that it reads."""
    known = set(inputs())
    names = (n.id for n in ast.walk(ast.parse(line)) if isinstance(n, ast.Name))
    read = tuple(sorted(known & set(names)))
    return made(f"def call({', '.join(read)}):\n    return {line}\n"), read


def outcome(f: Callable[..., Any], args: tuple) -> Any:
    """What a call gives or raises; arrays that it stores to are its own."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*copy.deepcopy(args))
        except Exception as e:
            return e


def difference(ours: Any, numpys: Any) -> str:
    """What tells two outcomes apart; empty if they agree, or if ours is a refusal."""
    if isinstance(ours, NotImplementedError) and isinstance(ours, SrcgradError):
        return ""
    if isinstance(numpys, Exception) or isinstance(ours, Exception):
        same = isinstance(ours, Exception) and isinstance(ours, type(numpys))
        return "" if same else f"{ours!r} for {numpys!r}"
    if isinstance(numpys, list | tuple):
        if not isinstance(ours, list | tuple) or len(ours) != len(numpys):
            return f"{ours!r} for {numpys!r}"
        found = (difference(a, b) for a, b in zip(ours, numpys, strict=True))
        return next((text for text in found if text), "")
    a, b = np.asarray(ours), np.asarray(numpys)
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return f"{a.dtype}{a.shape} for {b.dtype}{b.shape}"
    rtol = 1e-5 if b.dtype in (np.float32, np.complex64) else 1e-9
    same = np.allclose(a, b, rtol=rtol, atol=1e-3 * rtol, equal_nan=True)
    return "" if same else f"{a} for {b}"


def check(line: str, f: Callable[..., Any], read: tuple[str, ...], target: str) -> None:
    compiled = flow.compile(f, target=target)
    wrong = {}
    for shape in SHAPES:
        args = tuple(inputs(*shape)[n] for n in read)
        text = difference(outcome(compiled, args), outcome(f, args))
        if text:
            wrong[shape] = text
    assert bool(wrong) == (line in KNOWN), f"{line}: {wrong}"


def check_gradient(line: str, f: Callable[..., Any], read: tuple[str, ...]) -> None:
    """Where NumPy's numbers are finite, the gradient is: of the shape of what it belongs to.

    Of a line that differs from NumPy on purpose, where the compiled value is.
    """
    floats = tuple(k for k, n in enumerate(read) if n in FLOATS)

    def loss(*args: Any) -> Any:
        out = f(*args)
        if isinstance(out, list | tuple):
            total: Any = 0.0
            for v in out:
                total = total + np.sum(np.sin(v))
            return total
        return np.sum(np.sin(out))

    primal = flow.compile(loss, target="python") if line in KNOWN else loss
    gradient = flow.compile(flow.grad(loss, floats), target="python")
    for shape in SHAPES:
        args = tuple(inputs(*shape)[n] for n in read)
        value = outcome(primal, args)
        if isinstance(value, Exception) or np.iscomplexobj(value) or not np.isfinite(value):
            continue
        found = outcome(gradient, args)
        if isinstance(found, SrcgradError) and isinstance(found, NotImplementedError):
            continue
        if isinstance(found, ArgumentTypeError) and "complex numbers for some arg" in str(found):
            continue
        assert not isinstance(found, Exception), f"{line} at {shape}: {found!r}"
        parts = found if len(floats) > 1 else (found,)
        for k, part in zip(floats, parts, strict=True):
            assert np.shape(part) == np.shape(args[k]), f"{line} at {shape}"
            assert np.isfinite(part).all(), f"{line} at {shape}: {part}"


SAMPLED = [s for s in SAMPLES if not s.stores and FLOATS & set(s.reads)]


@pytest.mark.parametrize("sample", share(SAMPLES), ids=lambda s: s.line)
def test_a_sample(sample: Sample):
    check(sample.line, sample.program(), sample.reads, "python")


@pytest.mark.parametrize("line", share(IDIOMS))
def test_an_idiom(line: str):
    check(line, *program(line), "python")


@pytest.mark.parametrize("sample", share(SAMPLED[::4]), ids=lambda s: s.line)
def test_the_gradient_of_a_sample(sample: Sample):
    check_gradient(sample.line, sample.program(), sample.reads)


@pytest.mark.full
def test_the_gradients_of_the_other_samples():
    for sample in SAMPLED:
        check_gradient(sample.line, sample.program(), sample.reads)


@pytest.mark.full
@pytest.mark.parametrize("line", [line for line in IDIOMS if line not in DEGENERATE])
def test_the_gradient_of_an_idiom(line: str):
    f, read = program(line)
    if FLOATS & set(read):
        check_gradient(line, f, read)


@pytest.mark.full
@pytest.mark.parametrize("line", IDIOMS[::12])
def test_an_idiom_on_the_cpu(line: str):
    check(line, *program(line), "cpu")
