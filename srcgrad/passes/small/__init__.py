"""Turns small arrays of constant shape into numbers: no buffer, no loop, only numbers on tapes.

`edges` copies what enters and leaves a program, `classes` decides which arrays become numbers,
`unroll` makes their places constant, `elements` has the scalar expansion of each operation, and
`small_arrays` is the pass. Never looks at a derivative.
"""

from srcgrad.passes.small.small_arrays import small_arrays

__all__ = ["small_arrays"]
