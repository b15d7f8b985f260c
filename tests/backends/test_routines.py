"""Routines: programs in Python whose machine code is shared by all programs that call them."""

import re

import numpy as np
import pytest

from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.emit import machine_routines
from srcgrad.backends.cpu.emit.symbols import Routine
from srcgrad.ir.text import to_text
from srcgrad.primitives import linalg, scans
from srcgrad.routines import spectra
from srcgrad.routines.table import traced
from tests.backends.backend_programs import Program, strided

SOLVE = Routine(linalg.solve, ("f64m", "f64m", "f64m"), (), False)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))


def solutions(rank, times=1, layout="C"):
    p = Program()
    a = p.array("a", None, None, layout=layout)
    b = p.array("b", *[None] * rank, layout=layout)
    return p.returns(*[p.b.solve(a, b) for _ in range(times)])


def test_a_program_holds_the_calls_of_a_routine_alone():
    one, two = (build(solutions(1, k), BuildOptions()).emitted() for k in (1, 2))
    assert one.count("@srcgrad_solve_f64v_f64m_f64v(") == 2  # declared, called
    assert two.count("@srcgrad_solve_f64v_f64m_f64v(") == 3
    assert "gesv" not in one


def test_vectors_and_strided_operands_have_routines_of_their_own():
    texts = [build(solutions(2), BuildOptions()), build(solutions(1, layout="S"), BuildOptions())]
    called = [set(re.findall(r"@(srcgrad_solve\w+)\(", f.emitted())) for f in texts]
    assert called == [{"srcgrad_solve_f64m_f64m_f64m"}, {"srcgrad_solve_f64v_f64ms_f64vs"}]


def test_machine_code_is_found_again(monkeypatch):
    found = []
    made = machine_routines.compiled
    monkeypatch.setattr(machine_routines, "compiled", lambda r: found.append(r) or made(r))
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 3, 3))
    for texts in ((), (), ("another emitter",)):
        monkeypatch.setattr(machine_routines, "_ready", set())
        machine_routines.ready(SOLVE, texts)
        (x,) = build(solutions(2), BuildOptions(cache=False))(a, b)
        assert np.allclose(a @ x, b)
    assert found == [SOLVE] * 2


def test_another_source_is_another_file(monkeypatch, tmp_path):
    files = []
    for sources in (("a.py 10 1",), ("a.py 10 2",)):
        monkeypatch.setattr(machine_routines, "_ready", set())
        monkeypatch.setattr(machine_routines, "sources", lambda sources=sources: sources)
        machine_routines._depends.cache_clear()
        machine_routines.ready(SOLVE, ())
        files.append(len(list(tmp_path.glob("*.o"))))
    machine_routines._depends.cache_clear()
    assert files == [1, 2]


def test_sources_are_those_of_the_compiler_and_of_the_routines():
    told = " ".join(machine_routines.sources())
    assert f"infinity fails: {spectra.INFINITE_FAILS} " in told
    for name in ("banded.py", "trace.py", "nodes.py", "linalg.py", "creation.py", "rewrite.py"):
        assert f"{name} " in told, name


def test_nothing_is_checked_in_a_routine():
    """Indices are in bounds, and no integer wraps: LLVM may vectorise."""
    f = traced(scans.argsort, ("i64v", "f64v"), {"axis": 0})
    assert not re.search(r"\b(index|check_range|check_equal)\(", to_text(f))
    r = Routine(scans.argsort, ("i64v", "f64v"), (("axis", 0),), False)
    text, _ = machine_routines.written(r)
    assert not re.search(r"\b(add|mul) i64 %", text.partition("@nest0")[2])


def test_operands_may_be_the_same_array():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    f = build(solutions(2), BuildOptions(cache=False))
    assert np.allclose(f(a, a)[0], np.eye(2))
    g = build(solutions(2, layout="S"), BuildOptions(cache=False))
    assert np.allclose(g(strided(a), strided(a))[0], np.eye(2))
