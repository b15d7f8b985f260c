"""The machine code of the product of two vectors, of a dtype.

BLAS multiplies all but short vectors, with any steps that are whole items.
"""

from __future__ import annotations

from string import Template
from typing import Any

from srcgrad.backends.cpu.capsules import LETTERS
from srcgrad.backends.cpu.emit import blas
from srcgrad.backends.cpu.emit.symbols import Product

LITTLE = 16  # multiplications; BLAS takes less time for more
VECDOT = Template("""
define i32 @$symbol(
    ptr %a, ptr %b, ptr noalias %out, i64 %k, i64 %a.right, i64 %b.down) nounwind {
  %little = icmp ule i64 %k, $little
  %long = icmp ugt i64 %k, 2147483647
  %a.steps = icmp ne i64 %a.right, $item
  %b.steps = icmp ne i64 %b.down, $item
  %steps = or i1 %a.steps, %b.steps
  %or.long = or i1 %little, %long
  %loops = or i1 %or.long, $whole
  br i1 %loops, label %plain, label %see
see:
  br i1 %steps, label %stepped, label %call
stepped:$stepped
plain:
  call void @column.$t(
    ptr %a, ptr null, ptr null, i64 1, i64 %k, i64 0, i64 %a.right,
    ptr %b, ptr null, ptr null, i64 %k, i64 1, i64 %b.down, i64 0,
    ptr %out, ptr null, ptr null, i64 1, i64 1)
  br label %done
call:$dot
  br label %done
done:
  ret i32 0
}
""")
# BLAS counts steps in items, in 32 bits; its libraries differ on steps of nothing
STEPPED = Template("""
  %a.items = sdiv i64 %a.right, $item
  %b.items = sdiv i64 %b.down, $item
  %a.rest = srem i64 %a.right, $item
  %b.rest = srem i64 %b.down, $item
  %rests = or i64 %a.rest, %b.rest
  %whole = icmp eq i64 %rests, 0
  %a.moves = icmp ne i64 %a.items, 0
  %b.moves = icmp ne i64 %b.items, 0
  %a.short = trunc i64 %a.items to i32
  %b.short = trunc i64 %b.items to i32
  %a.same = sext i32 %a.short to i64
  %b.same = sext i32 %b.short to i64
  %a.fits = icmp eq i64 %a.same, %a.items
  %b.fits = icmp eq i64 %b.same, %b.items
  %moves = and i1 %a.moves, %b.moves
  %fit = and i1 %a.fits, %b.fits
  %may = and i1 %moves, %fit
  %clear = and i1 %whole, %may
  br i1 %clear, label %dot, label %plain
dot:
  call void @dot.$t(ptr %a, ptr %b, ptr %out, i64 %k, i64 %a.items, i64 %b.items)
  br label %done""")
DOT = Template("""
  call void @blas.$t(ptr %a, ptr %b, ptr %out, i64 1, i64 %k, i64 1, i64 %k, i64 %k,
    i1 false, i1 true)""")


def function(p: Product, values: dict[str, Any]) -> str:
    """The function; `values` are those of the module's templates."""
    dot = DOT.substitute(values) if p.dtype in LETTERS else ""
    stepped = STEPPED.substitute(values) if blas.has_dot(p.dtype) else "\n  br label %plain"
    values = {**values, "little": LITTLE, "dot": dot, "stepped": stepped}
    return VECDOT.substitute(values, symbol=p.symbol)
