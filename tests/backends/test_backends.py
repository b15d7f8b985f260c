"""The table of backends: each is what it says, is loaded when asked for, and computes the same."""

import subprocess
import sys

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.backend import BACKENDS, BuildOptions, Executable, backend_of
from srcgrad.passes import LOWERING

# cuda refuses a loop whose trips need one another: its tests are in tests/cuda
SEQUENTIAL = [target for target in BACKENDS if target != "cuda"]


def energy(x, y):
    for i in range(1, len(x)):
        y[i] = y[i - 1] * np.sin(x[i])
    return np.sum(np.tanh(x) * y)


@pytest.mark.parametrize("target", BACKENDS)
def test_a_backend_has_the_name_it_is_asked_for_by(target):
    assert backend_of(target).name == target


def test_an_unknown_target_is_refused_with_the_list():
    for ask in (backend_of, lambda target: flow.compile(energy, target=target)):
        with pytest.raises(ValueError, match=f"must be one of {', '.join(BACKENDS)}, not 'gpu'"):
            ask("gpu")


@pytest.mark.parametrize("target", SEQUENTIAL)
def test_every_backend_computes_the_same(target):
    x, y = np.linspace(0.1, 0.9, 7), np.ones(7)
    want = flow.value_and_grad(flow.compile(energy, target="python"), (0, 1))(x, y.copy())
    got = flow.value_and_grad(flow.compile(energy, target=target), (0, 1))(x, y.copy())
    np.testing.assert_allclose(got[0], want[0], rtol=1e-13)
    np.testing.assert_allclose(np.stack(got[1]), np.stack(want[1]), rtol=1e-12)


@pytest.mark.parametrize("target", SEQUENTIAL)
def test_every_backend_builds_executables(target):
    f = flow.compile(energy, target=target, cache=False)
    f(np.ones(3), np.ones(3))
    (entry,) = [e for found in f._entries.values() for e in found]
    made = entry.executable
    assert isinstance(made, Executable) and "def energy(" in made.source
    compiler = backend_of(target).compiler
    assert bool(compiler) == (made.compile is not None)
    assert (compiler or "no compiler") in f.explain() + "no compiler"


@pytest.mark.parametrize("target", SEQUENTIAL)
def test_names_beyond_ascii(target):
    def größe_β(ünï, 数):
        λ = ünï * 数
        return np.sum(λ * λ)

    x = np.arange(1.0, 4.0)
    assert flow.compile(größe_β, target=target)(x, 2.0) == 56.0
    slope = flow.grad(flow.compile(größe_β, target=target))(x, 2.0)
    np.testing.assert_allclose(slope, 8.0 * x)


def test_loops_runs_what_cpu_compiles():
    f = flow.compile(energy, target="loops")
    f(np.ones(3), np.ones(3))
    (entry,) = [e for found in f._entries.values() for e in found]
    assert " = sum(" not in entry.executable.source and "= load(x, i" in entry.executable.source
    for strict in (None, False):
        options = BuildOptions(fastmath=strict)
        *passes, last = backend_of("loops").pipeline(options)
        assert tuple(passes) == backend_of("cpu").pipeline(options)
        assert last.name == "independent_loops"  # reference runs show that its marks are right
        options = BuildOptions(fastmath=strict, parallel=True)
        assert backend_of("loops").pipeline(options) == backend_of("cpu").pipeline(options)
    assert backend_of("cpu").pipeline(BuildOptions()) == LOWERING
    assert backend_of("python").pipeline(BuildOptions()) == ()


def test_printing_a_module_loads_no_numba():
    code = """
import sys, numpy as np, srcgrad as flow
def g(x): return np.sum(np.sin(x))
f = flow.grad(flow.compile(g, target="loops", source="def g(x): return np.sum(np.sin(x))"))
f(np.ones(3))
assert "for i in range(" in f.source("numba")
print(*[name for name in ("numba", "scipy") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")
