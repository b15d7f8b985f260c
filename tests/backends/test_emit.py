"""The way down to LLVM: every operation has its emitter, references are proved, internals hold."""

import re

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cache_files import files as cached_files
from srcgrad.backends.cpu import loading
from srcgrad.backends.cpu.build import build
from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit import buffers, helpers, objects, operations, ownership
from srcgrad.backends.cpu.emit.operations import OPERATIONS, SCALARS
from srcgrad.backends.cpu.emit.support import support
from srcgrad.backends.cpu.text.expressions import TEMPLATES
from srcgrad.backends.cpu.text.statements import DEFINITIONS, EFFECTS
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import If, Var
from srcgrad.ir.types import FLOAT, INT, Tape
from srcgrad.passes.lower import lower
from srcgrad.primitives import tapes
from tests.backends.backend_programs import Program
from tests.backends.failing_calls import leaves_nothing

PRINTED = {*TEMPLATES, *DEFINITIONS, *EFFECTS, tapes.reserve}


def test_every_operation_of_the_text_has_an_emitter():
    there = {*SCALARS, *OPERATIONS, *helpers.SCALAR}
    assert not PRINTED - there, sorted(p.name for p in PRINTED - there)
    assert set(CALLS) <= {*OPERATIONS}
    assert not {*SCALARS} & {*OPERATIONS}
    assert operations.define


BALANCED = """
define i32 @f() noinline nounwind {
entry:
  br label %begin
begin:
  ; +%a
  store ptr %a, ptr %o0, align 8 ; %o0 = %a
  br i1 %c, label %exit, label %good
good:
  ; +%a
  ; -%a
  store ptr null, ptr %o0, align 8 ; %o0 = null
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
  br label %done
exit:
  ; all
  br label %done
done:
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
        ("good:\n", "good:\n  ; -%a\n  ; -%a\n", "does not own"),
        ("  ; +%b\n", "", "uncounted"),
        (" ; %o0 = %a", "", "fails with %a not as in the slots"),
        (" ; %o0 = null", "", "%a in %o0"),
    ],
)
def test_what_is_wrong_is_found(where, what, said):
    text = BALANCED.replace(where, what)
    if "null" in where:  # a slot that holds a released reference: a later failure would do so again
        text = text.replace("body:\n", "body:\n  br i1 %c, label %exit, label %going\ngoing:\n")
        said = "not as in the slots"
    with pytest.raises(ownership.OwnershipError, match=said):
        ownership.check(text)


@pytest.mark.parametrize(("way", "times"), [("", 10_000), ("guarded", 1000)])
def test_no_buffer_is_left(way, times):
    """By calls of which half fail. Guarded, released buffers stay: so they only run."""
    leaves_nothing("rows", times, SRCGRAD_CPU=way)


@pytest.mark.parametrize("way", ["llvm", "text", "1"])
def test_another_way_down_is_refused(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    with pytest.raises(ValueError, match=f"SRCGRAD_CPU must be guarded or unset, not '{way}'"):
        flow.compile(lambda x: x * x)(2.0)


def grown(width):
    """A function that lets a tape of its caller's grow, which nothing makes today."""
    p = Program()
    tape, n, b = Var("tape", Tape("f64")), p.scalar("n", INT), p.b
    p.params.append(tape)

    def record(i):
        b.reserve(tape, b.add(i, 1))
        b.store(tape, i, b.mul(b.cast(i, FLOAT), 0.5))

    p.loop(0, n, record)
    return p.returns(b.load(tape, 0), b.tape_view(tape, b.sub(n, 3), width))


def test_a_parameter_that_grows(monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    f = build(lower(grown(3)), BuildOptions(cache=False))
    for n in (3, 40):
        given = np.full(5, 7.0)
        first, last = f(n, given)
        assert first == 0.0 and last.tolist() == [0.5 * k for k in range(n - 3, n)]
        assert given[4] == 7.0 or n > 5


def test_a_growing_buffer_is_not_joined():
    p = Program()
    b, x = p.b, p.array("x", None)
    one, n = b.tape(2, dtype="f64"), x.type.dims[0]
    out = Var("out", one.type)
    with b.block() as then:
        other = b.tape(n, dtype="f64")
    b.append(If(b.gt(n, 3), tuple(then), (), (other,), (one,), (out,)))
    b.reserve(out, n)
    with pytest.raises(UnsupportedError, match="a growing buffer cannot be joined"):
        build(lower(p.returns(b.load(out, 0))), BuildOptions())


def new_memory(way, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", way)
    p = Program()
    made = p.returns(p.b.empty(1000, dtype="f64"))
    return build(lower(made), BuildOptions(cache=False))


def test_new_memory_is_filled_if_guarded(monkeypatch):
    (made,) = new_memory("guarded", monkeypatch)()
    assert set(made.tobytes()) == {0xCB}


def test_new_memory_is_left_as_it_is(monkeypatch):
    assert "alloc_safe_aligned" not in new_memory("", monkeypatch).print_compiled().shown()


def overrun(by):
    """Stores behind a buffer of the workspace, without the check that belongs there."""
    p = Program()
    x = p.array("x", None)
    n = x.type.dims[0]
    y = p.b.empty(n, dtype="f64")
    p.b.store(y, p.b.add(n, by), p.b.load(x, 0))
    return p.returns(p.b.load(y, 0))


def test_an_access_outside_a_buffer_is_found(monkeypatch):
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    f = build(lower(overrun(0)), BuildOptions(cache=False))
    with pytest.raises(AssertionError):
        f(np.ones(5))


@pytest.mark.parametrize("by", [0, 7])
def test_a_store_behind_a_buffer_of_the_workspace_is_found(by, monkeypatch):
    """As one in a library function would be, which checks no access."""
    monkeypatch.setenv("SRCGRAD_CPU", "guarded")
    monkeypatch.setattr(buffers, "_inside", lambda w, r, offset: None)
    f = build(lower(overrun(by)), BuildOptions(cache=False))
    with pytest.raises(AssertionError):
        f(np.ones(5))
    assert build(lower(overrun(-1)), BuildOptions(cache=False))(np.ones(5))


def test_texts_are_kept_for_who_asks(monkeypatch, tmp_path):
    monkeypatch.setenv("SRCGRAD_DEBUG", "1")
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))

    def total(x):
        return np.sum(np.tanh(x))

    flow.compile(total)(np.ones(3))
    (emitted,) = tmp_path.glob("srcgrad_total_*.ll")
    (python,) = tmp_path.glob("srcgrad_total_*.py")
    assert "  ; return np.sum(np.tanh(x))  (line " in emitted.read_text()
    assert "np.tanh(x1)" in python.read_text()
    assert {emitted, python} <= {*cached_files(tmp_path)}


def test_numbas_internals():
    """What `numba_internals.py` leans on is as it was in the release that it was written for."""
    from llvmlite.binding import newpassmanagers
    from numba import _helperlib, types
    from numba.core import caching, callconv, intrinsics
    from numba.core.registry import cpu_target
    from numba.core.runtime import _nrt_python

    array = cpu_target.target_context.data_model_manager[types.Array(types.float64, 2, "C")]
    assert array._fields == (
        "meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides",
    )  # fmt: skip
    assert {*loading.MATH} == intrinsics.INTR_MATH
    assert _helperlib.c_helpers.keys() >= intrinsics.INTR_MATH
    runtime = re.findall(
        r"@NRT_(\w+)\(", objects.OBJECTS + support(True, True, True) + support(False, True, True)
    )
    assert {*runtime} <= _nrt_python.c_helpers.keys()
    assert {"load_overload", "save_overload"} <= vars(caching.NullCache).keys()
    assert "_dispose" in vars(newpassmanagers.NewPassManager)
    assert {"_get_return_status", "raise_error"} <= {*dir(callconv.CPUCallConv)}


def test_equal_texts_of_different_types_are_different_functions():
    x = np.array([3, 2**64 - 1], np.uint64)
    assert flow.compile(lambda a: abs(a))(x).dtype == np.uint64
    got = flow.compile(lambda a: a.astype(np.int64))(x)
    assert got.dtype == np.int64 and got[1] == -1
