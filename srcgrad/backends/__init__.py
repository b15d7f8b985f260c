"""Turns IR into executables, one backend per target; `backend` has their table.

`python` runs the text itself, `loops` the text as loop nests, `cpu` LLVM IR, called through Numba.
"""
