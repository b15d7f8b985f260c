"""Routines: programs in Python whose machine code is shared by all programs that call them."""

import faulthandler
import os
import re
import signal
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import interrupts
from srcgrad.backends import cache
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu import loading
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.emit import linked, machine_routines, numba_internals
from srcgrad.backends.cpu.emit.symbols import Routine
from srcgrad.ir.nodes import Def, If, Var
from srcgrad.ir.text import to_text
from srcgrad.ir.walk import walk
from srcgrad.primitives import linalg, memory, scans, triangular
from srcgrad.routines import spectra
from srcgrad.routines.external import extern
from srcgrad.routines.table import traced
from tests.backends.backend_programs import Program, strided
from tests.test_interrupts import Points, in_a_process, interrupt

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
    one, two = (build(solutions(1, k), BuildOptions()).print_compiled().shown() for k in (1, 2))
    assert one.count("@srcgrad_solve_f64v_f64m_f64v(") == 2  # declared, called
    assert two.count("@srcgrad_solve_f64v_f64m_f64v(") == 3
    assert "gesv" not in one


def allocated(block):
    """The allocations of as many elements as only the run knows, and the calls of LAPACK."""
    made = [s for s in walk(block) if isinstance(s, Def)]
    sizes = [s for s in made if s.op is memory.empty and any(isinstance(a, Var) for a in s.args)]
    return len(sizes), len([s for s in made if s.op is extern])


@pytest.mark.parametrize(
    ("op", "kinds", "large"),
    [
        (linalg.solve, "f64m f64m f64m", (3, 1)), (linalg.inv, "f64m f64m", (3, 1)),
        (linalg.det, "f64n f64m", (2, 1)), (linalg.cofactors, "f64m f64m", (3, 2)),
        (triangular.factored, "f64m f64m", (1, 1)),
    ],
    ids=lambda v: getattr(v, "name", None),
)  # fmt: skip
def test_small_systems_allocate_nothing_and_call_nothing(op, kinds, large):
    body = traced(op, tuple(kinds.split()), {}).body
    chosen = next(s for s in body if isinstance(s, If) and allocated(s.orelse)[1])
    assert allocated(chosen.then) == (0, 0)
    assert allocated(chosen.orelse) == large


def test_the_adjoint_of_a_cholesky_factor_is_one_call():
    def weighted(a, w):
        return np.sum(np.linalg.cholesky(a) * w)

    text = flow.value_and_grad(weighted).source("llvm", np.eye(3), np.ones((3, 3)))
    assert set(re.findall(r"call i32 @srcgrad_([a-z_]+)_f64", text)) == {
        "cholesky", "cholesky_adjoint"
    }  # fmt: skip


def test_vectors_and_strided_operands_have_routines_of_their_own():
    texts = [build(solutions(2), BuildOptions()), build(solutions(1, layout="S"), BuildOptions())]
    called = [set(re.findall(r"@(srcgrad_solve\w+)\(", f.print_compiled().shown())) for f in texts]
    assert called == [{"srcgrad_solve_f64m_f64m_f64m"}, {"srcgrad_solve_f64v_f64ms_f64vs"}]


def test_machine_code_is_found_again(monkeypatch):
    found = []
    made = machine_routines.compiled
    monkeypatch.setattr(machine_routines, "compiled", lambda r: found.append(r) or made(r))
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 3, 3))
    for texts in ((), (), ("another emitter",)):
        monkeypatch.setattr(linked, "_ready", set())
        machine_routines.ready(SOLVE, texts)
        (x,) = build(solutions(2), BuildOptions(cache=False))(a, b)
        assert np.allclose(a @ x, b)
    assert found == [SOLVE] * 2


def test_another_source_is_another_file(monkeypatch, tmp_path):
    files = []
    for sources in (("a.py 10 1",), ("a.py 10 2",)):
        monkeypatch.setattr(linked, "_ready", set())
        monkeypatch.setattr(machine_routines, "sources", lambda sources=sources: sources)
        machine_routines.ready(SOLVE, ())
        files.append(len(list(tmp_path.glob("*.o"))))
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
    text, _ = machine_routines.emit_routine(r)
    assert not re.search(r"\b(add|mul) i64 %", text.partition("@nest0")[2])


def test_operands_may_be_the_same_array():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    f = build(solutions(2), BuildOptions(cache=False))
    assert np.allclose(f(a, a)[0], np.eye(2))
    g = build(solutions(2, layout="S"), BuildOptions(cache=False))
    assert np.allclose(g(strided(a), strided(a))[0], np.eye(2))


# ---- what comes between ----
A, B = np.random.default_rng(2).normal(size=(2, 3, 3))
NUMBERS = count()


def first_call():
    """A program that nothing was built for, which needs a routine."""
    scope, text = {"np": np}, f"def f(a, b):\n    return {next(NUMBERS)}, np.linalg.solve(a, b)"
    exec(compile(text, "<needs a routine>", "exec"), scope)
    _, x = flow.compile(scope["f"], source=text, cache=False)(A, B)
    assert np.allclose(A @ x, B)


@pytest.fixture
def forget(monkeypatch):
    """Makes routines unknown to this process, as they are now."""
    ready = set()
    monkeypatch.setattr(linked, "_ready", ready)
    return ready.clear


@pytest.mark.parametrize("content", [b"", b"foreign", None])
def test_a_damaged_file_is_made_again(forget, tmp_path, content, monkeypatch):
    first_call()
    (file,) = tmp_path.glob("*.o")
    whole = file.read_bytes()
    damaged = bytearray(whole)
    damaged[-1] ^= 255
    file.write_bytes(bytes(damaged) if content is None else content)
    forget()
    first_call()
    assert file.read_bytes() == whole
    forget()
    monkeypatch.setattr(machine_routines, "compiled", None)
    first_call()  # by the file


@pytest.mark.parametrize("path", ["missing/folder", "file/folder"])
def test_a_folder_that_is_missing_or_cannot_be_made(forget, tmp_path, path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path / path))
    first_call()
    assert len([*tmp_path.rglob("*.o")]) == (path == "missing/folder")


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("at", [1, 10, 30])
def test_an_interrupt_while_a_routine_is_traced(forget, tmp_path, at, monkeypatch):
    whole = machine_routines.traced

    def traced(*args):
        m.setattr(interrupts, "answer", Points(at))
        return whole(*args)

    with monkeypatch.context() as m, pytest.raises(KeyboardInterrupt):
        m.setattr(machine_routines, "traced", traced)
        first_call()
    assert not [*tmp_path.iterdir()] and not linked._ready
    first_call()


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("module", "name"),
    [
        (machine_routines, "around"),
        (numba_internals, "optimised"),
        (numba_internals, "object_code"),
        (cache, "keep_bytes"),
        (loading, "name_functions"),
    ],
)
def test_an_interrupt_in_what_cannot_be_left(forget, tmp_path, module, name, monkeypatch):
    whole = getattr(module, name)

    def sending(*args, **options):
        interrupt()
        return whole(*args, **options)

    with monkeypatch.context() as m, pytest.raises(KeyboardInterrupt):
        m.setattr(module, name, sending)
        first_call()
    assert len([*tmp_path.glob("*.o")]) == len(linked._ready) == 1
    first_call()


def handled():
    """Run as a program: the handler of a signal needs the routine that is being made."""
    whole, done = machine_routines.traced, []

    def handler(number, frame):
        first_call()
        done.append(number)

    def traced(*args):
        machine_routines.traced = whole
        interrupt()
        return whole(*args)

    machine_routines.traced = traced
    signal.signal(signal.SIGINT, handler)
    faulthandler.dump_traceback_later(30, exit=True)  # instead of waiting for ever
    first_call()
    assert done == [signal.SIGINT]


def test_a_handler_that_needs_the_routine():
    in_a_process("handled()", __name__)


def test_code_that_is_loaded_twice(forget):
    """As by two threads, each of which has looked before the other was ready."""
    first_call()
    forget()
    first_call()
    first_call()


def processes():
    """Run as a program: two make a routine at once, and one goes on with its parent's."""
    assert np.allclose(flow.compile(np.tanh)(A), np.tanh(A))  # loads all but the routine
    first = [child() for _ in range(2)]
    assert [os.waitpid(c, 0)[1] for c in first] == [0, 0]
    folder = Path(os.environ["SRCGRAD_CACHE_DIR"])
    machine_routines.compiled = None
    first_call()  # by their file
    assert os.waitpid(child(), 0)[1] == 0
    assert not [f for f in folder.iterdir() if f.suffix != ".o"]


def child():
    made = os.fork()
    if not made:
        first_call()
        os._exit(0)
    return made


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are started by fork here")
def test_processes_that_need_a_routine_at_the_same_time():
    in_a_process("processes()", __name__)
