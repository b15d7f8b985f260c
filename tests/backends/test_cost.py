"""What is emitted for long programs, counted: no more than twice for twice."""

from functools import partial

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import depth
from srcgrad.backends.cpu.build import BACKEND
from srcgrad.backends.cpu.emit.program import emit_module
from srcgrad.backends.cpu.emit.state import Program as Module
from srcgrad.passes.lower import lower
from srcgrad.passes.pipeline import run
from tests.backends.backend_programs import Program
from tests.frontend.test_deep_programs import elifs, made
from tests.tools.counted import calls


def owning(many):
    """A function that returns products of matrices, each of which may fail for want of memory."""
    p = Program()
    x = p.array("x", None, None)
    return lower(p.returns(*(p.b.matmul(x, p.b.transpose(x, perm=(1, 0))) for _ in range(many))))


def handing(many):
    """A function of as many arrays as it returns."""
    p = Program()
    given = [p.array(f"x{k}", None) for k in range(many)]
    return lower(p.returns(*(p.b.add(x, x) for x in given)))


@pytest.mark.parametrize("program", [owning, handing])
def test_many_arrays_at_once(program):
    emit_module(Module(program(2)))
    programs = [program(n) for n in (40, 80, 160)]
    counts = [calls(partial(emitted, f)) for f in programs]
    lines = [emitted(f).count("\n") for f in programs]
    for few, more, many in (counts, lines):
        assert many < 2.3 * more < 2.3**2 * few


def emitted(function):
    return emit_module(Module(function))[0].text


# ---- a helper that is inlined ----
def iterated(x, y):
    """Carlson's duplication for each element, until it is exact."""
    x, y = x.copy(), y.copy()
    mean = (x + 2.0 * y) / 3.0
    for k in range(len(x)):
        n = 0
        while 4.0 ** (-n) * 2.0 > abs(mean[k]) and n < 20:
            step = 2.0 * np.sqrt(x[k]) * np.sqrt(y[k]) + y[k]
            x[k], y[k] = (x[k] + step) * 0.25, (y[k] + step) * 0.25
            mean[k] = (mean[k] + step) * 0.25
            n = n + 1
    s = 1.0 - y / mean
    return (1.0 + s * s * (0.3 + s * (1.0 / 7.0 + s * 0.375))) / np.sqrt(mean)


def selected(x, y):
    """A formula for the elements that it is right for."""
    out = np.zeros(x.shape)
    apart = abs(x - y) > 0.1 * x
    if np.sum(apart) != 0:
        a, b = x[apart], y[apart]
        out[apart] = (a + b) ** 2 / (a - b) ** 2 * iterated(a, b)
    return out


def plain(x, y):
    return np.sum(x * y)


def once(x, y):
    return np.sum(selected(x, y))


def twice(x, y):
    return np.sum(selected(x, y)) + np.sum(selected(y, x))


def four_times(x, y):
    return twice(x, y) + np.sum(selected(x, x + y)) + np.sum(selected(y, x + y))


def test_a_helper_that_is_inlined():
    x, y = np.array([1.0, 2.0]), np.array([1.05, 3.0])
    work(plain, x, y)  # what is imported at the first time is imported
    grow_in_proportion((once, twice, four_times), x, y)


# ---- long texts ----
def of_numbers(n):
    lines = [f"    y = y * 1.0001 + x * {k}.5" for k in range(n)]
    return made("def f(x):", "    y = x", *lines, "    return y")


def of_stores(n):
    lines = [f"    y[{k % 50}] = x[{k * 7 % 50}] * {k}.5 + y[{k * 3 % 50}]" for k in range(n)]
    return made("def f(x):", "    y = np.zeros(50)", *lines, "    return np.sum(y)")


@pytest.mark.parametrize(
    ("program", "few", "x"),
    [(partial(elifs, "y ="), 20, 0.5), (of_numbers, 40, 0.5), (of_stores, 40, np.arange(50.0))],
    ids=["elifs", "numbers", "stores"],
)
def test_long_texts(program, few, x):
    work(program(3), x)
    grow_in_proportion([program(n) for n in (few, 2 * few, 4 * few)], x)


def grow_in_proportion(functions, *args):
    """Each function is twice the one before, and about so is what is counted of it."""
    counts, lines = zip(*(work(f, *args) for f in functions), strict=True)
    for few, more, many in (counts, lines):
        assert many < 2.3 * more < 2.3**2 * few


def work(f, *args):
    """The calls from source to LLVM IR of a gradient, and the lines of the latter."""
    texts = []

    def whole():
        positions = tuple(range(len(args)))
        gradient = flow.value_and_grad(flow.compile(f, target="python", cache=False), positions)
        gradient(*args)
        (entry,) = [e for found in gradient._entries.values() for e in found]
        low = run(entry.program.function, passes=BACKEND.pipeline(gradient.options))
        texts.append(emitted(low))

    depth.enter()
    try:
        return calls(whole), texts[0].count("\n")
    finally:
        depth.leave()
