"""Which compiled loops look for signals, and that looks leave innermost loops to be vectors."""

import re

import numpy as np
import pytest

import srcgrad as flow
from tests.backends.test_interrupted_loops import X, long_vectors


def row_sums(x, n):
    s = np.zeros(len(x))
    for k in range(n):
        s += x * x * k
    return np.sum(s)


def table(a, n):
    s = 0.0
    for i in range(len(a)):
        for j in range(a.shape[1]):
            s += a[i, j] * a[i, j] + n
    return s


def sines(x, n):
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = np.sin(x[i]) * n
    return np.sum(y)


def table_of_sines(a, n):
    return np.sum(np.sin(a) * n)


def sine_of_itself(x, n):
    y, s = np.zeros(n), x[0]
    for k in range(n):
        s = s + 1e-9 * np.sin(s)
        y[k] = s
    return np.sum(y)


# a program, its argument, whether it looks: one pass through memory that does little does not
VECTORS = [
    (long_vectors, X, True),
    (row_sums, X, True),
    (table, np.ones((3, 4)), False),
    (sines, X, True),
    (table_of_sines, np.ones((3, 4)), True),
    (sine_of_itself, X, True),
]


@pytest.mark.parametrize("transform", [flow.compile, flow.grad])
@pytest.mark.parametrize(("f", "x", "looks"), VECTORS, ids=lambda v: getattr(v, "__name__", ""))
def test_innermost_loops_do_not_look_and_become_vectors(f, x, looks, transform):
    text = transform(f).source("llvm", x, 5)
    inner = [trip for function in text.split("\ndefine ") for trip in innermost(function)]
    assert inner
    assert not any("%poll" in block for block in inner), inner
    assert ("@srcgrad_poll" in text) == looks
    if f is not sine_of_itself:
        assert re.search(r"= (fmul|fadd)[a-z ]* <\d+ x double>", optimised(text))


def innermost(function):
    """The trips without loops in them."""
    for number in re.findall(r"^body(\d+):", function, re.M):
        trip = function.partition(f"\nbody{number}:")[2].partition(f"br label %head{number}\n")[0]
        if "\nhead" not in trip:
            yield trip


def optimised(text):
    """The module as it is compiled."""
    from llvmlite import binding as llvm

    from srcgrad.backends.cpu.emit import numba_internals as inside

    codegen = inside._codegen()
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = llvm.get_process_triple(), codegen._data_layout
    tuning = llvm.create_pipeline_tuning_options()
    tuning.speed_level, tuning.loop_vectorization = 3, True
    passes = llvm.create_pass_builder(codegen._tm, tuning)
    passes.getModulePassManager().run(module, passes)
    return str(module)
