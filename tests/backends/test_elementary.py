"""Elementary functions with vector variants: right to about a unit in the last place, lane by lane.

mpmath computes what they are compared with.
"""

import ctypes
import re

import mpmath
import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cpu.build import BACKEND
from srcgrad.backends.cpu.elementary import exponentials, logarithms, trigonometric
from srcgrad.backends.cpu.elementary.library import FUNCTIONS, ready, text
from srcgrad.backends.cpu.elementary.symbols import WIDTHS, symbol
from srcgrad.backends.cpu.emit import numba_internals as inside
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.ir.nodes import For
from srcgrad.passes import run
from srcgrad.passes.loops_in_chunks import QUICK, SLOW, VECTORISED, _LoopsInChunks
from srcgrad.passes.pipeline import lowering
from srcgrad.primitives import REGISTRY, elementwise
from tests.backends import machine_code

# over a million points: 0.69, 1.31, 2.34, 0.84, 0.88, 0.87, 0.87
ULPS = {"exp": 0.7, "expm1": 1.5, "tanh": 2.5, "log": 0.85, "log1p": 1.0, "sin": 0.9, "cos": 0.9}
WORST = {
    "exp": 0.3568684468788017, "tanh": 0.007783225775997327, "log": 0.7065312293885685,
    "sin": 8.644502463028982, "cos": 243277.86342855007,
}  # fmt: skip
NAMES = [op.name for op in FUNCTIONS]
FLOAT64 = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
SPECIAL = [
    0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e-310, -1e-310, 2.0**-1022, 709.0, 709.78, 709.79,
    700.0, -39.9, -40.1, -708.0, -708.3, -745.1, -745.2, -746.0, -747.0, 22.0, 22.1, -1.0, -2.0,
    2.0**20, 1e300, -1e300, 2.0**1000, np.nextafter(-1, 0), 1e17, 1.0,
]  # fmt: skip


def of_one_double(name):
    from llvmlite import binding as llvm

    ready(REGISTRY[name])
    return FLOAT64(llvm.address_of_symbol(symbol(REGISTRY[name])))


def points(name):
    """Everywhere that the formula is used, and where it is hardest."""
    rng = np.random.default_rng(7)
    small, wide = rng.normal(size=400) * 1e-5, rng.uniform(-1, 1, 1500)
    whole = np.pi / 2 * np.arange(1.0, 1500.0)
    return {
        "exp": [small, wide, rng.uniform(-745, 709.7, 1500)],
        "expm1": [small, wide, rng.uniform(-45, 709, 1500)],
        "tanh": [small, wide, rng.uniform(-25, 25, 1500)],
        "log": [1 + small, np.exp(wide), np.exp(rng.uniform(-740, 709, 1500))],
        "log1p": [small, wide, np.exp(rng.uniform(-40, 709, 1500)), np.expm1(-30 * wide**2)],
        "sin": [small, 4 * wide, 1e6 * wide, whole],
        "cos": [small, 4 * wide, 1e6 * wide, whole, whole * 400],
    }[name]


@pytest.mark.parametrize("name", NAMES)
def test_close_to_the_exact_value(name):
    function, exact = of_one_double(name), getattr(mpmath, name)
    with mpmath.workprec(140):
        for x in [WORST.get(name, 1.0), *np.concatenate(points(name)).tolist()]:
            expected = exact(mpmath.mpf(x))
            unit = float(np.spacing(abs(float(expected))))
            error = abs(float((mpmath.mpf(function(x)) - expected) / unit))
            assert error <= ULPS[name], (x, error)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:.*encountered in")
def test_special_values_are_those_of_numpy(name):
    function = of_one_double(name)
    for x in SPECIAL:
        found, expected = function(x), float(getattr(np, name)(x))
        assert np.isnan(found) == np.isnan(expected), x
        if not np.isnan(expected):
            assert np.signbit(found) == np.signbit(expected), x
            assert abs(found - expected) <= 3 * np.spacing(abs(expected)) or found == expected, x


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:.*encountered in")
def test_a_vector_rounds_as_a_number_does(name, dtype):
    """Whatever the place of an element in its array, and whoever is beside it."""
    apply, function = getattr(np, name), of_one_double(name)

    @flow.compile
    def each(x):
        return apply(x)

    rng = np.random.default_rng(3)
    usual = np.concatenate(points(name))
    for length in [*range(1, 40), 400]:
        x = rng.choice(usual, length).astype(dtype)
        with np.errstate(over="ignore"):
            x[:: rng.integers(3, 9)] = rng.choice(SPECIAL)
        alone = np.array([function(v) for v in x.astype(np.float64).tolist()]).astype(dtype)
        np.testing.assert_array_equal(each(x), alone)


def total(x):
    return np.sum(np.exp(x) * np.sin(x))


def in_a_branch(x):
    y = x.copy()
    for i in range(len(x)):
        if x[i] > 0.0:
            y[i] = np.log(x[i]) + np.exp(-x[i])
    return y


def test_lanes_of_a_branch_that_is_not_taken_are_left_alone():
    """They need neither a value nor the library, and change no other lane."""
    f, log, exp = flow.compile(in_a_branch), of_one_double("log"), of_one_double("exp")
    rng = np.random.default_rng(5)
    for length in (*range(1, 20), 400):
        x = rng.choice([-1.0, 0.0, np.nan, 0.3, 2.5, 1e-310, np.inf], length)
        expected = [log(v) + exp(-v) if v > 0 else v for v in x.tolist()]
        with np.errstate(all="raise"):
            np.testing.assert_array_equal(f(x), expected)


def test_loops_call_the_vector_variants():
    assert re.search(r"srcgrad_exp_\d\b", assembly_of(total))
    assert re.search(r"srcgrad_sin_\d\b", assembly_of(total))
    branch = assembly_of(in_a_branch)
    assert re.search(r"srcgrad_log_\dm", branch) and not re.search(r"srcgrad_log_\d\b", branch)


def assembly_of(fn):
    f = flow.compile(fn, cache=False)
    f(np.ones(3))
    (entry,) = [e for found in f._entries.values() for e in found]
    program = Program(run(entry.program.function, passes=BACKEND.pipeline(f.options)))
    return machine_code.assembly_of(machine_code.optimised(program))


def test_without_fused_operations_the_library_computes():
    """As on a processor that has none: symbols and their meaning are the same."""
    for op in FUNCTIONS:
        module = text(op, fused=False)
        assert "fmul" not in module and "llvm.fma" not in module
        assert module.count(f"call double @{op.name}(") == 1 + sum(WIDTHS)
        assert inside.object_code(inside.parsed(module))


def test_constants_are_the_nearest_doubles():
    with mpmath.workprec(400):
        for parts, exact in (
            (exponentials.LN2, mpmath.log(2)),
            (logarithms.LN2, mpmath.log(2)),
            (trigonometric.HALF_PI, mpmath.pi / 2),
        ):
            for part in parts[1:]:
                exact -= parts[parts.index(part) - 1]
                assert part == float(exact)
        assert logarithms.LN2[0] * 2.0**32 % 1 == 0


def test_what_counts_as_quick_is_what_has_vector_variants():
    """Of the work of a loop; sigmoid and logaddexp are made of such functions."""
    assert {*FUNCTIONS, elementwise.sigmoid, elementwise.logaddexp} == VECTORISED


def work_of_a_trip(fn, x):
    """The statements for which a trip of the outermost loop counts when loops are split."""
    f = flow.compile(fn, target="python")
    f(x)
    (entry,) = [e for found in f._entries.values() for e in found]
    program = run(entry.program.function, passes=lowering())
    (outermost,) = [s for s in program.body if isinstance(s, For)][-1:]
    return sum(_LoopsInChunks(program, in_order=False).work(outermost).values())


def test_they_are_quick_only_where_loops_vectorise():
    def of_numbers(x):
        out = np.zeros(len(x))
        for i in range(len(x)):
            out[i] = np.tanh(x[i])
        return out

    def of_complex_numbers(x):
        out = np.zeros(len(x), dtype=np.complex128)
        for i in range(len(x)):
            out[i] = np.exp(x[i])
        return out

    def recurrence(x):
        out = np.zeros(len(x))
        for i in range(len(x)):
            y = x[i]
            for _ in range(10):
                y = np.tanh(y + 1.0)
            out[i] = y
        return out

    assert QUICK < work_of_a_trip(of_numbers, np.ones(3)) < 2 * QUICK
    assert work_of_a_trip(of_complex_numbers, np.ones(3) + 1j) > SLOW
    assert work_of_a_trip(recurrence, np.ones(3)) > 10 * SLOW
