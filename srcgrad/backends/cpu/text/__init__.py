"""A lowered function as Python text: `Compiled.source("numba")` and `SRCGRAD_DEBUG` show it.

The text runs, with NumPy and the functions it imports; nothing compiles it. The one-line functions
that Numba compiles for the emitter are printed from the same tables of expressions.
"""
