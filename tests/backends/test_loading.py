"""Machine code that is found is loaded without Numba, and refuses what it was not compiled for."""

import os
import subprocess
import sys

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu import loading
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.emit import numba_internals as inside
from srcgrad.errors import CompilerError
from tests.backends.backend_programs import Program
from tests.tools.kept import ROOT

PROGRAM = """
import sys
import numpy as np
import srcgrad as flow

def loss(x, w, s):
    h = np.tanh(w @ np.linalg.solve(w[:2] + 3.0 * np.eye(2), x)) + s
    total = 0.0
    while total < 0.1 * s:  # compiled code looks for signals
        total += 0.01 * s
    for i in range(len(h)):
        total += np.sin(h[i]) * np.exp(-s) + pow(s, 1.5)
    return total

f = flow.value_and_grad(loss, grad_position=(0, 1, 2))
found = f(np.array([0.3, 0.7]), np.array([[1.0, 2.0], [0.5, 0.25], [0.1, 0.9]]), 0.4)
loaded = [name for name in ("numba", "scipy.linalg") if name in sys.modules]
"""
SHORT = """
import sys
import srcgrad as flow
flow.grad(lambda x: x * x)(0.3)
print("numba" in sys.modules)
"""
AFTERWARDS = """
import numba
from numba import _helperlib
from numba.core.runtime import _nrt_python, rtsys
assert _helperlib.c_helpers == helpers and _nrt_python.c_helpers == runtime

@numba.njit
def ones(n):
    return np.ones(n) + 1.0

assert ones(3).tolist() == [2.0, 2.0, 2.0]
assert type(kept.base) is _nrt_python._MemInfo
again = flow.grad(lambda x: np.sum(np.sin(x) ** 3))(np.ones(3))
np.testing.assert_allclose(again, 3.0 * np.sin(1.0) ** 2 * np.cos(1.0))
del kept, again
"""


def run(text, folder, **environment):
    (folder / "program.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "program.py"], capture_output=True, text=True, check=False, cwd=folder,
        env={
            **os.environ, "PYTHONPATH": str(ROOT), "SRCGRAD_CACHE_DIR": str(folder), **environment
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A cache folder in which a process has put the program's machine code, and what it printed."""
    folder = tmp_path_factory.mktemp("cache")
    return folder, run(f"{PROGRAM}\nprint(loaded, found)", folder)


def test_a_second_process_does_not_import_numba(first):
    folder, found = first
    assert found.startswith("['numba'] ") and len([*folder.glob("*.o")]) > 4
    assert run(f"{PROGRAM}\nprint(loaded, found)", folder) == found.replace("'numba'", "")


def test_numba_is_imported_later(first):
    of_runtime = "kept = found[1][0]\nruntime = sys.modules['numba.core.runtime._nrt_python']"
    helpers = "runtime, helpers = runtime.c_helpers, sys.modules['numba._helperlib'].c_helpers"
    run("\n".join([PROGRAM, of_runtime, helpers, "assert not loaded", AFTERWARDS]), first[0])


def test_numba_was_imported_before(first):
    folder, found = first
    assert run(f"import numba\n{PROGRAM}\nprint(loaded, found)", folder) == found


def test_numbas_modules_are_not_found(first):
    folder, found = first
    hidden = "from srcgrad.backends.cpu import loading\nloading._extension = lambda name: None"
    assert run(f"{hidden}\n{PROGRAM}\nprint(loaded, found)", folder) == found


def test_another_processor_is_another_file(tmp_path):
    """Numba is imported to learn it."""
    run(SHORT, tmp_path)
    (code,) = tmp_path.glob("*.o")
    assert run(SHORT, tmp_path, NUMBA_CPU_NAME="generic") == "True\n"
    assert {*tmp_path.glob("*.o")} > {code}


def test_the_processor_is_the_one_of_numbas_code():
    assert loading.processor() == inside._codegen().magic_tuple()


def test_a_symbol_without_an_address_is_an_error():
    text = "declare double @srcgrad_nowhere(double)\ndefine double @srcgrad_f(double %x) {\n"
    text += "  %y = call double @srcgrad_nowhere(double %x)\n  ret double %y\n}"
    code = inside.object_code(inside.parsed(text))
    if sys.platform != "linux":
        pytest.skip("the symbols of other formats are not read")
    assert [*loading.undefined(code)] == ["srcgrad_nowhere"]
    with pytest.raises(CompilerError, match="srcgrad_nowhere"):
        loading.loaded(code)


# ---- arguments ----
def of_arrays(rank, dtype="f64", layout="C"):
    p = Program()
    x = p.array("x", *[None] * rank, dtype=dtype, layout=layout)
    return build(p.returns(p.b("dim", x, axis=0)), BuildOptions())


class Derived(np.ndarray):
    pass


@pytest.mark.parametrize(
    "given",
    [
        np.zeros(3, np.float32), np.zeros(3, np.int64), np.zeros((3, 1)), np.zeros(6)[::2], 1.0,
        np.zeros((1,) * 32), np.zeros(()), np.zeros((2, 2)).view(np.matrix),
        np.zeros(3, ">f8" if sys.byteorder == "little" else "<f8"), [1.0, 2.0],
        np.zeros(3, "M8[s]"), np.float64(2.0), None, np.zeros(3, np.complex64), np.zeros(3, "V8"),
    ],
    ids=lambda v: f"{getattr(v, 'dtype', v)}",
)  # fmt: skip
def test_an_argument_of_another_kind(given):
    run = of_arrays(1)
    assert run(np.zeros(3)) == (3,)
    with pytest.raises(TypeError, match="another type"):
        run(given)
    assert run(np.zeros(4)) == (4,)


def test_arguments_of_the_same_kind():
    of_words = of_arrays(1, "i64")
    for dtype in (np.int64, "q", "l", np.dtype(np.int64, metadata={"unit": "m"})):
        assert of_words(np.zeros(2, dtype)) == (2,)
    strided = of_arrays(1, layout="S")
    assert strided(np.zeros(6)[::2]) == (3,) and strided(np.zeros(2)) == (2,)
    assert of_arrays(2)(np.zeros((1, 5))) == (1,)
    assert of_arrays(1)(np.zeros(17, np.uint8)[1:].view(np.float64)) == (2,)
    assert of_arrays(1)(np.zeros(2).view(Derived)) == (2,)


@pytest.mark.parametrize("args", [(), (np.zeros(2), np.zeros(2))])
def test_another_number_of_arguments(args):
    with pytest.raises(TypeError, match="another type"):
        of_arrays(1)(*args)


def test_what_is_given_is_released():
    run, x, count = of_arrays(1), np.zeros(3), sys.getrefcount
    wrong = np.zeros(3, np.float32)
    run(x)
    before = count(x), count(wrong)
    for _ in range(10):
        run(x)
        with pytest.raises(TypeError):
            run(wrong)
    assert (count(x), count(wrong)) == before


def test_arrays_that_are_not_aligned():
    """Of a file, or of packed records: one that is contiguous, and one that is not."""
    packed = np.zeros(3, [("kind", "u1"), ("x", "f8")])
    packed["x"] = [0.3, 0.5, 0.7]
    memory = np.frombuffer(bytearray(b"\0" + packed["x"].tobytes()), np.float64, offset=1)
    gradient = flow.grad(lambda x: np.sum(np.sin(x) ** 2))
    for x in (memory, packed["x"]):
        assert not x.flags.aligned
        np.testing.assert_allclose(gradient(x), np.sin(2.0 * x), rtol=1e-14)


def test_a_function_that_is_called_is_no_longer_than_its_program():
    f = flow.compile(lambda x: np.cumsum(x) * 2.0, cache=False)
    out = f(np.ones(3))
    del f
    assert out.tolist() == [2.0, 4.0, 6.0]
