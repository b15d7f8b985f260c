"""Reverse mode: one joint function, the forward sweep and then the reverse sweep.

- `program`: points of the program, what each statement stores, what is visible where.
- `values`: how a forward value is recovered in the reverse sweep: recompute, reload, tape.
- `tapes`: the positions of running iterations on their tapes.
- `references`: names of mutable buffers that branches and loops join.
- `adjoints`: where adjoints live: scalars and pure arrays as values, mutable buffers as shadows.
- `sweep`: the reverse of each statement; `joint` puts the two sweeps together.
"""

from srcgrad.autodiff.reverse.joint import vjp

__all__ = ["vjp"]
