"""The way down to LLVM: every operation has its emitter, references are proved, internals hold."""

import subprocess
import sys

import pytest

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit import helpers, operations, ownership
from srcgrad.backends.cpu.emit.operations import OPERATIONS, SCALARS
from srcgrad.backends.cpu.expressions import TEMPLATES
from srcgrad.backends.cpu.statements import DEFINITIONS, EFFECTS
from srcgrad.primitives import tapes

TODAY = {*TEMPLATES, *DEFINITIONS, *EFFECTS, tapes.reserve}


def test_every_operation_of_the_text_has_an_emitter():
    there = {*SCALARS, *OPERATIONS, *helpers.SCALAR}
    assert not TODAY - there, sorted(p.name for p in TODAY - there)
    assert set(CALLS) <= {*OPERATIONS}
    assert not {*SCALARS} & {*OPERATIONS}
    assert operations.define


BALANCED = """
define i32 @f() noinline nounwind {
entry:
  br label %begin
begin:
  ; +%a
  br i1 %c, label %bad, label %good
bad:
  ; -%a
  ret i32 1
good:
  br label %head
head:
  %p = phi ptr [ %a, %good ], [ %b, %body ] ; counted
  br i1 %c, label %body, label %after
body:
  ; +%b
  ; -%p
  br label %head
after:
  ; -%p
  ret i32 0
}
"""


def test_a_loop_that_hands_on_is_right():
    ownership.check(BALANCED)


@pytest.mark.parametrize(
    ("where", "what", "said"),
    [
        ("body:\n  ; +%b\n  ; -%p", "body:\n  ; +%b", "with and without"),
        ("after:\n  ; -%p\n", "after:\n", "returns and owns %p"),
        ("bad:\n", "bad:\n  ; -%a\n", "does not own"),
        ("  ; +%b\n", "", "uncounted"),
    ],
)
def test_what_is_wrong_is_found(where, what, said):
    with pytest.raises(ownership.OwnershipError, match=said):
        ownership.check(BALANCED.replace(where, what))


LEAKS = """
import gc
import numpy as np
import srcgrad as flow
from numba.core.runtime import rtsys

def rows(x, n):
    out, kept, i = np.zeros((3, n)), [], 0
    while i < 3:
        kept.append(x * i)
        i += 1
    for k in range(3):
        out[k] = kept[k] * x
    return np.sum(out * out)

f = flow.value_and_grad(rows)
x, failed = np.arange(1.0, 4.0), 0
def run(times):
    global failed
    for k in range(times):
        try:
            f(x, 3 + k % 2)
        except ValueError:
            failed += 1
    gc.collect()
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free
before = run(10)
after = run(10_000)
assert failed == 5005, failed
assert before == after, (before, after)
"""


@pytest.mark.parametrize("way", ["llvm", "guarded"])
def test_no_buffer_is_left(way, tmp_path):
    """After 10,000 calls, half of which fail. Guarded, what is given up stays: so it only runs."""
    program = LEAKS if way == "llvm" else LEAKS.replace("10_000", "1000").split("assert failed")[0]
    (tmp_path / "program.py").write_text(program)
    import os

    env = {**os.environ, "SRCGRAD_CPU": way, "NUMBA_NRT_STATS": "1"}
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_numbas_internals():
    """What `numba_internals.py` leans on is as it was in the release that it was written for."""
    from numba import types
    from numba.core import callconv, codegen
    from numba.core.registry import cpu_target

    array = cpu_target.target_context.data_model_manager[types.Array(types.float64, 2, "C")]
    assert array._fields == (
        "meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides",
    )  # fmt: skip
    assert hasattr(codegen.CPUCodeLibrary, "_optimize_final_module")
    assert hasattr(callconv.CPUCallConv, "return_dynamic_user_exc")
    assert hasattr(callconv.CPUCallConv, "_get_excinfo_argument")
    flag = cpu_target.target_context.data_model_manager[types.boolean]
    assert str(flag.get_argument_type()) == str(flag.get_return_type()) == "i8"


def test_equal_texts_of_different_types_are_different_functions(monkeypatch):
    import numpy as np

    import srcgrad as flow

    monkeypatch.setenv("SRCGRAD_CPU", "llvm")
    x = np.array([3, 2**64 - 1], np.uint64)
    assert flow.compile(lambda a: abs(a))(x).dtype == np.uint64
    got = flow.compile(lambda a: a.astype(np.int64))(x)
    assert got.dtype == np.int64 and got[1] == -1
