"""Functions of NumPy and SciPy that are followed by their own source: the gates of each name.

Value, dtype and shape are the library's, the gradient agrees with differences, and so does the
second derivative, at points where a guard may hold at first order only.
"""

import functools
import importlib
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import SrcgradError, UnsupportedError
from srcgrad.frontend.followed_names import FOLLOWED
from srcgrad.frontend.handlers.registry import OwnSource, handler_of
from tests.support.guarded import Line, lines
from tests.support.samples import SAMPLES, Sample, inputs, made
from tests.support.test_array_semantics import weighted
from tests.support.test_short_arrays import difference, outcome
from tests.tools.turns import share

OURS = [s for s in SAMPLES if isinstance(handler_of(s.function), OwnSource)]
pytestmark = pytest.mark.filterwarnings("ignore")


def listed() -> list[Any]:
    found = [
        getattr(importlib.import_module(module), name, None)
        for module, names in FOLLOWED.items()
        for name in names
    ]
    return [f for f in found if f is not None]  # some come with newer versions


def test_every_name_is_followed_and_has_a_sample():
    sampled = {s.function for s in OURS}
    for f in listed():
        assert isinstance(handler_of(f), OwnSource) and f in sampled, f


@pytest.mark.parametrize("module", FOLLOWED)
def test_names_are_in_order(module: str):
    assert FOLLOWED[module] == sorted(set(FOLLOWED[module]))


@functools.lru_cache(maxsize=4)
def both_derivatives(sample: Sample, source: str, target: str) -> list[Any]:
    """The first and the second derivative of the program `source` of a distance along a line."""
    program = flow.compile(made(source, weighted=weighted, f=sample.program()), target=target)
    return [flow.grad(program), flow.hessian(program)]


def along(sample: Sample, line: Line) -> tuple[str, tuple[Any, ...]]:
    """The program of a distance along the line; and its other arguments."""
    names = [f"a{k}" for k in range(len(line.arguments))]
    moved = [n if d is None else f"{n} + h * d{n}"
             for n, d in zip(names, line.direction, strict=True)]  # fmt: skip
    given = [f"d{n}" for n, d in zip(names, line.direction, strict=True) if d is not None]
    text = f"return weighted(f({', '.join(moved)}))"
    source = f"def call(h, {', '.join((*names, *given))}):\n    {text}\n"
    return source, (*line.arguments, *(d for d in line.direction if d is not None))


def derivatives(sample: Sample, line: Line, target: str) -> tuple[Any, Any]:
    """The first and the second derivative; None for one that is refused."""
    source, rest = along(sample, line)
    found: list[Any] = []
    for derivative in both_derivatives(sample, source, target):
        try:
            found.append(derivative(0.0, *rest))
        except SrcgradError as e:
            assert e.location is not None, e
            found.append(None)
    return found[0], found[1]


def gates(sample: Sample, target: str) -> list[str]:
    args = sample.arguments(inputs())
    want = outcome(sample.program(), sample.arguments(inputs()))
    got = outcome(flow.compile(sample.program(), target=target), args)
    problems = [str(got) if isinstance(got, UnsupportedError) else difference(got, want)]
    for line, slope, bend in lines(sample):
        first, second = derivatives(sample, line, target)
        if first is not None and not abs(first - slope) <= 2e-3 * (1 + abs(slope)):
            problems.append(f"{line.point}: first derivative {first}, not {slope}")
        if second is not None and not abs(second - bend) <= 5e-2 * (1 + abs(bend)):
            problems.append(f"{line.point}: second derivative {second}, not {bend}")
    return [p for p in problems if p]


@pytest.mark.parametrize("sample", share(OURS), ids=lambda s: s.line)
def test_a_name(sample: Sample):
    assert not gates(sample, "python")


@pytest.mark.parametrize("sample", share(OURS)[::12], ids=lambda s: s.line)
def test_a_name_on_the_cpu(sample: Sample):
    assert not gates(sample, "cpu")


def sinc(x):
    """NumPy's own, which is not followed: its second derivative at 0 is 0, and not -pi^2/3."""
    x = np.pi * np.asanyarray(x)
    y = np.where(x, x, 1.0e-20)
    return np.sin(y) / y


class OfSinc(Sample):
    def program(self, **given: str) -> Any:
        return made("def call(t):\n    return sinc(t)\n", sinc=sinc)


def test_the_gates_find_a_guard_that_holds_at_first_order_only(monkeypatch):
    monkeypatch.setattr("tests.tools.turns.everything", True)  # at all points
    found = gates(OfSinc("sinc(t)", "sinc", sinc, ("t",)), "python")
    assert found and all("second derivative" in p for p in found)


# ---- errors ----
REFUSED = [
    (lambda x: np.diff(x, axis=3), "axis 3 is out of bounds"),
    (lambda x: np.polynomial.polynomial.polyder(x, -1), "order of derivation must be non-negative"),
    (lambda x: np.gradient(x, edge_order=7), "edge_order"),
]


@pytest.mark.parametrize(("f", "said"), REFUSED)
def test_an_error_names_the_line_of_the_user(f: Any, said: str):
    with pytest.raises(Exception, match="") as e:
        flow.compile(f, target="python")(np.arange(4.0))
    assert said in str(e.value) and "test_followed.py" in str(e.value)
    assert "site-packages" not in str(e.value)


def test_a_call_within_the_library_is_followed_and_one_of_the_user_is_not():
    def private(x):
        return np.polynomial.polyutils.format_float(x[0])

    with pytest.raises(UnsupportedError, match="format_float is not supported"):
        flow.compile(private, target="python")(np.arange(3.0))
    trimmed = flow.compile(np.polynomial.polynomial.polyadd, target="python")
    assert trimmed(np.array([1.0, 2.0]), np.array([1.0, -2.0])).tolist() == [2.0]


def test_a_number_of_python_is_one_where_the_source_says_so():
    def mapped(x, y):
        return np.polynomial.polyutils.mapdomain(x, [-1, 1], (0.5, 3)) * y

    y = np.ones(2, np.float32)
    for target in ("python", "cpu"):
        got = flow.compile(mapped, target=target)(2.5, y)
        assert got.dtype == mapped(2.5, y).dtype == np.float32 and got.tolist() == [4.875] * 2
