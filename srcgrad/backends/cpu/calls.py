"""The library calls of compiled code: the error that each raises, and its function.

Those with a module are its functions, which take the number of their site first if they may raise;
the others have routines (`srcgrad.routines`).
"""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.ir.nodes import Def
from srcgrad.primitives import (
    Primitive,
    arrays,
    equations,
    scans,
    transforms,
)
from srcgrad.records import record
from srcgrad.routines.table import ROUTINES


@record(frozen=True)
class Call:
    module: str = ""  # none: a routine of the emitted module
    error: str | Callable[[int], str] = ""  # the text of its LinAlgError, by LAPACK's info
    functions: tuple[str, ...] = ()  # if not one function with the operation's name


CALLS: dict[Primitive, Call] = {
    **{op: Call(error=routine.error) for op, routine in ROUTINES.items()},
    arrays.matmul: Call("numpy", functions=("np.matmul",)),  # machine code has its own
    arrays.matvec: Call("numpy", functions=("np.dot",)),
    arrays.vecdot: Call("numpy", functions=("np.dot",)),
    **dict.fromkeys((transforms.fft, transforms.rfft, transforms.irfft), Call("numpy")),
    scans.searchsorted: Call("library", functions=("search_left", "search_right")),
    equations.sqrtm: Call("equations", equations.NO_ROOT),
    equations.logm: Call("equations", equations.NO_LOGARITHM),
}


def functions_of(op: Primitive) -> tuple[str, ...]:
    """The names of the functions that implement an operation."""
    return CALLS[op].functions or (op.name,)


def function_of(s: Def) -> str:
    """The name of the function that a call uses."""
    return f"search_{s.params['side']}" if s.op is scans.searchsorted else functions_of(s.op)[0]
