"""The calls of BLAS for a product: of matrices, of a matrix and a vector, of two vectors.

The routines are SciPy's (`capsules.py`). A matrix is passed in row-major order, so to BLAS, whose
matrices are in column-major order, it is its transpose.
"""

from __future__ import annotations

import platform
from string import Template

from srcgrad.backends.cpu.capsules import LETTERS, RETURNED
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.values import decimal, parts_of
from srcgrad.ir.types import is_complex, real_dtype

CONSTANTS = """
@letters = private constant [2 x i8] c"NT"
@unit = private constant i32 1
"""
# letters and lengths are passed in memory
BLAS = Template("""
@one.$t = private constant [2 x $part] [$part $one, $part $zero]
@zero.$t = private constant [2 x $part] zeroinitializer

define internal void @blas.$t(
    ptr %x, ptr %y, ptr noalias %to, i64 %m, i64 %k, i64 %n,
    i64 %x.ld, i64 %y.ld, i1 %x.turned, i1 %y.turned) noinline nounwind {
  %m.at = alloca i32
  %k.at = alloca i32
  %n.at = alloca i32
  %x.at = alloca i32
  %y.at = alloca i32
  %m.int = trunc i64 %m to i32
  %k.int = trunc i64 %k to i32
  %n.int = trunc i64 %n to i32
  %x.int = trunc i64 %x.ld to i32
  %y.int = trunc i64 %y.ld to i32
  store i32 %m.int, ptr %m.at
  store i32 %k.int, ptr %k.at
  store i32 %n.int, ptr %n.at
  store i32 %x.int, ptr %x.at
  store i32 %y.int, ptr %y.at
  %turn = getelementptr i8, ptr @letters, i64 1
  %row = icmp eq i64 %m, 1
  %column = icmp eq i64 %n, 1
  br i1 %column, label %vector, label %gemm
$vector
gemv:
  %way = select i1 %x.turned, ptr @letters, ptr %turn
  %down = select i1 %x.turned, ptr %m.at, ptr %k.at
  %across = select i1 %x.turned, ptr %k.at, ptr %m.at
  call void @$gemv(ptr %way, ptr %down, ptr %across, ptr @one.$t, ptr %x, ptr %x.at,
    ptr %y, ptr @unit, ptr @zero.$t, ptr %to, ptr @unit)
  ret void
gemm:
  %x.way = select i1 %x.turned, ptr %turn, ptr @letters
  %y.way = select i1 %y.turned, ptr %turn, ptr @letters
  call void @$gemm(ptr %y.way, ptr %x.way, ptr %n.at, ptr %m.at, ptr %k.at, ptr @one.$t,
    ptr %y, ptr %y.at, ptr %x, ptr %x.at, ptr @zero.$t, ptr %to, ptr %n.at)
  ret void
}
""")
DOT = Template("""vector:
  br i1 %row, label %dot, label %gemv
dot:
  %value = call $returned @$dot(ptr %k.at, ptr %x, ptr @unit, ptr %y, ptr @unit)
  store $returned %value, ptr %to, align 4
  ret void""")
NO_DOT = """vector:
  br label %gemv"""
# of vectors with other steps, in items; of one that goes backwards BLAS takes the lowest address
STEPPED = Template("""
define internal void @dot.$t(
    ptr %x, ptr %y, ptr noalias %to, i64 %k, i64 %x.step, i64 %y.step) noinline nounwind {
  %k.at = alloca i32
  %x.at = alloca i32
  %y.at = alloca i32
  %k.int = trunc i64 %k to i32
  %x.int = trunc i64 %x.step to i32
  %y.int = trunc i64 %y.step to i32
  store i32 %k.int, ptr %k.at
  store i32 %x.int, ptr %x.at
  store i32 %y.int, ptr %y.at
  %last = sub i64 %k, 1
  %x.less = call i64 @llvm.smin.i64(i64 %x.step, i64 0)
  %y.less = call i64 @llvm.smin.i64(i64 %y.step, i64 0)
  %x.far = mul i64 %last, %x.less
  %y.far = mul i64 %last, %y.less
  %x.low = getelementptr $item, ptr %x, i64 %x.far
  %y.low = getelementptr $item, ptr %y, i64 %y.far
  %value = call $returned @$dot(ptr %k.at, ptr %x.low, ptr %x.at, ptr %y.low, ptr %y.at)
  store $returned %value, ptr %to, align 4
  ret void
}
""")


def has_dot(t: str) -> bool:
    """Whether there is a function for two vectors with steps."""
    return t in LETTERS and (not is_complex(t) or (platform.machine(), t) in RETURNED)


def calls(program: Program, t: str) -> str:
    """The functions that call BLAS for two matrices, or two vectors with steps, of a dtype."""
    part, letter = parts_of(t)[0], LETTERS[t]
    gemm = program.routine("blas", f"{letter}gemm", ["ptr"] * 13)
    gemv = program.routine("blas", f"{letter}gemv", ["ptr"] * 11)
    # without a known type a product of vectors is one of a matrix with one row
    stepped = ""
    vector, returned = NO_DOT, RETURNED.get((platform.machine(), t)) if is_complex(t) else part
    if returned is not None:
        name = f"{letter}dotu" if is_complex(t) else f"{letter}dot"
        dot = program.routine("blas", name, ["ptr"] * 5, returned)
        vector = DOT.substitute(returned=returned, dot=dot)
        item = f"[2 x {part}]" if is_complex(t) else part
        stepped = STEPPED.substitute(t=t, item=item, returned=returned, dot=dot)
    one, zero = (decimal(x, real_dtype(t)) for x in (1.0, 0.0))
    return stepped + BLAS.substitute(
        t=t, part=part, one=one, zero=zero, gemm=gemm, gemv=gemv, vector=vector
    )
