"""Small arrays of constant shape become numbers: no buffer, no loop, nothing on a tape but numbers.

`classes` decides which, `unroll` makes their places constant, `elements` says what each operation
is element by element, and `small_arrays` is the pass. Never looks at a derivative.
"""

from srcgrad.passes.small.small_arrays import small_arrays

__all__ = ["small_arrays"]
