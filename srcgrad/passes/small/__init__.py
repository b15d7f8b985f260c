"""Small arrays of constant shape become numbers: no buffer, no loop, nothing on a tape but numbers.

`edges` copies what enters and leaves a program, `classes` decides which arrays become numbers,
`unroll` makes their places constant, `elements` says what each operation is element by element, and
`small_arrays` is the pass. Never looks at a derivative.
"""

from srcgrad.passes.small.small_arrays import small_arrays

__all__ = ["small_arrays"]
