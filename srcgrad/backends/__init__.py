"""From IR to something that runs, one backend a target; `backend` has their table.

`python` runs the text itself, `loops` the text as loop nests, `cpu` LLVM IR, called through Numba.
"""
