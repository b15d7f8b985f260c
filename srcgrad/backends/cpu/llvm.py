"""The one LLVM option we set, once per process, before the first compilation.

LLVM hoists the test that two arrays do not overlap out of an enclosing loop; where that loop runs
downwards through memory (a reverse sweep over saved rows does) the hoisted test always fails and
the vectorised loop is never taken. Measured on a stencil's adjoint: 7 times slower. The option
changes no result; it concerns every function that Numba compiles in this process.
"""

from __future__ import annotations

from functools import lru_cache

# the releases of LLVM known to have the option: an unknown one would end the process
KNOWN = range(20, 23)


@lru_cache(maxsize=1)
def prepare() -> None:
    import llvmlite.binding as llvm

    if llvm.llvm_version_info[0] in KNOWN:
        llvm.set_option("srcgrad", "-hoist-runtime-checks=false")
